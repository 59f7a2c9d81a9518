package page

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"maps"
	"math"
	"runtime"
	"slices"
	"strings"

	"github.com/qats-bench/qats/internal/lists"
	"github.com/qats-bench/qats/internal/pool"
	"github.com/qats-bench/qats/results"
	"github.com/qats-bench/qats/results/compare"
	"github.com/qats-bench/qats/results/table"
)

// standing is what a comparison says of all its methods: the page shows it, and ranks and tests
// nothing itself. Methods are places in data.Methods. Its lists are JSON arrays of numbers, as
// the comments say.
type standing struct {
	Ranks   []rankedMethod `json:"r"` // in the order of the mean ranks; empty without a ranking
	None    string         `json:"none,omitempty"`
	Aside   []list         `json:"a"`           // not ranked: [method, settings that it lacks, blocks that it lacks]
	Missing []list         `json:"x,omitempty"` // [method, settings left out because it has no value there]

	Settings  int     `json:"n"` // that are ranked
	Blocks    int     `json:"b"`
	Corrupted int     `json:"c"` // of the settings
	Networks  int     `json:"w"` // of these
	All       int     `json:"all"`
	AllBlocks int     `json:"allBlocks"`
	Critical  float64 `json:"cd,omitempty"` // Nemenyi's critical difference; 0 where nothing is tested
	Verdicts  int     `json:"v"`            // that Holm's correction is for

	// Rows are the other methods against the one of the comparison: [method, wins, ties, losses,
	// sure wins, sure losses, smallest difference, difference, from, to, what these ends are].
	// Without verdicts, or ends, there is null.
	Rows []list `json:"o"`
}

// rankedMethod is a method, its mean rank as all tables print it, and the letters of its groups.
type rankedMethod struct {
	Method int    `json:"m"`
	Rank   string `json:"k"`
	Groups string `json:"g,omitempty"`
}

// letters of the kinds of blocks in the addresses of pages.
var blockLetters = map[compare.Block]string{compare.BySamples: "t", compare.ByDataset: "d", compare.ByNetwork: "n", compare.BySetting: "s"}

// part is a choice of settings for which the page has a standing.
type part struct {
	name string // as the state of the script has it: "dataset=cifar10"; empty for all
	has  func(results.Setting) bool
}

// partsOf returns all settings, and each data set, backbone and kind of shift.
func partsOf(f *results.Rows) []part {
	list := []part{{"", func(results.Setting) bool { return true }}}
	each := func(name string, of func(results.Setting) string) {
		values := lists.Distinct(f.Records, func(r record) string { return of(r.Setting) })
		if len(values) < 2 {
			return
		}
		for _, v := range values {
			if v != "" {
				list = append(list, part{name + "=" + v, func(s results.Setting) bool { return of(s) == v }})
			}
		}
	}
	each("dataset", func(s results.Setting) string { return s.Dataset })
	each("backbone", func(s results.Setting) string { return s.Backbone })
	each("shift", shiftOf)
	return list
}

// shiftOf names the kind of test set of a setting that counts by itself; nothing for others.
func shiftOf(s results.Setting) string {
	switch {
	case s.Variant.Rescale > 0 || s.Variant.Split > 0:
		return ""
	case s.Variant.TestShares:
		return "thinned"
	case s.Corruption != "":
		return "corrupted"
	}
	return "clean"
}

// inParts are the metrics with a standing for each part, as are those of the comparisons of the
// page: the leaderboard shows them beside each other. Other metrics have all settings alone,
// which keeps the page small.
var inParts = []string{"ece", "aece", "nll", "brier", "accuracy"}

// mostStood is the largest number of settings of a page with standings beyond those of its own
// comparisons. A comparison takes time with the square of the number of blocks.
const mostStood = 1000

// stand adds the standings: by source, metric, part, method of the comparison and kind of block,
// joined by bars. Methods of comparison are Against and those that pairs are against. A standing
// that is equal to an earlier one of its metric is the name of that one.
func (d *data) stand(f *results.Rows, o Options) {
	_, records := lists.Group(f.Records, func(r record) string { return r.Metric })
	_, pairs := lists.Group(f.Pairs, func(p results.Pair) string { return p.Metric })
	bases := lists.Distinct(f.Pairs, func(p results.Pair) string { return p.Against })
	if !slices.Contains(bases, o.Against) {
		bases = append(bases, o.Against)
	}
	parts, kinds, ids := partsOf(f), compare.Blocks(), lists.Values(d.Metrics, func(m metricEntry) string { return m.ID })
	if len(d.Settings) > mostStood {
		parts, kinds, ids = parts[:1], []compare.Block{cmp.Or(o.Block, compare.BySamples)}, o.Metrics
	}
	found := make([]map[string]json.RawMessage, len(ids))
	pool.Each(context.Background(), len(ids), runtime.GOMAXPROCS(0), func(_, i int) error { // no task has an error
		of := parts
		if !slices.Contains(inParts, ids[i]) && !slices.Contains(o.Metrics, ids[i]) {
			of = parts[:1]
		}
		found[i] = d.standingsOf(records[ids[i]], pairs[ids[i]], of, bases, kinds, o.comparing(ids[i], ""))
		return nil
	})
	d.Standings = map[string]json.RawMessage{}
	for _, of := range found {
		maps.Copy(d.Standings, of)
	}
}

