package engine

import (
	"slices"

	"github.com/qats-bench/qats/calib"
	"github.com/qats-bench/qats/metrics"
	"github.com/qats-bench/qats/metrics/scoring"
)

// Reads says what metrics read beside the scores of the rows.
type Reads struct {
	Classes bool // bins by the probability of each class
	Vectors bool // numbers of whole vectors
	Uncal   bool // scores of the uncalibrated network
}

// ReadsOf returns what metrics read.
func ReadsOf(entries []metrics.Entry) Reads {
	any := func(is func(metrics.Entry) bool) bool { return slices.ContainsFunc(entries, is) }
	return Reads{
		Classes: any(func(e metrics.Entry) bool { return e.NeedsClasses }),
		Vectors: any(func(e metrics.Entry) bool { return e.CrossFit }),
		Uncal:   any(func(e metrics.Entry) bool { return e.Uncal }),
	}
}

// Account is the memory, in bytes, of the work on one test set.
type Account struct {
	Rows   int   // of the test set
	Fits   int64 // the calibration set and the target, and what fits make of them
	Column int64 // the scores of the rows under one column
	Blocks int64 // additional bytes for one block of rows and its probabilities
	Apply  int64 // besides, while the test set is read
	Score  int64 // besides, while the metrics of one column are computed
	Method int64 // besides, for each method of paired intervals
	Drawn  int64 // besides, for all methods of paired intervals
}

// NewAccount returns the memory for the scores of a set of rows and classes: the metrics of
// each column, which read what reads says, and intervals of the metrics in paired. stored says
// that the scores of a column also stand in memory as the bytes of a file. Fits is 0.
func NewAccount(rows, classes int, reads Reads, paired []metrics.Entry, stored bool) Account {
	n := int64(rows)
	a := Account{Rows: rows, Column: n * scoring.RowBytes, Blocks: 3 * BlockBytes, Score: n * metrics.ScoreBytes}
	if stored {
		a.Apply += a.Column
	}
	if reads.Classes {
		a.Column += scoring.ClassBytes(rows, classes)
	}
	if reads.Vectors { // the probabilities are those of one column at a time
		of := scoring.VectorBytes(rows, 0)
		a.Column += of
		a.Apply = max(a.Apply, scoring.VectorBytes(rows, classes)-of)
	}
	if stored {
		a.Score = max(a.Score, a.Column)
	}
	uncal := a.Column + n*metrics.ScoreBytes
	if reads.Uncal {
		a.Score += uncal
	}
	if len(paired) > 0 {
		method, drawn := metrics.PairBytes(paired)
		a.Method, a.Drawn = n*int64(method), n*int64(drawn)
		if ReadsOf(paired).Uncal {
			a.Drawn += uncal
		}
	}
	return a
}

// fitRowBytes is the memory of a fit that streams, for each calibration row: ranks and their
// order. Another fit takes up to three times the calibration set, because isotonic regression
// holds every pair of probability and label in float64.
const fitRowBytes = 24

// FitBytes returns the memory of the fits of methods by their contracts: of a calibration set
// of so many rows and bytes, which is read again in every pass if it is larger than the limit
// and all methods can, and of a target of so many bytes.
func FitBytes(contracts []calib.Contract, rows, bytes, target, limit int64) int64 {
	streams := !slices.ContainsFunc(contracts, func(c calib.Contract) bool { return c.Cal != 0 && !c.Streams })
	switch {
	case !streams:
		bytes *= 4
	case bytes > limit:
		bytes = fitRowBytes * rows
	default:
		bytes += fitRowBytes * rows
	}
	return bytes + 2*target
}

// Most returns what the work takes if the scores of so many columns stay in memory until all
// are scored and so many of them paired.
func (a *Account) Most(columns, pairs int) int64 {
	most := max(a.Blocks+a.Apply, a.Score)
	if pairs > 0 {
		most = max(most, a.Drawn+int64(1+pairs)*a.Method)
	}
	return a.Fits + int64(columns)*a.Column + most
}

// Applied returns how many columns fit into limit bytes while the set is read, if not all scores stay
// in memory; 0: not even one.
func (a *Account) Applied(limit int64) int {
	return int((limit - a.Fits - a.Blocks - a.Apply) / max(1, a.Column))
}

// Paired returns how many columns fit into limit bytes while they are paired with the baseline; 0: not
// even one.
func (a *Account) Paired(limit int64) int {
	return int((limit-a.Drawn)/max(1, a.Column+a.Method)) - 1
}

// Least returns what it takes to apply and score one column, and what it takes to pair two.
func (a *Account) Least() (one, pair int64) {
	return a.Column + max(a.Fits+a.Blocks+a.Apply, a.Score), a.Drawn + 2*(a.Column+a.Method)
}
