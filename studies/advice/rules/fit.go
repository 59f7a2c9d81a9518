package main

import (
	"context"
	"errors"
	"math"
	"slices"

	"github.com/qats-bench/qats/calib"
	"github.com/qats-bench/qats/data"
	"github.com/qats-bench/qats/experiments"
	"github.com/qats-bench/qats/experiments/look"
	"github.com/qats-bench/qats/experiments/spec"
	"github.com/qats-bench/qats/experiments/trial"
	"github.com/qats-bench/qats/metrics"
)

// errNone says that a pool has not enough rows for a draw.
var errNone = errors.New("not enough rows")

// zeroLog is the logarithm that a probability of exactly 0 becomes.
var zeroLog = float32(math.Log(data.ZeroProb))

// input draws the rows of a trial.
func (j job) input() (*trial.Input, error) {
	all, form, err := read(j.cal)
	if err != nil {
		return nil, err
	}
	others, _, err := read(j.test)
	if err != nil {
		return nil, err
	}
	cal, test := take(j.random(), all, others, j.n)
	if cal == nil {
		return nil, errNone
	}
	return &trial.Input{Given: &look.Given{}, Cal: &trial.Set{Place: look.Place{Name: "cal"}, Set: cal, Form: form}, Test: &trial.Set{Place: look.Place{Name: "test"}, Set: test, Form: form}}, nil
}

// fit makes the fits of a draw.
func (j job) fit(ctx context.Context) (*record, error) {
	in, err := j.input()
	if err != nil {
		return nil, err
	}
	cal, test, form := in.Cal.Set, in.Test.Set, in.Cal.Form
	k, zeros := cal.Logits.Cols, 0
	for _, l := range cal.Logits.Data {
		if form.OffsetLost && l <= zeroLog+1e-3 {
			zeros++
		}
	}
	names := []string{"@recommended"}
	switch {
	case k == 2:
		names = append(names, "platt", "beta", "ivap", "irova", "quadratic-ridge")
	case k <= 6:
		names = append(names, "platt", "beta", "ivap", "irova")
	case zeros > 0:
		names = append(names, "platt")
	}
	list, err := spec.NewMethods(experiments.Registry(), names)
	if err != nil {
		return nil, err
	}
	t, err := trial.Run(ctx, in, trial.Options{Methods: list, Unjudged: true})
	if err != nil {
		return nil, err
	}
	r := &record{Data: j.Data, Model: j.Model, Family: j.Family, Kind: string(j.cal.Kind), N: j.n, Draw: j.draw, K: k, Zeros: zeros, Tests: len(test.Labels), Chosen: t.Chosen().Method.Name}
	r.AllRight = t.Reason == trial.AllRight
	r.OneClass = !slices.ContainsFunc(cal.Labels, func(y int32) bool { return y != cal.Labels[0] })
	r.T, r.Z = 1, 0
	plain, ts := t.Of("uncal"), t.Of("ts")
	if ts != nil {
		m := ts.Fitted.Map.(calib.Temperature)
		se, err := m.LogError(ctx, cal)
		if err != nil {
			return nil, err
		}
		r.T = m.T
		if r.Z = math.Log(m.T) / se; math.IsNaN(r.Z) || math.IsInf(r.Z, 0) {
			r.Z = 0
		}
	}
	p, err := sharesPs(cal, r.T, ts != nil)
	if err != nil {
		return nil, err
	}
	r.Shares, r.SharesTS = p.plain, p.ts
	nll, _ := metrics.Lookup("nll")
	brier, _ := metrics.Lookup("brier")
	// in the order of the registry
	results := slices.Clone(t.Results)
	slices.SortFunc(results, func(a, b trial.Result) int {
		return slices.Index(order, a.Method.Name) - slices.Index(order, b.Method.Name)
	})
	for i := range results {
		x := &results[i]
		m := method{Name: x.Method.Name, Bar: string(x.Excluded), Keeps: x.Method.Contract().KeepsTop1, Parameters: len(x.Fitted.Parameters()), SameTS: x.SameAsReference(),
			NLL: x.NLL, Brier: x.Brier, Crossed: x.NoChoice == nil}
		if m.Parameters == 0 && m.Name != "uncal" {
			m.Parameters = math.MaxInt32
		}
		for b, base := range []*trial.Result{plain, ts} {
			if m.To[b] = (compared{0, 1}); base == nil || base.Method == x.Method {
				continue
			}
			pairs, err := metrics.Pairs(ctx, base.Samples, []*metrics.Samples{x.Samples}, metrics.PairOptions{Metrics: []metrics.Entry{nll}})
			if err != nil {
				return nil, err
			}
			m.To[b].D = pairs[0].Difference
			if v := pairs[0].Verdict; v != nil && !math.IsNaN(v.P) {
				m.To[b].P = v.P
			}
		}
		var a, b []float32
		if m.Crossed {
			right := int(math.Round(metrics.Accuracy(x.Cross()) * float64(j.n)))
			m.Enough = min(right, j.n-right) >= metrics.FewestRows
			if a, err = rows(nll, x.Cross()); err != nil {
				return nil, err
			}
			if b, err = rows(brier, x.Cross()); err != nil {
				return nil, err
			}
		}
		r.Methods, r.nll, r.brier = append(r.Methods, m), append(r.nll, a), append(r.brier, b)
	}
	return r, nil
}

// order is that of the methods of a record.
var order = []string{"uncal", "ts", "qats", "hts", "ets", "ir", "platt-logits", "svs", "quadratic", "platt", "beta", "ivap", "irova", "quadratic-ridge"}

// rows returns the number of each row whose mean a metric is.
func rows(e metrics.Entry, s *metrics.Samples) ([]float32, error) {
	v, err := e.Influence(s, 0)
	if err != nil {
		return nil, err
	}
	out := make([]float32, len(v[0]))
	for i, x := range v[0] {
		out[i] = float32(x)
	}
	return out, nil
}
