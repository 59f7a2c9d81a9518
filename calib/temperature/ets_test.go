package temperature

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/qats-bench/qats/calib/calibtest"

	"github.com/qats-bench/qats/calib"
	"github.com/qats-bench/qats/calib/internal/fit"
	"github.com/qats-bench/qats/calib/internal/testset"
	"github.com/qats-bench/qats/calib/report"
	"github.com/qats-bench/qats/data"
	"github.com/qats-bench/qats/internal/kernel/softmax"
)

// squaredError is the mean over the rows of the squared distance to the label.
func squaredError(m calib.Map, set *data.Set) float64 {
	q := calibtest.Apply(m, set.Logits)
	sum := 0.0
	for i, y := range set.Labels {
		for j, p := range q.Row(i) {
			if j == int(y) {
				p--
			}
			sum += p * p
		}
	}
	return sum / float64(q.Rows)
}

// noisy returns a set with a share of uniform labels, so that w_3 > 0 is best.
func noisy(n, k int, temperature float64, seed uint64) *data.Set {
	set := testset.Drawn(n, k, temperature, seed)
	for i := range set.Labels {
		if i%4 == 0 {
			set.Labels[i] = int32(i / 4 % k)
		}
	}
	return set
}

// No temperature of a fine grid is better in stage one, and no weights of a grid of
// the triangle in stage two.
func TestETSIsAtMostBruteForce(t *testing.T) {
	inside := 0
	for seed := range uint64(6) {
		set := noisy(150, 4, 1+float64(seed), seed)
		m := calibtest.Fit(t, ETSEntry, set, nil).Map.(etsMap)
		alone := squaredError(etsMap{m.T, [3]float64{1, 0, 0}}, set)
		for i := range 1001 {
			at := 0.05 * math.Pow(100, float64(i)/1000)
			if v := squaredError(calib.Temperature{T: at}, set); v < alone-1e-13 {
				t.Errorf("seed %d: T = %v with error %v, but T = %v has %v", seed, m.T, alone, at, v)
			}
		}
		best := squaredError(m, set)
		for a := range 41 {
			for b := range 41 - a {
				w := [3]float64{float64(a) / 40, float64(b) / 40, float64(40-a-b) / 40}
				if v := squaredError(etsMap{m.T, w}, set); v < best-1e-13 {
					t.Errorf("seed %d: w = %v with error %v, but %v has %v", seed, m.W, best, w, v)
				}
			}
		}
		if slices.Min(m.W[:]) > 0 {
			inside++
		}
	}
	if inside == 0 {
		t.Error("no weights inside the triangle: the sets try too little")
	}
}

func TestETSContainsTS(t *testing.T) {
	set := testset.Drawn(60, 5, 2, 3)
	for _, temperature := range []float64{0.3, 1, 2.7} {
		got := calibtest.Apply(etsMap{temperature, [3]float64{1, 0, 0}}, set.Logits)
		if want := calibtest.Apply(calib.Temperature{T: temperature}, set.Logits); !testset.Near(got.Data, want.Data, 1e-15) {
			t.Errorf("T = %v: w = (1, 0, 0) is not temperature scaling", temperature)
		}
	}
	for i, p := range calibtest.Apply(etsMap{2, [3]float64{0, 0, 1}}, set.Logits).Data {
		if !(math.Abs(p-0.2) <= 1e-15) {
			t.Fatalf("element %d: w = (0, 0, 1) gives %v, want 1/5", i, p)
		}
	}
}

