// Command bundle draws the simulated arrays of experiments/example.yaml into a
// folder, with a manifest that says what they are: go run
// ./data/simulate/bundle data/bundle. The arrays are committed, so nobody has
// to; a test draws them again and compares.
package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"

	"github.com/qats-bench/qats/data"
	"github.com/qats-bench/qats/data/simulate"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: bundle FOLDER")
		os.Exit(2)
	}
	if err := write(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "bundle:", err)
		os.Exit(1)
	}
}

// rows of each set: enough for bins of over a hundred, small enough to commit.
const rows = 2500

// networks of the example. The signals give about 80 % accuracy; the mean
// temperature is that of an ordinary overconfident network.
func networks() []simulate.Network {
	signals := []float64{0.8, 1.6, 2.4, 3.2, 4, 5}
	return []simulate.Network{
		{Name: "unsure-overscaled", Classes: 10, Signals: signals, Temperature: 1.8, Tilt: 1},
		{Name: "sure-overscaled", Classes: 10, Signals: signals, Temperature: 1.8, Tilt: -0.8},
	}
}

func write(dir string) error {
	for _, w := range networks() {
		for _, split := range []data.Split{data.Cal, data.Test} {
			if err := writeSet(filepath.Join(dir, "example", w.Name, string(split)), w.Draw(split, rows)); err != nil {
				return err
			}
		}
	}
	shifted := networks()[0]
	for _, severity := range []int{1, 3, 5} {
		shifted.Severity = severity
		path := filepath.Join(dir, "example-c", shifted.Name, "signal_loss", strconv.Itoa(severity))
		if err := writeSet(path, shifted.Draw(data.Test, rows)); err != nil {
			return err
		}
	}
	note := "drawn by data/simulate/bundle"
	return data.Manifest{Sets: []data.ManifestSet{
		{Set: "example/*", Origin: data.Simulated, Note: note},
		{Set: "example-c/*", Origin: data.Simulated, Note: note},
	}}.Write(dir)
}

func writeSet(dir string, set *data.Set) error {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	l := set.Logits
	if err := data.WriteFloat16(filepath.Join(dir, "logits.npy"), l.Data, l.Rows, l.Cols); err != nil {
		return err
	}
	return data.WriteInt32(filepath.Join(dir, "labels.npy"), set.Labels, l.Rows)
}
