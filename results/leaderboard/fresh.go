package leaderboard

import (
	"errors"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/qats-bench/qats/internal/lists"
	"github.com/qats-bench/qats/results/internal/csvfile"
)

// PublicLabels are the labels that everybody has, beside the references that others are drawn from.
const PublicLabels = "public"

// Fresh is what labels drawn anew show of a method, by the gains to TS: how much lower its scores are. It is simulated, and ranks nothing.
type Fresh struct {
	Method string
	Card   string     // digest of the card of an entry; empty for a method of the registry
	Rows   []FreshRow // public labels, then those of each reference; none for a method that is not judged
	Holm   float64    // the least p-value of an excess of the gain on public labels over those on all others
	At     string     // the setting of it
	Score  string     // the score of it
}

// FreshRow is a method on labels of one kind: means over settings.
type FreshRow struct {
	Labels     string
	Settings   int
	NLL, Brier float64 // that of the method minus that of TS; of the predicted class for a confidence alone
	Error      float64 // true calibration error minus that of TS; NaN on public labels
}

// Mean divides sums over the settings of a row by their number.
func (r *FreshRow) Mean() {
	n := float64(max(1, r.Settings))
	r.NLL, r.Brier, r.Error = r.NLL/n, r.Brier/n, r.Error/n
}

// Judged reports whether drawn labels say something of a method: it reads logits alone, and has a number.
func (f Fresh) Judged() bool { return len(f.Rows) > 0 && f.Rows[0].Settings > 0 }

// ToBeLookedAt reports whether the gain of a method on public labels is larger than on all kinds of drawn ones by more than chance.
func (f Fresh) ToBeLookedAt() bool { return f.Judged() && f.Holm <= LookLevel }

// freshLine is a line of the file of a round.
type freshLine struct {
	Fresh
	row FreshRow
}

// optionalNumber is the text of a number that may be absent.
func optionalNumber(x float64) string {
	if math.IsNaN(x) {
		return ""
	}
	return csvfile.FormatNumber(x)
}

var freshFormat = csvfile.Format[freshLine]{
	Columns: []string{"method", "card", "labels", "settings", "nll_minus_ts", "brier_minus_ts", "true_error_minus_ts", "p_holm", "setting", "score"},
	Fields: func(l freshLine) []string {
		return []string{l.Method, l.Card, l.row.Labels, csvfile.FormatCount(l.row.Settings), csvfile.FormatNumber(l.row.NLL), csvfile.FormatNumber(l.row.Brier),
			optionalNumber(l.row.Error), csvfile.FormatNumber(l.Holm), l.At, l.Score}
	},
	Parse: func(row *csvfile.Row) freshLine {
		l := freshLine{Fresh: Fresh{Method: row.Text(), Card: row.Text()}, row: FreshRow{Labels: row.Text(), Settings: row.CountOrNone(), NLL: row.Number(), Brier: row.Number()}}
		l.row.Error = math.NaN()
		if x, some := row.NumberOrNone(); some {
			l.row.Error = x
		}
		l.Holm, l.At, l.Score = row.Number(), row.Text(), row.Text()
		return l
	},
	Check: func(l freshLine) error {
		if err := csvfile.CheckID("method", l.Method); err != nil {
			return err
		}
		return csvfile.CheckRange("p_holm", l.Holm, 0, 1)
	},
	Identity: func(l freshLine) []string { return []string{l.Method, l.row.Labels} },
}

// Round returns the path of the file of a round.
func (f Folder) Round(n int) string { return filepath.Join(string(f), "fresh", strconv.Itoa(n)+".csv") }

// WriteRound writes the file of a round.
func (f Folder) WriteRound(n int, methods []Fresh) error {
	var lines []freshLine
	for _, m := range methods {
		for _, r := range m.Rows {
			lines = append(lines, freshLine{m, r})
		}
	}
	if err := os.MkdirAll(filepath.Dir(f.Round(n)), 0o777); err != nil {
		return err
	}
	return freshFormat.WriteFile(f.Round(n), lines)
}

// ReadRound reads the file of a round. A round without a file has no methods.
func (f Folder) ReadRound(n int) (methods []Fresh, err error) {
	lines, err := freshFormat.ReadFile(f.Round(n))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	for _, l := range lines {
		if len(methods) == 0 || methods[len(methods)-1].Method != l.Method {
			methods = append(methods, l.Fresh)
		}
		last := &methods[len(methods)-1]
		last.Rows = append(last.Rows, l.row)
	}
	return methods, err
}

// Rounds returns the numbers of the rounds that have a file, the first one first.
func (f Folder) Rounds() []int {
	files, _ := filepath.Glob(filepath.Join(string(f), "fresh", "*.csv"))
	numbers := lists.Values(files, func(file string) int {
		n, err := strconv.Atoi(strings.TrimSuffix(filepath.Base(file), ".csv"))
		if err != nil {
			return -1
		}
		return n
	})
	numbers = slices.DeleteFunc(numbers, func(n int) bool { return n < 0 })
	slices.Sort(numbers)
	return numbers
}
