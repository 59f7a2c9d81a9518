package all

import (
	"math"
	"slices"
	"testing"

	"github.com/qats-bench/qats/calib"
	"github.com/qats-bench/qats/calib/calibtest"
	"github.com/qats-bench/qats/calib/internal/fit"
	"github.com/qats-bench/qats/calib/internal/testset"
	"github.com/qats-bench/qats/data"
)

// solved are the steps and passes of methods whose solvers have the same bits on every
// processor, on the set of TestReportsAreOfTheMap. A change of a solver changes them. By
// hand: ts takes three steps in four passes, methods that find a = 0 read the rows once
// more to rank them, and those of one function of each class read them once.
var solved = map[string][2]float64{
	"uncal": {0, 0}, "ts": {4, 5}, "ts-guo50": {50, 51}, "ts-ecegrid": {100, 101}, "ec": {5, 6}, "cts": {8, 8}, "ets": {29, 7},
	"ir": {0, 3}, "ir-top": {0, 1}, "irova": {0, 1}, "cir": {0, 1}, "ivap": {0, 2}, "cvap": {0, 2}, "hb": {0, 1}, "hb-mass": {0, 1}, "hb-top": {0, 1},
	"bbq": {0, 1}, "scaling-binning": {28, 1}, "scaling-binning-top": {7, 1}, "spline": {0, 1}, "platt": {20, 1}, "platt-logits": {22, 1}, "quadratic": {29, 1},
	"beta": {31, 1}, "adats": {6, 2.56}, "hts": {10, 13}, "bts": {69, 34. / 3}, "cbt": {85, 23. / 3}, "pts": {30, 36}, "smart": {20, 21}, "featclip": {12, 3512. / 300},
	"dac": {8, 16}, "procal": {0, 1}, "procal-bins": {0, 3}, "hfe-noood": {7, 13}, "hfe-target": {16, 22}, "qats": {4, 6}, "qats-pw": {4, 6},
	"qats-transductive": {4, 6}, "t-conf": {4, 6}, "t-entropy": {4, 6}, "t-gap": {4, 6}, "tta-ts": {4, 5},
}

// warned are the warnings on that set; other methods have none.
var warned = map[string]string{
	"ts-guo50": "stops short of the minimum by design: gradient 0.23 after 50 steps", "smart": "the loss still fell 0 epochs before the last of 20",
	"gc-split":  "groups on a random half of the calibration set, temperatures on the other; the authors use a second labelled set",
	"hfe-noood": "theta1 at its upper bound", "qats": "a = 0, so equal to TS", "qats-reading": "a = 0, so equal to TS", "qats-pw": "no increments, so equal to TS",
	"qats-transductive": "a = 0, so equal to TS", "t-conf": "a = 0, so equal to TS", "t-entropy": "a = 0, so equal to TS", "t-gap": "a = 0, so equal to TS",
	"qats-top": "a = 0: the fit is that of ts-top",
}

// Every fit reports the NLL of its map on the calibration rows, floored as the metric
// is, the steps and passes of all its parts, at least those of ts where it begins with
// ts, and warns only where there is a reason.
func TestReportsAreOfTheMap(t *testing.T) {
	set := testset.SignedHead(300, 4, 6, 1, 3)
	few := map[string]map[string]any{
		"adats": {"epochs": 2, "hidden": 8}, "pts": {"steps": 30}, "smart": {"epochs": 20},
		"dirichlet": {"folds": 2}, "ms-odir": {"folds": 2}, "hfe-target": {"m": 40},
	}
	flat := calibtest.Fit(t, calib.TSEntry, set, nil).Report
	begins := []string{"vs", "svs", "sms", "gc", "gc-split", "label-shift", "qats-free", "qats-pw-free"}
	for _, entry := range Registry() {
		if entry.Name == "hfe" { // needs rows of no class
			continue
		}
		method, err := calibtest.Method(entry, few[entry.Name])
		if err != nil {
			t.Fatal(err)
		}
		f, err := calib.FitInput(t.Context(), method, calib.Input{Cal: set, Target: set})
		if err != nil {
			t.Errorf("%s: %v", entry.Name, err)
			continue
		}
		r, nll := f.Report, 0.0
		if _, top := f.Map.(calib.TopLabel); !top && entry.Name != "uncal" {
			q := data.NewProbs(set.Logits.Rows, set.Logits.Cols)
			calib.Apply(f.Map, q, set)
			for i, y := range set.Labels {
				nll -= math.Log(max(q.Row(i)[y], fit.LeastProb)) / float64(q.Rows)
			}
		}
		if !(math.Abs(r.NLL-nll) <= 1e-12) {
			t.Errorf("%s: NLL %v reported, %v of the map", entry.Name, r.NLL, nll)
		}
		if got := r.Warnings.String(); got != warned[entry.Name] {
			t.Errorf("%s warns: %q, want %q", entry.Name, got, warned[entry.Name])
		}
		want, known := solved[entry.Name]
		switch {
		case known && (float64(r.Iterations) != want[0] || !(math.Abs(r.Passes-want[1]) <= 1e-12)):
			t.Errorf("%s: %d steps and %v passes, want %v", entry.Name, r.Iterations, r.Passes, want)
		case !known && slices.Contains(begins, entry.Name) && (r.Iterations <= flat.Iterations || r.Passes <= flat.Passes+1):
			t.Errorf("%s: %d steps and %v passes; ts alone %d and %v", entry.Name, r.Iterations, r.Passes, flat.Iterations, flat.Passes)
		case !known && (r.Iterations < 0 || r.Passes < 1):
			t.Errorf("%s: %d steps and %v passes", entry.Name, r.Iterations, r.Passes)
		}
	}
}
