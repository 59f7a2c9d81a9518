package data

import (
	"context"
	"path/filepath"
	"strings"
	"testing"

	"github.com/qats-bench/qats/data/npy"
)

// Numbers in per cent are said through every door: as logits by a warning, as probabilities by what to do, as are logits.
// Logits of other sums are not taken for per cent.
func TestRowsThatAreNoProbabilitiesSayWhatTheyMayBe(t *testing.T) {
	path := filepath.Join(t.TempDir(), "p.npy")
	rows := func(row ...float64) (all []float64) {
		for range 25 {
			all = append(all, row...)
		}
		return all
	}
	for _, c := range []struct {
		name    string
		values  []float64
		cols    int
		kind    Kind
		note    string // of the form
		problem string
	}{
		{"as logits", rows(70, 20.5, 9.5), 3, AnyKind, "every row is in [0, 100] and sums to 100 (probabilities in per cent?)", ""},
		{"whole per cent", rows(33, 33, 33), 3, AnyKind, "every row is in [0, 100] and sums to 100 (probabilities in per cent?)", ""},
		{"stated as logits", rows(70, 20.5, 9.5), 3, KindLogits, "", ""},
		{"as probabilities", rows(70, 20.5, 9.5), 3, KindProbs, "", "row 0, class 0: 70 is not a probability; the row sums to 100, as per cent do: divide them by 100"},
		{"one column", rows(70), 1, KindProbs, "", "row 0: 70 is not a probability; if these are per cent, divide them by 100"},
		{"another sum", rows(70, 30.5, 9.5), 3, AnyKind, "", ""},
		{"a negative number", rows(70, 40, -10), 3, AnyKind, "", ""},
		{"logits as probabilities", rows(2, .5, .5), 3, KindProbs, "", "row 0, class 0: 2 is not a probability; if these are logits, state kind: logits in manifest.yaml (fit, apply and try: --kind logits; score: --logits)"},
		{"log odds as probabilities", rows(-2), 1, KindProbs, "", "row 0: -2 is not a probability; if these are log odds, state kind: logits in manifest.yaml (fit, apply and try: --kind logits; score: --logits)"},
		{"a wrong probability", rows(1.25, .25, -.5), 3, KindProbs, "", "row 0, class 0: 1.25 is not a probability"},
	} {
		if err := npy.WriteFloat64(path, c.values, len(c.values)/c.cols, c.cols); err != nil {
			t.Fatal(err)
		}
		r, err := Files{Logits: path, Kind: c.kind}.Open()
		if err != nil {
			t.Fatal(c.name, err)
		}
		form, err := r.Form()
		if got := strings.TrimPrefix(errorText(err), path+": "); got != c.problem {
			t.Errorf("%s: %q, want %q", c.name, got, c.problem)
		}
		if len(form.Notes) > 0 != (c.note != "") || c.note != "" && (!form.Notes[0].Warning || form.Notes[0].Text != c.note) {
			t.Errorf("%s: notes %v, want %q", c.name, form.Notes, c.note)
		}
		r.Close()
	}
}

func errorText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// Labels of a set without logits, whose number of classes is stated, have the errors of one with logits.
func TestLabelsOfStatedClasses(t *testing.T) {
	path := filepath.Join(t.TempDir(), "y.npy")
	for _, c := range []struct {
		classes int
		labels  []int32
		want    string
	}{
		{4, []int32{1, 4, 2}, "row 1: label 4 is outside 0..3; labels start at 0, and the largest of this file is 4; the smallest is 1, so they count from 1: store labels - 1"},
		{2, []int32{1, -1, 1}, "row 1: label -1 is outside 0..1; the labels are -1 and 1: store (labels + 1) // 2, which is 0 and 1"},
		{0, []int32{1, -1, 1}, "row 1: label -1 is negative; the labels are -1 and 1: store (labels + 1) // 2, which is 0 and 1"},
		{0, []int32{1, 9, 0}, ""},
	} {
		if err := npy.WriteInt32(path, c.labels, 3); err != nil {
			t.Fatal(err)
		}
		r, err := Files{Labels: path, Classes: c.classes}.Open()
		if err != nil {
			t.Fatal(err)
		}
		_, err = Read(context.Background(), r, 0, 3)
		if got := strings.TrimPrefix(errorText(err), path+": "); got != c.want {
			t.Errorf("%v of %d: %q, want %q", c.labels, c.classes, got, c.want)
		}
		r.Close()
	}
}
