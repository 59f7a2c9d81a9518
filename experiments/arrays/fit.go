package arrays

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"

	"github.com/qats-bench/qats/calib"
	"github.com/qats-bench/qats/calib/report"
	"github.com/qats-bench/qats/data"
	"github.com/qats-bench/qats/experiments/engine"
	"github.com/qats-bench/qats/experiments/shares"
	"github.com/qats-bench/qats/internal/english"
	"github.com/qats-bench/qats/internal/pool"
	"github.com/qats-bench/qats/metrics"
	"github.com/qats-bench/qats/metrics/scoring"
)

// Change says what a fit makes of its own calibration rows.
type Change struct {
	Before, After *metrics.Samples

	ConfidenceOnly bool // the rows have a confidence alone: their NLL is that of "the prediction is right"

	// Objective is what the fit minimised, with its values; empty if the method does not
	// minimise one score. NLL has no floor here, as in a fit.
	Objective calib.Objective
	From, To  float64

	// Floored is the number of rows whose NLL before the fit is above the floor of the metric.
	Floored int

	// OnesBefore and OnesAfter are how many rows have a probability of exactly 1, if the fit
	// ended at the least temperature.
	OnesBefore, OnesAfter int

	Source *calib.Source // of the saved model, from TestShares; nil for a method without a probability of each class

	Warnings []calib.Warning // that the fit made the rows worse, that few rows decided it, that it makes rows certain, or that shares of classes are off

	tally *scoring.ShareTally // after the fit
}

// floorNLL is the largest NLL of a row in the metric: -ln data.LeastProb.
const floorNLL = 690.7755278982137

// BeforeAfter scores a calibration set before and after the fit of m on it.
func BeforeAfter(ctx context.Context, m calib.Method, fitted *calib.Fitted, cal *data.Set) (*Change, error) {
	c := &Change{ConfidenceOnly: cal.Confidence != nil}
	uncal, err := calib.Uncalibrated{}.Fit(ctx, calib.Input{})
	if err != nil {
		return nil, err
	}
	before := &engine.Column{Contract: calib.Uncalibrated{}.Contract(), Map: uncal.Map}
	after := &engine.Column{Contract: m.Contract(), Map: fitted.Map}
	if !c.ConfidenceOnly {
		after.Shares = scoring.NewShareTally(cal.K())
	}
	err = engine.Score(ctx, data.ReadRows(cal), []*engine.Column{before, after}, engine.ScoreOptions{Workers: runtime.GOMAXPROCS(0)})
	if err := cmp.Or(err, before.Err, after.Err); err != nil {
		return nil, err
	}
	c.Before, c.After = metrics.Of(before.Samples), metrics.Of(after.Samples)
	total := c.few(cal, before.Samples.NLL)
	c.certain(fitted.Report.AtBound, before.Samples, after.Samples)
	if x, ok := m.(calib.Minimiser); ok {
		c.Objective = x.Minimises()
	}
	switch c.Objective {
	case calib.ByNLL:
		c.From, c.To = total/float64(cal.Logits.Rows), fitted.Report.NLL
	case calib.ByBrier:
		c.From, c.To = mean(before.Samples.Brier), mean(after.Samples.Brier)
	case calib.ByECE:
		c.From, c.To = metrics.ECE(c.Before, 15), metrics.ECE(c.After, 15)
	}
	c.tally = after.Shares
	return c, c.worse(ctx)
}

// TestShares sets the source of the saved model, and warns of classes whose mean probability is not
// their share of the rows. The rows are those of cross-fitting in five folds: on rows that a fit has seen, a map with a number for each
// class agrees by construction. in is the input of the fit with all its arrays; seen says why the
// rows of the fit must do, and is empty where they need not. A warning then says so.
func (c *Change) TestShares(ctx context.Context, m calib.Method, fitted *calib.Fitted, in calib.Input, cal *data.Set, seen string) error {
	tally := c.tally
	if tally == nil || tally.Rows() == 0 {
		return nil
	}
	if !sharesFixed(m.Contract(), fitted) {
		crossed, err := crossShares(ctx, m, in, cal, seen)
		if crossed == nil {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			c.Warnings = append(c.Warnings, report.Warning{Text: "shares of classes are compared on rows that the fit has seen: " + err.Error()})
		} else {
			tally = crossed
		}
	}
	source, warnings := sourceOf(m, fitted, c.tally.Observed(), tally)
	c.Source, c.Warnings = source, append(c.Warnings, warnings...)
	return nil
}

