package features

import (
	"context"
	"math/rand/v2"
	"slices"

	"github.com/qats-bench/qats/calib"
	"github.com/qats-bench/qats/calib/internal/fit"
	"github.com/qats-bench/qats/calib/internal/method"
	"github.com/qats-bench/qats/calib/report"
	"github.com/qats-bench/qats/data"
)

// GroupCalibration is group calibration combined with temperature scaling: the features
// split the rows into groups, each with its own temperature, and several such
// partitions are averaged.
//
//  1. For each of the partitions, from its own random W (groups x d), minimise the
//     objective of the groups over W and tau; see gcMixture.
//  2. A row belongs to its group g, the lowest index on ties. Each group
//     gets the temperature of ts on its rows; the tau are dropped.
//  3. The probability of a class is its mean over the partitions.
//
// W is learnt on one half of the calibration set and the temperatures on the other, so
// that a group and its temperature come from different rows. That is the authors' idea.
//
//   - Formula: p = mean over 20 partitions of softmax(l/T_g), g = argmax W h; W by the
//     NLL of the mixture sum_g softmax(W h)_g softmax(l/tau_g) + 0.1 mean W^2, T_g that
//     of ts on the rows of g
//   - Reference: Yang, Zhan and Gan 2023
//   - Compared with: ThyrixYang/group_calibration (the authors')
//   - Agreement: ECE and NLL on networks of data/bundle were near those of the authors,
//     whose halves are drawn by other random numbers
//   - Departures: The authors have a second labelled set, a tenth of the test set. The
//     QaTS paper has one calibration set, so we split it in two halves at random. The
//     temperatures are exact minima; the original stops a solver after 50 steps. log tau
//     is fitted, so tau stays positive. A group whose rows are all right has its minimum
//     at T -> 0. Such a group, and one without rows, has the temperature of ts on all
//     rows; in the original it has the last point of the solver, or 1. A group that is
//     less accurate than chance has the largest T, 1000, as in the original. Features are
//     not standardised, as in the original.
type GroupCalibration struct {
	Groups      int      // G, 1 to 100; 0 means 2
	Partitions  int      // U, 1 to 1000; 0 means 20
	WeightDecay *float64 // 0 to 1e6; nil means 0.1
}

// GroupCalibrationOneSet is GroupCalibration with groups and temperatures learnt on the
// same calibration rows.
//
//   - Formula: gc-split with groups and temperatures on the same rows
//   - Reference: Yang, Zhan and Gan 2023
//   - Compared with: ThyrixYang/group_calibration (the authors'), with one set for both
//   - Agreement: ECE and NLL on networks of data/bundle were near those of the authors,
//     whose start is drawn by other random numbers
//   - Departures: As gc-split, except for the halves.
type GroupCalibrationOneSet GroupCalibration

// GCEntry is the entry of GroupCalibrationOneSet.
var GCEntry = calib.NewEntry[GroupCalibrationOneSet, gcMap](calib.Entry{
	Name:    "gc",
	Label:   "GC (one set)",
	Version: 7,
	Summary: "gc-split with groups and temperatures on the same calibration rows",
	Aliases: []string{"group-calibration", "grouping-calibration"},
	Cost:    6000,
	Cost100: 1400,
})

// String returns the name of the method.
func (GroupCalibrationOneSet) String() string { return GCEntry.Name }

// GCSplitEntry is the entry of GroupCalibration.
var GCSplitEntry = calib.NewEntry[GroupCalibration, gcMap](calib.Entry{
	Name:    "gc-split",
	Label:   "GC",
	Version: 7,
	Summary: "a temperature for each group of features, averaged over partitions; groups learnt on one half of the calibration set, temperatures on the other",
	Cost:    2900,
	Cost100: 750,
})

// String returns the name of the method.
func (GroupCalibration) String() string { return GCSplitEntry.Name }

// Options returns the options.
func (g *GroupCalibration) Options() []calib.Option {
	return []calib.Option{
		calib.IntOption("groups", &g.Groups, 2, 1, 100, "number of groups of a partition"),
		calib.IntOption("partitions", &g.Partitions, 20, 1, 1000, "number of partitions, which are averaged"),
		calib.OptionalFloat("weight_decay", &g.WeightDecay, 0.1, 0, 1e6, "penalty of the mean of W^2"),
	}
}

