package inspect

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/qats-bench/qats/data"
	"github.com/qats-bench/qats/data/folder"
)

// rowsOf returns n rows of k classes that are predicted right but for every fourth.
func rowsOf(n, k, first int) *data.Set {
	set := &data.Set{Logits: data.NewMatrix(n, k)}
	for i := range n {
		row, label := set.Logits.Row(i), (first+i)%k
		row[label] = 3 + float32(first+i)/1000
		if i%4 == 3 {
			label = (label + 1 + i%(k-1)) % k
		}
		set.Labels = append(set.Labels, int32(label))
	}
	return set
}

// Arrays in memory are judged with the words of a folder.
func TestPairsOfArrays(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(cal, test *data.Set)
		want   []string
	}{
		{"good", func(_, _ *data.Set) {}, nil},
		{"shuffled labels", func(cal, _ *data.Set) {
			for i := range cal.Labels {
				cal.Labels[i] = int32((i/5 + i*i) % 5)
			}
		}, []string{"warning cal chance"}},
		{"one broken row", func(cal, _ *data.Set) { cal.Logits.Row(7)[0] = 4000 }, []string{"warning cal extreme-logits"}},
		{"a row that was never filled", func(_, test *data.Set) { clear(test.Logits.Row(3)) }, []string{"warning test equal-logits"}},
		{"the same rows", func(cal, test *data.Set) { *test = *cal }, []string{"error cal and test "}},
		{"a shared row", func(cal, test *data.Set) { copy(test.Logits.Row(0), cal.Logits.Row(0)) }, []string{"warning cal and test shared-rows"}},
		{"other classes", func(_, test *data.Set) { *test = *rowsOf(100, 6, 1000) }, []string{"error cal and test "}},
	} {
		cal, test := rowsOf(200, 5, 0), rowsOf(150, 5, 1000)
		c.change(cal, test)
		after := Rows("test", test)
		in, err := Pair(context.Background(), Rows("cal", cal), &after)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, f := range in.Problems {
			got = append(got, fmt.Sprintf("%s %s %s", f.Severity, f.Place, f.Oddity))
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: found %q, want %q", c.name, got, c.want)
		}
	}
	in, err := Pair(context.Background(), Rows("cal", rowsOf(3, 5, 0)), nil)
	if err != nil || len(in.Sets) != 1 || len(in.Problems) != 1 || !strings.HasPrefix(in.Problems[0].Cause, "3 calibration rows for 5 classes") {
		t.Errorf("one set alone: %+v, %v", in, err)
	}
}

// A brief look at a set finds all that needs no memory of its rows.
func TestBriefArrays(t *testing.T) {
	set := rowsOf(200, 5, 0)
	for i := range set.Labels {
		set.Labels[i] = min(set.Labels[i]+1, 4) // count from 1
	}
	set.Logits.Row(7)[0] = 4000
	clear(set.Logits.Row(3))
	whole := Rows("cal", set)
	brief := whole
	brief.Brief = true
	var found [2]*Inspection
	for i, arrays := range []Arrays{whole, brief} {
		var err error
		if found[i], err = Pair(context.Background(), arrays, nil); err != nil {
			t.Fatal(err)
		}
	}
	found[0].Problems = slices.DeleteFunc(found[0].Problems, func(f Problem) bool { return f.Oddity == folder.OddExtremeLogits })
	if found[0].Sets[0].ECE == 0 || found[1].Sets[0].ECE != 0 {
		t.Errorf("ECE %g and brief %g, want one and none", found[0].Sets[0].ECE, found[1].Sets[0].ECE)
	}
	found[0].Sets[0].ECE = 0
	if !reflect.DeepEqual(found[0], found[1]) || len(found[0].Problems) != 4 {
		t.Errorf("brief: found %+v, want %+v, of them four findings", found[1], found[0])
	}
}

// Calibration rows of one class are warned of. Such test rows, and calibration rows of several classes,
// are only noted.
func TestCalibrationRowsOfOneClass(t *testing.T) {
	of := func(classes ...int32) *data.Set {
		all := rowsOf(500, 5, 0)
		some := &data.Set{Logits: data.Matrix{Cols: 5}}
		for i, y := range all.Labels {
			if slices.Contains(classes, y) {
				some.Labels = append(some.Labels, y)
				some.Logits.Data = append(some.Logits.Data, all.Logits.Row(i)...)
				some.Logits.Rows++
			}
		}
		return some
	}
	warnings := func(cal *data.Set, test *Arrays) (causes []string) {
		in, err := Pair(t.Context(), Rows("cal", cal), test)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range in.Problems {
			if f.Severity == Warning {
				causes = append(causes, f.Cause)
			}
		}
		return causes
	}
	one, test := of(2), Rows("test", of(2))
	want := fmt.Sprintf("all %d calibration rows are of class 2, and there are 5 classes: a map that is fitted to them moves every row towards this class", len(one.Labels))
	if got := warnings(one, nil); !slices.Equal(got, []string{want}) {
		t.Errorf("one class: %q, want %q", got, want)
	}
	for _, got := range [][]string{warnings(of(2, 3), nil), warnings(rowsOf(200, 5, 1000), &test)} {
		if slices.ContainsFunc(got, func(cause string) bool { return strings.Contains(cause, "are of class") }) {
			t.Errorf("found %q", got)
		}
	}
}
