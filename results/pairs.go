package results

import (
	"cmp"

	"github.com/qats-bench/qats/metrics"
	"github.com/qats-bench/qats/results/internal/csvfile"
)

// Pair is one row of pairs.csv: a metric of Method minus that of Against on the
// same test rows, with an interval of the difference, and the verdict on the two.
type Pair struct {
	Setting
	Method     string
	Against    string
	Metric     string
	Difference float64 // Method minus Against, in the unit of the metric
	N          int     // number of test rows
	Source     string  // measured or simulated

	// Interval is the kind of the interval from Lo to Hi, which says what it covers. It is
	// empty without an interval; Lo and Hi have no meaning then.
	Interval metrics.Interval
	Lo, Hi   float64 // need not contain Difference

	Verdict *metrics.Verdict // nil if there is none
	Note    Notes            // why there is no interval or no verdict
}

// Outcome is a verdict on a setting.
type Outcome int

// The outcomes for the method of a pair.
const (
	Undecided Outcome = iota // there is no verdict
	Win                      // better than the method that it is compared with
	Tie                      // no difference shown
	Loss
)

// Outcome returns the verdict on the method of the pair: a win or a loss where the interval
// of the verdict does not contain 0, unless the values are Alike.
func (p Pair) Outcome() Outcome {
	if p.Verdict == nil {
		return Undecided
	}
	e, _, _ := metrics.LookupOutput(p.Metric)
	lo, hi := p.Verdict.Lo, p.Verdict.Hi
	if e.Better == metrics.Higher {
		lo, hi = -hi, -lo
	}
	switch {
	case !e.Better.Ranks():
		return Undecided
	case Sign(p.Difference) == 0:
		return Tie
	case hi < 0:
		return Win
	case lo > 0:
		return Loss
	}
	return Tie
}

// P returns the P of the verdict, and 1 if the values are Alike. It is for pairs with a
// verdict.
func (p Pair) P() float64 {
	if Sign(p.Difference) == 0 {
		return 1
	}
	return p.Verdict.P
}

// Turned returns the same comparison with the two methods exchanged.
func (p Pair) Turned() Pair {
	p.Method, p.Against = p.Against, p.Method
	p.Difference, p.Lo, p.Hi = -p.Difference, -p.Hi, -p.Lo
	if v := p.Verdict; v != nil {
		p.Verdict = &metrics.Verdict{By: v.By, Difference: -v.Difference, Lo: -v.Hi, Hi: -v.Lo, P: v.P}
	}
	return p
}

var pairsFormat = csvfile.Format[Pair]{
	Columns: append(settingColumns(), "method", "against", "metric", "difference", "lo", "hi", "n", "source",
		"interval", "verdict_by", "verdict_difference", "verdict_lo", "verdict_hi", "p", "note"),
	Added: []string{"variant"},
	Fields: func(p Pair) []string {
		lo, hi := "", ""
		if p.Interval != "" {
			lo, hi = csvfile.FormatNumber(p.Lo), csvfile.FormatNumber(p.Hi)
		}
		verdict := make([]string, 5)
		if v := p.Verdict; v != nil {
			verdict = []string{v.By, csvfile.FormatNumber(v.Difference), csvfile.FormatNumber(v.Lo), csvfile.FormatNumber(v.Hi), csvfile.FormatNumber(v.P)}
		}
		fields := append(p.Setting.fields(), p.Method, p.Against, p.Metric, csvfile.FormatNumber(p.Difference), lo, hi,
			csvfile.FormatCount(p.N), p.Source, string(p.Interval))
		return append(append(fields, verdict...), p.Note.text())
	},
	Parse: parsePair,
	Check: func(p Pair) error {
		return cmp.Or(p.Setting.check(), csvfile.CheckID("method", p.Method), csvfile.CheckID("against", p.Against), csvfile.CheckID("metric", p.Metric), p.Check())
	},
	Identity: func(p Pair) []string { return append(p.Setting.fields(), p.Method, p.Against, p.Metric) },
}

