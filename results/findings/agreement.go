package main

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"

	"github.com/qats-bench/qats/internal/lists"
)

// agreementFile has the differences to code of others by network, as results/agreement/agree.py
// measures them.
var agreementFile = shown{"agreement.csv", ',', []string{"date", "method", "code", "version", "network", "rows", "classes", "largest", "median"}, []string{"method", "network"}}

// equalTo is the difference up to which two programs are counted as equal.
const equalTo = 1e-8

// agreementTable has a row for each method: on how many networks it equals the other code, and
// the three largest differences where it does not.
func (w *words) agreementTable() (string, error) {
	rows, err := w.rows(agreementFile)
	if err != nil {
		return "", err
	}
	names, of := lists.Group(rows, func(r row) string { return r["method"] })
	table := [][]string{{"method", "code", "networks", "to 1e-8 on", "largest differences", "date"}}
	for _, name := range names {
		largest := map[string]float64{} // by network
		for _, r := range of[name] {
			if largest[r["network"]], err = strconv.ParseFloat(r["largest"], 64); err != nil {
				return "", fmt.Errorf("%s: %s on %s: %w", agreementFile.name, name, r["network"], err)
			}
		}
		apart := lists.Where(of[name], func(r row) bool { return largest[r["network"]] > equalTo })
		slices.SortStableFunc(apart, func(a, b row) int {
			return cmp.Compare(largest[b["network"]], largest[a["network"]])
		})
		text := ""
		for i, r := range apart[:min(3, len(apart))] {
			if i > 0 {
				text += ", "
			}
			text += r["largest"] + " (" + r["network"] + ")"
		}
		first := of[name][0]
		table = append(table, []string{"`" + name + "`", first["code"] + " " + first["version"], strconv.Itoa(len(of[name])), strconv.Itoa(len(of[name]) - len(apart)), text, first["date"]})
	}
	return markdown(table), nil
}
