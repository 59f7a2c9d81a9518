package compare

import (
	"cmp"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/qats-bench/qats/results"
	"github.com/qats-bench/qats/results/table"
)

// digits is a number that prints with nine significant digits, as in results.csv:
// the last digits of a float64 differ between processors. NaN and infinities are null.
type digits float64

var undefined = digits(math.NaN())

// MarshalJSON implements [json.Marshaler].
func (d digits) MarshalJSON() ([]byte, error) {
	if x := float64(d); math.IsNaN(x) || math.IsInf(x, 0) {
		return []byte("null"), nil
	}
	return strconv.AppendFloat(nil, float64(d), 'g', 9, 64), nil
}

// The objects of the JSON output beside the rows of tables, distinguished by kind. Numbers
// are as in results.csv: fractions and nats, not per cent. By the metric time, means are
// seconds and differences ratios. A number that does not exist is null. For a simulated
// source these are all numbers of tests and verdicts.

// about begins each object.
type about struct {
	Kind   string `json:"kind"` // method, ranking, strength, left_out, warning, block, power or splits
	Metric string `json:"metric"`
	Source string `json:"source"`
	Domain string `json:"domain"`          // that the rows are restricted to, or all
	Block  Block  `json:"block,omitempty"` // of what is computed over blocks
}

type rankingObject struct {
	about
	Methods    []string   `json:"methods"` // in the order of their ranks; null without a ranking
	Ranks      []digits   `json:"ranks"`
	Settings   int        `json:"settings"`
	Blocks     []string   `json:"blocks"`
	Alike      [][]string `json:"alike"`         // by method: the others that Wilcoxon's tests with Holm's correction do not tell apart from it
	LeastP     digits     `json:"least_p"`       // the smallest p that so many blocks can reach; null without a test, like the next ones
	ChiSquared digits     `json:"friedman_chi2"` // null for two methods too, like the next ones
	P          digits     `json:"friedman_p"`
	F          digits     `json:"iman_davenport_f"` // null where it is infinite
	PF         digits     `json:"iman_davenport_p"`
	Critical   digits     `json:"critical_difference"`
	Groups     [][]string `json:"not_told_apart"` // by Nemenyi's test
	None       string     `json:"none,omitempty"` // why there is no ranking
}

type lackingObject struct {
	about
	What     string   `json:"what"` // method | settings
	Method   string   `json:"method"`
	Settings []string `json:"settings"` // on which it has no value
	Why      string   `json:"why"`
}

type warningObject struct {
	about
	Method   string   `json:"method"`
	Settings []string `json:"settings"`
	Text     string   `json:"text"` // on the first of the settings
}

type blockObject struct {
	about
	Name     string          `json:"name"`
	Datasets []string        `json:"datasets"`
	Bases    []results.Basis `json:"bases,omitempty"` // why it shares no test samples with others: names, manifest_or_spec, row_ids
}

type powerObject struct {
	about
	Settings    int    `json:"settings"`
	Corrupted   int    `json:"corrupted_settings"`
	CorruptedOf int    `json:"corrupted_networks"` // that the corrupted settings are of
	Blocks      int    `json:"blocks"`
	Table       string `json:"table,omitempty"` // what its methods predict: keeps, changes or top-label; empty where each method has one test
	Tests       int    `json:"tests"`           // that Holm corrects together: methods times scores of a table, or methods
	LeastP      digits `json:"least_p"`
	LeastHolm   digits `json:"least_p_holm"`
	Possible    bool   `json:"can_be_significant"` // at .05 after Holm's correction
	Most        int    `json:"most_tests"`         // named beforehand, with which a result could be significant; 0 for none
	Needed      int    `json:"blocks_needed"`      // for all tests
}

// domain names the domains of the rows in data forms.
func (v View) domain() string { return cmp.Or(strings.Join(v.Domains, ", "), "all") }

// digitsOf returns numbers as they print.
func digitsOf(list []float64) (out []digits) {
	for _, x := range list {
		out = append(out, digits(x))
	}
	return out
}

