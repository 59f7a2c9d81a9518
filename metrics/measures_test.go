package metrics

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/qats-bench/qats/metrics/scoring"
)

// reference499 is the set of testdata/measures.json, whose recipe states it.
func reference499() *scoring.SampleScores {
	const n = 499
	conf, hit := make([]float64, n), make([]bool, n)
	for i := range conf {
		conf[i] = .505 + .49*(float64(37*i%n)/n)
		hit[i] = float64((7*i*i+3*i)%101)/101 < math.Pow(conf[i], 1.5)
	}
	f := given(conf, hit)
	for i := range f.Pred {
		f.Pred[i] = int32(i % 3)
		f.Label[i] = f.Pred[i]
		if !hit[i] {
			f.Label[i] = (f.Pred[i] + 1) % 3
		}
	}
	return f
}

func TestMeasuresHaveTheValuesOfTheAuthorsCode(t *testing.T) {
	body, err := os.ReadFile(filepath.Join("testdata", "measures.json"))
	if err != nil {
		t.Fatal(err)
	}
	var ref struct {
		Values map[string]float64 `json:"values"`
		Kuiper float64            `json:"kuiper_float32"`
	}
	if err := json.Unmarshal(body, &ref); err != nil {
		t.Fatal(err)
	}
	s := Of(reference499())
	for name, want := range ref.Values {
		e, _, ok := LookupOutput(name)
		if !ok {
			t.Fatalf("no metric %s", name)
		}
		got, err := e.Compute(s, 1)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		near(t, name, got[slices.Index(e.Names(), name)], want, 1e-14)
	}
	near(t, "kuiper of probmetrics", Kuiper(s), ref.Kuiper, 1e-7)
}

// Isotonic regression at i is the largest over a <= i of the smallest over b >= i
// of the mean of a..b (Robertson, Wright and Dykstra 1988).
func TestIsotonicMapIsTheMaximumOfMinima(t *testing.T) {
	rng := rand.New(rand.NewPCG(40, 1))
	for range 30 {
		f := network(rng, 1+rng.IntN(60), 2)
		s := Of(f)
		points := s.points(alike)
		pools, rows := s.isotonic(nil, points, nil, 0)
		if rows != f.Len() {
			t.Fatalf("%d rows of %d", rows, f.Len())
		}
		mean := func(a, b int) float64 {
			hits := 0
			for _, x := range s.sorted[points[a].lo:points[b].hi] {
				if x.correct {
					hits++
				}
			}
			return float64(hits) / float64(points[b].hi-points[a].lo)
		}
		i := 0
		apply(pools, points, func(lo, hi int, got float64) {
			want := 0.
			for a := range i + 1 {
				least := 1.
				for b := i; b < len(points); b++ {
					least = min(least, mean(a, b))
				}
				want = max(want, least)
			}
			near(t, "value", got, want, 1e-15)
			i++
		})
	}
}

// Training samples at .2, .4 and .8: wrong, wrong, correct. Between .4 and .8 the map
// is a line.
func TestIsotonicMapIsInterpolatedAndClipped(t *testing.T) {
	s := Of(given([]float64{.1, .2, .4, .5, .6, .8, .9}, []bool{true, false, false, true, true, true, false}))
	points := s.points(alike)
	pools, rows := s.isotonic(nil, points, []uint8{1, 0, 0, 1, 1, 0, 1}, 1)
	var got []float64
	apply(pools, points, func(_, _ int, v float64) { got = append(got, v) })
	for i, want := range []float64{0, 0, 0, .25, .5, 1, 1} {
		near(t, "value", got[i], want, 1e-15)
	}
	if rows != 3 {
		t.Errorf("%d rows", rows)
	}
}

