package method

import (
	"github.com/qats-bench/qats/calib"
	"github.com/qats-bench/qats/calib/internal/fit"
)

// Minimum returns how a solver ended from one start.
func Minimum(s fit.Solution) calib.Minimum {
	return calib.Minimum{At: s.At, Value: s.Value, Gradient: s.Gradient, Steps: s.Steps, Starts: 1}
}
