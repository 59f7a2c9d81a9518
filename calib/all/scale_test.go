package all

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/qats-bench/qats/calib"
	"github.com/qats-bench/qats/calib/internal/testset"
	"github.com/qats-bench/qats/data"
)

// overconfident returns n rows of k classes whose logits, divided by 2.5, are calibrated.
func overconfident(n, k int, seed uint64) *data.Set {
	r := rand.New(rand.NewPCG(seed, uint64(k)))
	s := &data.Set{Logits: data.NewMatrix(n, k), Labels: make([]int32, n)}
	for i := range n {
		row, sum := s.Logits.Row(i), 0.0
		p := make([]float64, k)
		for j := range row {
			l := 2 * r.NormFloat64()
			row[j] = float32(2.5 * l)
			p[j] = math.Exp(l)
			sum += p[j]
		}
		u := r.Float64() * sum
		for j := 0; j < k-1 && u > p[j]; j++ {
			u -= p[j]
			s.Labels[i]++
		}
	}
	return s
}

// times returns the set with its logits multiplied by a number.
func times(s *data.Set, by float64) *data.Set {
	t := &data.Set{Logits: data.NewMatrix(s.Logits.Rows, s.Logits.Cols), Labels: s.Labels}
	for i, l := range s.Logits.Data {
		t.Logits.Data[i] = float32(by * float64(l))
	}
	return t
}

// nllOf returns the mean NLL of a fit of a method on a set.
func nllOf(t *testing.T, e calib.Entry, s *data.Set) float64 {
	t.Helper()
	f, err := calib.Fit(t.Context(), e.Method, s)
	if err != nil {
		t.Fatalf("%s: %v", e.Name, err)
	}
	q, err := f.Probabilities(s)
	if err != nil {
		t.Fatalf("%s: %v", e.Name, err)
	}
	sum := 0.0
	for i, y := range s.Labels {
		sum -= math.Log(max(q.Row(i)[y], 1e-300))
	}
	return sum / float64(len(s.Labels))
}

// scales are powers of two, so that the logits keep their digits, and others.
func scales() []float64 {
	return []float64{0x1p-20, 1e-6, 1e-3, 0.02, 30, 500, 0x1p12, 1e5, 1e7, 1e9, 0x1p30}
}

// The fit of a multiple of the logits is the fit, rescaled: scores of a support vector machine
// on features of a million, or of a network divided by a million, are calibrated as well.
func TestMethodsWithoutAScaleOfTheirOwn(t *testing.T) {
	for method, classes := range map[string][]int{
		"ts": {2, 5}, "vs": {2, 5}, "svs": {2, 5}, "sms": {2, 5}, "platt-logits": {2}, "quadratic": {2},
	} {
		e, _ := Lookup(method)
		for _, k := range classes {
			for _, n := range []int{300, 3000} {
				s := overconfident(n, k, 1)
				want := nllOf(t, e, s)
				for _, by := range scales() {
					if got := nllOf(t, e, times(s, by)); !(math.Abs(got-want) <= 1e-6) {
						t.Errorf("%s, %d classes, %d rows: NLL %.9g of %g times the logits, %.9g of the logits", method, k, n, got, by, want)
					}
				}
			}
		}
	}
}

// Methods whose definition has a scale do not lose to ts where it does not suit the logits.
func TestOtherMethodsAreNotWorseThanTSAtAnyScale(t *testing.T) {
	ts, _ := Lookup("ts")
	for _, method := range []string{"qats", "qats-free", "qats-pw", "qats-pw-free", "t-conf", "t-entropy", "t-gap", "hts", "bts",
		"dirichlet", "ms-odir", "platt-logits", "quadratic", "beta", "irova"} {
		e, ok := Lookup(method)
		if !ok {
			t.Fatal(method)
		}
		for _, k := range []int{2, 5} {
			s := overconfident(400, k, 2)
			for _, by := range scales() {
				scaled := times(s, by)
				if got, most := nllOf(t, e, scaled), nllOf(t, ts, scaled); !(got <= most+1e-9) {
					t.Errorf("%s, %d classes: NLL %.9g of %g times the logits, that of ts is %.9g", method, k, got, by, most)
				}
			}
		}
	}
}

