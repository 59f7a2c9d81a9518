package features

import (
	"slices"
	"testing"

	"github.com/qats-bench/qats/calib/internal/testset"
)

// On ties a row is in the group of the lowest index.
func TestGCPartsBreakTiesByIndex(t *testing.T) {
	p := []gcPartition{{W: [][]float64{{1, 0}, {0, 1}, {1, 0}}}, {W: [][]float64{{-1, 0}, {1, 0}}}}
	group := newGCGroups(p, 2).of(nil, testset.Rows([][]float32{{2, 1}, {1, 2}, {3, 3}, {0, 0}}))
	if !slices.Equal(group, []int{0, 1, 1, 1, 0, 1, 0, 0}) {
		t.Errorf("groups %v", group)
	}
}
