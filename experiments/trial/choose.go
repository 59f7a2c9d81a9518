package trial

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/qats-bench/qats/calib/report"
	"github.com/qats-bench/qats/data"
	"github.com/qats-bench/qats/experiments/engine"
	"github.com/qats-bench/qats/internal/lists"
	"github.com/qats-bench/qats/metrics"
	"github.com/qats-bench/qats/metrics/scoring"
	"github.com/qats-bench/qats/results"
	"github.com/qats-bench/qats/results/compare/significance"
)

// Level is the level of the tests by which a method takes the place of another.
const Level = .05

// Reason says why the chosen method is chosen.
type Reason string

// The reasons.
const (
	ByDefault Reason = "default"    // the method of Begin: no other candidate is shown to be better
	ByVerdict Reason = "verdict"    // it is shown to be better than the method of Begin on the calibration rows
	AllRight  Reason = "all-right"  // Plain: all calibration rows are right
	OneClass  Reason = "one-class"  // Plain: all calibration rows have one label
	NoFit     Reason = "no-fit"     // Plain: Reference could not be fitted
	NoFinite  Reason = "not-finite" // Plain: Reference did not converge or ended at a bound
)

// Exclusion says why a method cannot be recommended.
type Exclusion string

// The reasons. The empty one is that of a candidate.
const (
	TopLabelAlone Exclusion = "top-label"     // it predicts the confidence of the top class alone
	SeesTarget    Exclusion = "target"        // it reads rows of the deployment domain, which are those that judge
	FoldFailed    Exclusion = "failed"        // a fit of the cross-fitting failed: Result.NoChoice
	Explodes      Exclusion = "explodes"      // its NLL by cross-fitting is more than MostAbove above that of Reference
	AtABound      Exclusion = "bound"         // a temperature of its fit of all rows is at a bound
	Unconverged   Exclusion = "not-converged" // its fit of all rows did not converge
	NeedsClasses  Exclusion = "classes"       // of a confidence alone of which half or more predictions are wrong, it needs the number of classes
	MovesEmpty    Exclusion = "empty-class"   // it can change predictions, and a class has no calibration row
	Probabilities Exclusion = "probabilities" // quadratic, of probabilities of several classes: answers without it were better in the simulation
)

// MostAbove is by how many nats the NLL of a candidate by cross-fitting may be above that of Reference. A nat
// is a factor e: beyond it, on new rows, the true class has on the geometric mean less than e^-1 times the probability that
// one temperature gives it. On networks the usual methods differ by less, however many parameters they have for
// the rows; where a method has too many, as quadratic for 100 classes and 2,400 rows, it is above by 3 or more.
const MostAbove = 1

// explodes reports whether the NLL of a method by cross-fitting is more than MostAbove above that of
// Reference, whichever metric chooses.
func (t *Trial) explodes(r *Result) bool {
	base := t.Of(t.Reference())
	if r.Method.Name == Plain || base == nil || base.cross == nil || r.cross == nil {
		return false
	}
	nll := ByNLL
	if t.Input.ConfidenceOnly() {
		nll = byTopNLL
	}
	a, errA := nll.value(base.cross)
	b, errB := nll.value(r.cross)
	return errA == nil && errB == nil && b-a > MostAbove
}

// instead are methods with a penalty or bounds, by the name of the method without.
var instead = map[string]string{"quadratic": "quadratic-ridge", "hts": "hts-bounded"}

// Instead returns the method to take where this one explodes; empty if there is none.
func (r *Result) Instead() string { return instead[r.Method.Entry.Name] }

