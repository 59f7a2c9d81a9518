package comparison

import (
	"math"
	"slices"

	"github.com/qats-bench/qats/results"
)

// Split is the difference of a method to Against on one setting whose
// calibration and test rows were redrawn several times from their union and
// fitted anew each time. The draws share rows: their spread is described, no
// test is made of them.
type Split struct {
	Setting       results.Cell // as if not redrawn
	Method        string
	Draws         int     // with a value of both
	Mean          float64 // of the differences
	Deviation     float64 // their standard deviation; 0 of one draw
	Lo, Hi        float64 // the least and the largest
	Better, Worse int     // draws by the sign of the difference
	// Resampling is the standard deviation that the bootstrap of the test rows
	// of one draw gives, with the fit held fixed: the root mean square over the draws of a
	// quarter of the interval, as of a normal distribution. 0 without intervals.
	// What Deviation has more than this, the fits add.
	Resampling float64
}

// Splits describes the redrawn settings of a source, in the order of the rows.
func Splits(records []results.Record, pairs []results.Pair, o Options, source string) []Split {
	type key struct {
		place
		draw int
	}
	value := map[key]float64{}
	width := map[key]float64{}
	var settings []results.Cell
	var methods []string
	draws := map[results.Cell]int{}
	clean := func(c results.Cell) (results.Cell, int) {
		draw := c.Severity
		c.Experiment, c.Corruption, c.Severity = "", "", 0
		return c, draw
	}
	for _, r := range records {
		if r.Corruption != results.Split || r.Metric != o.Metric || r.Source != source || r.Status != results.OK {
			continue
		}
		s, draw := clean(r.Cell)
		if !slices.Contains(settings, s) {
			settings = append(settings, s)
		}
		if !slices.Contains(methods, r.Method) {
			methods = append(methods, r.Method)
		}
		draws[s] = max(draws[s], draw)
		value[key{place{s, r.Method}, draw}] = r.Value
	}
	for _, p := range pairs {
		if p.Corruption != results.Split || p.Metric != o.Metric {
			continue
		}
		s, draw := clean(p.Cell)
		switch o.Against {
		case p.Against:
			width[key{place{s, p.Method}, draw}] = p.Hi - p.Lo
		case p.Method:
			width[key{place{s, p.Against}, draw}] = p.Hi - p.Lo
		}
	}
	if o.Methods != nil {
		methods = o.Methods
	}
	var list []Split
	for _, s := range settings {
		for _, m := range methods {
			if m == o.Against {
				continue
			}
			var d, spread []float64
			for draw := 1; draw <= draws[s]; draw++ {
				a, ok1 := value[key{place{s, m}, draw}]
				b, ok2 := value[key{place{s, o.Against}, draw}]
				if !ok1 || !ok2 {
					continue
				}
				d = append(d, a-b)
				if w, ok := width[key{place{s, m}, draw}]; ok {
					spread = append(spread, w/(2*normal975))
				}
			}
			if len(d) > 0 {
				list = append(list, o.describe(s, m, d, spread))
			}
		}
	}
	return list
}

// normal975 is the .975 quantile of the normal distribution.
const normal975 = 1.959963984540054

func (o Options) describe(s results.Cell, method string, d, spread []float64) Split {
	out := Split{Setting: s, Method: method, Draws: len(d), Lo: slices.Min(d), Hi: slices.Max(d)}
	for _, x := range d {
		out.Mean += x / float64(len(d))
		switch cost := o.sign() * x; {
		case cost < 0:
			out.Better++
		case cost > 0:
			out.Worse++
		}
	}
	if len(d) > 1 {
		var squares float64
		for _, x := range d {
			squares += float64((x - out.Mean) * (x - out.Mean))
		}
		out.Deviation = math.Sqrt(squares / float64(len(d)-1))
	}
	if len(spread) > 0 {
		var squares float64
		for _, x := range spread {
			squares += float64(x * x)
		}
		out.Resampling = math.Sqrt(squares / float64(len(spread)))
	}
	return out
}