func TestFoldsAreLargeAndFollowTheOriginOfARow(t *testing.T) {
	f := network(rand.New(rand.NewPCG(41, 1)), 5000, 1)
	s := Of(f)
	var count [folds]int
	for i := range int32(5000) {
		count[s.fold(9, i)]++
	}
	for _, n := range count {
		if n < 850 || n > 1150 { // 1,000 and 5 standard deviations of 28
			t.Errorf("folds of %v rows", count)
		}
	}
	copies := Of(f)
	copies.origin = []int32{7, 7, 7, 12}
	if a := copies.fold(9, 0); a != s.fold(9, 7) || a != copies.fold(9, 2) || copies.fold(9, 3) != s.fold(9, 12) {
		t.Error("a copy is in another fold than its row")
	}
}

func TestPartsSumToTheScore(t *testing.T) {
	rng := rand.New(rand.NewPCG(42, 1))
	for trial := range 40 {
		f := network(rng, 1+rng.IntN(300), 1.5)
		s := Of(f)
		brier, nll, err := Decompose(s, uint64(trial))
		if err != nil {
			t.Fatal(err)
		}
		near(t, "Brier", brier.Calibration+brier.Refinement, TopBrier(s), 1e-14)
		want := 0.
		for i, c := range f.Conf {
			if !f.Correct(i) {
				c = 1 - c
			}
			want -= math.Log(max(c, 1e-300)) / float64(f.Len())
		}
		near(t, "NLL", nll.Calibration+nll.Refinement, want, 1e-12*(1+want))
		c := CORP(s)
		near(t, "CORP", c.Miscalibration-c.Discrimination+c.Uncertainty, TopBrier(s), 1e-14)
		if c.Miscalibration < 0 || c.Discrimination < 0 {
			t.Errorf("%+v has a negative part", c)
		}
	}
}

// All samples have the confidence c: the maps are the accuracies of the other folds,
// and CORP's is the accuracy a, so MCB = (c - a)^2 and DSC = 0.
func TestOneConfidenceHasClosedForms(t *testing.T) {
	const n, c = 400, .7
	conf, hit := make([]float64, n), make([]bool, n)
	for i := range conf {
		conf[i], hit[i] = c, i%2 == 0
	}
	s := Of(given(conf, hit))
	var rows, hits [folds]int
	for i := range n {
		f := s.fold(stream(5, forFolds, 0), int32(i))
		rows[f]++
		if hit[i] {
			hits[f]++
		}
	}
	refinement := 0.
	for f := range folds {
		m := float64(n - rows[f])
		g := (float64(n/2-hits[f]) + .5) / (m + 1)
		refinement += (float64(hits[f])*(1-g)*(1-g) + float64(rows[f]-hits[f])*g*g) / n
	}
	brier, _, _ := Decompose(s, 5)
	near(t, "refinement", brier.Refinement, refinement, 1e-14)
	near(t, "calibration", brier.Calibration, .04+.25-refinement, 1e-14)
	near(t, "MCB", CORP(s).Miscalibration, .04, 1e-14)
	near(t, "DSC", CORP(s).Discrimination, 0, 1e-14)
	over, under := VariationalL1(s, 5)
	near(t, "over", over, .2, 1e-14)
	near(t, "under", under, 0, 0)
	near(t, "Kuiper", Kuiper(s), .2, 1e-14)
	near(t, "RMSCE", RMSCE(s, 15), .2, 1e-14)
	near(t, "ACE", AverageCE(s, 15), .2, 1e-14)
	near(t, "MMCE", MMCE(s, .4), .2, 1e-14)
}

// The error E |c - c^power| is known. The mean of the estimate stays below it, and
// ECE, of the same samples, above it where the model is calibrated.
func TestVariationalL1IsALowerBoundOnAverage(t *testing.T) {
	rng := rand.New(rand.NewPCG(43, 1))
	for _, power := range []float64{1, 2, .6} {
		const trials = 60
		var total, binned, truth, wrong float64
		for trial := range trials {
			f := network(rng, 1500, power)
			over, under := VariationalL1(Of(f), uint64(trial))
			total += (over + under) / trials
			binned += ECE(Of(f), 15) / trials
			for _, c := range f.Conf {
				truth += math.Abs(c-math.Pow(c, power)) / float64(trials*f.Len())
			}
			switch {
			case power > 1:
				wrong += under / trials
			case power < 1:
				wrong += over / trials
			}
		}
		const noise = .003 // three standard errors
		if total > truth+noise || total < truth-.02 {
			t.Errorf("power %g: estimate %.4f, error %.4f", power, total, truth)
		}
		if !(math.Abs(wrong) <= .005) {
			t.Errorf("power %g: %.4f of the error has the wrong direction", power, wrong)
		}
		if power == 1 && binned < truth+4*noise {
			t.Errorf("ECE %.4f of a calibrated model", binned)
		}
	}
}

