package softmax

import (
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"
)

// randomRows returns n rows of k logits with the given standard deviation.
func randomRows(n, k int, spread float64, seed uint64) []float32 {
	rng := rand.New(rand.NewPCG(seed, uint64(k)))
	l := make([]float32, n*k)
	for i := range l {
		l[i] = float32(spread * rng.NormFloat64())
	}
	return l
}

// reference returns the moments of a row by their definition in exact
// arithmetic.
func reference(row []float32, scale float64) (tail, s1, s2 *big.Float) {
	top := slices.Index(row, slices.Max(row))
	tail, s1, s2 = new(big.Float).SetPrec(prec), new(big.Float).SetPrec(prec), new(big.Float).SetPrec(prec)
	for j, l := range row {
		d := float64(l) - float64(row[top])
		x := new(big.Float).SetPrec(prec).SetFloat64(d)
		x.Mul(x, new(big.Float).SetPrec(prec).SetFloat64(scale))
		// d*scale may need more than 53 bits: e^x = e^hi (1 + lo + lo^2/2).
		hi, _ := x.Float64()
		lo := x.Sub(x, new(big.Float).SetFloat64(hi))
		e := bigExp(hi)
		e.Add(e, new(big.Float).SetPrec(prec).Mul(e, lo))
		if j != top {
			tail.Add(tail, e)
		}
		e.Mul(e, new(big.Float).SetFloat64(d))
		s1.Add(s1, e)
		e.Mul(e, new(big.Float).SetFloat64(d))
		s2.Add(s2, e)
	}
	return tail, s1, s2
}

// relative returns |got - want| / |want|, or |got| where want is 0.
func relative(got float64, want *big.Float) float64 {
	w, _ := want.Float64()
	if w == 0 {
		return math.Abs(got)
	}
	return math.Abs(got-w) / math.Abs(w)
}

// TestRowsAreTheExactMoments compares with exact arithmetic. A relative error of
// 1e-13 allows for x = scale d of some hundreds: the exponential passes the
// rounding error of the rate, 2^-52 |x|, to its result.
func TestRowsAreTheExactMoments(t *testing.T) {
	for _, k := range []int{1, 2, 3, 10, 255, 256, 257, 600} {
		for _, spread := range []float64{0.01, 1, 5, 40} {
			row := randomRows(1, k, spread, 7)
			for _, scale := range []float64{0, 1e-3, 0.4, 1, 3} {
				var m [1]Moments
				Rows(m[:], row, k, []float64{scale})
				tail, s1, s2 := reference(row, scale)
				for _, c := range []struct {
					name string
					got  float64
					want *big.Float
				}{{"tail", m[0].Tail, tail}, {"s1", m[0].S1, s1}, {"s2", m[0].S2, s2}} {
					if e := relative(c.got, c.want); e > 1e-13 {
						t.Errorf("k=%d spread=%g scale=%g: %s %g, want %g", k, spread, scale, c.name, c.got, c.want)
					}
				}
				if top := slices.Index(row, slices.Max(row)); int(m[0].Top) != top || m[0].Max != row[top] {
					t.Errorf("k=%d: top %d (%g), want %d", k, m[0].Top, m[0].Max, top)
				}
			}
		}
	}
}

func TestTailOfTwoClassesIsTheGap(t *testing.T) {
	// For two classes a gap g the tail is e^-g, the confidence 1/(1+e^-g).
	for _, gap := range []float32{0, 1e-20, 0.5, 36, 40, 669, 671, 740} {
		var m [1]Moments
		Rows(m[:], []float32{3, 3 - gap}, 2, []float64{1})
		g := 3 - float64(3-gap)
		want := math.Exp(-g)
		if g > 670 {
			want = 0
		}
		if !(math.Abs(m[0].Tail-want) <= (4e-16+1.2e-16*g)*want) { // the rate is rounded
			t.Errorf("gap %g: tail %g, want %g", gap, m[0].Tail, want)
		}
	}
	var m [2]Moments
	Rows(m[:], []float32{0, -40, 0, -41}, 2, []float64{1})
	if m[0].Conf() != 1 || m[1].Conf() != 1 || !(m[0].Tail > m[1].Tail && m[1].Tail > 0) {
		t.Errorf("tails of saturated rows %g, %g do not tell them apart", m[0].Tail, m[1].Tail)
	}
}

