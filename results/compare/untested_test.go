package compare

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/qats-bench/qats/results"
	"github.com/qats-bench/qats/results/compare/significance"
)

// Without the tests, all else is as with them.
func TestUntestedLacksTheTestsAlone(t *testing.T) {
	for _, source := range []string{"measured", "simulated"} {
		records, pairs := differing(source)
		tested := comparison(t, records, pairs, ece)
		list, err := Untested(records, pairs, ece)
		if err != nil || len(list) != 1 {
			t.Fatalf("%d comparisons, %v", len(list), err)
		}
		if list[0].Ranking.Apart != nil || source == "measured" && tested.Ranking.Apart == nil {
			t.Errorf("%s: tests in the ranking: %v, with tests %v", source, list[0].Ranking.Apart, tested.Ranking.Apart)
		}
		rest := func(c *Comparison) string {
			out := *c
			out.Rows = append(slices.Clone(out.Rows), out.Own)
			for i := range out.Rows {
				r := &out.Rows[i]
				r.Test, r.Holm, r.Margin = significance.SignedRank{}, 0, 0
			}
			out.Own, out.Ranking.Apart, out.Ranking.drawn = Row{}, nil, nil
			return fmt.Sprintf("%+v", out)
		}
		if a, b := rest(tested), rest(list[0]); a != b {
			t.Errorf("%s:\n%s\nwith tests:\n%s", source, b, a)
		}
	}
}

// Each row of Apart has what the tests of one method against the others say, by themselves.
func TestApartIsThatOfEachMethodAgainstTheOthers(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	const blocks, methods = 15, 6
	costs := make([][]float64, blocks)
	for b := range costs {
		for m := range methods {
			costs[b] = append(costs[b], float64(rng.IntN(8))+float64(m*m)/6)
		}
		costs[b][5] = costs[b][4] + results.Alike/2
	}
	found := map[bool]int{}
	for i, row := range apart(costs) {
		var p []float64
		for j := range methods {
			var d []float64
			for _, c := range costs {
				if d = append(d, c[j]-c[i]); results.Sign(d[len(d)-1]) == 0 {
					d[len(d)-1] = 0
				}
			}
			p = append(p, significance.Wilcoxon(d).P)
		}
		adjusted := significance.Holm(slices.Delete(slices.Clone(p), i, i+1))
		adjusted = slices.Insert(adjusted, i, 1)
		var want []bool
		for _, x := range adjusted {
			want = append(want, x <= Alpha)
			found[x <= Alpha]++
		}
		if !slices.Equal(row, want) {
			t.Errorf("against method %d: %v, want %v", i, row, want)
		}
	}
	if found[true] < 4 || found[false] <= methods+2 {
		t.Errorf("nothing to tell apart: %v", found)
	}
	if got := apart(nil); got != nil {
		t.Errorf("without a ranking: %v", got)
	}
}
