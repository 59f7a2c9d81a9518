package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/qats-bench/qats/metrics"
	"github.com/qats-bench/qats/results"
)

// header has the columns of advice.csv, of the draws with an answer: the shares of draws whose
// choice is worse than temperature scaling and than no calibration by the verdict on the test rows, with
// Wilson's 95 % intervals; the share in which it is worse than no calibration although the answer
// claims a gain; the shares above both by the bare value; the share better than temperature scaling by
// the verdict; the mean NLL of the choice; and how often each method is chosen.
const header = "rows,rule,draws,none,worse_ts,worse_ts_lo,worse_ts_hi,worse_uncal,worse_uncal_lo,worse_uncal_hi,claimed_worse,above_ts,above_uncal,better_ts,nll,chosen"

// summarise returns the rows of the table for a size.
func summarise(n int, draws [][]answer) []string {
	var rows []string
	for r, all := range draws {
		answers := slices.DeleteFunc(slices.Clone(all), func(a answer) bool { return a.void })
		count := func(is func(answer) bool) int {
			k := 0
			for _, a := range answers {
				if is(a) {
					k++
				}
			}
			return k
		}
		share := func(is func(answer) bool) float64 { return float64(count(is)) / float64(len(answers)) }
		within := func(is func(answer) bool) string {
			w := metrics.Wilson(share(is), len(answers), .95)
			return fmt.Sprintf("%.4f,%.4f,%.4f", share(is), w.Lo, w.Hi)
		}
		sum, methods := 0.0, []string{}
		for _, a := range answers {
			sum += a.nll
			methods = append(methods, a.method)
		}
		slices.Sort(methods)
		methods = slices.Compact(methods)
		for i, m := range methods {
			methods[i] = fmt.Sprintf("%s %d", m, count(func(a answer) bool { return a.method == m }))
		}
		rows = append(rows, fmt.Sprintf("%d,%s,%d,%d,%s,%s,%.4f,%.4f,%.4f,%.4f,%.6f,%s", n, rules[r].name, len(answers), len(all)-len(answers),
			within(func(a answer) bool { return a.toTS == results.Loss }),
			within(func(a answer) bool { return a.toUncal == results.Loss }),
			share(func(a answer) bool { return a.toUncal == results.Loss && a.claims }),
			share(func(a answer) bool { return a.overTS > results.Alike }),
			share(func(a answer) bool { return a.overUncal > results.Alike }),
			share(func(a answer) bool { return a.toTS == results.Win }),
			sum/float64(len(answers)), strings.Join(methods, "; ")))
	}
	return rows
}
