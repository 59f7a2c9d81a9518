package trial

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/qats-bench/qats/calib"
	"github.com/qats-bench/qats/data"
	"github.com/qats-bench/qats/experiments/shares"
	"github.com/qats-bench/qats/metrics"
	"github.com/qats-bench/qats/metrics/scoring"
)

// beganOf makes a trial of recommended methods and returns it.
func beganOf(t *testing.T, cal *data.Set) *Trial {
	t.Helper()
	return runOf(t, inputOf(t, cal, nil), ByNLL, "svs", "platt-logits", "qats")
}

// Of several classes whose shares are right the choice begins with no calibration exactly where T is below 1 and ln T less
// than 1.64 standard errors below 0; else with temperature scaling.
func TestANetworkIsNotMadeSharperWithoutProof(t *testing.T) {
	kept, off := 0, 0
	for seed := range uint64(40) {
		cal := drawn(100+seed, 150, 4, .7+.01*float64(seed))
		got := beganOf(t, cal)
		m := got.Of(Reference).Fitted.Map.(calib.Temperature)
		se, err := m.LogError(context.Background(), cal)
		if err != nil {
			t.Fatal(err)
		}
		z, want := math.Log(m.T)/se, Begin{Method: Reference, Why: ByTemperature}
		tally, err := shares.Tally(m, cal)
		if err != nil {
			t.Fatal(err)
		}
		switch {
		case shares.Of(tally).P < .05:
			want = Begin{Method: Offsets, Why: ByShares}
			off++
		case -1.64 < z && z < 0:
			want = Begin{Method: Plain, Why: NotSharper}
			kept++
		}
		if b := got.Begin; b.Method != want.Method || b.Why != want.Why || b.Z != z || b.T != m.T {
			t.Errorf("T %.3f, z %.2f: begins with %s by %s (T %v, z %v), want %s", m.T, z, b.Method, b.Why, b.T, b.Z, want.Method)
		}
		if got.Reason == ByDefault && got.Chosen().Method.Name != want.Method {
			t.Errorf("z %.2f: chosen %s", z, got.Chosen().Method.Name)
		}
	}
	if kept < 5 || kept > 35 || off > 8 { // 2 on average are off by chance, if each of 40 tests misses 5 %
		t.Errorf("of 40 sets %d keep the network and %d have other shares: the test shows little", kept, off)
	}
}

// Probabilities of several classes begin with temperature scaling, whatever T is.
func TestProbabilitiesOfSeveralClassesBeginWithATemperature(t *testing.T) {
	kept := 0
	for seed := range uint64(20) {
		in := inputOf(t, drawn(100+seed, 150, 4, .9), nil)
		logits, err := in.begin(context.Background(), nil)
		if err != nil {
			t.Fatal(err)
		}
		if in.Cal.Form.OffsetLost = true; logits.Why == NotSharper {
			kept++
		}
		if b, err := in.begin(context.Background(), nil); err != nil || b.Method != Reference || b.Why != ByTemperature || b.Z != logits.Z {
			t.Errorf("begins with %+v (%v)", b, err)
		}
	}
	if kept == 0 {
		t.Error("no set of logits begins with no calibration: the test shows nothing")
	}
}

// Rows that would decide are those at which the power of the one-sided test is 80 %: at T as estimated, ln T then is
// c + .84 standard errors below 0.
func TestRowsThatWouldDecide(t *testing.T) {
	for _, c := range []struct {
		z, want float64
		more    bool
	}{{-1.64, 200 * (2.48 / 1.64) * (2.48 / 1.64), false}, {-1, 200 * 2.48 * 2.48, false}, {-.5, 4000, true}, {-1e-9, 4000, true}} {
		b := Begin{Why: NotSharper, Z: c.z}
		if rows, more := b.Rows(200); math.Abs(rows-c.want) > 1e-6 || more != c.more {
			t.Errorf("z %v: %v rows, %v, want %v, %v", c.z, rows, more, c.want, c.more)
		}
	}
	b := Begin{Why: ByTemperature, Z: 3}
	if rows, more := b.Rows(200); rows != 0 || more {
		t.Errorf("a temperature of more than 1: %v rows", rows)
	}
}