// standingsOf returns the standings by one metric. A metric without a direction has none.
func (d *data) standingsOf(records []results.Record, pairs []results.Pair, parts []part, bases []string, kinds []compare.Block, o compare.Options) map[string]json.RawMessage {
	found, known := map[string]json.RawMessage{}, map[string]string{}
	for _, p := range parts {
		of := lists.Where(records, func(r record) bool { return p.has(r.Setting) })
		with := lists.Where(pairs, func(x results.Pair) bool { return p.has(x.Setting) })
		for _, o.Against = range bases {
			for _, o.Block = range kinds {
				made, err := compare.Of(of, with, o)
				if err != nil {
					continue // the page says that there is none
				}
				for _, c := range made {
					name := strings.Join([]string{c.Source, c.Metric, p.name, c.Against, blockLetters[c.Block]}, "|")
					text, _ := json.Marshal(d.standingOf(c)) // of numbers and texts
					if before, has := known[c.Source+string(text)]; has {
						text, _ = json.Marshal(before)
					} else {
						known[c.Source+string(text)] = name
					}
					found[name] = text
				}
			}
		}
	}
	return found
}

// standingOf returns what a comparison says.
func (d *data) standingOf(c *compare.Comparison) standing {
	place := func(id string) int {
		return slices.IndexFunc(d.Methods, func(m methodEntry) bool { return m.ID == id })
	}
	numbers := func(digits int, values ...float64) list { return column(values, len(values), digits) }
	k := c.Ranking
	s := standing{Ranks: []rankedMethod{}, None: k.None, Aside: []list{}, Rows: []list{}, Settings: k.Settings, Blocks: len(k.Blocks), Corrupted: k.Extent.Corrupted, Networks: k.Extent.CorruptedOf,
		All: c.Settings, AllBlocks: len(c.Blocks), Verdicts: c.Verdicts}
	if s.Settings == 0 { // without a ranking
		s.Settings, s.Blocks, s.Corrupted, s.Networks = c.Settings, len(c.Blocks), c.Extent.Corrupted, c.Extent.CorruptedOf
	}
	if k.Tested() {
		s.Critical = round(k.Critical, 4)
	}
	for i, m := range k.Methods {
		var letters bytes.Buffer
		for g, members := range k.Groups {
			if slices.Contains(members, i) {
				letters.WriteByte(byte('a' + g%26))
			}
		}
		s.Ranks = append(s.Ranks, rankedMethod{place(m), table.Fixed(k.Ranks[i], 2), letters.String()})
	}
	blocksOf := map[string]int{c.Against: c.Own.Blocks}
	for _, r := range c.Rows {
		blocksOf[r.Method] = r.Blocks
		s.Rows = append(s.Rows, numbers(5, rowNumbers(c, place(r.Method), r)...))
	}
	for _, a := range k.Aside {
		s.Aside = append(s.Aside, numbers(9, float64(place(a.Method)), float64(len(a.Settings)), float64(len(c.Blocks)-blocksOf[a.Method])))
	}
	for _, x := range k.Missing {
		s.Missing = append(s.Missing, numbers(9, float64(place(x.Method)), float64(len(x.Settings))))
	}
	return s
}

// What the ends of a difference are.
const (
	rangeOfBlocks = iota // the least and the largest of the blocks
	overBlocks           // a 95 % interval over blocks
	overRows             // that of the difference on the test rows of the only setting
)

// rowNumbers are the numbers of a row, as standing.Rows has them.
func rowNumbers(c *compare.Comparison, method int, r compare.Row) []float64 {
	nan := math.NaN()
	row := []float64{float64(method), nan, nan, nan, nan, nan, nan, r.Difference, nan, nan, rangeOfBlocks}
	if r.Win+r.Tie+r.Loss > 0 {
		copy(row[1:], []float64{float64(r.Win), float64(r.Tie), float64(r.Loss), float64(r.SureWin), float64(r.SureLoss)})
		if r.Smallest > 0 {
			row[6] = r.Smallest
		}
	}
	switch {
	case !c.Judged():
	case r.Shift.Bounded:
		copy(row[7:], []float64{r.Shift.Estimate, r.Shift.Lo, r.Shift.Hi, overBlocks})
	case len(r.On) == 1 && r.Settings == 1 && r.On[0].Interval != "":
		copy(row[7:], []float64{r.On[0].Difference, r.On[0].Lo, r.On[0].Hi, overRows})
	case len(r.BlockDifference) > 1:
		row[8], row[9] = slices.Min(r.BlockDifference), slices.Max(r.BlockDifference)
	}
	return row
}
