// Command equivalence simulates how often the comparison over blocks is wrong:
//
//	cd studies && go run ./equivalence > ../results/shown/equivalence.csv
//
// The differences of a method are drawn independently for each block, from a distribution about a
// shift: its Hodges-Lehmann centre, the median of the mean of two draws. A row of the output has the number
// of blocks, the distribution, its spread and the margin in points, and three shares of the draws:
//
//	different:  with the shift 0, Wilcoxon's test shows a difference at .05
//	alike:      with the shift at the margin, the two one-sided tests show the method to be alike
//	detected:   with the shift that one comparison calls detectable with power .8, the test of another shows it
//
// The first two should be at most .05, and the third about .8. The tests assume that the
// differences are symmetric; rows of the distribution skewed say what happens if they are not.
package main

import (
	"encoding/csv"
	"io"
	"log"
	"math"
	"math/rand/v2"
	"os"
	"strconv"

	"github.com/qats-bench/qats/results/compare/significance"
)

func main() {
	log.SetFlags(0)
	log.SetPrefix("equivalence: ")
	if err := write(os.Stdout, draws); err != nil {
		log.Fatal(err)
	}
}

// draws is the number of comparisons in each row.
const draws = 4000

// alpha is the level of all tests, and power that of the shift which is called detectable.
const alpha, power = .05, .8

// distribution draws differences about the centre 0 with a spread of about 1.
type distribution struct {
	name string
	draw func(*rand.Rand) float64
}

// skewedCentre is the median of the mean of two draws of exp(1) - 1: the root x of
// (1 + 2x) exp(-2x) = 1/2, less 1.
const skewedCentre = .8391734950083306 - 1

func distributions() []distribution {
	return []distribution{
		{"normal", (*rand.Rand).NormFloat64},
		{"heavy", func(r *rand.Rand) float64 { // Student's t with 3 degrees of freedom
			var chi float64
			for range 3 {
				x := r.NormFloat64()
				chi += x * x
			}
			return r.NormFloat64() / math.Sqrt(chi/3)
		}},
		{"spike", func(r *rand.Rand) float64 { // half of the blocks differ by hardly anything
			if r.IntN(2) == 0 {
				return .01 * r.NormFloat64()
			}
			return r.NormFloat64()
		}},
		{"skewed", func(r *rand.Rand) float64 { return r.ExpFloat64() - 1 - skewedCentre }},
	}
}

// write writes the table, with so many draws in each row.
func write(to io.Writer, draws int) error {
	w := csv.NewWriter(to)
	w.Write([]string{"blocks", "distribution", "spread", "margin", "different", "alike", "detected"})
	for i, blocks := range []int{6, 9, 13, 20, 34, 60} {
		for j, d := range distributions() {
			for k, spread := range []float64{.1, .5, 2} {
				for l, margin := range []float64{.1, .25, .5} {
					r := rand.New(rand.NewPCG(uint64(100*i+j), uint64(100*k+l)))
					w.Write(row(r, d, blocks, spread, margin, draws))
				}
			}
		}
	}
	w.Flush()
	return w.Error()
}

func row(r *rand.Rand, d distribution, blocks int, spread, margin float64, draws int) []string {
	var different, alike, detected int
	sample := make([]float64, blocks)
	draw := func() {
		for i := range sample {
			sample[i] = spread * d.draw(r)
		}
	}
	for range draws {
		draw()
		if significance.Wilcoxon(sample).P <= alpha {
			different++
		}
		if significance.Equivalence(moved(sample, margin), margin) <= alpha {
			alike++
		}
		detectable := significance.HodgesLehmann(sample, 1-alpha).Detectable(1-alpha, power)
		draw()
		if significance.Wilcoxon(moved(sample, detectable)).P <= alpha {
			detected++
		}
	}
	share := func(n int) string { return strconv.FormatFloat(float64(n)/float64(draws), 'f', 4, 64) }
	return []string{strconv.Itoa(blocks), d.name, strconv.FormatFloat(spread, 'g', -1, 64), strconv.FormatFloat(margin, 'g', -1, 64), share(different), share(alike), share(detected)}
}

// moved returns differences with a shift.
func moved(differences []float64, shift float64) []float64 {
	list := make([]float64, len(differences))
	for i, d := range differences {
		list[i] = d + shift
	}
	return list
}
