package experiments

import (
	"math"
	"time"
)

// TimeLeft estimates how long the rest of a work takes: the time that has passed, times what is left of the work,
// by what is done of it. Both are in one unit, such as cells or estimated processor time. ok is false where
// nothing is done or left.
func TimeLeft(done, left float64, elapsed time.Duration) (rest time.Duration, ok bool) {
	if !(done > 0) || !(left > 0) || elapsed <= 0 {
		return 0, false
	}
	return time.Duration(math.Min(float64(elapsed)*(left/done), 1<<62)), true
}