// A row whose confidence is its expected accuracy counts in neither direction: a row
// alone has no other rows to tell.
func TestVariationalL1OfOneRowIsZero(t *testing.T) {
	for _, correct := range []bool{true, false} {
		over, under := VariationalL1(Of(given([]float64{.7}, []bool{correct})), 1)
		near(t, "over", over, 0, 0)
		near(t, "under", under, 0, 0)
	}
}

func TestKuiperIsTheLargestTotalOverAnInterval(t *testing.T) {
	rng := rand.New(rand.NewPCG(44, 1))
	for range 20 {
		s := Of(network(rng, 1+rng.IntN(80), 1.5))
		points := s.points(alike)
		want := 0.
		for a := range points {
			total := 0.
			for _, p := range points[a:] {
				for _, x := range s.sorted[p.lo:p.hi] {
					total += x.conf - x.hit()
				}
				want = max(want, math.Abs(total)/float64(s.Len()))
			}
		}
		near(t, "Kuiper", Kuiper(s), want, 1e-14)
		if ks := KS(s); ks > Kuiper(s) || Kuiper(s) > 2*ks {
			t.Errorf("Kuiper %g, KS %g", Kuiper(s), ks)
		}
	}
}

// Of a calibrated model the standardised value has the mean of the range of a
// Brownian motion, sqrt(8/pi), for any n. Steps of a walk lower it by O(1/sqrt(n)).
func TestStandardKuiperOfACalibratedModelDoesNotFallWithN(t *testing.T) {
	rng := rand.New(rand.NewPCG(45, 1))
	for _, n := range []int{500, 4000} {
		mean, above, trials := 0., 0, 600
		for range trials {
			conf, hit := make([]float64, n), make([]bool, n)
			for i := range conf {
				conf[i] = rng.Float64()
				hit[i] = rng.Float64() < conf[i]
			}
			z, err := StandardKuiper(Of(given(conf, hit)))
			if err != nil {
				t.Fatal(err)
			}
			mean += z / float64(trials)
			if z > 2.498 {
				above++
			}
		}
		near(t, "mean", mean, math.Sqrt(8/math.Pi), .02+1.5/math.Sqrt(float64(n)))
		near(t, "share above the 95 % quantile", float64(above)/float64(trials), .05, .03)
	}
	if _, err := StandardKuiper(Of(given([]float64{1, 1}, []bool{true, false}))); err == nil {
		t.Error("a variance of 0 has a standardised value")
	}
}

func TestMMCEIsTheSumOverAllPairs(t *testing.T) {
	rng := rand.New(rand.NewPCG(46, 1))
	for _, width := range []float64{.4, 1, .01} {
		f := network(rng, 200, 1.5)
		s, sum := Of(f), 0.
		for _, x := range s.sorted {
			for _, y := range s.sorted {
				sum += (x.conf - x.hit()) * (y.conf - y.hit()) * math.Exp(-math.Abs(x.conf-y.conf)/width)
			}
		}
		near(t, "MMCE", MMCE(s, width), math.Sqrt(sum)/200, 1e-13)
	}
}

