package calibtest

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/qats-bench/qats/data"
	"github.com/qats-bench/qats/internal/kernel/softmax"
)

// drawn returns n rows of k overconfident logits, multiples of 1/64 below 32
// that are distinct within a row, with labels drawn at temperature 2.
func drawn(n, k int, seed uint64) *data.Set {
	rng := rand.New(rand.NewPCG(seed, 1))
	logits, labels := data.NewMatrix(n, k), make([]int32, n)
	p := make([]float64, k)
	for i := range n {
		row := logits.Row(i)
		for j := range row {
			for {
				l := float32(math.Round(64*3*rng.NormFloat64()) / 64)
				if max(l, -l) < 32 && !slices.Contains(row[:j], l) {
					row[j] = l
					break
				}
			}
		}
		softmax.Probs(p, row, 0.5)
		u := rng.Float64()
		for j := range p {
			if u -= p[j]; u < 0 || j == k-1 {
				labels[i] = int32(j)
				break
			}
		}
	}
	return complete(logits, labels, seed)
}

// complete returns a set with all parts: the features are the logits, the head is the
// identity, so that logits = W h + b exactly, and the other parts are noise.
func complete(logits data.Matrix, labels []int32, seed uint64) *data.Set {
	n, k := logits.Rows, logits.Cols
	rng := rand.New(rand.NewPCG(seed, 2))
	features := data.NewMatrix(n, k)
	copy(features.Data, logits.Data)
	head := data.Linear{W: data.NewMatrix(k, k), B: make([]float32, k)}
	for j := range k {
		head.W.Row(j)[j] = 1
	}
	augmented := []data.Matrix{data.NewMatrix(n, k), data.NewMatrix(n, k)}
	for _, view := range augmented {
		for i, l := range logits.Data {
			view.Data[i] = l + float32(math.Round(64*rng.NormFloat64())/64)
		}
	}
	ood := data.NewMatrix(15, k)
	for i := range ood.Data {
		ood.Data[i] = float32(math.Round(64*5*rng.NormFloat64()) / 64) // more confident than the rows, so that they change a fit
	}
	return &data.Set{Logits: logits, Labels: labels, Features: features, Augmented: augmented, Head: head, OOD: ood}
}

// adversarial returns the rows that are hardest for rounding and ties: equal logits,
// logits one float32 apart, confidences that round to 1 and to the float64 below, and
// logits of +-1e4. The label of row i is i modulo k.
func adversarial(k int) *data.Set {
	rng := rand.New(rand.NewPCG(3, 3))
	var rows [][]float32
	add := func(value func(j int) float32) {
		row := make([]float32, k)
		for j := range row {
			row[j] = value(j)
		}
		rows = append(rows, row)
	}
	for _, level := range []float32{0, 1, -1e4, 1e4, 1e-30, 0x1p-149} {
		add(func(int) float32 { return level })
		add(func(j int) float32 { return level * float32(j%2) })
		add(func(j int) float32 { return -level * float32(j) })
		add(func(j int) float32 { return level + float32(j) })
		for top := range k { // the top one float32 above the others
			add(oneOf(top, math.Nextafter32(level, 2e4), level))
			add(oneOf(top, level, -1e4))
		}
	}
	for _, gap := range []float32{16, 34, 36, 37, 38, 60, 100, 700, 746, 2e4} {
		for top := range k {
			add(oneOf(top, gap/2, -gap/2))
		}
	}
	for range 60 { // small whole logits: ties everywhere
		add(func(int) float32 { return float32(rng.IntN(3)) })
	}
	for range 60 {
		add(func(int) float32 { return float32(rng.NormFloat64() * math.Ldexp(1, rng.IntN(14))) })
	}
	logits, labels := data.NewMatrix(len(rows), k), make([]int32, len(rows))
	for i, row := range rows {
		for j, l := range row {
			logits.Row(i)[j] = min(max(l, -1e4), 1e4)
		}
		labels[i] = int32(i % k)
	}
	return complete(logits, labels, 3)
}

// oneOf is a row with one logit at class top and another at the others.
func oneOf(top int, own, other float32) func(j int) float32 {
	return func(j int) float32 {
		if j == top {
			return own
		}
		return other
	}
}

// relabelled returns set with the label of each row replaced.
func relabelled(set *data.Set, label func(row []float32, old int32) int32) *data.Set {
	c := *set
	c.Labels = make([]int32, len(set.Labels))
	for i, y := range set.Labels {
		c.Labels[i] = label(set.Logits.Row(i), y)
	}
	return &c
}

