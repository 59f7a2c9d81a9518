package compare

import (
	"io"
	"math"
	"strconv"

	"github.com/qats-bench/qats/results"
	"github.com/qats-bench/qats/results/table"
)

// digits is a number that prints with nine significant digits, as in results.csv:
// the last digits of a float64 differ between processors. NaN and infinities are null.
type digits float64

var none = digits(math.NaN())

// MarshalJSON implements [json.Marshaler].
func (d digits) MarshalJSON() ([]byte, error) {
	if x := float64(d); math.IsNaN(x) || math.IsInf(x, 0) {
		return []byte("null"), nil
	}
	return strconv.AppendFloat(nil, float64(d), 'g', 9, 64), nil
}

// digits returns a mean or a difference: of times, seconds or a ratio.
func (v View) digits(x float64) digits {
	if v.Ratio {
		return digits(math.Exp(x))
	}
	return digits(x)
}

// The objects of the JSON output, distinguished by kind. Numbers are as in results.csv:
// fractions and nats, not per cent. By the metric time, means are seconds and differences
// ratios. A number that does not exist is null. For a simulated source these are all
// numbers of tests and verdicts.

// about begins each object.
type about struct {
	Kind   string `json:"kind"` // method, ranking, strength, left_out, warning, block, power or splits
	Metric string `json:"metric"`
	Source string `json:"source"`
	Block  Block  `json:"block,omitempty"` // of what is computed over blocks
}