func TestTopLabelECEIsTheMeanOverPredictedClasses(t *testing.T) {
	rng := rand.New(rand.NewPCG(47, 1))
	f := network(rng, 900, 1.5)
	for i := range f.Pred {
		old := f.Pred[i]
		f.Pred[i] = int32(4 * rng.IntN(3)) // classes 0, 4 and 8
		f.Label[i] += f.Pred[i] - old
	}
	want := 0.
	for _, class := range []int32{0, 4, 8} {
		var rows []int
		for i, p := range f.Pred {
			if p == class {
				rows = append(rows, i)
			}
		}
		want += ECE(Of(pick(f, rows)), 15) * float64(len(rows)) / 900
	}
	got, err := TopLabelECE(Of(f), 15)
	if err != nil {
		t.Fatal(err)
	}
	near(t, "top-label ECE", got, want, 1e-14)
	if ece := ECE(Of(f), 15); got < ece {
		t.Errorf("top-label ECE %g below ECE %g", got, ece)
	}
	if rmsce := RMSCE(Of(f), 15); rmsce < ECE(Of(f), 15) {
		t.Errorf("RMSCE %g below ECE", rmsce)
	}
}

func TestPHIIsTheGainOverTheUncalibratedNetwork(t *testing.T) {
	f := network(rand.New(rand.NewPCG(48, 1)), 200, 2)
	g := pick(f, rand.New(rand.NewPCG(48, 2)).Perm(200))
	g.Label, g.Pred = f.Label, f.Pred
	uncal := Of(f)
	s, err := Of(g).Against(uncal)
	if err != nil {
		t.Fatal(err)
	}
	g.NLL[3]++
	nll, brier, err := PHI(s)
	if err != nil {
		t.Fatal(err)
	}
	near(t, "NLL", nll, -1./200, 1e-14) // the same numbers in another order, but for one
	near(t, "Brier", brier, 0, 1e-14)
	if _, _, err := PHI(uncal); !errors.Is(err, ErrNoUncal) {
		t.Errorf("without the uncalibrated scores: %v", err)
	}
	top, _ := FromConfidences(f.Conf, make([]bool, 200))
	if _, err := uncal.Against(top); !errors.Is(err, ErrNoVector) {
		t.Errorf("against a top-label method: %v", err)
	}
	if _, err := uncal.Against(Of(pick(f, []int{1, 2}))); err == nil {
		t.Error("against other rows")
	}
}

func TestMeasuresWithoutSamples(t *testing.T) {
	s := &Samples{}
	over, under := VariationalL1(s, 1)
	for name, v := range map[string]float64{"Kuiper": Kuiper(s), "RMSCE": RMSCE(s, 15), "ACE": AverageCE(s, 15), "MMCE": MMCE(s, .4),
		"MCB": CORP(s).Miscalibration, "over": over, "under": under} {
		near(t, name, v, 0, 0)
	}
	_, _, errParts := Decompose(s, 1)
	_, errZ := StandardKuiper(s)
	_, errTop := TopLabelECE(s, 15)
	_, _, errPHI := PHI(s)
	for _, err := range []error{errParts, errZ, errTop, errPHI} {
		if !errors.Is(err, ErrNoSamples) {
			t.Errorf("without samples: %v", err)
		}
	}
}

// Every metric that is bootstrapped, on resamples, is the metric of the expanded sample.
func TestResampledMetricsAreThoseOfTheExpandedSample(t *testing.T) {
	rng := rand.New(rand.NewPCG(49, 1))
	f := network(rng, 300, 1.5)
	uncal := network(rng, 300, 1)
	uncal.Label = f.Label
	f.K = 2
	f.Vectors = scoring.NewVectorScores(300)
	for _, column := range vectorColumns(f.Vectors) {
		for i := range *column {
			(*column)[i] = rng.Float64()
		}
	}
	s, err := Of(f).Against(Of(uncal))
	if err != nil {
		t.Fatal(err)
	}
	entries := PairOptions{Metrics: Registry()}.drawn(300)
	const resamples = 2 * lanes
	values, err := resample(context.Background(), []*resampler{newResampler(s, entries, 3)}, PairOptions{Resamples: resamples, Seed: 3})
	if err != nil {
		t.Fatal(err)
	}
	for r := range resamples + 1 {
		rows := make([]int, 0, 300)
		drawn := make([]times, 300)
		if r > 0 {
			drawLane(drawn, 0, stream(3, forBootstrap, r-1))
		}
		var origin []int32
		for i := range drawn {
			k := int(drawn[i][0])
			if r == 0 {
				k = 1
			}
			for range k {
				rows, origin = append(rows, i), append(origin, int32(i))
			}
		}
		expanded, err := Of(pick(f, rows)).Against(Of(pick(uncal, rows)))
		if err != nil {
			t.Fatal(err)
		}
		expanded.origin = origin
		out := 0
		for _, e := range entries {
			want, err := e.Compute(expanded, 3)
			if err != nil {
				t.Fatal(err)
			}
			for i, w := range want {
				near(t, e.Names()[i], values[0][out][r], w, 1e-12)
				out++
			}
		}
	}
}

