package metrics

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/qats-bench/qats/data"
)

func TestEntriesAreComplete(t *testing.T) {
	names, labels := map[string]bool{}, map[string]bool{}
	p, set := randomProbs(rand.New(rand.NewPCG(11, 1)), 1000, 7)
	set.Logits = data.NewMatrix(1000, 7)
	s, err := FromProbs(p, set)
	if err != nil {
		t.Fatal(err)
	}
	if s, err = s.Against(s); err != nil {
		t.Fatal(err)
	}
	if s, err = s.CrossFit(t.Context(), p, 1); err != nil {
		t.Fatal(err)
	}
	p2, y2 := drawnTwo(rand.New(rand.NewPCG(11, 2)), 1000, 0, 0, 1)
	two := twoClasses(t, p2, y2)
	for _, e := range Registry() {
		if e.Name == "" || e.Summary == "" || e.Version < 1 || len(e.Outputs) == 0 {
			t.Errorf("%+v is incomplete", e)
		}
		of := s
		if e.Positive {
			of = two
		}
		v, err := e.Compute(of, 1)
		if err != nil || len(v) != len(e.Outputs) {
			t.Fatalf("%s: %d values for %d outputs, %v", e.Name, len(v), len(e.Outputs), err)
		}
		for i, o := range e.Outputs {
			if o.Name == "" || o.Label == "" || names[o.Name] || labels[o.Label] {
				t.Errorf("%s: output %+v is incomplete or stands twice", e.Name, o)
			}
			names[o.Name], labels[o.Label] = true, true
			if !(v[i] >= o.Lo && v[i] <= o.Hi) {
				t.Errorf("%s: %g is outside [%g, %g]", o.Name, v[i], o.Lo, o.Hi)
			}
			if entry, output, ok := LookupOutput(o.Name); !ok || entry.Name != e.Name || output != o {
				t.Errorf("LookupOutput(%s) = %+v, %+v, %v", o.Name, entry, output, ok)
			}
		}
		if entry, ok := Lookup(e.Name); !ok || entry.Name != e.Name {
			t.Errorf("Lookup(%s) = %+v, %v", e.Name, entry, ok)
		}
	}
	if _, ok := Lookup("eec"); ok {
		t.Error("found a metric that is not registered")
	}
	if _, _, ok := LookupOutput("eec"); ok {
		t.Error("found an output that is not registered")
	}
}

// results.csv has had these names since its first version, in this order. Names may be added
// among them.
func TestNamesOfOutputsStay(t *testing.T) {
	var names []string
	for _, e := range Registry() {
		names = append(names, e.Names()...)
	}
	want := strings.Fields(`accuracy ece ece_null_lo ece_null_med ece_null_hi aece aece_null_lo aece_null_med aece_null_hi
		nll brier brier_top gap argmax_change auroc aurc mce mce_30 ks ece_debiased ece_sweep ece_sweep_l2 smece ece_tm
		ece_classwise ece_classwise_sum ece_5 ece_10 ece_20 ece_30 ece_50 ece_100 aece_5 aece_10 aece_20 aece_30 aece_50 aece_100
		miou phi_nll phi_brier brier_top_calibration brier_top_refinement nll_top_calibration
		nll_top_refinement nll_calibration nll_refinement brier_calibration brier_refinement corp_mcb corp_dsc
		l1_variational l1_variational_over l1_variational_under l1_vector l2_vector linf_vector l1_vector_ts l2_vector_ts linf_vector_ts kuiper kuiper_z rmsce
		ace_netcal mmce ece_toplabel tace ece_top5 augrc ece_positive oe slope intercept`)
	for _, name := range want {
		place := slices.Index(names, name)
		if place < 0 {
			t.Fatalf("%s is gone, or stands before a name that it followed", name)
		}
		names = names[place+1:]
	}
}

func TestPairedEntriesAreThoseOfPairs(t *testing.T) {
	s := Of(given([]float64{.5, .6}, []bool{true, false}))
	pairs, err := Pairs(context.Background(), s, []*Samples{s}, PairOptions{Resamples: 1})
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range Registry() {
		if has := slices.ContainsFunc(pairs, func(p Pair) bool { return p.Metric == e.Name }); has != e.AlwaysPaired() {
			t.Errorf("%s: AlwaysPaired is %v, but Pairs has it: %v", e.Name, e.AlwaysPaired(), has)
		}
	}
}

