package simulate_test

import (
	"context"
	"encoding/json"
	"os"
	"slices"
	"testing"

	"github.com/qats-bench/qats/calib"
	"github.com/qats-bench/qats/calib/report"
	"github.com/qats-bench/qats/data"
	"github.com/qats-bench/qats/data/simulate"
)

// known are the networks of the tests, with their constants.
func known() ([]simulate.Solved, error) {
	f, err := os.Open("testdata/networks.jsonl")
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return simulate.ReadSolved(f)
}

// TestTiltDecidesWhetherTheBoundOfQaTSIsActive: a >= 0 is active for negative tilts
// only, and b stays away from its bound for mild ones.
func TestTiltDecidesWhetherTheBoundOfQaTSIsActive(t *testing.T) {
	for _, c := range []struct {
		tilt   float64
		active bool
	}{{-1, true}, {-0.5, true}, {0.5, false}, {1, false}} {
		for _, w := range []simulate.Network{
			{Name: "few", Classes: 10, Width: 32, Accuracy: 0.8, ECE: 0.1},
			{Name: "many", Classes: 100, Width: 64, Accuracy: 0.78, ECE: 0.086},
			{Name: "tail", Classes: 20, Width: 32, Accuracy: 0.5, ECE: 0.4, Imbalance: 100},
		} {
			if testing.Short() && w.Name != "few" {
				continue
			}
			w.Tilt, w.CalRows = c.tilt, 3000
			src := simulate.New(func(data.Ref) (simulate.Network, bool) { return w, true }, known)
			set, err := data.Load(context.Background(), src, data.Ref{Split: data.Cal}, data.Logits|data.Labels)
			if err != nil {
				t.Fatal(err)
			}
			fit, err := calib.QaTS{}.Fit(context.Background(), calib.Input{Cal: set})
			if err != nil {
				t.Fatal(err)
			}
			text, err := json.Marshal(fit.Map)
			if err != nil {
				t.Fatal(err)
			}
			var p struct{ A, B float64 }
			if err := json.Unmarshal(text, &p); err != nil {
				t.Fatal(err)
			}
			bounds := fit.Report.AtBound
			if c.active != slices.Contains(bounds, report.AtLeast("a", 0, 0)) || !c.active && (len(bounds) > 0 || p.A < 0.1 || p.B < 0.1) {
				t.Errorf("%s, tilt %g: a %.4f, b %.4f, bounds %v", w.Name, c.tilt, p.A, p.B, bounds)
			}
		}
	}
}
