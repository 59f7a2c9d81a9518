package splines

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/qats-bench/qats/calib"
	"github.com/qats-bench/qats/calib/calibtest"
	"github.com/qats-bench/qats/calib/internal/fit"
	"github.com/qats-bench/qats/calib/internal/method"
	"github.com/qats-bench/qats/calib/internal/testset"
	"github.com/qats-bench/qats/data"
	"github.com/qats-bench/qats/internal/stretch"
)

// The reference, with rows of equal confidence in one block, is
//
//	u, inv, cnt = np.unique(np.round(conf, 12), return_inverse=True, return_counts=True)
//	order = np.argsort(conf, kind="stable"); s = conf[order]; t = np.linspace(0, 1, n)
//	D = np.cumsum((np.bincount(inv, hit)/cnt)[inv][order] - s)/n; kx = np.linspace(0, 1, 6)
//	B = columns CubicSpline(kx, e_j, bc_type="natural")(t); ky = np.linalg.lstsq(B, D)[0]
//	new = s + CubicSpline(kx, ky, bc_type="natural")(t, 1)
//	np.clip(np.interp(x, u, np.bincount(inv[order], new)/cnt), 0, 1)
func TestSplineIsThatOfPython(t *testing.T) {
	m := calib.Unmixed(calibtest.Fit(t, SplineEntry, testset.Lattice(400, 5), nil).Map).(splineMap)
	if len(m.X) != 394 {
		t.Errorf("%d confidences, want 394", len(m.X))
	}
	for _, c := range [][2]float64{
		{0, 0.04472481967924499}, {0.3, 0.1303662475746268}, {0.5, 0.29317505255555293}, {0.7, 0.3673779305603767},
		{0.9, 0.652459118192544}, {0.99, 0.9227376273295176}, {1, 0.9587216378125197},
	} {
		if got := m.confidence(stretch.Of(c[0], 1-c[0])); !(math.Abs(got-c[1]) <= 1e-11) {
			t.Errorf("at %v: %.17g, want %.17g", c[0], got, c[1])
		}
	}
}

// The least squares fit of points on a natural cubic spline is that spline, with its
// slope.
func TestSplineRecoversSplines(t *testing.T) {
	for _, knots := range []int{2, 3, 6, 12} {
		s := naturalBasis(knots)
		rng := rand.New(rand.NewPCG(1, uint64(knots)))
		want := make([]float64, knots)
		for j := range want {
			want[j] = rng.NormFloat64()
		}
		value := func(t float64) float64 { return s.value(want, t) }
		at, y := make([]float64, 200), make([]float64, 200)
		for i := range y {
			at[i] = float64(i) / 199
			y[i] = value(at[i])
		}
		if got, err := s.leastSquares(y, at); err != nil || !testset.Near(got, want, 1e-9) {
			t.Errorf("%d knots: %v, %v; want %v", knots, got, err, want)
		}
		for j := range knots {
			if got := value(float64(j) / float64(knots-1)); !(math.Abs(got-want[j]) <= 1e-14) {
				t.Errorf("%d knots: value at knot %d is %v, want %v", knots, j, got, want[j])
			}
		}
		const h = 1e-5
		for _, x := range []float64{0.01, 0.2, 0.37, 0.5, 0.99} {
			if got, d := s.slope(want, x), (value(x+h)-value(x-h))/(2*h); !(math.Abs(got-d) <= 1e-6) {
				t.Errorf("%d knots: slope at %v is %v, differences %v", knots, x, got, d)
			}
		}
		if bend := (value(0) - 2*value(h) + value(2*h)) / (h * h); !(math.Abs(bend) <= 0.1*float64(knots*knots*knots)) {
			t.Errorf("%d knots: curvature %v at the end", knots, bend)
		}
	}
}

