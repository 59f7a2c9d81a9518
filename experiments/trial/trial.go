package trial

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"runtime"
	"slices"
	"time"

	"github.com/qats-bench/qats/calib"
	"github.com/qats-bench/qats/calib/report"
	"github.com/qats-bench/qats/data"
	"github.com/qats-bench/qats/data/folder"
	"github.com/qats-bench/qats/data/problem"
	"github.com/qats-bench/qats/experiments"
	"github.com/qats-bench/qats/experiments/engine"
	"github.com/qats-bench/qats/experiments/inspect"
	"github.com/qats-bench/qats/experiments/shares"
	"github.com/qats-bench/qats/experiments/spec"
	"github.com/qats-bench/qats/internal/lists"
	"github.com/qats-bench/qats/internal/pool"
	"github.com/qats-bench/qats/metrics"
	"github.com/qats-bench/qats/metrics/scoring"
	"github.com/qats-bench/qats/results"
)

// By is the metric that chooses.
type By string

// The metrics that can choose.
const (
	ByNLL   By = "nll"
	ByBrier By = "brier"

	byTopNLL   By = "nll_top" // those of predictions with a confidence alone
	byTopBrier By = "brier_top"
)

// Choices returns the metrics that can choose, which are proper scores; the first is the
// default. A calibration error cannot: calibration sets of some thousand rows show differences
// of it only where they are large.
func Choices() []By { return []By{ByNLL, ByBrier} }

// value returns the value of the metric, and why there is none.
func (b By) value(s *metrics.Samples) (float64, error) {
	switch b {
	case ByBrier:
		return metrics.Brier(s)
	case byTopNLL:
		return metrics.TopNLL(s), nil
	case byTopBrier:
		return metrics.TopBrier(s), nil
	}
	return metrics.NLL(s)
}

// Plain and Reference are the methods that a trial always fits: no calibration, and the one
// that others are compared with. TopReference is that one for predictions with a confidence alone, and WeakReference
// where half or more of them are wrong and the number of classes is not known: no temperature reaches such an accuracy.
const (
	Plain         = "uncal"
	Reference     = "ts"
	TopReference  = "ts-top"
	WeakReference = "platt-top"
)

// Reference returns the method that others are compared with.
func (in *Input) Reference() string {
	switch {
	case in.weak():
		return WeakReference
	case in.ConfidenceOnly():
		return TopReference
	}
	return Reference
}

// weak reports whether the calibration set has a confidence alone, no number of classes, and half or more of the predictions wrong.
func (in *Input) weak() bool {
	if !in.ConfidenceOnly() || in.Cal.Classes != 0 {
		return false
	}
	wrong := 0
	for _, y := range in.Cal.Labels {
		wrong += int(min(y, 1)) // 0 is right
	}
	return 2*wrong >= len(in.Cal.Labels)
}

// ConfidenceOnly reports whether the sets have confidences, and neither logits nor probabilities.
func (in *Input) ConfidenceOnly() bool { return in.Cal.Confidence != nil }

// ByBrier reports whether a Brier score chooses.
func (t *Trial) ByBrier() bool { return t.By == ByBrier || t.By == byTopBrier }

// Reference returns the method that others are compared with.
func (t *Trial) Reference() string { return t.Input.Reference() }

// Options configure a trial.
type Options struct {
	Methods []*spec.Method // beside Plain and Reference
	By      By             // ByNLL if empty

	// Most bounds the estimated processor time of the methods, from the cheapest on: those beyond it are left out. Plain, Reference and
	// the method of Begin are always tried. 0 is no bound. The estimate follows from n, k and the method alone, so the same arrays
	// have the same methods on every machine.
	Most time.Duration

	// Positive is the positive class of two; nil for metrics.Positive.
	Positive *int

	// Unjudged leaves out the ECE of each method and its band, which take most of the time where a
	// study makes many trials.
	Unjudged bool

	// Progress, if it is not nil, is called after each fit, by one goroutine at a time: with the
	// fits that are done, all fits, and the method of the last one.
	Progress func(done, all int, method string)
}

// Scores are the values of a method on the rows that judge.
type Scores struct {
	Accuracy, ECE float64
	Band          metrics.Band // of the ECE of a calibrated model with the same confidences
	NLL, Brier    float64      // NaN for a top-label method; of a confidence alone NLL and Brier score of "the prediction is right"
	Changed       int          // rows whose predicted class is not the argmax of the logits
	Positive      *Positive    // nil if there are not two classes, or the method has no probability of both
}

