package page

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/qats-bench/qats/results"
	"github.com/qats-bench/qats/results/table"
)

// timesOfSource are the fit times of the settings of one source.
type timesOfSource struct {
	Source string
	Rows   []timeRow // by the geometric mean
	Note   string    // processors, and fits without a time
}

// timeRow has the fit times of a method in milliseconds of processor time. Settings
// with one calibration set share a fit, whose time counts once.
type timeRow struct {
	Method                   string
	Mean, Median, Least, Top string
	Fits                     int
	Samples                  string // calibration rows, least to most
}

// timesOf returns the fit times, measured before simulated, and none without
// times.csv.
func timesOf(f *Folder, o Options) (list []timesOfSource) {
	for _, source := range []string{"measured", "simulated"} {
		// times.csv does not name calibration sets. Rows of one network with equal times
		// are taken as one fit: clocks that count nanoseconds rarely give two fits the same.
		type fit struct {
			method, backbone, loss string
			seconds                float64
			rows                   int
		}
		seen := map[fit]bool{}
		fits := map[string][]fit{}
		var methods, machines []string
		unknown := 0
		for _, t := range f.Times {
			if t.Source != source {
				continue
			}
			if !t.Known {
				unknown++
				continue
			}
			if machine := strings.TrimSpace(t.Processor + " " + t.Instructions); machine != "" && !slices.Contains(machines, machine) {
				machines = append(machines, machine)
			}
			one := fit{t.Method, t.Backbone, t.Loss, t.Seconds, t.Rows}
			if seen[one] {
				continue
			}
			seen[one] = true
			if fits[t.Method] == nil {
				methods = append(methods, t.Method)
			}
			fits[t.Method] = append(fits[t.Method], one)
		}
		if methods == nil {
			continue
		}
		part := timesOfSource{Source: source}
		means := map[string]float64{}
		for _, m := range methods {
			means[m] = 0
			for _, one := range fits[m] {
				means[m] += math.Log(math.Max(one.seconds, 1e-9)) / float64(len(fits[m]))
			}
		}
		slices.SortStableFunc(methods, func(a, b string) int { return cmp.Compare(means[a], means[b]) })
		for _, m := range methods {
			all := fits[m]
			slices.SortFunc(all, func(a, b fit) int { return cmp.Compare(a.seconds, b.seconds) })
			least, most := all[0].rows, all[0].rows
			for _, one := range all {
				least, most = min(least, one.rows), max(most, one.rows)
			}
			samples := fmt.Sprintf("%d to %d", least, most)
			switch {
			case most == 0:
				samples = "none"
			case least == most:
				samples = fmt.Sprint(most)
			}
			part.Rows = append(part.Rows, timeRow{Method: o.labels[m], Mean: milliseconds(math.Exp(means[m])),
				Median: milliseconds((all[(len(all)-1)/2].seconds + all[len(all)/2].seconds) / 2), Least: milliseconds(all[0].seconds),
				Top: milliseconds(all[len(all)-1].seconds), Fits: len(all), Samples: samples})
		}
		part.Note = "Fitted on: " + strings.Join(machines, "; ") + "."
		if len(machines) == 0 {
			part.Note = ""
		}
		if unknown > 0 {
			part.Note += fmt.Sprintf(" %s without a time.", table.Count(unknown, "cell"))
		}
		list = append(list, part)
	}
	return list
}

// milliseconds prints seconds in milliseconds, with three significant digits.
func milliseconds(seconds float64) string { return results.Significant(1000 * seconds) }
