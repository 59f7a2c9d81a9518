package engine

import (
	"context"

	"github.com/qats-bench/qats/metrics"
	"github.com/qats-bench/qats/results"
)

// Pair returns the differences of each of the others to a baseline on the same rows, in the order
// of the others and then of the metrics. A metric that is undefined for one of the two has none. The
// resampled rows of a test set, which the seed names, are always the same. Therefore the numbers do not
// depend on which others are paired together.
func Pair(ctx context.Context, base *metrics.Samples, others []*metrics.Samples, o metrics.PairOptions) ([][]metrics.Pair, error) {
	pairs, err := metrics.Pairs(ctx, base, others, o)
	if err != nil {
		return nil, err
	}
	of := make([][]metrics.Pair, len(others))
	for i := range of {
		of[i] = []metrics.Pair{} // in the store too a pairing without pairs is a list
	}
	for _, p := range pairs {
		of[p.Other] = append(of[p.Other], p)
	}
	return of, nil
}

// PairRows returns the rows of pairs.csv of the differences of one method to a baseline. All of
// them have the setting, the methods, the number of rows and the source of head.
func PairRows(head results.Pair, pairs []metrics.Pair) []results.Pair {
	rows := make([]results.Pair, 0, len(pairs))
	for _, p := range pairs {
		row := head
		row.Metric, row.Difference, row.Interval, row.Verdict = p.Metric, p.Difference, p.Kind, p.Verdict
		if p.Note != "" {
			row.Note = results.Because(p.Note)
		}
		if p.Range != nil {
			row.Lo, row.Hi = p.Range.Lo, p.Range.Hi
		}
		rows = append(rows, row)
	}
	return rows
}
