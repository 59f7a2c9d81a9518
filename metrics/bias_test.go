package metrics

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/qats-bench/qats/data"
)

// reference61 is a small set without ties: conf_i = .4 + .59 (37 i mod 61)/61,
// hit_i = (i^2 mod 7 < 4), i = 0..60.
func reference61() *Facts {
	conf, hit := make([]float64, 61), make([]bool, 61)
	for i := range conf {
		conf[i], hit[i] = .4+.59*float64(37*i%61)/61, i*i%7 < 4
	}
	return given(conf, hit)
}

// Values of a numpy 1.24 script written from the definitions, not from this
// code: bins are index lists o[floor(j n/m + .5) : floor((j+1) n/m + .5)] of
// argsort(conf); smECE is the mean of |sum of r_i K| over 6,000 midpoints, K the
// Gaussian with its 14 nearest images, bisected 34 times; float32 edges of
// ece_tm as torch.linspace builds them, numpy.searchsorted(side="right").
func TestReferenceValues(t *testing.T) {
	f := reference61()
	near(t, "ece_debiased", value(t, "ece_debiased", f), 0.18551733733966058, 1e-13)
	near(t, "ece_sweep", value(t, "ece_sweep", f), 0.1361461972588014, 1e-13)
	near(t, "ece_tm", value(t, "ece_tm", f), 0.2131308781318977, 1e-13)
	near(t, "smece", value(t, "smece", f), 0.1104180339319573, 1e-7)
	_, l2 := sweep(sortFacts(f))
	near(t, "ece_sweep_l2", l2, 0.13918378426217284, 1e-13)
	s := smoother{points: newResiduals(sortFacts(f))}
	near(t, "smECE at .02", s.error(.02), 0.18849651708952067, 1e-6) // of the midpoints, mostly
	near(t, "smECE at .1", s.error(.1), 0.11357988067220716, 1e-7)
	near(t, "smECE at .5", s.error(.5), 0.03114754098360656, 1e-12)
}

// The example of torchmetrics' documentation of binary calibration error, and
// its edges: left-closed bins, confidence 1 apart.
func TestTorchmetrics(t *testing.T) {
	f := given([]float64{.25, .25, .55, .75, .75}, []bool{false, false, true, true, true})
	near(t, "docstring", eceTM(f, 2), .29, 1e-7)
	// 14/15 as float32 is the edge itself, or next to it: the last bin holds it
	// with .97, where the right-closed one holds it with .9.
	edge := given([]float64{.9, float64(float32(14) / 15), .97}, []bool{true, false, true})
	near(t, "edge", eceTM(edge, 15), (.1+math.Abs(14./15+.97-1))/3, 1e-7)
	// 1 - 1e-9 is 1 in float32: two bins of errors +1 and -.1 do not cancel.
	one := given([]float64{1 - 1e-9, .95, 1}, []bool{false, true, true})
	near(t, "one", eceTM(one, 15), (1+.05)/3, 1e-7)
	near(t, "ours", ECE(WidthBins(one, 15)), .95/3, 1e-7)
}

func TestDebiased(t *testing.T) {
	// (.25)^2 - .75 (.25)/3 = 0; the bin of one row counts in n only.
	near(t, "no more than noise", debiased([]Bin{{N: 4, Conf: .5, Acc: .75}, {N: 1, Conf: .5, Acc: 1}}), 0, 0)
	near(t, "by hand", debiased([]Bin{{N: 6, Conf: .9, Acc: .5}, {N: 2, Conf: .3, Acc: 1}}), math.Sqrt((6*(.16-.05)+2*.49)/8), 1e-15)
	if debiased(nil) != 0 {
		t.Error("no rows")
	}
	// Its square is unbiased: where every bin is off by .1, the mean over test
	// sets of 600 rows is .01, while the plug-in estimate has .005 more. The
	// standard error of the mean of 300 is .0002.
	rng := rand.New(rand.NewPCG(31, 1))
	mean := 0.0
	for range 300 {
		conf, hit := make([]float64, 600), make([]bool, 600)
		for i := range conf {
			conf[i] = .6 + .3*rng.Float64()
			hit[i] = rng.Float64() < conf[i]-.1
		}
		v := value(t, "ece_debiased", given(conf, hit))
		mean += v * v / 300
	}
	near(t, "mean square", mean, .01, .001)
}

// Bins from the definition, one number of bins after the other.
func TestSweepOracle(t *testing.T) {
	rng := rand.New(rand.NewPCG(32, 1))
	for trial := range 200 {
		n := []int{1, 2, 3, 17, 90}[trial%5]
		f := sample(rng, n, []float64{.2, 1, 3}[trial%3])
		if trial%4 == 0 { // accuracy rises, so that many bins are monotone
			for i, c := range f.Conf {
				f.Label[i] = 1
				if c > .8 {
					f.Label[i] = 0
				}
			}
		}
		best := 1
	bins:
		for m := 2; m <= n; m++ {
			b := MassBins(f, m)
			for i := 1; i < m; i++ {
				if b[i].Acc < b[i-1].Acc-1e-12 {
					break bins
				}
			}
			best = m
		}
		want, square := 0.0, 0.0
		for _, b := range MassBins(f, best) {
			want += float64(b.N) * math.Abs(b.Acc-b.Conf) / float64(n)
			square += float64(b.N) * (b.Acc - b.Conf) * (b.Acc - b.Conf) / float64(n)
		}
		l1, l2 := sweep(sortFacts(f))
		near(t, "norm 1", l1, want, 1e-12)
		near(t, "norm 2", l2, math.Sqrt(square), 1e-12)
	}
}

