package linear

import (
	"context"
	"math"
	"slices"
	"testing"

	"github.com/qats-bench/qats/calib"
	"github.com/qats-bench/qats/calib/calibtest"
	"github.com/qats-bench/qats/calib/internal/fit"
	"github.com/qats-bench/qats/calib/internal/testset"
	"github.com/qats-bench/qats/data"
)

// certain returns the problem of n rows of one class, whose NLL is 0 everywhere.
func certain(n int) *matrixProblem {
	return newProblem(&data.Set{Logits: data.NewMatrix(n, 1), Labels: make([]int32, n)}, true, rawLogits)
}

// A look at the excluded rows follows every eighth step. The fit has lost if their NLL,
// here 0, is above the best by more than ten times its last change, unless it did not
// change.
func TestRaceEndsIfTheExcessIsClear(t *testing.T) {
	theta := make([]float64, 2)
	for _, c := range []struct {
		before, best float64
		lost         bool
	}{
		{math.Inf(1), -1e9, false}, {1, -9, false}, {1, -10, false}, {1, -10.5, true}, {-1, -9, false}, {-1, -10.5, true}, {0, -9, false}, {2, -20.5, true}, {2, 5, false},
	} {
		left := certain(3)
		r := race{ctx: t.Context(), left: left, best: c.best, before: c.before}
		for step := 1; step <= raceEvery; step++ {
			lost := r.lost(theta)
			if look := step == raceEvery; lost != (look && c.lost) || (left.Passes > 0) != look {
				t.Errorf("%+v: lost %v after %d steps and %v looks", c, lost, step, left.Passes)
			}
		}
		doubt := 0.0
		if c.lost {
			doubt = 10 * math.Abs(c.before)
		}
		if r.doubt != doubt || r.before != 0 || r.err != nil {
			t.Errorf("%+v: doubt %v, NLL before %v, error %v", c, r.doubt, r.before, r.err)
		}
	}
	even := newProblem(&data.Set{Logits: data.NewMatrix(1, 2), Labels: make([]int32, 1)}, true, rawLogits) // of NLL log 2
	for excess, want := range map[float64]bool{9.9: false, 10.1: true} {
		r := race{ctx: t.Context(), left: even, best: math.Ln2 - excess, before: math.Ln2 + 1, steps: raceEvery - 1}
		if got := r.lost(make([]float64, 6)); got != want {
			t.Errorf("an excess of %v after a change of 1: lost %v", excess, got)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	r := race{ctx: ctx, left: certain(1), steps: raceEvery - 1}
	if !r.lost(theta) || r.err == nil {
		t.Errorf("a cancelled look: error %v", r.err)
	}
}

func TestCandidatesLoseByMoreThanTheirDoubt(t *testing.T) {
	best := &odirCandidate{nll: 1}
	for _, c := range []struct {
		nll, doubt float64
		lost       bool
	}{{9, 0, false}, {1.5, 0.25, true}, {1.25, 0.25, false}, {1.125, 0.25, false}, {0.5, 0.25, false}} {
		if got := (&odirCandidate{nll: c.nll, doubt: c.doubt}).lost(best); got != c.lost {
			t.Errorf("%+v: lost %v", c, got)
		}
	}
}

func TestFoldsCountTheRowsThatTheyRead(t *testing.T) {
	f := &odirFold{problem: certain(3), left: certain(2)}
	f.problem.Passes, f.left.Passes = 3, 7
	if got := f.passes(5); got != 4.6 {
		t.Errorf("%v passes, want (3 x 3 + 7 x 2)/5", got)
	}
	f.left = nil
	if got := f.passes(3); got != 3 {
		t.Errorf("%v passes without excluded rows, want 3", got)
	}
}

func TestTwoRowsMakeTwoFolds(t *testing.T) {
	for n, want := range map[int]int{1: 1, 2: 2, 3: 3, 4: 3} {
		all := Dirichlet{Folds: 3}.folds(testset.Drawn(n, 3, 1, 1), rawLogits, 1)
		if len(all) != want {
			t.Errorf("%d rows: %d folds, want %d", n, len(all), want)
		}
		for _, f := range all {
			if (f.left == nil) != (n == 1) {
				t.Errorf("%d rows: excluded rows %v", n, f.left)
			}
		}
	}
}

// After a refinement NLL and doubt are means over all excluded rows. The doubt is that of
// a race of each fold. A candidate is fitted again only to a smaller gradient, or if its
// fits ended early.
func TestRefinedCandidatesHaveTheNLLOfTheExcludedRows(t *testing.T) {
	const gradient, lambda = 1e-6, 1e-4
	d := Dirichlet{Folds: 3}
	set := mixedClasses(50, 5)
	folds := func() []*odirFold { return d.folds(set, fit.LogProbs, 1) }
	all := folds()
	read := func() (n float64) {
		for _, f := range all {
			n += f.passes(50)
		}
		return n
	}
	check := func(c *odirCandidate) {
		t.Helper()
		sum := 0.0
		for p, f := range all {
			nll, err := f.left.Pass(t.Context(), c.theta[p], nil, false)
			if err != nil || c.folds[p] != nll {
				t.Fatalf("fold %d: NLL %v, want %v (%v)", p, c.folds[p], nll, err)
			}
			sum += nll * float64(f.left.Logits.Rows)
		}
		if !(math.Abs(c.nll-sum/50) <= 1e-12) {
			t.Errorf("NLL %v, want %v", c.nll, sum/50)
		}
	}
	refine := func(c *odirCandidate, gradient float64, best *odirCandidate) (passes float64) {
		t.Helper()
		before := read()
		if err := d.refine(t.Context(), all, c, gradient, best); err != nil {
			t.Fatal(err)
		}
		return read() - before
	}

	c := newODIRCandidate(all, lambda)
	if first := refine(c, gradient, nil); !(first > 3) || c.doubt != 0 || !(c.left <= gradient) {
		t.Errorf("%v passes, doubt %v, gradient %v", first, c.doubt, c.left)
	}
	check(c)
	if again := refine(c, gradient, nil) + refine(c, 2*gradient, nil); again != 0 {
		t.Errorf("%v passes to the same gradient and to a larger one", again)
	}
	if more := refine(c, gradient/10, nil); !(more > 0) || !(c.left <= gradient/10) {
		t.Errorf("%v passes to a smaller gradient, at %v", more, c.left)
	}

	// A best candidate whose NLL has no bound ends every fit at the second look.
	raced, best := newODIRCandidate(all, lambda), &odirCandidate{folds: []float64{-1e9, -1e9, -1e9}}
	refine(raced, gradient, best)
	check(raced)
	want := 0.0
	start := make([]float64, 12)
	for _, f := range folds() {
		r := race{ctx: t.Context(), left: f.left, best: -1e9, before: math.Inf(1)}
		f.problem.Penalise(odirDiagonal, lambda, lambda)
		if _, err := f.problem.MinimiseTo(t.Context(), start, gradient, r.lost); err != nil {
			t.Fatal(err)
		}
		if !(r.doubt > 0) {
			t.Fatal("a fit ended before its second look: the set tries too little")
		}
		want += r.doubt * float64(f.left.Logits.Rows) / 50
	}
	if !(math.Abs(raced.doubt/want-1) <= 1e-9) {
		t.Errorf("doubt %v, want %v", raced.doubt, want)
	}
	if more := refine(raced, gradient, nil); !(more > 0) || raced.doubt != 0 || !(math.Abs(raced.nll-c.nll) <= 1e-3) {
		t.Errorf("after %v more passes: doubt %v, NLL %v, want that without a race %v", more, raced.doubt, raced.nll, c.nll)
	}
}

// Two candidates are refined until their NLL differ by more than ten gradients. On rows
// of one class every refinement has the NLL 0.
func TestNearCandidatesAreRefined(t *testing.T) {
	d := Dirichlet{Folds: 2}
	all := d.folds(&data.Set{Logits: data.NewMatrix(6, 1), Labels: make([]int32, 6)}, rawLogits, 1)
	for _, c := range []struct {
		a, b    float64
		refined bool
	}{{0, 1e-3, true}, {0, 1.001e-3, false}, {1.001e-3, 0, false}, {2, 2.0009, true}, {2.0009, 2, true}, {0, 0, true}, {1, 3, false}} {
		a, b := newODIRCandidate(all, 1), newODIRCandidate(all, 2)
		a.nll, b.nll, a.gradient, b.gradient = c.a, c.b, 1e-4, 1e-4
		if err := d.separate(t.Context(), all, a, b); err != nil {
			t.Fatal(err)
		}
		want := 1e-4
		if c.refined {
			want = tolerance
		}
		if a.gradient != want || b.gradient != want {
			t.Errorf("NLL %v and %v: gradients %v and %v, want %v", c.a, c.b, a.gradient, b.gradient, want)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := d.separate(ctx, all, newODIRCandidate(all, 1), newODIRCandidate(all, 2)); err == nil {
		t.Error("a cancelled refinement has no error")
	}
}

// The search ends at the second value in a row that is worse than the best, or at the end
// of the grid. On ties the largest lambda is the best.
func TestChoiceOfLambdaEndsAfterTwoWorseValues(t *testing.T) {
	grid := odirGrid()
	lastTried := func(f *odirFold) int { return slices.Index(grid, f.problem.Penalty[1]) }
	for name, c := range map[string]struct {
		set  *data.Set
		best int
		raw  bool
	}{
		"ties":       {&data.Set{Logits: data.NewMatrix(6, 1), Labels: make([]int32, 6)}, 0, true},
		"diagonal":   {testset.Drawn(60, 4, 1, 1), 0, false},
		"between":    {mixedClasses(60, 2), 3, true},
		"at the end": {mixedClasses(3000, 3), len(grid) - 1, true},
	} {
		d, x := Dirichlet{Folds: 2}, scores(fit.LogProbs)
		if c.raw {
			x = rawLogits
		}
		all := d.folds(c.set, x, 1)
		got, err := d.choose(t.Context(), all)
		if err != nil {
			t.Fatal(err)
		}
		last := min(c.best+2, len(grid)-1)
		if got.lambda != grid[c.best] || lastTried(all[1]) != last {
			t.Errorf("%s: lambda %v, the last one tried is grid[%d]; want %v and grid[%d]", name, got.lambda, lastTried(all[1]), grid[c.best], last)
		}
	}
}

// mixedClasses returns rows whose labels follow a full matrix of the logits.
func mixedClasses(n int, seed uint64) *data.Set {
	const k = 3
	set, mixed := testset.Drawn(n, k, 1, seed), data.NewMatrix(n, k)
	for i := range n {
		for j, l := range set.Logits.Row(i) {
			mixed.Row(i)[j] = l/2 + set.Logits.Row(i)[(j+1)%k]/3
		}
	}
	set.Logits = mixed
	return set
}

// A bound is reported only if lambda was chosen.
func TestLambdaAtTheEndOfTheGridIsReported(t *testing.T) {
	ties := &data.Set{Logits: data.NewMatrix(6, 1), Labels: make([]int32, 6)}
	for _, c := range []struct {
		method MatrixODIR
		want   string
	}{{MatrixODIR{}, "lambda <= 10"}, {MatrixODIR{Lambda: 10}, ""}, {MatrixODIR{Lambda: 1e-4}, ""}} {
		f, err := calib.FitInput(t.Context(), c.method, calib.Input{Cal: ties})
		if err != nil || f.Report.AtBound.String() != c.want {
			t.Errorf("%+v: %v (%v), want %v", c.method, f.Report.AtBound, err, c.want)
		}
	}
}

func TestMeanOfDirichletModels(t *testing.T) {
	set := testset.Drawn(5, 2, 1, 1)
	m := odirMap{Models: []odirModel{{[][]float64{{1, .5}, {-.5, 2}}, []float64{.3, -.7}}, {[][]float64{{.5, 0}, {.25, 1}}, []float64{-1, .2}}}}
	got := calibtest.Apply(matrixMap{m}, set.Logits)
	for i := range 5 {
		x := set.Logits.Row(i)
		want := 0.0 // of class 0
		for _, one := range m.Models {
			var s [2]float64
			for c, w := range one.W {
				s[c] = w[0]*float64(x[0]) + w[1]*float64(x[1]) + one.B[c]
			}
			want += 1 / (1 + math.Exp(s[1]-s[0])) / 2
		}
		if !(math.Abs(got.Row(i)[0]-want) <= 1e-14) {
			t.Errorf("row %d: %v, want %v", i, got.Row(i)[0], want)
		}
	}
}
