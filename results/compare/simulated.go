package compare

import (
	"math"

	"github.com/qats-bench/qats/results/compare/significance"
)

// Judged reports whether the comparison has tests, intervals and verdicts. One over
// simulated settings has only values, differences and ranks. Its networks are virtual, so a
// test of them would say how the simulator was written.
func (c *Comparison) Judged() bool { return c.Source != "simulated" }

// dropVerdicts keeps what a comparison without verdicts has. It names the fields that
// stay, so that a field that is added later is left out.
func (c *Comparison) dropVerdicts() {
	kept := func(r Row) Row {
		return Row{Method: r.Method, Settings: r.Settings, Blocks: r.Blocks, Value: r.Value, Difference: r.Difference,
			BlockDifference: r.BlockDifference, BlockNames: r.BlockNames,
			NoVerdict: r.Settings, Test: significance.SignedRank{P: math.NaN()}, Holm: math.NaN()}
	}
	for i, r := range c.Rows {
		c.Rows[i] = kept(r)
	}
	c.Own, c.Verdicts = kept(c.Own), 0
	if c.Floor != nil {
		*c.Floor = kept(*c.Floor)
	}
	k := c.Ranking
	c.Ranking = Ranking{Methods: k.Methods, Ranks: k.Ranks, Means: k.Means, Blocks: k.Blocks, Settings: k.Settings, Extent: k.Extent, None: k.None,
		Unranked: k.Unranked, Target: k.Target, Aside: k.Aside, ByNature: k.ByNature, Missing: k.Missing}
}

// unjudged says why a simulated comparison has no verdict.
const unjudged = "Simulated rows get no test, no interval and no verdict."