// Options returns the options.
func (g *GroupCalibrationOneSet) Options() []calib.Option { return (*GroupCalibration)(g).Options() }

// Contract needs logits, labels and features. The mean of probabilities that all
// have one top class has it too.
func (GroupCalibration) Contract() calib.Contract { return method.FeaturesContract() }

// Contract needs logits, labels and features.
func (GroupCalibrationOneSet) Contract() calib.Contract { return GroupCalibration{}.Contract() }

// Fit returns the partitions with their temperatures. The report has the largest
// remaining gradient of a mixture, the steps of all, and the NLL of the map on the
// whole calibration set.
func (g GroupCalibration) Fit(ctx context.Context, in calib.Input) (*calib.Fitted, error) {
	if in.Cal.Logits.Rows < 2 { // one row has no halves
		return GroupCalibrationOneSet(g).Fit(ctx, in)
	}
	if err := method.CheckGrouped(in.Cal); err != nil {
		return nil, err
	}
	learn, judge := halves(in.Cal, in.Seed)
	fitted, err := g.fit(ctx, in, learn, judge)
	if err == nil {
		fitted.Report.Warnings = slices.Insert(fitted.Report.Warnings, 0,
			calib.Warning{Text: "groups on a random half of the calibration set, temperatures on the other; the authors use a second labelled set"})
	}
	return fitted, err
}

// Fit fits as GroupCalibration does, but groups and temperatures have the same rows.
func (g GroupCalibrationOneSet) Fit(ctx context.Context, in calib.Input) (*calib.Fitted, error) {
	if err := method.CheckGrouped(in.Cal); err != nil {
		return nil, err
	}
	return GroupCalibration(g).fit(ctx, in, in.Cal, in.Cal)
}

// fit learns the groups on one set and the temperatures on another.
func (g GroupCalibration) fit(ctx context.Context, in calib.Input, learn, judge *data.Set) (*calib.Fitted, error) {
	g, err := calib.WithDefaults(g)
	if err != nil {
		return nil, err
	}
	partitions, table, report, err := g.learn(ctx, learn, in.Seed)
	if err != nil {
		return nil, err
	}
	of := []tabled{{table, learn.Features}}
	if judge != learn {
		o, err := fit.NewObjective(judge)
		if err != nil {
			return nil, err
		}
		of = append(of, tabled{newNLLTable(o), judge.Features})
	}
	if err := g.temperatures(ctx, of[len(of)-1], partitions, &report); err != nil {
		return nil, err
	}
	m := gcMap{Width: in.Cal.Features.Cols, Partitions: partitions}
	if report.NLL, err = m.NLL(ctx, in.Cal, of); err != nil {
		return nil, err
	}
	for _, t := range of {
		report.Passes += t.table.Passes
	}
	return &calib.Fitted{Map: m, Report: report}, nil
}

// tabled is the table of the NLL of some rows, and their features.
type tabled struct {
	table    *nllTable
	features data.Matrix
}

// gcSteps is the largest number of solver steps for a partition, as in the original.
const gcSteps = 100

// gcTolerance is the gradient at which the solver stops, as in the original.
const gcTolerance = 1e-7

// learn returns the partitions without their temperatures, and the table of the set: stage 1.
func (g GroupCalibration) learn(ctx context.Context, set *data.Set, seed uint64) ([]gcPartition, *nllTable, calib.Report, error) {
	o, err := fit.NewObjective(set)
	if err != nil {
		return nil, nil, calib.Report{}, err
	}
	mixture := newGCMixture(o, set.Features, g.Groups, *g.WeightDecay)
	starts := make([][]float64, g.Partitions)
	for u := range starts {
		starts[u] = mixture.Start(rand.New(rand.NewPCG(seed, uint64(u))))
	}
	ends := make([]fit.Descent, g.Partitions)
	if g.Groups > 1 { // a single group has nothing to learn
		ends, err = mixture.Descend(ctx, starts, fit.Stop{Steps: gcSteps, Evaluations: 10 * gcSteps, Gradient: gcTolerance})
		if err != nil {
			return nil, nil, calib.Report{}, err
		}
	}
	partitions := make([]gcPartition, g.Partitions)
	var report calib.Report
	unfinished := 0
	for u, end := range ends {
		partitions[u].W = mixture.Rows(starts[u])
		report.Iterations += end.Steps
		report.Gradient = max(report.Gradient, end.Gradient)
		if end.Gradient > gcTolerance {
			unfinished++
		}
	}
	if unfinished > 0 {
		report.Warn(calib.Warning{Text: "{count} of {of} partitions not converged after {steps} steps, the method's limit", Count: unfinished, Of: len(partitions), Steps: gcSteps})
	}
	return partitions, mixture.table, report, nil
}