// excluded returns why a method cannot be recommended.
func (t *Trial) excluded(r *Result) Exclusion {
	c := r.Method.Contract()
	kinds := lists.Values(r.Fitted.Report.Warnings, func(w report.Warning) report.Kind { return w.Kind })
	switch {
	case r.topLabel && !t.Input.ConfidenceOnly():
		return TopLabelAlone
	case c.Target != 0:
		return SeesTarget
	case r.NoChoice != nil:
		return FoldFailed
	case t.explodes(r):
		return Explodes
	case t.Input.weak() && (r.Method.Entry.Name == "ts-top" || r.Method.Entry.Name == "qats-top"):
		return NeedsClasses
	case r.End != (report.Bound{}):
		return AtABound
	case slices.Contains(kinds, report.NotConverged):
		return Unconverged
	case len(t.Empty) > 0 && !c.KeepsTop1:
		return MovesEmpty
	case r.Method.Entry.Name == "quadratic" && t.Input.probabilities(t.Begin.Zeros):
		return Probabilities
	}
	return ""
}

// runaway reports whether a bound holds a temperature that would otherwise grow or shrink on.
// a = 0 of QaTS and the order of the temperatures of bins are no such bounds: the fit is a
// temperature that does not change with the rank.
func runaway(b report.Bound) bool {
	return b.OfTemperature() || b.Minus == 0 && b.Classes == 0 && b.Parameter == "a" && b.Side == report.Upper
}

// larger compares two methods by what they can change: those that keep every prediction come
// first, then those with fewer parameters in fits.csv. A method that lists no parameter there
// counts as larger than all that do; no calibration has none. Of methods that are equally large
// the one with the lower Choice comes first, then that of the registry.
func larger(a, b *Result) int {
	moves := func(r *Result) int {
		if r.Method.Contract().KeepsTop1 {
			return 0
		}
		return 1
	}
	size := func(r *Result) int {
		n := len(r.Fitted.Parameters())
		if n == 0 && r.Method.Entry.Name != Plain {
			return math.MaxInt
		}
		return n
	}
	choice := func(r *Result) float64 { return r.Choice }
	return cmp.Or(cmp.Compare(moves(a), moves(b)), cmp.Compare(size(a), size(b)), cmp.Compare(choice(a), choice(b)))
}

// better returns those of the candidates that are shown to be better than base on the
// calibration rows: by the paired verdict on the predictions by cross-fitting, at Level after
// the correction of Holm (1979) for all of them. A candidate without a verdict, as where there
// are few errors, counts as one without a difference. shown has the pair of each of the
// better ones, with the corrected P.
func (t *Trial) better(ctx context.Context, base *Result, candidates []*Result) (shown map[*Result]metrics.Pair, err error) {
	pairs, err := t.crossPairs(ctx, base, candidates)
	if err != nil {
		return nil, err
	}
	p := make([]float64, len(candidates))
	for i, pair := range pairs {
		if p[i] = 1; pair.Verdict != nil && results.Sign(pair.Difference) != 0 {
			p[i] = pair.Verdict.P
		}
	}
	shown = map[*Result]metrics.Pair{}
	for i, adjusted := range significance.Holm(p) {
		if adjusted <= Level && pairs[i].Difference < 0 {
			pairs[i].Verdict.P = adjusted
			shown[candidates[i]] = pairs[i]
		}
	}
	return shown, nil
}

// crossPairs returns the differences of methods to base on the predictions by cross-fitting, by
// the metric that chooses (of probabilities of several classes the floored NLL), in their order. All of them have the metric.
func (t *Trial) crossPairs(ctx context.Context, base *Result, others []*Result) ([]metrics.Pair, error) {
	pairs, err := engine.Pair(ctx, base.chooses, lists.Values(others, func(r *Result) *metrics.Samples { return r.chooses }), t.pairOptions())
	return slices.Concat(pairs...), err
}

// floored returns scores of n rows and k classes whose NLL is that of (1 - e)p + e/k, e = 1/(n + 2). A row then costs
// at most ln(k(n + 2)) nats, so that no few rows decide a choice.
func floored(s *scoring.SampleScores, k int) *scoring.SampleScores {
	e := 1 / float64(len(s.NLL)+2)
	low := *s
	low.NLL = lists.Values(s.NLL, func(nll float64) float64 {
		kept := float64((1 - e) * math.Exp(-nll))
		return -math.Log(kept + e/float64(k))
	})
	return &low
}

