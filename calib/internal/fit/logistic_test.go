package fit

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/qats-bench/qats/calib/internal/testset"
	"github.com/qats-bench/qats/calib/report"
)

// The loss is convex: the minimum is where its slopes, from differences of the loss by
// its definition, are 0. Columns of very different sizes do not matter.
func TestLogisticIsMinimum(t *testing.T) {
	rng := rand.New(rand.NewPCG(15, 16))
	for trial := range 40 {
		const n = 60
		scale := math.Pow(10, float64(trial%5)-2)
		x, square, positive := make([]float64, n), make([]float64, n), make([]bool, n)
		for i := range x {
			z := rng.NormFloat64()
			x[i], square[i], positive[i] = scale*z, scale*scale*z*z, rng.Float64() < 1/(1+math.Exp(-z))
		}
		l := Logistic{Columns: [][]float64{x, square}[:1+trial%2], Positive: positive, Low: 0.02, High: 0.97}
		slopes, offset, end := l.Minimise()
		if end.Gradient > report.GradTol {
			t.Errorf("trial %d: gradient %v", trial, end.Gradient)
		}
		loss := func(at []float64) float64 {
			sum := 0.0
			for i := range n {
				s := at[len(at)-1]
				for j, column := range l.Columns {
					s += at[j] * column[i]
				}
				target := l.Low
				if positive[i] {
					target = l.High
				}
				sum += math.Log1p(math.Exp(s)) - target*s
			}
			return sum / n
		}
		at := append(append([]float64(nil), slopes...), offset)
		for j := range at {
			h := 1e-5
			if j < len(slopes) {
				h /= math.Pow(scale, float64(j+1))
			}
			up, down := append([]float64(nil), at...), append([]float64(nil), at...)
			up[j], down[j] = at[j]+h, at[j]-h
			if slope := (loss(up) - loss(down)) / 2e-5; !(math.Abs(slope) <= 1e-8) {
				t.Errorf("trial %d, parameter %d: slope %v", trial, j, slope)
			}
		}
	}
}

func TestLogisticOfAConstantColumnIsTheMean(t *testing.T) {
	l := Logistic{Columns: [][]float64{{3, 3, 3, 3}}, Positive: []bool{true, false, false, false}, High: 1}
	slopes, offset, _ := l.Minimise()
	if slopes[0] != 0 || !(math.Abs(Sigmoid(offset)-0.25) <= report.GradTol) {
		t.Errorf("slope %v, offset %v", slopes[0], offset)
	}
}

// TestLogisticDerivativesAreThoseOfTheLoss: value, gradient and Hessian at points away
// from the minimum, against the definition and differences of it.
func TestLogisticDerivativesAreThoseOfTheLoss(t *testing.T) {
	rng := rand.New(rand.NewPCG(17, 18))
	const n, h = 50, 1e-5
	for p := 1; p <= 2; p++ {
		l := Logistic{Low: .1, High: .8}
		columns := make([][]float64, p)
		for range n {
			for j := range columns {
				columns[j] = append(columns[j], rng.NormFloat64())
			}
			l.Positive = append(l.Positive, rng.IntN(3) == 0)
		}
		l.Columns = columns
		at := func(x []float64) report.Local {
			f, _ := l.rows().at(x)
			return f
		}
		x := []float64{.7, -.4, .3}[:p+1]
		f := at(x)
		value := 0.0
		for i := range n {
			s, target := x[p], l.Low
			for j := range columns {
				s += x[j] * columns[j][i]
			}
			if l.Positive[i] {
				target = l.High
			}
			value += math.Log1p(math.Exp(s)) - target*s
		}
		if !(math.Abs(f.Value-value/n) <= 1e-12) {
			t.Errorf("%d columns: value %v, want %v", p, f.Value, value/n)
		}
		for j := range x {
			up, down := append([]float64(nil), x...), append([]float64(nil), x...)
			up[j], down[j] = x[j]+h, x[j]-h
			a, b := at(up), at(down)
			if got := (a.Value - b.Value) / (2 * h); !(math.Abs(got-f.Gradient[j]) <= 1e-8) {
				t.Errorf("%d columns: slope %d is %v, by differences %v", p, j, f.Gradient[j], got)
			}
			for i := range x { // the lower triangle
				if got := (a.Gradient[i] - b.Gradient[i]) / (2 * h); i >= j && !(math.Abs(got-f.Hessian[i*(p+1)+j]) <= 1e-8) && !(math.Abs(got-f.Hessian[j*(p+1)+i]) <= 1e-8) {
					t.Errorf("%d columns: second derivative %d, %d is %v, by differences %v", p, i, j, f.Hessian[i*(p+1)+j], got)
				}
			}
		}
	}
}

