package page

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/qats-bench/qats/results/compare"
)

// agreement shows how far the rankings of a source by different metrics agree.
type agreement struct {
	ID, Source string
	Names      []string // of the metrics
	Rows       []agreementRow
	Notes      []string
	Ranks      grid
}

type agreementRow struct {
	Name  string
	Cells []shaded
}

// shaded is a number with the class of its background.
type shaded struct{ Text, Class string }

// agreementsOf compares the rankings by the metrics of [compare.Rankable], measured
// before simulated. A source with fewer than two such metrics has none.
func agreementsOf(f *Folder, o Options) (list []agreement) {
	for _, source := range []string{"measured", "simulated"} {
		of := slices.DeleteFunc(slices.Clone(f.Records), func(r record) bool { return r.Source != source })
		names, sparse := compare.Rankable(of)
		if len(names) < 2 {
			continue
		}
		a := agreementOf(f, o, names, source)
		if a == nil {
			continue
		}
		a.Sparse = sparse
		one := agreement{ID: "agreement-" + source, Source: source, Names: a.Names, Notes: a.Notes(),
			Ranks: grid{Caption: "Mean ranks by each metric", Head: append([]string{"Method"}, a.Names...)}}
		for i, name := range a.Names {
			row := agreementRow{Name: name}
			for j := range a.Names {
				row.Cells = append(row.Cells, shaded{correlation(a.Tau[i][j]), shade(a.Tau[i][j])})
			}
			one.Rows = append(one.Rows, row)
		}
		for j, m := range a.Methods {
			row := []string{o.labels[m]}
			for i := range a.Metrics {
				row = append(row, strconv.FormatFloat(a.Ranks[i][j], 'f', 2, 64))
			}
			one.Ranks.Rows = append(one.Ranks.Rows, row)
		}
		list = append(list, one)
	}
	return list
}

// shade returns the class of the background of a correlation: one of four blues above
// 0, one of four oranges below, the darker the farther from 0.
func shade(tau float64) string {
	switch level := int(math.Round(4 * math.Abs(tau))); {
	case level == 0:
		return "h0"
	case tau > 0:
		return fmt.Sprintf("h-%d", level)
	default:
		return fmt.Sprintf("h%d", level)
	}
}

// correlation prints a correlation with two decimals.
func correlation(x float64) string {
	if s := strconv.FormatFloat(math.Abs(x), 'f', 2, 64); x >= 0 || s == "0.00" {
		return s
	} else {
		return "−" + s
	}
}