// The sums agree with the probabilities written out, with finite differences, and with
// the definition of the moments.
func TestETSSumsFollowTheirDefinitions(t *testing.T) {
	const n = 900 // four blocks
	set := noisy(n, 6, 2, 4)
	f := &etsFit{set: set}
	const h = 1e-4
	for _, beta := range []float64{0.2, 1, 4} {
		scales := []float64{beta * math.Exp(-h), beta, beta * math.Exp(h)}
		value, err := f.errors(t.Context(), scales)
		if err != nil {
			t.Fatal(err)
		}
		var at [3]etsSlope
		for i, scale := range scales {
			if at[i], err = f.slope(t.Context(), scale); err != nil {
				t.Fatal(err)
			}
			if want := squaredError(calib.Temperature{T: 1 / scale}, set); !(math.Abs(value[i]-want) <= 1e-13) {
				t.Errorf("scale %v: error %v, want %v", scale, value[i], want)
			}
		}
		if d := (value[2] - value[0]) / (2 * h); !(math.Abs(d-at[1].first) <= 1e-8) {
			t.Errorf("beta %v: slope %v, differences give %v", beta, at[1].first, d)
		}
		if d := (at[2].first - at[0].first) / (2 * h); !(math.Abs(d-at[1].second) <= 1e-7) {
			t.Errorf("beta %v: second derivative %v, differences give %v", beta, at[1].second, d)
		}
		got, _, err := f.moments(t.Context(), beta)
		if err != nil {
			t.Fatal(err)
		}
		var want etsMoments
		p, r := calibtest.Apply(calib.Temperature{T: 1 / beta}, set.Logits), calibtest.Apply(calib.Temperature{T: 1}, set.Logits)
		for i, y := range set.Labels {
			p, r := p.Row(i), r.Row(i)
			for j := range p {
				want.pp += p[j] * p[j] / n
				want.pr += p[j] * r[j] / n
				want.rr += r[j] * r[j] / n
			}
			want.py += p[y] / n
			want.ry += r[y] / n
		}
		for name, pair := range map[string][2]float64{
			"pp": {got.pp, want.pp}, "pr": {got.pr, want.pr}, "rr": {got.rr, want.rr}, "py": {got.py, want.py}, "ry": {got.ry, want.ry},
		} {
			if !(math.Abs(pair[0]-pair[1]) <= 1e-14) {
				t.Errorf("beta %v: %s = %v, want %v", beta, name, pair[0], pair[1])
			}
		}
	}
}

// If all labels are right, the least temperature is best; if they contradict the
// logits, the largest.
func TestETSEndsAtItsBounds(t *testing.T) {
	right := testset.Drawn(80, 3, 1, 5)
	for i := range right.Labels {
		right.Labels[i] = int32(fit.TopClass(right.Logits.Row(i)))
	}
	wrong := testset.Drawn(80, 3, 1, 5)
	for i := range wrong.Labels {
		row := wrong.Logits.Row(i)
		wrong.Labels[i] = int32(slices.Index(row, slices.Min(row)))
	}
	most := etsMostT * testset.Spread(wrong) // above 1: the largest temperature goes with it
	for _, c := range []struct {
		set   *data.Set
		t     float64
		bound calib.Bound
	}{{right, etsLeastT, report.AtLeast("T", 0, etsLeastT)}, {wrong, most, report.AtMost("T", 0, most)}} {
		f := calibtest.Fit(t, ETSEntry, c.set, nil)
		m := f.Map.(etsMap)
		at := f.Report.AtBound
		if !(math.Abs(m.T/c.t-1) <= 1e-14) || len(at) != 1 || at[0].Side != c.bound.Side || at[0].Limit != m.T || len(f.Report.Warnings) != 1 || f.Report.Warnings[0].Bound != at[0] {
			t.Errorf("%+v, %+v; want %v", m, f.Report, c.bound)
		}
	}
}

// On corners, edges and inside the triangle the minimum has a closed form: if the
// Gram matrix is the identity, it is the projection of the inner products.
func TestOnFaceIsAProjection(t *testing.T) {
	identity := [3][3]float64{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}
	for _, c := range []struct {
		inner [3]float64
		face  []int
		want  [3]float64
		ok    bool
	}{
		{[3]float64{0.2, 0.3, 0.5}, []int{0, 1, 2}, [3]float64{0.2, 0.3, 0.5}, true},
		{[3]float64{0.5, 0.5, 0.5}, []int{0, 1, 2}, [3]float64{1. / 3, 1. / 3, 1. / 3}, true},
		{[3]float64{0.2, 0.6, 9}, []int{0, 1}, [3]float64{0.3, 0.7, 0}, true},
		{[3]float64{2, 0, 0}, []int{0, 2}, [3]float64{}, false},
		{[3]float64{9, 9, 9}, []int{1}, [3]float64{0, 1, 0}, true},
		{[3]float64{0, 1, 0}, []int{0, 1}, [3]float64{}, false}, // at a corner, which is a face of its own
		{[3]float64{3, 0, 0}, []int{0, 1}, [3]float64{}, false},
	} {
		w, ok := onFace(identity, c.inner, c.face)
		if ok != c.ok || ok && !testset.Near(w[:], c.want[:], 1e-15) {
			t.Errorf("%v on %v: %v %v, want %v %v", c.inner, c.face, w, ok, c.want, c.ok)
		}
	}
	if w, ok := onFace([3][3]float64{{2, 0, 0}, {0, 2, 0}, {0, 0, 2}}, [3]float64{2, 0, 0}, []int{0, 1}); ok { // exactly (1, 0)
		t.Errorf("a corner is inside an edge: %v", w)
	}
	if _, ok := onFace([3][3]float64{{1, 1, 0}, {1, 1, 0}, {0, 0, 1}}, [3]float64{}, []int{0, 1}); ok {
		t.Error("a system without a single solution is solved")
	}
}

