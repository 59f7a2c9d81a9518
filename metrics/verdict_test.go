package metrics

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/qats-bench/qats/data"
)

// Over all labels that rows of given probabilities can have, the mean of the squared error is
// that of the probabilities themselves: it has no bias.
func TestSquaredErrorHasNoBias(t *testing.T) {
	truth := []float64{.3, .9, .55, .2, .8, .65, .4}
	conf := []float64{.35, .35, .6, .6, .6, .7, .9}
	n := len(conf)
	for _, bins := range []int{1, 2, 3} {
		got := 0.0
		for labels := range 1 << n {
			hit, chance := make([]bool, n), 1.0
			for i := range hit {
				if hit[i] = labels>>i&1 == 1; hit[i] {
					chance *= truth[i]
				} else {
					chance *= 1 - truth[i]
				}
			}
			got += chance * SquaredError(Of(given(conf, hit)), bins)
		}
		want := 0.0
		for _, b := range massRuns(Of(given(conf, make([]bool, n))).sorted, bins) {
			gaps := 0.0
			for i := b.lo; i < b.hi; i++ {
				gaps += truth[i] - conf[i]
			}
			if m := float64(b.hi - b.lo); m > 1 { // pairs of different rows
				for i := b.lo; i < b.hi; i++ {
					want -= (truth[i] - conf[i]) * (truth[i] - conf[i]) / (m - 1)
				}
				want += gaps * gaps / (m - 1)
			}
		}
		near(t, "mean over all labels", got, want/float64(n), 1e-14)
	}
}

// Confidences .2 .4 .6 .8, hits 0 1 1 1, two bins: residuals -.2 .6 and .4 .2.
func TestSquaredErrorDoneByHand(t *testing.T) {
	s := Of(given([]float64{.2, .4, .6, .8}, []bool{false, true, true, true}))
	near(t, "two bins", SquaredError(s, 2), (2*-.2*.6+2*.4*.2)/4, 1e-15)
	near(t, "one bin", SquaredError(s, 1), (1.-(.04+.36+.16+.04))/3/4, 1e-15)
	near(t, "bins of one row", SquaredError(s, 4), 0, 0)
	near(t, "of no rows", SquaredError(&Samples{}, 15), 0, 0)
	q := squaredMassTerms(s, 2)
	for i, want := range []float64{2*.2*-.2 - .04, 2*.2*.6 - .04, 2*.3*.4 - .09, 2*.3*.2 - .09} {
		near(t, "influence", q.influence[i], want, 1e-15)
	}
}

// A boundary inside a block of ties moves to its nearer end, and no order of the rows matters.
func TestBinsOfTheSquaredErrorKeepTiesTogether(t *testing.T) {
	conf := func(counts ...int) (list []sample) {
		for c, n := range counts {
			for range n {
				list = append(list, sample{conf: float64(c) / 10})
			}
		}
		return list
	}
	for _, c := range []struct {
		sorted []sample
		m      int
		want   []run
	}{
		{conf(2, 2), 2, []run{{0, 2}, {2, 4}}},
		{conf(1, 2, 1), 2, []run{{0, 1}, {1, 4}}}, // both ends as near: the lower one
		{conf(1, 4, 3), 2, []run{{0, 5}, {5, 8}}}, // 4 is inside 1..5
		{conf(0, 6), 3, []run{{0, 6}}},            // one block
		{conf(1, 1, 1), 5, []run{{0, 1}, {1, 2}, {2, 3}}},
		{nil, 15, nil},
	} {
		if got := massRuns(c.sorted, c.m); !slices.Equal(got, c.want) {
			t.Errorf("%d rows, %d bins: %v, want %v", len(c.sorted), c.m, got, c.want)
		}
	}
	rng := rand.New(rand.NewPCG(71, 1))
	f := network(rng, 400, 1.3)
	for i := range f.Conf {
		f.Conf[i] = math.Round(20*f.Conf[i]) / 20
	}
	want := SquaredError(Of(f), 15)
	for range 5 {
		near(t, "rows in another order", SquaredError(Of(pick(f, rng.Perm(400))), 15), want, 1e-15)
	}
}

