package calib

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/qats-bench/qats/calib/internal/fit"
	"github.com/qats-bench/qats/calib/internal/linearmap"
	"github.com/qats-bench/qats/calib/internal/mixture"
	"github.com/qats-bench/qats/data"
	"github.com/qats-bench/qats/internal/kernel/linear"
)

// gcEntry is group calibration (Yang, Zhan and Gan 2023) combined with
// temperature scaling: the features part the rows into groups, each with its
// own temperature, and several such partitions are averaged.
//
//  1. For each of the partitions, from its own random W (groups x d), minimise
//     over W and tau the mean NLL of the mixture sum_g softmax(W h)_g
//     softmax(l/tau_g), plus weight_decay times the mean of W^2; see
//     mixture.Mixture.
//  2. A row belongs to group argmax W h, the lowest index on ties. The
//     temperature of a group is that of ts on its rows; the tau are dropped.
//  3. The probability of a class is its mean over the partitions.
//
// The authors learn W on one labelled set and the temperatures on another; here
// both are the calibration set. gc-split is nearer to them, and is what tables
// call GC.
//
// Departures. The temperatures are exact minima, where the original stops a
// solver after 50 steps; tau stays positive as the exponential of what is
// fitted. A group whose rows are all right asks for T -> 0: it takes the
// temperature of ts on all rows, as does a group without rows, where the
// original leaves what the solver reached, or 1. A group that is less accurate
// than chance asks for T -> infinity: it has the largest T, 1000, as in the
// original. Features are not standardised, as in the original: W h has no bias,
// so centred features would be another method.
func gcEntry() Entry {
	return Entry{
		Name:      "gc",
		Label:     "GC (one set)",
		Version:   2,
		Summary:   "gc-split with groups and temperatures on the same calibration rows; the same options",
		Reference: "Yang, Zhan and Gan 2023",
		New:       newGC(false),
		Restore:   restore(func(m gcMap) (Map, error) { return m, m.check() }),
	}
}

// gcSplitEntry is gc with W learnt on one half of the calibration set and the
// temperatures on the other, so that a group is not judged by the rows that it
// was made for. That is the authors' idea; they have a second labelled set (a
// tenth of the test set), where the QaTS paper and we have one calibration set
// and split it at random. See halves.
func gcSplitEntry() Entry {
	return Entry{
		Name:      "gc-split",
		Label:     "GC",
		Version:   2,
		Summary:   "a temperature for each group of features, averaged over partitions; groups learnt on one half of the calibration set, temperatures on the other; options groups (2), partitions (20), weight_decay (0.1)",
		Reference: "Yang, Zhan and Gan 2023",
		New:       newGC(true),
		Restore:   restore(func(m gcMap) (Map, error) { return m, m.check() }),
	}
}

type gcOptions struct {
	Groups      int     `yaml:"groups"`       // G, 1 to 100
	Partitions  int     `yaml:"partitions"`   // U, 1 to 1000
	WeightDecay float64 `yaml:"weight_decay"` // 0 to 1e6
}

func newGC(split bool) func(func(any) error) (Method, error) {
	return func(decode func(any) error) (Method, error) {
		o := gcOptions{Groups: 2, Partitions: 20, WeightDecay: 0.1}
		if err := decode(&o); err != nil {
			return nil, err
		}
		switch {
		case o.Groups < 1 || o.Groups > 100:
			return nil, fmt.Errorf("groups: %d: want 1 to 100", o.Groups)
		case o.Partitions < 1 || o.Partitions > 1000:
			return nil, fmt.Errorf("partitions: %d: want 1 to 1000", o.Partitions)
		case !(o.WeightDecay >= 0 && o.WeightDecay <= 1e6):
			return nil, fmt.Errorf("weight_decay: %v: want 0 to 1e6", o.WeightDecay)
		}
		return gc{o, split}, nil
	}
}

type gc struct {
	options gcOptions
	split   bool
}

// Contract: the mean of probabilities that all have one top class has it too.
func (gc) Contract() Contract {
	return Contract{
		Cal:       data.Logits | data.Labels | data.Features,
		Test:      data.Logits | data.Features,
		KeepsTop1: true,
	}
}

// Fit reports the largest gradient that is left of a mixture, the sum of the
// steps of all, and the NLL of the map on the whole calibration set.
func (g gc) Fit(ctx context.Context, in Input) (*Fitted, error) {
	set := in.Cal
	if err := fit.CheckLabelled(set); err != nil {
		return nil, err
	}
	if err := checkFeatures(set); err != nil {
		return nil, err
	}
	learn, judge := set, set
	if g.split && set.Logits.Rows > 1 { // one row has no halves
		learn, judge = halves(set, in.Seed)
	}
	partitions, report, err := g.learn(ctx, learn, in.Seed)
	if err != nil {
		return nil, err
	}
	passes, err := g.temperatures(ctx, judge, partitions, &report)
	if err != nil {
		return nil, err
	}
	if g.split {
		report.Warnings = slices.Insert(report.Warnings, 0,
			"groups on a random half of the calibration set, temperatures on the other; the authors use a second labelled set")
	}
	m := gcMap{Width: set.Features.Cols, Partitions: partitions}
	fitted, err := reported(ctx, m, set, report.Passes+passes)
	if err != nil {
		return nil, err
	}
	report.NLL, report.Passes = fitted.Report.NLL, fitted.Report.Passes
	return result(m, report), nil
}

