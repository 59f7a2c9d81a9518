package softmax

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/qats-bench/qats/internal/kernel/cpu"
)

// hardRows returns n rows of k logits with ties, near ties, zeros of both signs
// and spreads from nothing to all of float32.
func hardRows(n, k int, rng *rand.Rand) []float32 {
	spread := []float64{0, 0.01, 1, 10, 300, 1e30}[rng.IntN(6)]
	l := randomRows(n, k, spread, rng.Uint64())
	for range rng.IntN(n*k + 1) {
		i, from := rng.IntN(n*k), rng.IntN(n*k)
		switch rng.IntN(8) {
		case 0:
			l[i] = 0
		case 1:
			l[i] = float32(math.Copysign(0, -1))
		case 2:
			l[i] = math.Nextafter32(l[from], 0)
		case 3:
			l[i] = -l[from]
		default:
			l[i] = l[from]
		}
	}
	return l
}

// TestKernelsAgree: all instructions give the same bits. Logits and results begin
// at any address.
func TestKernelsAgree(t *testing.T) {
	rng := rand.New(rand.NewPCG(20, 21))
	sizes := []int{100, 127, 128, 129, 255, 256, 257, 1000, 1003}
	for k := range 72 {
		sizes = append(sizes, k+1)
	}
	for _, k := range sizes {
		for _, n := range []int{1, 2, 7, 8, 9, 1 + rng.IntN(40)} {
			l := hardRows(n+1, k, rng)[rng.IntN(k+1):][:n*k]
			m := rng.IntN(20)
			scales := make([]float64, n*max(m, 1))
			for i := range scales {
				scales[i] = []float64{0, 5e-324, 1e-3, 0.7, 1, 1 / 3., 5, 1e305}[rng.IntN(8)]
			}
			wantRows, gotRows := make([]Moments, n), make([]Moments, n)
			wantScores, gotScores := make([]Score, n*m), make([]Score, n*m)
			wantTop, gotTop := make([]int32, n), make([]int32, n)
			wantTails, gotTails := make([]float64, n), make([]float64, n)
			wantProbs, gotProbs := make([]float64, k), make([]float64, k)
			for _, on := range cpu.Available() {
				at := fmt.Sprintf("%v, %d rows of %d", on, n, k)
				for _, s := range [][]float64{scales[:n], scales[:1]} {
					rows(portable, wantRows, l, k, s)
					rows(on, gotRows, l, k, s)
					for i := range wantRows {
						if gotRows[i] != wantRows[i] {
							t.Errorf("%s: row %d at %g: %v, want %v", at, i, s[i%len(s)], gotRows[i], wantRows[i])
						}
					}
				}
				scores(portable, wantScores, wantTop, l, k, scales[:n*m])
				scores(on, gotScores, gotTop, l, k, scales[:n*m])
				for i := range wantScores {
					if gotScores[i] != wantScores[i] {
						t.Errorf("%s: score %d: %v, want %v", at, i, gotScores[i], wantScores[i])
					}
				}
				if !slices.Equal(gotTop, wantTop) {
					t.Errorf("%s: top classes %v, want %v", at, gotTop, wantTop)
				}
				tails(portable, wantTails, l, k)
				if tails(on, gotTails, l, k); !slices.Equal(gotTails, wantTails) {
					t.Errorf("%s: tails %v, want %v", at, gotTails, wantTails)
				}
				for i := range min(n, 3) {
					row := l[i*k : (i+1)*k]
					rows(portable, wantRows[:1], row, k, scales[i:i+1])
					wantTail := probs(portable, wantProbs, row, scales[i])
					if tail := probs(on, gotProbs, row, scales[i]); !slices.Equal(gotProbs, wantProbs) || tail != wantTail || tail != wantRows[0].Tail {
						t.Errorf("%s: probabilities %v and tail %v, want %v and %v", at, gotProbs, tail, wantProbs, wantRows[0].Tail)
					}
				}
			}
		}
	}
}

// TestPowerIsWithinItsError: the exponential of the kernel is within 1.2 units in
// the last place of 2^(t/16), from t = 0 to the end of its range.
func TestPowerIsWithinItsError(t *testing.T) {
	rng := rand.New(rand.NewPCG(24, 25))
	const lowest = -670 * per16th
	ln2 := bigLog(new(big.Float).SetPrec(prec).SetInt64(2))
	worst, at := 0.0, 0.0
	for i := range 4000 {
		x := lowest * rng.Float64()
		switch i % 4 {
		case 1:
			x = -500 * rng.Float64()
		case 2:
			x = -rng.Float64()
		case 3: // half way between two entries of the table
			x = -float64(rng.IntN(15464)) - .5
		}
		// x ln2/16 = hi + lo, and e^hi (1 + lo) is 2^(x/16).
		arg := new(big.Float).SetPrec(prec).SetFloat64(x / 16)
		arg.Mul(arg, ln2)
		hi, _ := arg.Float64()
		lo := arg.Sub(arg, new(big.Float).SetFloat64(hi))
		want := bigExp(hi)
		want.Add(want, new(big.Float).SetPrec(prec).Mul(want, lo))
		if u := ulps(power(x, rate{1, lowest}), want); u > worst {
			worst, at = u, x
		}
	}
	t.Logf("largest error %.3f units at %g", worst, at)
	if worst > 1.2 {
		t.Errorf("error %g units at %g", worst, at)
	}
	for _, c := range []struct{ d, scale, want float64 }{
		{0, 1, 1}, {math.Copysign(0, -1), 1, 1}, {-5e-324, 1, 1}, {-1e300, 0, 1}, {-670.1, 1, 0},
		{0, math.MaxFloat64, 1}, {-1e-45, math.MaxFloat64, 0}, {-math.MaxFloat64, math.MaxFloat64, 0},
	} {
		if got := power(c.d, rateOf(c.scale)); got != c.want {
			t.Errorf("power(%g, %g) = %g, want %g", c.d, c.scale, got, c.want)
		}
	}
}

