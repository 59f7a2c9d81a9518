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

// scales are the methods whose fit of a multiple of the logits may be worse than the fit of the logits
// themselves, with the reason and the bound; see calibtest.Scale.
func scales() map[string]calibtest.Scale {
	const (
		atOne   = "its definition reads the softmax at T = 1: multiples of usual size, up to 4 times here, are not divided"
		ranks   = "it compares probabilities: multiples of usual size, up to 256 times here, are not divided, and there few are between 0 and 1"
		trained = "it is trained from fixed weights by steps of fixed length, here a few: multiples of usual size are not divided"
	)
	return map[string]calibtest.Scale{
		"uncal":            {Most: 2, Why: "it is the softmax at T = 1"},
		"ts-guo50":         {Most: 2.3, Why: "50 steps of 0.01 from T = 1.5 do not leave [1, 2]"},
		"ts-ecegrid":       {Most: 2.3, Why: "its grid of T is 0.1 to 10"},
		"bts":              {Most: 0.03, Why: "its bins have edges of the confidence at T = 1"},
		"featclip":         {Most: 0.6, Why: "the features, which it clips, are not multiplied"},
		"cbt":              {Most: 0.03, Why: atOne},
		"cir":              {Most: 0.2, Why: ranks},
		"cvap":             {Most: 0.05, Why: ranks},
		"ir":               {Most: 0.06, Why: ranks},
		"irova":            {Most: 0.03, Why: ranks},
		"ivap":             {Most: 0.05, Why: ranks},
		"cts":              {Most: 0.15, Why: atOne},
		"hb":               {Most: 0.35, Why: atOne},
		"hb-top":           {Most: 0.09, Why: atOne},
		"bbq":              {Most: 0.11, Why: atOne},
		"ir-top":           {Most: 0.04, Why: atOne},
		"kernel":           {Most: 0.1, Why: atOne},
		"platt":            {Most: 0.11, Why: atOne},
		"procal":           {Most: 0.11, Why: atOne},
		"smoothing-spline": {Most: 0.03, Why: atOne},
		"adats":            {Most: 0.2, Why: trained},
		"smart":            {Most: 1.3, Why: trained},
		"h-calibration":    {Most: 0.3, Why: trained},
	}
}

// certainties are the methods of which a probability can be exactly 0 or 1 by underflow or rounding, with the reason; see
// calibtest.Certainty. Their saved maps have neither number.
func certainties() map[string]string {
	list := map[string]string{}
	for reason, names := range map[string][]string{
		"a temperature stays one: of rows that are all right it falls to its bound": {
			"ts", "ts-ecegrid", "ec", "cts", "ets", "ts-top", "qats-top", "tta-ts", "adats", "hts", "hts-bounded", "bts", "cbt", "pts", "smart",
			"gc", "gc-split", "dac", "hfe", "hfe-noood", "hfe-target", "qats", "qats-pw", "qats-free", "qats-pw-free", "qats-transductive",
			"qats-reading", "t-conf", "t-entropy", "t-gap"},
		"a function of the scores is positive, and of separated rows its slope is large": {
			"platt-top", "platt-logits", "quadratic", "quadratic-ridge", "beta", "beta-top", "vs", "dirichlet", "ms-odir", "smoothing-spline", "label-shift"},
		"the term 1e-9 p of the authors is positive, and lost beside 1":                 {"ir", "procal-bins"},
		"a density is positive, and far from all rows of a class it is next to nothing": {"kernel"},
	} {
		for _, name := range names {
			list[name] = reason
		}
	}
	return list
}

// claimed returns the claims of a method.
func claimed(name string) calibtest.Claims {
	c := claims()[name]
	c.Certainty.Why = certainties()[name]
	c.Certainty.Never = c.Certainty.Why == ""
	if c.Scale = scales()[name]; c.Scale.Most == 0 {
		c.Scale.Most = calibtest.ScaleMost
	}
	return c
}

func TestConformance(t *testing.T) {
	for _, entry := range all.Registry() {
		t.Run(entry.Name, func(t *testing.T) {
			t.Parallel()
			calibtest.Run(t, entry, claimed(entry.Name))
		})
	}
	for name := range claims() {
		if _, ok := all.Lookup(name); !ok {
			t.Errorf("claims of %q, which is not registered", name)
		}
	}
	for name := range certainties() {
		if _, ok := all.Lookup(name); !ok {
			t.Errorf("the certainty of %q, which is not registered", name)
		}
	}
	for name := range scales() {
		if _, ok := all.Lookup(name); !ok {
			t.Errorf("a scale of %q, which is not registered", name)
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
			claims := calibtest.Claims{Options: options}
			if options["solver"] == nil { // 20 steps do not reach the bound
				claims.Certainty.Why = certainties()["qats-reading"]
			}
			calibtest.Run(t, entry, claims)
		})
	}
}
