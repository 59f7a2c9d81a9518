package metrics

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
)

// PairsVersion is raised whenever Pairs gives other values. It belongs in the
// cache key of pairs.
const PairsVersion = 3

// PairOptions configures Pairs and Intervals. The zero value of a field means its default.
type PairOptions struct {
	Resamples int      // 2,000 by default
	Level     float64  // of the intervals, in (0, 1); .95 by default
	Seed      uint64   // identity of the test set
	Interval  Interval // of calibration errors; Percentile by default in Pairs, Standard in Intervals
	Metrics   []Entry  // those of Paired by default
}

// withDefaults checks the options and fills in the defaults.
func (o PairOptions) withDefaults() (PairOptions, error) {
	o.Resamples = cmp.Or(o.Resamples, 2000)
	o.Level = cmp.Or(o.Level, .95)
	o.Interval = cmp.Or(o.Interval, Percentile)
	if len(o.Metrics) == 0 {
		o.Metrics = Paired()
	}
	if !slices.Contains(IntervalKinds(), o.Interval) {
		return o, fmt.Errorf("interval %q: want %s, %s, %s or %s", o.Interval, Percentile, Standard, BC, Population)
	}
	if o.Resamples < 1 || !(o.Level > 0 && o.Level < 1) {
		return o, fmt.Errorf("bootstrap with %d resamples at level %g: want 1 or more, and a level between 0 and 1", o.Resamples, o.Level)
	}
	for _, e := range o.Metrics {
		if !e.Comparable() {
			return o, fmt.Errorf("%s cannot be compared on the rows: its value does not come from rows that could be drawn again", e.Name)
		}
	}
	return o, nil
}

// Interval is the kind of the interval beside the difference of two calibration errors.
type Interval string

// The kinds of intervals. Each is named for what it covers; docs/evidence.md says how often.
const (
	// Percentile is the percentile interval of the bootstrap. For a difference it covers
	// the difference of the means of the metric over test sets of n rows, which such test
	// sets report on average. It does not cover the population's difference where the noise
	// of the bins adds more to one method than to the other. For a single value it covers
	// nothing reliably.
	Percentile Interval = "percentile"

	// Standard is the value plus and minus a multiple of the standard deviation of the
	// resampled values. For a single value it covers the mean of the metric over test sets
	// of n rows. For a difference it is a little too short.
	Standard Interval = "standard"

	// BC is the bias-corrected percentile interval of Efron (1981, 1987), which others use.
	// It covers neither mean nor population reliably.
	BC Interval = "bc"

	// Population covers the value or the difference in the population, for ECE and AECE: the
	// bias-aware interval of Armstrong and Kolesar (2018). It is about twice as long.
	Population Interval = "population"

	// Normal is the interval of a verdict, which covers the population's value. A metric that
	// decides by itself has it, whatever the options ask for.
	Normal Interval = "normal"

	// FixedMaps is the same interval of a metric that recalibrates rows by maps which other
	// rows fitted (Entry.CrossFit). It takes these maps as they are, and so covers the
	// population's value for these maps, but not what other rows would have fitted.
	FixedMaps Interval = "fixed-maps"
)

// IntervalKinds returns the kinds that options may ask for.
func IntervalKinds() []Interval { return []Interval{Percentile, Standard, BC, Population} }

// Describe names the kind in words for captions, and what it covers of a difference
// between two methods.
func (k Interval) Describe() (name, covers string) {
	const means = "the difference of the mean values that test sets of this size report, not of the population"
	switch k {
	case Percentile:
		return "percentile bootstrap", means
	case Standard:
		return "bootstrap standard deviations", means
	case BC:
		return "BC bootstrap, as elsewhere in use", "the difference; they cover neither that of the population nor that of the mean values reliably"
	case Population:
		return "bias-aware", "the difference in the population"
	case FixedMaps:
		return "normal, corrected for skewness", "the difference in the population, with the recalibrations of the folds as they are"
	}
	return "normal, corrected for skewness", "the difference in the population"
}

// Range is an interval.
type Range struct{ Lo, Hi float64 }

// Pair is the difference of one metric between two methods on the same samples.
type Pair struct {
	Other      int     // place in the others given to Pairs
	Metric     string  // name of the output, as in results.csv
	Difference float64 // other minus base, in the unit of the metric

	Range   *Range   `json:",omitempty"` // interval of Difference; nil if there is none
	Kind    Interval `json:",omitempty"` // of Range: that of the options, Normal or FixedMaps
	Verdict *Verdict `json:",omitempty"` // nil if the metric gives none (Entry.Judge) or the rows are too few
	Note    string   `json:",omitempty"` // why there is no Range or no Verdict
}

