package isotonic

import (
	"strings"
	"testing"

	"github.com/qats-bench/qats/calib/calibtest"
	"github.com/qats-bench/qats/calib/internal/testset"
)

// Merging is by geometric means: of one fold twice it is the inductive predictor.
func TestEqualFoldsChangeNothing(t *testing.T) {
	set := testset.Drawn(100, 3, 2, 4)
	m := calibtest.Fit(t, IVAPEntry, set, nil).Map.(vennAbersMap)
	m.Folds = [][]vennOutcomes{m.Folds[0], m.Folds[0]}
	two := m.Prepared()
	if got, want := calibtest.Apply(two, set.Logits), calibtest.Apply(calibtest.Fit(t, IVAPEntry, set, nil).Map, set.Logits); !testset.Near(got.Data, want.Data, 0) {
		t.Error("two equal folds change the probabilities")
	}
}

func TestVennAbersSetsHaveALimit(t *testing.T) {
	const most = mostPairedClasses
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

// With two classes one-vs-rest and one-vs-one are the same predictor.
func TestTwoClassesAreOnePair(t *testing.T) {
	set := testset.Drawn(300, 2, 2, 3)
	rest := calibtest.Apply(calibtest.Fit(t, IVAPEntry, set, nil).Map, set.Logits)
	m, err := calibtest.Method(IVAPEntry, map[string]any{"coupling": oneVsOne})
	if err != nil {
		t.Fatal(err)
	}
	if one := calibtest.Apply(calibtest.Map(t, m, set), set.Logits); !testset.Near(rest.Data, one.Data, 1e-12) {
		t.Error("one-vs-rest and one-vs-one differ")
	}
}