func TestRowsCountTies(t *testing.T) {
	var m [1]Moments
	Rows(m[:], []float32{1, 5, 5, 5, 2}, 5, []float64{1000})
	if m[0].Top != 1 || m[0].Tail != 2 || m[0].Conf() != 1./3 {
		t.Errorf("three classes at the maximum: %+v", m[0])
	}
}

func TestEachRowMayHaveItsScale(t *testing.T) {
	const n, k = 7, 11
	l := randomRows(n, k, 3, 8)
	scale := []float64{0.1, 0.2, 0.5, 1, 2, 3, 9}
	all, one := make([]Moments, n), make([]Moments, 1)
	Rows(all, l, k, scale)
	for i := range n {
		Rows(one, l[i*k:(i+1)*k], k, scale[i:i+1])
		if one[0] != all[i] {
			t.Errorf("row %d: alone %+v, in its block %+v", i, one[0], all[i])
		}
	}
}

// TestSlopeAndVarianceAreDerivatives compares them with differences of NLL.
func TestSlopeAndVarianceAreDerivatives(t *testing.T) {
	const k, s, h = 6, 0.8, 1e-4
	row := randomRows(1, k, 2, 9)
	nll := func(s float64, y int) float64 {
		var m [1]Moments
		Rows(m[:], row, k, []float64{s})
		return m[0].NLL(s, row[y])
	}
	var m [1]Moments
	Rows(m[:], row, k, []float64{s})
	for y := range k {
		p := Probs(make([]float64, k), row, s)
		if want := -math.Log(p[y]); !(math.Abs(m[0].NLL(s, row[y])-want) <= 1e-14) {
			t.Errorf("class %d: NLL %g, want %g", y, m[0].NLL(s, row[y]), want)
		}
		up, mid, down := nll(s+h, y), nll(s, y), nll(s-h, y)
		if got, want := m[0].Slope(row[y]), (up-down)/(2*h); !(math.Abs(got-want) <= 1e-6) {
			t.Errorf("class %d: slope %g, want %g", y, got, want)
		}
		if got, want := m[0].Variance(), (up-2*mid+down)/(h*h); !(math.Abs(got-want) <= 1e-5) {
			t.Errorf("class %d: variance %g, want %g", y, got, want)
		}
	}
}

func TestProbsAreTheSoftmax(t *testing.T) {
	for _, k := range []int{1, 2, 10, 300} {
		for _, spread := range []float64{0.1, 3, 30} {
			row := randomRows(1, k, spread, 10)
			for _, scale := range []float64{1e-3, 0.7, 2} {
				p := Probs(make([]float64, k), row, scale)
				var m [1]Moments
				Rows(m[:], row, k, []float64{scale})
				if p[m[0].Top] != m[0].Conf() {
					t.Errorf("confidence %v, by the moments %v", p[m[0].Top], m[0].Conf())
				}
				var sum, s0 float64
				for _, l := range row {
					s0 += math.Exp(scale * (float64(l) - float64(m[0].Max)))
				}
				for j, l := range row {
					want := math.Exp(scale*(float64(l)-float64(m[0].Max))) / s0
					if !(math.Abs(p[j]-want) <= 1e-13*want) {
						t.Errorf("k=%d class %d: %g, want %g", k, j, p[j], want)
					}
					sum += p[j]
				}
				if !(math.Abs(sum-1) <= 1e-14) {
					t.Errorf("k=%d: probabilities sum to 1 + %g", k, sum-1)
				}
			}
		}
	}
}

// TestProbsKeepTop1: differences too small for a float64 probability do not
// hide the predicted class.
func TestProbsKeepTop1(t *testing.T) {
	up := math.Nextafter32(1, 2)
	for _, row := range [][]float32{
		{0, 1e-30}, {1e-30, 0}, {1, 1, up}, {up, 1, 1}, {1, up, up, 1}, {0, 0, 0}, {-1e-38, 0, -1e-38},
	} {
		for _, scale := range []float64{1e-3, 1, 1e3, 1e-12} {
			p := Probs(make([]float64, len(row)), row, scale)
			want := slices.Index(row, slices.Max(row))
			if got := slices.Index(p, slices.Max(p)); got != want {
				t.Errorf("%v at %g: class %d, want %d", row, scale, got, want)
			}
			for j := range row {
				if row[j] == row[want] && p[j] != p[want] {
					t.Errorf("%v: equal logits, probabilities %v", row, p)
				}
			}
		}
	}
}

