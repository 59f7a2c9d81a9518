package compare

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/qats-bench/qats/internal/lists"
	"github.com/qats-bench/qats/results"
)

// Split is the difference of a method to Against on one setting that was measured several
// times: its calibration and test rows were redrawn from their union, or its network was
// trained with several seeds, with a new fit each time. The draws share rows, so their spread
// is described and not tested.
type Split struct {
	Setting       results.Setting // without draw and seed
	Seeds         bool            // the draws are trainings, of which comparisons have the mean
	Method        string
	Draws         int     // with a value of both
	Mean          float64 // of the differences
	Deviation     float64 // their standard deviation; 0 of one draw
	Lo, Hi        float64 // the smallest and the largest
	Ahead, Behind int     // draws by the sign of the difference; the rest are [results.Alike]
	// Resampling is the standard deviation that the bootstrap of the test rows of
	// one draw gives, with the fit held fixed: the root mean square, over the draws,
	// of the width of the interval over 2 * 1.96, its ratio to the standard
	// deviation of a normal distribution. It is 0 without intervals. Where Deviation
	// is larger, the fits add the rest.
	Resampling float64
}

// Splits describes the settings of several draws or seeds of the methods and the source of a
// comparison, redrawn rows first, each in the order of the records. Where experiments have different values of
// one draw, the last counts. Times are not described.
func (c *Comparison) Splits(records []results.Record, pairs []results.Pair) []Split {
	if c.Ratio {
		return nil // draws are described by differences
	}
	valued := lists.Where(records, func(r results.Record) bool {
		return r.Metric == c.Metric && r.Source == c.Source && r.Status == results.OK
	})
	paired := lists.Where(pairs, func(p results.Pair) bool { return p.Source == c.Source || p.Source == "" })
	single := func(is func(results.Setting) bool) values {
		v, _ := readView(valued, paired, c.Metric, results.View{Single: is}) // without an error for these
		return v
	}
	redrawn := single(func(s results.Setting) bool { return s.Variant.Split > 0 })
	seeds := single(func(s results.Setting) bool { return s.Variant.Training > 0 })
	return append(c.splits(redrawn, false), c.splits(seeds, true)...)
}

// splits describes the draws of settings.
func (c *Comparison) splits(v values, seeds bool) (list []Split) {
	methods := v.methods()
	if c.Methods != nil {
		methods = c.Methods
	}
	settings := v.cube.Settings()
	networks, draws := lists.Group(v.settings, func(s int) string {
		of := settings[s]
		of.Variant = results.Variant{}
		return of.Name()
	})
	for _, n := range networks {
		slices.SortStableFunc(draws[n], func(i, j int) int {
			a, b := settings[i].Variant, settings[j].Variant
			return cmp.Or(cmp.Compare(a.Split, b.Split), cmp.Compare(a.Training, b.Training))
		})
		for _, m := range methods {
			if m == c.Against {
				continue
			}
			var differences, spread []float64
			own, base, pairs := v.numbersOf(m), v.numbersOf(c.Against), v.cube.Pairs(m, c.Against, v.metric)
			for _, draw := range draws[n] {
				if !own[draw].ok || !base[draw].ok {
					continue
				}
				differences = append(differences, own[draw].x-base[draw].x)
				if p := pairs[draw]; p != nil && p.Interval != "" {
					spread = append(spread, (p.Hi-p.Lo)/(2*distuv.UnitNormal.Quantile(.975)))
				}
			}
			if len(differences) > 0 {
				setting := settings[draws[n][0]]
				setting.Variant = results.Variant{}
				list = append(list, c.describe(setting, seeds, m, differences, spread))
			}
		}
	}
	return list
}

// describe describes the differences d of the draws of a setting, and the standard
// deviations that the intervals of the draws give.
func (c *Comparison) describe(setting results.Setting, seeds bool, method string, d, spread []float64) Split {
	out := Split{Setting: setting, Seeds: seeds, Method: method, Draws: len(d), Mean: stat.Mean(d, nil), Lo: slices.Min(d), Hi: slices.Max(d)}
	for _, x := range d {
		switch results.Sign(c.cost() * x) {
		case -1:
			out.Ahead++
		case 1:
			out.Behind++
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

// splitTitle names what the draws of the table are.
func (v View) splitTitle() string {
	redrawn, seeds := v.draws()
	switch {
	case redrawn && seeds:
		return "Redrawn splits, and seeds of trainings"
	case seeds:
		return "Seeds of trainings"
	}
	return "Redrawn splits"
}

// draws reports whether some settings are redrawn, and whether some have several seeds.
func (v View) draws() (redrawn, seeds bool) {
	for _, s := range v.Splits {
		redrawn, seeds = redrawn || !s.Seeds, seeds || s.Seeds
	}
	return redrawn, seeds
}

// splitLegend explains the table of redrawn splits and seeds.
func (v View) splitLegend() string {
	redrawn, seeds := v.draws()
	text := ""
	if seeds {
		text = "A network that was trained with several seeds counts once in all tests, by the mean over the seeds, which share their rows. " +
			"SD: standard deviation of the difference over seeds. SD, fit fixed: that of the bootstrap of the test rows of one seed. "
	}
	if !redrawn && seeds {
		return strings.TrimSpace(text)
	}
	counts := ""
	if v.Judged() {
		counts = "ahead, behind: draws with the difference on the better and on the worse side. "
	}
	return text + "Calibration and test rows are redrawn from their union, within each class so that both keep their class counts, and everything is fitted again. " +
		"SD: standard deviation of the difference over draws. SD, fit fixed: its standard deviation in the bootstrap of the test rows of one draw, without a new fit. " +
		counts + "Draws share rows, so this is a description and not a test. Shifted settings are not redrawn."
}
