package results

import (
	"math"

	"github.com/qats-bench/qats/internal/lists"
	"github.com/qats-bench/qats/metrics"
)

// WithoutTraining returns the setting without its seed: several trainings of a network are one setting.
func (s Setting) WithoutTraining() Setting {
	s.Variant.Training = 0
	return s
}

// OverSeeds returns the records with the trainings of a network, which differ in their seed
// alone, as one: each method and metric has the mean over the seeds, without a seed in the
// setting, at the place of the first. So several trainings weigh in a statement as much as
// one. Where a seed has no value, its record stands for all: no mean is over fewer.
func OverSeeds(records []Record) []Record {
	return overSeeds(records, func(r Record) (Place, bool) {
		return Place{r.Setting.WithoutTraining(), r.Method, r.Metric}, r.Variant.Training > 0
	}, meanRecord)
}

// overSeeds replaces the items of each cell by their mean.
func overSeeds[T any, C comparable](items []T, cellOf func(T) (C, bool), mean func([]T) T) []T {
	seeded := false
	of := map[C][]T{}
	for _, x := range items {
		if c, ok := cellOf(x); ok {
			of[c] = append(of[c], x)
			seeded = true
		}
	}
	if !seeded {
		return items
	}
	var list []T
	for _, x := range items {
		c, ok := cellOf(x)
		switch {
		case !ok:
			list = append(list, x)
		case of[c] != nil:
			list = append(list, mean(of[c]))
			of[c] = nil
		}
	}
	return list
}

// BinsOverSeeds returns the bins with the trainings of a network as one, as OverSeeds does with
// records. A bin has the mean edges of the trainings, the mean confidence and accuracy of all their
// rows, and the mean number of rows, rounded down: the trainings share their test rows, so the
// interval of the accuracy is as wide as that of one training.
func BinsOverSeeds(bins []Bin) []Bin {
	return overSeeds(bins, func(b Bin) (binPlace, bool) {
		return binPlace{b.Setting.WithoutTraining(), b.Method, b.Binning, b.Bin}, b.Variant.Training > 0
	}, meanBin)
}

// binPlace identifies a bin.
type binPlace struct {
	Setting
	method, binning string
	bin             int
}

// meanBin returns the mean of the same bin of several trainings.
func meanBin(bins []Bin) Bin {
	out := bins[0]
	out.Setting = out.WithoutTraining()
	out.N, out.Lo, out.Hi, out.Conf, out.Acc = 0, 0, 0, 0, 0
	for _, b := range bins {
		out.N += b.N
		out.Lo += b.Lo / float64(len(bins))
		out.Hi += b.Hi / float64(len(bins))
		out.Conf += float64(float64(b.N) * b.Conf)
		out.Acc += float64(float64(b.N) * b.Acc)
	}
	if out.N > 0 {
		out.Conf /= float64(out.N)
		out.Acc /= float64(out.N)
	}
	out.N /= len(bins)
	return out
}

// meanRecord returns the mean of records of one method and metric.
func meanRecord(records []Record) Record {
	out := records[0]
	out.Value = 0
	for _, r := range records {
		if r.Status != OK {
			out = r
			break
		}
		out.Value += r.Value / float64(len(records))
	}
	out.Setting = out.WithoutTraining()
	return out
}

// DeviationOverSeeds returns the standard deviation of the values of the trainings of one network, with
// n - 1 in the denominator. There is none, and ok is false, unless the records are two or more trainings that
// differ in the seed alone, each with a value. Redrawn splits are draws of rows and no trainings, so they have none.
func DeviationOverSeeds(records []Record) (sd float64, ok bool) {
	if len(records) < 2 {
		return 0, false
	}
	for _, r := range records {
		if r.Variant.Training == 0 || r.WithoutTraining() != records[0].WithoutTraining() || r.Status != OK {
			return 0, false
		}
	}
	mean, squares := MeanOverSettings(records), 0.0
	for _, r := range records {
		d := r.Value - mean
		squares += float64(d * d)
	}
	return math.Sqrt(squares / float64(len(records)-1)), true
}

// PairsOverSeeds returns the pairs with the trainings of a network as one, as OverSeeds does
// with records. The ends of an interval are the means of the ends: the seeds share their test
// rows, so the mean varies at most as much as one of them does on average. P belongs to the
// interval of the mean and never contradicts it: it is that of a normal distribution whose 95 %
// interval reaches from the mean difference as far towards 0, so it is below .05 exactly where
// the interval does not contain 0. The P of a single seed stays as it is. Without the interval, or the verdict, of a seed there is none.
func PairsOverSeeds(pairs []Pair) []Pair {
	return overSeeds(pairs, func(p Pair) (pairPlace, bool) {
		return pairPlace{Place{p.Setting.WithoutTraining(), p.Method, p.Metric}, p.Against}, p.Variant.Training > 0
	}, meanPair)
}

// meanPair returns the mean of pairs of the same methods and metric.
func meanPair(pairs []Pair) Pair {
	out := pairs[0]
	out.Setting = out.WithoutTraining()
	n := float64(len(pairs))
	mean := func(of func(Pair) float64) (sum float64) {
		for _, p := range pairs {
			sum += of(p) / n
		}
		return sum
	}
	out.Difference = mean(func(p Pair) float64 { return p.Difference })
	out.Lo, out.Hi = mean(func(p Pair) float64 { return p.Lo }), mean(func(p Pair) float64 { return p.Hi })
	if len(lists.Where(pairs, func(p Pair) bool { return p.Interval != out.Interval })) > 0 {
		out.Interval = ""
	}
	verdict := metrics.Verdict{}
	for _, p := range pairs {
		if p.Verdict == nil || p.Verdict.By != pairs[0].Verdict.By {
			out.Verdict = nil
			return out
		}
		v := *p.Verdict
		verdict.By = v.By
		verdict.Difference += v.Difference / n
		verdict.Lo += v.Lo / n
		verdict.Hi += v.Hi / n
	}
	if verdict.P = normalP(verdict); len(pairs) == 1 {
		verdict.P = pairs[0].Verdict.P
	}
	out.Verdict = &verdict
	return out
}

// normalP returns the P of a verdict from its difference d and its interval: with h the distance
// from d to the end of the interval on the side of 0, it is 2 (1 - Phi(z)), z = 1.96 |d| / h. It
// is 1 where d is 0, and 0 for another d where h is.
func normalP(v metrics.Verdict) float64 {
	h := v.Difference - v.Lo
	if v.Difference < 0 {
		h = v.Hi - v.Difference
	}
	switch {
	case v.Difference == 0:
		return 1
	case h <= 0:
		return 0
	}
	return math.Erfc(halfWidth * math.Abs(v.Difference) / h / math.Sqrt2)
}

// halfWidth is the half width of the 95 % interval of the standard normal distribution.
const halfWidth = 1.959963984540054
