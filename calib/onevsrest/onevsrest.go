// Package onevsrest holds maps of each class against all others: class j has a function of its
// own score, and the values of a row are divided by their sum. Fit calls a solver for each class
// with the scores and outcomes of the calibration rows, and Functions is a map whose functions are
// values of one type. Histogram binning, BBQ, Platt scaling, beta calibration and smoothing splines
// are such methods, and a method of another module can be one.
package onevsrest

import (
	"context"
	"math"
	"slices"

	"github.com/qats-bench/qats/calib"
	"github.com/qats-bench/qats/calib/internal/fit"
	"github.com/qats-bench/qats/calib/report"
	"github.com/qats-bench/qats/data"
	"github.com/qats-bench/qats/internal/kernel/linear"
	"github.com/qats-bench/qats/internal/kernel/softmax"
	"github.com/qats-bench/qats/internal/stretch"
)

// Scores of a class, which its function sees.
const (
	ScoreProb    = "prob"
	ScoreLogOdds = "log-odds"
	ScoreLogProb = "log-prob"
	ScoreLog     = "log" // log p, which beta calibration limits

	ScoreStretched = "stretched" // p, as in package stretch

	mostLogOdds = 700.0
)

// Map is a map of each class against all others: class j has a function of its own
// score, g_j(s_j) >= 0, and
//
//	q_j = g_j(s_j) / sum of the same over the classes.
//
// A row of zeros becomes uniform.
type Map interface {
	calib.Map
	ClassScore() string                  // what the functions see, one of the constants Score
	At(class int, score float64) float64 // g of a class
}

// Functions is a Map whose functions are values of one type.
type Functions[F Function] struct{ PerClass[F] }

// Function is the function of one class in Functions.
type Function interface {
	Check() error
	ClassScore() string
	At(score float64) float64
}

// New returns a map for k classes, without their functions.
func New[F Function](k int) Functions[F] {
	return Functions[F]{PerClass[F]{Classes: make([]F, k)}}
}

// ClassScore returns the score that the functions see.
func (m Functions[F]) ClassScore() string {
	var f F
	return f.ClassScore()
}

// At returns the value of the function of a class.
func (m Functions[F]) At(class int, score float64) float64 { return m.Classes[class].At(score) }

// Prepared returns m with what its functions derive from their saved parameters, if they
// have a method Prepared that returns them with it.
func (m Functions[F]) Prepared() calib.Map {
	m.Classes = slices.Clone(m.Classes)
	for j, f := range m.Classes {
		if p, ok := any(f).(interface{ Prepared() F }); ok {
			m.Classes[j] = p.Prepared()
		}
	}
	return m
}

// Apply writes the n x k probabilities.
func (m Functions[F]) Apply(dst data.Probs, set *data.Set) { Apply(dst, set, m) }

// Fit returns m fitted to a labelled set, with its report. It calls binary with the n
// scores of each class and their outcomes, for several classes at a time; binary writes the
// function of the class to m, and returns how its solver ended. binary may change the
// scores and must not keep the slice: At gets them next, for the NLL of the report. A map that is calib.Certain has
// its mass.
func Fit(ctx context.Context, set *data.Set, m Map, binary func(class int, scores []float64, positive []bool) calib.Minimum) (*calib.Fitted, error) {
	ends := make([]calib.Minimum, set.Logits.Cols)
	own, err := eachClass(ctx, set, m.ClassScore(), func(class int, f []float64, positive []bool) {
		ends[class] = binary(class, f, positive)
		for i, score := range f {
			f[i] = m.At(class, score)
		}
	})
	if err != nil {
		return nil, err
	}
	mass, nll := calib.MassOf(m, set.Logits.Rows), 0.0
	for _, p := range own {
		nll -= softmax.Log(max(mass.Mix(p, set.Logits.Cols), fit.LeastProb))
	}
	f := &calib.Fitted{Map: mass.Map(m), Report: calib.Report{NLL: nll / float64(len(own)), Passes: 1}}
	Note(&f.Report, ends)
	return f, nil
}

// mostScores limits the scores that eachClass has in memory at a time. The scores of eight
// classes are always allowed.
const mostScores = 1 << 22

// classesAtOnce returns the number of classes whose scores eachClass has in memory at a time.
// For many rows it is a sixteenth of the classes, whose scores take an eighth of the memory
// of the logits: each part takes a pass over all logits.
func classesAtOnce(n, k int) int { return max(8, (k+15)/16, mostScores/n) }

// eachClass calls do with the n scores of each class and their outcomes, for several
// classes at a time; do replaces each score by its new value, and must not keep the slice.
// eachClass returns the new probability of the label of each row.
func eachClass(ctx context.Context, set *data.Set, score string, do func(class int, f []float64, positive []bool)) ([]float64, error) {
	if err := fit.CheckLabelled(set); err != nil {
		return nil, err
	}
	return classesInParts(ctx, set, score, classesAtOnce(set.Logits.Rows, set.Logits.Cols), do)
}

