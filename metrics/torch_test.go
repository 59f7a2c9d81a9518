package metrics

import (
	"fmt"
	"math"
	"os"
	"strconv"
	"strings"
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

// The bins begin at the float32 edges of torch.linspace(0, 1, 12) and (0, 1, 16), which
// torch 2 printed: the edge belongs to the bin above, the number below it does not.
func TestTorchECEHasTheEdgesOfLinspace(t *testing.T) {
	for _, edges := range [][]float32{
		{0x1.745d18p-4, 0x1.745d18p-3, 0x1.1745d2p-2, 0x1.745d18p-2, 0x1.d1745ep-2, 0x1.1745dp-1, 0x1.45d174p-1, 0x1.745d18p-1, 0x1.a2e8bap-1, 0x1.d1745cp-1},
		{
			0x1.111112p-4, 0x1.111112p-3, 0x1.99999cp-3, 0x1.111112p-2, 0x1.555556p-2, 0x1.99999cp-2, 0x1.dddde0p-2,
			0x1.11111p-1, 0x1.333332p-1, 0x1.555554p-1, 0x1.777778p-1, 0x1.999998p-1, 0x1.bbbbbcp-1, 0x1.dddddep-1,
		},
	} {
		m := len(edges) + 1
		for _, edge := range edges {
			e, below, above := float64(edge), float64(math.Nextafter32(edge, 0)), float64(math.Nextafter32(edge, 1))
			apart := TorchECE(Of(given([]float64{below, e}, []bool{false, true})), m)
			near(t, fmt.Sprintf("%v and the number below it in %d bins", edge, m), apart, (below+1-e)/2, 1e-7)
			together := TorchECE(Of(given([]float64{e, above}, []bool{true, false})), m)
			near(t, fmt.Sprintf("%v and the number above it in %d bins", edge, m), together, math.Abs(e+above-1)/2, 1e-7)
		}
	}
}

// The edges are those that torch computed, bit by bit, for 66 numbers of bins: below 16
// edges, in vectors of eight, and past them.
func TestTorchEdgesAreThoseOfTorch(t *testing.T) {
	text, err := os.ReadFile("testdata/linspace.txt")
	if err != nil {
		t.Fatal(err)
	}
	counts := 0
	for line := range strings.Lines(string(text)) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		counts++
		var above []int
		for _, f := range strings.Fields(line) {
			v, err := strconv.Atoi(f)
			if err != nil {
				t.Fatal(err)
			}
			above = append(above, v)
		}
		m := above[0]
		edges := torchEdges(m)
		if len(above) != m+2 || len(edges) != m+1 {
			t.Fatalf("%d bins: %d edges, %d in the file", m, len(edges), len(above)-1)
		}
		for i, edge := range edges {
			exact := float32(float64(i) / float64(m))
			if want := math.Float32frombits(math.Float32bits(exact) + uint32(above[i+1])); edge != want {
				t.Errorf("%d bins: edge %d is %v, torch has %v", m, i, edge, want)
			}
		}
	}
	if counts != 66 {
		t.Errorf("%d numbers of bins", counts)
	}
}
