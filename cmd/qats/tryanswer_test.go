package main

import (
	"bytes"
	"context"
	"regexp"
	"strings"
	"testing"

	"github.com/qats-bench/qats/calib"
	"github.com/qats-bench/qats/calib/report"
	"github.com/qats-bench/qats/data"
	"github.com/qats-bench/qats/experiments/shares"
	"github.com/qats-bench/qats/experiments/spec"
	"github.com/qats-bench/qats/experiments/trial"
	"github.com/qats-bench/qats/metrics"
	"github.com/qats-bench/qats/results"
)

// answered makes a trial of uncal, ts and hts whose first method is the chosen one. differences are
// those of the chosen method to uncal and to ts, with the ends of their intervals.
func answered(chosen string, reason trial.Reason, nll map[string]float64, toPlain, toReference *[3]float64) printed {
	cal := &data.Set{Logits: data.NewMatrix(400, 3), Labels: make([]int32, 400)}
	in, err := trial.InMemory(context.Background(), "d", cal, nil)
	if err != nil {
		panic(err)
	}
	in.Inspection.Problems, in.Test, in.Given.Origin = nil, in.Cal, data.Measured
	t := &trial.Trial{Input: in, By: trial.ByNLL, Reason: reason, Gain: true, Begin: trial.Begin{Method: "ts", Why: trial.ByTemperature}}
	for _, name := range []string{chosen, "uncal", "ts", "hts"} {
		if t.Of(name) == nil {
			t.Results = append(t.Results, trial.Result{Method: &spec.Method{Name: name}, Fitted: &calib.Fitted{}, Scores: trial.Scores{NLL: nll[name], ECE: nll[name] / 10}})
		}
	}
	pair := func(against string, d *[3]float64) *results.Pair {
		if d == nil {
			return nil
		}
		return &results.Pair{Method: chosen, Against: against, Metric: "nll", Difference: d[0], Verdict: &metrics.Verdict{Difference: d[0], Lo: d[1], Hi: d[2], P: .01}}
	}
	t.ToPlain, t.ToReference = pair("uncal", toPlain), pair("ts", toReference)
	return printed{t}
}

// began changes with which method the choice began.
func began(p printed, b trial.Begin) printed {
	t := *p.Trial
	t.Begin = b
	return printed{&t}
}

// The answer says why the choice begins with another method than temperature scaling, and where it keeps the
// network how many rows would decide.
func TestTheAnswerSaysWhereItBegins(t *testing.T) {
	nll := map[string]float64{"uncal": .5, "ts": .51, "hts": .38}
	kept := answered("uncal", trial.ByDefault, nll, nil, &[3]float64{-.01, -.02, .001})
	for _, c := range []struct {
		p    printed
		want string
	}{
		{began(kept, trial.Begin{Method: "uncal", Why: trial.NotSharper, T: .93, Z: -1.2}),
			"Keep the network as it is: `ts` would make it more confident (T = 0.93), and these 400 calibration rows do not show that it should be (ln T is 1.2 standard errors below 0). About 1,700 rows: an 80 % chance to show it, if T is as estimated. On your test rows NLL -0.0100 [-0.020, +0.001] against `ts`."},
		{began(kept, trial.Begin{Method: "uncal", Why: trial.NotSharper, T: .997, Z: -.1}),
			"Keep the network as it is: `ts` would make it more confident (T = 0.997), and these 400 calibration rows do not show that it should be (ln T is 0.1 standard errors below 0). More than 8,000 rows: an 80 % chance to show it, if T is as estimated. On your test rows NLL -0.0100 [-0.020, +0.001] against `ts`."},
		{began(answered("hts", trial.ByDefault, nll, &[3]float64{-.12, -.14, -.10}, &[3]float64{-.13, -.15, -.11}), trial.Begin{Method: "hts", Why: trial.ByShares, Shares: shares.Finding{Tested: 1, Off: []metrics.Share{{Classes: []int{1}, Expected: .31, Observed: .1}}}}),
			"Use `hts`: the mean probability of class 1 is 0.310 and its share 0.100, which no temperature can mend. On your test rows NLL 0.500 -> 0.380, ECE 5.0 -> 3.8 %; against `ts` NLL -0.1300 [-0.150, -0.110]."},
		{began(answered("hts", trial.ByDefault, nll, &[3]float64{-.12, -.14, -.10}, &[3]float64{-.13, -.15, -.11}), trial.Begin{Method: "hts", Why: trial.ByShares, Shares: shares.Finding{Tested: 4, Off: []metrics.Share{{Classes: []int{3, 5, 6}, Expected: .02, Observed: .05}, {Classes: []int{1}, Expected: .31, Observed: .3}}}}),
			"Use `hts`: 3 rare classes together have a mean probability of 0.020 and a share of 0.050, which no temperature can mend. On your test rows NLL 0.500 -> 0.380, ECE 5.0 -> 3.8 %; against `ts` NLL -0.1300 [-0.150, -0.110]."},
		{began(answered("hts", trial.ByDefault, nll, &[3]float64{-.12, -.14, -.10}, &[3]float64{-.13, -.15, -.11}), trial.Begin{Method: "hts", Why: trial.ByZeros, Zeros: 240}),
			"Use `hts`: 20 % of the probabilities are exactly 0, and a temperature leaves them near 0. On your test rows NLL 0.500 -> 0.380, ECE 5.0 -> 3.8 %; against `ts` NLL -0.1300 [-0.150, -0.110]."},
	} {
		if got := c.p.answer(); got != c.want {
			t.Errorf("%s\nwant\n%s", got, c.want)
		}
	}
}

