package engine

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/qats-bench/qats/calib"
	"github.com/qats-bench/qats/calib/all"
	"github.com/qats-bench/qats/data"
	"github.com/qats-bench/qats/metrics"
)

// Predictions with a confidence alone are scored under methods that take them, with the numbers of
// metrics.FromConfidences for uncal; other columns are left out with the reason.
func TestAConfidenceAloneIsScored(t *testing.T) {
	const n = 1000
	conf, correct := make([]float64, n), make([]bool, n)
	for i := range conf {
		conf[i], correct[i] = float64((7*i)%n)/n, (3*i)%10 < 6
	}
	set, err := data.FromConfidences(conf, correct, 0)
	if err != nil {
		t.Fatal(err)
	}
	var columns []*Column
	names := []string{"uncal", "ts", "qats", "ir-top", "ts-top", "qats-top"}
	for _, name := range names {
		e, _ := all.Lookup(name)
		c := &Column{Contract: e.Method.Contract()}
		columns = append(columns, c)
		if name == "ts" || name == "qats" {
			c.Map = calib.Temperature{T: 1}
			continue
		}
		f, err := calib.FitInput(context.Background(), e.Method, Input(c.Contract, set, nil))
		if err != nil {
			t.Fatal(name, err)
		}
		c.Map = f.Map
	}
	if err := Score(t.Context(), data.ReadRows(set), columns, ScoreOptions{Workers: 2}); err != nil {
		t.Fatal(err)
	}
	for i, c := range columns {
		var why *Unsuited
		if refused := names[i] == "ts" || names[i] == "qats"; errors.As(c.Err, &why) != refused || !refused && c.Err != nil {
			t.Errorf("%s: %v", names[i], c.Err)
		} else if !refused && (!c.Samples.TopLabel || !c.Samples.ConfidenceOnly || c.Samples.Len() != n) {
			t.Errorf("%s: %d rows, top label %v, alone %v", names[i], c.Samples.Len(), c.Samples.TopLabel, c.Samples.ConfidenceOnly)
		}
	}
	want, err := metrics.FromConfidences(conf, correct)
	if err != nil {
		t.Fatal(err)
	}
	got := metrics.Of(columns[0].Samples)
	if !slices.Equal(columns[0].Samples.Conf, conf) {
		t.Error("uncal changes a confidence")
	}
	for _, name := range []string{"ece", "aece", "nll_top", "brier_top", "auroc", "aurc"} {
		a, err := metrics.Value(name, got)
		b, err2 := metrics.Value(name, want)
		if err != nil || err2 != nil || a != b {
			t.Errorf("%s: %v (%v), want %v (%v)", name, a, err, b, err2)
		}
	}
	for _, name := range []string{"nll", "brier", "ece_toplabel"} {
		if _, err := metrics.Value(name, got); err == nil {
			t.Errorf("%s has a value", name)
		}
	}
}