// Inside reports whether the ECE is one that a calibrated model could have and, of two classes,
// that of the positive class too. The first alone would call a model calibrated that gives one
// class too much on every row.
func (s Scores) Inside() bool {
	return s.Band.Lo <= s.ECE && s.ECE <= s.Band.Hi && (s.Positive == nil || s.Positive.Inside())
}

// Result is a method in a trial.
type Result struct {
	Method *spec.Method
	Fitted *calib.Fitted // on all calibration rows

	// Choice is the metric that chooses, by cross-fitting on the calibration rows. It is NaN
	// where NoChoice says why there is none.
	Choice   float64
	NoChoice error
	Excluded Exclusion    // why it cannot be recommended; empty if it can
	End      report.Bound // of the exclusion AtABound

	Scores
	Samples *metrics.Samples // on the rows that judge
	Shares  shares.Finding   // of the classes there

	cross    *metrics.Samples // on the calibration rows, by cross-fitting; nil if a fold failed
	chooses  *metrics.Samples // cross, with floored NLL where the choice is by it
	topLabel bool

	Time results.Time // of the fit on all calibration rows, without the setting
}

// Cross returns the predictions of the calibration rows by cross-fitting, in the order of the folds;
// nil if a fold failed.
func (r *Result) Cross() *metrics.Samples { return r.cross }

// LeftOut is a method that a trial could not fit.
type LeftOut struct {
	Method string
	Why    results.Note
}

// Trial is the result of a trial.
type Trial struct {
	Input    *Input
	By       By
	Positive int      // the positive class, of two
	Folds    int      // of the cross-fitting
	Results  []Result // the chosen one first, then by rising Choice; those without one are last
	LeftOut  []LeftOut

	Begin  Begin  // the method with which the choice began
	Reason Reason // why the first one is chosen
	Tests  int    // of Reason ByVerdict: candidates that were compared with the method of Begin
	Gain   bool   // the method of Begin is shown to be better than Plain on the calibration rows
	Empty  []int  // classes without a calibration row

	// ToPlain and ToReference are the differences of the chosen method to these two on the rows
	// that judge, by the metric that chooses; nil where it is that method or there is none. Of
	// one set they have no interval and no verdict.
	ToPlain, ToReference *results.Pair
}

// Chosen returns the chosen method.
func (t *Trial) Chosen() *Result { return &t.Results[0] }

// Meaningless reports whether a finding makes any answer meaningless: an error, or an accuracy by chance, which
// labels of other rows have.
func Meaningless(f inspect.Problem) bool {
	return f.Severity == inspect.Error || f.Severity == inspect.Warning && f.Oddity == folder.OddChance
}

// Meaningless reports whether the arrays are such that no method can be recommended.
func (t *Trial) Meaningless() bool {
	return slices.ContainsFunc(t.Input.Inspection.Problems, Meaningless)
}

// Of returns the result of a method, or nil.
func (t *Trial) Of(method string) *Result {
	i := slices.IndexFunc(t.Results, func(r Result) bool { return r.Method.Name == method })
	if i < 0 {
		return nil
	}
	return &t.Results[i]
}

// SameFit returns the names of the methods whose fit on all calibration rows is that of the
// chosen one, as their reports say.
func (t *Trial) SameFit() []string {
	if t.Chosen().Method.Name != t.Reference() {
		return nil
	}
	var names []string
	for i := range t.Results[1:] {
		if r := &t.Results[1+i]; r.SameAsReference() {
			names = append(names, r.Method.Name)
		}
	}
	return names
}

// SameAsReference reports whether the fit on all calibration rows is that of Reference.
func (r *Result) SameAsReference() bool {
	return slices.ContainsFunc(r.Fitted.Report.Warnings, func(w calib.Warning) bool { return w.Kind == report.EqualToTS && w.Bin == 0 })
}

// Folds is the number of folds of the cross-fitting, and FewestRows the least number of calibration rows.
const (
	Folds      = engine.Folds
	FewestRows = engine.FewestRows
)