// gcSteps is how many steps the solver may take for a partition, as in the
// original.
const gcSteps = 100

// gcTolerance is the gradient at which it stops; the original's is the same.
const gcTolerance = 1e-7

// learn returns the partitions without their temperatures: stage 1.
func (g gc) learn(ctx context.Context, set *data.Set, seed uint64) ([]gcPartition, fit.Report, error) {
	o, err := fit.NewObjective(set)
	if err != nil {
		return nil, fit.Report{}, err
	}
	mixture := mixture.New(o, set.Features, g.options.Groups, g.options.WeightDecay)
	partitions := make([]gcPartition, g.options.Partitions)
	var report fit.Report
	unfinished := 0
	for u := range partitions {
		x := mixture.Start(rand.New(rand.NewPCG(seed, uint64(u))))
		var end linearmap.Descent
		if g.options.Groups > 1 { // a single group has nothing to learn
			end, err = linearmap.LBFGS(func(x, gradient []float64) (float64, error) {
				return mixture.At(ctx, x, gradient)
			}, x, gcSteps, gcTolerance, 0)
			if err != nil {
				return nil, fit.Report{}, err
			}
		}
		partitions[u].W = mixture.Rows(x)
		report.Iterations += end.Steps
		report.Gradient = max(report.Gradient, end.Gradient)
		if end.Gradient > gcTolerance {
			unfinished++
		}
	}
	if unfinished > 0 {
		report.Warnings = append(report.Warnings, fmt.Sprintf("%d of %d partitions not converged after %d steps, the method's limit",
			unfinished, len(partitions), gcSteps))
	}
	report.Passes = o.Passes
	return partitions, report, nil
}

// temperatures fits those of every group: stage 2. It returns the number of
// passes over the set.
func (g gc) temperatures(ctx context.Context, set *data.Set, partitions []gcPartition, report *fit.Report) (float64, error) {
	o, err := fit.NewObjective(set)
	if err != nil {
		return 0, err
	}
	all, whole, err := fit.Temperature(ctx, o)
	if err != nil {
		return 0, err
	}
	rows := o.Passes * float64(o.Rows()) // read so far
	group := make([]int, o.Rows())
	part := &fit.Objective{
		Logits:     data.NewMatrix(o.Rows(), o.Logits.Cols),
		LabelLogit: make([]float32, o.Rows()),
	}
	ends := gcEnds{all: g.options.Partitions * g.options.Groups}
	for u := range partitions {
		p := &partitions[u]
		err := fit.EachBlock(ctx, len(group), func(_, lo, hi int) {
			p.parts(group[lo:hi], set.Features.Slice(lo, hi), make([]float64, hi-lo))
		})
		if err != nil {
			return 0, err
		}
		p.T = make([]float64, g.options.Groups)
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
			t, r, err := fit.Temperature(ctx, part)
			if err != nil {
				return 0, err
			}
			rows += part.Passes * float64(part.Rows())
			if p.T[c] = ends.of(t, r); t == fit.MinT {
				p.T[c] = all
			}
		}
	}
	ends.explain(report, all, whole)
	return rows / float64(o.Rows()), nil
}

// gcEnds counts how the fits of groups ended.
type gcEnds struct {
	all         int  // groups
	without     int  // they take the temperature of the whole set
	hot         int  // at the largest temperature
	unconverged int  //
	whole       bool // some group is the whole set
}

// of counts the fit of a group and returns its temperature.
func (e *gcEnds) of(t float64, r fit.Report) float64 {
	switch {
	case t == fit.MinT:
		e.without++
	case t == fit.MaxT:
		e.hot++
	case r.Gradient > fit.GradTol:
		e.unconverged++
	}
	return t
}

// explain adds the bounds and warnings to r; all is the temperature of the whole
// set, and its report whole.
func (e *gcEnds) explain(r *fit.Report, all float64, whole fit.Report) {
	warn := func(n int, text string, a ...any) {
		if n > 0 {
			r.Warnings = append(r.Warnings, fmt.Sprintf("%d of %d groups %s", n, e.all, fmt.Sprintf(text, a...)))
		}
	}
	warn(e.without, "have no calibration row, or no wrong one: they take the T of ts, %.4g", all)
	warn(e.hot, "are less accurate than chance: T = %g", fit.MaxT)
	warn(e.unconverged, "not converged")
	if e.hot > 0 {
		r.AtBound = append(r.AtBound, "T <= 1000")
	}
	if e.whole || e.without > 0 {
		r.AtBound = append(r.AtBound, whole.AtBound...)
		r.Warnings = append(r.Warnings, whole.Warnings...)
	}
}

