package csvfile

import (
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
)

// Identifiers may have spaces inside, and no characters that are not text.
func TestIdentifiersAreText(t *testing.T) {
	for id, ok := range map[string]bool{
		"a b": true, "a": true, "\u00e9": true, "": false, " a": false, "a ": false, "a\tb": false, "a\x1fb": false, "a\x7fb": false, "a\ufffdb": false,
		"a\u0085b": false, "a\u202eb": false, "a\u2028b": false,
	} {
		if err := CheckID("method", id); (err == nil) != ok {
			t.Errorf("%q: %v", id, err)
		}
	}
}

// Ranges have their ends, to nine digits.
func TestRangesHaveTheirEnds(t *testing.T) {
	for _, c := range []struct {
		x, lo, hi float64
		ok        bool
	}{
		{0, 0, 1, true}, {1, 0, 1, true}, {1 + 1e-12, 0, 1, true}, {-1e-300, 0, 1, false}, {1 + 1e-6, 0, 1, false}, {-.1, 0, 1, false},
		{math.NaN(), 0, 1, false}, {math.Inf(1), 0, math.Inf(1), false}, {math.Inf(-1), math.Inf(-1), 0, false}, {5, math.Inf(-1), math.Inf(1), true},
	} {
		if err := CheckRange("value", c.x, c.lo, c.hi); (err == nil) != c.ok {
			t.Errorf("%+v: %v", c, err)
		}
	}
}

// Counts are whole numbers from 1 where a field may be empty, and from 0 elsewhere.
func TestCountsOfARow(t *testing.T) {
	read := func(field string, get func(*Row) int) (int, error) {
		r := &Row{columns: []string{"n"}, fields: []string{field}}
		n := get(r)
		return n, r.err
	}
	for field, want := range map[string][2]int{"": {-1, 0}, "0": {0, -1}, "1": {1, 1}, "12": {12, 12}, "-1": {-1, -1}, "x": {-1, -1}, "1.5": {-1, -1}} {
		for i, get := range []func(*Row) int{(*Row).Count, (*Row).CountOrNone} {
			if n, err := read(field, get); (err == nil) != (want[i] >= 0) || err == nil && n != want[i] {
				t.Errorf("%q, may be empty: %v: %d (%v)", field, i == 1, n, err)
			} else if err != nil && !strings.Contains(err.Error(), "whole number") {
				t.Errorf("%q: %v", field, err)
			}
		}
	}
}

// A number is read as it would be written, whatever its digits.
func TestNumberIsRounded(t *testing.T) {
	read := func(s string) float64 {
		row := &Row{columns: []string{"value"}, fields: []string{s}}
		x := row.Number()
		if row.err != nil {
			t.Fatal(row.err)
		}
		return x
	}
	r := rand.New(rand.NewPCG(1, 2))
	for range 100000 {
		x := r.NormFloat64() * math.Pow(10, float64(r.IntN(40)-20))
		for _, s := range []string{strconv.FormatFloat(x, 'g', 1+r.IntN(17), 64), strconv.FormatFloat(x, 'f', r.IntN(25), 64), strconv.FormatFloat(x, 'e', r.IntN(17), 64), FormatNumber(x)} {
			want, _ := strconv.ParseFloat(s, 64)
			if got := read(s); got != Round(want) {
				t.Fatalf("%s is read as %v, want %v", s, got, Round(want))
			}
		}
	}
	for s, want := range map[string]float64{"0": 0, "-0": 0, "-0.000": 0, "5e-324": 5e-324, "1.79769313e308": 1.79769313e308, "00.1234567891": .123456789, ".5": .5, "5.": 5} {
		if got := read(s); got != want || math.Signbit(got) {
			t.Errorf("%s is read as %v, want %v", s, got, want)
		}
	}
}