type methodObject struct {
	about
	Method     string `json:"method"`
	Against    string `json:"against"`
	Settings   int    `json:"settings"`
	Blocks     int    `json:"blocks"`
	Mean       digits `json:"mean"`
	Difference digits `json:"difference"`
	Shift      digits `json:"shift"`
	Lo         digits `json:"lo"`
	Hi         digits `json:"hi"`
	Better     *int   `json:"better"`
	Worse      *int   `json:"worse"`
	Win        *int   `json:"win"`
	Tie        *int   `json:"tie"`
	Loss       *int   `json:"loss"`
	SureWin    *int   `json:"win_holm"` // those that remain after Holm's correction for all verdicts
	SureLoss   *int   `json:"loss_holm"`
	Smallest   digits `json:"smallest"` // smallest difference that the rows of a setting can show
	P          digits `json:"p"`
	Holm       digits `json:"p_holm"`
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

type strengthObject struct {
	about
	Method       string `json:"method"`
	WinRate      digits `json:"win_rate"` // over the other ranked methods and blocks, in [0, 1]
	WinRateLo    digits `json:"win_rate_lo"`
	WinRateHi    digits `json:"win_rate_hi"`
	BradleyTerry digits `json:"bradley_terry"` // logarithm of odds, mean 0
	StrengthLo   digits `json:"bradley_terry_lo"`
	StrengthHi   digits `json:"bradley_terry_hi"`
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
	Comparisons int    `json:"comparisons"`
	LeastP      digits `json:"least_p"`
	LeastHolm   digits `json:"least_p_holm"`
	Possible    bool   `json:"can_be_significant"` // at .05 after Holm's correction
	Methods     int    `json:"most_methods"`       // named beforehand, with which a result could be significant; 0 for none
	Needed      int    `json:"blocks_needed"`      // for all methods compared
}

type splitObject struct {
	about
	Setting    string `json:"setting"`
	Method     string `json:"method"`
	Against    string `json:"against"`
	Draws      int    `json:"draws"`
	Mean       digits `json:"difference"`
	Deviation  digits `json:"sd"`
	Resampling digits `json:"sd_fit_fixed"`
	Lo         digits `json:"least"`
	Hi         digits `json:"largest"`
	Better     *int   `json:"better"`
	Worse      *int   `json:"worse"`
}

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
// each ranked method, for each method and setting that the ranking leaves out, for
// warnings of fits, for each block, for the power of the tests, and for each redrawn
// setting and method.
func (v View) JSON(w io.Writer) error {
	var objects []any
	for _, r := range v.Rows {
		objects = append(objects, v.methodObject(r))
	}
	objects = append(objects, v.rankingObject())
	for _, s := range v.Ranking.Strengths() {
		w, t := s.WinRate, s.BradleyTerry
		objects = append(objects, strengthObject{about{"strength", v.Metric, v.Source, v.Block}, s.Method,
			digits(w.Value), digits(w.Lo), digits(w.Hi), digits(t.Value), digits(t.Lo), digits(t.Hi)})
	}
	k := v.Ranking
	for what, list := range [][]Lacking{k.ByNature, k.Aside, k.Missing} {
		for _, l := range list {
			objects = append(objects, lackingObject{about: about{"left_out", v.Metric, v.Source, ""}, What: []string{"method", "method", "settings"}[what],
				Method: l.Method, Settings: namesOf(l.Settings), Why: l.Why})
		}
	}
	for _, w := range v.Warnings {
		objects = append(objects, warningObject{about{"warning", v.Metric, v.Source, ""}, w.Method, namesOf(w.Settings), w.Text})
	}
	for _, b := range v.Blocks {
		objects = append(objects, blockObject{about{"block", v.Metric, v.Source, v.Block}, b, v.Datasets[b], v.Bases[b]})
	}
	if p := v.Power(); p.Comparisons > 0 && v.Judged() {
		objects = append(objects, powerObject{about{"power", v.Metric, v.Source, v.Block}, v.Extent.Settings, v.Extent.Corrupted, v.Extent.CorruptedOf,
			p.Blocks, p.Comparisons, digits(p.LeastP), digits(p.LeastHolm), p.Possible, p.Methods, p.Needed})
	}
	for _, s := range v.Splits {
		objects = append(objects, v.splitObject(s))
	}
	return table.WriteJSON(w, objects)
}

func (v View) methodObject(r Row) methodObject {
	o := methodObject{about: about{"method", v.Metric, v.Source, v.Block}, Method: r.Method, Against: v.Against,
		Settings: r.Settings, Blocks: r.Blocks, Mean: v.digits(r.Value), Difference: v.digits(r.Difference), Shift: none,
		Lo: none, Hi: none, Smallest: none, P: digits(r.Test.P), Holm: digits(r.Holm)}
	if !v.Judged() {
		return o
	}
	o.Shift, o.Better, o.Worse = v.digits(r.Shift.Estimate), &r.Better, &r.Worse
	if r.Shift.Bounded {
		o.Lo, o.Hi = v.digits(r.Shift.Lo), v.digits(r.Shift.Hi)
	}
	if r.NoVerdict < r.Settings {
		o.Win, o.Tie, o.Loss, o.SureWin, o.SureLoss, o.Smallest = &r.Win, &r.Tie, &r.Loss, &r.SureWin, &r.SureLoss, digits(r.Smallest)
	}
	return o
}

func (v View) rankingObject() rankingObject {
	k := v.Ranking
	ranking := rankingObject{about: about{"ranking", v.Metric, v.Source, v.Block}, Methods: k.Methods,
		Settings: k.Settings, Blocks: k.Blocks, None: k.None, LeastP: none, ChiSquared: none, P: none, F: none, PF: none, Critical: none}
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

func (v View) splitObject(s Split) splitObject {
	o := splitObject{about: about{"splits", v.Metric, v.Source, ""}, Setting: s.Setting.Name(), Method: s.Method, Against: v.Against, Draws: s.Draws,
		Mean: digits(s.Mean), Deviation: digits(s.Deviation), Resampling: none, Lo: digits(s.Lo), Hi: digits(s.Hi)}
	if v.Judged() {
		o.Better, o.Worse = &s.Better, &s.Worse
	}
	if s.Resampling > 0 {
		o.Resampling = digits(s.Resampling)
	}
	return o
}
