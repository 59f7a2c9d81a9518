package calib

import (
	"context"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/qats-bench/qats/calib/internal/fit"
	"github.com/qats-bench/qats/calib/internal/testset"
	"github.com/qats-bench/qats/calib/report"
	"github.com/qats-bench/qats/data"
)

// fitMethod returns the fit of the named method on set.
func fitMethod(t testing.TB, name string, set *data.Set, options map[string]int) *Fitted {
	t.Helper()
	return fitOn(t, name, Input{Cal: set}, options)
}

// fitOn is fitMethod for methods that need more than a calibration set.
func fitOn(t testing.TB, name string, in Input, options map[string]int) *Fitted {
	t.Helper()
	entry, ok := lookup(name)
	if !ok {
		t.Fatalf("no method %q", name)
	}
	method, err := withInts(entry, options)
	if err != nil {
		t.Fatal(err)
	}
	f, err := FitInput(context.Background(), method, in)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// withInts returns the method of an entry with whole-number options that are given by
// name, as calibtest.Method does for tests outside the package.
func withInts(e Entry, options map[string]int) (Method, error) {
	draft, set := e.New(), 0
	for _, o := range draft.Options() {
		if v, ok := options[o.Name]; ok {
			set++
			if err := o.Set(v); err != nil {
				return nil, fmt.Errorf("%s: %w", o.Name, err)
			}
		}
	}
	if set < len(options) {
		return nil, fmt.Errorf("unknown options among %v", options)
	}
	return draft.Method()
}

func TestTSIsAtMostBruteForce(t *testing.T) {
	for _, c := range []struct {
		n, k      int
		spread, t float64
	}{{200, 2, 3, 1}, {300, 5, 4, 2.5}, {300, 10, 0.3, 0.3}, {100, 30, 10, 4}, {7, 3, 2, 1}} {
		set := testset.Simulated(c.n, c.k, c.spread, c.t, 1)
		f := fitMethod(t, "ts", set, nil)
		got := f.Map.(Temperature).T
		want, nll := testset.BruteTemperature(set)
		// The grid cannot distinguish temperatures whose NLL is equal in float64.
		if !(math.Abs(got/want-1) <= 1e-6) || f.Report.NLL > nll+1e-14 {
			t.Errorf("%+v: T = %.9g with NLL %.16g, brute force %.9g with %.16g", c, got, f.Report.NLL, want, nll)
		}
		if f.Report.Gradient >= report.GradTol || len(f.Report.AtBound)+len(f.Report.Warnings) > 0 || f.Report.Passes > 12 {
			t.Errorf("%+v: %+v", c, f.Report)
		}
	}
}

// A saved temperature may be far outside the range of fits, up to both limits.
func TestSavedTemperaturesHaveLimits(t *testing.T) {
	for _, c := range []struct {
		t  float64
		ok bool
	}{
		{1e-50, true}, {1, true}, {1e50, true}, {math.Nextafter(1e-50, 0), false}, {math.Nextafter(1e50, 1e60), false},
		{0, false}, {-1, false}, {math.Inf(1), false}, {math.NaN(), false},
	} {
		if err := fit.CheckTemperature("T", c.t); (err == nil) != c.ok {
			t.Errorf("T = %v: %v", c.t, err)
		}
	}
}

func applied(m Map, logits data.Matrix) data.Probs {
	q := data.NewProbs(logits.Rows, logits.Cols)
	Apply(m, q, &data.Set{Logits: logits})
	return q
}

// entries are the methods of this package.
func entries() []Entry {
	return []Entry{UncalEntry, TSEntry, QaTSEntry}
}

// lookup returns the method of the given name, and whether there is one.
func lookup(name string) (Entry, bool) {
	i := slices.IndexFunc(entries(), func(e Entry) bool { return e.Name == name })
	if i < 0 {
		return Entry{}, false
	}
	return entries()[i], true
}