// WritePairs replaces the file at path by the pairs, in their order.
func WritePairs(path string, pairs []Pair) error { return pairsFormat.WriteFile(path, pairs) }

// ReadPairs reads a pairs.csv. An error names file, line and column.
func ReadPairs(path string) ([]Pair, error) { return pairsFormat.ReadFile(path) }

func parsePair(row *csvfile.Row) Pair {
	p := Pair{Setting: parseSetting(row), Method: row.Text(), Against: row.Text(), Metric: row.Text(), Difference: row.Number()}
	var lo, hi bool
	p.Lo, lo = row.NumberOrNone()
	p.Hi, hi = row.NumberOrNone()
	p.N, p.Source, p.Interval = row.Count(), row.Text(), metrics.Interval(row.Text())
	if lo != hi || lo != (p.Interval != "") {
		row.Fail("interval", "an interval and its two ends are given together or not at all")
	}
	v := metrics.Verdict{By: row.Text()}
	given := 0
	for _, number := range []*float64{&v.Difference, &v.Lo, &v.Hi, &v.P} {
		x, ok := row.NumberOrNone()
		if *number = x; ok {
			given++
		}
	}
	switch {
	case v.By != "" && given == 4:
		p.Verdict = &v
	case v.By != "" || given > 0:
		row.Fail("verdict_by", "a verdict and its numbers are given together or not at all")
	}
	p.Note = parseNote(row)
	return p
}

// Check returns an error for a method beside itself, and for numbers or a source that no
// pair has; it names the column of pairs.csv.
func (p Pair) Check() error {
	if err := p.Note.check(); err != nil {
		return err
	}
	if p.Against == p.Method {
		return csvfile.Fault("against", "%s is compared with itself", p.Method)
	}
	lo, hi := limits(p.Metric)
	width := hi - lo // of a difference of two values; infinite if there is no limit
	if err := csvfile.CheckRange("difference", p.Difference, -width, width); err != nil {
		return err
	}
	switch p.Interval {
	case "":
	case metrics.Percentile, metrics.Standard, metrics.BC, metrics.Population, metrics.Normal, metrics.FixedMaps:
		// It may go beyond the range of the values, but not far; per cent would.
		if err := cmp.Or(csvfile.CheckRange("lo", p.Lo, -2*width, 2*width), csvfile.CheckRange("hi", p.Hi, -2*width, 2*width),
			checkEnds("lo", "hi", p.Lo, p.Hi)); err != nil {
			return err
		}
	default:
		return csvfile.Fault("interval", "%q is no kind of interval", string(p.Interval))
	}
	if v := p.Verdict; v != nil {
		if e, _, ok := metrics.LookupOutput(p.Metric); ok {
			if basis, _ := e.Judge(p.Metric); v.By != basis.Name {
				return csvfile.Fault("verdict_by", "%q does not decide by %s", v.By, p.Metric)
			}
		}
		if err := cmp.Or(csvfile.CheckID("verdict_by", v.By), csvfile.CheckFinite("verdict_difference", v.Difference),
			checkEnds("verdict_lo", "verdict_hi", v.Lo, v.Hi), csvfile.CheckRange("p", v.P, 0, 1)); err != nil {
			return err
		}
	}
	if p.N < 1 {
		return csvfile.Fault("n", "a difference over %d rows", p.N)
	}
	return checkSource(p.Source)
}

// checkEnds returns an error for ends of an interval that are not finite or not in order.
func checkEnds(low, high string, lo, hi float64) error {
	if err := cmp.Or(csvfile.CheckFinite(low, lo), csvfile.CheckFinite(high, hi)); err != nil {
		return err
	}
	if csvfile.Round(hi) < csvfile.Round(lo) {
		return csvfile.Fault(high, "%s is below %s, %s", csvfile.FormatNumber(hi), low, csvfile.FormatNumber(lo))
	}
	return nil
}
