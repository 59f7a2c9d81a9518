package simulate

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"github.com/qats-bench/qats/data"
	"github.com/qats-bench/qats/internal/kernel/softmax"
)

// same fails unless the arrays of two sets have the same bits.
func same(t *testing.T, what string, a, b *data.Set) {
	t.Helper()
	if x, y := bitsOf(a), bitsOf(b); x != y {
		t.Errorf("%s: %s, want %s", what, x, y)
	}
}

// bitsOf returns a short digest of all arrays of a set.
func bitsOf(s *data.Set) string {
	h := sha256.New()
	for _, v := range []any{s.Logits.Data, s.Labels, s.Features.Data, s.Head.W.Data, s.Head.B, s.OOD.Data} {
		if err := binary.Write(h, binary.LittleEndian, v); err != nil {
			panic(err)
		}
	}
	for _, m := range s.Augmented {
		if err := binary.Write(h, binary.LittleEndian, m.Data); err != nil {
			panic(err)
		}
	}
	return fmt.Sprintf("%x", h.Sum(nil)[:8])
}

// TestLogitsAreTheHeadOfTheFeatures, to the rounding that the package comment
// states, for every set except outliers.
func TestLogitsAreTheHeadOfTheFeatures(t *testing.T) {
	if testing.Short() {
		t.Skip("draws the features of many networks")
	}
	for name, w := range spreadOf {
		w.CalRows, w.TestRows = 200, 200
		for _, split := range []data.Split{data.Cal, data.Test} {
			if w.rows(split) == 0 {
				continue
			}
			set := load(t, w, split, data.Logits|data.Features|data.Head)
			if set.Features.Cols != w.Width || set.Head.W.Cols != w.Width {
				t.Fatalf("%s: features of %d, head of %d, want %d", name, set.Features.Cols, set.Head.W.Cols, w.Width)
			}
			worst := 0.0
			for i := range set.Logits.Rows {
				for j, l := range set.Logits.Row(i) {
					sum := float64(set.Head.B[j])
					size := math.Abs(sum) + math.Abs(float64(l))
					for c, h := range set.Features.Row(i) {
						x := float64(h) * float64(set.Head.W.Row(j)[c])
						sum += x
						size += math.Abs(x)
					}
					worst = max(worst, math.Abs(float64(l)-sum)/size)
				}
			}
			if worst > 0x1p-24 {
				t.Errorf("%s %s: logits and head differ by %g", name, split, worst)
			}
			if w.skewed() == (slices.Max(set.Head.B) == slices.Min(set.Head.B)) {
				t.Errorf("%s: bias %v", name, set.Head.B)
			}
		}
	}
}

// TestAnyBlocksAndPartsGiveTheSameRows, compared with one read of all.
func TestAnyBlocksAndPartsGiveTheSameRows(t *testing.T) {
	memory := new(data.Block) // of all readers, with what they leave
	for _, name := range []string{"sure", "shifted tail"} {
		w := spreadOf[name]
		w.TestRows, w.OODRows = 131, 37
		src := sourceOf(w)
		ctx := context.Background()
		ref := data.Ref{Split: data.Test}
		whole, err := data.Load(ctx, src, ref, everything)
		if err != nil {
			t.Fatal(err)
		}
		rng := rand.New(rand.NewPCG(1, 2))
		r, err := src.Open(ctx, ref, everything)
		if err != nil {
			t.Fatal(err)
		}
		for range 30 {
			lo := rng.IntN(w.TestRows + 1)
			hi := lo + rng.IntN(w.TestRows-lo+1)
			got, err := r.ReadInto(ctx, memory, lo, hi)
			if err != nil {
				t.Fatal(err)
			}
			same(t, fmt.Sprintf("%s, rows %d..%d", name, lo, hi), got, whole.Rows(lo, hi))
		}
		for parts := data.Parts(1); parts <= everything; parts++ {
			got, err := data.Load(ctx, src, ref, parts)
			if err != nil {
				t.Fatal(err)
			}
			same(t, fmt.Sprintf("%s, %s", name, parts), got, whole.View(parts))
			r, err := src.Open(ctx, ref, parts)
			if err != nil {
				t.Fatal(err)
			}
			if got := int64(sizeOf(whole.View(parts))); r.Bytes() != got {
				t.Errorf("%s: %d bytes said, %d read", parts, r.Bytes(), got)
			}
			got, err = r.ReadInto(ctx, memory, 0, w.TestRows)
			if err != nil {
				t.Fatal(err)
			}
			same(t, fmt.Sprintf("%s, %s in used memory", name, parts), got, whole.View(parts))
		}
	}
}

// TestReadsUseTheirMemoryAgain: a block of rows is made where the one before was, if it is not larger.
func TestReadsUseTheirMemoryAgain(t *testing.T) {
	w := spreadOf["sure"]
	w.TestRows = 20
	ctx := context.Background()
	r, err := sourceOf(w).Open(ctx, data.Ref{Split: data.Test}, data.Logits|data.Labels|data.Features|data.Augmented)
	if err != nil {
		t.Fatal(err)
	}
	memory := new(data.Block)
	first, err := r.ReadInto(ctx, memory, 0, 12)
	if err != nil {
		t.Fatal(err)
	}
	places := func(s *data.Set) []any {
		return []any{&s.Logits.Data[0], &s.Labels[0], &s.Features.Data[0], &s.Augmented[0].Data[0], &s.Augmented[Views-1].Data[0]}
	}
	want := places(first)
	next, err := r.ReadInto(ctx, memory, 12, 20)
	if err != nil {
		t.Fatal(err)
	}
	if got := places(next); !slices.Equal(got, want) {
		t.Errorf("memory at %v, want %v", got, want)
	}
}

