package fit

import (
	"math"
	"slices"
	"testing"

	"github.com/qats-bench/qats/calib/internal/testset"
)

func TestSplitKeepsTheRowsOfOnePartInside(t *testing.T) {
	set := testset.Simulated(9, 3, 3, 1, 1)
	part := []int{0, 1, 2, 0, 1, 2, 0, 1, 1}
	outside, inside := Split(set, part, 1)
	if want := []int32{set.Labels[1], set.Labels[4], set.Labels[7], set.Labels[8]}; !slices.Equal(inside.Labels, want) {
		t.Errorf("labels inside %v, want %v", inside.Labels, want)
	}
	if inside.Logits.Rows != 4 || !slices.Equal(inside.Logits.Row(2), set.Logits.Row(7)) {
		t.Errorf("%d rows inside", inside.Logits.Rows)
	}
	if outside.Logits.Rows != 5 || len(outside.Labels) != 5 || !slices.Equal(outside.Logits.Row(1), set.Logits.Row(2)) {
		t.Errorf("%d rows outside", outside.Logits.Rows)
	}
}

// Parts differ by one row at most, and follow the content of a row and not its place.
func TestFoldsFollowTheContentOfRows(t *testing.T) {
	set := testset.Simulated(50, 4, 3, 1, 1)
	for i, l := range set.Logits.Data { // so that an offset changes no gap by rounding
		set.Logits.Data[i] = float32(math.Round(16*float64(l)) / 16)
	}
	part := Folds(set, 3, 7)
	var size [3]int
	for _, p := range part {
		size[p]++
	}
	if slices.Max(size[:])-slices.Min(size[:]) > 1 {
		t.Errorf("sizes %v", size)
	}
	rows := make([]int, 50)
	for i := range rows {
		rows[i] = 49 - i
	}
	moved := Pick(set, rows)
	for i := range moved.Logits.Rows { // another offset and another order of the classes
		row := moved.Logits.Row(i)
		slices.Reverse(row)
		moved.Labels[i] = 3 - moved.Labels[i]
		for j := range row {
			row[j] += 4
		}
	}
	for i, p := range Folds(moved, 3, 7) {
		if p != part[49-i] {
			t.Fatalf("row %d is in part %d, and in %d elsewhere", 49-i, part[49-i], p)
		}
	}
	if slices.Equal(Folds(set, 3, 8), part) {
		t.Error("two seeds have the same parts")
	}
}
