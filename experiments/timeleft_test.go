package experiments

import (
	"math"
	"testing"
	"time"
)

// The rest takes as long for each piece as what is done took.
func TestTimeLeftIsThatOfTheWorkDone(t *testing.T) {
	for _, c := range []struct {
		done, left float64
		elapsed    time.Duration
		want       time.Duration
		ok         bool
	}{
		{1, 3, 10 * time.Second, 30 * time.Second, true},
		{30, 10, 30 * time.Second, 10 * time.Second, true},
		{.5, .5, time.Hour, time.Hour, true},
		{0, 9, time.Hour, 0, false},
		{9, 0, time.Hour, 0, false},
		{1, 1, 0, 0, false},
		{-1, 4, time.Second, 0, false},
		{math.NaN(), 4, time.Second, 0, false},
		{1e-300, 1e300, time.Hour, 1 << 62, true},
	} {
		if got, ok := TimeLeft(c.done, c.left, c.elapsed); got != c.want || ok != c.ok {
			t.Errorf("%v done and %v left after %v: %v, %t, want %v, %t", c.done, c.left, c.elapsed, got, ok, c.want, c.ok)
		}
	}
}