// ranked returns the class of the r-th largest element of row, 0 for the top;
// ties go to the lower index.
func ranked[T float32 | float64](row []T, r int) int {
	order := make([]int, len(row))
	for j := range order {
		order[j] = j
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(row[b], row[a]) })
	return order[r]
}

// top returns the lowest index of the largest element of row.
func top[T float32 | float64](row []T) int { return ranked(row, 0) }

// withLogits returns set with the results of change in place of the logits and of each
// view.
func withLogits(set *data.Set, change func(m data.Matrix) data.Matrix) *data.Set {
	c := *set
	c.Logits, c.Augmented = change(set.Logits), nil
	for _, view := range set.Augmented {
		c.Augmented = append(c.Augmented, change(view))
	}
	return &c
}

// rowsOf returns the rows of set in the given order, copied.
func rowsOf(set *data.Set, order []int) *data.Set {
	take := func(m data.Matrix) data.Matrix {
		out := data.NewMatrix(len(order), m.Cols)
		for i, from := range order {
			copy(out.Row(i), m.Row(from))
		}
		return out
	}
	c := withLogits(set, take)
	c.Features = take(set.Features)
	c.Labels = make([]int32, len(order))
	for i, from := range order {
		c.Labels[i] = set.Labels[from]
	}
	return c
}

// classesOf returns set with class order[j] in place j.
func classesOf(set *data.Set, order []int) *data.Set {
	take := func(m data.Matrix) data.Matrix {
		out := data.NewMatrix(m.Rows, m.Cols)
		for i := range m.Rows {
			for j, from := range order {
				out.Row(i)[j] = m.Row(i)[from]
			}
		}
		return out
	}
	c := withLogits(set, take)
	c.OOD = take(set.OOD)
	c.Head = data.Linear{W: data.NewMatrix(len(order), set.Head.W.Cols), B: make([]float32, len(order))}
	place := make([]int32, len(order)) // of the old class
	for j, from := range order {
		copy(c.Head.W.Row(j), set.Head.W.Row(from))
		c.Head.B[j] = set.Head.B[from]
		place[from] = int32(j)
	}
	c.Labels = make([]int32, len(set.Labels))
	for i, y := range set.Labels {
		c.Labels[i] = place[y]
	}
	return c
}

// shifted returns set with c added to every logit: each view, each
// out-of-distribution row and, so that the head still gives the logits, its
// bias.
func shifted(set *data.Set, c float32) *data.Set {
	add := func(m data.Matrix) data.Matrix {
		out := data.NewMatrix(m.Rows, m.Cols)
		for i, l := range m.Data {
			out.Data[i] = l + c
		}
		return out
	}
	s := withLogits(set, add)
	s.OOD = add(set.OOD)
	s.Head.B = add(data.Matrix{Rows: 1, Cols: len(set.Head.B), Data: set.Head.B}).Data
	return s
}

// multiplied returns set with the first rows of all arrays multiplied by a factor, as far as
// float32 goes; the head stays as it is.
func multiplied(set *data.Set, factor float64, rows int) *data.Set {
	c := cloned(set)
	for _, m := range append([]data.Matrix{c.Logits, c.Features, c.OOD}, c.Augmented...) {
		for i, l := range m.Data[:min(rows, m.Rows)*m.Cols] {
			m.Data[i] = float32(min(max(float64(l)*factor, -math.MaxFloat32), math.MaxFloat32))
		}
	}
	return c
}

// cloned returns a deep copy of set.
func cloned(set *data.Set) *data.Set {
	clone := func(m data.Matrix) data.Matrix {
		m.Data = slices.Clone(m.Data)
		return m
	}
	c := withLogits(set, clone)
	c.Features, c.Head.W, c.OOD = clone(set.Features), clone(set.Head.W), clone(set.OOD)
	c.Head.B = slices.Clone(set.Head.B)
	c.Labels = slices.Clone(set.Labels)
	return c
}

// poison overwrites every array of set.
func poison(set *data.Set) {
	arrays := [][]float32{set.Logits.Data, set.Features.Data, set.Head.W.Data, set.Head.B, set.OOD.Data}
	for _, view := range set.Augmented {
		arrays = append(arrays, view.Data)
	}
	for _, a := range arrays {
		for i := range a {
			a[i] = float32(math.NaN())
		}
	}
	for i := range set.Labels {
		set.Labels[i] = -1
	}
}
