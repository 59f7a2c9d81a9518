package results

import (
	"math"
	"testing"

	"github.com/qats-bench/qats/metrics"
)

// Trainings of a network are one record, at the place of the first, with the mean; other
// records stay as they are.
func TestSeedsAreOneRecord(t *testing.T) {
	at := func(backbone string, v Variant) Setting {
		return Setting{Experiment: "e", Dataset: "d", Backbone: backbone, Loss: "ce", Variant: v}
	}
	ok := func(s Setting, method string, x float64) Record {
		return Record{Setting: s, Method: method, Metric: "ece", Value: x, N: 10, Source: "measured", Status: OK}
	}
	failed := Record{Setting: at("b", Seed(1)), Method: "ir", Metric: "ece", Status: Fail, Note: Because("x")}
	records := []Record{ok(at("a", Variant{}), "ts", 9), ok(at("b", Seed(0)), "ts", .1), ok(at("b", Seed(0)), "ir", .5), ok(at("b", Seed(1)), "ts", .3),
		failed, ok(at("b", Variant{Split: 1}), "ts", 7), ok(at("b", Seed(2)), "ts", .8)}
	got := OverSeeds(records)
	failed.Variant = Variant{}
	want := []Record{records[0], ok(at("b", Variant{}), "ts", .4), failed, records[5]}
	if len(got) != len(want) {
		t.Fatalf("%d records: %+v", len(got), got)
	}
	for i := range want {
		d := got[i].Value - want[i].Value
		got[i].Value = want[i].Value
		if d > 1e-15 || d < -1e-15 || got[i].Setting != want[i].Setting || got[i].Method != want[i].Method || got[i].Status != want[i].Status {
			t.Errorf("record %d is %+v, want %+v", i, got[i], want[i])
		}
	}
	if records[1].Value != .1 || records[1].Variant != Seed(0) {
		t.Error("the records that were given have changed")
	}
	if got := OverSeeds(records[:1]); &got[0] != &records[0] {
		t.Error("records without seeds were copied")
	}
}

// The interval of a mean has the means of the ends, and P belongs to it; without the interval
// or the verdict of one seed there is none.
func TestPairsOfSeedsAreOnePair(t *testing.T) {
	pair := func(seed int, d, lo, hi, p float64) Pair {
		return Pair{Setting: Setting{Experiment: "e", Dataset: "d", Backbone: "b", Loss: "ce", Variant: Seed(seed)}, Method: "qats", Against: "ts", Metric: "ece",
			Difference: d, N: 10, Source: "measured", Interval: metrics.Percentile, Lo: lo, Hi: hi, Verdict: &metrics.Verdict{By: "x", Difference: d, Lo: lo, Hi: hi, P: p}}
	}
	a, b := pair(0, 1, .5, 2, .01), pair(1, 3, 1.5, 4, .03)
	got := PairsOverSeeds([]Pair{a, b})
	if len(got) != 1 || got[0].Variant != (Variant{}) || got[0].Difference != 2 || got[0].Lo != 1 || got[0].Hi != 3 || got[0].Verdict == nil {
		t.Fatalf("%+v", got[0])
	}
	v := *got[0].Verdict // z = 1.96 * 2 / 1; 2 (1 - Phi(3.919928)) = 8.86e-5 (R: 2 * pnorm(-3.919928))
	if p := v.P; math.Abs(p-8.857e-5) > 1e-7 {
		t.Errorf("P = %g", p)
	}
	if v.P = 0; v != (metrics.Verdict{By: "x", Difference: 2, Lo: 1, Hi: 3}) {
		t.Errorf("%+v", v)
	}
	if a.Verdict.Lo != .5 {
		t.Error("the verdict that was given has changed")
	}
	b.Verdict, b.Interval = nil, ""
	if got = PairsOverSeeds([]Pair{a, b}); got[0].Verdict != nil || got[0].Interval != "" {
		t.Errorf("%+v", got[0])
	}
	if got = PairsOverSeeds([]Pair{b, a}); got[0].Verdict != nil {
		t.Errorf("%+v", got[0])
	}
}

