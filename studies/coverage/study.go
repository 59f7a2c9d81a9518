package main

import (
	"cmp"
	"context"
	"fmt"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"

	"golang.org/x/sync/errgroup"

	"github.com/qats-bench/qats/data"
	"github.com/qats-bench/qats/metrics"
	"github.com/qats-bench/qats/metrics/scoring"
)

// resamples of each bootstrap: fewer than a run has, since 1,000 test sets average the noise of
// the ends.
const resamples = 400

// pair is two calibrators that are compared, or one whose own values have intervals.
type pair struct {
	name        string
	base, other *calibrator // base is nil where other is alone
}

// pairs returns the comparisons of a population. Those of one base share their resamples.
func (p *population) pairs() [][]pair {
	right, low := p.tempered(temperature), p.tempered(1.5)
	opposite := func(quantity string) *calibrator {
		return p.opposite(1.5, func(c *calibrator) float64 { return truths[quantity](p, c) })
	}
	coarse := p.coarse()
	var two [][]pair
	if p.classes == 2 {
		two = [][]pair{{{"class 1 has 1 too much", nil, p.raised(1)}}}
	}
	return append([][]pair{
		{
			{"calibrated, two maps", right, coarse},
			{"calibrated against T = 1.75", right, p.tempered(1.75)},
			{"calibrated against another top class", right, p.shifted(1.7, .3)},
		},
		{
			{"equal squared error, T = 1.50 and above", low, opposite("sce_mass15")},
			{"equal ECE, T = 1.50 and above", low, opposite("ece")},
			{"equal NLL, T = 1.50 and above", low, opposite("nll")},
			{"equal Brier score, T = 1.50 and above", low, opposite("brier")},
			{"T = 1.50 against T = 1.77", low, p.tempered(1.77)},
		},
		{{"T = 1.70 against T = 1.71", p.tempered(1.7), p.tempered(1.71)}},
		{{"T = 1.00 against T = 1.30", p.tempered(1), p.tempered(1.3)}},
		{{"calibrated", nil, right}},
		{{"calibrated, coarse", nil, coarse}},
		{{"T = 1.50", nil, low}},
		{{"T = 1.00", nil, p.tempered(1)}},
	}, two...)
}

// equal is the largest difference in the population of calibrators that count as equal.
const equal = 1e-9

// cell is one interval whose coverage is counted.
type cell struct {
	pair, quantity, interval string
}

// seen is what one test set shows in a cell.
type seen struct {
	value, lo, hi float64
	none          bool // no interval
}

// study returns the lines of a population and a size of test sets; values leaves differences out.
func study(ctx context.Context, p *population, n, sets int, only []string, values bool) ([]line, error) {
	groups := p.pairs()
	if values {
		groups = slices.DeleteFunc(groups, func(g []pair) bool { return g[0].base != nil })
	}
	results := make([]map[cell]seen, sets)
	workers, ctx := errgroup.WithContext(ctx)
	workers.SetLimit(runtime.GOMAXPROCS(0))
	for set := range sets {
		workers.Go(func() error {
			d := p.draw(n, set)
			d.only = only
			results[set] = map[cell]seen{}
			for _, group := range groups {
				if err := d.compare(ctx, group, results[set]); err != nil {
					return err
				}
			}
			return nil
		})
	}
	if err := workers.Wait(); err != nil {
		return nil, err
	}
	var lines []line
	for _, group := range groups {
		for _, pair := range group {
			lines = append(lines, p.lines(pair, n, results)...)
		}
	}
	return lines, nil
}

// testSet is n rows of the population with labels.
type testSet struct {
	*population
	rows   []int
	labels []int32
	seed   uint64
	only   []string // the metrics that are studied; nil for those of quantities
}

// draw draws test set number set of n rows.
func (p *population) draw(n, set int) *testSet {
	h := fnv.New64a()
	fmt.Fprintf(h, "%s\n%d\n%d", p.name, n, set)
	d := &testSet{population: p, rows: make([]int, n), labels: make([]int32, n), seed: h.Sum64()}
	rng := rand.New(rand.NewPCG(d.seed, 1))
	for i := range n {
		d.rows[i] = rng.IntN(p.rows)
		u, j := rng.Float64(), 0
		for row := p.truth[d.rows[i]*p.classes:]; j < p.classes-1 && u >= row[j]; j++ {
			u -= row[j]
		}
		d.labels[i] = int32(j)
	}
	return d
}

// Sizes up to which slow metrics are studied: those that are computed anew in each resample,
// those that read n x k probabilities, and those that recalibrate them.
const (
	mostAnew  = 500
	mostProbs = 500000
	mostFits  = 5000
)

