package compare

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/qats-bench/qats/internal/lists"
	"github.com/qats-bench/qats/results"
)

// Split is the difference of a method to Against on one setting whose calibration
// and test rows were redrawn several times from their union, with a new fit each
// time. The draws share rows, so their spread is described and not tested.
type Split struct {
	Setting       results.Setting // as if not redrawn
	Method        string
	Draws         int     // with a value of both
	Mean          float64 // of the differences
	Deviation     float64 // their standard deviation; 0 of one draw
	Lo, Hi        float64 // the smallest and the largest
	Better, Worse int     // draws by the sign of the difference; the rest are [results.Alike]
	// Resampling is the standard deviation that the bootstrap of the test rows of
	// one draw gives, with the fit held fixed: the root mean square, over the draws,
	// of the width of the interval over 2 * 1.96, its ratio to the standard
	// deviation of a normal distribution. It is 0 without intervals. Where Deviation
	// is larger, the fits add the rest.
	Resampling float64
}

// Splits describes the redrawn settings of the methods and the source of a
// comparison, in the order of the records. Where experiments have different values of
// one draw, the last counts. Times are not described.
func (c *Comparison) Splits(records []results.Record, pairs []results.Pair) []Split {
	if c.Ratio {
		return nil // draws are described by differences
	}
	valued := lists.Where(records, func(r results.Record) bool {
		return r.Metric == c.Metric && r.Source == c.Source && r.Status == results.OK
	})
	paired := lists.Where(pairs, func(p results.Pair) bool { return p.Source == c.Source || p.Source == "" })
	v, _ := read(valued, paired, c.Metric, c.Against, true) // without an error for redrawn splits
	methods := v.methods
	if c.Methods != nil {
		methods = c.Methods
	}
	var list []Split
	networks, draws := v.blocks(v.settings, ByNetwork)
	for _, n := range networks {
		slices.SortStableFunc(draws[n], func(a, b results.Setting) int { return cmp.Compare(a.Variant.Split, b.Variant.Split) })
		for _, m := range methods {
			if m == c.Against {
				continue
			}
			var differences, spread []float64
			for _, draw := range draws[n] {
				a, ok1, _ := v.value(draw, m)
				b, ok2, _ := v.value(draw, c.Against)
				if !ok1 || !ok2 {
					continue
				}
				differences = append(differences, a-b)
				if p, ok := v.pairs[place{draw, m}]; ok {
					spread = append(spread, (p.Hi-p.Lo)/(2*distuv.UnitNormal.Quantile(.975)))
				}
			}
			if len(differences) > 0 {
				list = append(list, c.describe(draws[n][0].Network(), m, differences, spread))
			}
		}
	}
	return list
}

// describe describes the differences d of the draws of a setting, and the standard
// deviations that the intervals of the draws give.
func (c *Comparison) describe(setting results.Setting, method string, d, spread []float64) Split {
	out := Split{Setting: setting, Method: method, Draws: len(d), Mean: stat.Mean(d, nil), Lo: slices.Min(d), Hi: slices.Max(d)}
	for _, x := range d {
		switch results.Sign(c.cost() * x) {
		case -1:
			out.Better++
		case 1:
			out.Worse++
		}
	}
	if len(d) > 1 {
		out.Deviation = stat.StdDev(d, nil)
	}
	if len(spread) > 0 {
		out.Resampling = floats.Norm(spread, 2) / math.Sqrt(float64(len(spread)))
	}
	return out
}

// splitLegend explains the table of redrawn splits.
func (v View) splitLegend() string {
	return "Calibration and test rows are redrawn from their union, within each class so that both keep their class counts, and everything is fitted again. " +
		"SD: standard deviation of the difference over draws. SD, fit fixed: its standard deviation in the bootstrap of the test rows of one draw, without a new fit. " +
		"Draws share rows, so this is a description and not a test. Shifted settings are not redrawn."
}
