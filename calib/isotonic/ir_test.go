package isotonic

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/qats-bench/qats/calib"
	"github.com/qats-bench/qats/calib/calibtest"
	"github.com/qats-bench/qats/calib/internal/fit"
	"github.com/qats-bench/qats/calib/internal/method"
	"github.com/qats-bench/qats/calib/internal/testset"
	"github.com/qats-bench/qats/data"
	"github.com/qats-bench/qats/internal/kernel/softmax"
	"github.com/qats-bench/qats/internal/stretch"
)

// isotonicFixtures holds numbers of scikit-learn; the recipe is in the file.
type isotonicFixtures struct {
	Logits [][]float32
	Test   [][]float32 `json:"test_logits"`
	Labels []int32
	IR     [][]float64 `json:"ir"`
	IROVA  [][]float64 `json:"irova"`
	IRTop  [][]float64 `json:"ir_top"`
}

func TestIsotonicMethodsAreScikitLearns(t *testing.T) {
	var f isotonicFixtures
	testset.Read(t, "testdata/isotonic.json", &f)
	cal := &data.Set{Logits: testset.Rows(f.Logits), Labels: f.Labels}
	for _, c := range []struct {
		name   string
		method calib.Method
		want   [][]float64
	}{{"ir", Regression{}, f.IR}, {"irova", OneVsRest{}, f.IROVA}, {"ir-top", TopRegression{}, f.IRTop}} {
		q := calibtest.Apply(calib.Unmixed(calibtest.Map(t, c.method, cal)), testset.Rows(f.Test))
		for i, row := range c.want {
			if !testset.Near(q.Row(i), row, 1e-13) {
				t.Errorf("%s row %d: %v, want %v", c.name, i, q.Row(i), row)
			}
		}
	}
}

// The oracle regresses all n k pairs at once.
func TestIRIsTheRegressionOfAllPairs(t *testing.T) {
	for seed := range uint64(20) {
		set := testset.Drawn(50, 7, 2, seed)
		if seed%2 == 0 { // few distinct logits, so that pairs tie
			for i := range set.Logits.Data {
				set.Logits.Data[i] = float32(math.Round(float64(set.Logits.Data[i]) / 2))
			}
		}
		var all []tieRun
		p := make([]float64, 7)
		for i := range 50 {
			tail := softmax.ProbsAndTail(p, set.Logits.Row(i), 1)
			for j, q := range p {
				x := stretch.OfTail(q, tail)
				r := tieRun{Lo: x, Hi: x, Weight: 1}
				if j == int(set.Labels[i]) {
					r.Sum = 1
				}
				all = append(all, r)
			}
		}
		want := regress(inBlocks(all))
		got := calibtest.Map(t, Regression{}, set).(Map)
		if !testset.Near(got.X, want.X, 0) || !testset.Near(got.Y, want.Y, 0) {
			t.Fatalf("seed %d: knots %v %v, want %v %v", seed, got.X, got.Y, want.X, want.Y)
		}
	}
}

// The oracle regresses all n pairs of each class. There are many classes, rare and
// absent ones, logits tie, and gaps underflow.
func TestIROVAIsTheRegressionOfAllPairs(t *testing.T) {
	for seed := range uint64(30) {
		n, k := 60, 3+int(seed)
		set, test := testset.Drawn(n, k, 2, seed), testset.Drawn(40, k, 1, seed+100)
		for i := range set.Logits.Data {
			switch l := &set.Logits.Data[i]; seed % 3 {
			case 0:
				*l = float32(math.Round(float64(*l) / 2))
			case 1:
				*l *= 300
			}
		}
		f, err := OneVsRest{}.Fit(t.Context(), calib.Input{Cal: set}) // by calib.FitInput, logits x 300 would be divided
		if err != nil {
			t.Fatal(err)
		}
		m := calib.Unmixed(f.Map).(irOVAMap)
		want := data.NewProbs(test.Logits.Rows, k)
		p := make([]float64, k)
		for j := range k {
			all := make([]tieRun, n)
			for i := range n {
				tail := softmax.ProbsAndTail(p, set.Logits.Row(i), 1)
				x := stretch.OfTail(p[j], tail)
				all[i] = tieRun{Lo: x, Hi: x, Weight: 1}
				if j == int(set.Labels[i]) {
					all[i].Sum = 1
				}
			}
			g := Function{}
			if slices.ContainsFunc(all, func(r tieRun) bool { return r.Sum > 0 }) {
				g = regress(inBlocks(all))
			}
			for i := range test.Logits.Rows {
				tail := softmax.ProbsAndTail(p, test.Logits.Row(i), 1)
				want.Row(i)[j] = g.At(stretch.OfTail(p[j], tail)) + 1e-9*p[j]
			}
		}
		got := calibtest.Apply(m, test.Logits)
		for i := range got.Rows {
			sum := 0.0
			for _, v := range want.Row(i) {
				sum += v
			}
			for j := range k {
				want.Row(i)[j] /= sum
			}
			if !testset.Near(got.Row(i), want.Row(i), 1e-12) {
				t.Fatalf("seed %d, row %d: %v, want %v", seed, i, got.Row(i), want.Row(i))
			}
		}
	}
}