// Rows whose accuracy is their confidence keep their confidence.
func TestSplineKeepsCalibratedRows(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 2))
	rows := make([]method.TopRow, 20000)
	for i := range rows {
		rows[i] = rowOf(0.3 + 0.7*rng.Float64())
		rows[i].Hit = rng.Float64() < method.TopConf(rows[i].Tail)
	}
	m := mustSpline(t, rows, 6)
	for conf := 0.32; conf < 1; conf += 0.02 {
		if got := m.confidence(stretch.Of(conf, 1-conf)); !(math.Abs(got-conf) <= 0.05) { // about 3 standard errors of a slope over a fifth of the rows, more at the ends
			t.Errorf("%v becomes %v", conf, got)
		}
	}
}

// The order of rows of equal confidence does not matter.
func TestSplineDoesNotDependOnTheOrderOfTies(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	rows := make([]method.TopRow, 300)
	for i := range rows {
		rows[i] = rowOf(float64(20+rng.IntN(20)) / 40)
		rows[i].Hit = rng.IntN(2) == 1
	}
	m := mustSpline(t, slices.Clone(rows), 6)
	rng.Shuffle(len(rows), func(i, j int) { rows[i], rows[j] = rows[j], rows[i] })
	other := mustSpline(t, rows, 6)
	if !slices.Equal(m.X, other.X) || !slices.Equal(m.Y, other.Y) || len(m.X) > 20 {
		t.Errorf("%v\n%v", m, other)
	}
}

// The top class gets the new confidence, the others keep their proportions.
func TestSplineKeepsTheProportionsOfTheOthers(t *testing.T) {
	set := testset.Lattice(200, 4)
	m := calib.Unmixed(calibtest.Fit(t, SplineEntry, set, nil).Map).(splineMap)
	raw, q := calibtest.Softmax(t, set.Logits), calibtest.Apply(m, set.Logits)
	for i := range q.Rows {
		p, top := raw.Row(i), fit.TopClass(set.Logits.Row(i))
		want := make([]float64, 4)
		conf := m.confidence(stretch.Of(p[top], 1-p[top]))
		for j := range want {
			want[j] = p[j] * (1 - conf) / (1 - p[top])
		}
		want[top] = conf
		if !testset.Near(q.Row(i), want, 1e-9) {
			t.Errorf("row %d: %v, want %v", i, q.Row(i), want)
		}
	}
}

func TestSplineRejectsBadOptions(t *testing.T) {
	for _, knots := range []int{1, 0, maxKnots + 1} {
		if _, err := calibtest.Method(SplineEntry, map[string]any{"knots": knots}); err == nil || !strings.Contains(err.Error(), "knots: ") {
			t.Errorf("%d knots: %v", knots, err)
		}
	}
}

// If there are fewer rows than knots, there are as many knots as rows. One row has the
// confidence 0 or 1 before its mass of 1/3.
func TestSplineOfFewRows(t *testing.T) {
	equal := &data.Set{Logits: data.NewMatrix(3, 2), Labels: []int32{0, 1, 1}}
	// D falls from -1/18 to -1/6 over the three rows: slope -1/9.
	if q := calibtest.Apply(calibtest.Fit(t, SplineEntry, equal, nil).Map, equal.Logits); !testset.Near(q.Row(0), []float64{0.5 - 1./9, 0.5 + 1./9}, 1e-10) {
		t.Errorf("three equal rows, one right: %v", q.Row(0))
	}
	for label, want := range []float64{5. / 6, 1. / 6} {
		one := &data.Set{Logits: data.Matrix{Rows: 1, Cols: 2, Data: []float32{2, 1}}, Labels: []int32{int32(label)}}
		if q := calibtest.Apply(calibtest.Fit(t, SplineEntry, one, nil).Map, one.Logits); !(math.Abs(q.Row(0)[0]-want) <= 1e-10) {
			t.Errorf("label %d: %v", label, q.Row(0))
		}
	}
}

// rowOf returns a wrong row of the given confidence.
func rowOf(conf float64) method.TopRow { return method.TopRow{Tail: (1 - conf) / conf} }

func mustSpline(t *testing.T, rows []method.TopRow, knots int) splineMap {
	t.Helper()
	m, err := fitSpline(rows, knots)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// value returns the spline with the given values at the knots.
func (b basis) value(y []float64, t float64) float64 {
	sum := 0.0
	for j := range b {
		sum += float64(y[j] * b[j].Predict(t))
	}
	return sum
}