func sizeOf(s *data.Set) int {
	n := len(s.Logits.Data) + len(s.Labels) + len(s.Features.Data) + len(s.Head.W.Data) + len(s.Head.B) + len(s.OOD.Data)
	for _, m := range s.Augmented {
		n += len(m.Data)
	}
	return 4 * n
}

// TestBitsArePinned: every processor draws these bits. Whoever changes them on
// purpose raises Version.
func TestBitsArePinned(t *testing.T) {
	for name, want := range map[string]string{
		"sure":         "5a9fe29e8d30d5a9",
		"shifted tail": "324076d691c5ef50",
		"pixels":       "660fc522da11c802",
	} {
		w := spreadOf[name]
		w.TestRows, w.OODRows = 50, 20
		if got := bitsOf(load(t, w, data.Test, everything)); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
}

// TestConcurrentReadersAgree, those of one source that is used at once.
func TestConcurrentReadersAgree(t *testing.T) {
	w := spreadOf["shifted"]
	w.CalRows, w.TestRows = 40, 40
	src := sourceOf(w)
	var group sync.WaitGroup
	sets := make([]*data.Set, 8)
	for i := range sets {
		group.Go(func() {
			var err error
			if sets[i], err = data.Load(context.Background(), src, data.Ref{Split: data.Test}, data.Logits); err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
	for _, s := range sets[1:] {
		same(t, "another goroutine", s, sets[0])
	}
}

// TestNormalsAreThoseOfTheLoop that draws each pair until it is in the circle, of any number of deviates.
func TestNormalsAreThoseOfTheLoop(t *testing.T) {
	var s, plain stream
	for n := range 300 {
		for seed := range 5 {
			got, want := make([]float64, n), make([]float64, n+1)
			s.seed(uint64(seed), n)
			s.normals(got)
			plain.seed(uint64(seed), n)
			for i := 0; i < n; i += 2 {
				var u, v, r float64
				for !(0 < r && r < 1) {
					u, v = 2*plain.uniform()-1, 2*plain.uniform()-1
					r = float64(u*u) + float64(v*v)
				}
				f := math.Sqrt(-2 * softmax.Log(r) / r)
				want[i], want[i+1] = float64(u*f), float64(v*f)
			}
			if !slices.Equal(got, want[:n]) || s.pcg != plain.pcg {
				t.Fatalf("%d deviates: %v, want %v", n, got, want[:n])
			}
		}
	}
	for _, r := range []float64{0, 0x1p-1074, 0.5, math.Nextafter(1, 0), 1, math.Nextafter(1, 2), 2} {
		if got, want := inCircle(r) == 1, 0 < r && r < 1; got != want {
			t.Errorf("%g in the circle: %v", r, got)
		}
	}
}

// TestChancesAreTheSumsInOrder of one row at a time, without the classes that are too far from the top one to
// count: e^-40 is less than the rounding error of a sum of at least 1.
func TestChancesAreTheSumsInOrder(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, k := range []int{2, 3, 9, 100, 1000} {
		p := newPowers(k)
		for range 40 {
			var want [abreast]float64
			for i := range want {
				row, scale := make([]float64, k), rng.Float64()
				for j := range row {
					row[j] = float64(int(rng.NormFloat64()*200)) / 4 // some are equal
				}
				top, sum := argmax(row), 1.0
				for j, v := range row {
					if x := float64(scale * (v - row[top])); x > -40 && j != top {
						sum += softmax.Exp(x)
					}
				}
				want[i] = 1 / sum
				p.set(i, row, top, scale)
			}
			if got := p.chances(); got != want {
				t.Fatalf("%d classes: %v, want %v", k, got, want)
			}
		}
	}
}

// TestNormalsHaveTheMomentsAndQuantilesOfTheNormal: the first moments within five
// standard errors, and the quantiles by the error function.
func TestNormalsHaveTheMomentsAndQuantilesOfTheNormal(t *testing.T) {
	const n = 200_000
	x := make([]float64, 5)
	var s stream
	var sums [5]float64
	for i := range n / len(x) {
		s.seed(7, i)
		s.normals(x)
		for _, v := range x {
			for p := range sums {
				sums[p] += math.Pow(v, float64(p)) / n
			}
		}
	}
	for p, want := range []float64{1, 0, 1, 0, 3} {
		sd := []float64{1e-9, 1, math.Sqrt2, math.Sqrt(15), math.Sqrt(96)}[p] / math.Sqrt(n)
		if !(math.Abs(sums[p]-want) <= 5*sd) {
			t.Errorf("moment %d is %g, want %g", p, sums[p], want)
		}
	}
	for _, n := range []int{2, 3, 1000, 24000} {
		for i, q := range normalQuantiles(n) {
			if want := math.Sqrt2 * math.Erfinv(2*(float64(i)+0.5)/float64(n)-1); !(math.Abs(q-want) <= 1e-3) {
				t.Fatalf("quantile %d of %d is %g, want %g", i, n, q, want)
			}
		}
	}
}