// The rows are those in which rounding could change the prediction: logits one float32
// apart on a plateau of g, the larger last, next to classes that tie.
func TestIRKeepsTop1OnPlateaus(t *testing.T) {
	var maps []Map
	for _, g := range []Function{
		{X: []float64{0, stretch.Most}, Y: []float64{0.3, 0.3}},
		{X: []float64{0, stretch.Most}, Y: []float64{1, 1}},
		{X: []float64{0, stretch.Most}, Y: []float64{0, 0}},
		{X: []float64{0.2, 0.21}, Y: []float64{0, 1}},
		{X: []float64{0, stretch.Most}, Y: []float64{1e-17, 2e-17}},
	} {
		maps = append(maps, Map{g})
	}
	ties := 0 // rows whose prediction would change without fit.KeepTop
	rng := rand.New(rand.NewPCG(9, 0))
	for range 3000 {
		k := 2 + rng.IntN(6)
		base := float32(rng.NormFloat64() * math.Ldexp(1, rng.IntN(14)-7))
		row := make([]float32, k)
		for j := range row {
			row[j] = base
			for range rng.IntN(3) {
				row[j] = math.Nextafter32(row[j], 1e30)
			}
			if rng.IntN(3) == 0 {
				row[j] -= float32(rng.ExpFloat64())
			}
		}
		for _, m := range maps {
			q := calibtest.Apply(m, data.Matrix{Rows: 1, Cols: k, Data: row}).Row(0)
			top := fit.TopClass(row)
			sum := 0.0
			for j := range q {
				sum += q[j]
				if row[j] < row[top] && q[j] >= q[top] || row[j] == row[top] && q[j] != q[top] {
					t.Fatalf("row %v, knots %v: q %v", row, m, q)
				}
			}
			if !(math.Abs(sum-1) <= 1e-12) {
				t.Fatalf("row %v sums to %v", row, sum)
			}
			p := make([]float64, k)
			tail := softmax.ProbsAndTail(p, row, 1)
			value := func(j int) float64 { return m.At(stretch.OfTail(p[j], tail)) + float64(1e-9*p[j]) }
			for j := range p {
				tied := value(j) == value(top)
				if tied && row[j] < row[top] {
					ties++
				}
			}
		}
	}
	if ties < 100 {
		t.Errorf("only %d ties: the rows do not test the guard", ties)
	}
}

// 1 - conf is the sum over the other classes. At conf = 1 it is above 0 if they are. If
// they all underflow, they share 1 - g evenly.
func TestIRTopAtConfidenceOneSharesTheRest(t *testing.T) {
	m := irTopMap{Function{X: []float64{0, stretch.Most}, Y: []float64{0.7, 0.7}}}
	for _, c := range []struct{ row, want []float32 }{
		{[]float32{50, 0, 0}, []float32{.7, .15, .15}},
		{[]float32{0, 100, 100 - 60}, []float32{0, .7, .3}},
		{[]float32{1e4, 0, -5}, []float32{.7, .15, .15}},
		{[]float32{8}, []float32{1}},
	} {
		q := calibtest.Apply(m, data.Matrix{Rows: 1, Cols: len(c.row), Data: c.row}).Row(0)
		for j := range q {
			if !(math.Abs(q[j]-float64(c.want[j])) <= 1e-7) {
				t.Errorf("%v: %v, want %v", c.row, q, c.want)
			}
		}
	}
}

// A class without calibration rows, and rows without mass, have the second term,
// 1e-9 p, alone.
func TestIROVAClassesWithoutMass(t *testing.T) {
	set := testset.Drawn(200, 5, 1, 3)
	for i, y := range set.Labels {
		if y == 2 {
			set.Labels[i] = 0
		}
	}
	m := calib.Unmixed(calibtest.Map(t, OneVsRest{}, set)).(irOVAMap)
	p := calibtest.Softmax(t, set.Logits)
	q := calibtest.Apply(m, set.Logits)
	for i := range q.Rows {
		if got := q.Row(i)[2] / p.Row(i)[2]; !(got > 0 && got <= 1.01) || q.Row(i)[2] > 1e-8 && slices.Max(q.Row(i)) > 0.5 {
			t.Fatalf("row %d: an absent class has probability %v of %v", i, q.Row(i)[2], p.Row(i)[2])
		}
	}
	for j := range m.Classes {
		m.Classes[j] = Function{}
	}
	q = calibtest.Apply(newIROVAMap(m.Classes), set.Logits)
	for i := range q.Rows {
		if !testset.Near(q.Row(i), p.Row(i), 1e-15) {
			t.Fatalf("row %d: without mass %v, want the softmax %v", i, q.Row(i), p.Row(i))
		}
	}
}

