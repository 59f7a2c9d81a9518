package data

import (
	"context"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/qats-bench/qats/data/npy"
)

// besideFile writes an array of one axis, or of two in either order of its elements.
func besideFile(t *testing.T, dir, name string, kind npy.DType, shape []int, fortran bool, body func(b []byte) []byte) string {
	t.Helper()
	head := npy.HeaderBytes(kind, shape)
	if fortran {
		head = []byte(strings.Replace(strings.Replace(string(head), "False", "True", 1), "\n", " \n", 1))
	}
	path := filepath.Join(dir, name)
	if err := os.WriteFile(path, body(head), 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

func floatsFile(t *testing.T, dir, name string, v []float64) string {
	return besideFile(t, dir, name, npy.Float64, []int{len(v)}, false, func(b []byte) []byte {
		for _, x := range v {
			u := math.Float64bits(x)
			for s := 0; s < 64; s += 8 {
				b = append(b, byte(u>>s))
			}
		}
		return b
	})
}

func int64File(t *testing.T, dir, name string, v []int64) string {
	return besideFile(t, dir, name, npy.Int64, []int{len(v)}, false, func(b []byte) []byte {
		for _, x := range v {
			for s := 0; s < 64; s += 8 {
				b = append(b, byte(uint64(x)>>s))
			}
		}
		return b
	})
}

func logitsFile(t *testing.T, dir, name string, n, k int, fortran bool, at func(i, j int) float32) string {
	return besideFile(t, dir, name, npy.Float32, []int{n, k}, fortran, func(b []byte) []byte {
		for e := range n * k {
			i, j := e/k, e%k
			if fortran {
				i, j = e%n, e/n
			}
			u := math.Float32bits(at(i, j))
			b = append(b, byte(u), byte(u>>8), byte(u>>16), byte(u>>24))
		}
		return b
	})
}

// A set with whole weights has the rows of a set in which they are repeated, in files of both orders, in blocks of any size, and
// with rows left out by their labels.
func TestWeightsRepeatRows(t *testing.T) {
	dir := t.TempDir()
	const n, k = 203, 3
	rng := rand.New(rand.NewPCG(1, 2))
	labels, weights, groups, folds := make([]int64, n), make([]float64, n), make([]int64, n), make([]int64, n)
	var want []int
	for i := range n {
		labels[i], weights[i], groups[i], folds[i] = int64(rng.IntN(k)), float64(rng.IntN(4)), int64(rng.IntN(40))<<40, int64(rng.IntN(5))
		if i%17 == 3 {
			labels[i] = Void
		}
		for c := 0; c < int(weights[i]) && labels[i] != Void; c++ {
			want = append(want, i)
		}
	}
	at := func(i, j int) float32 { return float32(k*i + j) }
	for _, fortran := range []bool{false, true} {
		f := Files{Logits: logitsFile(t, dir, "logits.npy", n, k, fortran, at), Labels: int64File(t, dir, "labels.npy", labels)}
		f.Weights, f.Groups, f.Folds = floatsFile(t, dir, "weights.npy", weights), int64File(t, dir, "groups.npy", groups), int64File(t, dir, "folds.npy", folds)
		r, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		defer r.Close()
		if r.Rows() != len(want) || FileRows(r) != n {
			t.Fatalf("%d rows of %d, want %d", r.Rows(), FileRows(r), len(want))
		}
		names := map[int32]int64{}
		for _, rows := range []int{1, 7, len(want)} {
			err := Scan(context.Background(), r, rows, 1, func(lo int, set *Set) error {
				for i := range set.Len() {
					row := want[lo+i]
					if set.Logits.Row(i)[1] != at(row, 1) || int64(set.Labels[i]) != labels[row] || int64(set.Folds[i]) != folds[row] || set.Weights != nil || set.Unit != 0 {
						t.Fatalf("fortran %v, row %d: %v, label %d, fold %d", fortran, lo+i, set.Logits.Row(i), set.Labels[i], set.Folds[i])
					}
					if name, ok := names[set.Groups[i]]; ok && name != groups[row] {
						t.Fatalf("row %d: group %d is %d and %d", lo+i, set.Groups[i], name, groups[row])
					}
					names[set.Groups[i]] = groups[row]
				}
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
		}
		if distinct := slices.Compact(slices.Sorted(slices.Values(groups))); len(names) > len(distinct) {
			t.Errorf("%d groups of %d", len(names), len(distinct))
		}
		alone, err := f.open(Logits) // the same rows without labels
		if err != nil {
			t.Fatal(err)
		}
		defer alone.Close()
		if alone.Rows() != len(want) {
			t.Errorf("without labels %d rows, want %d", alone.Rows(), len(want))
		}
	}
}

// Copies of a row are a group where no groups are given, and in memory the set is that of the files.
func TestCopiesOfARowAreAGroup(t *testing.T) {
	dir := t.TempDir()
	weights := []float64{2, 0, 1, 3}
	f := Files{Logits: logitsFile(t, dir, "logits.npy", 4, 2, false, func(i, j int) float32 { return float32(i - j) }), Labels: int64File(t, dir, "labels.npy", []int64{0, 1, 1, 0})}
	f.Weights = floatsFile(t, dir, "weights.npy", weights)
	r, err := f.Open()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	got, err := Read(t.Context(), r, 0, r.Rows())
	if err != nil {
		t.Fatal(err)
	}
	plain := &Set{Logits: Matrix{Rows: 4, Cols: 2, Data: []float32{0, -1, 1, 0, 2, 1, 3, 2}}, Labels: []int32{0, 1, 1, 0}, Weights: weights}
	want, err := plain.Counted(false)
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(got, want) || !reflect.DeepEqual(got.Groups, []int32{0, 0, 1, 2, 2, 2}) {
		t.Errorf("%+v, in memory %+v", got, want)
	}
	if none, err := plain.View(Logits).Counted(false); err != nil || none.Len() != 4 {
		t.Errorf("without weights: %+v, %v", none, err)
	}
}

func TestCountsOfWeights(t *testing.T) {
	for name, c := range map[string]struct {
		weights   []float64
		normalise bool
		rows      []int
		unit      float64
	}{
		"whole":            {[]float64{1, 0, 3}, false, []int{1, 0, 3}, 1},
		"decimals":         {[]float64{.25, 1, 2.5}, false, []int{1, 4, 10}, 4},
		"shares":           {[]float64{200. / (2 * 157), 200. / (2 * 43)}, false, []int{43, 157}, 43 * 2 * 157. / 200},
		"float32":          {[]float64{float64(float32(.1)), float64(float32(.7))}, false, []int{1, 7}, 10},
		"normalised":       {[]float64{5, 10, 15}, true, []int{1, 2, 3}, 2},
		"normalised whole": {[]float64{1e12, 1e12}, true, []int{1, 1}, 1},
		"large":            {[]float64{1e300, 2.5e300}, true, []int{2, 5}, 3.5},
	} {
		got, err := CountsOf(c.weights, c.normalise, "w")
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if !slices.Equal(got.Rows, c.rows) || math.Abs(got.Unit/c.unit-1) > 1e-6 || !got.Exact {
			t.Errorf("%s: %v with the unit %g, exact %v; want %v with %g", name, got.Rows, got.Unit, got.Exact, c.rows, c.unit)
		}
	}
	for want, weights := range map[string][]float64{
		"w: all weights are 0":                {0, 0},
		"w: row 1: -1 is no weight":           {1, -1},
		"w: the weights sum to 4e+12 rows":    {3e12, 1e12},
		"w: row 0: NaN is no weight":          {math.NaN()},
		"w: the weights sum to 2.684e+08 row": {1 << 28, 1},
	} {
		if _, err := CountsOf(weights, false, "w"); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

// Weights without a common unit are rounded so that rows of equal weight keep their sum, and no count is off by a row.
func TestRoundedCountsKeepSums(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	weights := make([]float64, 3000)
	ones := 0
	for i := range weights {
		if weights[i] = math.Exp(rng.NormFloat64()); i%2 == 0 {
			weights[i], ones = math.Pi, ones+1
		}
	}
	c, err := CountsOf(weights, false, "w")
	if err != nil {
		t.Fatal(err)
	}
	if c.Exact || c.Total < fewestCounted-1 || c.Total > fewestCounted+1 {
		t.Errorf("%d rows, exact %v", c.Total, c.Exact)
	}
	sum := 0
	for i, n := range c.Rows {
		if math.Abs(float64(n)-c.Unit*weights[i]) > 1+1e-9 {
			t.Errorf("row %d counts %d, its weight is %g", i, n, c.Unit*weights[i])
		}
		if weights[i] == math.Pi {
			sum += n
		}
	}
	if want := c.Unit * math.Pi * float64(ones); math.Abs(float64(sum)-want) > 1 {
		t.Errorf("rows of equal weight count %d, want %g", sum, want)
	}
}
