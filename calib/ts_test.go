package calib

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/qats-bench/qats/data"
	"github.com/qats-bench/qats/internal/kernel/softmax"
)

// simulated returns n rows of k logits with standard deviation spread whose
// labels are drawn from softmax(l/t): the best temperature is t but for the
// chance of the draw.
func simulated(n, k int, spread, t float64, seed uint64) *data.Set {
	rng := rand.New(rand.NewPCG(seed, 1))
	set := &data.Set{Logits: data.NewMatrix(n, k), Labels: make([]int32, n)}
	p := make([]float64, k)
	for i := range n {
		row := set.Logits.Row(i)
		for j := range row {
			row[j] = float32(spread * rng.NormFloat64())
		}
		softmax.Probs(p, row, 1/t)
		u := rng.Float64()
		for j := range p {
			set.Labels[i] = int32(j)
			if u -= p[j]; u < 0 {
				break
			}
		}
	}
	return set
}

// fit returns what the named method fits on set.
func fit(t testing.TB, name string, set *data.Set, options map[string]int) *Fitted {
	t.Helper()
	return fitOn(t, name, Input{Cal: set}, options)
}

// fitOn is fit for methods that read more than a calibration set.
func fitOn(t testing.TB, name string, in Input, options map[string]int) *Fitted {
	t.Helper()
	entry, ok := Lookup(name)
	if !ok {
		t.Fatalf("no method %q", name)
	}
	method, err := entry.New(decodeInts(options))
	if err != nil {
		t.Fatal(err)
	}
	f, err := method.Fit(context.Background(), in)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// directNLL is the mean NLL by its definition, at a temperature for each row.
func directNLL(set *data.Set, temperature func(i int) float64) float64 {
	total := 0.0
	for i, y := range set.Labels {
		row, t := set.Logits.Row(i), temperature(i)
		most := float64(row[0])
		for _, l := range row {
			most = max(most, float64(l))
		}
		sum := 0.0
		for _, l := range row {
			sum += math.Exp((float64(l) - most) / t)
		}
		total += math.Log(sum) - (float64(row[y])-most)/t
	}
	return total / float64(len(set.Labels))
}

// bruteTemperature returns the least NLL over a grid of T from 0.01 to 100
// that is refined around its best point until its step is 1e-7 relative.
func bruteTemperature(set *data.Set) (t, nll float64) {
	lo, hi := math.Log(0.01), math.Log(100)
	const points = 30
	for hi-lo > 1e-7 {
		best, at := math.Inf(1), 0
		for i := range points + 1 {
			u := lo + (hi-lo)*float64(i)/points
			if v := directNLL(set, func(int) float64 { return math.Exp(u) }); v < best {
				best, at = v, i
			}
		}
		step := (hi - lo) / points
		mid := lo + step*float64(at)
		lo, hi = mid-step, mid+step
		t, nll = math.Exp(mid), best
	}
	return t, nll
}

func TestTSAgainstBruteForce(t *testing.T) {
	for _, c := range []struct {
		n, k      int
		spread, t float64
	}{{200, 2, 3, 1}, {300, 5, 4, 2.5}, {300, 10, 0.3, 0.3}, {100, 30, 10, 4}, {7, 3, 2, 1}} {
		set := simulated(c.n, c.k, c.spread, c.t, 1)
		f := fit(t, "ts", set, nil)
		got := f.Map.(tsMap).T
		want, nll := bruteTemperature(set)
		// The grid cannot tell temperatures whose NLL is equal in float64.
		if math.Abs(got/want-1) > 1e-6 || f.Report.NLL > nll+1e-14 {
			t.Errorf("%+v: T = %.9g with NLL %.16g, brute force %.9g with %.16g", c, got, f.Report.NLL, want, nll)
		}
		if f.Report.Gradient >= gradTol || len(f.Report.AtBound)+len(f.Report.Warnings) > 0 || f.Report.Passes > 12 {
			t.Errorf("%+v: %+v", c, f.Report)
		}
	}
}
