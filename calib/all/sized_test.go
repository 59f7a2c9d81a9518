package all

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/qats-bench/qats/calib"
	"github.com/qats-bench/qats/data"
)

// sizedSet returns calibration rows of k classes with every array that a method may read.
func sizedSet(n, k int) *data.Set {
	rng := rand.New(rand.NewPCG(9, uint64(k)))
	random := func(rows, cols int) data.Matrix {
		m := data.NewMatrix(rows, cols)
		for i := range m.Data {
			m.Data[i] = float32(rng.NormFloat64() * 2)
		}
		return m
	}
	s := &data.Set{Features: random(n, 4), OOD: random(20, k)}
	s.Head = data.Linear{W: random(k, 4), B: make([]float32, k)}
	for i := range s.Head.W.Data {
		s.Head.W.Data[i] /= 4
	}
	s.Logits = data.NewMatrix(n, k)
	for i := range n {
		for j := range k {
			sum := float32(0)
			for d, x := range s.Features.Row(i) {
				sum += x * s.Head.W.Row(j)[d]
			}
			s.Logits.Row(i)[j] = sum
		}
		u, y := rng.Float64(), 0
		total, at := 0.0, 0.0
		for _, l := range s.Logits.Row(i) {
			total += math.Exp(float64(l) / 1.7)
		}
		for j, l := range s.Logits.Row(i) {
			if at += math.Exp(float64(l)/1.7) / total; u > at {
				y = min(j+1, k-1)
			}
		}
		s.Labels = append(s.Labels, int32(y))
	}
	for range 2 {
		s.Augmented = append(s.Augmented, random(n, k))
	}
	return s
}

// The methods whose fit changes if all rows are repeated say so in their contracts, and no others do. A tolerance of 1e-5
// is that of iterations that end.
func TestSizedMethodsAreThoseThatChangeWithRepeatedRows(t *testing.T) {
	if testing.Short() {
		t.Skip("all methods are fitted four times")
	}
	const n = 200
	for _, e := range Registry() {
		t.Run(e.Name, func(t *testing.T) {
			t.Parallel()
			if e.Method.Contract().Sized && e.Passes(4) > mostPasses {
				t.Skip("it says that it is, and two fits of its mini-batches take a minute")
			}
			most := 0.0
			for _, k := range []int{2, 4} {
				set := sizedSet(n, k)
				twice := data.Gather(repeated(n, 2), set)
				fit := func(cal *data.Set) *calib.Fitted {
					c := e.Method.Contract()
					in := calib.Input{Cal: cal.View(c.Cal), Seed: 1}
					if c.Target != 0 {
						in.Target = set.View(c.Target)
					}
					f, err := calib.FitInput(context.Background(), e.Method, in)
					if err != nil {
						t.Skip(err)
					}
					return f
				}
				a, b := fit(set), fit(twice)
				p, err := a.Probabilities(set.View(e.Method.Contract().Test | data.Logits))
				if err != nil {
					t.Skip(err)
				}
				q, err := b.Probabilities(set.View(e.Method.Contract().Test | data.Logits))
				if err != nil {
					t.Fatal(err)
				}
				for i := range p.Data {
					most = max(most, math.Abs(p.Data[i]-q.Data[i]))
				}
			}
			if got := e.Method.Contract().Sized; got != (most > 1e-5) {
				t.Errorf("Sized is %v, and repeated rows change a probability by %.3g", got, most)
			}
		})
	}
}

// mostPasses is how many times a method may read the rows to be fitted here.
const mostPasses = 1000

// repeated returns the rows 0 to n-1, each so often.
func repeated(n, times int) (rows []int) {
	for i := range n {
		for range times {
			rows = append(rows, i)
		}
	}
	return rows
}
