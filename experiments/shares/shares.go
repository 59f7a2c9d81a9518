// Package shares compares the mean probabilities that a fit gives the classes with the shares of the
// classes among the rows. One temperature cannot move them, so a model that was trained with other
// shares, as class weights and under-sampling make them, keeps the wrong ones after temperature scaling.
package shares

import (
	"cmp"
	"math"
	"slices"

	"github.com/qats-bench/qats/calib"
	"github.com/qats-bench/qats/calib/report"
	"github.com/qats-bench/qats/data"
	"github.com/qats-bench/qats/metrics"
	"github.com/qats-bench/qats/metrics/scoring"
	"github.com/qats-bench/qats/results/compare/significance"
)

// Finding says which classes have another mean probability than their share of the rows, beyond
// chance.
type Finding struct {
	Tested int
	P      float64         // the smallest one after Holm's correction; 1 where nothing is tested
	Off    []metrics.Share // the largest difference first
}

// level is the chance that some class is off by chance.
const level = .05

// Tally counts the classes of the rows of a set, as seen and as the probabilities of a map expect them.
func Tally(m calib.Map, set *data.Set) (*scoring.ShareTally, error) {
	fitted := calib.Fitted{Map: m}
	probs, err := fitted.Probabilities(set)
	if err != nil {
		return nil, err
	}
	t := scoring.NewShareTally(probs.Cols)
	t.AddGrouped(probs, set.Labels, set.Groups)
	return t, nil
}

// Of tests the classes of a tally, with Holm's correction for their number. A tally without
// rows, as of a top-label method, tests nothing.
func Of(t *scoring.ShareTally) Finding {
	if t == nil || t.Rows() == 0 {
		return Finding{P: 1}
	}
	list := metrics.Shares(t)
	p := make([]float64, len(list))
	for i, s := range list {
		p[i] = s.P
	}
	of := Finding{Tested: len(list), P: 1}
	for i, adjusted := range significance.Holm(p) {
		of.P = min(of.P, adjusted)
		if adjusted < level {
			of.Off = append(of.Off, list[i])
		}
	}
	slices.SortStableFunc(of.Off, func(a, b metrics.Share) int {
		return cmp.Compare(differs(b), differs(a))
	})
	return of
}

// differs returns the difference of a share, to nine digits.
func differs(s metrics.Share) float64 { return math.Round(1e9 * math.Abs(s.Expected-s.Observed)) }

// Classes returns the classes that are off, in order.
func (f Finding) Classes() (list []int) {
	for _, x := range f.Off {
		list = append(list, x.Classes...)
	}
	slices.Sort(list)
	return list
}

// Warning names the classes that are off under the map of a method; ok is false if there are none.
func (f Finding) Warning(method string, m calib.Map) (w report.Warning, ok bool) {
	if len(f.Off) == 0 {
		return w, false
	}
	var off []report.OffShare
	for _, x := range f.Off {
		off = append(off, report.OffShare{Classes: x.Classes, Expected: x.Expected, Seen: x.Observed})
	}
	mend := "vs and platt-logits can move shares"
	if _, ok := m.(calib.Tempered); ok {
		mend = "one temperature cannot move shares; vs and platt-logits can"
	} else if slices.Contains([]string{"vs", "platt-logits"}, method) { // these rows have other shares than those of the fit
		mend = ""
	}
	return report.SharesOff(off, f.Tested, mend), true
}