// pairOptions are those of the verdicts of a trial.
func (t *Trial) pairOptions() metrics.PairOptions {
	metric, _ := metrics.Lookup(string(t.By))
	return metrics.PairOptions{Seed: seed, Interval: metrics.Population, Metrics: []metrics.Entry{metric}}
}

// choose chooses a method, and puts it first. See the package comment for the rule.
func (t *Trial) choose(ctx context.Context) error {
	for i := range t.Results {
		r := &t.Results[i]
		if at := slices.IndexFunc(r.Fitted.Report.AtBound, runaway); at >= 0 {
			r.End = r.Fitted.Report.AtBound[at]
		}
		r.Excluded = t.excluded(r)
	}
	chosen, err := t.choice(ctx)
	if err != nil {
		return err
	}
	first := *chosen
	rest := slices.DeleteFunc(t.Results, func(r Result) bool { return r.Method == first.Method })
	slices.SortStableFunc(rest, func(a, b Result) int {
		switch {
		case a.NoChoice != nil && b.NoChoice != nil:
			return cmp.Compare(a.ECE, b.ECE)
		case a.NoChoice != nil:
			return 1
		case b.NoChoice != nil:
			return -1
		}
		return cmp.Compare(a.Choice, b.Choice)
	})
	t.Results = append([]Result{first}, rest...)
	return nil
}

// choice returns the method that the rule chooses, and sets Reason, Gain and Tests.
func (t *Trial) choice(ctx context.Context) (*Result, error) {
	plain, reference := t.Of(Plain), t.Of(t.Reference())
	begin := t.Of(t.Begin.Method)
	if begin == nil || begin.Excluded != "" {
		if begin = reference; t.Begin.Method != t.Reference() {
			t.Begin.Method, t.Begin.Why = t.Reference(), Unusable
		}
	}
	switch labels := t.Input.Cal.Labels; {
	case metrics.Accuracy(plain.cross) == 1:
		t.Reason = AllRight
		return plain, nil
	case !slices.ContainsFunc(labels, func(y int32) bool { return y != labels[0] }):
		t.Reason = OneClass
		return plain, nil
	case begin == nil || begin.Excluded == FoldFailed:
		t.Reason = NoFit
		return plain, nil
	case begin.Excluded != "":
		t.Reason = NoFinite
		return plain, nil
	}
	var candidates []*Result
	for i := range t.Results {
		if r := &t.Results[i]; r.Excluded == "" && r != begin {
			candidates = append(candidates, r)
		}
	}
	if begin != plain {
		gain, err := t.crossPairs(ctx, plain, []*Result{begin})
		if err != nil {
			return nil, err
		}
		t.Gain = t.pairsOf(begin, Plain, gain)[0].Outcome() == results.Win
	}
	slices.SortStableFunc(candidates, larger)
	chosen, from := begin, candidates
	for {
		shown, err := t.better(ctx, chosen, from)
		if err != nil {
			return nil, err
		}
		next := slices.IndexFunc(from, func(r *Result) bool { _, ok := shown[r]; return ok })
		if next < 0 {
			break
		}
		if chosen == begin {
			t.Tests = len(candidates)
		}
		chosen, from = from[next], from[next+1:]
	}
	if t.Reason = ByDefault; chosen != begin {
		t.Reason = ByVerdict
	}
	return chosen, nil
}

// emptyClasses returns the classes without a row in a set.
func emptyClasses(set *data.Set) (empty []int) {
	if set.Confidence != nil {
		return nil // labels are no classes
	}
	has := make([]bool, set.Logits.Cols)
	for _, y := range set.Labels {
		has[y] = true
	}
	for class, ok := range has {
		if !ok {
			empty = append(empty, class)
		}
	}
	return empty
}
