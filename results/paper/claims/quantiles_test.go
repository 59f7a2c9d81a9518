package claims

import (
	"fmt"
	"strings"
	"testing"

	"github.com/qats-bench/qats/metrics"
	"github.com/qats-bench/qats/results"
	"github.com/qats-bench/qats/results/paper"
	"github.com/qats-bench/qats/results/resultstest"
)

// binsOf returns 15 bins of 100 rows each with a confidence of .9. Their accuracy is .8, but that of
// one bin is lower by some amount.
func binsOf(s results.Setting, bin int, lower float64) (list []results.Bin) {
	for i := range 15 {
		acc := .8
		if i == bin {
			acc -= lower
		}
		list = append(list, resultstest.Bin(s, "uncal", metrics.Mass15, i, .9, .9, 100, .9, acc))
	}
	return list
}

// TestWidestBins: the bin with the largest gap, in either direction, and whether it is clear. By
// hand, Wilson's 95 % interval of .5 of 100 rows is [.404, .596] (R: prop.test(50, 100, correct = FALSE)).
func TestWidestBins(t *testing.T) {
	at := resultstest.Setting("standard", "cifar10", "resnet50")
	bin := func(i, n int, conf, acc float64) results.Bin {
		return resultstest.Bin(at, "uncal", metrics.Mass15, i, 0, 1, n, conf, acc)
	}
	for _, c := range []struct {
		bins  []results.Bin
		want  int
		clear bool
	}{
		{[]results.Bin{bin(0, 100, .60, .5), bin(1, 100, .55, .5)}, 0, true},
		{[]results.Bin{bin(0, 100, .59, .5), bin(1, 100, .55, .5)}, 0, false},  // within the interval
		{[]results.Bin{bin(0, 100, .60, .5), bin(1, 100, .38, .5)}, 1, true},   // confidence too low
		{[]results.Bin{bin(0, 100, .41, .5), bin(1, 100, .58, .5)}, 0, false},  // within it, too low
		{[]results.Bin{bin(0, 100, .75, .5), bin(7, 100, .25, .5)}, 0, false},  // two are as wide
		{[]results.Bin{bin(0, 100, .75, .5), bin(7, 5000, .60, .5)}, 0, true},  // the surer one is not the wider
		{[]results.Bin{bin(0, 4, .84, .5), bin(7, 5000, .60, .5)}, 0, false},   // few rows decide nothing
		{[]results.Bin{bin(14, 100, .99, .5), bin(13, 100, .9, .5)}, 14, true}, // order does not matter
	} {
		got, clear := binned{at, c.bins}.widest()
		if got.Bin != c.want || clear != c.clear {
			t.Errorf("%+v: bin %d, clear %v", c.bins, got.Bin, clear)
		}
	}
}

// similarTo judges the two claims on bins, with a record of each setting.
func similarTo(t *testing.T, like map[string]string, bins ...[]results.Bin) (standard, longtail Judgement) {
	t.Helper()
	var f results.Rows
	for _, b := range bins {
		f.Bins = append(f.Bins, b...)
		f.Records = append(f.Records, resultstest.From(b[0].Source, resultstest.Value(b[0].Setting, "uncal", "accuracy", .8))...)
	}
	s, err := judgeSimilar(published(t), &f, like)
	if err != nil {
		t.Fatal(err)
	}
	return claimOf(t, s.Claims, "the largest correctness"), claimOf(t, s.Claims, "the dominant errors")
}

