package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/qats-bench/qats/calib/report"
	"github.com/qats-bench/qats/data"
)

// certain is the run of what QaTS makes of the test rows of the X-rays, and its folder: for each
// network NAME.json, the fit, and NAME.npy, the probabilities.
const certain = "certain"

// nearOne is the probability above which rows are counted beside those of exactly 1.
const nearOne = 1 - 1e-6

// takeCertain adds, for each network whose fit has b at its bound, the shares of test rows with a
// largest probability of 1 and above nearOne, and how many of the latter are wrong. Labels are
// those of the bundle below top.
func (f Facts) takeCertain(from, top string) (bool, error) {
	models, err := filepath.Glob(filepath.Join(from, certain, "*.json"))
	if err != nil || len(models) == 0 {
		return false, err
	}
	f.drop(certain)
	bound := 0
	for _, file := range models {
		name := strings.TrimSuffix(filepath.Base(file), ".json")
		var model struct{ Report report.Report }
		b, err := os.ReadFile(file)
		if err == nil {
			err = json.Unmarshal(b, &model)
		}
		if err != nil {
			return false, fmt.Errorf("%s: %w", file, err)
		}
		if !slices.ContainsFunc(model.Report.AtBound, func(b report.Bound) bool { return b.Parameter == "b" && b.Side == report.Lower }) {
			continue
		}
		bound++
		rows, err := certainRows(strings.TrimSuffix(file, ".json")+".npy", filepath.Join(top, "data", "bundle", xrays, name, "test", "labels.npy"))
		if err != nil {
			return false, err
		}
		for quantity, x := range rows {
			f[ID{Run: certain, Part: name, Method: "qats", Quantity: quantity}] = x
		}
	}
	f[ID{Run: certain, Quantity: "settings"}] = float64(len(models))
	f[ID{Run: certain, Method: "qats", Metric: "b >= 0.001", Quantity: "active"}] = float64(bound)
	return true, nil
}

// certainRows counts the rows of a file of probabilities.
func certainRows(probs, labels string) (map[string]float64, error) {
	p, err := data.OpenArrayFile(probs)
	if err != nil {
		return nil, err
	}
	defer p.Close()
	y, err := data.OpenArrayFile(labels)
	if err != nil {
		return nil, err
	}
	defer y.Close()
	n, k := p.Rows(), p.Cols()
	if y.Rows() != n {
		return nil, fmt.Errorf("%s has %d rows, %s %d", probs, n, labels, y.Rows())
	}
	table, classes := data.NewProbs(n, k), make([]int32, n)
	if err := errors.Join(p.ReadFloat64(table.Data, 0, n), y.ReadInt32(classes, 0, n)); err != nil {
		return nil, err
	}
	ones, near, wrong := 0.0, 0.0, 0.0
	for i, label := range classes {
		row := table.Row(i)
		most := slices.Max(row)
		if most == 1 {
			ones++
		}
		if most > nearOne {
			near++
			if row[label] != most {
				wrong++
			}
		}
	}
	return map[string]float64{"p = 1": ones / float64(n), "p near 1": near / float64(n), "p near 1, wrong": wrong}, nil
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
