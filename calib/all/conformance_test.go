package all_test

import (
	"testing"

	"github.com/qats-bench/qats/calib/all"
	"github.com/qats-bench/qats/calib/calibtest"
)

// claims are the promises of methods beyond their contracts. A method without a
// line makes none, and has the tolerance 1e-12.
func claims() map[string]calibtest.Claims {
	return map[string]calibtest.Claims{
		// The minimum over a family of maps that contains T = 1.
		"ts":                {MinimisesNLL: true},
		"hts":               {MinimisesNLL: true},
		"qats":              {MinimisesNLL: true},
		"qats-pw":           {MinimisesNLL: true},
		"qats-free":         {MinimisesNLL: true},
		"qats-pw-free":      {MinimisesNLL: true},
		"qats-transductive": {MinimisesNLL: true},
		"qats-reading":      {MinimisesNLL: true},
		"t-conf":            {MinimisesNLL: true},
		"t-entropy":         {MinimisesNLL: true},
		"t-gap":             {MinimisesNLL: true},
		// Solvers of many parameters end at a gradient of 1e-7; folds cost time.
		"vs":        {MinimisesNLL: true, Tolerance: 1e-6},
		"svs":       {Tolerance: 1e-6},
		"sms":       {Tolerance: 1e-6},
		"dirichlet": {Tolerance: 1e-6, Options: map[string]any{"folds": 2}},
		"ms-odir":   {Tolerance: 1e-6, Options: map[string]any{"folds": 2}},
		// For 100 rows the default takes 2 target rows, which are too few to
		// change the fit.
		"hfe-target": {Options: map[string]any{"m": 40}},
		// The descent ends at a gradient of 1e-7, and EM goes on from there.
		"label-shift": {Tolerance: 1e-5},
		// The promises also hold for a few partitions and folds, and for a small network
		// after a short training.
		"gc":            {Options: map[string]any{"partitions": 4}},
		"gc-split":      {Options: map[string]any{"partitions": 4}},
		"cvap":          {Options: map[string]any{"folds": 2}},
		"adats":         {Options: map[string]any{"epochs": 2, "hidden": 8, "draws": 2}},
		"pts":           {Options: map[string]any{"steps": 30}},
		"smart":         {Options: map[string]any{"epochs": 12}},
		"h-calibration": {Options: map[string]any{"epochs": 12}},
	}
}

func TestConformance(t *testing.T) {
	for _, entry := range all.Registry() {
		t.Run(entry.Name, func(t *testing.T) {
			t.Parallel()
			calibtest.Run(t, entry, claims()[entry.Name])
		})
	}
	for name := range claims() {
		if _, ok := all.Lookup(name); !ok {
			t.Errorf("claims of %q, which is not registered", name)
		}
	}
}

// The readings of QaTS keep the promises of the suite for each of their options.
func TestConformanceOfReadings(t *testing.T) {
	entry, _ := all.Lookup("qats-reading")
	for name, options := range map[string]map[string]any{
		"brier": {"loss": "brier"}, "rising": {"form": "rising"}, "rising brier": {"form": "rising", "loss": "brier"},
		"constant brier": {"form": "constant", "loss": "brier"}, "adam": {"solver": "adam", "steps": 20}, "adam brier": {"solver": "adam", "steps": 20, "loss": "brier", "form": "rising"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			calibtest.Run(t, entry, calibtest.Claims{Options: options})
		})
	}
}
