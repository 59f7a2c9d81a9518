package fit

import (
	"context"
	"errors"
	"slices"
	"testing"
)

// Every row is in one block, cancellation ends the work, and a panic of any block
// reaches the caller.
func TestEachBlockVisitsEveryRowOnce(t *testing.T) {
	for _, n := range []int{0, 1, 255, 256, 257, 5000} {
		owner := make([]int, n)
		err := EachBlock(context.Background(), n, func(block, lo, hi int) {
			for i := lo; i < hi; i++ {
				owner[i] += 1 + block
			}
		})
		for i, o := range owner {
			if o != 1+i/256 {
				t.Fatalf("%d rows: row %d is in block %d", n, i, o-1)
			}
		}
		if err != nil {
			t.Error(err)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	seen := make([]bool, NumBlocks(1e6))
	err := EachBlock(ctx, 1e6, func(block, _, _ int) {
		seen[block] = true
		cancel()
	})
	if !errors.Is(err, context.Canceled) || !slices.Contains(seen, false) {
		t.Errorf("cancelled: %v", err)
	}
	for block := range 4 {
		func() {
			defer func() {
				if p := recover(); p != "a bug" {
					t.Errorf("a panic in block %d: recovered %v", block, p)
				}
			}()
			EachBlock(context.Background(), 1000, func(b, _, _ int) {
				if b == block {
					panic("a bug")
				}
			})
		}()
	}
}

func TestNumBlocksCountsThePartOfABlock(t *testing.T) {
	for n, want := range map[int]int{0: 0, 1: 1, BlockRows: 1, BlockRows + 1: 2, 10 * BlockRows: 10} {
		if got := NumBlocks(n); got != want {
			t.Errorf("%d rows: %d blocks, want %d", n, got, want)
		}
	}
}
