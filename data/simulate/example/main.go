// Command example draws the simulated arrays of experiments/example.yaml into a
// folder, with a manifest that describes them: go run ./data/simulate/example
// data/example. The arrays are committed; a test draws them again and compares.
package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"

	"github.com/qats-bench/qats/data"
	"github.com/qats-bench/qats/data/folder"
	"github.com/qats-bench/qats/data/npy"
	"github.com/qats-bench/qats/data/simulate"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: example FOLDER")
		os.Exit(2)
	}
	if err := write(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "example:", err)
		os.Exit(1)
	}
}

// Rows of each set: bins of over a hundred rows, and few enough to commit.
const rows = 2500

// networks of the example, of typical accuracy and rather overconfident: the first
// in its unsure rows, the second in its sure ones.
func networks() []simulate.Network {
	w := simulate.Network{Classes: 10, Width: 32, CalRows: rows, TestRows: rows, Accuracy: 0.8, ECE: 0.1}
	unsure, sure := w, w
	unsure.Name, unsure.Tilt = "unsure-overscaled", 1
	sure.Name, sure.Tilt = "sure-overscaled", -1
	return []simulate.Network{unsure, sure}
}

// shifts of the first network: its confidence stays high while the signal falls.
func shifts() []simulate.Shift {
	return []simulate.Shift{
		{Corruption: "signal_loss", Severity: 1, Accuracy: 0.76, ECE: 0.13},
		{Corruption: "signal_loss", Severity: 3, Accuracy: 0.65, ECE: 0.22},
		{Corruption: "signal_loss", Severity: 5, Accuracy: 0.5, ECE: 0.35},
	}
}

func write(dir string) error {
	for _, w := range networks() {
		for _, split := range []data.Split{data.Cal, data.Test} {
			if err := writeSet(filepath.Join(dir, "example", w.Name, string(split)), w, split); err != nil {
				return err
			}
		}
	}
	w := networks()[0]
	for _, w.Shift = range shifts() {
		path := filepath.Join(dir, "example-c", w.Name, w.Shift.Corruption, strconv.Itoa(w.Shift.Severity))
		if err := writeSet(path, w, data.Test); err != nil {
			return err
		}
	}
	note := "drawn by data/simulate/example"
	return folder.Manifest{Sets: []folder.ManifestSet{
		{Set: "example/*", Origin: data.Simulated, Note: note},
		{Set: "example-c/*", Origin: data.Simulated, Note: note},
	}}.Write(dir)
}

func writeSet(dir string, w simulate.Network, split data.Split) error {
	src := simulate.New(func(data.Ref) (simulate.Network, bool) { return w, true }, simulate.Known)
	set, err := data.Load(context.Background(), src, data.Ref{Split: split}, data.Logits|data.Labels)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	l := set.Logits
	if err := npy.WriteFloat16(filepath.Join(dir, "logits.npy"), l.Data, l.Rows, l.Cols); err != nil {
		return err
	}
	return npy.WriteInt32(filepath.Join(dir, "labels.npy"), set.Labels, l.Rows)
}
