package metrics

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// MaxBins is the most bins that ECEOptions may have.
const MaxBins = 10000

// ECEOptions are choices by which definitions of the ECE differ. The ECE of the paper has
// 15 bins, Uniform and L1.
type ECEOptions struct {
	Bins     int // 1 to MaxBins
	Strategy Strategy
	Norm     Norm
}

// Strategy is how bins are made.
type Strategy string

// The strategies, under the names that scikit-learn has for them.
const (
	Uniform  Strategy = "uniform"  // bins of equal width, WidthBins
	Quantile Strategy = "quantile" // bins of equal mass, MassBins
)

// Norm is how the gaps of bins become one number.
type Norm string

// The norms.
const (
	L1      Norm = "l1"  // mean, weighted by rows
	L2      Norm = "l2"  // root of the mean square, weighted by rows
	Largest Norm = "max" // largest gap of a bin with rows
)

var (
	strategies = map[Strategy]string{Uniform: "equal width", Quantile: "equal mass"}
	norms      = map[Norm]string{L1: "L1", L2: "L2", Largest: "largest gap"}
)

// Name returns the name under which specs, results.csv and Lookup have the metric:
// ece_10_quantile_l2. All three choices are in it, so that different ones have different names.
func (o ECEOptions) Name() string { return fmt.Sprintf("ece_%d_%s_%s", o.Bins, o.Strategy, o.Norm) }

// Check returns an error that names the first choice that there is not.
func (o ECEOptions) Check() error {
	switch {
	case o.Bins < 1 || o.Bins > MaxBins:
		return fmt.Errorf("bins %d: want 1 to %d", o.Bins, MaxBins)
	case strategies[o.Strategy] == "":
		return fmt.Errorf("strategy %q: want %s or %s", o.Strategy, Uniform, Quantile)
	case norms[o.Norm] == "":
		return fmt.Errorf("norm %q: want %s, %s or %s", o.Norm, L1, L2, Largest)
	}
	return nil
}

// Value returns the calibration error of the top class with these choices, in [0, 1]: with the
// gap g_b = acc_b - conf_b and n_b rows of bin b,
//
//	L1:      sum over bins of (n_b/n) |g_b|
//	L2:      sqrt(sum over bins of (n_b/n) g_b^2)
//	Largest: max over bins with rows of |g_b|
//
// L1 <= L2 <= Largest. WidthBins and MassBins have the edges, and say what ties do. With 15 bins,
// Uniform and L1 it is ECE, with L2 RMSCE. No samples give ErrNoSamples. Naeini et al. 2015; Kumar,
// Liang and Ma 2019 have the norms.
func (o ECEOptions) Value(s *Samples) (float64, error) {
	if s.Len() == 0 {
		return 0, ErrNoSamples
	}
	bins := o.Of(s)
	switch o.Norm {
	case L2:
		return squaredGap(bins), nil
	case Largest:
		worst := 0.0
		for _, b := range bins {
			worst = max(worst, math.Abs(b.Acc-b.Conf)) // 0 in an empty bin
		}
		return worst, nil
	}
	return weightedGap(bins), nil
}

// Of returns the bins of the samples: WidthBins or MassBins.
func (o ECEOptions) Of(s *Samples) []Bin {
	if o.Strategy == Quantile {
		return MassBins(s, o.Bins)
	}
	return WidthBins(s, o.Bins)
}

// Entry returns the entry of the metric. Its verdicts are those of ece; the largest gap has none, as mce.
func (o ECEOptions) Entry() Entry {
	e := Entry{
		Name:      o.Name(),
		Group:     Binned,
		Outputs:   []Output{{o.Name(), o.label(), 0, 1}},
		Better:    Lower,
		Percent:   true,
		OnRequest: true,
		Unranked:  true,
		Version:   1,
		Summary:   fmt.Sprintf("ece with %d bins of %s, norm %s", o.Bins, strategies[o.Strategy], o.Norm),
		Basis:     &squaredMass,
		Sheet: Sheet{Reference: "Naeini et al. 2015; Kumar et al. 2019", Formula: "ece with other bins or another norm", Code: "numpy",
			Agreement: "random rows: to 1e-12", Departs: "the number of bins, their kind, or the norm"},
		Compute: valueOrError(o.Value),
	}
	if o.Norm == Largest {
		e.Basis = nil
	}
	return e
}

// label names the choices: "ECE (10 bins of equal mass, L2)".
func (o ECEOptions) label() string {
	return fmt.Sprintf("ECE (%d bins of %s, %s)", o.Bins, strategies[o.Strategy], norms[o.Norm])
}

// optionsOf returns the choices that have this Name.
func optionsOf(name string) (ECEOptions, bool) {
	parts := strings.Split(name, "_")
	if len(parts) != 4 || parts[0] != "ece" {
		return ECEOptions{}, false
	}
	bins, err := strconv.Atoi(parts[1])
	o := ECEOptions{bins, Strategy(parts[2]), Norm(parts[3])}
	return o, err == nil && o.Check() == nil && o.Name() == name
}

// Known returns the entries with those of the names that are Names of ECEOptions.
func Known(entries []Entry, names ...string) []Entry {
	list := slices.Clone(entries)
	for _, name := range names {
		if o, ok := optionsOf(name); ok && !slices.ContainsFunc(list, func(e Entry) bool { return e.Name == name }) {
			list = append(list, o.Entry())
		}
	}
	return list
}