// TestQuantilesOfSimilarNetworks: the share of networks in each data set, those that cannot be
// judged, and what counts as a network.
func TestQuantilesOfSimilarNetworks(t *testing.T) {
	like := map[string]string{"a": "cifar10", "b": "cifar100", "tail": "imagenet-lt", "shifted": "cifar100-c"}
	at := func(dataset, backbone string) results.Setting { return resultstest.Setting("mine", dataset, backbone) }
	low, mid, high := binsOf(at("a", "low"), 4, .2), binsOf(at("a", "mid"), 5, .2), binsOf(at("b", "high"), 14, .2)
	level := binsOf(at("a", "level"), 0, 0)
	for _, c := range []struct {
		bins     [][]results.Bin
		standard Judgement
	}{
		{[][]results.Bin{low}, Judgement{Holds, "1 of 1 networks (a 1 of 1, bins 4)"}},
		{[][]results.Bin{low, level}, Judgement{Holds, "1 of 1 networks (a 1 of 1, bins 4); 1 more cannot be judged: " + chance}},
		{[][]results.Bin{level}, Judgement{Unjudged, "0 of 1 networks: " + chance}},
		{[][]results.Bin{low, mid, high, binsOf(at("tail", "x"), 14, .2)}, Judgement{Fails, "1 of 3 networks (a 1 of 2, bins 4 to 5; b 0 of 1, bins 14); " +
			"exceptions: a, mid (bin 5: confidence 90.00, accuracy 60.00); b, high (bin 14: confidence 90.00, accuracy 60.00)"}},
		{[][]results.Bin{binsOf(at("shifted", "x"), 14, .2)}, Judgement{Unjudged, "no numbers for these networks"}},
	} {
		if got, _ := similarTo(t, like, c.bins...); got != c.standard {
			t.Errorf("%+v, want %+v", got, c.standard)
		}
	}

	// Of the long tails most networks are enough, and half of them are not.
	one, two, three := binsOf(at("tail", "1"), 5, .2), binsOf(at("tail", "2"), 9, .2), binsOf(at("tail", "3"), 4, .2)
	if _, got := similarTo(t, like, low, one, two, three); got != (Judgement{Holds, "2 of 3 networks (tail 2 of 3, bins 4 to 9)"}) {
		t.Errorf("%+v", got)
	}
	if _, got := similarTo(t, like, one, three); got.Truth != Fails {
		t.Errorf("%+v", got)
	}

	// No network: another method, other bins, a corruption, another loss, rescaled logits, redrawn
	// rows, simulated rows, and the same network in a second experiment.
	for name, change := range map[string]func(*results.Bin){
		"another method":     func(b *results.Bin) { b.Method = "ts" },
		"bins of width":      func(b *results.Bin) { b.Binning = metrics.Width15 },
		"a corruption":       func(b *results.Bin) { b.Corruption, b.Severity = "fog", 1 },
		"another loss":       func(b *results.Bin) { b.Loss = "focal" },
		"rescaled":           func(b *results.Bin) { b.Variant.Rescale = 2 },
		"redrawn":            func(b *results.Bin) { b.Variant.Split = 1 },
		"simulated":          func(b *results.Bin) { b.Source = "simulated" },
		"a second time":      func(b *results.Bin) { b.Experiment, b.Backbone = "other", "low" },
		"an unlike data set": func(b *results.Bin) { b.Dataset = "c" },
	} {
		others := resultstest.Each(binsOf(at("a", "other"), 14, .2), change)
		if got, _ := similarTo(t, like, low, others); got.Figures != "1 of 1 networks (a 1 of 1, bins 4)" {
			t.Errorf("%s: %+v", name, got)
		}
	}

	// Trainings of a network are one: in the mean of both, bin 4 is the widest.
	seed := func(n, bin int, lower float64) []results.Bin {
		return binsOf(resultstest.Varied(at("a", "seeds"), results.Seed(n)), bin, lower)
	}
	if got, _ := similarTo(t, like, seed(0, 4, .6), seed(1, 8, .2)); got.Figures != "1 of 1 networks (a 1 of 1, bins 4)" {
		t.Errorf("%+v", got)
	}
}

// TestQuantilesOfThePaper: measured networks of the paper are judged, all of them for a verdict that
// holds. Printed numbers, simulated rows and stand-ins judge nothing.
func TestQuantilesOfThePaper(t *testing.T) {
	var f results.Rows
	for _, r := range paper.NewPublication(published(t)).Table("standard") {
		s := resultstest.Setting("standard", r.Dataset, r.Backbone)
		f.Bins = append(f.Bins, binsOf(s, 2, .2)...)
		f.Records = append(f.Records, resultstest.Noted(results.Notes{{Kind: results.Paper}}, resultstest.Value(s, "uncal", "ece", .1))...)
	}
	judged := func(f results.Rows) Judged {
		list := compare(published(t), &f).Claims
		for _, c := range list {
			if strings.HasPrefix(c.Quote, "the largest correctness") {
				return c
			}
		}
		t.Fatal("no such claim")
		return Judged{}
	}
	all := judged(f)
	if all.Published.Truth != Unjudged || all.Measured != (Judgement{Holds, "15 of 15 networks (CIFAR-10 5 of 5, bins 2; CIFAR-100 5 of 5, bins 2; ImageNet 5 of 5, bins 2)"}) {
		t.Errorf("%+v", all)
	}
	some := results.Rows{Records: f.Records, Bins: f.Bins[15:]}
	if got := judged(some).Measured; got.Truth != Unjudged || !strings.HasSuffix(got.Figures, "numbers are missing in 1 more") {
		t.Errorf("%+v", got)
	}
	refuted := results.Rows{Records: f.Records, Bins: binsOf(f.Bins[0].Setting, 14, .2)}
	if got := judged(refuted).Measured; got.Truth != Fails {
		t.Errorf("%+v", got)
	}
	none := Judgement{Unjudged, "no numbers for these networks"}
	standIns := results.Rows{Records: resultstest.Noted(nil, f.Records...), Bins: f.Bins}
	simulated := results.Rows{Records: resultstest.From("simulated", f.Records...), Bins: resultstest.Each(f.Bins, func(b *results.Bin) { b.Source = "simulated" })}
	for name, rows := range map[string]results.Rows{"no bins": {Records: f.Records}, "stand-ins": standIns, "simulated": simulated} {
		if got := judged(rows).Measured; got != none {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

// Bins of a test in claims.yaml are among 15.
func TestQuantilesOfTheListAreBins(t *testing.T) {
	for _, c := range []struct {
		from, to int
		ok       bool
	}{{0, 14, true}, {3, 3, true}, {-1, 4, false}, {5, 4, false}, {10, 15, false}} {
		q := quantiles{Table: "standard", From: c.from, To: c.to}
		if err := q.check(); (err == nil) != c.ok {
			t.Errorf("%+v: %v", c, err)
		}
	}
	if err := (&quantiles{Table: "none", To: 4}).check(); err == nil || fmt.Sprint(err) != `"none" is no table of the paper` {
		t.Error(err)
	}
}
