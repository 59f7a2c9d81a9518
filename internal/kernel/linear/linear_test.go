package linear

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// kernels say whether vector code runs, where this processor has some.
var kernels = []bool{false, vector}

// numbers returns n random numbers, some of them 0 of either sign, tiny or
// large.
func numbers[T float32 | float64](n int, rng *rand.Rand) []T {
	v := make([]T, n)
	for i := range v {
		switch rng.IntN(12) {
		case 0:
		case 1:
			v[i] = T(math.Copysign(0, -1))
		case 2:
			v[i] = T(1e-40 * rng.NormFloat64())
		case 3:
			v[i] = T(1e6 * rng.NormFloat64())
		default:
			v[i] = T(rng.NormFloat64())
		}
	}
	return v
}

// pickRows returns rows of the given width: all of n, or some in any order with
// repetitions.
func pickRows(n, width int, rng *rand.Rand) Rows {
	r := Rows{Data: numbers[float32](n*width, rng), Width: width}
	if rng.IntN(2) == 0 {
		r.Which = []int{}
		for range rng.IntN(2*n + 1) {
			r.Which = append(r.Which, rng.IntN(n))
		}
	}
	return r
}

func same(a, b []float64) bool {
	return slices.EqualFunc(a, b, func(x, y float64) bool { return math.Float64bits(x) == math.Float64bits(y) })
}

var widths = []int{1, 2, 3, 4, 5, 7, 8, 9, 12, 15, 16, 17, 31, 33, 64, 100, 127, 128, 129, 300}

// TestSumsHaveTheirOrder: the bits are those of the plain loops that the comments
// describe.
func TestSumsHaveTheirOrder(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, width := range widths {
		for range 6 {
			x := pickRows(1+rng.IntN(20), width, rng)
			n := x.count()
			v, c := numbers[float64](width, rng), numbers[float64](n, rng)
			start := numbers[float64](width, rng)
			wantSum := slices.Clone(start)
			for i := range n {
				for j, h := range x.row(i) {
					wantSum[j] += float64(c[i] * float64(h))
				}
			}
			scale := rng.NormFloat64()
			wantLine, wantTop := make([]float64, width), 0
			for j := range v {
				if wantLine[j] = v[j] + float64(scale*start[j]); wantLine[j] > wantLine[wantTop] {
					wantTop = j
				}
			}
			wantGaps := make([]float32, width)
			for j, z := range wantLine {
				wantGaps[j] = float32(z - wantLine[wantTop])
			}
			var lane [8]float64
			for j := range v {
				lane[j%8] += float64(v[j] * start[j])
			}
			wantInner := ((lane[0] + lane[4]) + (lane[2] + lane[6])) + ((lane[1] + lane[5]) + (lane[3] + lane[7]))
			at := fmt.Sprintf("%d rows of %d", n, width)
			sum := slices.Clone(start)
			if Add(sum, c, x); !same(sum, wantSum) {
				t.Errorf("%s: sums %v, want %v", at, sum, wantSum)
			}
			z := make([]float64, width)
			g := make([]float32, width)
			for _, vector := range kernels {
				clear(z)
				clear(g)
				if top := line(vector, z, v, start, scale); top != wantTop || !same(z, wantLine) {
					t.Errorf("vector %v, %s: line %v with its top at %d, want %v, %d", vector, at, z, top, wantLine, wantTop)
				}
				inPlace := slices.Clone(v)
				if top := line(vector, inPlace, inPlace, start, scale); top != wantTop || !same(inPlace, wantLine) {
					t.Errorf("vector %v, %s: line in place %v with its top at %d, want %v, %d", vector, at, inPlace, top, wantLine, wantTop)
				}
				if gaps(vector, g, z, z[wantTop]); !slices.Equal(g, wantGaps) {
					t.Errorf("vector %v, %s: gaps %v, want %v", vector, at, g, wantGaps)
				}
			}
			if got := Inner(v, start); math.Float64bits(got) != math.Float64bits(wantInner) {
				t.Errorf("%s: inner product %v, want %v", at, got, wantInner)
			}
			q, by := slices.Clone(v), scale
			if Divide(q, by); !slices.EqualFunc(q, v, func(q, v float64) bool { return math.Float64bits(q) == math.Float64bits(v/by) }) {
				t.Errorf("%s: quotients %v of %v by %v", at, q, v, by)
			}
		}
	}
}