// seed feeds the consistency bands, the folds and the paired intervals. It is fixed, as in qats score, because arrays on
// a command line have no name. fitSeed is the seed of qats fit.
const (
	seed    = 0
	fitSeed = 1
)

// Methods returns the methods of a trial of the given ones: Plain and Reference first.
func (in *Input) Methods(list []*spec.Method) ([]*spec.Method, error) {
	all, err := with(nil, Plain, in.Reference())
	if err != nil {
		return nil, err
	}
	for _, m := range list {
		if !slices.ContainsFunc(all, func(o *spec.Method) bool { return o.Name == m.Name }) {
			all = append(all, m)
		}
	}
	return all, nil
}

// with returns a list with the methods of some names at its end, unless it has them.
func with(list []*spec.Method, names ...string) ([]*spec.Method, error) {
	for _, name := range names {
		if slices.ContainsFunc(list, func(o *spec.Method) bool { return o.Name == name }) {
			continue
		}
		m, err := spec.NewMethod(experiments.Registry(), name, nil)
		if err != nil {
			return nil, err
		}
		list = append(list, m)
	}
	return list, nil
}

// Recommended returns the group of methods of a trial for which none is asked.
func (in *Input) Recommended() string {
	switch {
	case in.ConfidenceOnly():
		return "@confidence"
	case in.Two():
		return "@recommended-2"
	}
	return "@recommended"
}

// Need returns the arrays that methods read.
func Need(list []*spec.Method) data.Parts {
	var parts data.Parts
	for _, m := range list {
		c := m.Contract()
		parts |= c.Cal | c.Test | c.Target
	}
	return parts
}

// Slow returns the methods whose fits in a trial of the input are estimated to take at least so
// much processor time together, the slowest first.
func (in *Input) Slow(list []*spec.Method, least time.Duration) []experiments.SlowMethod {
	var slow []experiments.SlowMethod
	n, k := in.Cal.Len(), in.Cal.K()
	for _, m := range list {
		fits, all := 1, experiments.FitTime(m.Entry, n, k)
		if m.Contract().Target == 0 {
			fits, all = Folds+1, all+Folds*experiments.FitTime(m.Entry, n-n/Folds, k)
		}
		if all >= least && in.lacks(m) == (results.Note{}) {
			slow = append(slow, experiments.SlowMethod{Name: m.Name, Fits: fits, CPU: all})
		}
	}
	slices.SortStableFunc(slow, func(a, b experiments.SlowMethod) int { return cmp.Compare(b.CPU, a.CPU) })
	return slow
}

// MostTime is the bound where nobody names methods.
const MostTime = 5 * time.Minute

// Dear returns the methods beyond a bound of Options, with the estimated time of each. There is none if the bound is 0.
func (in *Input) Dear(list []*spec.Method, most time.Duration) map[string]time.Duration {
	dear := map[string]time.Duration{}
	if most <= 0 {
		return dear
	}
	var sum time.Duration
	cost := in.Slow(list, 0)
	for _, m := range slices.Backward(cost) { // from the cheapest on
		if sum += m.CPU; sum > most && m.Name != Plain && m.Name != in.Reference() {
			dear[m.Name] = m.CPU
		}
	}
	return dear
}