// TestLogisticStartsAtTheMeanTarget, with columns in units of their deviation.
func TestLogisticStartsAtTheMeanTarget(t *testing.T) {
	l := Logistic{Positive: []bool{true, true, false, true}, Low: .1, High: .9}
	if got := l.meanTarget(); !(math.Abs(got-.7) <= 1e-15) {
		t.Errorf("mean target %v, want .7", got)
	}
	if mean, deviation := meanAndDeviation([]float64{1, 3, 5, 7}); mean != 4 || !(math.Abs(deviation-math.Sqrt(5)) <= 1e-15) {
		t.Errorf("mean %v, deviation %v", mean, deviation)
	}
}

// The deviation of a column keeps its digits however far from 0 the column is.
func TestDeviationFarFromZero(t *testing.T) {
	const far = 3e15
	if mean, deviation := meanAndDeviation([]float64{far + 1, far + 3, far + 5, far + 7}); mean != far+4 || !(math.Abs(deviation-math.Sqrt(5)) <= 1e-15) {
		t.Errorf("mean %v, deviation %v", mean, deviation)
	}
}

// Without a slope the minimum is the logit of the mean target, where the solver starts.
func TestLogisticOfAConstantColumnNeedsNoStep(t *testing.T) {
	l := Logistic{Columns: [][]float64{{3, 3, 3, 3}}, Positive: []bool{true, false, false, false}, High: 1}
	_, offset, end := l.Minimise()
	if end.Steps != 0 || !(math.Abs(offset+math.Log(3)) <= 1e-15) {
		t.Errorf("offset %v after %d steps, want %v after none", offset, end.Steps, -math.Log(3))
	}
}

// Groups of rows only change the start: the minimum is that of all rows, after fewer
// steps. Groups of one row have the loss of these rows.
func TestLogisticBeginsWithGroups(t *testing.T) {
	rng := rand.New(rand.NewPCG(19, 20))
	const n = 3000
	x, square, positive := make([]float64, n), make([]float64, n), make([]bool, n)
	for i := range x {
		x[i] = 3 * rng.NormFloat64()
		square[i], positive[i] = x[i]*x[i]/9, rng.Float64() < Sigmoid(x[i]-3)
	}
	for p := 1; p <= 2; p++ {
		l := Logistic{Columns: [][]float64{x, square}[:p], Positive: positive, Low: .01, High: .99}
		start, lo, hi := make([]float64, p+1), make([]float64, p+1), make([]float64, p+1)
		for j := range lo {
			lo[j], hi[j] = -100, 100
		}
		got := l.MinimiseIn(start, lo, hi)
		want, _ := BoxNewton(l.rows().at, start, lo, hi, 1)
		if !testset.Near(got.At, want.At, 1e-8) || got.Steps > want.Steps/2 {
			t.Errorf("%d columns: %v after %d steps, without groups %v after %d", p, got.At, got.Steps, want.At, want.Steps)
		}
		alone := make(logisticGroups, n)
		for i := range alone {
			alone[i] = logisticGroup{rows: 1, target: l.target(i)}
			copy(alone[i].mean[:], []float64{x[i], square[i]}[:p])
			alone[i].mean[p] = 1
		}
		at := []float64{1.1, -.3, .2}[:p+1]
		a, _ := alone.at(at)
		b, _ := l.rows().at(at)
		if !testset.Near(append(append([]float64{a.Value}, a.Gradient...), a.Hessian...), append(append([]float64{b.Value}, b.Gradient...), b.Hessian...), 1e-13) {
			t.Errorf("%d columns: groups of one row %+v, rows %+v", p, a, b)
		}
	}
	l := Logistic{Columns: [][]float64{x}, Positive: make([]bool, n), High: 1}
	if l.grouped([]float64{1, 0}) != nil {
		t.Error("groups without positive rows")
	}
	for i, v := range x {
		l.Positive[i] = v < 1
	}
	if l.grouped([]float64{1, 0}) != nil || l.grouped([]float64{0, 0}) != nil {
		t.Error("groups of rows that are told apart")
	}
}

