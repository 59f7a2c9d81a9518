package fit

import (
	"fmt"

	"github.com/qats-bench/qats/calib/report"
)

// Line is the temperature A (1-q) + B of QaTS and its variants, with the ranks that give q.
type Line struct {
	A    float64 `json:"a"` // >= 0 except for qats-free and qats-reading
	B    float64 `json:"b"` // > 0, as is A + B
	ECDF ECDF    `json:"ecdf"`
}

// Check rejects parameters that no fit returns.
func (l Line) Check() error {
	if !Usable(l.B) || !Usable(l.A+l.B) {
		return fmt.Errorf("a = %v, b = %v: want b and a + b in [1e-50, 1e50]", l.A, l.B)
	}
	return l.ECDF.Check()
}

// Parameters returns a and b.
func (l Line) Parameters() []report.Parameter {
	return []report.Parameter{
		{Name: "a", Value: l.A, Meaning: "how much higher the temperature is at confidence rank q = 0 than at q = 1"},
		{Name: "b", Value: l.B, Meaning: "temperature at confidence rank q = 1"},
	}
}

// Temperature returns T at rank q.
func (l Line) Temperature(q float64) float64 { return float64(l.A*(1-q)) + l.B }

// AtTails writes 1/T(q) for every row with the given tail, q its rank.
func (l Line) AtTails(dst, tails []float64) {
	l.ECDF.Scales(dst, tails, l.Temperature)
}

// OfRanks returns the line of a map that embeds it.
func (l Line) OfRanks() Line { return l }