// namesOf returns the names of settings.
func namesOf(settings []results.Setting) []string {
	var list []string
	for _, s := range settings {
		list = append(list, s.Name())
	}
	return list
}

// JSON prints one object a line: for each method, for the ranking, for the strength of
// each ranked method where the view is Full, for each method and setting that the ranking leaves out, for
// warnings of fits, for each block, for the power of the tests of each table, and for each redrawn
// setting and method.
func (v View) JSON(w io.Writer) error {
	if err := v.methods(v.shown()[1:]).JSON(w); err != nil {
		return err
	}
	if err := table.WriteJSON(w, []any{v.rankingObject()}); err != nil {
		return err
	}
	if v.Full {
		if err := v.StrengthTable().JSON(w); err != nil {
			return err
		}
	}
	var objects []any
	k := v.Ranking
	for _, m := range k.Unranked {
		objects = append(objects, lackingObject{about: about{"left_out", v.Metric, v.Source, v.domain(), ""}, What: "method", Method: m, Settings: []string{}, Why: v.Unranked[m]})
	}
	for _, m := range k.Target {
		objects = append(objects, lackingObject{about: about{"left_out", v.Metric, v.Source, v.domain(), ""}, What: "method", Method: m, Settings: []string{}, Why: seesTarget})
	}
	for what, list := range [][]Lacking{k.ByNature, k.Aside, k.Missing} {
		for _, l := range list {
			objects = append(objects, lackingObject{about: about{"left_out", v.Metric, v.Source, v.domain(), ""}, What: []string{"method", "method", "settings"}[what],
				Method: l.Method, Settings: namesOf(l.Settings), Why: l.Why})
		}
	}
	for _, w := range v.Warnings {
		objects = append(objects, warningObject{about{"warning", v.Metric, v.Source, v.domain(), ""}, w.Method, namesOf(w.Settings), w.Text})
	}
	for _, b := range v.Blocks {
		objects = append(objects, blockObject{about{"block", v.Metric, v.Source, v.domain(), v.Block}, b, v.Datasets[b], v.Bases[b]})
	}
	power := func(of string, p Power) {
		if p.Tests > 0 && v.Judged() {
			objects = append(objects, powerObject{about{"power", v.Metric, v.Source, v.domain(), v.Block}, v.Extent.Settings, v.Extent.Corrupted, v.Extent.CorruptedOf,
				p.Blocks, of, p.Tests, digits(p.LeastP), digits(p.LeastHolm), p.Possible, p.Most, p.Needed})
		}
	}
	if v.Judgement == nil || v.Ratio {
		power("", v.Power())
	} else {
		for _, g := range v.Judgement.Groups {
			if slices.Contains(g.Scores, v.Metric) {
				power(string(g.Predicts), g.Power())
			}
		}
	}
	if err := table.WriteJSON(w, objects); err != nil {
		return err
	}
	return v.SplitTable().JSON(w)
}

func (v View) rankingObject() rankingObject {
	k := v.Ranking
	ranking := rankingObject{about: about{"ranking", v.Metric, v.Source, v.domain(), v.Block}, Methods: k.Methods,
		Settings: k.Settings, Blocks: k.Blocks, None: k.None, LeastP: undefined, ChiSquared: undefined, P: undefined, F: undefined, PF: undefined, Critical: undefined}
	if k.Apart != nil {
		ranking.LeastP = digits(k.LeastP)
	}
	if k.Tested() {
		ranking.ChiSquared, ranking.P, ranking.PF, ranking.Critical = digits(k.Test.ChiSquared), digits(k.Test.P), digits(k.Test.PF), digits(k.Critical)
		ranking.F = digits(k.Test.F)
	}
	for i, apart := range k.Apart {
		var ids []string
		for j, different := range apart {
			if j != i && !different {
				ids = append(ids, k.Methods[j])
			}
		}
		ranking.Alike = append(ranking.Alike, ids)
	}
	ranking.Ranks = digitsOf(k.Ranks)
	for _, g := range k.Groups { // of neighbours
		ranking.Groups = append(ranking.Groups, k.Methods[g[0]:g[len(g)-1]+1])
	}
	return ranking
}