// What a metric changes by without a row is, but for terms of 1/n, the row's influence less
// the mean, divided by n.
func TestInfluenceIsWhatARowChanges(t *testing.T) {
	rng := rand.New(rand.NewPCG(72, 1))
	const n = 600
	f := network(rng, n, 1.4)
	for i := range f.Conf {
		if i%3 == 0 {
			f.Conf[i] = math.Round(10*f.Conf[i]) / 10 // with ties
		}
	}
	lacks := map[string]string{ // what these samples lack
		"phi":              "the scores of the uncalibrated network",
		"decomposition_ts": "the probabilities of all classes",
		"lp_variational":   "the probabilities of all classes",
	}
	judged := 0
	for _, e := range Registry() {
		if e.Influence == nil || e.Positive || lacks[e.Name] != "" {
			continue
		}
		judged++
		rows, err := e.Influence(Of(f), 1)
		if err != nil {
			t.Errorf("%s: %v", e.Name, err)
			continue
		}
		whole, mean := compute(t, e.Name, f), 0.0
		for _, x := range rows[0] {
			mean += x / n
		}
		var got, want []float64
		for i := range n {
			without := make([]int, 0, n)
			for j := range n {
				if j != i {
					without = append(without, j)
				}
			}
			got = append(got, (n-1)*(whole-compute(t, e.Name, pick(f, without))))
			want = append(want, rows[0][i]-mean)
		}
		scale, _ := moments(want)
		worst := 0.0
		for i := range got {
			worst = max(worst, math.Abs(got[i]-want[i])/scale)
		}
		if !(worst < .1) { // terms of 1/n, in units of a standard deviation
			t.Errorf("%s: influence is off by %.3f standard deviations", e.Name, worst)
		}
	}
	if judged < 9 {
		t.Errorf("%d metrics have an influence", judged)
	}
}

// The class-wise quantity by its definition, and its pseudo-values.
func TestClasswiseSquaredErrorFollowsItsDefinition(t *testing.T) {
	rng := rand.New(rand.NewPCG(73, 1))
	const n, k = 200, 3
	p, set := randomProbs(rng, n, k)
	s, err := FromProbs(p, set)
	if err != nil {
		t.Fatal(err)
	}
	definition := func(kept func(i int) bool) float64 {
		sum, rows := 0.0, 0.0
		for j := range k {
			for b := range 15 {
				var residuals []float64
				for i := range n {
					if v := p.Row(i)[j]; kept(i) && max(0, int(math.Ceil(15*v))-1) == b {
						if int(set.Labels[i]) == j {
							v--
						}
						residuals = append(residuals, -v)
					}
				}
				rows += float64(len(residuals))
				for x := range residuals {
					for y := range residuals {
						if x != y {
							sum += residuals[x] * residuals[y] / float64(len(residuals)-1)
						}
					}
				}
			}
		}
		return sum / rows
	}
	classes, err := s.classBins()
	if err != nil {
		t.Fatal(err)
	}
	q := squaredBinsTerms(&classes.Bins)
	near(t, "value", q.value, definition(func(int) bool { return true }), 1e-13)
	// The rows of a group are known by what is without them: the pseudo-values are those of 16
	// parts of the rows.
	mean := 0.0
	for _, v := range q.influence {
		mean += v / float64(len(q.influence))
	}
	near(t, "mean of the pseudo-values", mean, q.value, 3*math.Abs(q.value)+1e-3)
	if _, err := squaredClasswise.termsOf(s, 1); err != nil {
		t.Error(err)
	}
	few, err := FromProbs(p.Slice(0, 29), &data.Set{Labels: set.Labels[:29]})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := squaredClasswise.termsOf(few, 1); err == nil {
		t.Error("29 rows of three classes have a verdict")
	}
}

// With symmetric differences the interval is Student's, and P says which levels exclude 0.
func TestVerdictIsStudentsWithoutSkewness(t *testing.T) {
	var base, other terms
	for i := range 40 {
		base.influence = append(base.influence, float64(i%5))
		other.influence = append(other.influence, float64(i%5)+.1+float64(i/20)*.2) // .1 or .3 more
	}
	base.value, other.value = 2, 2.2
	v, err := verdict(base, other, .95)
	if err != nil {
		t.Fatal(err)
	}
	scale := .1 * math.Sqrt(40./39) / math.Sqrt(40) // standard deviation with 39 over sqrt(40)
	near(t, "difference", v.Difference, .2, 1e-15)
	near(t, "lo", v.Lo, .2-2.0226909*scale, 1e-8) // Student's t, 39 degrees of freedom
	near(t, "hi", v.Hi, .2+2.0226909*scale, 1e-8)
	near(t, "P", v.P, 2*distuv.StudentsT{Mu: 0, Sigma: 1, Nu: 39}.CDF(-.2/scale), 1e-15)
}

