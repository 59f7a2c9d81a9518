package calib

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"runtime"
	"strings"
	"testing"

	"github.com/qats-bench/qats/calib/internal/fit"
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
			m, err := entry.With(setInts(nil))
			if err != nil || !m.Contract().Streams {
				continue
			}
			if c.n > manySlots && entry.Name != "ts" && entry.Name != "qats" {
				continue
			}
			t.Run(fmt.Sprintf("%s/n=%d", entry.Name, c.n), func(t *testing.T) {
				want := fitAny(t, entry.Name, set)
				got := fitOn(t, entry.Name, Input{Stream: testset.StreamOf(set), Target: &data.Set{Logits: set.Logits}}, nil)
				if !reflect.DeepEqual(got, want) {
					t.Errorf("streamed %+v, in memory %+v", got.Report, want.Report)
				}
			})
		}
	}
}

func TestBitsDoNotDependOnProcessors(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	set := testset.Tied(9000, 11) // more logits than a small set has
	for _, name := range temperatureMethods {
		var want *Fitted
		for _, workers := range []int{1, 2, 8} {
			runtime.GOMAXPROCS(workers)
			got := fitAny(t, name, set)
			if want == nil {
				want = got
			}
			if !reflect.DeepEqual(got, want) {
				t.Errorf("%s: %d workers: %+v, 1: %+v", name, workers, got.Report, want.Report)
			}
		}
	}
}

// Errors name the first bad row, for any number of goroutines.
func TestErrorsOfStreamsNameTheFirstBadRow(t *testing.T) {
	const n, k = 30000, 4
	set := testset.Simulated(n, k, 2, 1, 1)
	for _, name := range []string{"ts", "qats", "hts"} {
		for _, bad := range []int{0, 1000, n - 1} {
			in := Input{Stream: testset.Broken{Stream: testset.StreamOf(set), Bad: bad}}
			if err := fitError(t, name, in); !errors.Is(err, testset.ErrBroken) {
				t.Errorf("%s: row %d fails: %v", name, bad, err)
			}
			in.Stream = testset.Broken{Stream: testset.StreamOf(set), Bad: bad, Label: k}
			if err := fitError(t, name, in); err == nil || !strings.Contains(err.Error(), "label 4 is outside 0..3") {
				t.Errorf("%s: a label of row %d is no class: %v", name, bad, err)
			}
		}
		if err := fitError(t, name, Input{Stream: testset.StreamOf(&data.Set{})}); err == nil {
			t.Errorf("%s: no error without rows", name)
		}
	}
	// The errors are in the order of the rows.
	_, err := mustStream(t, testset.Broken{Stream: testset.StreamOf(set), Bad: 1000}).Slope(context.Background(), 1)
	if err == nil || err.Error() != "row 1000: broken" {
		t.Errorf("row 1000 fails: %v", err)
	}
}

func mustStream(t *testing.T, s Stream) *fit.Objective {
	t.Helper()
	o, err := fit.NewStreamed(s)
	if err != nil {
		t.Fatal(err)
	}
	return o
}

func fitError(t *testing.T, name string, in Input) error {
	t.Helper()
	entry, _ := Lookup(name)
	m, err := entry.With(setInts(nil))
	if err != nil {
		t.Fatal(err)
	}
	_, err = m.Fit(context.Background(), in)
	return err
}
