package main

import (
	"context"
	"fmt"
	"hash/fnv"
	"math"
	"math/rand/v2"

	"github.com/qats-bench/qats/experiments"
	"github.com/qats-bench/qats/experiments/spec"
	"github.com/qats-bench/qats/experiments/trial"
	"github.com/qats-bench/qats/metrics"
	"github.com/qats-bench/qats/results"
)

// rules are those that are compared.
var rules = []struct {
	name   string
	choose func(t *trial.Trial) *trial.Result
	claims func(t *trial.Trial, chosen *trial.Result) bool
}{
	{"verdict", (*trial.Trial).Chosen, func(t *trial.Trial, r *trial.Result) bool { return r.Method.Name != trial.Plain && t.Gain }},
	{"uncal-first", uncalFirst, func(_ *trial.Trial, r *trial.Result) bool { return r.Method.Name != trial.Plain }},
	{"lowest", lowest, func(_ *trial.Trial, r *trial.Result) bool { return r.Method.Name != trial.Plain }},
}

// uncalFirst returns the answer of the rule, but no calibration where the calibration rows show no
// gain by temperature scaling.
func uncalFirst(t *trial.Trial) *trial.Result {
	if t.Reason == trial.ByDefault && !t.Gain {
		return t.Of(trial.Plain)
	}
	return t.Chosen()
}

// lowest returns the method with the lowest cross-fitted NLL; of equal ones the first of the
// registry, and temperature scaling for a method whose fit is the same.
func lowest(t *trial.Trial) *trial.Result {
	var best *trial.Result
	for i := range t.Results {
		r := &t.Results[i]
		if r.NoChoice != nil || best != nil && !(r.Choice < best.Choice) {
			continue
		}
		best = r
	}
	if ts := t.Of(trial.Reference); ts != nil && best.SameAsReference() {
		return ts
	}
	return best
}

// answer is what a rule gives in a draw.
type answer struct {
	kind, network string
	method        string
	void          bool // nothing is recommended
	claims        bool // the answer claims a gain over no calibration
	nll           float64
	toTS, toUncal results.Outcome
	overTS        float64 // NLL minus that of ts
	overUncal     float64
}

// drawAll returns the answers of each rule in all draws of a size.
func drawAll(ctx context.Context, pools []pool, n, per int) ([][]answer, error) {
	all := make([][]answer, len(rules))
	for _, p := range pools {
		draws := p.draws
		if per > 0 {
			draws = per
		}
		for i := range draws {
			cal, test := p.draw(newRand(p.name, n, i), n)
			if cal == nil {
				break
			}
			in, err := trial.InMemory(ctx, "study", cal, test)
			if err != nil {
				return nil, err
			}
			list, err := spec.NewMethods(experiments.Registry(), []string{in.Recommended()})
			if err != nil {
				return nil, err
			}
			t, err := trial.Run(ctx, in, trial.Options{Methods: list, Unjudged: true})
			if err != nil {
				return nil, fmt.Errorf("%s, %d rows: %w", p.name, n, err)
			}
			for r := range rules {
				a := answer{kind: p.kind, network: p.name, void: t.Meaningless()}
				if !a.void {
					chosen := rules[r].choose(t)
					a.claims = rules[r].claims(t, chosen)
					if err := a.follow(ctx, t, chosen); err != nil {
						return nil, err
					}
				}
				all[r] = append(all[r], a)
			}
		}
	}
	return all, nil
}

// newRand returns the random numbers of a draw, by its identity.
func newRand(network string, n, draw int) *rand.Rand {
	h := fnv.New64a()
	fmt.Fprintf(h, "%s/%d/%d", network, n, draw)
	return rand.New(rand.NewPCG(h.Sum64(), 1))
}

// follow compares a chosen method on the test rows.
func (a *answer) follow(ctx context.Context, t *trial.Trial, chosen *trial.Result) error {
	a.method, a.nll = chosen.Method.Name, chosen.NLL
	for _, x := range []struct {
		base string
		to   *results.Outcome
		over *float64
	}{{trial.Reference, &a.toTS, &a.overTS}, {trial.Plain, &a.toUncal, &a.overUncal}} {
		base := t.Of(x.base)
		if base == nil {
			*x.over = math.NaN()
			continue
		}
		nll, _ := metrics.Lookup("nll")
		pairs, err := metrics.Pairs(ctx, base.Samples, []*metrics.Samples{chosen.Samples}, metrics.PairOptions{Metrics: []metrics.Entry{nll}, Interval: metrics.Population})
		if err != nil {
			return err
		}
		*x.to = results.Pair{Metric: "nll", Difference: pairs[0].Difference, Verdict: pairs[0].Verdict}.Outcome()
		*x.over = pairs[0].Difference
	}
	return nil
}
