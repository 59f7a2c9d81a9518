package compare

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/qats-bench/qats/results"
	"github.com/qats-bench/qats/results/resultstest"
)

// meanBy is the mean over the groups of a list of what of says of each group.
func meanBy(list []results.Setting, by func(results.Setting) string, of func([]results.Setting) float64) float64 {
	groups := map[string][]results.Setting{}
	for _, s := range list {
		groups[by(s)] = append(groups[by(s)], s)
	}
	sum := 0.0
	for _, group := range groups {
		sum += of(group)
	}
	return sum / float64(len(groups))
}

// Rows with gaps, whose pairs are of either direction, by one arrangement for all methods and kinds of blocks:
// means are over blocks, data sets and settings, and settings count by the signs of differences
// and by their verdicts.
func TestArrangedRowsAreMeansOverBlocksDataSetsAndSettings(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	methods := []string{"ts", "ir", "qats", "hb"}
	var records []results.Record
	var pairs []results.Pair
	var settings []results.Setting
	value := map[results.Setting]map[string]float64{}
	for _, dataset := range []string{"cifar10", "cifar10-c", "letter", "magic"} {
		for _, backbone := range []string{"x", "y", "z"} {
			for severity := range 3 {
				s := cell(dataset, backbone)
				if severity > 0 {
					s = resultstest.Shifted(s, "noise", severity)
				}
				if rng.IntN(5) == 0 {
					continue
				}
				settings, value[s] = append(settings, s), map[string]float64{}
				for m, method := range methods {
					if rng.IntN(8) == 0 {
						records = append(records, absent(s, method))
						continue
					}
					x := rng.Float64()
					value[s][method] = x
					records = append(records, record(s, method, x))
					for _, other := range methods[:m] {
						if y, has := value[s][other]; has {
							pairs = append(pairs, pair(s, method, other, x-y, x-y-.2, x-y+.2))
						}
					}
				}
			}
		}
	}
	block := map[Block]func(results.Setting) string{
		BySamples: func(s results.Setting) string { return s.Dataset[:5] }, // cifar10 and cifar10-c share samples
		ByDataset: func(s results.Setting) string { return s.Dataset },
		ByNetwork: func(s results.Setting) string { return s.Dataset + s.Backbone },
		BySetting: results.Setting.Name,
	}
	a, err := Arrange(records, pairs, Options{Metric: "ece"})
	if err != nil {
		t.Fatal(err)
	}
	for _, by := range Blocks() {
		for _, against := range methods {
			list, err := a.Compare(against, by)
			if err != nil || len(list) != 1 || len(list[0].Rows) != len(methods)-1 {
				t.Fatalf("%d comparisons, %v", len(list), err)
			}
			for _, r := range list[0].Rows {
				var both []results.Setting
				ahead, win, tie := 0, 0, 0
				for _, s := range settings {
					x, ok1 := value[s][r.Method]
					y, ok2 := value[s][against]
					if !ok1 || !ok2 {
						continue
					}
					both = append(both, s)
					if x < y {
						ahead++
					}
					switch d := x - y; {
					case d < -.2:
						win++
					case d <= .2:
						tie++
					}
				}
				mean := func(of func(results.Setting) float64) float64 {
					return meanBy(both, block[by], func(list []results.Setting) float64 {
						return meanBy(list, func(s results.Setting) string { return s.Dataset }, func(list []results.Setting) float64 {
							return meanBy(list, results.Setting.Name, func(one []results.Setting) float64 { return of(one[0]) })
						})
					})
				}
				x := mean(func(s results.Setting) float64 { return value[s][r.Method] })
				d := mean(func(s results.Setting) float64 { return value[s][r.Method] - value[s][against] })
				if math.Abs(r.Value-x) > 1e-12 || math.Abs(r.Difference-d) > 1e-12 {
					t.Errorf("%s against %s by %s: mean %g, difference %g, want %g, %g", r.Method, against, by, r.Value, r.Difference, x, d)
				}
				if r.Settings != len(both) || r.Ahead != ahead || r.Win != win || r.Tie != tie || r.Loss != len(both)-win-tie {
					t.Errorf("%s against %s by %s: %+v, want %d settings, %d ahead, %d wins, %d ties", r.Method, against, by, r, len(both), ahead, win, tie)
				}
			}
		}
	}
}