// The interval of a mean over rows is that of the normal distribution.
func TestIntervalOfAMeanIsThatOfTheCentralLimit(t *testing.T) {
	f := network(rand.New(rand.NewPCG(50, 1)), 1000, 1.2)
	list, err := Intervals(context.Background(), Of(f), PairOptions{Metrics: []Entry{brierTopEntry, accuracyEntry, smECEEntry}, Seed: 8})
	if err != nil {
		t.Fatal(err)
	}
	accuracy := list[1].Value
	near(t, "accuracy", list[1].Value, Accuracy(Of(f)), 1e-14)
	for _, p := range []float64{list[1].Lo, list[1].Hi} { // Wilson's: the shares from which the accuracy is just 1.96 standard deviations away
		near(t, "distance from an end", math.Abs(accuracy-p)/math.Sqrt(p*(1-p)/1000), 1.959963984540054, 1e-9)
	}
	rows, _ := brierTopEntry.Influence(Of(f), 0)
	deviation, _ := moments(rows[0])
	near(t, "half the width of the interval of a mean", (list[0].Hi-list[0].Lo)/2, 1.96*deviation/math.Sqrt(1000), .1*deviation/math.Sqrt(1000))
	for _, e := range list {
		if e.Err != nil || !(e.Lo < e.Value && e.Value < e.Hi) {
			t.Errorf("%+v", e)
		}
	}
}

func TestIntervalsSayWhyThereIsNone(t *testing.T) {
	n := 40
	conf, hit := make([]float64, n), make([]bool, n)
	for i := range conf {
		conf[i], hit[i] = .5+float64(i)/100, i != 3 // one wrong row, which a third of the resamples lack
	}
	s, err := FromConfidences(conf, hit)
	if err != nil {
		t.Fatal(err)
	}
	list, err := Intervals(context.Background(), s, PairOptions{Metrics: []Entry{nllEntry, aurocEntry, eceEntry}})
	if err != nil {
		t.Fatal(err)
	}
	if !errors.Is(list[0].Err, ErrNoVector) || list[1].Err == nil || list[1].Err.Error() != "39 right and 1 wrong predictions: verdicts and intervals take 10 of each" || list[2].Err == nil {
		t.Errorf("got %+v", list)
	}
	pairs, err := Pairs(context.Background(), s, []*Samples{s}, PairOptions{Metrics: []Entry{nllEntry, aurocEntry, eceEntry}})
	if err != nil || len(pairs) != 2 || pairs[0].Metric != "auroc" || pairs[1].Metric != "ece" {
		t.Errorf("pairs %v, %v", pairs, err)
	}
	for _, p := range pairs {
		if p.Verdict != nil || p.Note != list[1].Err.Error() {
			t.Errorf("%+v", p)
		}
	}
	biased := Of(network(rand.New(rand.NewPCG(51, 1)), 2000, 1))
	list, err = Intervals(context.Background(), biased, PairOptions{Interval: BC, Metrics: []Entry{corpMCBEntry, decompositionEntry}})
	if err != nil || !errors.Is(list[0].Err, errShifted) || list[1].Err != nil {
		t.Errorf("got %+v, %v", list, err)
	}
	if _, err := Intervals(context.Background(), s, PairOptions{Metrics: []Entry{eceBandEntry}}); err == nil {
		t.Error("a consistency band has an interval")
	}
}
