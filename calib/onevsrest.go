package calib

import (
	"context"
	"fmt"

	"github.com/qats-bench/qats/calib/internal/fit"
	"github.com/qats-bench/qats/data"
	"github.com/qats-bench/qats/internal/kernel/linear"
	"github.com/qats-bench/qats/internal/kernel/softmax"
	"github.com/qats-bench/qats/internal/stretch"
)

// Scores of a class, of which sigmoids are fitted.
const (
	ScoreProb    = "prob"
	ScoreLogOdds = "log-odds"
	ScoreLogProb = "log-prob"
	ScoreLog     = "log" // log p, which beta calibration limits

	ScoreStretched = "stretched" // p, as in package stretch

	MostLogOdds = 700.0
)

// mostScores limits the scores that EachClass has in memory at a time. The scores of eight
// classes are always allowed.
const mostScores = 1 << 22

// classesAtOnce returns the number of classes whose scores EachClass has in memory at a time.
// For many rows it is a sixteenth of the classes, whose scores take an eighth of the memory
// of the logits: each part takes a pass over all logits.
func classesAtOnce(n, k int) int { return max(8, (k+15)/16, mostScores/n) }

// EachClass calls do with the n scores of each class and their outcomes, for several
// classes at a time; do replaces each score by its new value, and must not keep the slice.
// EachClass returns the mean NLL of the new probabilities, as reported does.
func EachClass(ctx context.Context, set *data.Set, score string, do func(class int, f []float64, positive []bool)) (nll float64, err error) {
	if err := fit.CheckLabelled(set); err != nil {
		return 0, err
	}
	return classesInParts(ctx, set, score, classesAtOnce(set.Logits.Rows, set.Logits.Cols), do)
}

// classesInParts is EachClass with the scores of width classes in memory at a time.
func classesInParts(ctx context.Context, set *data.Set, score string, width int, do func(class int, f []float64, positive []bool)) (nll float64, err error) {
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
			return 0, err
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
			return 0, err
		}
		for _, values := range f {
			linear.Line(sum, sum, values, 1)
		}
	}
	for i, total := range sum {
		p := 1 / float64(k) // as in softmax.Normalise
		if total > 0 {
			p = own[i] / total
		}
		nll -= softmax.Log(max(p, fit.LeastProb))
	}
	return nll / float64(n), nil
}

// Replace replaces the scores of a class by their values.
func Replace(f []float64, class int, at func(class int, f float64) float64) {
	for i, v := range f {
		f[i] = at(class, v)
	}
}

// SigmoidsFitted returns a fitted map with the results of the logistic regressions of its
// classes in the report.
func SigmoidsFitted(m Map, nll float64, ends []fit.Solution) *Fitted {
	f := Result(m, fit.Report{NLL: nll, Passes: 1})
	NoteSolutions(&f.Report, ends)
	return f
}

// NoteSolutions adds the results of the logistic regressions of all classes to r: all
// steps, the largest gradient, and a warning if some have not converged.
func NoteSolutions(r *Report, ends []fit.Solution) {
	open := 0
	for _, e := range ends {
		r.Iterations += e.Steps
		r.Gradient = max(r.Gradient, e.Gradient)
		if e.Gradient > fit.GradTol {
			open++
		}
	}
	if open > 0 {
		r.Warnings = append(r.Warnings, fmt.Sprintf("%d of %d classes not converged: gradient %.1e", open, len(ends), r.Gradient))
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
		r.moments = NewUnscaled(logits).Moments()
	}
	return r
}

// write writes the scores of the classes from..to-1 of row i to s[from:to], where s has the
// length of the row, and returns that part. The odds are e/(S - e) with e = exp(l - max)
// and S = 1 + tail, the sum of e over the classes. There is no cancellation: if e = 1,
// S - e is the tail.
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
		for j, l := range row {
			s[j] = min(max(float64(l)-float64(m.Max)-s[j], -MostLogOdds), MostLogOdds)
		}
	}
	return s
}

// ApplyClasses writes n x k probabilities: the value of at for each class and its score,
// divided by the sum of the row. A row of zeros becomes uniform.
func ApplyClasses(dst data.Probs, set *data.Set, score string, at func(class int, f float64) float64) {
	for lo := 0; lo < set.Logits.Rows; lo += fit.BlockRows {
		hi := min(lo+fit.BlockRows, set.Logits.Rows)
		rows := newClassScores(set.Logits.Slice(lo, hi), score)
		for i := lo; i < hi; i++ {
			q := rows.write(dst.Row(i), i-lo, 0, set.Logits.Cols)
			for j, f := range q {
				q[j] = at(j, f)
			}
			softmax.Normalise(q)
		}
	}
}
