package stretch

import (
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"
)

// rat returns a number as a fraction.
func rat(x float64) *big.Rat { return new(big.Rat).SetFloat64(x) }

// near reports whether got is want to a relative error.
func near(got float64, want *big.Rat, tol float64) bool {
	w, _ := want.Float64()
	return math.Abs(got-w) <= tol*math.Abs(w)
}

// drawn returns a stretched probability of any size, and the exact values of p and 1-p.
func drawn(rng *rand.Rand) (x float64, p, rest *big.Rat) {
	small := math.Exp(-60 * rng.Float64())
	one := big.NewRat(1, 1)
	if rng.IntN(2) == 0 {
		p = rat(small / 2)
		return Of(small/2, 1-small/2), p, new(big.Rat).Sub(one, p)
	}
	rest = rat(small / 2)
	return Of(1-small/2, small/2), new(big.Rat).Sub(one, rest), rest
}

// Of, Prob, Rest, Between and Middle have all their digits where p or 1-p is small.
func TestBothEndsKeepTheirDigits(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for range 20000 {
		x, p, rest := drawn(rng)
		if !near(Prob(x), p, 4e-16) || !near(Rest(x), rest, 4e-16) {
			t.Fatalf("%v: p %v and 1-p %v, want %v and %v", x, Prob(x), Rest(x), p.FloatString(30), rest.FloatString(30))
		}
		y, q, notQ := drawn(rng)
		if y < x {
			x, p, rest, y, q, notQ = y, q, notQ, x, p, rest
		}
		half := big.NewRat(1, 2)
		m, r := new(big.Rat).Add(p, q), new(big.Rat).Add(rest, notQ)
		if got := Middle(x, y); !near(Prob(got), m.Mul(m, half), 1e-15) || !near(Rest(got), r.Mul(r, half), 1e-15) {
			t.Fatalf("middle of %v and %v: %v", x, y, got)
		}
		z, s, _ := drawn(rng)
		if !(x < z && z < y) {
			continue
		}
		up, all := new(big.Rat).Sub(s, p), new(big.Rat).Sub(q, p)
		if got, want := Between(z, x, y), up.Quo(up, all); !near(got, want, 1e-14) {
			t.Fatalf("%v between %v and %v: %v, want %v", z, x, y, got, want.FloatString(20))
		}
	}
}

func TestEndsOfTheRange(t *testing.T) {
	for _, c := range []struct{ p, rest, want float64 }{
		{0, 1, 0}, {5e-324, 1, 5e-324}, {.5, .5, .5}, {.75, .25, 1}, {1, 0x1p-990, 0x1p988}, {1, 1e-302, Most}, {1, 0, Most},
	} {
		if got := Of(c.p, c.rest); got != c.want {
			t.Errorf("p = %v with %v beside it: %v, want %v", c.p, c.rest, got, c.want)
		}
	}
	if Prob(0) != 0 || Rest(0) != 1 || Prob(Most) != 1 || !(Rest(Most) < 1e-301) {
		t.Error("0 or 1 is not kept")
	}
	if got := Between(.5, 0, Most); got != .5 {
		t.Errorf("1/2 between 0 and 1: %v", got)
	}
}

// The order of stretched probabilities is that of p, and of 1-p where p rounds.
func TestStretchedProbabilitiesRise(t *testing.T) {
	for x := 1e-300; x < .5; x *= 1.7 {
		if next := x * (1 + 0x1p-50); !(Of(x, 1-x) < Of(next, 1-next)) || !(Of(1-x, next) < Of(1-x, x)) {
			t.Fatalf("not rising at %v", x)
		}
	}
	if below, above := Of(.5, .5), Of(math.Nextafter(.5, 1), math.Nextafter(.5, 0)); !(below < above) {
		t.Errorf("%v at one half, %v above", below, above)
	}
}

// Groups begin anew at their least member, not at a neighbour.
func TestGroupsBeginAtTheirLeastMember(t *testing.T) {
	const s = Logits
	list := []float64{0, 0, .25, s.End(.25), math.Nextafter(s.End(.25), 1), .25 * (1 + 1.5*float64(s)), 3e9, 3e9 * (1 + float64(s)/2), Most, Most}
	var got [][2]int
	for lo, hi := range s.Groups(len(list), func(i int) float64 { return list[i] }) {
		got = append(got, [2]int{lo, hi})
	}
	if want := [][2]int{{0, 2}, {2, 4}, {4, 6}, {6, 8}, {8, 10}}; !slices.Equal(got, want) {
		t.Errorf("groups %v, want %v", got, want)
	}
	for range s.Groups(2, func(i int) float64 { return list[i+5] }) {
		break // a loop may end early
	}
	for range s.Groups(0, nil) {
		t.Error("a group of nothing")
	}
}

// Ties are found on both sides of a number; of two, the lower one.
func TestFindTakesTiesOnBothSides(t *testing.T) {
	const s = Logits
	step := 1 + float64(s)
	rising := []float64{.1, .2, .2 * step * step, 5e8}
	for _, c := range []struct {
		x    float64
		i    int
		tied bool
	}{
		{.05, 0, false}, {.1 / (1 + float64(s)/2), 0, true}, {.1, 0, true}, {s.End(.1), 0, true}, {math.Nextafter(s.End(.1), 1), 1, false},
		{.2 * step, 1, true}, {.2 * step * step, 2, true}, {.3, 3, false}, {5e8 * (1 - float64(s)/2), 3, true}, {5e8 * (1 - 2*float64(s)), 3, false}, {6e8, 4, false},
	} {
		upTo := 0
		for upTo < len(rising) && rising[upTo] <= c.x {
			upTo++
		}
		if i, tied := s.Find(rising, upTo, c.x); i != c.i || tied != c.tied {
			t.Errorf("%v: place %d, tied %v, want %d, %v", c.x, i, tied, c.i, c.tied)
		}
	}
	if i, tied := s.Find(nil, 0, .5); i != 0 || tied {
		t.Errorf("in nothing: %d, %v", i, tied)
	}
	if i, tied := Share(0).Find([]float64{-1, 2}, 1, -1); i != 0 || !tied {
		t.Errorf("equal numbers without a share: %d, %v", i, tied)
	}
}

// Sums of a thousand probabilities in two orders are tied, real differences are not.
func TestSharesTellRoundingFromDifferences(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 2))
	p := make([]float64, 1000)
	for range 500 {
		for j := range p {
			p[j] = rng.ExpFloat64() * math.Exp(-20*rng.Float64())
		}
		total := func() (sum float64) {
			for _, v := range p {
				sum += v
			}
			return sum
		}
		a := total()
		rng.Shuffle(len(p), func(i, j int) { p[i], p[j] = p[j], p[i] })
		if b := total(); max(a, b) > Sums.End(min(a, b)) {
			t.Fatalf("sums %v and %v are not tied", a, b)
		}
	}
	gap := func(g float64) float64 { return Of(1/(1+math.Exp(-g)), math.Exp(-g)/(1+math.Exp(-g))) }
	for _, c := range []struct{ a, b float64 }{{15.5, 36}, {36, 36.001}, {40, 60}, {600, 660}} {
		if gap(c.b) <= Logits.End(gap(c.a)) || gap(-c.a) <= Logits.End(gap(-c.b)) {
			t.Errorf("two logits %v and %v apart are tied", c.a, c.b)
		}
	}
	if x := gap(20 + 1e-7); x > Logits.End(gap(20)) || x <= Sums.End(gap(20)) {
		t.Error("rounding of logits: want a tie of logits that is no tie of sums")
	}
}
