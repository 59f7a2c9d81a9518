package csvfile

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"testing"
)

func TestFormatNumberHasNineDigits(t *testing.T) {
	for _, test := range []struct {
		x    float64
		want string
	}{
		{0, "0"}, {math.Copysign(0, -1), "0"}, {1, "1"}, {0.1 + 0.2, "0.3"}, {1.0 / 3, "0.333333333"},
		{2.0 / 3 * 1e-5, "0.00000666666667"}, {1e-9, "0.000000001"}, {9.99e-10, "9.99e-10"},
		{123456789, "123456789"}, {1234567894, "1234567890"}, {1e14, "100000000000000"}, {1e15, "1e+15"},
		{9.99999999949e-10, "0.000000001"}, {-1e-300, "-1e-300"}, {0.9999999999, "1"},
	} {
		if got := FormatNumber(test.x); got != test.want {
			t.Errorf("FormatNumber(%v) = %s, want %s", test.x, got, test.want)
		}
	}
	// Rounding is to nine digits, and a second rounding changes nothing.
	r := rand.New(rand.NewPCG(1, 2))
	for range 10000 {
		x := math.Ldexp(r.Float64()-0.5, r.IntN(200)-100)
		var back float64
		if _, err := fmt.Sscan(FormatNumber(x), &back); err != nil {
			t.Fatal(err)
		}
		if !(math.Abs(back-x) <= 5.0000001e-9*math.Abs(x)) {
			t.Fatalf("%v became %v", x, back)
		}
		if FormatNumber(back) != FormatNumber(x) || Round(back) != back {
			t.Fatalf("%v: second rounding changes %v", x, back)
		}
	}
}

// The fast way gives the text of the rounded number.
func TestFormatNumberIsTheTextOfTheRoundedNumber(t *testing.T) {
	try := func(x float64) {
		if got, want := FormatNumber(x), formatRounded(Round(x)); got != want {
			t.Fatalf("%v: %s, want %s", x, got, want)
		}
	}
	r := rand.New(rand.NewPCG(1, 2))
	for range 100000 {
		try(math.Float64frombits(r.Uint64()))
		try(r.NormFloat64() * math.Pow(10, float64(r.IntN(40)-20)))
		try(float64(r.IntN(1000)) / 15)
	}
	for exponent := -330; exponent < 310; exponent++ {
		for _, mantissa := range []string{"1", "9.99999999", "9.999999995", "9.9999999949", "1.00000001", "5"} {
			x, _ := strconv.ParseFloat(fmt.Sprintf("%se%d", mantissa, exponent), 64)
			try(x)
			try(-x)
		}
	}
}
