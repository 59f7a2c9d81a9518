package temperature

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/qats-bench/qats/calib"
	"github.com/qats-bench/qats/calib/calibtest"
	"github.com/qats-bench/qats/data"
)

// The derivatives of the temperature are those by differences.
func TestDerivativesOfBoundedHTS(t *testing.T) {
	const d = 1e-5
	for _, m := range []htsBoundedMap{{2, 1.5, .3, .7}, {.7, 4, -.2, -1}, {30, 1.01, .01, 0}, {1, 1000, 1, 2}} {
		for _, h := range []float64{-20, -3, -1, -.1, 0} {
			at := func(shift float64) (t, rate float64) {
				n := m
				n.B += shift
				t, rate, _ = n.derivatives(h)
				return t, rate
			}
			_, rate, bend := m.derivatives(h)
			up, r1 := at(d)
			down, r0 := at(-d)
			if got := (up - down) / (2 * d); !(math.Abs(got-rate) <= 1e-6*(1+m.T)) {
				t.Errorf("%+v at %g: first derivative %g, by differences %g", m, h, rate, got)
			}
			if got := (r1 - r0) / (2 * d); !(math.Abs(got-rate*bend) <= 1e-5*(1+m.T)*(1+math.Abs(bend))) {
				t.Errorf("%+v at %g: second derivative %g, by differences %g", m, h, rate*bend, got)
			}
		}
	}
}

// No temperature, of calibration rows or of others, is beyond the bounds, and the NLL is not above that of ts.
func TestHTSIsBounded(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	cal := &data.Set{Logits: data.NewMatrix(60, 2), Labels: make([]int32, 60)}
	for i := range cal.Labels { // sure rows are right, and others are often wrong
		gap := 1 + float32(i)/2
		cal.Logits.Row(i)[0] = gap
		if i < 30 && rng.IntN(3) == 0 {
			cal.Labels[i] = 1
		}
	}
	f, err := calib.Fit(t.Context(), BoundedEntropyScaling{}, cal)
	if err != nil {
		t.Fatal(err)
	}
	ts, err := calib.Fit(t.Context(), calib.TemperatureScaling{}, cal)
	if err != nil {
		t.Fatal(err)
	}
	t0 := ts.Map.(calib.Temperature).T
	if f.Report.NLL > ts.Report.NLL+1e-12 {
		t.Errorf("NLL %g, of ts %g", f.Report.NLL, ts.Report.NLL)
	}
	free := calibtest.Map(t, EntropyTemperatureScaling{}, cal).(htsMap)
	if free.temperature(-25) > t0/5 {
		t.Errorf("hts gives sure rows T = %g, and ts %g: the set shows nothing", free.temperature(-25), t0)
	}
	m := f.Map.(htsBoundedMap)
	for h := -60.; h <= 0; h++ {
		if temperature, _, _ := m.derivatives(h); temperature < t0/1.5*(1-1e-12) || temperature > t0*1.5*(1+1e-12) {
			t.Errorf("T = %g at log h = %g, and %g of ts", temperature, h, t0)
		}
	}
}
