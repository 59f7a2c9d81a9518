package compare

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/qats-bench/qats/internal/lists"
	"github.com/qats-bench/qats/metrics"
	"github.com/qats-bench/qats/results"
	"github.com/qats-bench/qats/results/compare/significance"
)

// Judgement is what a comparison concludes. Its rule is the one by which this project calls a method
// better than another:
//
// The scores are NLL and Brier score, which are proper: no method has a lower expected score than the
// true probabilities. For methods of a confidence alone they are those of the predicted class. A method
// is better than Against if one of the scores shows it and none shows the opposite; worse the other way
// round; if they oppose each other, both are said and the method leads nothing. A score shows a
// difference by Wilcoxon's signed-rank test over the blocks at [Alpha], with Holm's correction over the
// methods of the table times the scores. Methods with so few blocks that no difference could be shown have no test.
//
// Methods that keep the predicted class, methods that may change it, and methods of a confidence alone
// have a table each, because the scores reward accuracy too.
//
// A method is best if it is better than Against, no method of its table is better than it, by the
// same rule, and the floor ([Floor]) does not leave it out of rankings.
//
// A calibration error decides nothing: a binned one can be lowered by a method that knows nothing
// ([results.BaseRate]). Its differences are described, with intervals.
//
// Where no test over the blocks can show a difference, the rule is applied to each setting instead, by
// the verdicts of pairs.csv, and nothing is called best.
type Judgement struct {
	Options  // Metric has no meaning
	Source   string
	Extent   Extent  // of the method with the most blocks
	Settings int     // with a value of any method
	Groups   []Group // the tables, without those that no method is in
	Floor    Floor

	families map[string]*Group             // of each method
	predicts map[string]results.Prediction // of each method of the rows
}

// Group is a table of methods.
type Group struct {
	Predicts results.Prediction // empty: not known
	Scores   []string           // recorded for some method
	Methods  []Judged           // in the order of the rows
	Best     []string
	Possible bool // a test over the blocks can show a difference
	Blocks   int  // the most that a method has
}

// Judged is what is shown of a method.
type Judged struct {
	Method   string
	Verdict  Verdict
	Scores   []Effect // of the scores that the method has
	Errors   []Effect // of calibration errors and other metrics, which decide nothing
	Accuracy float64  // mean difference over blocks; NaN where it is not recorded

	Settings       int // with verdicts by some score
	Win, Tie, Loss int // settings by the rule, one by one: not shown and opposed ones are ties
	On             []OnSetting
}

// Verdict is a conclusion on a method.
type Verdict string

// The verdicts.
const (
	Better      Verdict = "better"
	Worse       Verdict = "worse"
	Opposed     Verdict = "opposed"      // better by one score, worse by the other
	NotShown    Verdict = "not shown"    // no difference is shown
	TooFew      Verdict = "too few"      // no test over so few blocks can show a difference, and those of other methods of the table can
	NotRecorded Verdict = "not recorded" // the rows have neither score
)

// Effect is a difference to Against by a metric.
type Effect struct {
	Metric string
	Label  string
	Row    Row     // of the comparison by the metric
	P      float64 // of Wilcoxon's test over the blocks; NaN of a metric that decides nothing
	Holm   float64 // P corrected over the table and the scores
	Sign   int     // of what is shown: -1 better, 1 worse, 0 nothing; of a calibration error that of its interval

	view View // that prints numbers of the metric
}

// OnSetting is what the test rows of a single setting show.
type OnSetting struct {
	Setting results.Setting
	Verdict Verdict
	By      []string // labels of the scores that show it
}

// scoresOf returns the metrics of the proper scores for methods of a table.
func scoresOf(of results.Prediction) []string {
	if of == results.TopLabel {
		return []string{"nll_top", "brier_top"}
	}
	return []string{"nll", "brier"}
}

// Scores returns the metrics by which the rule judges methods that give probabilities of all classes.
func Scores() []string { return scoresOf(results.Keeps) }

// TopScores returns the metrics by which the rule judges methods of a confidence alone.
func TopScores() []string { return scoresOf(results.TopLabel) }

// Decides reports whether a metric is a score of the rule. All others are described and decide nothing.
func Decides(metric string) bool {
	return slices.Contains(slices.Concat(scoresOf(results.Keeps), scoresOf(results.TopLabel)), metric)
}

// usualDescribed are the metrics that a judgement describes where no other is asked for.
var usualDescribed = []string{"ece"}

