package neighbours

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/qats-bench/qats/calib/internal/testset"
	"github.com/qats-bench/qats/data"
)

func TestLogGamma(t *testing.T) {
	for x := 1.0; x < 1e5; x *= 1.0173 {
		want, _ := math.Lgamma(x)
		if got := logGamma(x); math.Abs(got-want) > 1e-14*max(1, math.Abs(want)) {
			t.Errorf("log Gamma(%v) = %v, want %v", x, got, want)
		}
	}
	factorial := 0.0
	for n := 1; n < 40; n++ {
		if got := logGamma(float64(n)); math.Abs(got-factorial) > 1e-14*max(1, factorial) {
			t.Errorf("log Gamma(%d) = %v, want %v", n, got, factorial)
		}
		factorial += math.Log(float64(n))
	}
}

func bankOf(set *data.Set, bandwidth float64) kernelBank {
	b := kernelBank{Classes: set.Logits.Cols, Bandwidth: bandwidth, Labels: set.Labels, Logits: slices.Clone(set.Logits.Data)}
	return b.Prepared()
}

// limited returns the probabilities of a row by the definition.
func limited(row []float32) []float64 {
	p, sum := make([]float64, len(row)), 0.0
	for j, l := range row {
		p[j] = math.Exp(float64(l) - float64(slices.Max(row)))
		sum += p[j]
	}
	for j := range p {
		p[j] = min(max(p[j]/sum, 1e-10), 1-1e-10)
	}
	return p
}

func logDensity(alpha, p []float64) float64 {
	log, sum := 0.0, 0.0
	for j, a := range alpha {
		g, _ := math.Lgamma(a)
		log += (a-1)*math.Log(p[j]) - g
		sum += a
	}
	g, _ := math.Lgamma(sum)
	return log + g
}

func TestEstimateIsItsDefinition(t *testing.T) {
	for _, c := range []struct {
		n, k      int
		bandwidth float64
	}{{1, 3, 1}, {7, 1, 1}, {50, 2, 0.2}, {83, 5, 0.03}, {40, 20, 0.8}, {60, 3, 1e-3}, {3, 3, leastBandwidth}} {
		set, test := testset.Drawn(c.n, c.k, 2, 4), testset.Drawn(45, c.k, 2, 5)
		if c.k == 5 {
			copy(test.Logits.Row(0), []float32{300, -300, 0, 0, 0}) // probabilities of 1 and 0
		}
		b := bankOf(set, c.bandwidth)
		if err := b.Check(); err != nil {
			t.Fatal(err)
		}
		got := data.NewProbs(45, c.k)
		b.Estimate(got, test.Logits)
		for i := range got.Rows {
			p, logs := limited(test.Logits.Row(i)), make([]float64, c.n)
			for r := range logs {
				alpha := limited(set.Logits.Row(r))
				for j := range alpha {
					alpha[j] = alpha[j]/c.bandwidth + 1
				}
				logs[r] = logDensity(alpha, p)
			}
			want, sum := make([]float64, c.k), 0.0
			for r, y := range set.Labels {
				v := math.Exp(logs[r] - slices.Max(logs))
				want[y] += v
				sum += v
			}
			for j := range want {
				want[j] /= sum
			}
			if !testset.Near(got.Row(i), want, 1e-9) {
				t.Fatalf("%+v, row %d: %v, want %v", c, i, got.Row(i), want)
			}
		}
	}
}

// With two classes the Dirichlet kernel is the beta kernel, which probmetrics writes with
// log p and log(1-p). The odds of two rows agree.
func TestTwoClassesHaveTheBetaKernel(t *testing.T) {
	const b = 0.05
	set := &data.Set{Logits: data.NewMatrix(2, 2), Labels: []int32{1, 0}}
	copy(set.Logits.Data, []float32{0, 0.25, 0, 1.5}) // log odds of class 1
	test := data.NewMatrix(1, 2)
	copy(test.Data, []float32{0, 0.75})
	lgamma := func(x float64) float64 { v, _ := math.Lgamma(x); return v }
	kernel := func(odds float64) float64 {
		x, p := 1/(1+math.Exp(-odds)), 1/(1+math.Exp(-0.75))
		u, v := x/b+1, (1-x)/b+1
		return (u-1)*math.Log(p) + (v-1)*math.Log(1-p) - (lgamma(u) + lgamma(v) - lgamma(u+v))
	}
	q, bank := data.NewProbs(1, 2), bankOf(set, b)
	bank.Estimate(q, test)
	if got, want := math.Log(q.Row(0)[1]/q.Row(0)[0]), kernel(0.25)-kernel(1.5); math.Abs(got-want) > 1e-12 {
		t.Errorf("log odds %v, want %v", got, want)
	}
}