// temperatures fits the temperature of every group: stage 2. The table says where each search
// begins. The passes of its objective count those over parts of the set, as their shares.
func (g GroupCalibration) temperatures(ctx context.Context, of tabled, partitions []gcPartition, report *calib.Report) error {
	table, o, features := of.table, of.table.Objective, of.features
	all, whole, err := fit.Temperature(ctx, o)
	if err != nil {
		return err
	}
	finder, inAll := newGCGroups(partitions, features.Cols), make([]int, o.Rows()*len(partitions))
	err = fit.EachBlock(ctx, o.Rows(), func(_, lo, hi int) {
		finder.appendTo(inAll[lo*len(partitions):lo*len(partitions)], features.Slice(lo, hi))
	})
	if err != nil {
		return err
	}
	group := make([]int, o.Rows())
	part := &fit.Objective{
		Logits:     data.NewMatrix(o.Rows(), o.Logits.Cols),
		LabelLogit: make([]float32, o.Rows()),
	}
	ends := gcEnds{all: g.Partitions * g.Groups}
	for u := range partitions {
		p := &partitions[u]
		for i := range group {
			group[i] = inAll[i*len(partitions)+u]
		}
		p.T = make([]float64, g.Groups)
		for c := range p.T {
			part := o.Where(part, group, c)
			switch part.Rows() {
			case 0:
				p.T[c] = all
				ends.without++
				continue
			case o.Rows():
				p.T[c] = all
				ends.whole = true
				continue
			}
			start, err := table.least(ctx, all, func(i int) bool { return group[i] == c })
			if err != nil {
				return err
			}
			t, r, err := fit.TemperatureOfPart(ctx, part, all, start)
			if err != nil {
				return err
			}
			o.Passes += part.Passes * float64(part.Rows()) / float64(o.Rows())
			ends.count(t, r)
			if p.T[c] = t; fit.AtLeastT(t, r) {
				p.T[c] = all
			}
		}
	}
	ends.explain(report, all, whole)
	return nil
}

// gcEnds counts how the fits of groups ended.
type gcEnds struct {
	all         int // groups
	without     int // with the temperature of the whole set
	hot         int // at the largest temperature, which is most
	most        float64
	unconverged int
	whole       bool // some group is the whole set
}

// count counts how the fit of a group ended, at the temperature t.
func (e *gcEnds) count(t float64, r calib.Report) {
	switch {
	case fit.AtLeastT(t, r):
		e.without++
	case fit.AtMostT(t, r):
		e.hot, e.most = e.hot+1, max(e.most, t)
	case r.Gradient > report.GradTol:
		e.unconverged++
	}
}

// explain adds the bounds and warnings to r; all is the temperature of the whole
// set, and its report whole.
func (e *gcEnds) explain(r *calib.Report, all float64, whole calib.Report) {
	warn := func(n int, text string, value float64) {
		if n > 0 {
			r.Warn(calib.Warning{Text: "{count} of {of} groups " + text, Count: n, Of: e.all, Value: value})
		}
	}
	warn(e.without, "have no calibration row, or no wrong one: they take the T of ts, {value}", report.Rounded(all, 4))
	warn(e.hot, "are less accurate than chance: T = {value}", e.most)
	warn(e.unconverged, "not converged", 0)
	if e.hot > 0 {
		r.AtBound = append(r.AtBound, report.AtMost("T", 0, e.most))
	}
	if e.whole || e.without > 0 {
		r.AtBound = append(r.AtBound, whole.AtBound...)
		r.Warnings = append(r.Warnings, whole.Warnings...)
	}
}

// halves returns two random halves of set. If the number of rows is odd, the first
// is smaller. The split depends on a hash of the seed and the features of each row,
// so a row is in the same half in any order of the rows.
func halves(set *data.Set, seed uint64) (a, b *data.Set) {
	order := method.FeatureOrder(set.Features, seed)
	first, second := order[:len(order)/2], order[len(order)/2:]
	slices.Sort(first)
	slices.Sort(second)
	return fit.Pick(set, first), fit.Pick(set, second)
}