func TestTailsAreExactAndIgnoreTheOrderOfClasses(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 12))
	for _, k := range []int{2, 3, 10, 300, 1000} {
		for _, spread := range []float64{0.01, 2, 20, 200} {
			row := randomRows(1, k, spread, 13)
			if k > 2 { // a tie at the top and one below
				row[1] = slices.Max(row)
				row[2] = row[0]
			}
			var want [1]float64
			Tails(want[:], row, k)
			exact, _, _ := reference(row, 1)
			if e := relative(want[0], exact); e > 1e-12 {
				t.Errorf("k=%d spread=%g: tail %g, want %g", k, spread, want[0], exact)
			}
			for range 50 {
				rng.Shuffle(k, func(i, j int) { row[i], row[j] = row[j], row[i] })
				var got [1]float64
				if Tails(got[:], row, k); got != want {
					t.Fatalf("k=%d spread=%g: tail %v after a permutation, %v before", k, spread, got, want)
				}
			}
		}
	}
	var one [1]float64
	if Tails(one[:], []float32{4}, 1); one[0] != 0 {
		t.Errorf("one class: tail %g", one[0])
	}
	if Tails(one[:], []float32{0, 3e38, -3e38}, 3); one[0] != 0 {
		t.Errorf("a gap of 3e38: tail %g", one[0])
	}
}

// TestOffsetsChangeNoBit if float32 adds them exactly.
func TestOffsetsChangeNoBit(t *testing.T) {
	const n, k = 20, 10
	l := make([]float32, n*k)
	rng := rand.New(rand.NewPCG(14, 15))
	for i := range l {
		l[i] = float32(rng.IntN(4096)-2048) / 256
	}
	a, b := make([]Moments, n), make([]Moments, n)
	ta, tb := make([]float64, n), make([]float64, n)
	Rows(a, l, k, []float64{0.7})
	Tails(ta, l, k)
	for i := range l {
		l[i] += 1024
	}
	Rows(b, l, k, []float64{0.7})
	Tails(tb, l, k)
	for i := range a {
		b[i].Max -= 1024
		if a[i] != b[i] || ta[i] != tb[i] {
			t.Errorf("row %d: %+v, shifted %+v; tails %v, %v", i, a[i], b[i], ta[i], tb[i])
		}
	}
}

func TestBinIsRightClosed(t *testing.T) {
	for _, c := range []struct {
		conf float64
		m    int
		want int
	}{
		{0, 15, 0}, {1. / 15, 15, 0}, {0.0667, 15, 1}, {14. / 15, 15, 13},
		{1, 15, 14}, {0.25, 2, 0}, {0.5, 2, 0}, {0.55, 2, 1}, {1, 1, 0},
	} {
		if got := Bin(c.conf, c.m); got != c.want {
			t.Errorf("Bin(%v, %d) = %d, want %d", c.conf, c.m, got, c.want)
		}
	}
}

func TestPanicsOnMisuse(t *testing.T) {
	for name, f := range map[string]func(){
		"logits": func() { Rows(make([]Moments, 2), make([]float32, 5), 3, []float64{1}) },
		"scales": func() { Rows(make([]Moments, 2), make([]float32, 6), 3, make([]float64, 3)) },
		"probs":  func() { Probs(make([]float64, 2), make([]float32, 3), 1) },
		"scores": func() { Scores(make([]Score, 5), make([]int32, 2), make([]float32, 6), 3, make([]float64, 5)) },
		"sets":   func() { Scores(make([]Score, 3), make([]int32, 2), make([]float32, 6), 3, make([]float64, 4)) },
		"tails":  func() { Tails(make([]float64, 2), make([]float32, 5), 3) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: lengths disagree and nothing happens", name)
				}
			}()
			f()
		}()
	}
}