// Pairs returns, for each of the others in order, the differences to the base in the
// metrics of the options. All are predictions for the same test set, row by row, so that
// random effects of the test set cancel in a difference. Pairs are conditional on the fits:
// they say how a difference varies with the test rows, not with the calibration set.
//
// # Verdicts
//
// Which method is better is decided by the quantity that Entry.Judge names, and by the
// interval of its difference; see Basis and Verdict. No rows are drawn for it. There is no
// verdict with fewer than FewestRows wrong or right predictions of one of the methods
// (except for accuracy, which counts them).
//
// # Intervals
//
// Beside a difference stands an interval of it. A metric that decides by itself has the
// interval of its verdict. The others, calibration errors, have an interval of the kind that
// the options name; docs/read.md says what each of them covers, and docs/evidence.md how often.
//
// Standard, Percentile and BC are of a bootstrap. A resample draws n rows with replacement,
// the same rows for every method. Bins and ties are found anew in each resample: a value is
// the metric of the expanded sample. Copies of a row stay in one fold of a
// cross-validation. The percentile interval is from the (1-Level)/2 quantile of the R
// differences to the (1+Level)/2 quantile, by linear interpolation. BC has the quantiles
// Phi(2 z0 + z) and Phi(2 z0 - z) instead, with z0 the normal quantile of the share of
// resampled differences below that of the whole sample (equal ones count half; the share is
// kept 1/2R away from 0 and 1) and z that of (1-Level)/2. Metrics other than ECE and AECE
// are computed anew in each resample, which takes longer, so they use only the first 200
// resamples. The noise of the ends is then about a tenth of the width. A metric other than
// ECE and AECE has no interval Percentile or BC if resampling shifts its difference by more
// than its spread; see Intervals. With fewer than FewestRows wrong or right predictions of
// one of the methods a difference of calibration errors has an interval only of the kind
// Population.
//
// # What is missing
//
// A metric that is undefined for a method (NLL of a top-label method) has no pair with it.
// Where there is no interval or no verdict, Note says why: one row does not vary, a metric is
// undefined in some resamples, and so on.
//
// Cost: about 1.5 ns a row and resample, shared, and 0.3 more for each method; a verdict takes 30 ns
// a row. An error is that of ctx, or says that there are no samples, that an
// option is out of range, that a metric cannot be compared (Entry.Comparable),
// or that a method has other samples than the base.
func Pairs(ctx context.Context, base *Samples, others []*Samples, opts PairOptions) ([]Pair, error) {
	opts, err := opts.withDefaults()
	if err != nil {
		return nil, err
	}
	if base.Len() == 0 {
		return nil, fmt.Errorf("pairs: %w", ErrNoSamples)
	}
	all := slices.Concat([]*Samples{base}, others)
	var methods []*resampler
	drawn := opts.drawn(base.Len())
	for m, s := range all {
		if s.Len() != base.Len() || s.classes && base.classes && !slices.Equal(s.scores.Label, base.scores.Label) {
			return nil, fmt.Errorf("pairs: method %d has other rows than the base: the labels differ", m-1)
		}
		methods = append(methods, newResampler(s, drawn, opts.Seed))
	}
	resampled, err := resample(ctx, methods, opts)
	if err != nil {
		return nil, err
	}
	decided := decide(base, others, opts)
	before := make([][]float64, len(opts.Metrics)) // of the base; nil where undefined
	for k, e := range opts.Metrics {
		if v, err := e.Compute(base, opts.Seed); err == nil {
			before[k] = v
		}
	}
	var pairs []Pair
	for m := range others {
		for k, e := range opts.Metrics {
			after, err := e.Compute(others[m], opts.Seed)
			if err != nil || before[k] == nil {
				continue
			}
			for i, metric := range e.Names() {
				p := Pair{Other: m, Metric: metric, Difference: after[i] - before[k][i]}
				basis, _ := e.measure(i)
				d := decided[m][basis.Name]
				var noRange error
				switch place := slices.Index(outputs(drawn), metric); {
				case e.Influence != nil && d.verdict != nil:
					p.Range, p.Kind = &Range{d.verdict.Lo, d.verdict.Hi}, Normal
				case e.Influence != nil:
				case place >= 0:
					if noRange = cmp.Or(enoughFor(e.Positive, base), enoughFor(e.Positive, others[m])); noRange == nil {
						p.Range, noRange = opts.rangeOf(e, resampled[0][place], resampled[m+1][place])
					}
				default:
					if noRange = whyNoInterval(e, base); noRange == nil {
						r := populationInterval(base, others[m], e.binned.runs, opts.Level)
						p.Range = &r
					}
				}
				if p.Verdict = d.verdict; e.CrossFit {
					p.Verdict, p.Kind = nil, FixedMaps
				}
				if p.Range == nil {
					p.Kind = ""
				} else {
					p.Kind = cmp.Or(p.Kind, opts.Interval)
				}
				if _, ok := e.Judge(metric); !ok {
					d.err = errNoVerdict
				}
				p.Note = why(d.err, noRange)
				pairs = append(pairs, p)
			}
		}
	}
	return pairs, nil
}

// why joins the reasons that there are.
func why(noVerdict, noRange error) string {
	switch {
	case noVerdict == nil && noRange == nil:
		return ""
	case noRange == nil:
		return noVerdict.Error()
	case noVerdict == nil || noVerdict.Error() == noRange.Error():
		return noRange.Error()
	}
	return noVerdict.Error() + "; " + noRange.Error()
}

// drawn returns the metrics that are bootstrapped on n rows.
func (o PairOptions) drawn(n int) []Entry {
	return slices.DeleteFunc(slices.Clone(o.Metrics), func(e Entry) bool {
		return e.Influence != nil || e.NoBootstrap || o.Interval == Population || n < 2
	})
}

// rangeOf returns the interval of a difference from the values of two methods in the whole
// sample and in the resamples.
func (o PairOptions) rangeOf(e Entry, base, other []float64) (*Range, error) {
	d := make([]float64, min(len(base), len(other)))
	for r := range d {
		d[r] = other[r] - base[r]
	}
	lo, hi, err := interval(d[1:], d[0], o)
	if err != nil && !(e.AlwaysPaired() && errors.Is(err, errShifted)) {
		return nil, err
	}
	return &Range{lo, hi}, nil
}

// whyNoInterval returns why neither the bootstrap nor the bias-aware interval is possible; nil if one is.
func whyNoInterval(e Entry, s *Samples) error {
	switch {
	case s.Len() < 2:
		return errOneRow
	case e.NoBootstrap:
		return errWhole
	case e.binned == nil:
		return errNoPopulation
	}
	return nil
}