// Run makes a trial.
func Run(ctx context.Context, in *Input, o Options) (*Trial, error) {
	t := &Trial{Input: in, By: cmp.Or(o.By, ByNLL), Positive: metrics.Positive, Empty: emptyClasses(in.Cal.Set)}
	if in.ConfidenceOnly() {
		t.By = map[By]By{ByNLL: byTopNLL, ByBrier: byTopBrier}[t.By]
	}
	if n := in.Cal.Len(); n < FewestRows {
		return nil, &problem.Problem{Place: in.Cal.Name, Cause: fmt.Sprintf("%d rows are too few to choose a method by cross-fitting", n), Fix: fmt.Sprintf("save %d or more", FewestRows)}
	}
	if o.Positive != nil {
		t.Positive = *o.Positive
	}
	if err := in.checkPositive(t.Positive); err != nil {
		return nil, err
	}
	methods, err := in.Methods(o.Methods)
	if err != nil {
		return nil, err
	}
	w := &work{in: in, progress: o.Progress}
	if w.folds, err = engine.Fold(in.Cal.Set); err != nil {
		return nil, err
	}
	t.Folds = w.folds.Count()
	w.shared = make([]calib.Shared, t.Folds+1)
	if t.Begin, err = in.begin(ctx, &w.shared[t.Folds]); err != nil {
		return nil, err
	}
	if methods, err = with(methods, t.Begin.Method); err != nil {
		return nil, err
	}
	dear := in.Dear(methods, o.Most)
	delete(dear, t.Begin.Method)
	for _, m := range methods {
		if why := in.lacks(m); why != (results.Note{}) {
			t.LeftOut = append(t.LeftOut, LeftOut{m.Name, why})
			continue
		}
		if cost, ok := dear[m.Name]; ok {
			why := fmt.Sprintf("its fits are estimated at %.0f s of processor time: name it to try it", cost.Seconds())
			t.LeftOut = append(t.LeftOut, LeftOut{m.Name, results.Because(why)[0]})
			continue
		}
		k := &task{method: m, cross: scoring.Zeros(w.folds.Len())}
		k.cross.Group = w.folds.Groups()
		if in.Cal.Unit != 0 {
			k.cross.Unit = []float64{in.Cal.Unit}
		}
		if !in.ConfidenceOnly() {
			k.shares = scoring.NewShareTally(in.Cal.K())
		}
		w.tasks = append(w.tasks, k)
	}
	if err := w.do(ctx); err != nil {
		return nil, err
	}
	if err := t.collect(ctx, w.tasks, o.Unjudged); err != nil {
		return nil, err
	}
	if err := t.choose(ctx); err != nil {
		return nil, err
	}
	return t, t.judge(ctx)
}

// lacks returns why a method cannot be fitted, and no note if it can.
func (in *Input) lacks(m *spec.Method) results.Note {
	c, judges := m.Contract(), in.Judges()
	held := func(s *Set) engine.Held { return engine.Held{Network: in.Given.Setting.Name(), Parts: s.Parts()} }
	because := func(why string) results.Note { return results.Because(why)[0] }
	alone := c.Target != 0 && in.Test == nil
	need := c
	if alone {
		need.Target = 0
	}
	if missing := engine.Missing(need, held(in.Cal), held(judges)); missing != (results.Note{}) {
		return missing
	}
	if alone {
		return because("needs unlabelled rows of the deployment domain: a test set beside the calibration set")
	}
	cal, test := engine.FormOf(c, in.Cal.Set, in.Cal.Form), engine.FormOf(c, judges.Set, judges.Form)
	test.Fractional = judges == in.Cal && test.Fractional // of rows that judge the fit does not see the unit
	if err := cmp.Or(cal.Suits(c), test.Suits(c)); err != nil {
		return because(err.Error())
	}
	return results.Note{}
}

// collect makes the results of the methods.
func (t *Trial) collect(ctx context.Context, tasks []*task, unjudged bool) error {
	list := make([]*Result, len(tasks))
	errs := make([]error, len(tasks))
	err := pool.Each(ctx, len(tasks), runtime.GOMAXPROCS(0), func(_, i int) error {
		list[i], errs[i] = t.result(tasks[i], unjudged)
		return nil
	})
	if err != nil {
		return err
	}
	for i, r := range list {
		if errs[i] != nil {
			t.LeftOut = append(t.LeftOut, LeftOut{tasks[i].method.Name, results.Because(errs[i].Error())[0]})
			continue
		}
		t.Results = append(t.Results, *r)
	}
	if err := cmp.Or(errs[0], tasks[0].foldErr); err != nil { // no calibration fits nothing: these rows cannot be scored
		return fmt.Errorf("%s: %w", tasks[0].method.Name, err)
	}
	return nil
}

