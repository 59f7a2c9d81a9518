package calib_test

import (
	"flag"
	"fmt"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"github.com/qats-bench/qats/calib/calibtest"

	"github.com/qats-bench/qats/data"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// Fits and probabilities are the same to the last bit on all processors, whether or
// not the compiler may fuse a product with a sum (it does for arm64 and for
// GOAMD64=v3). The logits are dyadic, so every machine draws the same set. The golden
// file detects changes: a change of it is a change of numbers, which raises
// softmax.Version or the versions of the methods.
func TestBitsEverywhere(t *testing.T) {
	const n, k = 600, 6
	rng := rand.New(rand.NewPCG(1, 2))
	set := &data.Set{Logits: data.NewMatrix(n, k), Labels: make([]int32, n)}
	for i := range n {
		row := set.Logits.Row(i)
		for j := range row {
			row[j] = float32(rng.IntN(1024)-512) / 64
		}
		set.Labels[i] = int32(rng.IntN(k))
		if rng.IntN(4) > 0 { // the largest logit is right three times of four
			for j := range row {
				if row[j] > row[set.Labels[i]] {
					set.Labels[i] = int32(j)
				}
			}
		}
	}
	var got strings.Builder
	for _, name := range temperatureMethods {
		f := fitAny(t, name, set)
		h := fnv.New64a()
		for _, p := range calibtest.Apply(f.Map, set.Logits).Data {
			fmt.Fprintf(h, "%x ", math.Float64bits(p))
		}
		fmt.Fprintf(&got, "%s nll=%x parameters=%x probabilities=#%x\n", name, f.Report.NLL, parameters(f.Map), h.Sum64())
	}
	const golden = "testdata/bits.golden"
	if *update {
		if err := os.WriteFile(golden, []byte(got.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if got.String() != string(want) {
		t.Errorf("got\n%s\nwant\n%s", &got, want)
	}
}
