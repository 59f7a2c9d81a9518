package calib

import (
	"testing"

	"github.com/qats-bench/qats/calib/internal/testset"
)

// A stream serves only if there is no calibration set in memory.
func TestRowsInMemoryComeBeforeAStream(t *testing.T) {
	set, other := testset.Drawn(40, 3, 2, 1), testset.StreamOf(testset.Drawn(40, 3, 1, 2))
	got := fitOn(t, "ts", Input{Cal: set, Stream: other}, nil).Map
	if want := fitMethod(t, "ts", set, nil).Map; got != want {
		t.Errorf("%v, want %v", got, want)
	}
	if k := (Input{Stream: other}).Classes(); k != 3 {
		t.Errorf("%d classes of a stream, want 3", k)
	}
	if k := (Input{}).Classes(); k != 0 {
		t.Errorf("%d classes without rows", k)
	}
}
