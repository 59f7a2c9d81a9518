package all_test

import (
	"bytes"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/qats-bench/qats/calib"
	"github.com/qats-bench/qats/calib/all"
	"github.com/qats-bench/qats/data"
)

// said returns 200 predictions with confidences of whole tenths, of which many are exactly 0 or 1.
func said(beyond ...float64) *data.Set {
	s := &data.Set{}
	for i := range 200 {
		c := float64((i*7)%11) / 10
		s.Confidence = append(s.Confidence, c)
		s.Labels = append(s.Labels, int32(1-min(1, (i*i+i/3)%11*int(10*c)/45)))
	}
	for _, c := range beyond {
		s.Confidence, s.Labels = append(s.Confidence, c), append(s.Labels, 0)
	}
	return s
}

// Confidences of exactly 0 and 1 count as numbers that the model keeps, between the ends and the other confidences.
func TestConfidencesOfZeroAndOne(t *testing.T) {
	for _, c := range []struct {
		set       *data.Set
		zero, one float64
	}{
		{said(), 1. / 400, 1 - 1./400},
		{said(.999, .0002), .0001, .9995},
		{&data.Set{Confidence: []float64{1, 1, 1, 1}, Labels: []int32{0, 1, 0, 1}}, 0, .875},
		{&data.Set{Confidence: []float64{.2, .7, .6, .6}, Labels: []int32{0, 1, 0, 1}}, 0, 1},
	} {
		for _, e := range all.Registry() {
			if k := e.Method.Contract(); !k.Confidence || k.Cal == 0 || e.Name == "base-rate-top" { // which reads no confidence
				continue
			}
			f, err := calib.Fit(t.Context(), e.Method, c.set)
			if err != nil {
				t.Errorf("%s: %v", e.Name, err)
				continue
			}
			ends, ok := calib.EndsOf(f.Map)
			if !(math.Abs(ends.Zero-c.zero) <= 1e-12) || !(math.Abs(ends.One-c.one) <= 1e-12) || ok != (c.zero != 0 || c.one != 1) {
				t.Errorf("%s: ends %v (%v), want %g and %g", e.Name, ends, ok, c.zero, c.one)
			}
			test := &data.Set{Confidence: []float64{0, 1e-5, .3, .5, .99999, 1}, Labels: make([]int32, 6)}
			_, conf, err := calib.TopLabels(f.Map.(calib.TopLabel), test)
			if err != nil {
				t.Fatal(err)
			}
			if e.Name == "platt-top" && len(c.set.Labels) >= 200 && !slices.IsSorted(conf) {
				t.Errorf("%s: the order flips: %v", e.Name, conf)
			}
			var text bytes.Buffer
			model := calib.Model{Method: e.Name, Version: e.Version, Fitted: *f}
			if err := model.Save(&text); err != nil {
				t.Fatal(err)
			}
			loaded, err := calib.LoadModel(strings.NewReader(text.String()), all.Registry())
			if err != nil {
				t.Errorf("%s: %v", e.Name, err)
				continue
			}
			if _, again, _ := calib.TopLabels(loaded.Map.(calib.TopLabel), test); !slices.Equal(again, conf) {
				t.Errorf("%s: the saved model has other confidences", e.Name)
			}
			if !ok {
				continue
			}
			for value, want := range map[string]string{"[0,1]": "want numbers in", "[0.1]": "want two numbers", "[0,2]": "want numbers in", `"a"`: "want two numbers"} {
				_, rest, _ := strings.Cut(text.String(), `"confidence_ends":`)
				number, _, _ := strings.Cut(rest, "]")
				if _, err := calib.LoadModel(strings.NewReader(strings.Replace(text.String(), `"confidence_ends":`+number+"]", `"confidence_ends":`+value, 1)), all.Registry()); err == nil || !strings.Contains(err.Error(), want) {
					t.Errorf("%s, %s: %v", e.Name, value, err)
				}
			}
		}
	}
	e, _ := all.Lookup("ts")
	text := `{"qats": 1, "method": "ts", "version": ` + string(rune('0'+e.Version)) + `, "options": {}, "classes": 2, "params": {"confidence_ends": [0, 0.9], "T": 2}, "report": {"nll": 1, "gradient": 0, "iterations": 1, "passes": 1}}`
	if _, err := calib.LoadModel(strings.NewReader(text), all.Registry()); err == nil || !strings.Contains(err.Error(), "no parameter of this method") {
		t.Error(err)
	}
}
