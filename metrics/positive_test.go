package metrics

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/qats-bench/qats/data"
	"github.com/qats-bench/qats/metrics/scoring"
)

// twoClasses returns samples of these probabilities of class 1 and labels.
func twoClasses(t testing.TB, p []float64, labels []int32) *Samples {
	t.Helper()
	probs := data.NewProbs(len(p), 2)
	for i, x := range p {
		probs.Row(i)[0], probs.Row(i)[1] = 1-x, x
	}
	s, err := FromProbs(probs, &data.Set{Labels: labels})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// drawnTwo draws rows of two classes: log odds around mean, wrong by shift and by slope.
func drawnTwo(rng *rand.Rand, n int, mean, shift, slope float64) (p []float64, labels []int32) {
	p, labels = make([]float64, n), make([]int32, n)
	for i := range p {
		z := mean + 2*rng.NormFloat64()
		p[i] = 1 / (1 + math.Exp(-z))
		if rng.Float64() < 1/(1+math.Exp(-shift-slope*z)) {
			labels[i] = 1
		}
	}
	return p, labels
}

var ofTwo = []string{"ece_positive", "oe", "slope", "intercept"}

func valueOf(t testing.TB, name string, s *Samples) float64 {
	t.Helper()
	v, err := Value(name, s)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func TestEntriesOfTwoClassesAreThese(t *testing.T) {
	var names []string
	for _, e := range Registry() {
		if e.Positive {
			names = append(names, e.Name)
			if !e.OnRequest || !e.Vector {
				t.Errorf("%s: %+v", e.Name, e)
			}
		}
	}
	if !slices.Equal(names, ofTwo) {
		t.Error(names)
	}
}

// P(1) .2 .6 .8 .9, labels 0 0 1 1.
func TestTwoClassesOfFourRowsDoneByHand(t *testing.T) {
	s := twoClasses(t, []float64{.2, .6, .8, .9}, []int32{0, 0, 1, 1})
	near(t, "ece_positive", valueOf(t, "ece_positive", s), (.2+.6+.2+.1)/4, 1e-15)
	near(t, "oe", valueOf(t, "oe", s), 2/2.5, 1e-15)
}

// Values of statsmodels 0.15.0 and numpy 2.4.6:
//
//	i = np.arange(60); z = (i - 40) / 10; y = ((37 * i) % 60 < 12 + i // 2) * 1; p = 1 / (1 + np.exp(-z)); z = np.log(p) - np.log1p(-p)
//	both = sm.GLM(y, sm.add_constant(z), family=sm.families.Binomial()).fit(tol=1e-15, cov_type="HC0")
//	large = sm.GLM(y, np.ones(60), family=sm.families.Binomial(), offset=z).fit(tol=1e-15, cov_type="HC0")
//	both.params[1], both.bse[1], large.params[0], large.bse[0], y.sum() / p.sum()
//	b = np.ceil(15 * p).astype(int) - 1; sum(abs(p[b == k].sum() - y[b == k].sum()) for k in range(15)) / 60
func TestTwoClassesAgreeWithStatsmodels(t *testing.T) {
	const n = 60
	p, labels := make([]float64, n), make([]int32, n)
	for i := range p {
		p[i] = 1 / (1 + math.Exp(-float64(i-40)/10))
		if 37*i%n < 12+i/2 {
			labels[i] = 1
		}
	}
	s := twoClasses(t, p, labels)
	near(t, "slope", valueOf(t, "slope", s), 0.281134502328, 1e-9)
	near(t, "intercept", valueOf(t, "intercept", s), 0.606783418827, 1e-9)
	near(t, "oe", valueOf(t, "oe", s), 1.258646957697963, 1e-14)
	near(t, "ece_positive", valueOf(t, "ece_positive", s), 13.863398130669456/n, 1e-14)
	for name, want := range map[string]float64{"slope": 0.158713771965, "intercept": 0.449068905930} {
		e, _ := Lookup(name)
		rows, err := e.Influence(s, 1)
		if err != nil {
			t.Fatal(err)
		}
		squares := 0.0
		for _, x := range rows[0] {
			squares += x * x
		}
		near(t, "standard error of "+name, math.Sqrt(squares)/n, want, 1e-9)
	}
}

// bisect returns the root of a rising function.
func bisect(lo, hi float64, f func(float64) float64) float64 {
	for range 200 {
		if mid := (lo + hi) / 2; f(mid) < 0 {
			lo = mid
		} else {
			hi = mid
		}
	}
	return (lo + hi) / 2
}

// The gradient of the likelihood is 0 in the intercept for each slope, and in the slope along
// these intercepts: two nested bisections find it.
func TestRecalibrationIsTheMaximumOfTheLikelihood(t *testing.T) {
	rng := rand.New(rand.NewPCG(81, 1))
	for range 20 {
		p, labels := drawnTwo(rng, 80+rng.IntN(300), 2*rng.NormFloat64(), rng.NormFloat64(), .3+rng.Float64())
		s := twoClasses(t, p, labels)
		gradient := func(a, b float64) (g0, g1 float64) {
			for i, x := range p {
				z := math.Log(x / (1 - x))
				d := 1/(1+math.Exp(-a-b*z)) - float64(labels[i])
				g0, g1 = g0+d, g1+d*z
			}
			return g0, g1
		}
		intercept := func(b float64) float64 {
			return bisect(-60, 60, func(a float64) float64 { g, _ := gradient(a, b); return g })
		}
		slope := bisect(-20, 20, func(b float64) float64 { _, g := gradient(intercept(b), b); return g })
		near(t, "slope", valueOf(t, "slope", s), slope, 1e-8)
		near(t, "intercept", valueOf(t, "intercept", s), intercept(1), 1e-8)
	}
}

func TestCalibratedRowsHaveTheTargets(t *testing.T) {
	// Each probability stands for a share of its rows, so all are calibrated exactly.
	var p []float64
	var labels []int32
	for _, tenths := range []int{1, 2, 3, 6, 8, 9} {
		for i := range 10 {
			p = append(p, float64(tenths)/10)
			labels = append(labels, int32(b2i(i < tenths)))
		}
	}
	s := twoClasses(t, p, labels)
	for _, name := range ofTwo[1:] {
		e, _ := Lookup(name)
		near(t, name, valueOf(t, name, s), e.Target, 1e-12)
		if e.Better != Target || e.Better.Ranks() {
			t.Errorf("%s ranks methods", name)
		}
	}
	near(t, "ece_positive", valueOf(t, "ece_positive", s), 0, 1e-15)
	// A temperature divides the slope, and a prior shift moves the intercept.
	for i := range p {
		z := math.Log(p[i] / (1 - p[i]))
		p[i] = 1 / (1 + math.Exp(-2.5*z))
	}
	near(t, "slope", valueOf(t, "slope", twoClasses(t, p, labels)), 1/2.5, 1e-12)
	for i := range p {
		z := math.Log(p[i]/(1-p[i])) / 2.5
		p[i] = 1 / (1 + math.Exp(-z-1.5))
	}
	near(t, "intercept", valueOf(t, "intercept", twoClasses(t, p, labels)), -1.5, 1e-12)
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}

// Of the class 0 the log odds have the other sign, and the probabilities are the others.
func TestTheOtherClassCanBeThePositiveOne(t *testing.T) {
	rng := rand.New(rand.NewPCG(82, 1))
	p, labels := drawnTwo(rng, 500, 1, .5, .7)
	s := twoClasses(t, p, labels)
	of, err := s.WithPositive(0)
	if err != nil || of.PositiveClass() != 0 || s.PositiveClass() != 1 {
		t.Fatal(err, of.PositiveClass(), s.PositiveClass())
	}
	other, flipped := make([]float64, len(p)), make([]int32, len(p))
	for i := range p {
		other[i], flipped[i] = 1-p[i], 1-labels[i]
	}
	want := twoClasses(t, other, flipped)
	for _, name := range ofTwo {
		near(t, name, valueOf(t, name, of), valueOf(t, name, want), 1e-12)
	}
	near(t, "slope", valueOf(t, "slope", of), valueOf(t, "slope", s), 1e-12)
	near(t, "intercept", valueOf(t, "intercept", of), -valueOf(t, "intercept", s), 1e-12)
	if _, err := s.WithPositive(2); err == nil {
		t.Error("class 2 of two is positive")
	}
	back, err := of.WithPositive(1)
	if err != nil || valueOf(t, "oe", back) != valueOf(t, "oe", s) {
		t.Error(err)
	}
}

// The ECE of P(1) is that of a top-label method with these confidences, and its bins are too.
func TestOfPositiveHasThePlainBins(t *testing.T) {
	rng := rand.New(rand.NewPCG(83, 1))
	p, labels := drawnTwo(rng, 2000, -1, -1.5, 1)
	p[0], p[1], p[2] = 0, 1, 1./15
	of, err := twoClasses(t, p, labels).OfPositive()
	if err != nil {
		t.Fatal(err)
	}
	var rows, conf, hits [15]float64
	for i, x := range p {
		b := max(0, int(math.Ceil(15*x))-1)
		rows[b]++
		conf[b] += x
		hits[b] += float64(labels[i])
	}
	sum := 0.0
	for b, bin := range WidthBins(of, 15) {
		if float64(bin.N) != rows[b] {
			t.Errorf("bin %d has %d rows, want %g", b, bin.N, rows[b])
		}
		sum += math.Abs(conf[b]-hits[b]) / float64(len(p))
	}
	near(t, "ece_positive", ECEPositive(of, 15), sum, 1e-14)
}

// A model that gives class 1 .2 too much on every row. Predictions of class 1 are as much too sure as
// those of class 0 are too unsure, so the confidence of the prediction is calibrated.
func TestTheTopLabelHidesAShift(t *testing.T) {
	var p []float64
	var labels []int32
	for i := range 10 {
		p, labels = append(p, .3, .7), append(labels, int32(b2i(i < 1)), int32(b2i(i < 5)))
	}
	s := twoClasses(t, p, labels)
	near(t, "ece", ECE(s, 15), 0, 1e-15)
	near(t, "ece_positive", valueOf(t, "ece_positive", s), .2, 1e-15)
	near(t, "oe", valueOf(t, "oe", s), .6, 1e-15)
}

func TestTwoClassesWithoutAValueSayWhy(t *testing.T) {
	k := func(k int) *Samples {
		p := data.NewProbs(2, k)
		for i := range 2 {
			p.Row(i)[0] = 1
		}
		s, err := FromProbs(p, &data.Set{Labels: []int32{0, 0}})
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	top, err := FromConfidences([]float64{.5}, []bool{true})
	if err != nil {
		t.Fatal(err)
	}
	unknown := Of(given([]float64{.6, .7}, []bool{true, false}))
	for _, c := range []struct {
		metric string
		of     *Samples
		want   string
	}{
		{"slope", twoClasses(t, []float64{.1, .2, .7, .8}, []int32{0, 0, 1, 1}), "separates the two classes"},
		{"slope", twoClasses(t, []float64{.1, .2, .7, .8}, []int32{1, 1, 0, 0}), "separates the two classes"},
		{"slope", twoClasses(t, []float64{.1, .2, .2, .8}, []int32{0, 0, 1, 1}), "separates the two classes"}, // a tie at the threshold
		{"slope", twoClasses(t, []float64{.3, .3, .3}, []int32{0, 1, 0}), "all rows have one probability"},
		{"slope", twoClasses(t, []float64{.3, .4}, []int32{1, 1}), "all rows have one label"},
		{"slope", twoClasses(t, []float64{.3, 1, .2}, []int32{1, 1, 0}), "1 of 3 rows have a probability of 0 or 1"},
		{"intercept", twoClasses(t, []float64{.3, 1, data.ZeroProb}, []int32{1, 1, 0}), "2 of 3 rows have a probability of 0 or 1"},
		{"intercept", twoClasses(t, []float64{.3, .4}, []int32{0, 0}), "all rows have one label"},
		{"oe", twoClasses(t, []float64{0, 0}, []int32{0, 1}), "the probability 0 on every row"},
		{"oe", k(3), "of 3 classes none is the positive one"},
		{"ece_positive", k(1), "of 1 classes none is the positive one"},
		{"ece_positive", unknown, "the number of classes is unknown"},
		{"slope", top, ErrNoVector.Error()},
	} {
		v, err := Value(c.metric, c.of)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %g, %v, want %q", c.metric, v, err, c.want)
		}
	}
	// Without a slope there may be an intercept, and without positive rows O/E is 0.
	near(t, "intercept", valueOf(t, "intercept", twoClasses(t, []float64{.5, .5, .5, .5}, []int32{0, 1, 0, 0})), -math.Log(3), 1e-12)
	near(t, "oe", valueOf(t, "oe", twoClasses(t, []float64{.3, .4}, []int32{0, 0})), 0, 0)
	if _, err := k(3).WithPositive(1); err == nil {
		t.Error("a positive class of three")
	}
}

// Confidences near 1 keep the digits of the other probability: these log odds are 40 to 44.
func TestLogOddsNearOneKeepTheirDigits(t *testing.T) {
	const n = 40
	set := &data.Set{Logits: data.NewMatrix(n, 2), Labels: make([]int32, n)}
	for i := range n {
		set.Logits.Row(i)[1] = 40 + float32(i)/8
		set.Labels[i] = int32(b2i(i%3 > 0 || i > 30))
	}
	s, err := FromLogits(set)
	if err != nil {
		t.Fatal(err)
	}
	z, _, err := s.logOdds()
	if err != nil {
		t.Fatal(err)
	}
	for i, x := range z {
		near(t, "log odds", x, 40+float64(i)/8, 1e-12)
	}
	p, labels := make([]float64, n), make([]int32, n)
	for i := range p { // the same slope, of log odds of -2.5 to 2.5
		p[i], labels[i] = 1/(1+math.Exp(-float64(i-20)/8)), set.Labels[i]
	}
	near(t, "slope", valueOf(t, "slope", s), valueOf(t, "slope", twoClasses(t, p, labels)), 1e-9)
}

func TestTwoClassesDoNotDependOnTheOrder(t *testing.T) {
	rng := rand.New(rand.NewPCG(85, 1))
	for range 20 {
		p, labels := drawnTwo(rng, 300, 1, -1, 1.3)
		a := twoClasses(t, p, labels)
		var p2 []float64
		var labels2 []int32
		for _, i := range rng.Perm(300) {
			p2, labels2 = append(p2, p[i]), append(labels2, labels[i])
		}
		b := twoClasses(t, p2, labels2)
		for _, name := range ofTwo {
			if x, y := valueOf(t, name, a), valueOf(t, name, b); x != y {
				t.Errorf("%s: %v, permuted %v", name, x, y)
			}
		}
	}
}

// What a metric changes by without a row is, but for terms of 1/n, the row's influence over n.
func TestInfluenceOnTwoClassesIsWhatARowChanges(t *testing.T) {
	rng := rand.New(rand.NewPCG(86, 1))
	const n = 400
	p, labels := drawnTwo(rng, n, .5, -.7, .8)
	s := twoClasses(t, p, labels)
	for _, name := range ofTwo[1:] {
		e, _ := Lookup(name)
		rows, err := e.Influence(s, 1)
		if err != nil {
			t.Fatal(err)
		}
		whole, mean := valueOf(t, name, s), 0.0
		for _, x := range rows[0] {
			mean += x / n
		}
		near(t, name+": mean influence", mean, 0, 1e-9)
		worst, largest := 0.0, 0.0
		for i := range n {
			without := twoClasses(t, slices.Delete(slices.Clone(p), i, i+1), slices.Delete(slices.Clone(labels), i, i+1))
			worst = max(worst, math.Abs((n-1)*(whole-valueOf(t, name, without))-rows[0][i]))
			largest = max(largest, math.Abs(rows[0][i]))
		}
		if worst > .05*largest {
			t.Errorf("%s: influence is off by %g of %g", name, worst, largest)
		}
	}
}

func TestIntervalsOfTwoClasses(t *testing.T) {
	rng := rand.New(rand.NewPCG(87, 1))
	p, labels := drawnTwo(rng, 1000, 0, -.5, 1)
	var entries []Entry
	for _, name := range ofTwo {
		e, _ := Lookup(name)
		entries = append(entries, e)
	}
	s := twoClasses(t, p, labels)
	list, err := Intervals(t.Context(), s, PairOptions{Metrics: entries})
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range list {
		if e.Err != nil || !(e.Lo < e.Value && e.Value < e.Hi) {
			t.Errorf("%+v", e)
		}
	}
	// Resamples know the classes, and which of them is positive.
	turned, err := s.WithPositive(0)
	if err != nil {
		t.Fatal(err)
	}
	again, err := Intervals(t.Context(), turned, PairOptions{Metrics: entries[:1]})
	if err != nil || again[0].Err != nil {
		t.Fatal(err, again)
	}
	// Nine positive rows are too few, though many predictions are wrong.
	for i := range labels {
		labels[i] = int32(b2i(i < 9))
	}
	few, err := Intervals(t.Context(), twoClasses(t, p, labels), PairOptions{Metrics: entries})
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range few {
		if e.Err == nil || !strings.Contains(e.Err.Error(), "9 rows of the positive class and 991 of the other") {
			t.Errorf("%+v", e)
		}
	}
}

// Certain and far rows must not send Newton's method away.
func TestRecalibrationOfExtremeRows(t *testing.T) {
	rng := rand.New(rand.NewPCG(88, 1))
	for range 200 {
		n := 5 + rng.IntN(40)
		scores := scoring.New(n)
		scores.K = 2
		for range n {
			z := 86 * (2*rng.Float64() - 1)
			if rng.IntN(3) == 0 {
				z = math.Round(z/40) * 40
			}
			e := math.Exp(-math.Abs(z))
			scores.Conf, scores.Rest = append(scores.Conf, 1/(1+e)), append(scores.Rest, e/(1+e))
			scores.Pred = append(scores.Pred, int32(b2i(z > 0)))
			scores.Label = append(scores.Label, int32(rng.IntN(2)))
			scores.NLL, scores.Brier = append(scores.NLL, 1), append(scores.Brier, 1)
		}
		s := Of(scores)
		z, positive, err := s.logOdds()
		if err != nil {
			continue
		}
		if a, err := Intercept(s); err != nil {
			t.Error(err)
		} else if l := logisticAt(z, positive, a, 1, nil); math.Abs(l.g0) > 1e-9*float64(n) {
			t.Errorf("intercept %g: gradient %g", a, l.g0)
		}
		b, err := Slope(s)
		switch r, _ := recalibrate(s); {
		case separable(z, positive):
			if err == nil {
				t.Errorf("slope %g of separable rows", b)
			}
		case err != nil:
			t.Error(err)
		case math.Abs(r.at.g0)+math.Abs(r.at.g1) > 1e-9*float64(n):
			t.Errorf("slope %g: gradient %g, %g", b, r.at.g0, r.at.g1)
		}
	}
}