// Many rows are grouped, unless a number tells the positive rows from the others; a number
// that both have does so too, since the loss has no minimum then.
func TestRowsAreGroupedIfTheLossHasAMinimum(t *testing.T) {
	for _, c := range []struct {
		n         int
		threshold float64 // rows above it are positive, rows at it are of both kinds
		overlap   int     // rows of the other kind
		grouped   bool
	}{
		{leastGrouped, 7, 0, false}, {leastGrouped, 7.5, 0, false}, {leastGrouped, 7, 1, true}, {leastGrouped - 1, 7, 1, false}, {leastGrouped, 7.5, 1, true},
	} {
		for _, sign := range []float64{1, -1} {
			l := Logistic{Columns: [][]float64{make([]float64, c.n)}, Positive: make([]bool, c.n), High: 1}
			for i := range c.n {
				x := float64(i % 16)
				l.Columns[0][i] = sign * x
				l.Positive[i] = x > c.threshold || x == c.threshold && i/16%2 == 0 || i/16 < c.overlap && x < c.threshold
			}
			groups := l.grouped([]float64{0, 0})
			rows := 0.0
			for _, g := range groups {
				rows += g.rows
			}
			if (groups != nil) != c.grouped || c.grouped && (rows != float64(c.n) || len(groups) != 16) {
				t.Errorf("%+v, sign %g: %d groups of %g rows", c, sign, len(groups), rows)
			}
		}
	}
	two := Logistic{Columns: [][]float64{make([]float64, leastGrouped), make([]float64, leastGrouped)}, Positive: make([]bool, leastGrouped), High: 1}
	for i := range leastGrouped {
		two.Columns[0][i], two.Columns[1][i], two.Positive[i] = float64(i%2), float64(i/2%8), i/16%2 == 0
	}
	for _, c := range []struct {
		slopes [2]float64
		groups int
	}{{[2]float64{0, 0}, 2}, {[2]float64{1, 0}, 2}, {[2]float64{0, 1}, 8}, {[2]float64{0, -1}, 8}, {[2]float64{1, 2}, 16}} {
		if g := two.grouped(append(c.slopes[:], .5)); len(g) != c.groups { // by the sum, or without slopes by the first column
			t.Errorf("slopes %v: %d groups, want %d", c.slopes, len(g), c.groups)
		}
	}
}

// A slope, and its share of the offset, are at most 1e14, also where a column that is all
// but constant tells the positive rows from the others.
func TestSlopesOfNearlyConstantColumnsAreBounded(t *testing.T) {
	for _, c := range []struct{ at, step float64 }{{0, 1e-20}, {1e-26, 1e-27}, {1e10, 1e-5}, {-1e10, 1e-5}} {
		l := Logistic{Columns: [][]float64{make([]float64, 40)}, Positive: make([]bool, 40), High: 1}
		for i := range 40 {
			l.Columns[0][i], l.Positive[i] = c.at, i%2 == 0
			if l.Positive[i] {
				l.Columns[0][i] += c.step
			}
		}
		slopes, offset, _ := l.Minimise()
		share := slopes[0] * max(1, math.Abs(c.at))
		if !(share > 0 && share <= mostSlope*(1+1e-6)) || !(math.Abs(offset) <= 2*mostSlope) {
			t.Errorf("%g and %g more: slope %g, offset %g", c.at, c.step, slopes[0], offset)
		}
	}
}