// The first sentence says what the choice does against no calibration, and then against temperature
// scaling; where the test rows show harm, it says that.
func TestTheAnswerNamesGainAndHarm(t *testing.T) {
	nll := map[string]float64{"uncal": .5, "ts": .4, "hts": .38}
	bad := map[string]float64{"uncal": .1162, "ts": .1193, "hts": .1202}
	for _, c := range []struct {
		p    printed
		want string
	}{
		{answered("ts", trial.ByDefault, nll, &[3]float64{-.1, -.12, -.08}, nil), "Use `ts`: on your test rows NLL 0.500 -> 0.400, ECE 5.0 -> 4.0 %."},
		{answered("hts", trial.ByVerdict, nll, &[3]float64{-.12, -.14, -.10}, &[3]float64{-.02, -.03, -.01}),
			"Use `hts`: on your test rows NLL 0.500 -> 0.380, ECE 5.0 -> 3.8 %; against `ts` NLL -0.0200 [-0.030, -0.010]."},
		{answered("hts", trial.ByVerdict, nll, &[3]float64{-.12, -.14, -.10}, &[3]float64{-.0001, -.00013, -.00007}),
			"Use `hts`: on your test rows NLL 0.500 -> 0.380, ECE 5.0 -> 3.8 %; against `ts` NLL -0.0001000 [-0.000130, -0.000070]."},
		{answered("hts", trial.ByVerdict, bad, &[3]float64{.004, .001, .007}, &[3]float64{.0009, -.001, .003}),
			"The calibration rows choose `hts`, but on your test rows it is worse than no calibration: NLL +0.00400 [+0.0010, +0.0070]. Save more calibration rows, or rows that are more like the test rows."},
		{answered("hts", trial.ByVerdict, nll, &[3]float64{-.12, -.14, -.10}, &[3]float64{.02, .01, .03}),
			"The calibration rows choose `hts`, but on your test rows it is worse than `ts`: NLL +0.0200 [+0.010, +0.030]. Against no calibration NLL 0.500 -> 0.380, ECE 5.0 -> 3.8 %. Save more calibration rows, or rows that are more like the test rows."},
		{answered("uncal", trial.ByVerdict, bad, nil, &[3]float64{-.0031, -.006, -.001}),
			"Keep the network as it is: on these 400 calibration rows `ts` is worse; on your test rows NLL -0.00310 [-0.0060, -0.0010] against it."},
		{answered("uncal", trial.ByVerdict, nll, nil, &[3]float64{.1, .08, .12}),
			"The calibration rows choose no calibration, but on your test rows it is worse than `ts`: NLL +0.1000 [+0.080, +0.120]. Save more calibration rows, or rows that are more like the test rows."},
		{answered("uncal", trial.OneClass, nll, nil, &[3]float64{.1, .08, .12}), "Keep the network as it is: all 400 calibration rows have the label 0. Save calibration rows of all classes."},
		{barred(answered("uncal", trial.NoFinite, nll, nil, nil)), "Keep the network as it is: these 400 calibration rows give no temperature (T at its upper bound). Save more calibration rows, with some that the network gets wrong."},
		{without(answered("ts", trial.ByDefault, nll, &[3]float64{-.1, -.12, -.08}, nil), 1, 2),
			"Use `ts`: on your test rows NLL 0.500 -> 0.400, ECE 5.0 -> 4.0 %. Classes 1 and 2 have no calibration row, so only methods that keep every prediction are candidates."},
		{without(answered("uncal", trial.AllRight, nll, nil, nil), 2),
			"Keep the network as it is: all 400 calibration rows are right, so they show no error to correct. Save more calibration rows, with some that the network gets wrong. If the labels are the predictions of the network, save the true ones. Class 2 has no calibration row."},
	} {
		if got := c.p.answer(); got != c.want {
			t.Errorf("%s by %s:\n%s\nwant\n%s", c.p.Chosen().Method.Name, c.p.Reason, got, c.want)
		}
	}
}

func barred(p printed) printed {
	r := p.Of("ts")
	r.Excluded, r.End = trial.AtABound, report.AtMost("T", 0, 1000)
	return p
}

func without(p printed, classes ...int) printed {
	p.Empty = classes
	return p
}
func TestTheAnswerSaysAsWhatZeroAndOneCount(t *testing.T) {
	for want, e := range map[string]calib.Ends{
		"a confidence of 1 counts as 0.99875":                                      {Zero: 0, One: .99875},
		"a confidence of 0 counts as 0.00125":                                      {Zero: .00125, One: 1},
		"a confidence of 1 counts as 0.875, and a confidence of 0 counts as 0.125": {Zero: .125, One: .875},
	} {
		if got := endsCount(e); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// A method that explodes is named below the table with what to take in its place. JSON has its numbers.
func TestTryNamesAMethodThatExplodes(t *testing.T) {
	p := twoClasses(t, "platt-logits", "hts")
	p.Of("hts").Excluded = trial.Explodes
	var b bytes.Buffer
	if err := p.text(&b); err != nil {
		t.Fatal(err)
	}
	if !regexp.MustCompile(`(?m)^no candidate: hts: by cross-fitting its NLL is 0\.\d+ and that of ts 0\.\d+; take\s+hts-bounded$`).MatchString(b.String()) {
		t.Errorf("hts is not named:\n%s", &b)
	}
	if regexp.MustCompile(`(?m)^(->)? *hts `).MatchString(b.String()) {
		t.Errorf("hts has a row:\n%s", &b)
	}
	b.Reset()
	if err := p.json(t.Context(), &b); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`"method":"hts",`, `"bar":"explodes","barred":"by cross-fitting its NLL is`, `"bar":"","barred":null`} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %s in the JSON", want)
		}
	}
}
