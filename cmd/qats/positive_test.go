package main

import (
	"bytes"
	"math"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"

	"github.com/qats-bench/qats/data"
	"github.com/qats-bench/qats/experiments"
	"github.com/qats-bench/qats/experiments/spec"
	"github.com/qats-bench/qats/experiments/trial"
)

// twoClasses makes a trial of a model of two classes that gives class 1 a log odds of 1.5 too much.
func twoClasses(t *testing.T, names ...string) printed {
	t.Helper()
	rng := rand.New(rand.NewPCG(5, 5))
	draw := func(n int) *data.Set {
		set := &data.Set{Logits: data.NewMatrix(n, 2), Labels: make([]int32, n)}
		for i := range n {
			z := -1 + 2*rng.NormFloat64()
			set.Logits.Row(i)[1] = float32(z + 1.5)
			if rng.Float64() < 1/(1+math.Exp(-z)) {
				set.Labels[i] = 1
			}
		}
		return set
	}
	in, err := trial.InMemory(t.Context(), "d", draw(2000), draw(2000))
	if err != nil {
		t.Fatal(err)
	}
	list, err := spec.NewMethods(experiments.Registry(), names)
	if err != nil {
		t.Fatal(err)
	}
	got, err := trial.Run(t.Context(), in, trial.Options{Methods: list})
	if err != nil {
		t.Fatal(err)
	}
	return printed{got}
}

func TestTryShowsThePositiveClass(t *testing.T) {
	p := twoClasses(t, "platt-logits", "hb-top")
	var b bytes.Buffer
	if err := p.text(&b); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		`(?m)^    method +cal NLL +NLL +P\(1\) +band +ECE +band +accuracy$`,
		`(?m)^    ts .* outside +kept`,
		`(?m)^    hb-top .* - +- `,
		`ECE of\s+P\(class\s+1\)\s+\d+\.\d\s+->\s+\d\.\d %`,
		`P\(class 1\) of uncal: observed / expected 0\.\d\d \[0\.\d\d, 0\.\d\d\], calibration slope [\d.]+\s+\[[\d.]+,\s+[\d.]+\],\s+calibration\s+intercept -1\.\d\d`,
		`P\(class 1\) of platt-logits: observed`,
		`0 +probability of class 1 +1`,
		`A bar is the share of class 1`,
	} {
		if !regexp.MustCompile(want).MatchString(b.String()) {
			t.Errorf("no %s in\n%s", want, &b)
		}
	}
	if strings.Contains(b.String(), "cannot move shares") {
		t.Error("the shares of platt-logits are off")
	}
	b.Reset()
	if err := p.json(t.Context(), &b); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`"ece_positive":0.`, `"oe_lo":0.`, `"slope_note":null`, `"positive":1`, `"bins_positive":[{"lo":0,`, `"ece_positive":null`} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %s in the JSON", want)
		}
	}
}

// Where no temperature can mend the shares, the first sentence says so, and no second line does.
func TestTrySaysThatATemperatureCannotMoveShares(t *testing.T) {
	var b bytes.Buffer
	if err := twoClasses(t).text(&b); err != nil {
		t.Fatal(err)
	}
	want := regexp.MustCompile("^\\s*Use `platt-logits`: the mean probability of class 1 is 0\\.5\\d+ and its share 0\\.3\\d+, which no\\s+temperature can mend\\.")
	if !want.MatchString(b.String()) || strings.Contains(b.String(), "cannot move shares") {
		t.Errorf("it does not begin with %s, or says it twice:\n%s", want, &b)
	}
}
