package all

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/qats-bench/qats/calib"
	"github.com/qats-bench/qats/calib/calibtest"
	"github.com/qats-bench/qats/calib/internal/fit"
	"github.com/qats-bench/qats/calib/internal/testset"
	"github.com/qats-bench/qats/data"
)

// Models that an older version saved predict as they did, to the last bit, and are saved as they were.
func TestOlderVersionsPredictAsTheyDid(t *testing.T) {
	var f struct {
		Models []struct {
			Model json.RawMessage
			Want  [][]float64
		}
	}
	testset.Read(t, "testdata/older.json", &f)
	logits := data.NewMatrix(12, 3)
	for i := range logits.Rows {
		for j := range logits.Cols {
			at := i + 100
			logits.Row(i)[j] = float32(float64((37*at+23*j+11*at*j)%61-30) / 10)
		}
	}
	oldest := map[string]int{}
	for _, c := range f.Models {
		m, err := calib.LoadModel(bytes.NewReader(c.Model), Registry())
		if err != nil {
			t.Error(err)
			continue
		}
		oldest[m.Method] = m.Version
		q := data.NewProbs(12, 3)
		if err := calib.Apply(m.Map, q, &data.Set{Logits: logits, Features: logits}); err != nil {
			t.Fatal(err)
		}
		for i, want := range c.Want {
			for j, p := range q.Row(i) {
				if max(p, fit.LeastProb) != want[j] {
					t.Fatalf("%s %d, row %d, class %d: %v, want %v", m.Method, m.Version, i, j, p, want[j])
				}
			}
		}
		var again bytes.Buffer
		if err := m.Save(&again); err != nil || !bytes.Equal(bytes.TrimSpace(again.Bytes()), c.Model) {
			t.Errorf("%s: saved again as %s (%v)", m.Method, again.Bytes(), err)
		}
		e, _ := Lookup(m.Method)
		for _, version := range []int{e.Since - 1, e.Version + 1} {
			text := strings.Replace(string(c.Model), fmt.Sprintf(`"version": %d`, m.Version), fmt.Sprintf(`"version": %d`, version), 1)
			if _, err := calib.LoadModel(strings.NewReader(text), Registry()); err == nil || !strings.Contains(err.Error(), "fit it again") {
				t.Errorf("%s of version %d: %v", m.Method, version, err)
			}
		}
	}
	for _, e := range Registry() {
		switch {
		case e.Since < 0 || e.Since > e.Version:
			t.Errorf("%s: reads versions from %d on, and is version %d", e.Name, e.Since, e.Version)
		case e.Since > 0 && oldest[e.Name] != e.Since:
			t.Errorf("%s: no model of version %d in testdata/older.json", e.Name, e.Since)
		}
	}
}

// A saved mass is a number that a fit has, of a map that needs one.
func TestSavedMassesAreChecked(t *testing.T) {
	set := testset.Drawn(30, 3, 1, 1)
	e, _ := Lookup("hb-top")
	f := calibtest.Fit(t, e, set, nil)
	model := calib.Model{Method: e.Name, Version: e.Version, Classes: 3, Fitted: *f}
	var text bytes.Buffer
	if err := model.Save(&text); err != nil {
		t.Fatal(err)
	}
	const mass = `"mass":0.03125` // 1/32
	if !strings.Contains(text.String(), mass) {
		t.Fatalf("no %s in %s", mass, text.String())
	}
	_, bins, _ := strings.Cut(text.String(), `"bins":[`)
	bins, _, _ = strings.Cut(bins, "]")
	for _, c := range []struct{ old, new, want string }{
		{mass, `"mass":0`, "mass = 0 is outside (0, 1/3]"},
		{mass, `"mass":0.34`, "mass = 0.34 is outside (0, 1/3]"},
		{mass, `"mass":-0.1`, "mass = -0.1 is outside (0, 1/3]"},
		{mass, `"mass":null`, "mass = 0 is outside (0, 1/3]"},
		{mass, `"mass":"a"`, `mass is "a": want a number`},
		{mass, `"Mass":0.1`, `unknown field "Mass"`},
		{bins, strings.Repeat("0.5,", strings.Count(bins, ",")) + "0.5", "mass of a map without a probability of exactly 0 or 1"},
	} {
		_, err := calib.LoadModel(strings.NewReader(strings.Replace(text.String(), c.old, c.new, 1)), Registry())
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s for %s: %v, want %q", c.new, c.old, err, c.want)
		}
	}
	other := strings.Replace(modelTS, `{"T": 2.5}`, `{"mass": 0.1, "T": 2.5}`, 1)
	if _, err := calib.LoadModel(strings.NewReader(other), Registry()); err == nil || !strings.Contains(err.Error(), "mass is no parameter of this method") {
		t.Errorf("ts with a mass: %v", err)
	}
}

// A class that is masked in every row asks for no mass, nor does the probability 0 of masked classes.
func TestMaskedClassesAskForNoMass(t *testing.T) {
	e, _ := Lookup("irova")
	set := &data.Set{Logits: data.NewMatrix(40, 3), Labels: make([]int32, 40)}
	for i := range set.Labels { // two classes that are equally frequent at each of ten probabilities
		set.Logits.Row(i)[0], set.Logits.Row(i)[2] = float32(i%10)/4, data.Masked
		set.Labels[i] = int32(i / 10 % 2)
	}
	for _, c := range []struct {
		set  *data.Set
		mass bool
	}{{set, false}, {open(set), true}} {
		f := calibtest.Fit(t, e, c.set, nil)
		if _, ok := f.Parameter("mass"); ok != c.mass {
			t.Errorf("a mass: %v, want %v", ok, c.mass)
		}
	}
}

// open returns the set with its third class open in one row, at a logit of -3.
func open(set *data.Set) *data.Set {
	s := &data.Set{Logits: data.NewMatrix(set.Logits.Rows, 3), Labels: set.Labels}
	copy(s.Logits.Data, set.Logits.Data)
	s.Logits.Row(0)[2] = -3
	return s
}
