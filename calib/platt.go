package calib

import (
	"context"
	"fmt"

	"github.com/qats-bench/qats/calib/internal/fit"
	"github.com/qats-bench/qats/calib/internal/isotonic"
	"github.com/qats-bench/qats/data"
	"github.com/qats-bench/qats/internal/kernel/linear"
	"github.com/qats-bench/qats/internal/kernel/softmax"
)

// PlattScaling is Platt scaling (Platt 1999) of each class against all others: for
// each class a logistic regression of the n outcomes on the softmax probability p of
// the class,
//
//	g(p) = sigmoid(a p + b).
//
// q_j is g_j(p_j) divided by the sum of the row. As in Platt's paper the outcomes are
// smoothed against overfitting: of N+ positive and N- other rows the targets are
// (N+ + 1)/(N+ + 2) and 1/(N- + 2). So the loss has a minimum for every set, also for
// a class without rows. The slope a may be negative, and is limited to [-1e14, 1e14]; a
// class whose scores are all equal has slope 0. The prediction may change. scikit-learn's
// CalibratedClassifierCV(method="sigmoid") is the same on given probabilities; with
// two classes it fits class 1 alone, with the same result.
//
// The minimum is found by Newton's method to a gradient of 1e-9, as Lin, Lin and Weng
// (2007) propose; scikit-learn stops its BFGS at a gradient of 1e-5 in the sum over
// rows.
type PlattScaling struct{}

// PlattLogits is PlattScaling on the logarithmic scale, which can undo a temperature.
// The score of a class is its log odds log(p/(1-p)), limited to [-700, 700], or
// log(p + 1e-10), which probmetrics and CalArena use under this name. For two classes
// only log odds are symmetric: with them the rows sum to 1 before they are divided.
// Beta calibration has a slope on log p and another on log(1-p), and no smoothed
// targets.
type PlattLogits struct {
	Score string // "log-odds" or "log-prob"; empty means "log-odds"
}

var plattEntry = NewEntry[PlattScaling, plattMap](Entry{
	Name:      "platt",
	Label:     "Platt",
	Version:   2,
	Summary:   "logistic regression on the probability of each class against all others, rows normalised",
	Reference: "Platt 1999; Lin, Lin and Weng 2007",
	Aliases:   []string{"platt-scaling", "sigmoid"},

	Formula:   "q_j = sigmoid(a_j p_j + b_j) / sum of the same, a_j and b_j at the minimum of the logistic loss with targets (N+ + 1)/(N+ + 2) and 1/(N- + 2)",
	Code:      "scikit-learn 1.2.1, CalibratedClassifierCV(method=\"sigmoid\")",
	Agreement: "lattice, 400 + 8 rows of 5 classes: probabilities to 1.1e-8, where its BFGS ends",
	Departs:   "none",
})

var plattLogitsEntry = NewEntry[PlattLogits, plattMap](Entry{
	Name:      "platt-logits",
	Label:     "Platt (logits)",
	Version:   2,
	Summary:   "logistic regression on the log odds of each class against all others, rows normalised",
	Reference: "Platt 1999; Lin, Lin and Weng 2007",

	Formula:   "q_j = sigmoid(a_j z_j + b_j) / sum of the same, z_j = log(p_j/(1-p_j)) or log(p_j + 1e-10), fitted as platt",
	Code:      "scikit-learn 1.2.1, CalibratedClassifierCV(method=\"sigmoid\"), on log p as probmetrics calls it and on log odds",
	Agreement: "lattice, 400 + 8 rows of 5 classes: probabilities to 7e-9, where its BFGS ends",
	Departs:   "none",
})

// Options returns the option score.
func (m *PlattLogits) Options() []Option {
	return []Option{ChoiceOption("score", &m.Score, []string{scoreLogOdds, scoreLogProb}, "what the logistic regression sees")}
}

// Contract needs logits and labels. The prediction may change.
func (PlattScaling) Contract() Contract { return vectorContract() }

// Contract needs logits and labels. The prediction may change.
func (PlattLogits) Contract() Contract { return vectorContract() }

// Fit returns a and b of every class.
func (PlattScaling) Fit(ctx context.Context, in Input) (*Fitted, error) {
	return fitPlatt(ctx, in, scoreProb)
}

// Fit returns a and b of every class.
func (m PlattLogits) Fit(ctx context.Context, in Input) (*Fitted, error) {
	m, err := WithDefaults(m)
	if err != nil {
		return nil, err
	}
	return fitPlatt(ctx, in, m.Score)
}

// Scores of a class, of which sigmoids are fitted.
const (
	scoreProb    = "prob"
	scoreLogOdds = "log-odds"
	scoreLogProb = "log-prob"
	scoreLog     = "log" // log p, which beta calibration limits

	scoreStretched = "stretched" // p, as in package stretch

	mostLogOdds = 700.0
)