func TestIsotonicFitsReject(t *testing.T) {
	for _, c := range []struct {
		set  *data.Set
		want string
	}{
		{&data.Set{}, "the calibration set is empty"},
		{&data.Set{Logits: data.NewMatrix(2, 3), Labels: []int32{0}}, "2 rows of logits but 1 labels"},
		{&data.Set{Logits: data.NewMatrix(2, 3), Labels: []int32{0, 3}}, "row 1: label 3 is outside 0..2"},
	} {
		for _, m := range []calib.Method{Regression{}, TopRegression{}, OneVsRest{}} {
			if _, err := calib.FitInput(context.Background(), m, calib.Input{Cal: c.set}); fmt.Sprint(err) != c.want {
				t.Errorf("%T: %v, want %s", m, err, c.want)
			}
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := calib.FitInput(ctx, Regression{}, calib.Input{Cal: testset.Drawn(3, 3, 1, 1)}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

func BenchmarkIsotonicFit(b *testing.B) {
	for _, size := range []struct{ n, k int }{{5000, 100}, {25000, 1000}} {
		set := testset.Drawn(size.n, size.k, 1.5, 1)
		b.Run(fmt.Sprintf("method=irova/apply=true/n=%d/k=%d", size.n, size.k), func(b *testing.B) {
			dst := data.NewProbs(size.n, size.k)
			for b.Loop() {
				calib.Apply(calibtest.Map(b, OneVsRest{}, set), dst, set)
			}
		})
		for _, c := range []struct {
			name   string
			method calib.Method
		}{{"ir", Regression{}}, {"ir-top", TopRegression{}}, {"irova", OneVsRest{}}} {
			b.Run(fmt.Sprintf("method=%s/n=%d/k=%d", c.name, size.n, size.k), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					calibtest.Map(b, c.method, set)
				}
			})
		}
	}
}

// inBlocks follows the definition of a tie: it sorts all points, and adds each to the
// last block if the smallest member of that block is near enough.
func inBlocks(points []tieRun) []tieRun {
	slices.SortFunc(points, func(a, b tieRun) int { return cmp.Compare(a.Lo, b.Lo) })
	var blocks []tieRun
	for _, r := range points {
		if last := len(blocks) - 1; last >= 0 && r.Lo <= blocks[last].Lo*(1+0x1p-22) {
			blocks[last] = blocks[last].Join(r)
		} else {
			blocks = append(blocks, r)
		}
	}
	return blocks
}

// A score of exactly 0 is the end of the block of value 0.
func TestCIRFallsToTheLargestScoreWithoutHits(t *testing.T) {
	set := &data.Set{Logits: testset.Rows([][]float32{{0, 0}, {-3000, 0}}), Labels: []int32{0, 1}}
	f, err := Centred{}.Fit(t.Context(), calib.Input{Cal: set, Seed: 1}) // Fit divides logits of this size
	if err != nil {
		t.Fatal(err)
	}
	q := calibtest.Apply(f.Map, testset.Rows([][]float32{{0, float32(math.Log(3))}})).Row(0) // p = 1/4 and 3/4, g = 1/2 of both
	if !testset.Near(q, []float64{.5, .5}, 1e-6) {
		t.Errorf("%v, want 1/2 and 1/2", q)
	}
}

// Every window that was tried takes two passes, and the NLL one more. A chain of ties that
// leaves the first window needs a second one.
func TestIRCountsItsWindows(t *testing.T) {
	const n = 61
	chain := &data.Set{Logits: data.NewMatrix(n, 2), Labels: make([]int32, n)}
	for i := range n {
		chain.Logits.Row(i)[1] = -float32(i) * 0x1p-22
	}
	chain.Labels[0] = 1
	for tries, set := range map[int]*data.Set{1: testset.Drawn(60, 3, 1, 1), 2: chain} {
		f, err := Regression{}.Fit(t.Context(), calib.Input{Cal: set, Seed: 1}) // Fit divides logits as small as the chain's
		if err != nil || f.Report.Passes != float64(2*tries+1) {
			t.Errorf("%+v (%v), want the passes of %d windows", f, err, tries)
		}
	}
}

// The knots of ir-top are confidences of calibration rows, with all their bits.
func TestIRTopKeepsTheBitsOfConfidences(t *testing.T) {
	for _, label := range []int32{0, 1} {
		set := &data.Set{Logits: testset.Rows([][]float32{{1, 0}}), Labels: []int32{label}}
		m := calib.Unmixed(calibtest.Map(t, TopRegression{}, set)).(irTopMap)
		if want := []float64{method.TopStretched(calib.NewUnscaled(set.Logits).Tails()[0])}; !slices.Equal(m.X, want) || m.Y[0] != float64(1-label) {
			t.Errorf("label %d: knots %v with values %v, want %v", label, m.X, m.Y, want)
		}
	}
}