// quantities returns the metrics whose intervals depend on the kind or, with the default
// kind, all that are studied.
func (d *testSet) quantities(isDefault bool) (list []metrics.Entry) {
	names := []string{"ece", "aece"}
	if isDefault {
		names = append(names, "accuracy", "nll", "brier", "brier_top", "auroc", "aurc", "augrc", "miou")
		if len(d.rows) <= mostAnew {
			names = append(names, "mce", "ks", "ece_debiased", "ece_sweep", "ece_tm", "corp_mcb", "kuiper", "rmsce", "ace_netcal", "mmce", "ece_toplabel",
				"decomposition", "l1_variational")
		}
		if d.wide() {
			names = append(names, "ece_classwise")
		}
		if d.classes == 2 {
			names = append(names, "oe", "slope", "intercept")
			if len(d.rows) <= mostAnew {
				names = append(names, "ece_positive")
			}
		}
		if d.fits() {
			names = append(names, "decomposition_ts", "lp_variational")
		}
	}
	if d.only != nil {
		names = d.only
	}
	for _, name := range names {
		e, ok := metrics.Lookup(name)
		if !ok {
			panic("no metric " + name)
		}
		if isDefault || e.Influence == nil || e.CrossFit { // the others have one interval, whatever the kind
			list = append(list, e)
		}
	}
	return list
}

// wide reports whether class bins are made.
func (d *testSet) wide() bool {
	return len(d.rows)*d.classes <= mostProbs && d.asks(func(e metrics.Entry) bool { return e.NeedsClasses })
}

// fits reports whether recalibrations in cross-validation are made.
func (d *testSet) fits() bool {
	return len(d.rows)*d.classes <= mostFits && d.asks(func(e metrics.Entry) bool { return e.CrossFit })
}

// asks reports whether a metric of a kind is studied.
func (d *testSet) asks(kind func(metrics.Entry) bool) bool {
	return d.only == nil || slices.ContainsFunc(d.only, func(name string) bool {
		e, _ := metrics.Lookup(name)
		return kind(e)
	})
}

// samples returns the predictions of a calibrator for the test set.
func (d *testSet) samples(c *calibrator) *metrics.Samples {
	n := len(d.rows)
	s := &scoring.SampleScores{K: d.classes, Conf: make([]float64, n), Rest: make([]float64, n), Pred: make([]int32, n), Label: d.labels,
		NLL: make([]float64, n), Brier: make([]float64, n), Changed: make([]bool, n)}
	var tally *scoring.ClassTally
	if d.wide() {
		tally = scoring.NewClassTally(d.classes)
	}
	for i, at := range d.rows {
		row := c.probs[at*d.classes : (at+1)*d.classes]
		p := row[d.labels[i]]
		squares := 0.0
		for _, q := range row {
			squares += q * q
		}
		s.Conf[i], s.Rest[i], s.Pred[i] = c.conf[at], c.rest[at], c.pred[at]
		s.NLL[i], s.Brier[i] = -math.Log(max(p, scoring.Floor)), max(0, 1+squares-2*p)
		if tally != nil {
			tally.Add(i, data.Probs{Rows: 1, Cols: d.classes, Data: row}, d.labels[i:i+1])
		}
	}
	if tally != nil {
		s.Classes = tally.Bins()
	}
	samples := metrics.Of(s)
	if d.fits() {
		probs := data.NewProbs(n, d.classes)
		for i, at := range d.rows {
			copy(probs.Row(i), c.probs[at*d.classes:])
		}
		var err error
		if samples, err = samples.CrossFit(context.Background(), probs, d.seed); err != nil {
			panic(err)
		}
	}
	return samples
}