// halves returns two random halves of set, the first the smaller where the
// number of rows is odd. Chance is a hash of the seed and the features of a
// row, so a row is in the same half wherever it stands in the set.
func halves(set *data.Set, seed uint64) (a, b *data.Set) {
	order := fit.ByHash(set.Features.Rows, func(text []byte, i int) []byte {
		text = binary.LittleEndian.AppendUint64(text, seed)
		for _, v := range set.Features.Row(i) {
			text = binary.LittleEndian.AppendUint32(text, math.Float32bits(v))
		}
		return text
	})
	first, second := order[:len(order)/2], order[len(order)/2:]
	slices.Sort(first)
	slices.Sort(second)
	return fit.Pick(set, first), fit.Pick(set, second)
}

// gcPartition is one way to part the rows into groups.
type gcPartition struct {
	W [][]float64 // groups x d
	T []float64   // groups
}

// parts writes the group of each row of features: argmax W h, the lowest index on
// ties. It needs room for a number for each row.
func (p *gcPartition) parts(group []int, features data.Matrix, room []float64) {
	rows := linear.Rows{Data: features.Data, Width: features.Cols}
	most := make([]float64, len(group))
	for i := range most {
		group[i], most[i] = 0, math.Inf(-1)
	}
	for g, w := range p.W {
		linear.Dots(room, w, rows)
		for i, a := range room {
			if a > most[i] {
				group[i], most[i] = g, a
			}
		}
	}
}

// gcMap averages the temperatures of the groups that a row is in.
type gcMap struct {
	Width      int           `json:"features"` // d
	Partitions []gcPartition `json:"partitions"`
}

func (m gcMap) check() error {
	if m.Width < 1 || len(m.Partitions) == 0 {
		return errors.New("no features or no partitions")
	}
	for u, p := range m.Partitions {
		if len(p.W) == 0 || len(p.W) != len(p.T) {
			return fmt.Errorf("partition %d: %d rows of W for %d temperatures", u, len(p.W), len(p.T))
		}
		for g, w := range p.W {
			if len(w) != m.Width {
				return fmt.Errorf("partition %d, group %d: %d weights for %d features", u, g, len(w), m.Width)
			}
			if !usable(p.T[g]) {
				return fmt.Errorf("partition %d, group %d: temperature T = %v: want one in [1e-6, 1e8]", u, g, p.T[g])
			}
		}
	}
	return nil
}

// Apply writes the mean over the partitions of softmax(l/T). A temperature
// that all partitions agree on gives the bits of ts. Every addend has the same
// top class, and so has the sum, since rounding is monotone; where it makes a
// smaller logit tie with the top one, that class gets the float64 just below,
// as in softmax.Probs.
func (m gcMap) Apply(dst data.Probs, set *data.Set) {
	mustFit(m, set)
	p := make([]float64, set.Logits.Cols)
	var temperatures []float64 // of one row, distinct
	var times []float64        // how many partitions have it
	var group [][]int          // of each partition, of the rows from lo on
	for i := range set.Logits.Rows {
		if i%fit.BlockRows == 0 {
			group = m.groups(set.Features.Slice(i, min(i+fit.BlockRows, set.Logits.Rows)))
		}
		temperatures, times = m.temperatures(temperatures[:0], times[:0], group, i%fit.BlockRows)
		row, q := set.Logits.Row(i), dst.Row(i)
		if len(temperatures) == 1 {
			tempered(q, row, 1/temperatures[0])
			continue
		}
		clear(q)
		for c, t := range temperatures {
			for j, v := range tempered(p, row, 1/t) {
				q[j] += float64(times[c] * v)
			}
		}
		fit.KeepTop(q, row, float64(len(m.Partitions)))
	}
}

// groups returns the groups of some rows in every partition.
func (m gcMap) groups(features data.Matrix) [][]int {
	room := make([]float64, features.Rows)
	group := make([][]int, len(m.Partitions))
	for u := range m.Partitions {
		group[u] = make([]int, features.Rows)
		m.Partitions[u].parts(group[u], features, room)
	}
	return group
}

// temperatures appends the distinct temperatures of row i of groups, in the
// order of the partitions, and how many partitions have each.
func (m gcMap) temperatures(t, times []float64, groups [][]int, i int) ([]float64, []float64) {
next:
	for u := range m.Partitions {
		own := m.Partitions[u].T[groups[u][i]]
		for c := range t {
			if t[c] == own {
				times[c]++
				continue next
			}
		}
		t, times = append(t, own), append(times, 1)
	}
	return t, times
}
