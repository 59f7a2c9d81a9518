package metrics

import (
	"math"
	"testing"
)

// The example in the documentation of binary calibration error in torchmetrics, and
// its edges: left-closed bins, and a bin of its own for confidence 1.
func TestTorchECEHasTheEdgesOfTorchmetrics(t *testing.T) {
	f := given([]float64{.25, .25, .55, .75, .75}, []bool{false, false, true, true, true})
	near(t, "docstring", TorchECE(Of(f), 2), .29, 1e-7)
	// 14/15 as float32 is the edge itself, or next to it: the last bin holds it
	// with .97, where the right-closed one holds it with .9.
	edge := given([]float64{.9, float64(float32(14) / 15), .97}, []bool{true, false, true})
	near(t, "edge", TorchECE(Of(edge), 15), (.1+math.Abs(14./15+.97-1))/3, 1e-7)
	// 1 - 1e-9 is 1 in float32: two bins of errors +1 and -.1 do not cancel.
	one := given([]float64{1 - 1e-9, .95, 1}, []bool{false, true, true})
	near(t, "one", TorchECE(Of(one), 15), (1+.05)/3, 1e-7)
	near(t, "ours", ECE(Of(one), 15), .95/3, 1e-7)
}
