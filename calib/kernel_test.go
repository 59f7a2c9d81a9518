package calib

import (
	"context"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/qats-bench/qats/calib/internal/simplex"
	"github.com/qats-bench/qats/calib/internal/testset"
	"github.com/qats-bench/qats/data"
)

// The option rows draws rows with the seed, the same ones in any order of the set.
func TestKernelKeepsSomeRows(t *testing.T) {
	set := testset.Drawn(300, 4, 2, 6)
	fitted := func(set *data.Set, seed uint64) kernelMap {
		f, err := KernelRegression{Rows: 50}.Fit(context.Background(), Input{Cal: set, Seed: seed})
		if err != nil {
			t.Fatal(err)
		}
		return f.Map.(kernelMap)
	}
	m := fitted(set, 1)
	if len(m.Labels) != 50 || len(m.Logits) != 200 {
		t.Fatalf("%d rows", len(m.Labels))
	}
	if same := fitted(set, 2); slices.Equal(same.Logits, m.Logits) {
		t.Error("another seed draws the same rows")
	}
	back := &data.Set{Logits: data.NewMatrix(300, 4)}
	for i := range 300 {
		copy(back.Logits.Row(i), set.Logits.Row(299-i))
		back.Labels = append(back.Labels, set.Labels[299-i])
	}
	q, want := applied(fitted(back, 1), set.Logits), applied(m, set.Logits)
	if !testset.Near(q.Data, want.Data, 1e-12) {
		t.Error("the rows depend on their order")
	}
}

// A set that is too large for the map is an error that names the option.
func TestKernelRejectsLargeMaps(t *testing.T) {
	set := &data.Set{Logits: data.NewMatrix(40, 300_000), Labels: make([]int32, 40)}
	_, err := KernelRegression{}.Fit(context.Background(), Input{Cal: set})
	if err == nil || !strings.Contains(err.Error(), "set the option rows to 33 or less") {
		t.Errorf("error %v", err)
	}
}

// One-vs-rest fits and the report of the kernel share their work among processors.
func TestBitsOfOneVsRestAndKernelDoNotDependOnProcessors(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	set := testset.Drawn(700, 6, 2, 8)
	for _, name := range []string{"bbq", "smoothing-spline", "kernel"} {
		var first *Fitted
		for _, workers := range []int{1, 3, 8} {
			runtime.GOMAXPROCS(workers)
			f := fitMethod(t, name, set, nil)
			if first == nil {
				first = f
			}
			q, want := applied(f.Map, set.Logits), applied(first.Map, set.Logits)
			if f.Report.NLL != first.Report.NLL || !slices.Equal(q.Data, want.Data) {
				t.Errorf("%s: other bits with %d processors", name, workers)
			}
		}
	}
}

func TestBanksHaveALimit(t *testing.T) {
	for _, c := range []struct {
		rows, k int
		good    bool
	}{{10, simplex.MostNumbers / 10, true}, {10, simplex.MostNumbers/10 + 1, false}, {11, simplex.MostNumbers / 10, false}, {1, simplex.MostNumbers, true}} {
		if err := checkBankSize(c.rows, c.k); (err == nil) != c.good {
			t.Errorf("%+v: %v", c, err)
		}
	}
}

func TestVennAbersSetsHaveALimit(t *testing.T) {
	const most = mostMatrixClasses
	for _, c := range []struct {
		n, k  int
		pairs bool
		want  string
	}{
		{mostVennAbersScores / 10, 10, false, ""}, {mostVennAbersScores/10 + 1, 10, false, "1000001 x 10 scores"}, {10, mostVennAbersScores/10 + 1, false, "10 x 1000001 scores"},
		{5, most, true, ""}, {5, most + 1, false, ""}, {5, most + 1, true, "5050 pairs of 101 classes"},
	} {
		err := checkVennAbersSize(c.n, c.k, c.pairs)
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %v", c, err)
		}
	}
}