// For any rows, an interval excludes 0 at a level if and only if P is below 1 - level.
func TestPIsTheIntervalTurnedAround(t *testing.T) {
	rng := rand.New(rand.NewPCG(74, 1))
	for range 300 {
		n := 2 + rng.IntN(60)
		base, other := terms{influence: make([]float64, n)}, terms{influence: make([]float64, n)}
		shift, power := rng.NormFloat64()/4, 1+2*rng.IntN(2)
		for i := range n {
			other.influence[i] = shift + math.Pow(rng.NormFloat64(), float64(power)) + rng.ExpFloat64()
			other.value += other.influence[i] / float64(n)
		}
		if rng.IntN(4) == 0 {
			for i := range n {
				base.influence[i], other.influence[i] = float64(rng.IntN(2)), float64(rng.IntN(2))
			}
			base.value, other.value = mean(base.influence), mean(other.influence)
		}
		for _, level := range []float64{.5, .8, .95, .99} {
			v, err := verdict(base, other, level)
			if err != nil {
				t.Fatal(err)
			}
			if excludes := v.Lo > 0 || v.Hi < 0; excludes != (v.P < 1-level) {
				t.Errorf("n %d, level %g: interval %g to %g, P %g", n, level, v.Lo, v.Hi, v.P)
			}
			if v.P < 0 || v.P > 1 || v.Lo > v.Hi {
				t.Errorf("%+v", v)
			}
		}
	}
}

func mean(v []float64) float64 {
	sum := 0.0
	for _, x := range v {
		sum += x
	}
	return sum / float64(len(v))
}

// Hall's transformation (1992), its inverse, and the skewness of a known sample: of n values
// of which one is 1 and the others are 0, (n-2)/sqrt(n-1).
func TestHallsTransformationAndItsInverse(t *testing.T) {
	for _, skewness := range []float64{-8, -.5, 0, 1e-12, .3, 5} {
		for _, n := range []float64{5, 500} {
			for _, x := range []float64{-4, -1.96, 0, .7, 2} {
				want := x + skewness/math.Sqrt(n)*(x*x/3+1./6) + skewness*skewness/27/n*x*x*x
				near(t, "hall", hall(x, skewness, n), want, 1e-12*math.Max(1, math.Abs(want)))
				near(t, "inverse", hallInverse(want, skewness, n), x, 1e-7)
			}
		}
	}
	one := make([]float64, 50)
	one[7] = 1
	deviation, skewness := moments(one)
	near(t, "deviation", deviation, math.Sqrt(1./50), 1e-15)
	near(t, "skewness", skewness, 48/math.Sqrt(49)*math.Pow(49./50, 1.5), 1e-12) // with n-1 in the deviation
	small := make([]float64, 50)
	small[7] = 0x1p-400
	if d, g := moments(small); d != deviation*0x1p-400 || g != skewness {
		t.Errorf("numbers whose cubes are 0: %g, %g", d, g)
	}
	if d, g := moments([]float64{.3, .3, .3}); d != 0 || g != 0 {
		t.Errorf("equal numbers: %g, %g", d, g)
	}
	if d, _ := moments([]float64{.3, .3 + 1e-15, .3}); d != 0 {
		t.Errorf("numbers that rounding makes differ: %g", d)
	}
}

// A difference in accuracy with five rows in favour and none against: Bonett and Price's
// interval, by hand. The exact test of McNemar has p = 2/32.
func TestAccuraciesAreComparedByTheRowsThatDiffer(t *testing.T) {
	const n = 100
	base, other := terms{value: .5, influence: make([]float64, n)}, terms{value: .55, influence: make([]float64, n)}
	for i := range 50 {
		base.influence[i], other.influence[i] = 1, 1
	}
	for i := range 5 {
		other.influence[60+i] = 1
	}
	v, err := verdict(base, other, .95)
	if err != nil {
		t.Fatal(err)
	}
	near(t, "difference", v.Difference, .05, 1e-15)
	middle, scale := 5./102, math.Sqrt((7-25./102)/101/102) // seven of 102 differ
	for _, z := range []float64{-1.98, 1.98} {
		if x := middle + z*scale; x < v.Lo || x > v.Hi {
			t.Errorf("%g to %g lacks %g", v.Lo, v.Hi, x)
		}
	}
	if v.P < .05 || v.P > .09 {
		t.Errorf("P %g, near McNemar's .0625", v.P)
	}
	if v.Lo > 0 {
		t.Errorf("from %g on", v.Lo)
	}
	same, err := verdict(base, base, .95)
	if err != nil || !(same.Lo < 0 && same.Hi > 0) || same.P != 1 {
		t.Errorf("equal predictions: %+v, %v", same, err)
	}
}

