package fit

import (
	"context"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/qats-bench/qats/calib/internal/testset"
	"github.com/qats-bench/qats/internal/cputime"
)

// cache is a Cache, as calib.Shared is.
type cache struct{ atomic.Value }

// TestASharedTemperatureCountsForEachFit: a fit that finds T already made has the
// processor time of making it, as if it were alone.
func TestASharedTemperatureCountsForEachFit(t *testing.T) {
	shared := &cache{}
	shared.Store(&temperatureFit{t: 1.5, spent: time.Hour})
	spent, _, err := cputime.Measure(t.Context(), func(ctx context.Context) error {
		got, _, err := Temperature(ctx, &Objective{Shared: shared})
		if got != 1.5 {
			t.Errorf("T = %v, want 1.5", got)
		}
		return err
	})
	if err != nil || spent < time.Hour || spent > 2*time.Hour {
		t.Errorf("%v, error %v; want the hour of the first fit", spent, err)
	}
}

// A curve that finds the temperature already made has the same bits, from one more pass,
// and ends if that pass is cancelled.
func TestCurveOfASharedTemperatureHasTheSameBits(t *testing.T) {
	set := testset.Simulated(700, 5, 3, 1.7, 1)
	q, err := Tails(t.Context(), set.Logits)
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(q)
	fitted := func(ctx context.Context, shared Cache) ([]float64, error) {
		o, err := NewObjective(set)
		if err != nil {
			t.Fatal(err)
		}
		o.Shared = shared
		x, _, err := TemperatureCurve(ctx, func(string, float64) {}, o, q, Curve{Segments: 4, Free: false})
		return x, err
	}
	want, err := fitted(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	shared := &cache{}
	o, err := NewObjective(set)
	if err != nil {
		t.Fatal(err)
	}
	o.Shared = shared
	if _, _, err := Temperature(t.Context(), o); err != nil || !shared.Load().(*temperatureFit).near {
		t.Fatalf("the last pass was near is %v (%v)", shared.Load().(*temperatureFit).near, err)
	}
	if got, err := fitted(t.Context(), shared); err != nil || !slices.Equal(got, want) {
		t.Errorf("with a shared temperature %v (%v), alone %v", got, err, want)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if x, err := fitted(ctx, shared); err == nil {
		t.Errorf("cancelled: %v and no error", x)
	}
}
