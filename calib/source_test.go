package calib

import (
	"bytes"
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/qats-bench/qats/data"
)

// With the true probabilities of two classes under one prior, the moved ones are those that Bayes' rule
// gives under the other.
func TestReweighedProbabilitiesAreThoseOfTheOtherShares(t *testing.T) {
	likelihood := [][]float64{{.7, .2, .1}, {.1, .3, .6}, {.25, .25, .5}}
	posterior := func(l, prior []float64) []float64 {
		p, sum := make([]float64, 3), 0.0
		for j := range p {
			p[j] = l[j] * prior[j]
			sum += p[j]
		}
		for j := range p {
			p[j] /= sum
		}
		return p
	}
	source, target := []float64{.2, .3, .5}, []float64{.6, .4, 0}
	m := &Model{Source: &Source{Shares: source}}
	ratios, err := m.Ratios(target)
	if err != nil {
		t.Fatal(err)
	}
	probs := data.NewProbs(3, 3)
	for i, l := range likelihood {
		copy(probs.Row(i), posterior(l, source))
	}
	if err := Reweigh(probs, ratios); err != nil {
		t.Fatal(err)
	}
	for i, l := range likelihood {
		for j, want := range posterior(l, target) {
			if got := probs.Row(i)[j]; math.Abs(got-want) > 1e-15 {
				t.Errorf("row %d, class %d: %g, want %g", i, j, got, want)
			}
		}
	}
	copy(probs.Row(1), []float64{0, 0, 1})
	if err := Reweigh(probs, ratios); err == nil || err.Error() != "row 1 has the probability 0 for every class with a share" {
		t.Error(err)
	}
}

func TestSharesThatCannotBeMovedSayWhy(t *testing.T) {
	of := func(shares []float64, off ...int) *Model { return &Model{Source: &Source{Shares: shares, Off: off}} }
	even := []float64{.5, .5}
	for _, c := range []struct {
		model  *Model
		target []float64
		want   string
	}{
		{&Model{}, even, "fit again"},
		{of(even), []float64{.2, .3, .5}, "3 shares, but the model is for 2 classes"},
		{of(even), []float64{.2, .3}, "the shares sum to 0.5, want 1"},
		{of(even), []float64{-.2, 1.2}, "the share of class 0 is -0.2, want 0 to 1"},
		{of(even), []float64{math.NaN(), 1}, "the share of class 0 is NaN"},
		{of([]float64{0, 1}), even, "class 0 has no calibration row, so its share cannot become 0.5"},
		{of(even, 1), even, "(class 1), so other shares cannot take their place; fit vs or platt-logits"},
		{of(even, 0, 1, 2, 3, 4, 5, 6), even, "(class 0 1 2 3 4 and 2 more)"},
	} {
		if _, err := c.model.Ratios(c.target); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v: %v, want %s", c.target, err, c.want)
		}
	}
}

func TestModelsKeepTheirSource(t *testing.T) {
	m := &Model{Method: "ts", Version: TSEntry.Version, Classes: 3, Fitted: Fitted{Map: Temperature{2.5}}, Source: &Source{[]float64{.5, .3, .2}, []int{2}}}
	var text bytes.Buffer
	if err := m.Save(&text); err != nil {
		t.Fatal(err)
	}
	saved := text.String()
	back, err := LoadModel(&text, entries())
	if err != nil || !reflect.DeepEqual(back.Source, m.Source) {
		t.Fatalf("%+v, %v", back, err)
	}
	m.Source = nil
	text.Reset()
	if err := m.Save(&text); err != nil || strings.Contains(text.String(), "source") {
		t.Errorf("%v, %s", err, &text)
	}
	if back, err := LoadModel(&text, entries()); err != nil || back.Source != nil { // as an earlier version wrote it
		t.Error(err)
	}
	for from, to := range map[string]string{
		"[0.5,0.3,0.2]": "[0.5,0.5]", "0.3,0.2": "0.3,0.3", `"off":[2]`: `"off":[3]`, `"shares":[0.5`: `"shares":[-0.5`,
	} {
		if _, err := LoadModel(strings.NewReader(strings.Replace(saved, from, to, 1)), entries()); err == nil || !strings.Contains(err.Error(), "source") {
			t.Errorf("%s: %v", to, err)
		}
	}
}