// classesInParts is eachClass with the scores of width classes in memory at a time.
func classesInParts(ctx context.Context, set *data.Set, score string, width int, do func(class int, f []float64, positive []bool)) ([]float64, error) {
	n, k := set.Logits.Rows, set.Logits.Cols
	sum, own := make([]float64, n), make([]float64, n) // of the new values
	for from := 0; from < k; from += width {
		f := make([][]float64, min(width, k-from))
		for j := range f {
			f[j] = make([]float64, n)
		}
		err := fit.EachBlock(ctx, n, func(_, lo, hi int) {
			rows, s := newClassScores(set.Logits.Slice(lo, hi), score), make([]float64, 8*k)
			for i := lo; i < hi; i += 8 { // eight scores of a class fill a line of the cache
				several := min(8, hi-i)
				for r := range several {
					rows.write(s[r*k:(r+1)*k], i+r-lo, from, from+len(f))
				}
				for j, column := range f {
					column := column[i : i+several]
					for r := range column {
						column[r] = s[r*k+from+j]
					}
				}
			}
		})
		if err != nil {
			return nil, err
		}
		err = fit.EachBlock(ctx, len(f)*fit.BlockRows, func(j, _, _ int) { // one class a call
			class, positive := from+j, make([]bool, n)
			for i, y := range set.Labels {
				positive[i] = int(y) == class
			}
			do(class, f[j], positive)
			for i, v := range f[j] {
				if positive[i] {
					own[i] = v
				}
			}
		})
		if err != nil {
			return nil, err
		}
		for _, values := range f {
			linear.Line(sum, sum, values, 1)
		}
	}
	for i, total := range sum {
		if own[i] /= total; total == 0 {
			own[i] = 1 / float64(k) // as in softmax.Normalise
		}
	}
	return own, nil
}

// Note adds the results of the logistic regressions of all classes to r: all
// steps, the largest gradient, and a warning if some have not converged.
func Note(r *calib.Report, ends []calib.Minimum) {
	open := 0
	for _, e := range ends {
		r.Iterations += e.Steps
		r.Gradient = max(r.Gradient, e.Gradient)
		if e.Gradient > report.GradTol {
			open++
		}
	}
	if open > 0 {
		r.Warn(calib.Warning{Text: "{count} of {of} classes not converged: gradient {value}", Count: open, Of: len(ends), Value: report.Rounded(r.Gradient, 2)})
	}
}

// classScores gives the scores of the classes of some rows.
type classScores struct {
	score   string
	logits  data.Matrix
	moments []softmax.Moments // of the rows; nil for probabilities
}

func newClassScores(logits data.Matrix, score string) classScores {
	r := classScores{score: score, logits: logits}
	if score != ScoreProb && score != ScoreStretched {
		r.moments = fit.Moments(logits)
	}
	return r
}

// farOdds is the gap between two logits from which the log odds of two classes are the gap
// itself. Below it they are computed as for more classes; the two agree to the last digits.
const farOdds = 500

// write writes the scores of the classes from..to-1 of row i to s[from:to], where s has the
// length of the row, and returns that part. The odds are e/(S - e) with e = exp(l - max)
// and S = 1 + tail, the sum of e over the classes. There is no cancellation: if e = 1,
// S - e is the tail. Log odds are limited to [-700, 700], those of two classes are not: there
// they are the difference of the logits, so that a regression on them has no scale of its own.
func (r classScores) write(s []float64, i, from, to int) []float64 {
	switch r.score {
	case ScoreProb:
		return softmax.Probs(s, r.logits.Row(i), 1)[from:to]
	case ScoreStretched:
		row := r.logits.Row(i)
		if tail := softmax.ProbsAndTail(s, row, 1); tail < 1 { // the top class has p above 1/2
			top := softmax.Top(row)
			s[top] = stretch.OfTail(s[top], tail)
		}
		return s[from:to]
	}
	s, row, m := s[from:to], r.logits.Row(i)[from:to], &r.moments[i]
	if r.score == ScoreLog {
		log := softmax.Log1p(m.Tail)
		for j, l := range row {
			s[j] = float64(l) - float64(m.Max) - log
		}
		return s
	}
	for j, l := range row {
		gap := float64(l) - float64(m.Max)
		switch e := softmax.ExpGap(gap); {
		case r.score == ScoreLogProb:
			s[j] = e/(1+m.Tail) + 1e-10
		case gap < 0:
			s[j] = 1 + (m.Tail - e)
		default:
			s[j] = m.Tail
		}
	}
	softmax.Logs(s, s)
	if r.score == ScoreLogOdds {
		if all := r.logits.Row(i); len(all) == 2 {
			if gap := float64(all[0]) - float64(all[1]); math.Abs(gap) > farOdds {
				odds := [2]float64{gap, -gap}
				copy(s, odds[from:to])
				return s
			}
		}
		for j, l := range row {
			s[j] = min(max(float64(l)-float64(m.Max)-s[j], -mostLogOdds), mostLogOdds)
		}
	}
	return s
}

// Apply writes the n x k probabilities of m.
func Apply(dst data.Probs, set *data.Set, m Map) {
	for lo := 0; lo < set.Logits.Rows; lo += fit.BlockRows {
		hi := min(lo+fit.BlockRows, set.Logits.Rows)
		rows := newClassScores(set.Logits.Slice(lo, hi), m.ClassScore())
		for i := lo; i < hi; i++ {
			q := rows.write(dst.Row(i), i-lo, 0, set.Logits.Cols)
			for j, f := range q {
				q[j] = m.At(j, f)
			}
			softmax.Normalise(q)
		}
	}
}