// result makes the result of a method.
func (t *Trial) result(k *task, unjudged bool) (*Result, error) {
	if k.err != nil {
		return nil, k.err
	}
	r := &Result{Method: k.method, Fitted: k.fitted, Choice: math.NaN(), NoChoice: k.foldErr, topLabel: k.topLabel, Time: k.time}
	if k.topLabel {
		k.cross.TopLabel, k.cross.NLL, k.cross.Brier = true, nil, nil
		k.cross.ConfidenceOnly = t.Input.ConfidenceOnly()
	}
	k.cross.K = t.Input.Cal.K()
	if r.NoChoice == nil {
		r.cross = metrics.Of(k.cross)
		if r.chooses = r.cross; len(k.cross.NLL) > 0 && t.Input.probabilities(t.Begin.Zeros) {
			r.chooses = metrics.Of(floored(k.cross, t.Input.Cal.K()))
		}
		if v, err := t.By.value(r.cross); err != nil {
			r.NoChoice = err
		} else {
			r.Choice = v
		}
	}
	judged := k.test
	if r.Samples = r.cross; judged != nil {
		r.Samples = metrics.Of(judged)
	} else if judged = k.cross; k.foldErr != nil {
		return nil, k.foldErr
	}
	var positive *Positive
	var err error
	if r.Samples, positive, err = t.positive(r.Samples); err != nil {
		return nil, err
	}
	r.Scores = Scores{Positive: positive, Accuracy: metrics.Accuracy(r.Samples), NLL: math.NaN(), Brier: math.NaN()}
	if !unjudged {
		r.ECE, r.Band = metrics.ECE(r.Samples, 15), metrics.ECEBand(r.Samples, 15, seed)
	}
	if t.Input.ConfidenceOnly() {
		r.NLL, r.Brier = metrics.TopNLL(r.Samples), metrics.TopBrier(r.Samples)
	}
	if v, err := metrics.NLL(r.Samples); err == nil {
		r.NLL = v
	}
	if v, err := metrics.Brier(r.Samples); err == nil {
		r.Brier = v
	}
	r.Shares = shares.Of(k.shares)
	for _, changed := range judged.Changed {
		if changed {
			r.Changed++
		}
	}
	return r, nil
}

// judge compares the chosen method with Plain and with Reference.
func (t *Trial) judge(ctx context.Context) error {
	for _, x := range []struct {
		base *Result
		to   **results.Pair
	}{{t.Of(Plain), &t.ToPlain}, {t.Of(t.Reference()), &t.ToReference}} {
		if x.base == nil || x.base.Method == t.Chosen().Method {
			continue
		}
		pairs, err := t.pairsWith(ctx, x.base, []*Result{t.Chosen()}, t.pairOptions())
		if err != nil {
			return err
		}
		if len(pairs) > 0 {
			*x.to = &pairs[0]
		}
	}
	return nil
}

// Pairs returns the differences of all methods to Reference, or to Plain where that is all there
// is, on the rows that judge, by the metric that chooses. Methods without the metric have none.
func (t *Trial) Pairs(ctx context.Context) ([]results.Pair, error) {
	return t.pairs(ctx, t.inOrder(), t.pairOptions())
}

// pairs returns the differences of the results in order to the first of Reference and Plain.
func (t *Trial) pairs(ctx context.Context, order []*Result, o metrics.PairOptions) ([]results.Pair, error) {
	base := t.Of(t.Reference())
	if base == nil {
		base = t.Of(Plain)
	}
	if base == nil {
		return nil, nil
	}
	return t.pairsWith(ctx, base, lists.Where(order, func(r *Result) bool { return r != base }), o)
}

// TwiceUsed says why there is no interval where one set chooses and judges.
const TwiceUsed = "the same rows choose and judge, by cross-fitting: an interval would be too short"

// pairsWith returns the differences of the others to base on the rows that judge.
func (t *Trial) pairsWith(ctx context.Context, base *Result, others []*Result, o metrics.PairOptions) ([]results.Pair, error) {
	pairs, err := engine.Pair(ctx, base.Samples, lists.Values(others, func(r *Result) *metrics.Samples { return r.Samples }), o)
	if err != nil {
		return nil, err
	}
	var rows []results.Pair
	for i, r := range others {
		for _, row := range t.pairsOf(r, base.Method.Name, pairs[i]) {
			if row.N = r.Samples.Len(); t.Input.Test == nil {
				row.Interval, row.Lo, row.Hi, row.Verdict, row.Note = "", 0, 0, nil, results.Because(TwiceUsed)
			}
			rows = append(rows, row)
		}
	}
	return rows, nil
}

// pairsOf returns paired differences with their intervals and verdicts.
func (t *Trial) pairsOf(r *Result, against string, pairs []metrics.Pair) []results.Pair {
	return engine.PairRows(results.Pair{Setting: t.Input.Given.Setting, Method: r.Method.Name, Against: against, Source: string(t.Input.Given.Origin)}, pairs)
}
