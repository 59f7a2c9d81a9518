package linear

import (
	"math"
	"testing"

	"github.com/qats-bench/qats/calib"
	"github.com/qats-bench/qats/calib/calibtest"
	"github.com/qats-bench/qats/calib/internal/testset"
)

// ridgeLoss is the penalised loss of one class, by its definition.
func ridgeLoss(z []float64, positive []bool, a, c, b, lambda float64) float64 {
	n := float64(len(z))
	var m1, m2, v1, v2 float64
	for _, x := range z {
		m1 += x / n
		m2 += x * x / n
	}
	for _, x := range z {
		v1 += (x - m1) * (x - m1) / n
		v2 += (x*x - m2) * (x*x - m2) / n
	}
	loss := 0.0
	for i, x := range z {
		s := a*x + c*x*x + b
		loss += math.Log1p(math.Exp(-math.Abs(s))) + max(s, 0)
		if positive[i] {
			loss -= s
		}
	}
	alpha, gamma := (a-1)*math.Sqrt(v1), c*math.Sqrt(v2)
	beta := b + (a-1)*m1 + c*m2
	return loss/n + lambda/(2*n)*(alpha*alpha+gamma*gamma+beta*beta)
}

// The fit is the minimum of the penalised loss, which is convex: each of its derivatives, by differences, is 0.
func TestQuadraticRidgeIsAtTheMinimum(t *testing.T) {
	const k = 4
	set := testset.Drawn(300, k, 2, 5)
	for _, lambda := range []float64{.1, 10, 1e4} {
		f, err := calib.FitInput(t.Context(), QuadraticRidge{Lambda: lambda}, calib.Input{Cal: set})
		if err != nil {
			t.Fatal(err)
		}
		m := f.Map.(quadraticRidgeMap)
		p := calibtest.Softmax(t, quotients(set.Logits, m.T))
		for j := range k {
			z, positive := make([]float64, p.Rows), make([]bool, p.Rows)
			for i, y := range set.Labels {
				z[i], positive[i] = math.Log(p.Row(i)[j])-math.Log1p(-p.Row(i)[j]), int(y) == j
			}
			const h = 1e-4
			at := func(d [3]float64) float64 {
				return ridgeLoss(z, positive, m.A[j]+d[0], m.C[j]+d[1], m.B[j]+d[2], lambda)
			}
			for c := range 3 {
				var up, down [3]float64
				up[c], down[c] = h, -h
				if slope := (at(up) - at(down)) / (2 * h); !(math.Abs(slope) <= 1e-6) {
					t.Errorf("lambda %g, class %d: derivative %d is %g", lambda, j, c, slope)
				}
			}
		}
	}
}

// A large penalty gives ts.
func TestQuadraticRidgeWithALargePenaltyIsTS(t *testing.T) {
	set := testset.Drawn(300, 4, 2, 6)
	f, err := calib.FitInput(t.Context(), QuadraticRidge{Lambda: 1e9}, calib.Input{Cal: set})
	if err != nil {
		t.Fatal(err)
	}
	got, want := calibtest.Apply(f.Map, set.Logits), calibtest.Apply(calibtest.Map(t, calib.TemperatureScaling{}, set), set.Logits)
	for i, q := range got.Data {
		if !(math.Abs(q-want.Data[i]) <= 1e-5) {
			t.Fatalf("element %d: %v, ts %v", i, q, want.Data[i])
		}
	}
}

// Without calibration rows of some classes, a row of such a class costs quadratic hundreds of nats, and the ridge little more than ts.
func TestQuadraticRidgeOfAbsentClasses(t *testing.T) {
	cal, test := testset.Drawn(200, 30, 2, 7), testset.Drawn(400, 30, 2, 8)
	for i, y := range cal.Labels {
		if y >= 20 {
			cal.Labels[i] -= 20
		}
	}
	loss := func(m calib.Method) float64 {
		q, sum := calibtest.Apply(calibtest.Map(t, m, cal), test.Logits), 0.0
		for i, y := range test.Labels {
			sum -= math.Log(max(q.Row(i)[y], 1e-300))
		}
		return sum / float64(q.Rows)
	}
	ts, ridge, plain := loss(calib.TemperatureScaling{}), loss(QuadraticRidge{}), loss(Quadratic{})
	if !(ridge <= ts+1 && plain > ts+10) {
		t.Errorf("NLL %g, of ts %g, of quadratic %g", ridge, ts, plain)
	}
}
