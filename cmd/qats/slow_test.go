package main

import (
	"testing"

	"github.com/qats-bench/qats/calib"
	"github.com/qats-bench/qats/data"
	"github.com/qats-bench/qats/experiments"
	"github.com/qats-bench/qats/experiments/spec"
)

// A fit of vector scaling on many classes says beforehand that it will be slow; ts on the same
// rows, and vs on few classes, say nothing.
func TestSlowFitsAreAnnounced(t *testing.T) {
	for _, c := range []struct {
		method        string
		rows, classes int
		slow          bool
	}{{"vs", 5000, 100_000, true}, {"vs", 300, 100_000, true}, {"vs", 5000, 10, false}, {"ts", 300, 100_000, false}} {
		m, err := spec.NewMethod(experiments.Registry(), c.method, nil)
		if err != nil {
			t.Fatal(err)
		}
		// The numbers are not read.
		in := calib.Input{Cal: &data.Set{Logits: data.Matrix{Rows: c.rows, Cols: c.classes}}}
		if slow := slowFit(m, in); (len(slow) > 0) != c.slow {
			t.Errorf("%+v: %+v", c, slow)
		}
	}
}
