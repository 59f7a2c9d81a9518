package fit

import (
	"context"
	"testing"
	"time"

	"github.com/qats-bench/qats/internal/cputime"
)

// TestASharedTemperatureCountsForEachFit: a fit that finds T already made has the
// processor time of making it, as if it were alone.
func TestASharedTemperatureCountsForEachFit(t *testing.T) {
	shared := &Shared{whole: &temperatureFit{t: 1.5, spent: time.Hour}}
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
