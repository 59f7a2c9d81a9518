package softmax

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
)

const prec = 200 // bits of the reference arithmetic

// bigExp returns e^x by halving and the Taylor series.
func bigExp(x float64) *big.Float {
	const halvings = 20
	t := new(big.Float).SetPrec(prec).SetFloat64(x)
	t.SetMantExp(t, -halvings)
	sum := big.NewFloat(1).SetPrec(prec)
	term := big.NewFloat(1).SetPrec(prec)
	for i := 1; i < 40; i++ {
		term.Mul(term, t)
		term.Quo(term, new(big.Float).SetPrec(prec).SetInt64(int64(i)))
		sum.Add(sum, term)
	}
	for range halvings {
		sum.Mul(sum, sum)
	}
	return sum
}

// ulps returns |got - want| in units in the last place of want.
func ulps(got float64, want *big.Float) float64 {
	w, _ := want.Float64()
	diff := new(big.Float).SetPrec(prec).SetFloat64(got)
	diff.Sub(diff, want)
	d, _ := diff.Float64()
	w = math.Abs(w)
	unit := math.Nextafter(w, math.Inf(1)) - w
	return math.Abs(d) / unit
}

func TestTableIsExact(t *testing.T) {
	// head (1+rest) raised to the power 128 is 2^j to the precision of both
	// numbers: 53 + 53 bits, minus 7 for the power.
	for j, e := range pow2 {
		v := new(big.Float).SetPrec(prec).SetFloat64(e.head)
		rest := new(big.Float).SetPrec(prec).SetFloat64(e.rest)
		v.Mul(v, rest.Add(rest, big.NewFloat(1)))
		for range 7 {
			v.Mul(v, v)
		}
		want := new(big.Float).SetMantExp(big.NewFloat(1).SetPrec(prec), j)
		v.Quo(v, want)
		v.Sub(v, big.NewFloat(1))
		if err, _ := v.Float64(); !(math.Abs(err) <= 0x1p-97) {
			t.Errorf("pow2[%d]: relative error of the 128th power %g", j, err)
		}
		if !(math.Abs(e.rest) <= 0x1p-53) {
			t.Errorf("pow2[%d]: head is not the nearest float64", j)
		}
	}
}

func TestExpIsWithinItsError(t *testing.T) {
	n := 20000
	if testing.Short() {
		n = 2000
	}
	rng := rand.New(rand.NewPCG(1, 2))
	worst, at := 0.0, 0.0
	for i := range n {
		x := expLo + (expHi-expLo)*rng.Float64()
		switch i % 4 {
		case 1:
			x = -40 * rng.Float64()
		case 2:
			x = -rng.Float64()
		case 3: // half way between two steps of the table
			x = (math.Floor(4000*(rng.Float64()-.5)) + .5) / perStep
		}
		if u := ulps(Exp(x), bigExp(x)); u > worst {
			worst, at = u, x
		}
	}
	t.Logf("largest error %.4f units at %g", worst, at)
	if worst > 0.52 {
		t.Errorf("error %g units at %g", worst, at)
	}
}

func TestExpEdges(t *testing.T) {
	for _, c := range []struct{ x, want float64 }{
		{0, 1}, {math.Copysign(0, -1), 1}, {5e-324, 1}, {-1e-17, 1},
		{-745.2, 0}, {-1e9, 0}, {math.Inf(-1), 0}, {-math.MaxFloat64, 0},
		{709.79, math.Inf(1)}, {1e300, math.Inf(1)}, {math.Inf(1), math.Inf(1)},
	} {
		if got := Exp(c.x); got != c.want {
			t.Errorf("Exp(%g) = %g, want %g", c.x, got, c.want)
		}
	}
	if !math.IsNaN(Exp(math.NaN())) {
		t.Error("Exp(NaN) is a number")
	}
	for x := -745.0; x < -707.9; x += 0.0371 {
		if u := ulps(Exp(x), bigExp(x)); u > 2 {
			t.Errorf("Exp(%g): error %g units", x, u)
		}
	}
	for x := 708.9; x < 709.7; x += 0.0371 {
		if u := ulps(Exp(x), bigExp(x)); u > 2 {
			t.Errorf("Exp(%g): error %g units", x, u)
		}
	}
}

