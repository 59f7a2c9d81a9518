package simulate

import (
	"hash/fnv"
	"math"
	"math/rand/v2"

	"github.com/qats-bench/qats/internal/kernel/softmax"
	"github.com/qats-bench/qats/internal/splitmix"
)

// stream is a source of random numbers that returns the same bits on every
// processor. A row has its own streams, seeded by the identity of the row, so that
// rows can be made in any order and any block.
type stream struct{ pcg rand.PCG }

// identity hashes names; no name contains a zero byte.
func identity(names ...string) uint64 {
	h := fnv.New64a()
	for _, name := range names {
		h.Write([]byte(name))
		h.Write([]byte{0})
	}
	return h.Sum64()
}

// seed sets the stream to that of row i of id.
func (s *stream) seed(id uint64, i int) { s.pcg.Seed(mix(id), mix(id^mix(uint64(i)))) }

// mix is the first word of a seed.
func mix(seed uint64) uint64 { return splitmix.Mix(seed + splitmix.Golden) }

// uniform returns a number in [0, 1).
func (s *stream) uniform() float64 { return float64(s.pcg.Uint64()>>11) * 0x1p-53 }

// normals fills dst with standard normal deviates by the polar method (Marsaglia
// and Bray 1964). math/rand has faster ones, but their last bits depend on math.Log
// and math.Exp.
func (s *stream) normals(dst []float64) {
	var square, log [64]float64 // of pairs; many logarithms in one call cost less
	for len(dst) > 0 {
		n := min(len(dst), 2*len(square))
		pairs := (n + 1) / 2
		for p := range pairs {
			var u, v, r float64
			for {
				u, v = 2*s.uniform()-1, 2*s.uniform()-1
				if r = float64(u*u) + float64(v*v); 0 < r && r < 1 {
					break
				}
			}
			dst[2*p], square[p] = u, r
			if 2*p+1 < n {
				dst[2*p+1] = v
			}
		}
		softmax.Logs(log[:pairs], square[:pairs])
		for p := range pairs {
			f := math.Sqrt(-2 * log[p] / square[p])
			dst[2*p] = float64(dst[2*p] * f)
			if 2*p+1 < n {
				dst[2*p+1] = float64(dst[2*p+1] * f)
			}
		}
		dst = dst[n:]
	}
}