func TestVerdictsThatCannotBe(t *testing.T) {
	one := terms{influence: []float64{.3}}
	if _, err := verdict(one, one, .95); err != errOneRow {
		t.Errorf("one row: %v", err)
	}
	a, b := terms{value: .2, influence: []float64{.2, .2, .2}}, terms{value: .5, influence: []float64{.5, .5, .5}}
	if _, err := verdict(a, b, .95); err != errNoWidth {
		t.Errorf("a difference that does not vary: %v", err)
	}
	conf, right := make([]float64, 40), make([]bool, 40)
	for i := range conf {
		conf[i], right[i] = .5+float64(i)/100, i >= 9
	}
	bad := make([]float64, 40)
	for i := range bad {
		bad[i] = conf[i] / 2
	}
	few, other := Of(given(conf, right)), Of(given(bad, right))
	pairs, err := Pairs(context.Background(), few, []*Samples{other}, PairOptions{Metrics: []Entry{eceEntry, brierTopEntry, accuracyEntry}})
	if err != nil {
		t.Fatal(err)
	}
	const note = "31 right and 9 wrong predictions: verdicts and intervals take 10 of each"
	for _, p := range pairs {
		switch p.Metric {
		case "ece":
			if p.Verdict != nil || p.Range != nil || p.Note != note {
				t.Errorf("%+v", p)
			}
		case "brier_top":
			if p.Verdict != nil || p.Range != nil || p.Note != note {
				t.Errorf("%+v", p)
			}
		case "accuracy":
			if p.Verdict == nil || p.Note != "" {
				t.Errorf("%+v", p)
			}
		}
	}
	single := Of(given([]float64{.7}, []bool{true}))
	pairs, err = Pairs(context.Background(), single, []*Samples{single}, PairOptions{Metrics: []Entry{eceEntry, accuracyEntry}})
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range pairs {
		if p.Verdict != nil && p.Metric == "ece" || p.Range != nil || p.Note == "" {
			t.Errorf("one row: %+v", p)
		}
	}
	list, err := Intervals(context.Background(), single, PairOptions{Metrics: []Entry{eceEntry}})
	if err != nil || list[0].Err != errOneRow || !math.IsNaN(list[0].Lo) {
		t.Errorf("one row: %+v, %v", list, err)
	}
}

// Verdicts and their notes do not depend on the interval that is asked for.
func TestVerdictsDoNotDependOnTheInterval(t *testing.T) {
	rng := rand.New(rand.NewPCG(75, 1))
	a, b := network(rng, 500, 1.6), network(rng, 500, 1)
	b.Label = a.Label
	var want []Verdict
	for _, kind := range IntervalKinds() {
		pairs, err := Pairs(context.Background(), Of(a), []*Samples{Of(b)}, PairOptions{Resamples: 50, Interval: kind, Metrics: []Entry{eceEntry, aeceEntry, ksEntry, nllEntry}})
		if err != nil {
			t.Fatal(err)
		}
		var got []Verdict
		for _, p := range pairs {
			got = append(got, *p.Verdict)
			switch {
			case p.Metric == "nll" && p.Kind != Normal, p.Metric != "nll" && p.Range != nil && p.Kind != kind:
				t.Errorf("%s: %s has an interval of kind %q", kind, p.Metric, p.Kind)
			case p.Metric == "ks" && kind == Population && (p.Range != nil || p.Note != errNoPopulation.Error()):
				t.Errorf("%+v", p)
			}
		}
		if want == nil {
			want = got
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: %+v, want %+v", kind, got, want)
		}
		if got[0] != got[1] || got[0] != got[2] {
			t.Errorf("ECE, AECE and KS have different verdicts: %+v", got[:3])
		}
	}
}
