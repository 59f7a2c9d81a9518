package main

import (
	"context"
	"fmt"
	"io"
	"math"
	"time"

	"github.com/qats-bench/qats/calib"
	"github.com/qats-bench/qats/experiments"
	"github.com/qats-bench/qats/experiments/spec"
	"github.com/qats-bench/qats/internal/english"
	"github.com/qats-bench/qats/internal/terminal"
)

// printSlow prints a line for each method of a plan whose fits will be slow.
func printSlow(ctx context.Context, w io.Writer, plan *experiments.Plan) error {
	slow, err := plan.Slow(ctx, experiments.SlowFit)
	printSlowMethods(w, slow)
	return err
}

// slowFit returns the method if its fit on in is estimated to be slow: with many classes a fit
// may take hours, and it has no other sign of life.
func slowFit(m *spec.Method, in calib.Input) []experiments.SlowMethod {
	rows := 0
	switch {
	case in.Cal != nil:
		rows = in.Cal.Logits.Rows
	case in.Stream != nil:
		rows = in.Stream.Rows()
	}
	if took := experiments.FitTime(m.Entry, rows, in.Classes()); took >= experiments.SlowFit {
		return []experiments.SlowMethod{{Name: m.Name, Fits: 1, CPU: took}}
	}
	return nil
}

// printSlowMethods prints a line for each method whose fits will be slow.
func printSlowMethods(w io.Writer, slow []experiments.SlowMethod) {
	for _, m := range slow {
		terminal.Fprintf(w, "slow: %s takes about %s of processor time (%s)\n", m.Name, roughly(m.CPU), english.Count(m.Fits, "fit"))
	}
}

// roughly prints an estimated time with one or two digits.
func roughly(d time.Duration) string {
	value, unit := d.Seconds(), "s"
	switch {
	case d >= 3*time.Hour:
		value, unit = d.Hours(), "hours"
	case d >= 5*time.Minute:
		value, unit = d.Minutes(), "minutes"
	}
	if value >= 100 {
		value = math.Round(value/10) * 10
	}
	return fmt.Sprintf("%.0f %s", value, unit)
}
