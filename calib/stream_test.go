package calib_test

import (
	"context"
	"errors"
	"reflect"
	"runtime"
	"strings"
	"testing"

	"github.com/qats-bench/qats/calib"

	"github.com/qats-bench/qats/calib/internal/fit"
	"github.com/qats-bench/qats/calib/internal/testset"
	"github.com/qats-bench/qats/data"
)

func TestBitsDoNotDependOnProcessors(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	set := testset.Tied(9000, 11) // more logits than a small set has
	for _, name := range temperatureMethods {
		var want *calib.Fitted
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
			in := calib.Input{Stream: testset.Broken{Stream: testset.StreamOf(set), Bad: bad}}
			if err := fitError(t, name, in); !errors.Is(err, testset.ErrBroken) {
				t.Errorf("%s: row %d fails: %v", name, bad, err)
			}
			in.Stream = testset.Broken{Stream: testset.StreamOf(set), Bad: bad, Label: k}
			if err := fitError(t, name, in); err == nil || !strings.Contains(err.Error(), "label 4 is outside 0..3") {
				t.Errorf("%s: a label of row %d is no class: %v", name, bad, err)
			}
		}
		if err := fitError(t, name, calib.Input{Stream: testset.StreamOf(&data.Set{})}); err == nil {
			t.Errorf("%s: no error without rows", name)
		}
	}
	// The errors are in the order of the rows.
	_, err := mustStream(t, testset.Broken{Stream: testset.StreamOf(set), Bad: 1000}).Slope(context.Background(), 1)
	if err == nil || err.Error() != "row 1000: broken" {
		t.Errorf("row 1000 fails: %v", err)
	}
}

func mustStream(t *testing.T, s calib.Stream) *fit.Objective {
	t.Helper()
	o, err := fit.NewStreamed(s)
	if err != nil {
		t.Fatal(err)
	}
	return o
}

func fitError(t *testing.T, name string, in calib.Input) error {
	t.Helper()
	e := entry(name)
	m, err := e.New().Method()
	if err != nil {
		t.Fatal(err)
	}
	_, err = calib.FitInput(context.Background(), m, in)
	return err
}
