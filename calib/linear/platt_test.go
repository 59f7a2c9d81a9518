package linear

import (
	"math"
	"testing"

	"github.com/qats-bench/qats/calib/calibtest"
	"github.com/qats-bench/qats/calib/internal/testset"
)

// With two classes one-vs-rest is the binary method: the two functions are mirrored,
// so the row needs no division.
func TestTwoClassesAreOneBinaryProblem(t *testing.T) {
	set := testset.Drawn(300, 2, 2, 3)
	for _, name := range []string{"platt", "platt-logits"} {
		m := calibtest.Fit(t, entry(name), set, nil).Map.(plattMap)
		offset := -m.B[0]
		if name == "platt" {
			offset -= m.A[0] // p of class 0 is 1 - p of class 1
		}
		if !(math.Abs(m.A[0]-m.A[1]) <= 1e-9) || !(math.Abs(offset-m.B[1]) <= 1e-9) {
			t.Errorf("%s: a = %v, b = %v", name, m.A, m.B)
		}
	}
}