// Methods that beat ts on a network beat it on multiples of its logits too.
func TestMethodsAreNotWorseThanTSOnMultiplesOfANetwork(t *testing.T) {
	ts, _ := Lookup("ts")
	for network, methods := range map[string][]string{
		"20newsgroups-body/transformer-d64-l2": {"ir", "irova", "ivap", "smoothing-spline", "kernel", "platt-logits", "quadratic", "beta", "dirichlet", "ms-odir", "cbt"},
		"pneumoniamnist-28/resnet18-w64":       {"ir", "irova", "ivap", "platt-logits", "quadratic", "beta", "dirichlet", "ms-odir"},
	} {
		if testing.Short() && network[0] == '2' {
			continue
		}
		s := testset.Real(t, network, data.Cal, testset.Labelled)
		for _, by := range []float64{1e-6, 1e-3, 1, 1e3, 1e5, 1e9} {
			scaled := times(s, by)
			most := nllOf(t, ts, scaled)
			for _, method := range methods {
				e, _ := Lookup(method)
				if got := nllOf(t, e, scaled); !(got <= most) {
					t.Errorf("%s of %s: NLL %.9g of %g times the logits, that of ts is %.9g", method, network, got, by, most)
				}
			}
		}
	}
}

// ets is fitted by squared error, so its NLL may be above that of ts. Its temperature follows
// the logits all the same: at every scale its squared error is at most that of ts and of no
// calibration.
func TestETSFollowsTheLogits(t *testing.T) {
	brier := func(method string, s *data.Set) float64 {
		e, _ := Lookup(method)
		f, err := calib.Fit(t.Context(), e.Method, s)
		if err != nil {
			t.Fatal(err)
		}
		q, err := f.Probabilities(s)
		if err != nil {
			t.Fatal(err)
		}
		sum := 0.0
		for i, y := range s.Labels {
			for j, p := range q.Row(i) {
				if j == int(y) {
					p--
				}
				sum += p * p
			}
		}
		return sum / float64(len(s.Labels))
	}
	for _, k := range []int{2, 5} {
		s := overconfident(400, k, 2)
		for _, by := range scales() {
			scaled := times(s, by)
			if got, most := brier("ets", scaled), min(brier("ts", scaled), brier("uncal", scaled)); !(got <= most+1e-9) {
				t.Errorf("%d classes: squared error %.9g of %g times the logits, want at most %.9g", k, got, by, most)
			}
		}
	}
}

// Rows with one class left, and -1e9 for the others, do not decide whether logits are divided: the fit is as good as that with -1e4,
// of which the softmax is the same.
func TestLargeFillsOfFewRowsDecideNothing(t *testing.T) {
	const n, k = 1000, 10
	filled := func(fill float32) *data.Set {
		s := overconfident(n, k, 7)
		for i := range n {
			row, y := s.Logits.Row(i), int(s.Labels[i])
			for j := range row {
				if j != y && (i < 4 || (i*7+j*3)%11 < 4) {
					row[j] = fill
				}
			}
		}
		return s
	}
	for _, method := range []string{"ir", "irova", "hb", "spline", "cts", "cbt", "ec", "dirichlet", "kernel", "beta", "platt", "scaling-binning"} {
		e, _ := Lookup(method)
		want, got := nllOf(t, e, filled(-1e4)), nllOf(t, e, filled(-1e9))
		if !(math.Abs(got-want) <= 1e-3) {
			t.Errorf("%s: NLL %.4f with -1e9, %.4f with -1e4", method, got, want)
		}
	}
}
