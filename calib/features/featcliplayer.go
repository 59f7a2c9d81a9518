package features

import (
	"github.com/qats-bench/qats/data"
	"github.com/qats-bench/qats/internal/kernel/linear"
)

// clipFeatures writes the clipped features.
func clipFeatures(dst []float64, h []float32, c float64, sides int) {
	for j, v := range h {
		x := min(float64(v), c)
		if sides == 2 {
			x = max(x, -c)
		}
		dst[j] = x
	}
}

// clipLayer is the last layer of a network, packed for products. It is immutable
// and safe for concurrent use.
type clipLayer struct {
	weights *linear.Packed
	bias    []float32
}

// clipLayerRows is the number of rows of one product with a last layer.
const clipLayerRows = 32

// newClipLayer packs the last layer of a network.
func newClipLayer(head data.Linear) clipLayer {
	return clipLayer{linear.Pack(head.W.Data, head.W.Rows, head.W.Cols), head.B}
}

// Logits writes W x + b for each row of x. The products are added in the order of
// the features, then the bias.
func (l clipLayer) Logits(dst, x []float64) {
	l.weights.Times(dst, x)
	k := len(l.bias)
	for ; len(dst) > 0; dst = dst[k:] {
		for j, b := range l.bias {
			dst[j] += float64(b)
		}
	}
}

// clipGaps writes z minus its largest element, and returns the lowest index of that
// element. Differences in float32 are more exact than logits in float32: the largest
// stays distinct from all others, and an offset of the bias changes nothing.
func clipGaps(dst []float32, z []float64) (top int) {
	for j, v := range z {
		if v > z[top] {
			top = j
		}
	}
	linear.Gaps(dst, z, z[top])
	return top
}