func TestMCE30(t *testing.T) {
	conf, hit := []float64{.01}, []bool{true} // a bin of one row with the largest gap
	for i := range 30 {
		conf, hit = append(conf, .9), append(hit, i < 24)
	}
	near(t, "mce", value(t, "mce", given(conf, hit)), .99, 1e-15)
	near(t, "mce_30", value(t, "mce_30", given(conf, hit)), .1, 1e-15)
	e, _ := Lookup("mce_30")
	if v, err := e.Compute(NewInput(given(conf[:30], hit[:30]), 1)); err == nil {
		t.Errorf("29 rows: %v", v)
	}
}

func TestSmECE(t *testing.T) {
	smece := func(conf []float64, hit []bool) float64 { return value(t, "smece", given(conf, hit)) }
	// Residuals of one sign: nothing cancels at any width.
	near(t, "one row", smece([]float64{.7}, []bool{false}), .7, 1e-9)
	near(t, "one sign", smece([]float64{.2, .5, .9}, []bool{false, false, false}), 1.6/3, 1e-9)
	near(t, "nothing wrong", smece([]float64{1, 1}, []bool{true, true}), 0, 0)
	// Tied rows cancel before they are smoothed.
	near(t, "tied", smece([]float64{.5, .5}, []bool{true, false}), 0, 0)
	// Residuals r and -r at a distance d far from the ends, at a width s:
	// r erf(d / (2 sqrt(2) s)).
	s := smoother{points: residuals{[]float64{.45, .53}, []float64{.3, -.3}}}
	for _, width := range []float64{.005, .02, .05} {
		near(t, "pair", s.error(width), .6*math.Erf(.08/(2*math.Sqrt2*width)), 1e-7)
	}
}

// The cosine sums of the definition.
func TestCosines(t *testing.T) {
	rng := rand.New(rand.NewPCG(33, 1))
	for _, g := range []int{1, 2, 8, 64} {
		v := make([]float64, g+1)
		for i := range v {
			v[i] = rng.NormFloat64()
		}
		for j, got := range cosines(v) {
			want := v[0] + v[g]*math.Cos(math.Pi*float64(j))
			for i := 1; i < g; i++ {
				want += 2 * v[i] * math.Cos(math.Pi*float64(i*j)/float64(g))
			}
			near(t, "sum", got, want, 1e-12)
		}
	}
}

// Class bins from any blocks are those of the definition, and survive the
// store.
func TestClasswise(t *testing.T) {
	rng := rand.New(rand.NewPCG(34, 1))
	const n, k = 300, 4
	set := hardLogits(rng, n, k)
	p, f := data.NewProbs(n, k), NewFacts(n)
	for i := range n {
		sum := 0.0
		for j := range k {
			p.Row(i)[j] = math.Exp(math.Round(4 * rng.NormFloat64()))
			sum += p.Row(i)[j]
		}
		for j := range k {
			p.Row(i)[j] /= sum
		}
	}
	if err := f.Append(p, set); err != nil {
		t.Fatal(err)
	}
	whole, parts := NewClassTally(k), NewClassTally(k)
	whole.Add(p, set.Labels)
	for lo := n; lo > 0; lo -= 20 { // from the end
		parts.Add(p.Slice(lo-20, lo), set.Labels[lo-20:lo])
	}
	f.Class = whole.Bins()
	want := 0.0
	for j := range k {
		var gap [15]float64
		for i := range n {
			b := min(max(int(math.Ceil(15*p.Row(i)[j]))-1, 0), 14)
			gap[b] += p.Row(i)[j]
			if int(set.Labels[i]) == j {
				gap[b]--
			}
		}
		for _, g := range gap {
			want += math.Abs(g) / n
		}
	}
	mean, sum := classwise(f.Class)
	near(t, "sum", sum, want, 1e-13)
	near(t, "mean", mean, want/k, 1e-13)
	if m, _ := classwise(parts.Bins()); m != mean {
		t.Errorf("blocks from the end: %v, want %v", m, mean)
	}

	body, err := f.Encode()
	if err != nil {
		t.Fatal(err)
	}
	again, err := DecodeFacts(body)
	if err != nil {
		t.Fatal(err)
	}
	if m, _ := classwise(again.Class); m != mean {
		t.Errorf("from the store: %v, want %v", m, mean)
	}
	f.Class.Hits[0] += 1
	if body, err = f.Encode(); err == nil {
		_, err = DecodeFacts(body)
	}
	if err == nil {
		t.Error("bins with a hit too many were accepted")
	}
}