// Confidences .9 .8 .8 .6, hits 1 0 1 0.
func TestMetricsOfFourRowsDoneByHand(t *testing.T) {
	f := given([]float64{.9, .8, .8, .6}, []bool{true, false, true, false})
	near(t, "accuracy", compute(t, "accuracy", f), .5, 0)
	near(t, "gap", compute(t, "gap", f), .275, 1e-15)
	near(t, "brier_top", compute(t, "brier_top", f), (.01+.64+.04+.36)/4, 1e-15)
	near(t, "nll", compute(t, "nll", f), -math.Log(.9*.8*.8*.6)/4, 1e-15)
	// Pairs of a hit and a miss: (.9, .8) (.9, .6) (.8, .6) right, (.8, .8) half.
	near(t, "auroc", compute(t, "auroc", f), 3.5/4, 0)
	// Sums up to .6, .8, .9: .6, 1.2, 1.1.
	near(t, "ks", compute(t, "ks", f), 1.2/4, 1e-15)
	// Errors among the top 1 to 4: 0, 1/2 (expected) of 2, 1 of 3, 2 of 4.
	near(t, "aurc", compute(t, "aurc", f), (0+.25+1./3+.5)/4, 1e-15)
	// Errors over n at coverage 0 to 1: 0 0 1/8 1/4 1/2, joined by straight lines.
	near(t, "augrc", compute(t, "augrc", f), (0+1./16+3./16+3./8)/4, 1e-15)
}

func TestRankMetricsFollowTheirDefinitions(t *testing.T) {
	rng := rand.New(rand.NewPCG(12, 1))
	for range 20 {
		f := network(rng, 150, 1)
		wins, pairs := 0.0, 0.0
		for i := range f.Conf {
			for j := range f.Conf {
				if f.Correct(i) && !f.Correct(j) {
					pairs++
					if f.Conf[i] > f.Conf[j] {
						wins++
					} else if f.Conf[i] == f.Conf[j] {
						wins += .5
					}
				}
			}
		}
		near(t, "auroc", compute(t, "auroc", f), wins/pairs, 1e-15)
		// Traub et al. 2024, with ties: the area is that of pairs of a wrong row and another.
		accuracy := compute(t, "accuracy", f)
		near(t, "augrc", compute(t, "augrc", f), (1-accuracy)*(accuracy*(1-wins/pairs)+(1-accuracy)/2), 1e-15)
	}
	// Without ties in confidence, KS and AURC are what their definitions say.
	for range 20 {
		f := network(rng, 150, 1)
		for i := range f.Conf {
			f.Conf[i] = .1 + .9*rng.Float64()
		}
		rows := rng.Perm(150)
		slices.SortFunc(rows, func(a, b int) int {
			if f.Conf[a] < f.Conf[b] {
				return -1
			}
			return 1
		})
		sum, ks := 0.0, 0.0
		for _, i := range rows {
			sum += f.Conf[i]
			if f.Correct(i) {
				sum--
			}
			ks = max(ks, math.Abs(sum)/150)
		}
		near(t, "ks", compute(t, "ks", f), ks, 1e-13)
		wrong, aurc := 0.0, 0.0
		for top := 1; top <= 150; top++ {
			if !f.Correct(rows[150-top]) {
				wrong++
			}
			aurc += wrong / float64(top) / 150
		}
		near(t, "aurc", compute(t, "aurc", f), aurc, 1e-13)
	}
}

func TestAUROCIsUndefinedWithoutBothOutcomes(t *testing.T) {
	auroc, _ := Lookup("auroc")
	for _, hit := range []bool{true, false} {
		v, err := auroc.Compute(Of(given([]float64{.5, .6}, []bool{hit, hit})), 1)
		if err == nil {
			t.Errorf("all rows %v: AUROC %v", hit, v)
		}
	}
}