// sharesFixed reports whether a fit cannot move the mean probabilities to the shares of its rows, so that these rows
// say as much of the shares as others do. It reads no label, or it divides each row by a temperature: of one number, or
// of the few of a method that takes a stream. They solve an equation each, by which a score is least, and none of a share. So a set has
// the same source in memory and as a stream.
func sharesFixed(c calib.Contract, fitted *calib.Fitted) bool {
	_, tempered := fitted.Map.(calib.Tempered)
	return c.Cal&data.Labels == 0 || c.Streams || tempered && len(fitted.Parameters()) == 1
}

// crossShares returns the tally of the calibration rows, each by a fit that has not seen it. The error says why
// there is none.
func crossShares(ctx context.Context, m calib.Method, in calib.Input, cal *data.Set, seen string) (*scoring.ShareTally, error) {
	switch n := cal.Len(); {
	case seen != "":
		return nil, errors.New(seen)
	case n < engine.FewestRows:
		return nil, fmt.Errorf("%s are too few for %d folds", english.Count(n, "row"), engine.Folds)
	}
	in.Stage, in.Shared = nil, nil
	folds, err := engine.Fold(cal)
	if err != nil {
		return nil, err
	}
	tally, errs := scoring.NewShareTally(cal.K()), make([]error, folds.Count())
	err = pool.Each(ctx, folds.Count(), runtime.GOMAXPROCS(0), func(_, k int) error {
		errs[k] = engine.Guard(func() error { return folds.Cross(ctx, m, in, k, &engine.Column{Shares: tally}) })
		return ctx.Err()
	})
	if err == nil {
		err = cmp.Or(errs...)
	}
	if err != nil {
		return nil, fmt.Errorf("a fit of four of %d folds fails (%w)", folds.Count(), err)
	}
	return tally, nil
}

// streamedRows are the rows of a block of a streamed set.
const streamedRows = 1024

// StreamedSource returns the source of a fit on a set that is not in memory, as Change has it, with
// its warnings.
func StreamedSource(ctx context.Context, m calib.Method, fitted *calib.Fitted, stream calib.Stream) (*calib.Source, []calib.Warning, error) {
	column := &engine.Column{Contract: m.Contract(), Map: fitted.Map}
	if _, top := fitted.Map.(calib.TopLabel); top || stream.Classes() == 0 {
		return nil, nil, nil
	}
	tally, k := scoring.NewShareTally(stream.Classes()), stream.Classes()
	for lo := 0; lo < stream.Rows(); lo += streamedRows {
		n := min(streamedRows, stream.Rows()-lo)
		set := &data.Set{Logits: data.NewMatrix(n, k), Labels: make([]int32, n)}
		if err := stream.Read(ctx, lo, lo+n, set.Logits.Data, set.Labels); err != nil {
			return nil, nil, err
		}
		probs := data.NewProbs(n, k)
		if err := column.Probabilities(probs, lo, set); err != nil {
			return nil, nil, err
		}
		tally.Add(probs, set.Labels)
	}
	source, warnings := sourceOf(m, fitted, tally.Observed(), tally)
	return source, warnings, nil
}

// sourceOf returns the source of a fit with the shares of its calibration rows and a tally that tests them.
func sourceOf(m calib.Method, fitted *calib.Fitted, observed []float64, tally *scoring.ShareTally) (source *calib.Source, warnings []calib.Warning) {
	found := shares.Of(tally)
	if w, off := found.Warning(fmt.Sprint(m), fitted.Map); off {
		warnings = append(warnings, w)
	}
	return &calib.Source{Shares: observed, Off: found.Classes()}, warnings
}

