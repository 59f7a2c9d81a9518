package calib_test

import (
	"context"
	"reflect"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/qats-bench/qats/calib"
	"github.com/qats-bench/qats/calib/calibtest"

	"github.com/qats-bench/qats/calib/internal/testset"
	"github.com/qats-bench/qats/data"
)

// countedStream counts the rows that are read.
type countedStream struct {
	calib.Stream
	rows atomic.Int64
}

func (s *countedStream) Read(ctx context.Context, lo, hi int, logits []float32, labels []int32) error {
	s.rows.Add(int64(hi - lo))
	return s.Stream.Read(ctx, lo, hi, logits, labels)
}

// Of several fits on one set the later ones read it less often, and have the same
// results as alone: in any order, on sets with and without a sample, and if the NLL
// has no minimum.
func TestSharedResultsSaveReadsAndChangeNoBit(t *testing.T) {
	right := testset.Drawn(700, 5, 2, 3)
	for i := range right.Labels {
		row := right.Logits.Row(i)
		right.Labels[i] = int32(slices.Index(row, slices.Max(row)))
	}
	for name, set := range map[string]*data.Set{
		"sample": testset.Simulated(3000, 7, 2, 1.7, 1), "no sample": testset.Simulated(300, 7, 2, 1.7, 2), "all right": right,
	} {
		alone, rows := map[string]*calib.Fitted{}, map[string]int64{}
		for _, order := range [][]string{{"ts"}, {"qats"}, {"hts"}, {"qats-pw-free"}, {"ts", "qats", "hts", "qats-pw-free"}, {"qats-pw-free", "hts", "qats", "ts"}} {
			shared := &calib.Shared{}
			for i, method := range order {
				s := &countedStream{Stream: testset.StreamOf(set)}
				f := calibtest.FitInput(t, entry(method), calib.Input{Stream: s, Shared: shared}, nil)
				if len(order) == 1 {
					alone[method], rows[method] = calibtest.FitInput(t, entry(method), calib.Input{Stream: testset.StreamOf(set)}, nil), s.rows.Load()
				}
				if !reflect.DeepEqual(f, alone[method]) {
					t.Errorf("%s: %s after %v: %+v, alone %+v", name, method, order[:i], f.Report, alone[method].Report)
				}
				if i > 0 && s.rows.Load() > rows[method]-int64(set.Logits.Rows) {
					t.Errorf("%s: %s after %v reads %d rows, alone %d", name, method, order[:i], s.rows.Load(), rows[method])
				}
			}
		}
	}
}