func fitPlatt(ctx context.Context, in Input, score string) (*Fitted, error) {
	set := in.Cal
	ends := make([]fit.Solution, set.Logits.Cols)
	m := plattMap{Score: score, A: make([]float64, len(ends)), B: make([]float64, len(ends))}
	nll, err := eachClass(ctx, set, score, func(class int, f []float64, positive []bool) {
		hits := float64(count(positive))
		l := fit.Logistic{
			Columns: [][]float64{f}, Positive: positive,
			Low: 1 / (float64(len(f)) - hits + 2), High: (hits + 1) / (hits + 2),
			Identity: score == scoreLogOdds,
		}
		slopes, offset, end := l.Minimise()
		m.A[class], m.B[class], ends[class] = slopes[0], offset, end
		replace(f, class, m.at)
	})
	if err != nil {
		return nil, err
	}
	return sigmoidsFitted(m, nll, ends), nil
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
// eachClass returns the mean NLL of the new probabilities, as reported does.
func eachClass(ctx context.Context, set *data.Set, score string, do func(class int, f []float64, positive []bool)) (nll float64, err error) {
	if err := fit.CheckLabelled(set); err != nil {
		return 0, err
	}
	return classesInParts(ctx, set, score, classesAtOnce(set.Logits.Rows, set.Logits.Cols), do)
}

// classesInParts is eachClass with the scores of width classes in memory at a time.
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

// replace replaces the scores of a class by their values.
func replace(f []float64, class int, at func(class int, f float64) float64) {
	for i, v := range f {
		f[i] = at(class, v)
	}
}

// sigmoidsFitted returns a fitted map with the results of the logistic regressions of its
// classes in the report.
func sigmoidsFitted(m Map, nll float64, ends []fit.Solution) *Fitted {
	f := result(m, fit.Report{NLL: nll, Passes: 1})
	f.Report.noteSigmoids(ends)
	return f
}

// noteSigmoids adds the results of the logistic regressions of all classes.
func (r *Report) noteSigmoids(ends []fit.Solution) {
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
	if score != scoreProb && score != scoreStretched {
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
	case scoreProb:
		return softmax.Probs(s, r.logits.Row(i), 1)[from:to]
	case scoreStretched:
		row := r.logits.Row(i)
		if tail := softmax.ProbsAndTail(s, row, 1); tail < 1 { // the top class has p above 1/2
			top := softmax.Top(row)
			s[top] = isotonic.Stretched(s[top], tail)
		}
		return s[from:to]
	}
	s, row, m := s[from:to], r.logits.Row(i)[from:to], &r.moments[i]
	if r.score == scoreLog {
		log := softmax.Log1p(m.Tail)
		for j, l := range row {
			s[j] = float64(l) - float64(m.Max) - log
		}
		return s
	}
	for j, l := range row {
		gap := float64(l) - float64(m.Max)
		switch e := softmax.ExpGap(gap); {
		case r.score == scoreLogProb:
			s[j] = e/(1+m.Tail) + 1e-10
		case gap < 0:
			s[j] = 1 + (m.Tail - e)
		default:
			s[j] = m.Tail
		}
	}
	softmax.Logs(s, s)
	if r.score == scoreLogOdds {
		for j, l := range row {
			s[j] = min(max(float64(l)-float64(m.Max)-s[j], -mostLogOdds), mostLogOdds)
		}
	}
	return s
}

// plattMap holds the parameters of k classes.
type plattMap struct {
	Score string    `json:"score"` // prob, log-odds or log-prob
	A     []float64 `json:"a"`     // k
	B     []float64 `json:"b"`     // k
}

// NumClasses returns k.
func (m plattMap) NumClasses() int { return len(m.A) }

func (m plattMap) Check() error {
	if m.Score != scoreProb && m.Score != scoreLogOdds && m.Score != scoreLogProb {
		return fmt.Errorf("score %q: want %s, %s or %s", m.Score, scoreProb, scoreLogOdds, scoreLogProb)
	}
	return checkVectors([]string{"a", "b"}, m.A, m.B)
}

// Apply writes the n x k probabilities.
func (m plattMap) Apply(dst data.Probs, set *data.Set) {
	applyClasses(dst, set, m.Score, m.at)
}

func (m plattMap) at(class int, f float64) float64 {
	return fit.Sigmoid(float64(m.A[class]*f) + m.B[class])
}

// applyClasses writes n x k probabilities: the value of at for each class and its score,
// divided by the sum of the row. A row of zeros becomes uniform.
func applyClasses(dst data.Probs, set *data.Set, score string, at func(class int, f float64) float64) {
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
