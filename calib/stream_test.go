package calib

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/qats-bench/qats/data"
)

// tied returns n rows with k classes of which many have equal tails.
func tied(n, k int) *data.Set {
	set := simulated(n, k, 2, 1.7, uint64(n))
	for i := 0; i+1 < n; i += 3 {
		copy(set.Logits.Row(i+1), set.Logits.Row(i))
	}
	return set
}

// streamOf returns the rows of a set in memory as a stream.
func streamOf(set *data.Set) Stream { return setStream{set} }

type setStream struct{ set *data.Set }

func (s setStream) Rows() int    { return s.set.Logits.Rows }
func (s setStream) Classes() int { return s.set.Logits.Cols }

func (s setStream) Read(_ context.Context, lo, hi int, logits []float32, labels []int32) error {
	copy(logits, s.set.Logits.Slice(lo, hi).Data)
	copy(labels, s.set.Labels[lo:hi])
	return nil
}

// TestStreamedFits: rows that are streamed are fitted with the same bits as in
// memory, by all methods that say so. The sizes are those of a few rows, of a
// set with and without a sample, and of one whose slots have several blocks.
func TestStreamedFits(t *testing.T) {
	for _, c := range []struct{ n, k int }{{5, 3}, {511, 12}, {3000, 7}, {slots*blockRows + 700, 2}} {
		set := tied(c.n, c.k)
		for _, entry := range Registry() {
			m, err := entry.New(decodeInts(nil))
			if err != nil || !m.Contract().Streams {
				continue
			}
			if c.n > slots*blockRows && entry.Name != "ts" && entry.Name != "qats" {
				continue
			}
			t.Run(fmt.Sprintf("%s/n=%d", entry.Name, c.n), func(t *testing.T) {
				want := fitAny(t, entry.Name, set)
				got := fitOn(t, entry.Name, Input{Stream: streamOf(set), Target: &data.Set{Logits: set.Logits}}, nil)
				if !reflect.DeepEqual(got, want) {
					t.Errorf("streamed %+v, in memory %+v", got.Report, want.Report)
				}
			})
		}
	}
}

// TestWorkers: the bits of a fit do not depend on the number of processors.
func TestWorkers(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	set := tied(9000, 11) // more logits than a small set has
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

// brokenStream fails from row bad on, or has a label there that is no class.
type brokenStream struct {
	Stream
	bad   int
	label int32 // written in place of failing, where it is not 0
	reads atomic.Int64
}

var errBroken = errors.New("broken")

func (s *brokenStream) Read(ctx context.Context, lo, hi int, logits []float32, labels []int32) error {
	s.reads.Add(1)
	if hi > s.bad && s.label == 0 {
		return fmt.Errorf("row %d: %w", max(lo, s.bad), errBroken)
	}
	err := s.Stream.Read(ctx, lo, hi, logits, labels)
	for i := max(lo, s.bad); i < hi; i++ {
		labels[i-lo] = s.label
	}
	return err
}

// TestBrokenStreams: errors name the first bad row whoever met it.
func TestBrokenStreams(t *testing.T) {
	const n, k = 30000, 4
	set := simulated(n, k, 2, 1, 1)
	for _, name := range []string{"ts", "qats", "hts"} {
		for _, bad := range []int{0, 1000, n - 1} {
			in := Input{Stream: &brokenStream{Stream: streamOf(set), bad: bad}}
			if err := fitError(t, name, in); !errors.Is(err, errBroken) {
				t.Errorf("%s: row %d fails: %v", name, bad, err)
			}
			in.Stream = &brokenStream{Stream: streamOf(set), bad: bad, label: k}
			if err := fitError(t, name, in); err == nil || !strings.Contains(err.Error(), "label 4 is outside 0..3") {
				t.Errorf("%s: a label of row %d is no class: %v", name, bad, err)
			}
		}
		if err := fitError(t, name, Input{Stream: streamOf(&data.Set{})}); err == nil {
			t.Errorf("%s: no error without rows", name)
		}
	}
	// Where the rows come in their order, so do the errors.
	_, err := mustStream(t, &brokenStream{Stream: streamOf(set), bad: 1000}).slope(context.Background(), 1)
	if err == nil || err.Error() != "row 1000: broken" {
		t.Errorf("row 1000 fails: %v", err)
	}
}

func mustStream(t *testing.T, s Stream) *objective {
	t.Helper()
	o, err := streamObjective(s)
	if err != nil {
		t.Fatal(err)
	}
	return o
}

func fitError(t *testing.T, name string, in Input) error {
	t.Helper()
	entry, _ := Lookup(name)
	m, err := entry.New(decodeInts(nil))
	if err != nil {
		t.Fatal(err)
	}
	_, err = m.Fit(context.Background(), in)
	return err
}
