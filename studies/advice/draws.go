package main

import (
	"fmt"
	"io/fs"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"

	"github.com/qats-bench/qats/data"
)

// mostTest is the largest number of test rows of a draw.
const mostTest = 5000

// pool is where draws come from.
type pool struct {
	name  string
	kind  string // of networks: real, or as of made ones
	draws int    // of each size
	draw  func(rng *rand.Rand, n int) (cal, test *data.Set)
}

// readPools returns the real networks below some folders, and the made ones.
func readPools(bundle, more string) ([]pool, error) {
	pools := madePools()
	for _, root := range []struct {
		dir, kind string
		draws     int
	}{{bundle, "bundle", 8}, {more, "cifar100", 8}} {
		if root.dir == "" {
			continue
		}
		err := filepath.WalkDir(root.dir, func(dir string, d fs.DirEntry, err error) error {
			if err != nil || !d.IsDir() {
				return err
			}
			for _, split := range []data.Split{data.Cal, data.Test} {
				if _, err := os.Stat(filepath.Join(dir, string(split), "logits.npy")); err != nil {
					return nil
				}
			}
			cal, err := readSet(dir, data.Cal)
			if err != nil {
				return err
			}
			test, err := readSet(dir, data.Test)
			if err != nil {
				return err
			}
			rel, _ := filepath.Rel(root.dir, dir)
			pools = append(pools, pool{filepath.ToSlash(rel), root.kind, root.draws, realDraw(cal, test)})
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return pools, nil
}

// readSet reads the logits and the labels of a set of a network.
func readSet(dir string, split data.Split) (*data.Set, error) {
	set, err := data.ReadSet(filepath.Join(dir, string(split), "logits.npy"), filepath.Join(dir, string(split), "labels.npy"))
	return set, err
}

// realDraw draws from the sets of a network; see the package comment. It returns no sets if there
// are not enough rows.
func realDraw(cal, test *data.Set) func(rng *rand.Rand, n int) (a, b *data.Set) {
	return func(rng *rand.Rand, n int) (a, b *data.Set) {
		rows, others := len(cal.Labels), len(test.Labels)
		if rows >= 2*n {
			return data.Gather(rng.Perm(rows)[:n], cal), data.Gather(rng.Perm(others)[:min(others, mostTest)], test)
		}
		if rows+others < n+500 {
			return nil, nil
		}
		order := rng.Perm(rows + others)
		return data.Gather(order[:n], cal, test), data.Gather(order[n:min(len(order), n+mostTest)], cal, test)
	}
}

// madePools returns the made networks.
func madePools() []pool {
	var pools []pool
	add := func(kind string, draws, k int, t float64, change func(rng *rand.Rand, cal, test *data.Set)) {
		pools = append(pools, pool{fmt.Sprintf("%s-%d-%g", kind, k, t), kind, draws, func(rng *rand.Rand, n int) (cal, test *data.Set) {
			cal, test = made(rng, n, k, t), made(rng, mostTest, k, t)
			if change != nil {
				change(rng, cal, test)
			}
			return cal, test
		}})
	}
	for _, k := range []int{3, 100} {
		for _, t := range []float64{.7, 1, 2} {
			add("one-temperature", 12, k, t, nil)
		}
	}
	add("almost-separable", 12, 3, .15, nil)
	add("separable", 4, 3, 1, func(_ *rand.Rand, cal, test *data.Set) { predicted(cal); predicted(test) })
	add("missing-classes", 12, 10, 1.5, func(rng *rand.Rand, cal, _ *data.Set) { withoutClasses(rng, cal, 7) })
	add("shuffled", 4, 10, 1, func(rng *rand.Rand, cal, test *data.Set) {
		for _, s := range []*data.Set{cal, test} {
			rng.Shuffle(len(s.Labels), func(i, j int) { s.Labels[i], s.Labels[j] = s.Labels[j], s.Labels[i] })
		}
	})
	return pools
}

// made returns n rows of k normal logits, whose labels are drawn from the softmax of logits / t.
func made(rng *rand.Rand, n, k int, t float64) *data.Set {
	set := &data.Set{Logits: data.NewMatrix(n, k), Labels: make([]int32, n)}
	for i := range n {
		row := set.Logits.Row(i)
		for j := range row {
			row[j] = float32(3 * rng.NormFloat64())
		}
		set.Labels[i] = label(rng, row, t)
	}
	return set
}

// label draws a label from the softmax of a row / t.
func label(rng *rand.Rand, row []float32, t float64) int32 {
	top, sum := float64(slices.Max(row)), 0.0
	p := make([]float64, len(row))
	for j, l := range row {
		p[j] = math.Exp((float64(l) - top) / t)
		sum += p[j]
	}
	u, y := rng.Float64()*sum, 0
	for ; y < len(p)-1 && u >= p[y]; y++ {
		u -= p[y]
	}
	return int32(y)
}

// predicted makes the labels of a set its predictions.
func predicted(set *data.Set) {
	for i := range set.Labels {
		row := set.Logits.Row(i)
		set.Labels[i] = int32(slices.Index(row, slices.Max(row)))
	}
}

// withoutClasses draws labels of the classes below first in the place of others.
func withoutClasses(rng *rand.Rand, set *data.Set, first int) {
	for i := range set.Labels {
		if int(set.Labels[i]) >= first {
			set.Labels[i] = label(rng, set.Logits.Row(i)[:first], 1.5)
		}
	}
}