func TestETSKeepsTop1WithoutWeights(t *testing.T) {
	row := data.Matrix{Rows: 1, Cols: 3, Data: []float32{1, 2, 2}}
	q := calibtest.Apply(etsMap{1, [3]float64{0, 0, 1}}, row).Row(0)
	if q[1] != q[2] || !(q[0] < q[1]) || softmax.Bin(q[1], 3) != 0 {
		t.Errorf("%v, want 1/3 with class 0 just below", q)
	}
}

// Where every temperature has the same error the largest one is taken, and no bound is
// reported.
func TestETSTakesTheLargestTemperatureOnTies(t *testing.T) {
	set := testset.Drawn(20, 3, 1, 5)
	for i := range set.Logits.Data {
		set.Logits.Data[i] = 2
	}
	got, r, err := (&etsFit{set: set}).temperature(t.Context())
	if err != nil || !(math.Abs(got-etsMostT) <= 1e-12) || r.AtBound != nil || r.Iterations != etsGrid {
		t.Errorf("T = %v, %+v (%v)", got, r, err)
	}
}

// From either end of a bracket at whose ends the error falls inwards, the search finds a
// zero of the slope in the bracket, also if Newton's steps leave it.
func TestETSRootIsInItsBracket(t *testing.T) {
	brackets := 0
	for seed := range uint64(30) {
		f := &etsFit{set: noisy(20, 3, 0.2, seed)}
		slope := func(u float64) etsSlope {
			s, err := f.slope(t.Context(), math.Exp(u))
			if err != nil {
				t.Fatal(err)
			}
			return s
		}
		for _, bracket := range [][2]float64{{-2.5, -1}, {-1.5, 0}, {-1, 1}, {-2, 2}, {0, 3}, {-3, 3}} {
			lo, hi := bracket[0], bracket[1]
			if !(slope(lo).first < 0 && slope(hi).first > 0) {
				continue
			}
			brackets++
			for _, start := range bracket {
				got, first, steps, err := f.root(t.Context(), start, slope(start), lo, hi)
				if err != nil || !(math.Abs(first) <= 1e-14) || !(got > lo && got < hi) || steps > 50 {
					t.Errorf("seed %d, %v from %v: %v with slope %v after %d steps (%v)", seed, bracket, start, got, first, steps, err)
				}
			}
		}
	}
	if brackets < 40 {
		t.Errorf("%d brackets try too little", brackets)
	}
}

// If several choices of weights are equally good, the first one counts: the softmax at T alone.
func TestETSTakesTheFirstFaceOnTies(t *testing.T) {
	if w := (etsMoments{pp: .5, pr: .5, rr: .5, py: .9, ry: .9}).weights(4); w != [3]float64{1, 0, 0} {
		t.Errorf("two equal softmaxes: w = %v", w)
	}
}

// Of moments of random probabilities no weights of a grid are better. Two equal parts
// leave faces without a unique minimum; then a later face has it.
func TestETSWeightsAreAtMostTheGrid(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	const n, k = 30, 3
	for trial := range 40 {
		var m etsMoments
		for range n {
			var p, r [k]float64
			for j := range k {
				p[j], r[j] = rng.ExpFloat64(), rng.ExpFloat64()
			}
			sumP, sumR := p[0]+p[1]+p[2], r[0]+r[1]+r[2]
			for j := range k {
				p[j], r[j] = p[j]/sumP, r[j]/sumR
				switch trial % 4 {
				case 1:
					r[j] = p[j]
				case 2:
					p[j] = 1. / k
				}
				m.pp, m.pr, m.rr = m.pp+p[j]*p[j]/n, m.pr+p[j]*r[j]/n, m.rr+r[j]*r[j]/n
			}
			label := rng.IntN(k)
			if rng.IntN(3) > 0 {
				label = slices.Index(r[:], slices.Max(r[:]))
			}
			m.py, m.ry = m.py+p[label]/n, m.ry+r[label]/n
		}
		value := func(a, b, c float64) float64 {
			return a*a*m.pp + 2*a*b*m.pr + b*b*m.rr + (2*a+2*b+c)*c/k - 2*(a*m.py+b*m.ry+c/k)
		}
		w := m.weights(k)
		got := value(w[0], w[1], w[2])
		for a := range 21 {
			for b := range 21 - a {
				if v := value(float64(a)/20, float64(b)/20, float64(20-a-b)/20); v < got-1e-13 {
					t.Errorf("trial %d: w = %v with %v, but (%d, %d, %d)/20 has %v", trial, w, got, a, b, 20-a-b, v)
				}
			}
		}
	}
}
