package compare

import (
	"cmp"
	"math"
	"slices"

	"github.com/qats-bench/qats/internal/lists"
	"github.com/qats-bench/qats/results"
	"github.com/qats-bench/qats/results/compare/significance"
)

// Floor says which methods are shown to know more than [results.BaseRate]: to be better than it by a proper
// score, and worse by none. Holm's correction is over all methods times the scores, in a family of its
// own, which changes no other p.
type Floor struct {
	Recorded bool              // base-rate has scores beside some method
	Possible bool              // the test can show it over so many blocks
	Blocks   int               // the most that a method has beside base-rate
	Lower    []Effect          // of calibration errors and others by which base-rate is shown to be ahead of Against, though it knows nothing
	Unranked map[string]string // methods for which it is not shown, with the reason; nil where it is not possible. Those with too few blocks are not among them
}

// floor compares all methods with base-rate.
func (j *judge) floor(source string) Floor {
	f := Floor{}
	for _, metric := range j.described {
		c := j.by(metric, j.options.Against)[source]
		if c == nil || c.Floor == nil {
			continue
		}
		if v := (View{Comparison: c}); v.side(*c.Floor) < 0 {
			f.Lower = append(f.Lower, Effect{Metric: metric, Label: v.MetricLabel, Row: *c.Floor, view: v, P: math.NaN(), Holm: math.NaN(), Sign: -1})
		}
	}
	type entry struct {
		method string
		sign   int // of the shift
		p      float64
	}
	var list []entry
	for _, of := range append(results.Predictions(), "") {
		for _, metric := range scoresOf(of) {
			c := j.by(metric, results.BaseRate)[source]
			if of == results.TopLabel || c == nil { // which may be of a confidence alone
				c = cmp.Or(j.by(metric, results.BaseRateTop)[source], c)
			}
			if c == nil {
				continue
			}
			v := View{Comparison: c}
			for _, r := range c.Rows {
				if j.predicts[r.Method] != of || c.Sees(r.Method) {
					continue
				}
				f.Recorded, f.Blocks = true, max(f.Blocks, r.Blocks)
				if !testable(r.Blocks) {
					continue
				}
				list = append(list, entry{r.Method, map[bool]int{true: -1, false: 1}[v.favours(r)], significance.Wilcoxon(withoutRounding(r.BlockDifference)).P})
			}
		}
	}
	f.Possible = len(list) > 0 && significance.LeastP(f.Blocks)*float64(len(list)) <= Alpha
	if !f.Recorded || !f.Possible {
		return f
	}
	signs := map[string][]int{}
	for i, p := range significance.Holm(lists.Values(list, func(e entry) float64 { return e.p })) {
		sign := list[i].sign
		if p > Alpha || math.IsNaN(p) {
			sign = 0
		}
		signs[list[i].method] = append(signs[list[i].method], sign)
	}
	f.Unranked = map[string]string{}
	for _, floor := range []string{results.BaseRate, results.BaseRateTop} {
		f.Unranked[floor] = "is the floor: it knows nothing but the share of right predictions"
	}
	for method, of := range signs {
		if slices.Contains([]string{Uncalibrated, j.options.Against}, method) {
			continue
		}
		switch ruled(of) {
		case NotShown:
			f.Unranked[method] = "is not shown to be better than base-rate, which knows nothing"
		case Worse:
			f.Unranked[method] = "is worse than base-rate, which knows nothing"
		case Opposed:
			f.Unranked[method] = "is better than base-rate by one score and worse by the other"
		}
	}
	return f
}