// A wide kernel returns the class shares, a narrow one the label of the row itself.
func TestBandwidthGoesFromSharesToNeighbours(t *testing.T) {
	set := testset.Drawn(200, 3, 2, 1)
	shares := make([]float64, 3)
	for _, y := range set.Labels {
		shares[y] += 1.0 / 200
	}
	q := data.NewProbs(200, 3)
	wide := bankOf(set, mostBandwidth)
	wide.Estimate(q, set.Logits)
	for i := range q.Rows {
		if !testset.Near(q.Row(i), shares, 0.02) {
			t.Fatalf("row %d: %v, want %v", i, q.Row(i), shares)
		}
	}
	narrow := bankOf(set, leastBandwidth)
	narrow.Estimate(q, set.Logits)
	same := 0
	for i, y := range set.Labels {
		if q.Row(i)[y] > 0.5 {
			same++
		}
	}
	if same < 150 {
		t.Errorf("%d of 200 rows have the label of their nearest row, themselves", same)
	}
}

func TestScottsRule(t *testing.T) {
	for _, c := range []struct {
		n, k int
		want float64
	}{{5000, 2, 0.0331}, {5000, 10, 0.2697}, {5000, 100, 0.8476}, {1, 10, 1}, {32, 1, 0.25}} {
		if got := scott(c.n, c.k); math.Abs(got-c.want) > 5e-5 {
			t.Errorf("%d rows of %d classes: %v, want %v", c.n, c.k, got, c.want)
		}
	}
}

func TestCheckRejectsWhatNoFitReturns(t *testing.T) {
	good := func() kernelBank { return bankOf(testset.Drawn(3, 2, 1, 1), 0.5) }
	if b := good(); b.Check() != nil {
		t.Fatal(b.Check())
	}
	for _, b := range []kernelBank{
		{Classes: 2, Bandwidth: leastBandwidth, Labels: []int32{1}, Logits: []float32{math.MaxFloat32, -math.MaxFloat32}},
		{Classes: 1, Bandwidth: mostBandwidth, Labels: []int32{0}, Logits: []float32{0}},
		{Classes: 50, Bandwidth: 1, Labels: make([]int32, mostBankNumbers/50), Logits: make([]float32, mostBankNumbers)},
	} {
		if err := b.Check(); err != nil {
			t.Errorf("at the ends of the ranges: %v", err)
		}
	}
	if err := (&kernelBank{Classes: 2, Bandwidth: 1, Labels: []int32{2}, Logits: []float32{0, 0}}).Check(); err == nil || !strings.Contains(err.Error(), "from 0 to 1") {
		t.Errorf("label 2 of 2 classes: %v", err)
	}
	for name, damage := range map[string]func(b *kernelBank){
		"no rows":      func(b *kernelBank) { b.Labels, b.Logits = nil, nil },
		"no classes":   func(b *kernelBank) { b.Classes = 0 },
		"many classes": func(b *kernelBank) { b.Classes = math.MaxInt / 2 },
		"a logit less": func(b *kernelBank) { b.Logits = b.Logits[:5] },
		"too many numbers": func(b *kernelBank) {
			*b = kernelBank{Classes: 50, Bandwidth: 1, Labels: make([]int32, mostBankNumbers/50+1), Logits: make([]float32, mostBankNumbers+50)}
		},
		"another class":      func(b *kernelBank) { b.Labels = []int32{0, 1, 2} },
		"a negative label":   func(b *kernelBank) { b.Labels = []int32{0, 1, -1} },
		"a bandwidth of 0":   func(b *kernelBank) { b.Bandwidth = 0 },
		"a bandwidth of NaN": func(b *kernelBank) { b.Bandwidth = math.NaN() },
		"a logit of NaN":     func(b *kernelBank) { b.Logits[2] = float32(math.NaN()) },
		"an infinite logit":  func(b *kernelBank) { b.Logits[2] = float32(math.Inf(-1)) },
	} {
		b := good()
		damage(&b)
		if b.Check() == nil {
			t.Errorf("%s: accepted", name)
		}
	}
}
