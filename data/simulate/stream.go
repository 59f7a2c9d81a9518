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
type stream struct {
	pcg rand.PCG

	u, v, square, log [64]float64 // scratch of normals, of pairs; many logarithms in one call cost less
}

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

// signed returns 2 u - 1 for the uniform number u of the bits.
func signed(bits uint64) float64 { return float64(float64(int64(bits>>11))*0x1p-52) - 1 }

// inCircle returns 1 for 0 < r < 1 and 0 for any other r >= 0. It has no branch: a processor would
// guess many of them wrong.
func inCircle(r float64) (in int) {
	if math.Float64bits(r)-1 < math.Float64bits(1)-1 {
		in = 1
	}
	return in
}

// normals fills dst with standard normal deviates by the polar method (Marsaglia
// and Bray 1964). math/rand has faster ones, but their last bits depend on math.Log
// and math.Exp.
func (s *stream) normals(dst []float64) {
	for len(dst) > 0 {
		n := min(len(dst), 2*len(s.square))
		pairs := (n + 1) / 2
		for p := 0; p < pairs; {
			u, v := signed(s.pcg.Uint64()), signed(s.pcg.Uint64())
			r := float64(u*u) + float64(v*v)
			s.u[p], s.v[p], s.square[p] = u, v, r
			p += inCircle(r) // the next pair takes the place of one that is not
		}
		softmax.Logs(s.log[:pairs], s.square[:pairs])
		for p := range pairs {
			f := math.Sqrt(-2 * s.log[p] / s.square[p])
			dst[2*p] = float64(s.u[p] * f)
			if 2*p+1 < n {
				dst[2*p+1] = float64(s.v[p] * f)
			}
		}
		dst = dst[n:]
	}
}