func mean(v []float64) float64 {
	sum := 0.0
	for _, x := range v {
		sum += x
	}
	return sum / float64(len(v))
}

// Rows decide a fit if at most fewRows of all have an NLL above farNLL nats and make up more
// than half of the NLL.
const (
	farNLL  = 50
	fewRows = 0.01
)

// few returns the sum of the NLL of the rows before the fit, without a floor, and warns of few
// rows that make up most of it.
func (c *Change) few(cal *data.Set, floored []float64) (total float64) {
	far, farSum := 0, 0.0
	for i, nll := range floored {
		if nll > floorNLL-1 {
			nll = exactNLL(cal.Logits.Row(i), cal.Labels[i])
			if nll > floorNLL {
				c.Floored++
			}
		}
		total += nll
		if nll > farNLL {
			far++
			farSum += nll
		}
	}
	if far > 0 && float64(far) <= math.Max(1, fewRows*float64(len(floored))) && farSum > total/2 {
		c.Warnings = append(c.Warnings, report.DecidedByFew(far, len(floored), farSum/total))
	}
	return total
}

// leastT is the least temperature of a fit; of logits of a small spread it is lower still.
const leastT = 1e-3

// certain counts the probabilities of exactly 1 of a fit that ended at the least temperature, and
// warns of them. Such a bound keeps the NLL of the calibration rows from falling further, by a
// certainty that new rows may not have.
func (c *Change) certain(at report.Bounds, before, after *scoring.SampleScores) {
	i := slices.IndexFunc(at, func(b report.Bound) bool {
		return b.Side == report.Lower && b.Limit <= leastT && b.OfTemperature()
	})
	if i < 0 || after.TopLabel {
		return
	}
	ones := func(s *scoring.SampleScores) (n int) {
		for _, conf := range s.Conf {
			if conf == 1 {
				n++
			}
		}
		return n
	}
	c.OnesBefore, c.OnesAfter = ones(before), ones(after)
	if c.OnesAfter > 0 {
		c.Warnings = append(c.Warnings, report.CertainAt(at[i], c.OnesAfter, after.Len()))
	}
}

// exactNLL returns the NLL of the softmax of a row, without a floor.
func exactNLL(row []float32, label int32) float64 {
	top, sum := float64(slices.Max(row)), 0.0
	for _, l := range row {
		sum += math.Exp(float64(l) - top)
	}
	return math.Log(sum) + top - float64(row[label])
}

// worse warns of scores that the fit makes worse, by the verdict of the paired interval.
func (c *Change) worse(ctx context.Context) error {
	var judged []metrics.Entry
	for _, e := range metrics.Registry() {
		if e.Name == "nll" && !c.ConfidenceOnly || e.Name == "nll_top" && c.ConfidenceOnly || e.Name == "ece" {
			judged = append(judged, e)
		}
	}
	pairs, err := engine.Pair(ctx, c.Before, []*metrics.Samples{c.After}, metrics.PairOptions{Metrics: judged, Interval: metrics.Population})
	if err != nil {
		return fmt.Errorf("scores before and after the fit: %w", err)
	}
	for _, p := range pairs[0] {
		if p.Verdict == nil || p.Verdict.Lo <= 0 || p.Difference < leastRise {
			continue
		}
		name, of := "NLL", func(s *metrics.Samples) float64 { v, _ := metrics.NLL(s); return v } // both have one: they have a pair
		switch p.Metric {
		case "nll_top":
			of = metrics.TopNLL
		case "ece":
			name, of = "ECE", func(s *metrics.Samples) float64 { return metrics.ECE(s, 15) }
		}
		c.Warnings = append(c.Warnings, report.Worsened(name, of(c.Before), of(c.After)))
	}
	return nil
}

// leastRise is the least rise of a score that is worth a warning.
const leastRise = 1e-3
