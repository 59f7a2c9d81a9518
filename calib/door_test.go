package calib_test

import (
	"context"
	"math"
	"strings"
	"testing"

	"github.com/qats-bench/qats/calib"
	"github.com/qats-bench/qats/calib/all"
	"github.com/qats-bench/qats/data"
)

// drawn returns a set of n rows of k classes for programs that fill sets themselves.
func drawn(n, k int) *data.Set {
	s := &data.Set{Logits: data.NewMatrix(n, k), Labels: make([]int32, n)}
	for i := range n {
		s.Labels[i] = int32(i % k)
		for j := range k {
			s.Logits.Row(i)[j] = float32(math.Sin(float64(3*i + 7*j)))
		}
		s.Logits.Row(i)[i%k] += 2
	}
	return s
}

// spoilt are sets that no method can take, with a part of the error of each.
func spoilt() map[string]func(s *data.Set) {
	at := func(i int, v float64) func(s *data.Set) {
		return func(s *data.Set) { s.Logits.Data[i] = float32(v) }
	}
	return map[string]func(s *data.Set){
		"logits: row 2, class 1: NaN":  at(7, math.NaN()),
		"logits: row 1, class 0: +Inf": at(3, math.Inf(1)),
		"logits: row 0, class 2: -Inf; the logit of a masked class is data.Masked in a Set": at(2, math.Inf(-1)),
		"logits: row 1, class 0: all logits of the row are -Inf, so no class is left; leave the row out, or give a class that the network may predict a finite logit": func(s *data.Set) {
			for j := range 3 {
				s.Logits.Data[3+j] = data.Masked
			}
		},
		"logits: 30 rows and 3 columns with 89 numbers": func(s *data.Set) { s.Logits.Data = s.Logits.Data[:89] },
		"logits: 31 rows and 3 columns with 90 numbers": func(s *data.Set) { s.Logits.Rows++ },
	}
}

// An importer fills sets itself: what no reader of files would give is an error at the door
// of every method, and no panic, no loop and no number.
func TestFitRefusesSetsThatNoReaderGives(t *testing.T) {
	wrong := spoilt()
	wrong["labels: row 4: label 3 is no class; the classes are 0 to 2"] = func(s *data.Set) { s.Labels[4] = 3 }
	wrong["labels: row 4: class 0 is the label of the row, and masked in logits: its logit is -Inf, so its probability is 0; mask only classes that the row cannot have, or leave the row out"] = func(s *data.Set) {
		s.Labels[4], s.Logits.Row(4)[0] = 0, data.Masked
	}
	wrong["labels: 29 for 30 rows of logits"] = func(s *data.Set) { s.Labels = s.Labels[:29] }
	for _, e := range all.Registry() {
		c := e.Method.Contract()
		if c.Cal&^(data.Logits|data.Labels) != 0 || c.Target != 0 {
			continue
		}
		for want, spoil := range wrong {
			if c.Cal&data.Labels == 0 && strings.HasPrefix(want, "labels") || c.Cal == 0 {
				continue
			}
			s := drawn(30, 3)
			spoil(s)
			if f, err := calib.Fit(context.Background(), e.Method, s); err == nil || err.Error() != "calibration set: "+want {
				t.Errorf("%s: %v, %v\nwant %s", e.Name, f, err, want)
			}
		}
		if _, err := calib.Fit(context.Background(), e.Method, nil); err == nil {
			t.Errorf("%s: no set", e.Name)
		}
	}
}

// TestApplyRefusesSetsThatNoReaderGives, sets of another number of classes and tables of
// another shape.
func TestApplyRefusesSetsThatNoReaderGives(t *testing.T) {
	for _, e := range all.Registry() {
		c := e.Method.Contract()
		if c.Cal&^(data.Logits|data.Labels) != 0 || c.Target != 0 || c.Test != data.Logits {
			continue
		}
		f, err := calib.Fit(context.Background(), e.Method, drawn(30, 3))
		if err != nil {
			t.Fatalf("%s: %v", e.Name, err)
		}
		refused := func(s *data.Set, want string) {
			t.Helper()
			_, err := f.Probabilities(s)
			check := func(door string, err error) {
				t.Helper()
				if err == nil || !strings.Contains(err.Error(), want) {
					t.Errorf("%s, %s: %v, want %s", e.Name, door, err, want)
				}
			}
			check("Probabilities", err)
			check("Apply", calib.Apply(f.Map, data.NewProbs(30, 3), s))
			if top, ok := f.Map.(calib.TopLabel); ok {
				_, _, err := calib.TopLabels(top, s)
				check("TopLabels", err)
			}
		}
		for want, spoil := range spoilt() {
			s := drawn(30, 3)
			spoil(s)
			refused(s, want)
		}
		refused(nil, "no set")
		if m, ok := f.Map.(calib.FixedClasses); ok && m.NumClasses() == 3 {
			refused(drawn(30, 4), "4 classes, but the model is for 3")
			refused(drawn(30, 2), "2 classes, but the model is for 3")
		}
		short := data.NewProbs(30, 3)
		short.Data = short.Data[:89]
		for name, dst := range map[string]data.Probs{"rows": data.NewProbs(29, 3), "classes": data.NewProbs(30, 4), "numbers": short} {
			if err := calib.Apply(f.Map, dst, drawn(30, 3)); err == nil {
				t.Errorf("%s: a table of other %s", e.Name, name)
			}
		}
		if q, err := f.Probabilities(drawn(7, 3)); err != nil || q.Rows != 7 {
			t.Errorf("%s: %v", e.Name, err)
		}
	}
}