// shifted returns rows of two classes whose log odds are odds too high by an offset.
func shifted(seed uint64, n int, offset float64) *data.Set {
	rng := rand.New(rand.NewPCG(seed, 9))
	set := &data.Set{Logits: data.NewMatrix(n, 2), Labels: make([]int32, n)}
	for i := range n {
		odds := 2 * rng.NormFloat64()
		set.Logits.Row(i)[1] = float32(odds + offset)
		if rng.Float64() < 1/(1+math.Exp(-odds)) {
			set.Labels[i] = 1
		}
	}
	return set
}

// Of two classes the choice begins with an offset where the mean probability is not the share of the
// rows, and the offset mends it; where it is, with a temperature.
func TestTwoClassesWithAnotherShareBeginWithAnOffset(t *testing.T) {
	got := beganOf(t, shifted(1, 1000, 2))
	if b := got.Begin; b.Method != Offset || b.Why != ByShares || len(b.Shares.Off) != 1 || b.Shares.Off[0].Expected-b.Shares.Off[0].Observed < .1 || b.Shares.Off[0].P > 1e-6 {
		t.Errorf("begins with %+v", b)
	}
	if got.Of(Offset).NLL > got.Of(Reference).NLL-.05 {
		t.Errorf("NLL %v of the offset, %v of the temperature", got.Of(Offset).NLL, got.Of(Reference).NLL)
	}
	missed := 0
	for seed := range uint64(200) {
		b, err := inputOf(t, shifted(10+seed, 300, 0), nil).begin(context.Background(), nil)
		if err != nil {
			t.Fatal(err)
		}
		if b.Why == ByShares {
			missed++
		}
	}
	if missed < 1 || missed > 22 { // 10 on average if each of 200 tests misses 5 %; half a row of the count makes it fewer
		t.Errorf("%d of 200 sets with the right shares fail the test", missed)
	}
	if b := beganOf(t, shifted(3, 1000, 0)).Begin; b.Why == ByShares || b.Shares.Tested != 1 {
		t.Errorf("the right shares: begins with %+v", b)
	}
}

// Of several classes the choice begins with offsets of all classes where a mean probability is not the share, unless only
// probabilities are known.
func TestSeveralClassesWithAnotherShareBeginWithOffsets(t *testing.T) {
	cal := drawn(21, 1500, 4, 1.5)
	for i := range cal.Labels {
		cal.Logits.Row(i)[2] += 2
	}
	got := beganOf(t, cal)
	if b := got.Begin; b.Method != Offsets || b.Why != ByShares || b.Shares.Tested != 4 || b.Shares.Off[0].Classes[0] != 2 || b.Shares.Off[0].Expected-b.Shares.Off[0].Observed < .1 {
		t.Errorf("begins with %+v", b)
	}
	if got.Of(Offsets).NLL > got.Of(Reference).NLL-.05 {
		t.Errorf("NLL %v of the offsets, %v of the temperature", got.Of(Offsets).NLL, got.Of(Reference).NLL)
	}
	in := inputOf(t, cal, nil)
	in.Cal.Form.OffsetLost = true
	if b, err := in.begin(context.Background(), nil); err != nil || b.Method != Reference || b.Why != ByTemperature || b.Shares.Tested != 0 {
		t.Errorf("probabilities begin with %+v (%v)", b, err)
	}
}