// Judge returns the judgement on measured settings, then that on simulated ones, which has no verdicts.
// A source without a value of a score has one too: it says that no score is recorded. described are
// metrics, of which those that are no scores are described; ece if there is none. The predictions are
// those of methods.csv; a method that it does not know has that which its rows show.
func Judge(rows *results.Rows, o Options, described ...string) ([]*Judgement, error) {
	described = lists.Where(described, func(metric string) bool { return !Decides(metric) && metric != results.TimeMetric })
	if len(described) == 0 {
		described = usualDescribed
	}
	j := judge{rows: rows, options: o, described: described, arranged: map[string]*Arranged{}, compared: map[comparedBy]map[string]*Comparison{}, predicts: map[string]results.Prediction{}}
	j.knowPredictions()
	j.seeing = j.allSee()
	return j.all()
}

// judge makes judgements of rows.
type judge struct {
	rows      *results.Rows
	options   Options
	described []string
	arranged  map[string]*Arranged // by metric
	compared  map[comparedBy]map[string]*Comparison
	predicts  map[string]results.Prediction
	seeing    bool // all methods see the test domain, so that they are judged
}

// allSee reports whether all methods that are compared see the test domain.
func (j *judge) allSee() bool {
	methods := j.options.Methods
	if methods == nil {
		methods = lists.Distinct(j.rows.Records, func(r results.Record) string { return r.Method })
		methods = lists.Where(methods, func(m string) bool { return m != j.options.Against && !results.IsFloor(m) })
	}
	return !slices.ContainsFunc(methods, func(m string) bool { return !j.options.Sees(m) })
}

// knowPredictions finds which table each method is in.
func (j *judge) knowPredictions() {
	values := map[string]map[results.Place]float64{"argmax_change": {}, "accuracy": {}}
	scored := map[string][2]bool{} // has a score of all classes, of the predicted class
	for _, r := range j.rows.Records {
		if r.Status != results.OK {
			continue
		}
		if of := values[r.Metric]; of != nil {
			of[results.PlaceOf(r.Setting, r.Method, r.Metric)] = r.Value
		}
		has := scored[r.Method]
		has[0] = has[0] || slices.Contains(scoresOf(results.Keeps), r.Metric)
		has[1] = has[1] || slices.Contains(scoresOf(results.TopLabel), r.Metric)
		scored[r.Method] = has
	}
	for _, m := range slices.Backward(j.rows.Methods) { // the first one decides
		if m.Predicts != "" {
			j.predicts[m.Method] = m.Predicts
		}
	}
	for _, m := range lists.Distinct(j.rows.Records, func(r results.Record) string { return r.Method }) {
		if has := scored[m]; has[1] && !has[0] {
			j.predicts[m] = results.TopLabel // whatever it is with logits
			continue
		}
		if j.predicts[m] != "" {
			continue
		}
		if kept, known := keepsIn(m, j.options.Against, values); known {
			j.predicts[m] = map[bool]results.Prediction{true: results.Keeps, false: results.Changes}[kept]
		}
	}
}

// keepsIn reports whether a method keeps all predictions, as far as the rows show it: no prediction
// changes, or the accuracy is everywhere that of the network or of Against.
func keepsIn(method, against string, values map[string]map[results.Place]float64) (kept, known bool) {
	kept = true
	for at, x := range values["argmax_change"] {
		if at.Method == method {
			kept, known = kept && x == 0, true
		}
	}
	if known {
		return kept, true
	}
	for at, x := range values["accuracy"] {
		if at.Method != method {
			continue
		}
		for _, of := range []string{Uncalibrated, against} {
			if y, has := values["accuracy"][results.PlaceOf(at.Setting, of, "accuracy")]; has {
				kept, known = kept && results.Sign(x-y) == 0, true
				break
			}
		}
	}
	return kept, known
}

// comparedBy names the comparisons by a metric with a method. The tables of a judgement share them.
type comparedBy struct{ metric, against string }

// by returns the comparisons by a metric with a method, by source; none where the method has no value.
func (j *judge) by(metric, against string) map[string]*Comparison {
	key := comparedBy{metric, against}
	if of := j.compared[key]; of != nil {
		return of
	}
	a, has := j.arranged[metric]
	if !has {
		o := j.options
		o.Metric, o.Methods = metric, nil
		if slices.ContainsFunc(j.rows.Records, func(r results.Record) bool { return r.Metric == metric && r.Status == results.OK }) {
			a, _ = Arrange(j.rows.Records, j.rows.Pairs, o) // rows that disagree are an error of the comparisons
		}
		j.arranged[metric] = a
	}
	of := map[string]*Comparison{}
	j.compared[key] = of
	if a == nil {
		return of
	}
	made, _ := a.Compare(against, j.options.Block)
	for _, c := range made {
		of[c.Source] = c
	}
	return of
}

