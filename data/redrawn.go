package data

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
)

// Redrawn returns src with the clean calibration and test rows of every network
// drawn anew from their union, without replacement. The rows of each class are
// shuffled and split so that both sets keep their class counts: a long-tailed
// calibration set stays as skewed as it was, and its test set as balanced. Use
// Redrawn for sets whose rows of one class come from one population, such as a
// held-out set split in two. It has no corrupted sets, since their calibration rows
// are clean.
//
// The result depends on the draw, 1 or more, and on the labels in their order:
// networks with the same rows have the same draw. Rows keep their order,
// calibration before test. A part is present if both sets have it. A reader holds
// both sets in memory.
func Redrawn(src Source, draw int) Source { return &redrawn{src, draw} }

type redrawn struct {
	Source
	draw int
}

// refs returns the refs of the two sets.
func (r *redrawn) refs(ref Ref) (cal, test Ref) {
	cal, test = ref, ref
	cal.Split, test.Split = Cal, Test
	return cal, test
}

func (r *redrawn) Has(ref Ref) Parts {
	cal, test := r.refs(ref)
	parts := r.Source.Has(cal) & r.Source.Has(test)
	if ref.Corruption != "" || parts&Labels == 0 {
		return 0
	}
	return parts
}

// Describe returns the provenance of the rows: measured only if both sets are.
func (r *redrawn) Describe(ref Ref) Provenance {
	cal, test := r.refs(ref)
	p, q := r.Source.Describe(test), r.Source.Describe(cal)
	if q.Origin == Simulated {
		p.Origin = Simulated
	}
	if q.Kind.OffsetLost() {
		p.Kind = q.Kind
	}
	p.Paper = p.Paper && q.Paper
	p.StandIn = cmp.Or(p.StandIn, q.StandIn)
	if p.Note != "" {
		p.Note += "; "
	}
	p.Note += fmt.Sprintf("draw %d of calibration and test rows from their union", r.draw)
	return p
}

func (r *redrawn) Digest(ctx context.Context, ref Ref, parts Parts) (string, error) {
	cal, test := r.refs(ref)
	a, err := r.Source.Digest(ctx, cal, parts|Labels)
	if err != nil {
		return "", err
	}
	b, err := r.Source.Digest(ctx, test, parts|Labels)
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("%s rows of draw %d, version 1, from the union of\n%sand\n%s", ref.Split, r.draw, endLine(a), endLine(b)), nil
}

func (r *redrawn) Open(ctx context.Context, ref Ref, parts Parts) (Reader, error) {
	if ref.Corruption != "" {
		return nil, fmt.Errorf("%s/%s under %s: corrupted rows are not redrawn", ref.Dataset, ref.Backbone, ref.Corruption)
	}
	cal, test := r.refs(ref)
	a, err := r.Source.Open(ctx, cal, parts|Labels)
	if err != nil {
		return nil, err
	}
	b, err := r.Source.Open(ctx, test, parts|Labels)
	if err != nil {
		a.Close()
		return nil, err
	}
	return &redrawnReader{cal: a, test: b, parts: parts, draw: uint64(r.draw), calibrate: ref.Split == Cal}, nil
}

// redrawnReader reads both sets at the first Read and gathers rows of them.
type redrawnReader struct {
	cal, test Reader
	parts     Parts
	draw      uint64
	calibrate bool // whether this is the new calibration set

	from [2]*Set
	rows []int // of the union, calibration rows first; ascending
}

func (r *redrawnReader) Rows() int {
	if r.calibrate {
		return r.cal.Rows()
	}
	return r.test.Rows()
}

func (r *redrawnReader) Classes() int { return max(r.cal.Classes(), r.test.Classes()) }
func (r *redrawnReader) Bytes() int64 { return r.cal.Bytes() + r.test.Bytes() }

// Form joins the forms of both sets, since rows of each may be in each.
func (r *redrawnReader) Form() (Form, error) {
	a, err := r.cal.Form()
	if err != nil {
		return Form{}, err
	}
	b, err := r.test.Form()
	return a.join(b), err
}

func (r *redrawnReader) Close() error { return errors.Join(r.cal.Close(), r.test.Close()) }

func (r *redrawnReader) Read(ctx context.Context, lo, hi int) (*Set, error) {
	if r.rows == nil {
		cal, err := r.cal.Read(ctx, 0, r.cal.Rows())
		if err != nil {
			return nil, err
		}
		test, err := r.test.Read(ctx, 0, r.test.Rows())
		if err != nil {
			return nil, err
		}
		r.from = [2]*Set{cal, test}
		if a, b := r.cal.Classes(), r.test.Classes(); a != b && a != 0 && b != 0 {
			return nil, fmt.Errorf("redrawn rows: the calibration set has %d classes, the test set %d", a, b)
		}
		r.rows = drawRows(cal.Labels, test.Labels, r.draw, r.calibrate)
	}
	return r.gather(r.rows[lo:hi]), nil
}

// drawRows returns the rows of the union that are in the new calibration set or, if
// calibrate is false, in the new test set.
func drawRows(cal, test []int32, draw uint64, calibrate bool) []int {
	byClass := map[int32][]int{}
	counts := map[int32]int{} // of calibration rows
	for i, y := range slices.Concat(cal, test) {
		byClass[y] = append(byClass[y], i)
		if i < len(cal) {
			counts[y]++
		}
	}
	var classes []int32
	for y := range byClass {
		classes = append(classes, y)
	}
	slices.Sort(classes)
	rng := rand.New(rand.NewPCG(draw, 0x72656472)) // a stream of random numbers for this function
	var out []int
	for _, y := range classes {
		rows := byClass[y]
		rng.Shuffle(len(rows), func(i, j int) { rows[i], rows[j] = rows[j], rows[i] })
		if calibrate {
			out = append(out, rows[:counts[y]]...)
		} else {
			out = append(out, rows[counts[y]:]...)
		}
	}
	slices.Sort(out)
	return out
}

// gather copies rows of the union. Head and OOD logits, which belong to the network,
// are those of the calibration set.
func (r *redrawnReader) gather(rows []int) *Set {
	cal, test := r.from[0], r.from[1]
	set := &Set{Head: cal.Head, OOD: cal.OOD}
	table := func(of func(*Set) Matrix) Matrix {
		a, b := of(cal), of(test)
		if !a.Present() || !b.Present() {
			return Matrix{}
		}
		m := NewMatrix(len(rows), a.Cols)
		for i, row := range rows {
			if row < a.Rows {
				copy(m.Row(i), a.Row(row))
			} else {
				copy(m.Row(i), b.Row(row-a.Rows))
			}
		}
		return m
	}
	set.Logits = table(func(s *Set) Matrix { return s.Logits })
	set.Features = table(func(s *Set) Matrix { return s.Features })
	for v := range min(len(cal.Augmented), len(test.Augmented)) {
		set.Augmented = append(set.Augmented, table(func(s *Set) Matrix { return s.Augmented[v] }))
	}
	if r.parts&Labels != 0 {
		for _, row := range rows {
			if row < len(cal.Labels) {
				set.Labels = append(set.Labels, cal.Labels[row])
			} else {
				set.Labels = append(set.Labels, test.Labels[row-len(cal.Labels)])
			}
		}
	}
	return set
}
