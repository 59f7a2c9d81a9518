// Command certain counts the test rows that a fit makes certain:
//
//	go run ./docs/certain FITS NETWORKS > certain.csv
//
// FITS has NAME.json, a model, and NAME.npy, its probabilities of the test rows of the network
// NETWORKS/NAME. The output has a row for each network: whether b of the fit is at its lower
// bound, the number of test rows, those whose largest probability is 1, those whose largest
// probability is above 1 - 1e-6, and those of the latter that are wrong. docs/findings.md has
// the numbers.
package main

import (
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/qats-bench/qats/calib/report"
	"github.com/qats-bench/qats/data"
)

func main() {
	log.SetFlags(0)
	log.SetPrefix("certain: ")
	if len(os.Args) != 3 {
		log.Fatal("usage: certain FITS NETWORKS")
	}
	if err := write(os.Stdout, os.Args[1], os.Args[2]); err != nil {
		log.Fatal(err)
	}
}

// nearOne is the probability above which rows are counted beside those of exactly 1.
const nearOne = 1 - 1e-6

// write writes the rows of all fits.
func write(to io.Writer, fits, networks string) error {
	models, err := filepath.Glob(filepath.Join(fits, "*.json"))
	if err != nil {
		return err
	}
	w := csv.NewWriter(to)
	w.Write([]string{"network", "bound", "rows", "ones", "near", "wrong"})
	for _, file := range models {
		base := strings.TrimSuffix(file, ".json")
		name := filepath.Base(base)
		bound, err := atBound(file)
		if err != nil {
			return err
		}
		counts, err := count(base+".npy", filepath.Join(networks, name, "test", "labels.npy"))
		if err != nil {
			return err
		}
		row := []string{name, strconv.FormatBool(bound)}
		for _, n := range counts {
			row = append(row, strconv.Itoa(n))
		}
		w.Write(row)
	}
	w.Flush()
	return w.Error()
}

// atBound reports whether b of a saved model is at its lower bound.
func atBound(file string) (bool, error) {
	var model struct{ Report report.Report }
	b, err := os.ReadFile(file)
	if err == nil {
		err = json.Unmarshal(b, &model)
	}
	if err != nil {
		return false, fmt.Errorf("%s: %w", file, err)
	}
	return slices.ContainsFunc(model.Report.AtBound, func(b report.Bound) bool { return b.Parameter == "b" && b.Side == report.Lower }), nil
}

// count returns the number of rows of a file of probabilities, those of 1, those near 1, and
// those near 1 that are wrong.
func count(probs, labels string) (counts [4]int, err error) {
	p, err := data.OpenArrayFile(probs)
	if err != nil {
		return counts, err
	}
	defer p.Close()
	y, err := data.OpenArrayFile(labels)
	if err != nil {
		return counts, err
	}
	defer y.Close()
	n := p.Rows()
	if y.Rows() != n {
		return counts, fmt.Errorf("%s has %d rows, %s %d", probs, n, labels, y.Rows())
	}
	table, classes := data.NewProbs(n, p.Cols()), make([]int32, n)
	if err := errors.Join(p.ReadFloat64(table.Data, 0, n), y.ReadInt32(classes, 0, n)); err != nil {
		return counts, err
	}
	counts[0] = n
	for i, label := range classes {
		row := table.Row(i)
		most := slices.Max(row)
		if most == 1 {
			counts[1]++
		}
		if most > nearOne {
			counts[2]++
			if row[label] != most {
				counts[3]++
			}
		}
	}
	return counts, nil
}
