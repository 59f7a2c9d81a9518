package derive

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"

	"github.com/qats-bench/qats/data"
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
func Redrawn(src data.Source, draw int) data.Source { return &redrawn{src, draw} }

type redrawn struct {
	data.Source
	draw int
}

func (r *redrawn) Has(ref data.Ref) data.Parts {
	parts := r.Source.Has(ref.In(data.Cal)) & r.Source.Has(ref.In(data.Test))
	if ref.Corruption != "" || parts&data.Labels == 0 {
		return 0
	}
	return parts
}

// Describe returns the provenance of the rows: measured only if both sets are.
func (r *redrawn) Describe(ref data.Ref) data.Provenance {
	p, q := r.Source.Describe(ref.In(data.Test)), r.Source.Describe(ref.In(data.Cal))
	if q.Origin == data.Simulated {
		p.Origin = data.Simulated
	}
	if q.Kind.OffsetLost() || q.Kind == data.KindConfidence {
		p.Kind = q.Kind
	}
	p.Paper = p.Paper && q.Paper
	p.StandIn = cmp.Or(p.StandIn, q.StandIn)
	addNote(&p, fmt.Sprintf("draw %d of calibration and test rows from their union", r.draw))
	return p
}

func (r *redrawn) Digest(ctx context.Context, ref data.Ref, parts data.Parts) (string, error) {
	a, err := r.Source.Digest(ctx, ref.In(data.Cal), parts|data.Labels)
	if err != nil {
		return "", err
	}
	b, err := r.Source.Digest(ctx, ref.In(data.Test), parts|data.Labels)
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("%s rows of draw %d, version 1, from the union of\n%sand\n%s", ref.Split, r.draw, endLine(a), endLine(b)), nil
}

func (r *redrawn) Open(ctx context.Context, ref data.Ref, parts data.Parts) (data.Reader, error) {
	if ref.Corruption != "" {
		return nil, fmt.Errorf("%s/%s under %s: corrupted rows are not redrawn", ref.Dataset, ref.Backbone, ref.Corruption)
	}
	a, err := r.Source.Open(ctx, ref.In(data.Cal), parts|data.Labels)
	if err != nil {
		return nil, err
	}
	b, err := r.Source.Open(ctx, ref.In(data.Test), parts|data.Labels)
	if err != nil {
		a.Close()
		return nil, err
	}
	n := b.Rows()
	if ref.Split == data.Cal {
		n = a.Rows()
	}
	return &gatherer{readers: []data.Reader{a, b}, parts: parts, n: n, choose: func(sets []*data.Set) ([]int, error) {
		if i, j := a.Classes(), b.Classes(); i != j && i != 0 && j != 0 {
			return nil, fmt.Errorf("redrawn rows: the calibration set has %d classes, the test set %d", i, j)
		}
		return drawRows(sets[0].Labels, sets[1].Labels, uint64(r.draw), ref.Split == data.Cal), nil
	}}, nil
}

func (r *redrawn) Inputs(ref data.Ref, parts data.Parts) []data.Input {
	return []data.Input{{Source: r.Source, Ref: ref.In(data.Cal), Parts: parts | data.Labels}, {Source: r.Source, Ref: ref.In(data.Test), Parts: parts | data.Labels}}
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
	rng := rand.New(rand.NewPCG(draw, 0x72656472)) // a stream of random numbers for this function
	var out []int
	for _, y := range slices.Sorted(maps.Keys(byClass)) {
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