// TestPOfSeedsAgreesWithTheirInterval: P is below .05 exactly where the interval of the mean does
// not contain 0, whatever the P of the seeds, also where two seeds show the opposite of each other.
func TestPOfSeedsAgreesWithTheirInterval(t *testing.T) {
	verdict := func(seed int, d, lo, hi, p float64) Pair {
		return Pair{Setting: Setting{Experiment: "e", Dataset: "d", Backbone: "b", Loss: "ce", Variant: Seed(seed)}, Method: "qats", Against: "ts", Metric: "nll",
			Difference: d, N: 10, Source: "measured", Verdict: &metrics.Verdict{By: "nll", Difference: d, Lo: lo, Hi: hi, P: p}}
	}
	for name, c := range map[string]struct {
		pairs []Pair
		want  Outcome
		p     float64 // 0: only on the side of .05 that the outcome says
	}{
		"one seed shows it less":     {[]Pair{verdict(0, -4, -6, -2, .0001), verdict(1, -1, -2.5, .5, .19)}, Win, 0},
		"the opposite of each other": {[]Pair{verdict(0, -4, -6, -2, .0001), verdict(1, 4, 2, 6, .0001)}, Tie, 1},
		"none of them":               {[]Pair{verdict(0, 1, -2, 3, .4), verdict(1, 1, -1, 2, .2)}, Tie, 0},
		"skewed":                     {[]Pair{verdict(0, 2, .5, 9, .04), verdict(1, 2, -.3, 9, .06)}, Loss, 0},
		"a single seed":              {[]Pair{verdict(0, 2, .5, 9, .04)}, Loss, .04},
	} {
		got := PairsOverSeeds(c.pairs)[0]
		if got.Outcome() != c.want || (got.P() < .05) != (c.want != Tie) || c.p > 0 && got.P() != c.p {
			t.Errorf("%s: outcome %d, P = %g, %+v", name, got.Outcome(), got.P(), got.Verdict)
		}
	}
}

// Bins of trainings have the confidence and the accuracy of all their rows, and as many rows as one
// training. By hand: (30 x .9 + 10 x .5) / 40 = .8 and (30 x .6 + 10 x 1) / 40 = .7.
func TestBinsOfSeedsAreOneBin(t *testing.T) {
	bin := func(v Variant, i, n int, conf, acc float64) Bin {
		return Bin{Setting: Setting{Experiment: "e", Dataset: "d", Backbone: "b", Loss: "ce", Variant: v}, Method: "uncal", Binning: "mass15", Bin: i,
			Lo: conf, Hi: conf, N: n, Conf: conf, Acc: acc, Source: "measured"}
	}
	bins := []Bin{bin(Seed(0), 0, 30, .9, .6), bin(Variant{}, 0, 7, .3, .2), bin(Seed(0), 1, 0, 0, 0), bin(Seed(1), 0, 10, .5, 1), bin(Seed(1), 1, 0, 0, 0)}
	want := []Bin{bin(Variant{}, 0, 20, .8, .7), bins[1], bin(Variant{}, 1, 0, 0, 0)}
	want[0].Lo, want[0].Hi = .7, .7
	got := BinsOverSeeds(bins)
	if len(got) != len(want) {
		t.Fatalf("%d bins: %+v", len(got), got)
	}
	for i, w := range want {
		g := got[i]
		for _, pair := range [][2]*float64{{&g.Lo, &w.Lo}, {&g.Hi, &w.Hi}, {&g.Conf, &w.Conf}, {&g.Acc, &w.Acc}} {
			if math.Abs(*pair[0]-*pair[1]) < 1e-15 {
				*pair[0] = *pair[1]
			}
		}
		if g != w {
			t.Errorf("bin %d is %+v, want %+v", i, g, w)
		}
	}
	if bins[0].N != 30 || bins[0].Variant != Seed(0) {
		t.Error("the bins that were given have changed")
	}
	if got := BinsOverSeeds(bins[1:2]); &got[0] != &bins[1] {
		t.Error("bins without seeds were copied")
	}
}

// The standard deviation has n - 1 in its denominator. Trainings of one network alone have one, and redrawn splits do not.
func TestDeviationIsOfTrainings(t *testing.T) {
	of := func(variants []Variant, values ...float64) (list []Record) {
		for i, x := range values {
			s := Setting{Experiment: "e", Dataset: "d", Backbone: "b", Loss: "ce", Variant: variants[i]}
			list = append(list, Record{Setting: s, Method: "ts", Metric: "ece", Value: x, N: 10, Source: "measured", Status: OK})
		}
		return list
	}
	seeds := []Variant{Seed(0), Seed(4), Seed(2)}
	if sd, ok := DeviationOverSeeds(of(seeds, 2, 4, 9)); !ok || math.Abs(sd-math.Sqrt(13)) > 1e-15 { // mean 5: (9 + 1 + 16)/2
		t.Errorf("%v, %v", sd, ok)
	}
	if sd, ok := DeviationOverSeeds(of(seeds, .25, .25)); !ok || sd != 0 {
		t.Errorf("of equal values: %v, %v", sd, ok)
	}
	failed := of(seeds, 1, 2)
	failed[1].Status = Fail
	other := of(seeds, 1, 2)
	other[1].Dataset = "e"
	for what, list := range map[string][]Record{
		"nothing": nil, "one training": of(seeds, 1), "a training without a value": failed, "two networks": other,
		"splits": of([]Variant{{Split: 1}, {Split: 2}}, 1, 2), "sets as they are": of(make([]Variant, 2), 1, 2), "rescaled logits": of([]Variant{{Rescale: 1}, {Rescale: 2}}, 1, 2),
	} {
		if sd, ok := DeviationOverSeeds(list); ok {
			t.Errorf("%s: %v", what, sd)
		}
	}
}