// TestExpGapIsTheProbabilityRatio, except for probabilities that Probs lowers to
// keep the top class.
func TestExpGapIsTheProbabilityRatio(t *testing.T) {
	row := []float32{3, 1, -2, 3, 0, -40, -700, -900}
	p := Probs(make([]float64, len(row)), row, 1)
	var m [1]Moments
	Rows(m[:], row, len(row), []float64{1})
	for j, l := range row {
		if got := ExpGap(float64(l)-float64(m[0].Max)) / (1 + m[0].Tail); got != p[j] {
			t.Errorf("class %d: %v, want %v", j, got, p[j])
		}
	}
}

// TestPowersAreTheNearestNumbers: the table holds 2^(j/16) rounded to the nearest
// float64.
func TestPowersAreTheNearestNumbers(t *testing.T) {
	for j, bits := range powers {
		got := math.Float64frombits(bits + uint64(j)<<48)
		// The 16th powers of the midpoints to its neighbours enclose 2^j.
		exceeds := func(next float64) bool {
			mid := new(big.Float).SetPrec(prec).SetFloat64(got)
			mid.Add(mid, new(big.Float).SetFloat64(next))
			mid.Quo(mid, big.NewFloat(2))
			v := new(big.Float).SetPrec(1000).Set(mid)
			for range 4 {
				v.Mul(v, v)
			}
			return v.Cmp(new(big.Float).SetInt64(1<<j)) > 0
		}
		if exceeds(math.Nextafter(got, 0)) || !exceeds(math.Nextafter(got, 4)) {
			t.Errorf("2^(%d/16): %v is not the nearest", j, got)
		}
	}
}

// TestExpsIsPower: the loop of portable code and power are the same function.
func TestExpsIsPower(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	row, dst := make([]float32, 999), make([]float64, 999)
	for _, spread := range []float64{1e-30, 1e-3, 1, 30, 800, 1e5} {
		for j := range row {
			row[j] = float32(-spread * rng.Float64())
		}
		exps(dst, row, 0, rateOf(1.25))
		for j, l := range row {
			if want := power(float64(l), rateOf(1.25)); dst[j] != want {
				t.Fatalf("spread %g: exps %v, power %v", spread, dst[j], want)
			}
		}
	}
}

// benchmark runs f for every kernel and several numbers of classes, on rows that
// stay in the L2 cache.
func benchmark(b *testing.B, f func(on instructions, l []float32, n, k int) func()) {
	for _, on := range cpu.Available() {
		for _, k := range []int{10, 100, 1000} {
			b.Run(fmt.Sprintf("kernel=%v/k=%d", on, k), func(b *testing.B) {
				n := 100000 / k
				run := f(on, randomRows(n, k, 4, 1), n, k)
				b.SetBytes(int64(4 * n * k))
				for b.Loop() {
					run()
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n*k), "ns/logit")
			})
		}
	}
}

// The top class is the first of the largest logits, on all instructions.
func TestTopIsTheFirstOfTheLargest(t *testing.T) {
	for _, on := range cpu.Available() {
		for _, k := range []int{1, 2, 9, 63, 64, 65, 100, 1000} {
			for i, row := range slices.Collect(slices.Chunk(randomRows(50, k, 1, 7), k)) {
				for j := range row {
					row[j] = float32(math.Round(float64(row[j]) * float64(1+i%3)))
				}
				want := slices.Index(row, slices.Max(row))
				if got, ok := vectorTop(on, row); ok && got != want || Top(row) != want {
					t.Fatalf("%v, row %d of %d classes: top %d and %d, want %d", on, i, k, got, Top(row), want)
				}
			}
		}
	}
}

func BenchmarkRows(b *testing.B) {
	benchmark(b, func(on instructions, l []float32, n, k int) func() {
		dst := make([]Moments, n)
		return func() { rows(on, dst, l, k, []float64{0.7}) }
	})
}

func BenchmarkScores(b *testing.B) { // of 8 scales: divide by 8
	benchmark(b, func(on instructions, l []float32, n, k int) func() {
		dst, top, scales := make([]Score, 8*n), make([]int32, n), make([]float64, 8*n)
		for i := range scales {
			scales[i] = 0.3 + 0.1*float64(i%8)
		}
		return func() { scores(on, dst, top, l, k, scales) }
	})
}

func BenchmarkTails(b *testing.B) {
	benchmark(b, func(on instructions, l []float32, n, k int) func() {
		dst := make([]float64, n)
		return func() { tails(on, dst, l, k) }
	})
}

func BenchmarkProbs(b *testing.B) {
	benchmark(b, func(on instructions, l []float32, n, k int) func() {
		dst := make([]float64, k)
		return func() {
			for i := range n {
				probs(on, dst, l[i*k:(i+1)*k], 0.7)
			}
		}
	})
}
