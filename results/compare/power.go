package compare

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/qats-bench/qats/internal/english"
	"github.com/qats-bench/qats/results/compare/significance"
)

// Power says what Wilcoxon's test with Holm's correction can show at best over so many
// blocks: where a method is better, or worse, in every block.
type Power struct {
	Blocks    int     // the most that a method has
	Tests     int     // that are corrected together: of each method, or of each method by each score
	LeastP    float64 // the smallest p of one test
	LeastHolm float64 // the smallest p after Holm's correction

	// Possible reports whether a result can be significant at Alpha. If not, it could be
	// significant with at most Most tests that are named beforehand (0 for none), or
	// with Needed blocks.
	Possible     bool
	Most, Needed int
}

// Power returns the power of the comparison with Against by its metric alone: a test of each method.
func (c *Comparison) Power() Power {
	blocks := 0
	for _, r := range c.Rows {
		blocks = max(blocks, r.Blocks)
	}
	return powerOf(blocks, len(c.Rows))
}

// Power returns the power of the tests of a table: of its methods by its scores. Where no method has blocks enough
// for a test, it is that of the tests of all.
func (g Group) Power() Power {
	tests, all := 0, 0
	for _, m := range g.Methods {
		for _, e := range m.Scores {
			if all++; testable(e.Row.Blocks) {
				tests++
			}
		}
	}
	return powerOf(g.Blocks, cmp.Or(tests, all))
}

// powerOf returns the power of so many tests.
func powerOf(blocks, tests int) Power {
	p := Power{Blocks: blocks, Tests: tests, LeastP: significance.LeastP(blocks)}
	holm := p.LeastP * float64(tests)
	p.LeastHolm, p.Possible = min(1, holm), holm <= Alpha
	p.Most, p.Needed = int(Alpha/p.LeastP), blocksFor(tests)
	return p
}

// blocksFor returns the fewest blocks over which one of so many tests can be
// significant at Alpha after Holm's correction.
func blocksFor(tests int) int {
	n := 1
	for significance.LeastP(n)*float64(tests) > Alpha {
		n++
	}
	return n
}

// powerNotes say how small p can be if there are few blocks. If no result can be
// significant, however clear the difference is, they say what would help.
func (v View) powerNotes() []string {
	const small = .01
	p := v.Power()
	switch {
	case p.Tests == 0 || !v.Judged():
		return nil
	case v.Judgement != nil && !v.Ratio: // its statement says how many blocks its tests take
		if p.LeastP > 1-Level {
			return []string{"With " + english.Count(p.Blocks, unitOf(v.Block)) + " there is no 95 % interval of a shift."}
		}
		return nil
	case p.Possible && p.LeastP <= small:
		return v.fewBlocks(small)
	}
	if p.LeastP == 1 {
		return []string{english.Count(p.Blocks, unitOf(v.Block)) + " cannot be tested: that takes " + p.remedy(unitOf(v.Block)) + "."}
	}
	text := fmt.Sprintf("With %s no p can be below %s", english.Count(p.Blocks, unitOf(v.Block)), probability(p.LeastP))
	if !p.Possible && p.Tests > 1 {
		text += fmt.Sprintf(", or below %s after Holm's correction for %d methods", probability(p.LeastHolm), p.Tests)
	}
	if !p.Possible {
		text += ", so none can reach .05: that takes " + p.remedy(unitOf(v.Block))
	}
	text += "."
	if p.LeastP > 1-Level {
		text += " There is no 95 % interval of a shift."
	}
	return []string{text}
}

// remedy says with how many blocks or methods a result could be significant.
func (p Power) remedy(unit string) string {
	text := english.Count(p.Needed, unit)
	switch {
	case p.Tests == 1:
	case p.Most == 0:
		text += fmt.Sprintf(", or %d for a single method", blocksFor(1))
	default:
		text += fmt.Sprintf(", or at most %s, named beforehand", english.Count(p.Most, "method"))
	}
	return text
}

// fewBlocks lists the methods with so few blocks that their p cannot be small.
func (v View) fewBlocks(small float64) []string {
	var few []string
	for _, r := range v.Rows {
		if p := significance.LeastP(r.Blocks); p > small {
			few = append(few, fmt.Sprintf("%s (%s: %s)", v.Label(r.Method), english.Count(r.Blocks, unitOf(v.Block)), probability(p)))
		}
	}
	if len(few) == 0 {
		return nil
	}
	return []string{"The smallest p that the " + unitOf(v.Block) + "s of a method can reach, where it is above .01: " + strings.Join(few, ", ") + "."}
}
