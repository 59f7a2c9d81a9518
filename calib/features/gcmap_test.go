package features

import (
	"math"
	"slices"
	"testing"

	"github.com/qats-bench/qats/calib/internal/fit"
	"github.com/qats-bench/qats/calib/internal/testset"
	"github.com/qats-bench/qats/data"
)

// On ties a row is in the group of the lowest index.
func TestGCPartsBreakTiesByIndex(t *testing.T) {
	p := []gcPartition{{W: [][]float64{{1, 0}, {0, 1}, {1, 0}}}, {W: [][]float64{{-1, 0}, {1, 0}}}}
	group := newGCGroups(p, 2).appendTo(nil, testset.Rows([][]float32{{2, 1}, {1, 2}, {3, 3}, {0, 0}}))
	if !slices.Equal(group, []int{0, 1, 1, 1, 0, 1, 0, 0}) {
		t.Errorf("groups %v", group)
	}
}

// The NLL from tables of parts of the set is that of the probabilities; a temperature beyond the
// tables is no error.
func TestGCReportsTheNLLOfItsMap(t *testing.T) {
	set := testset.TwoGroups(700, 6, 4, [2]float64{1, 3}, 5)
	first, second := halves(set, 3)
	of := []tabled{{tableOf(t, first), first.Features}, {tableOf(t, second), second.Features}}
	for _, most := range []float64{0.05, 2.5, 1000, 3000} {
		m := gcMap{Width: 4, Partitions: []gcPartition{
			{W: [][]float64{{1, 0, 0, 0}, {0, 1, 0, 0}}, T: []float64{1.3, most}},
			{W: [][]float64{{0, 1, 0, 1}, {0, 0, 1, 0}, {1, 1, 0, 0}}, T: []float64{0.8, 1.5, most}},
		}}
		p := data.NewProbs(set.Logits.Rows, 6)
		m.Apply(p, set)
		want := 0.0
		for i, y := range set.Labels {
			want -= math.Log(max(p.Row(i)[y], fit.LeastProb)) / float64(len(set.Labels))
		}
		if got, err := m.NLL(t.Context(), set, of); err != nil || !(math.Abs(got-want) <= 1e-9*want) {
			t.Errorf("T up to %v: NLL %v (%v), want %v", most, got, err, want)
		}
	}
}
