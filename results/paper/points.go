package paper

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"

	"github.com/qats-bench/qats/results/internal/csvfile"
)

// Points are hundredths of a per cent. The paper prints two decimals, so its
// numbers are whole Points, and gaps and ties of printed numbers are exact.
type Points int

// PointsOf returns a fraction as a table prints it: 0.07128 is 7.13. It panics
// for a number that no table can print: NaN, an infinity or a huge one.
func PointsOf(fraction float64) Points {
	text := strconv.FormatFloat(100*fraction, 'f', 2, 64)
	p, err := strconv.Atoi(strings.Replace(text, ".", "", 1))
	if err != nil {
		panic(fmt.Sprintf("paper: %v cannot be printed as points", fraction))
	}
	return Points(p)
}

// Percent returns the number in per cent. It has two decimals, so that it prints as the paper
// does.
func (p Points) Percent() float64 { return float64(p) / 100 }

// String prints two decimals, such as 7.13 and -0.16.
func (p Points) String() string {
	sign := ""
	if p < 0 {
		sign, p = "-", -p
	}
	return fmt.Sprintf("%s%d.%02d", sign, p/100, p%100)
}

// Signed is String with a plus sign before a number above zero.
func (p Points) Signed() string {
	if p > 0 {
		return "+" + p.String()
	}
	return p.String()
}

// MarshalJSON prints a number with two decimals.
func (p Points) MarshalJSON() ([]byte, error) { return []byte(p.String()), nil }

var pointsForm = regexp.MustCompile(`^[-+]?[0-9]{1,5}\.[0-9]{1,2}$`)

// parsePoints reads a field with one or two decimals.
func parsePoints(row *csvfile.Row, column, s string) Points {
	if !pointsForm.MatchString(s) {
		row.Fail(column, "%q is not a number with one or two decimals", s)
		return 0
	}
	x, _ := strconv.ParseFloat(s, 64) // the form is checked
	return Points(math.Round(100 * x))
}
