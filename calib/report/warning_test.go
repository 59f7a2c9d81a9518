package report

import (
	"encoding/json"
	"math"
	"testing"
)

func TestBoundsAsFormulasAndInWords(t *testing.T) {
	for _, c := range []struct {
		bound          Bound
		formula, words string
	}{
		{AtLeast("T", 0, 0.001), "T >= 0.001", "T at its lower bound"},
		{AtMost("t", 11, 1000), "t_11 <= 1000", "T at its upper bound in bin 11"},
		{AtMost("a", 3, 1e21), "bin 3: a <= 1e+21", "a at its upper bound in bin 3"},
		{AtMost("c", 0, 20), "c <= 20", "c at its upper bound"},
		{Bound{Parameter: "t", Bin: 1, Minus: 2, Side: Lower}, "t_1 >= t_2", "t_1 - t_2 at its lower bound"},
		{Bound{Parameter: "t", Bin: 1, Minus: 2, Side: Lower, Limit: 0.5}, "t_1 - t_2 >= 0.5", "t_1 - t_2 at its lower bound"},
		{Bound{Parameter: "b", Side: Lower, Classes: 2, Fitted: 10}, "b >= 0 in 2 of 10 classes", "b at its lower bound"},
	} {
		if got := c.bound.String(); got != c.formula {
			t.Errorf("%+v: %q, want %q", c.bound, got, c.formula)
		}
		if got := End(c.bound).String(); got != c.words {
			t.Errorf("%+v: %q, want %q", c.bound, got, c.words)
		}
	}
	if got := (Bounds{AtLeast("a", 0, 0), AtMost("b", 0, 1)}).String(); got != "a >= 0; b <= 1" {
		t.Errorf("%q", got)
	}
}

func TestWarningsInWords(t *testing.T) {
	for _, c := range []struct {
		warning Warning
		want    string
	}{
		{Unconverged(0.12345, 50), "not converged: gradient 0.12 after 50 steps"},
		{Warning{Kind: NotConverged, Bound: Bound{Bin: 4}, Steps: 7}, "bin 4: not converged: gradient 0 after 7 steps"},
		{Early(0.119, 50), "stops short of the minimum by design: gradient 0.12 after 50 steps"},
		{Warning{Kind: EqualToTS, Text: "a = {value}"}, "a = 0, so equal to TS"},
		{Warning{Text: "{count} of {of} bins are empty", Count: 3, Of: 15}, "3 of 15 bins are empty"},
		{Warning{Text: "no rows", Bound: Bound{Bin: 2}}, "bin 2: no rows"},
		{Warning{Text: "{other}"}, "{other}"},
		{Worsened("ECE", 0.0252741, 0.435769), "ECE of the calibration rows rises from 0.02527 to 0.4358 by the fit"},
		{CertainAt(AtLeast("b", 0, 0.001), 125, 524), "b = 0.001 gives 125 of 524 calibration rows a probability of exactly 1: a new row that is wrong there costs hundreds of nats, so the NLL can rise"},
		{CertainAt(AtLeast("t", 5, 0.001), 1, 2), "t_5 = 0.001 gives 1 of 2 calibration rows a probability of exactly 1: a new row that is wrong there costs hundreds of nats, so the NLL can rise"},
		{DecidedByFew(11, 5000, 0.6789), "11 of 5000 calibration rows make up 68 % of the NLL before the fit: they decide it"},
	} {
		if got := c.warning.String(); got != c.want {
			t.Errorf("%+v: %q, want %q", c.warning, got, c.want)
		}
	}
}

// Up to five classes of fewer than ten rows are named, and the others counted.
func TestClassesOfFewRowsAreNamed(t *testing.T) {
	for _, c := range []struct {
		rows []int
		want string
	}{
		{[]int{10, 11}, ""}, {nil, ""}, {[]int{10, 9, 30}, "class 1 has fewer than 10 calibration rows"},
		{[]int{0, 10, 9}, "classes 0 and 2 have fewer than 10 calibration rows"}, {[]int{9, 0}, "every class has fewer than 10 calibration rows"},
		{[]int{1, 50, 1, 1, 1, 1}, "classes 0, 2, 3, 4 and 5 have fewer than 10 calibration rows"},
		{[]int{1, 1, 1, 50, 1, 1, 1, 1}, "7 of 8 classes have fewer than 10 calibration rows: 0, 1, 2, 4, 5 and 2 others"},
		{[]int{1, 1, 1, 50, 1, 1, 1}, "6 of 7 classes have fewer than 10 calibration rows: 0, 1, 2, 4, 5 and 1 other"},
	} {
		w, ok := FewOfClass(c.rows)
		if ok != (c.want != "") || w.String() != c.want {
			t.Errorf("%v: %q, %v, want %q", c.rows, w, ok, c.want)
		}
	}
}

// Kin are warnings that differ in their numbers and bins alone.
func TestKinOfWarnings(t *testing.T) {
	same := [][2]Warning{
		{Unconverged(0.1, 5), Unconverged(2, 70)},
		{End(AtMost("t", 1, 1000)), End(AtMost("t", 2, 500))},
		{{Text: "{count} rows", Count: 1}, {Text: "{count} rows", Count: 2, Of: 3, Value: 4}},
	}
	for _, p := range same {
		if p[0].Kin() != p[1].Kin() {
			t.Errorf("%+v and %+v differ", p[0], p[1])
		}
	}
	other := [][2]Warning{
		{End(AtMost("t", 1, 1000)), End(AtLeast("t", 1, 1000))},
		{End(AtMost("a", 0, 1)), End(AtMost("b", 0, 1))},
		{{Text: "a"}, {Text: "b"}},
		{{Text: "a"}, {Kind: EqualToTS, Text: "a"}},
	}
	for _, p := range other {
		if p[0].Kin() == p[1].Kin() {
			t.Errorf("%+v and %+v are kin", p[0], p[1])
		}
	}
}

func TestRoundedKeepsItsDigits(t *testing.T) {
	for _, c := range []struct {
		x      float64
		digits int
		want   float64
	}{{0.12345, 2, 0.12}, {-98765, 3, -98800}, {0, 2, 0}, {math.MaxFloat64, 2, math.MaxFloat64}, {5e-324, 2, 5e-324}} {
		if got := Rounded(c.x, c.digits); got != c.want {
			t.Errorf("%v to %d digits: %v, want %v", c.x, c.digits, got, c.want)
		}
	}
}

// A report is read back from JSON as it was, and what is empty is left out.
func TestReportsAreSavedWhole(t *testing.T) {
	r := Report{NLL: 1, Gradient: 2, Iterations: 3, Passes: 4.5,
		AtBound:  Bounds{{Parameter: "t", Bin: 1, Minus: 2, Side: Lower, Limit: 3, Classes: 4, Fitted: 5}},
		Warnings: Warnings{{Kind: AtBound, Bound: AtMost("a", 0, 1)}, {Count: 1, Of: 2, Steps: 3, Value: 4, Text: "b"}}}
	text, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	var got Report
	if err := json.Unmarshal(text, &got); err != nil {
		t.Fatal(err)
	}
	again, err := json.Marshal(got)
	if err != nil || string(again) != string(text) || got.AtBound[0] != r.AtBound[0] || got.Warnings[0] != r.Warnings[0] || got.Warnings[1] != r.Warnings[1] {
		t.Errorf("saved %s, read %s (%v)", text, again, err)
	}
	if text, _ := json.Marshal(Report{}); string(text) != `{"nll":0,"gradient":0,"iterations":0,"passes":0}` {
		t.Errorf("an empty report: %s", text)
	}
}
