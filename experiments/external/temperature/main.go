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

	"github.com/qats-bench/qats/data"
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
	logits, err := read(filepath.Join(dir, "cal", "logits.npy"))
	if err != nil {
		return err
	}
	labels, err := readLabels(filepath.Join(dir, "cal", "labels.npy"))
	if err != nil {
		return err
	}
	lo, hi := -10.0, 10.0
	for range 60 {
		if mid := (lo + hi) / 2; slope(logits, labels, math.Exp(mid)) > 0 {
			hi = mid
		} else {
			lo = mid
		}
	}
	t := math.Exp(-(lo + hi) / 2)
	return os.WriteFile(filepath.Join(dir, "model", "T"), fmt.Appendf(nil, "%.17g\n", t), 0o666)
}

// slope returns the derivative of the summed NLL in the scale s = 1/T.
func slope(logits [][]float64, labels []int32, s float64) float64 {
	sum := 0.0
	for i, row := range logits {
		p := softmax(row, s)
		for j, l := range row {
			sum += float64(p[j] * l)
		}
		sum -= row[labels[i]]
	}
	return sum
}

func softmax(row []float64, s float64) []float64 {
	m := math.Inf(-1)
	for _, l := range row {
		m = max(m, l)
	}
	p := make([]float64, len(row))
	sum := 0.0
	for j, l := range row {
		p[j] = math.Exp(s * (l - m))
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
	logits, err := read(filepath.Join(dir, "test", "logits.npy"))
	if err != nil {
		return err
	}
	var probs []float64
	for _, row := range logits {
		probs = append(probs, softmax(row, 1/t)...)
	}
	return data.WriteFloat64(filepath.Join(dir, "probs.npy"), probs, len(logits), len(probs)/max(1, len(logits)))
}

// read returns the rows of an array of floats.
func read(path string) ([][]float64, error) {
	a, err := data.OpenArrayFile(path)
	if err != nil {
		return nil, err
	}
	defer a.Close()
	rows := make([][]float64, a.Rows())
	for i := range rows {
		rows[i] = make([]float64, a.Cols())
		if err := a.ReadFloat64(rows[i], i, i+1); err != nil {
			return nil, err
		}
	}
	return rows, nil
}

func readLabels(path string) ([]int32, error) {
	a, err := data.OpenArrayFile(path)
	if err != nil {
		return nil, err
	}
	defer a.Close()
	labels := make([]int32, a.Rows())
	return labels, a.ReadInt32(labels, 0, a.Rows())
}
