package compare

import (
	"math"
	"slices"

	"github.com/qats-bench/qats/internal/lists"
	"github.com/qats-bench/qats/results"
	"github.com/qats-bench/qats/results/compare/significance"
)

// BaseRate is the method that knows nothing but the share of right predictions of the calibration rows:
// every row has that confidence. Its calibration error is small on every network, so a small calibration
// error alone proves nothing. It is in no ranking and in no test of other methods.
const BaseRate = "base-rate"

// fewestBlocks is the smallest number of blocks over which a signed-rank test of one method reaches Alpha.
const fewestBlocks = 6

// Floor says which methods are shown to know more than [BaseRate]: to be better than it by a proper
// score, and worse by none. Holm's correction is over all methods times the scores, in a family of its
// own, which changes no other p.
type Floor struct {
	Recorded bool              // base-rate has scores beside some method
	Possible bool              // the test can show it over so many blocks
	Blocks   int               // the most that a method has beside base-rate
	Unranked map[string]string // methods for which it is not shown, with the reason; nil where it is not possible
}

// floor compares all methods with base-rate.
func (j *judge) floor(source string) Floor {
	f := Floor{}
	type entry struct {
		method string
		sign   int // of the shift
		p      float64
	}
	var list []entry
	for _, of := range append(results.Predictions(), "") {
		for _, metric := range scoresOf(of) {
			c := j.by(metric, BaseRate)[source]
			if c == nil {
				continue
			}
			v := View{Comparison: c}
			for _, r := range c.Rows {
				if j.predicts[r.Method] != of || c.Sees(r.Method) {
					continue
				}
				f.Blocks = max(f.Blocks, r.Blocks)
				list = append(list, entry{r.Method, map[bool]int{true: -1, false: 1}[v.favours(r)], significance.Wilcoxon(withoutRounding(r.BlockDifference)).P})
			}
		}
	}
	f.Recorded = len(list) > 0
	f.Possible = f.Blocks >= fewestBlocks && significance.LeastP(f.Blocks)*float64(len(list)) <= Alpha
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
	f.Unranked = map[string]string{BaseRate: "is the floor: it knows nothing but the share of right predictions"}
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