// bigLog refines a float64 logarithm by two Newton steps.
func bigLog(x *big.Float) *big.Float {
	f, _ := x.Float64()
	y := new(big.Float).SetPrec(prec).SetFloat64(math.Log(f))
	for range 3 {
		yf, _ := y.Float64()
		// log x = yf + log(x e^-yf), the last by its series.
		z := bigExp(-yf)
		z.Mul(z, x)
		z.Sub(z, big.NewFloat(1))
		z2 := new(big.Float).SetPrec(prec).Mul(z, z)
		z3 := new(big.Float).SetPrec(prec).Mul(z2, z)
		z2.Quo(z2, big.NewFloat(2))
		z3.Quo(z3, big.NewFloat(3))
		z.Sub(z, z2)
		z.Add(z, z3)
		y = new(big.Float).SetPrec(prec).SetFloat64(yf)
		y.Add(y, z)
	}
	return y
}

func TestLogIsWithinItsError(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	one := big.NewFloat(1).SetPrec(prec)
	var worst, worst1 float64
	for i := range 3000 {
		x := math.Exp(40 * (rng.Float64() - .5))
		if i%2 == 0 {
			x = 1 + (rng.Float64()-.5)*math.Pow(10, -float64(i%15))
		}
		bx := new(big.Float).SetPrec(prec).SetFloat64(x)
		if x != 1 {
			worst = max(worst, ulps(Log(x), bigLog(bx)))
		}
		if x > 1e-9 { // below this, the starting value of the reference is not exact enough
			worst1 = max(worst1, ulps(Log1p(x), bigLog(new(big.Float).SetPrec(prec).Add(one, bx))))
		}
	}
	t.Logf("largest errors: Log %.3f, Log1p %.3f units", worst, worst1)
	if worst > 1 || worst1 > 1 {
		t.Errorf("errors: Log %g, Log1p %g units", worst, worst1)
	}
	for x := 1e-300; x < 1e-8; x *= 1.37 { // log(1+x) = x - x^2/2 + x^3/3 here
		want := x - x*x/2 + x*x*x/3
		if got := Log1p(x); !(math.Abs(got-want) <= 2.3e-16*want) {
			t.Errorf("Log1p(%g) = %g, want %g", x, got, want)
		}
	}
	for _, c := range []struct{ got, want float64 }{
		{Log(1), 0}, {Log(0), math.Inf(-1)}, {Log(math.Inf(1)), math.Inf(1)},
		{Log(5e-324), -744.4400719213812}, {Log1p(0), 0}, {Log1p(math.Inf(1)), math.Inf(1)},
	} {
		if c.got != c.want {
			t.Errorf("got %v, want %v", c.got, c.want)
		}
	}
	for _, v := range []float64{Log(-1), Log(math.NaN()), Log1p(-1), Log1p(math.NaN())} {
		if !math.IsNaN(v) {
			t.Errorf("got %v, want NaN", v)
		}
	}
}

func BenchmarkExp(b *testing.B) {
	x := make([]float64, 1024)
	rng := rand.New(rand.NewPCG(1, 1))
	for i := range x {
		x[i] = -30 * rng.Float64()
	}
	var sink float64
	b.Run("of=ours", func(b *testing.B) {
		for i := range b.N {
			sink += Exp(x[i&1023])
		}
	})
	b.Run("of=math", func(b *testing.B) {
		for i := range b.N {
			sink += math.Exp(x[i&1023])
		}
	})
	if sink < 0 {
		b.Fatal(sink)
	}
}
