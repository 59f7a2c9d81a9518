package main

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strconv"
)

// certain is the run of what QaTS makes of the test rows of the X-rays. Its file, certain.csv, is
// that of docs/certain.
const certain = "certain"

// takeCertain adds, for each network whose fit has b at its bound, the shares of test rows with a
// largest probability of 1 and above 1 - 1e-6, and how many of the latter are wrong.
func (f Facts) takeCertain(from string) (bool, error) {
	file, err := os.Open(filepath.Join(from, certain+".csv"))
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	defer file.Close()
	in := csv.NewReader(file)
	in.FieldsPerRecord = 6
	rows, err := in.ReadAll()
	if err != nil {
		return false, fmt.Errorf("%s: %w", file.Name(), err)
	}
	f.drop(certain)
	bound := 0
	for i, row := range rows[min(1, len(rows)):] {
		var x [4]float64 // rows, ones, near, wrong
		for j := range x {
			if x[j], err = strconv.ParseFloat(row[2+j], 64); err != nil {
				return false, fmt.Errorf("%s:%d: %w", file.Name(), i+2, err)
			}
		}
		if row[1] != "true" {
			continue
		}
		bound++
		for quantity, v := range map[string]float64{"p = 1": x[1] / x[0], "p near 1": x[2] / x[0], "p near 1, wrong": x[3]} {
			f[ID{Run: certain, Part: row[0], Method: "qats", Quantity: quantity}] = v
		}
	}
	f[ID{Run: certain, Quantity: "settings"}] = float64(len(rows) - 1)
	f[ID{Run: certain, Method: "qats", Metric: "b >= 0.001", Quantity: "active"}] = float64(bound)
	return true, nil
}

// spread prints the least and the largest value of a quantity over the parts of a run: in per cent
// without decimals or, of counts, as it is.
func (w *words) spread(run, quantity string) (string, error) {
	least, most := math.Inf(1), math.Inf(-1)
	for id, x := range w.facts {
		if id.Run == run && id.Part != "" && id.Quantity == quantity {
			least, most = min(least, x), max(most, x)
		}
	}
	switch {
	case math.IsInf(least, 0):
		return "", fmt.Errorf("no %s of %s in facts.csv", quantity, run)
	case most <= 1:
		least, most = 100*least, 100*most
	}
	if english0(least) == english0(most) {
		return english0(least), nil
	}
	return english0(least) + " to " + english0(most), nil
}
