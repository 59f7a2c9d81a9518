package all

import (
	"fmt"
	"reflect"
	"testing"

	"github.com/qats-bench/qats/calib"
	"github.com/qats-bench/qats/calib/calibtest"
	"github.com/qats-bench/qats/calib/internal/testset"
	"github.com/qats-bench/qats/data"
)

// manySlots is the number of rows above which a partial sum has several blocks.
const manySlots = 1024 * 256

// Streamed rows are fitted with the same bits as rows in memory, by all methods whose
// contract says so. The sizes are a few rows, a set with and without a sample, and a
// set whose slots have several blocks.
func TestStreamedFitsHaveTheSameBits(t *testing.T) {
	for _, c := range []struct{ n, k int }{{5, 3}, {511, 12}, {3000, 7}, {manySlots + 700, 2}} {
		set := testset.Tied(c.n, c.k)
		for _, entry := range Registry() {
			m, err := entry.New().Method()
			if err != nil || !m.Contract().Streams {
				continue
			}
			if c.n > manySlots && entry.Name != "ts" && entry.Name != "qats" {
				continue
			}
			t.Run(fmt.Sprintf("%s/n=%d", entry.Name, c.n), func(t *testing.T) {
				want := calibtest.FitInput(t, entry, calib.Input{Cal: set, Target: &data.Set{Logits: set.Logits}}, nil)
				got := calibtest.FitInput(t, entry, calib.Input{Stream: testset.StreamOf(set), Target: &data.Set{Logits: set.Logits}}, nil)
				if !reflect.DeepEqual(got, want) {
					t.Errorf("streamed %+v, in memory %+v", got.Report, want.Report)
				}
			})
		}
	}
}