func (j *judge) all() (list []*Judgement, err error) {
	o := j.options
	for _, source := range sources {
		one := &Judgement{Options: o, Source: source, families: map[string]*Group{}, predicts: j.predicts}
		one.Metric = ""
		for _, metric := range slices.Concat(scoresOf(results.Keeps), scoresOf(results.TopLabel), j.described) {
			if c := j.by(metric, o.Against)[source]; c != nil && c.Settings > one.Settings {
				one.Extent, one.Settings = c.Extent, c.Settings
			}
		}
		if one.Settings == 0 {
			continue
		}
		for _, of := range append(results.Predictions(), "") {
			g := j.group(of, source, o.Against, o.Methods)
			if g == nil {
				continue
			}
			one.Groups = append(one.Groups, *g)
		}
		if most := one.most(); most.Settings > 0 {
			one.Extent = one.Extent.inRow(most)
		}
		if one.Judged() {
			one.Floor = j.floor(source)
		}
		for i := range one.Groups {
			g := &one.Groups[i]
			for _, m := range g.Methods {
				one.families[m.Method] = g
			}
			if one.Judged() {
				g.Best = lists.Where(j.best(*g, source), func(m string) bool { return one.Floor.Unranked[m] == "" })
			}
		}
		list = append(list, one)
	}
	if list == nil {
		return nil, errors.New("no method has a value beside " + o.Against + " of NLL, Brier score or a calibration error")
	}
	return list, nil
}

// most is the row of a method with the most blocks, and of those the most settings.
func (j *Judgement) most() (most Row) {
	for _, g := range j.Groups {
		for _, m := range g.Methods {
			for _, e := range slices.Concat(m.Scores, m.Errors) {
				if e.Row.Blocks > most.Blocks || e.Row.Blocks == most.Blocks && e.Row.Settings > most.Settings {
					most = e.Row
				}
			}
		}
	}
	return most
}

// Judged reports whether the judgement has verdicts: that on simulated settings has none.
func (j *Judgement) Judged() bool { return j.Source != "simulated" }

// group judges the methods of a table against a method; nil without methods. only are the methods asked for; nil for
// all but the floor. Methods that see the test domain are judged where there are no others.
func (j *judge) group(of results.Prediction, source, against string, only []string) *Group {
	g := &Group{Predicts: of}
	index := map[string]int{}
	var p []float64
	var effects []*Effect
	find := func(r Row) *Judged {
		i, has := index[r.Method]
		if !has {
			i = len(g.Methods)
			index[r.Method] = i
			g.Methods = append(g.Methods, Judged{Method: r.Method, Verdict: NotRecorded, Accuracy: math.NaN()})
		}
		return &g.Methods[i]
	}
	rowsOf := func(metric string) (View, []Row) {
		c := j.by(metric, against)[source]
		if c == nil {
			return View{}, nil
		}
		rows := c.Rows
		if c.Floor != nil && slices.Contains(only, c.Floor.Method) {
			rows = append(slices.Clone(rows), *c.Floor)
		}
		return View{Comparison: c}, lists.Where(rows, func(r Row) bool {
			asked := only == nil || slices.Contains(only, r.Method)
			return asked && (j.seeing || !c.Sees(r.Method)) && j.predicts[r.Method] == of
		})
	}
	for _, metric := range scoresOf(of) {
		v, rows := rowsOf(metric)
		if len(rows) > 0 {
			g.Scores = append(g.Scores, metric)
		}
		for _, r := range rows {
			m := find(r)
			m.Scores = append(m.Scores, Effect{Metric: metric, Label: v.MetricLabel, Row: r, view: v, P: math.NaN(), Holm: math.NaN()})
			g.Blocks = max(g.Blocks, r.Blocks)
		}
	}
	for _, metric := range j.described {
		v, rows := rowsOf(metric)
		for _, r := range rows {
			m := find(r)
			m.Errors = append(m.Errors, Effect{Metric: metric, Label: v.MetricLabel, Row: r, view: v, P: math.NaN(), Holm: math.NaN(), Sign: v.side(r)})
		}
	}
	if len(g.Methods) == 0 {
		return nil
	}
	_, accuracy := rowsOf("accuracy")
	for _, r := range accuracy {
		if i, has := index[r.Method]; has {
			g.Methods[i].Accuracy = r.Difference
		}
	}
	if source == "simulated" {
		return g
	}
	for i := range g.Methods {
		for k := range g.Methods[i].Scores {
			e := &g.Methods[i].Scores[k]
			if !testable(e.Row.Blocks) { // known before the numbers are: it costs the others nothing
				continue
			}
			e.P = significance.Wilcoxon(withoutRounding(e.Row.BlockDifference)).P
			effects, p = append(effects, e), append(p, e.P)
		}
	}
	for i, adjusted := range significance.Holm(p) {
		e := effects[i]
		if e.Holm = adjusted; adjusted <= Alpha {
			e.Sign = map[bool]int{true: -1, false: 1}[e.view.favours(e.Row)]
		}
	}
	g.Possible = len(p) > 0 && significance.LeastP(g.Blocks)*float64(len(p)) <= Alpha
	for i := range g.Methods {
		m := &g.Methods[i]
		switch tested := slices.ContainsFunc(m.Scores, func(e Effect) bool { return testable(e.Row.Blocks) }); {
		case len(m.Scores) == 0:
		case g.Possible && !tested:
			m.Verdict = TooFew
		default:
			m.Verdict = ruled(lists.Values(m.Scores, func(e Effect) int { return e.Sign }))
		}
		m.count()
	}
	return g
}

