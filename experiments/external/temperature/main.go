// Temperature is an external calibrator: temperature scaling (Guo et al. 2017) as a
// separate program. It is a starting point for writing another one in Go.
//
//	temperature fit DIR      DIR/cal/{logits,labels}.npy -> DIR/model/T
//	temperature apply DIR    DIR/test/logits.npy, DIR/model/T -> DIR/probs.npy
package main

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"

	"github.com/qats-bench/qats/data"
	"github.com/qats-bench/qats/data/npy"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "temperature:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	if len(args) != 2 {
		return fmt.Errorf("want fit DIR or apply DIR, got %q", args)
	}
	switch verb, dir := args[0], args[1]; verb {
	case "fit":
		return fit(dir)
	case "apply":
		return apply(dir)
	default:
		return fmt.Errorf("unknown verb %s", verb)
	}
}

// fit finds the T with the smallest NLL. The derivative of the NLL in 1/T is
// increasing, so bisection in log(1/T) finds its zero.
func fit(dir string) error {
	set, err := data.ReadSet(filepath.Join(dir, "cal", "logits.npy"), filepath.Join(dir, "cal", "labels.npy"))
	if err != nil {
		return err
	}
	lo, hi := -10.0, 10.0
	for range 60 {
		if mid := (lo + hi) / 2; slope(set, math.Exp(mid)) > 0 {
			hi = mid
		} else {
			lo = mid
		}
	}
	t := math.Exp(-(lo + hi) / 2)
	return os.WriteFile(filepath.Join(dir, "model", "T"), fmt.Appendf(nil, "%.17g\n", t), 0o666)
}

// slope returns the derivative of the summed NLL in the scale s = 1/T.
func slope(set *data.Set, s float64) float64 {
	sum := 0.0
	for i, y := range set.Labels {
		row := set.Logits.Row(i)
		for j, p := range softmax(row, s) {
			sum += float64(p * float64(row[j]))
		}
		sum -= float64(row[y])
	}
	return sum
}

func softmax(row []float32, s float64) []float64 {
	m := float64(slices.Max(row))
	p := make([]float64, len(row))
	sum := 0.0
	for j, l := range row {
		p[j] = math.Exp(s * (float64(l) - m))
		sum += p[j]
	}
	for j := range p {
		p[j] /= sum
	}
	return p
}

func apply(dir string) error {
	text, err := os.ReadFile(filepath.Join(dir, "model", "T"))
	if err != nil {
		return err
	}
	var t float64
	if _, err := fmt.Sscan(string(text), &t); err != nil {
		return err
	}
	set, err := data.ReadSet(filepath.Join(dir, "test", "logits.npy"), "")
	if err != nil {
		return err
	}
	var probs []float64
	for i := range set.Logits.Rows {
		probs = append(probs, softmax(set.Logits.Row(i), 1/t)...)
	}
	return npy.WriteFloat64(filepath.Join(dir, "probs.npy"), probs, set.Logits.Rows, set.Logits.Cols)
}