// TestFirstOfEqualLargestIsTheTop of a line.
func TestFirstOfEqualLargestIsTheTop(t *testing.T) {
	a, zero := make([]float64, 21), make([]float64, 21)
	dst := make([]float64, 21)
	for _, vector := range kernels {
		clear(zero)
		for first := range a {
			for second := first; second < len(a); second++ {
				clear(a)
				a[first], a[second] = 3, 3
				if top := line(vector, dst, a, zero, 1); top != first {
					t.Errorf("vector %v: top %d with the largest at %d and %d", vector, top, first, second)
				}
				a[0] = math.NaN()
				if top := line(vector, dst, a, zero, 1); top != 0 {
					t.Errorf("vector %v: top %d of a row that begins with NaN", vector, top)
				}
			}
		}
		for j := range a {
			a[j] = math.NaN()
		}
		if top := line(vector, dst, a, zero, 1); top != 0 {
			t.Errorf("vector %v: top of nothing but NaN: %d", vector, top)
		}
		a[0], a[7], zero[3] = 1, 2, math.Inf(-1) // -Inf times 1, and NaN elsewhere
		if top := line(vector, dst, a, zero, 1); top != 7 {
			t.Errorf("vector %v: top %d among NaN, want 7", vector, top)
		}
	}
}

// TestProductsAreSumsInOrder: every element is the sum in order, for any shape and kernel.
func TestProductsAreSumsInOrder(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for _, k := range []int{0, 1, 2, 3, 11, 12, 13, 23, 24, 25, 50, 101} {
		for _, d := range []int{1, 2, 7, 127, 128, 129, 300} {
			for _, n := range []int{0, 1, 3, 4, 5, 31, 32, 33, 70} {
				x, w := numbers[float64](n*d, rng), numbers[float32](k*d, rng)
				want := make([]float64, n*k)
				for i := range n {
					for j := range k {
						for c, v := range w[j*d : (j+1)*d] {
							want[i*k+j] += float64(x[i*d+c] * float64(v))
						}
					}
				}
				for _, vector := range kernels {
					got := make([]float64, n*k)
					if pack(vector, w, k, d).Times(got, x); !same(got, want) {
						t.Fatalf("vector %v: %d x %d times %d x %d differs", vector, n, d, d, k)
					}
				}
			}
		}
	}
}

// TestPanicsOnMisuse before vector code sees the slices.
func TestPanicsOnMisuse(t *testing.T) {
	x := Rows{Data: make([]float32, 32), Width: 8}
	wrong := Rows{Data: x.Data, Width: 8, Which: []int{0, 4}}
	two, eight := make([]float64, 2), make([]float64, 8)
	for name, f := range map[string]func(){
		"row behind the last":  func() { Add(eight, two, wrong) },
		"row before the first": func() { Add(eight, two, Rows{Data: x.Data, Width: 8, Which: []int{-1, 0}}) },
		"no width":             func() { Add(nil, nil, Rows{}) },
		"factors":              func() { Add(eight, two, x) },
		"columns":              func() { Add(two, make([]float64, 4), x) },
		"line":                 func() { Line(eight, eight, two, 1) },
		"empty line":           func() { Line(nil, nil, nil, 1) },
		"inner product":        func() { Inner(two, eight) },
		"gaps":                 func() { Gaps(make([]float32, 2), eight, 1) },
		"weights of a layer":   func() { Pack(x.Data, 4, 7) },
		"rows of a product":    func() { Pack(x.Data, 4, 8).Times(two, eight) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: no panic", name)
				}
			}()
			f()
		}()
	}
}

// BenchmarkTimes: 32 rows with the head of ImageNet, and 128 features.
func BenchmarkTimes(b *testing.B) {
	for _, vector := range kernels {
		b.Run(fmt.Sprintf("vector=%v", vector), func(b *testing.B) {
			const n, k, d = 32, 1000, 128
			rng := rand.New(rand.NewPCG(5, 6))
			p, x, dst := pack(vector, numbers[float32](k*d, rng), k, d), numbers[float64](n*d, rng), make([]float64, n*k)
			for b.Loop() {
				p.Times(dst, x)
			}
			b.ReportMetric(float64(n*k*d)*float64(b.N)/float64(b.Elapsed().Nanoseconds()), "terms/ns")
		})
	}
}

func BenchmarkAdd(b *testing.B) {
	const n, d = 256, 128
	rng := rand.New(rand.NewPCG(9, 10))
	x, c, dst := Rows{Data: numbers[float32](n*d, rng), Width: d}, make([]float64, n), make([]float64, d)
	for b.Loop() {
		Add(dst, c, x)
	}
	b.ReportMetric(float64(n*d)*float64(b.N)/float64(b.Elapsed().Nanoseconds()), "terms/ns")
}

func BenchmarkLineGaps(b *testing.B) {
	const k = 1000
	rng := rand.New(rand.NewPCG(11, 12))
	a, s, z, g := numbers[float64](k, rng), numbers[float64](k, rng), make([]float64, k), make([]float32, k)
	for b.Loop() {
		Gaps(g, z, z[Line(z, a, s, 0.3)])
	}
	b.ReportMetric(k*float64(b.N)/float64(b.Elapsed().Nanoseconds()), "terms/ns")
}