// votes returns the probabilities of a forest: shares of a few trees, some of which are 0.
func votes(seed uint64, n, k, trees int) *data.Set {
	rng := rand.New(rand.NewPCG(seed, 3))
	set := &data.Set{Logits: data.NewMatrix(n, k), Labels: make([]int32, n)}
	for i := range n {
		y := rng.IntN(k)
		counts := make([]float64, k)
		for range trees {
			at := y
			if rng.Float64() < .4 {
				at = rng.IntN(k)
			}
			counts[at] += 1 / float64(trees)
		}
		if set.Labels[i] = int32(y); rng.Float64() < .1 {
			set.Labels[i] = int32(rng.IntN(k))
		}
		if _, err := data.FromProbs(set.Logits.Row(i), counts); err != nil {
			panic(err)
		}
	}
	return set
}

// Where probabilities are exactly 0 the choice begins with a sigmoid of each, though the trial does
// not name the method; a few zeros of a softmax do not count.
func TestProbabilitiesOfZeroBeginWithASigmoid(t *testing.T) {
	for _, k := range []int{2, 4} {
		got := beganOf(t, votes(5, 600, k, 7))
		if b := got.Begin; b.Method != Sigmoid || b.Why != ByZeros || b.Zeros < 100 {
			t.Errorf("%d classes: begins with %+v", k, b)
		}
		if got.Of(Sigmoid) == nil || got.Of(Sigmoid).NLL > got.Of(Reference).NLL {
			t.Errorf("%d classes: %+v, against %+v", k, got.Of(Sigmoid), got.Of(Reference).NLL)
		}
	}
	few := drawn(6, 600, 4, 2)
	few.Logits.Row(0)[(few.Labels[0]+1)%4] = float32(math.Log(data.ZeroProb))
	if b := beganOf(t, few).Begin; b.Zeros != 1 || b.Why == ByZeros {
		t.Errorf("one zero: begins with %+v", b)
	}
}

// Of probabilities of several classes without many zeros the choice is by the NLL of (1 - e)p + e/k, so that a few rows with tiny
// probabilities do not hide a gain, and quadratic is no candidate. Of logits neither holds.
func TestProbabilitiesOfSeveralClassesChooseByTheFlooredNLL(t *testing.T) {
	const n, k = 300, 4
	cal := drawn(5, n, k, 1.6)
	rng := rand.New(rand.NewPCG(3, 3))
	for i := range n { // class 0 gets too little on every row; a temperature cannot mend that
		cal.Logits.Row(i)[0]--
	}
	for range 3 { // labels that the model holds to be impossible
		i := rng.IntN(n)
		cal.Labels[i] = 2
		cal.Logits.Row(i)[1] += 60
	}
	probs := func(set *data.Set) *Input {
		in := inputOf(t, set, nil)
		in.Cal.Form.OffsetLost = true
		return in
	}
	got := runOf(t, probs(cal), ByNLL, "svs", "quadratic")
	if got.Of("quadratic").Excluded != Probabilities {
		t.Errorf("quadratic: %q", got.Of("quadratic").Excluded)
	}
	plain := got.Of(Plain)
	if v, err := metrics.NLL(plain.chooses); err != nil || !(v < got.Of(Plain).Choice) || v > math.Log(k*(n+2)) {
		t.Errorf("floored NLL %v (%v), NLL %v", v, err, plain.Choice)
	}
	low := floored(&scoring.SampleScores{NLL: []float64{0, math.Ln2, 1000}}, k).NLL // n = 3, so e = 1/5
	for i, want := range []float64{.85, .45, .05} {
		if math.Abs(low[i]+math.Log(want)) > 1e-12 {
			t.Errorf("row %d: %v, want -ln %v", i, low[i], want)
		}
	}
	if got.Chosen().Method.Name != "svs" {
		t.Errorf("chosen %s", got.Chosen().Method.Name)
	}
	logits := runOf(t, inputOf(t, cal, nil), ByNLL, "svs", "quadratic")
	if r := logits.Of("quadratic"); r.Excluded == Probabilities || r.chooses != r.cross {
		t.Errorf("of logits quadratic: %q", r.Excluded)
	}
}
