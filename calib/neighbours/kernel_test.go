package neighbours

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/qats-bench/qats/calib"
	"github.com/qats-bench/qats/calib/calibtest"
	"github.com/qats-bench/qats/calib/internal/testset"
	"github.com/qats-bench/qats/data"
)

// The option rows draws rows with the seed, the same ones in any order of the set.
func TestKernelKeepsSomeRows(t *testing.T) {
	set := testset.Drawn(300, 4, 2, 6)
	fitted := func(set *data.Set, seed uint64) kernelMap {
		f, err := calib.FitInput(context.Background(), KernelRegression{Rows: 50}, calib.Input{Cal: set, Seed: seed})
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
	q, want := calibtest.Apply(fitted(back, 1), set.Logits), calibtest.Apply(m, set.Logits)
	if !testset.Near(q.Data, want.Data, 1e-12) {
		t.Error("the rows depend on their order")
	}
}

// A set that is too large for the map is an error that names the option.
func TestKernelRejectsLargeMaps(t *testing.T) {
	set := &data.Set{Logits: data.NewMatrix(40, 300_000), Labels: make([]int32, 40)}
	_, err := calib.FitInput(context.Background(), KernelRegression{}, calib.Input{Cal: set})
	if err == nil || !strings.Contains(err.Error(), "set the option rows to 33 or less") {
		t.Errorf("error %v", err)
	}
}

func TestBanksHaveALimit(t *testing.T) {
	for _, c := range []struct {
		rows, k int
		good    bool
	}{{10, mostBankNumbers / 10, true}, {10, mostBankNumbers/10 + 1, false}, {11, mostBankNumbers / 10, false}, {1, mostBankNumbers, true}} {
		if err := checkBankSize(c.rows, c.k); (err == nil) != c.good {
			t.Errorf("%+v: %v", c, err)
		}
	}
}