// testable reports whether a signed-rank test over so many blocks can reach Alpha.
func testable(blocks int) bool { return significance.LeastP(blocks) <= Alpha }

// ruled is the rule: the verdict of what the scores show, -1 for better and 1 for worse.
func ruled(signs []int) Verdict {
	better, worse := slices.Contains(signs, -1), slices.Contains(signs, 1)
	switch {
	case better && worse:
		return Opposed
	case better:
		return Better
	case worse:
		return Worse
	}
	return NotShown
}

// side is -1 where the interval of the shift of a row lies on the better side of zero, 1 where it lies on the
// worse side, else 0.
func (v View) side(r Row) int {
	lo, hi := r.Shift.Lo, r.Shift.Hi
	if v.Better == metrics.Higher {
		lo, hi = -hi, -lo
	}
	switch {
	case !r.Shift.Bounded:
	case hi < 0:
		return -1
	case lo > 0:
		return 1
	}
	return 0
}

// count applies the rule to each setting alone.
func (m *Judged) count() {
	signs := map[results.Setting][]int{}
	by := map[results.Setting]map[int][]string{}
	var order []results.Setting
	for _, e := range m.Scores {
		for _, o := range e.Row.outcomes {
			if by[o.setting] == nil {
				by[o.setting] = map[int][]string{}
				order = append(order, o.setting)
			}
			sign := map[results.Outcome]int{results.Win: -1, results.Loss: 1}[o.Outcome]
			signs[o.setting] = append(signs[o.setting], sign)
			by[o.setting][sign] = append(by[o.setting][sign], e.Label)
		}
	}
	for _, s := range order {
		on := OnSetting{Setting: s, Verdict: ruled(signs[s])}
		switch on.Verdict {
		case Better:
			m.Win++
			on.By = by[s][-1]
		case Worse:
			m.Loss++
			on.By = by[s][1]
		default:
			m.Tie++
		}
		m.On = append(m.On, on)
	}
	m.Settings = len(order)
}

// best returns the methods of a table that are better than Against and that no method of the table is better than.
func (j *judge) best(g Group, source string) (best []string) {
	better := lists.Where(g.Methods, func(m Judged) bool { return m.Verdict == Better })
	names := lists.Values(g.Methods, func(m Judged) string { return m.Method })
	for _, m := range better {
		rivals := j.group(g.Predicts, source, m.Method, names)
		if rivals == nil || !slices.ContainsFunc(rivals.Methods, func(r Judged) bool { return r.Verdict == Better }) {
			best = append(best, m.Method)
		}
	}
	return best
}

// Of returns what is judged of a method.
func (j *Judgement) Of(method string) (Judged, bool) {
	if g := j.families[method]; g != nil {
		if i := slices.IndexFunc(g.Methods, func(m Judged) bool { return m.Method == method }); i >= 0 {
			return g.Methods[i], true
		}
	}
	return Judged{}, false
}

// Holm returns p of a score for a method, with Holm's correction over its table and the scores; NaN
// where the metric is no score of the method.
func (j *Judgement) Holm(metric, method string) float64 {
	m, _ := j.Of(method)
	for _, e := range m.Scores {
		if e.Metric == metric {
			return e.Holm
		}
	}
	return math.NaN()
}

// Named returns the methods that the rule names best, in the order of the tables.
func (j *Judgement) Named() (best []string) {
	for _, g := range j.Groups {
		best = append(best, g.Best...)
	}
	return best
}

// disagrees returns a calibration error and the scores that show the opposite of a method: nil where none does.
func (m Judged) disagrees() (of *Effect, scores []Effect) {
	for i, e := range m.Errors {
		if opposite := lists.Where(m.Scores, func(s Effect) bool { return s.Sign*e.Sign < 0 }); len(opposite) > 0 {
			return &m.Errors[i], opposite
		}
	}
	return nil, nil
}

// which says of which methods a table is.
func (g Group) which() string {
	return map[results.Prediction]string{
		results.Keeps:    "that keep the predicted class",
		results.Changes:  "that may change the predicted class",
		results.TopLabel: "of a confidence alone",
		"":               "of which the rows do not say whether they keep the predicted class",
	}[g.Predicts]
}

// Title names a table.
func (g Group) Title() string { return fmt.Sprintf("Methods %s", g.which()) }
