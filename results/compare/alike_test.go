package compare

import (
	"fmt"
	"math"
	"testing"

	"github.com/qats-bench/qats/results"
)

// alikeOf compares methods with qats over n data sets, by differences in points.
func alikeOf(t *testing.T, metric string, n int, methods map[string]func(i int) float64) map[string]Row {
	t.Helper()
	var records []results.Record
	for i := range n {
		at := cell(fmt.Sprintf("d%02d", i), "x")
		for m, points := range methods {
			r := record(at, m, .1+points(i)/100)
			r.Metric = metric
			records = append(records, r)
		}
		r := record(at, "qats", .1)
		r.Metric = metric
		records = append(records, r)
	}
	rows := map[string]Row{}
	for _, r := range comparison(t, records, nil, Options{Metric: metric, Against: "qats"}).Rows {
		rows[r.Method] = r
	}
	return rows
}

// TestAlikeWithinTheSmallestMarginThatIsShown: the margin is that which the 90 % interval keeps within, a wide
// interval shows none, and an interval that ends at a margin does not keep within it.
func TestAlikeWithinTheSmallestMarginThatIsShown(t *testing.T) {
	spread := func(size float64) func(int) float64 {
		return func(i int) float64 { return size * (float64(i) - 5.5) / 5.5 }
	}
	for _, c := range []struct {
		size, margin float64
	}{{.1, .001}, {.4, .0025}, {.8, .005}, {3, 0}} {
		r := alikeOf(t, "ece", 12, map[string]func(int) float64{"ts": spread(c.size)})["ts"]
		if r.Margin != c.margin {
			t.Errorf("spread %g: alike within %g, want %g; the interval ends at %g", c.size, r.Margin, c.margin, r.End)
		}
		if r.Margin > 0 && r.End >= r.Margin {
			t.Errorf("spread %g: alike within %g, but the interval ends at %g", c.size, r.Margin, r.End)
		}
		if want := 1.43 * (r.Shift.Hi - r.Shift.Lo) / 2; math.Abs(r.Detectable()-want) > .001*want {
			t.Errorf("detectable %g, want %g", r.Detectable(), want)
		}
	}
}

// TestAlikeHasHolmsCorrection: what one method shows alone, it does not show beside many.
func TestAlikeHasHolmsCorrection(t *testing.T) {
	barely := func(i int) float64 { return .058 + .06*math.Mod(float64(7*i), 12)/12 }
	if r := alikeOf(t, "ece", 12, map[string]func(int) float64{"ts": barely})["ts"]; r.Margin != .001 {
		t.Fatalf("alone: alike within %g; the interval ends at %g", r.Margin, r.End)
	}
	methods := map[string]func(int) float64{"ts": barely}
	for i := range 8 {
		methods[fmt.Sprint("far", i)] = func(i int) float64 { return float64(i%5 - 2) }
	}
	if r := alikeOf(t, "ece", 12, methods)["ts"]; r.Margin != .0025 {
		t.Errorf("beside eight others: alike within %g", r.Margin)
	}
}

// TestNothingIsAlikeWithoutAMargin: NLL has no margin, and few blocks show nothing.
func TestNothingIsAlikeWithoutAMargin(t *testing.T) {
	same := map[string]func(int) float64{"ts": func(i int) float64 { return .0001 * float64(i%3) }}
	if r := alikeOf(t, "nll", 12, same)["ts"]; r.Margin != 0 || math.IsNaN(r.End) {
		t.Errorf("NLL: alike within %g, end %g", r.Margin, r.End)
	}
	if r := alikeOf(t, "ece", 4, same)["ts"]; r.Margin != 0 || !math.IsNaN(r.End) || !math.IsNaN(r.Detectable()) {
		t.Errorf("four blocks: %+v", r)
	}
}