// compare adds what the test set shows of the pairs of one base.
func (d *testSet) compare(ctx context.Context, group []pair, to map[cell]seen) error {
	var others []*metrics.Samples
	for _, p := range group {
		others = append(others, d.samples(p.other))
	}
	alone, byDefault := group[0].base == nil, metrics.Percentile
	if alone {
		byDefault = metrics.Standard
	}
	for _, kind := range metrics.IntervalKinds() {
		isDefault := kind == byDefault
		options := metrics.PairOptions{Resamples: resamples, Seed: d.seed, Interval: kind, Metrics: d.quantities(isDefault)}
		if len(options.Metrics) == 0 {
			continue
		}
		if alone {
			if err := d.alone(ctx, group[0], others[0], options, to); err != nil {
				return err
			}
			continue
		}
		list, err := metrics.Pairs(ctx, d.samples(group[0].base), others, options)
		if err != nil {
			return err
		}
		for _, found := range list {
			name := group[found.Other].name
			entry, _, _ := metrics.LookupOutput(found.Metric)
			if basis, ok := entry.Judge(found.Metric); ok && isDefault {
				s := seen{none: true}
				if v := found.Verdict; v != nil {
					s = seen{v.Difference, v.Lo, v.Hi, false}
				}
				to[cell{name, basis.Name, "verdict"}] = s
			}
			if entry.NoBootstrap || entry.Influence != nil && !entry.CrossFit {
				continue
			}
			at := cell{name, found.Metric, string(kind)}
			if entry.CrossFit {
				at.interval = string(metrics.FixedMaps)
			}
			s := seen{value: found.Difference, none: true}
			if r := found.Range; r != nil {
				s = seen{found.Difference, r.Lo, r.Hi, false}
			}
			to[at] = s
		}
		if isDefault && d.only == nil {
			for _, p := range group {
				to[cell{p.name, "sce_width15", "delta"}] = d.delta(p)
			}
		}
	}
	return nil
}

// alone adds the intervals of the values of one calibrator.
func (d *testSet) alone(ctx context.Context, p pair, s *metrics.Samples, options metrics.PairOptions, to map[cell]seen) error {
	list, err := metrics.Intervals(ctx, s, options)
	if err != nil {
		return err
	}
	for _, e := range list {
		entry, _, _ := metrics.LookupOutput(e.Metric)
		kind := string(options.Interval)
		switch {
		case entry.NoBootstrap:
			continue
		case entry.CrossFit:
			kind = string(metrics.FixedMaps)
		case entry.Influence != nil:
			kind = string(metrics.Normal)
		}
		to[cell{p.name, e.Metric, kind}] = seen{e.Value, e.Lo, e.Hi, e.Err != nil}
	}
	return nil
}

// delta compares the squared errors in bins of equal width by the plain normal interval, for
// comparison with what verdicts rest on.
func (d *testSet) delta(p pair) seen {
	n := float64(len(d.rows))
	var value float64
	influence := make([]float64, len(d.rows))
	for which, c := range []*calibrator{p.base, p.other} {
		sign := float64(2*which - 1)
		var sum, squares, rows [bins]float64
		residual := make([]float64, len(d.rows))
		for i, at := range d.rows {
			residual[i] = -c.conf[at]
			if c.pred[at] == d.labels[i] {
				residual[i]++
			}
			b := widthBin(c.conf[at])
			sum[b] += residual[i]
			squares[b] += residual[i] * residual[i]
			rows[b]++
		}
		for b := range sum {
			if rows[b] > 1 {
				value += sign * (sum[b]*sum[b] - squares[b]) / (rows[b] - 1) / n
			}
		}
		for i, at := range d.rows {
			b := widthBin(c.conf[at])
			gap := sum[b] / rows[b]
			influence[i] += sign * (2*gap*residual[i] - gap*gap)
		}
	}
	average, variance := mean(influence), 0.0
	for _, x := range influence {
		variance += (x - average) * (x - average) / (n - 1)
	}
	half := 1.959963984540054 * math.Sqrt(variance/n)
	return seen{value, value - half, value + half, false}
}

// lines counts, for each cell of a pair, how often the interval covers its targets.
func (p *population) lines(pr pair, n int, results []map[cell]seen) (lines []line) {
	var cells []cell
	for at := range results[0] {
		if at.pair == pr.name {
			cells = append(cells, at)
		}
	}
	slices.SortFunc(cells, func(a, b cell) int {
		return cmp.Or(cmp.Compare(a.quantity, b.quantity), cmp.Compare(a.interval, b.interval))
	})
	for _, at := range cells {
		average, count := 0.0, 0.0
		for _, r := range results {
			if s := r[at]; !math.IsNaN(s.value) && !(s.none && at.interval == "verdict") {
				average += s.value
				count++
			}
		}
		average /= max(1, count)
		l := line{Network: p.name, Classes: p.classes, Rows: n, Cell: at, Alone: pr.base == nil, Sets: len(results)}
		targets := map[string]float64{}
		if truth, ok := truths[at.quantity]; ok {
			targets[ofPopulation] = truth(p, pr.other)
			if pr.base != nil {
				targets[ofPopulation] -= truth(p, pr.base)
			}
		}
		if _, known := targets[ofPopulation]; !known || slices.Contains([]string{"percentile", "standard", "bc"}, at.interval) {
			targets[ofMean] = average
		}
		for _, target := range []string{ofPopulation, ofMean} {
			if truth, ok := targets[target]; ok {
				l.Target, l.Truth = target, truth
				lines = append(lines, l.count(results))
			}
		}
	}
	return lines
}
