package main

import (
	"bytes"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"testing"

	"github.com/qats-bench/qats/data"
	"github.com/qats-bench/qats/metrics"
)

// draws is the number of labels of a row that stand for its true probabilities in small.
const draws = 16

// small returns a population whose true probabilities are multiples of 1/draws.
func small(rows, classes int) *population {
	rng := rand.New(rand.NewPCG(1, 1))
	p := &population{name: "a/small", rows: rows, classes: classes, logits: data.NewMatrix(rows, classes), truth: make([]float64, rows*classes)}
	for i := range p.logits.Data {
		p.logits.Data[i] = float32(2 * rng.NormFloat64())
	}
	for i := range rows {
		for range draws {
			p.truth[i*classes+rng.IntN(classes)] += 1. / draws
		}
	}
	return p
}

// TestTruthsAreThoseOfAllLabels compares them with the metrics of a set that has each row
// once for each of its labels.
func TestTruthsAreThoseOfAllLabels(t *testing.T) {
	p := small(30, 3)
	c := p.tempered(1.5)
	d := &testSet{population: p}
	for i := range p.rows {
		for j := range p.classes {
			for range int(math.Round(p.truth[i*p.classes+j] * draws)) {
				d.rows, d.labels = append(d.rows, i), append(d.labels, int32(j))
			}
		}
	}
	s := d.samples(c)
	for _, name := range []string{"accuracy", "ece", "aece", "nll", "brier", "brier_top", "auroc", "augrc", "miou"} {
		e, ok := metrics.Lookup(name)
		if !ok {
			t.Fatalf("no metric %s", name)
		}
		want, err := e.Compute(s, 0)
		if err != nil {
			t.Fatal(err)
		}
		if got := truths[name](p, c); !(math.Abs(got-want[0]) <= 1e-12) {
			t.Errorf("%s: %.15g, the metric gives %.15g", name, got, want[0])
		}
	}
	// Of many rows, the squares have little noise to take away.
	d = p.draw(400000, 0)
	s = d.samples(c)
	if got, want := truths["sce_mass15"](p, c), metrics.SquaredError(s, 15); math.Abs(got-want) > .02*want {
		t.Errorf("squared error: %g, of many rows %g", got, want)
	}
}

// The same of two classes: oe, slope and intercept of the population.
func TestTruthsOfTwoClassesAreThoseOfAllLabels(t *testing.T) {
	p := small(40, 2)
	for _, c := range []*calibrator{p.tempered(1.5), p.raised(1)} {
		d := &testSet{population: p}
		for i := range p.rows {
			for j := range p.classes {
				for range int(math.Round(p.truth[i*p.classes+j] * draws)) {
					d.rows, d.labels = append(d.rows, i), append(d.labels, int32(j))
				}
			}
		}
		for _, name := range []string{"oe", "slope", "intercept"} {
			want, err := metrics.Value(name, d.samples(c))
			if err != nil {
				t.Fatal(err)
			}
			if got := truths[name](p, c); !(math.Abs(got-want) <= 1e-9) {
				t.Errorf("%s: %.15g, the metric gives %.15g", name, got, want)
			}
		}
		of, err := p.draw(200000, 0).samples(c).OfPositive()
		if err != nil {
			t.Fatal(err)
		}
		if got, want := truths["sce_positive_mass15"](p, c), metrics.SquaredError(of, 15); math.Abs(got-want) > .02*want {
			t.Errorf("squared error: %g, of many rows %g", got, want)
		}
	}
}

// TestStudyDoesNotDependOnTheWorkers: a test set has a seed of its own, and more test
// sets have the first ones among them.
func TestStudyDoesNotDependOnTheWorkers(t *testing.T) {
	p := small(200, 4)
	p.truth = p.tempered(temperature).probs
	of := func(workers int) []line {
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(workers))
		lines, err := study(t.Context(), p, 150, 3, []string{"ece", "nll"}, false)
		if err != nil {
			t.Fatal(err)
		}
		return lines
	}
	one := of(1)
	if two := of(2); len(one) == 0 || !reflect.DeepEqual(one, two) {
		t.Errorf("%d lines with one worker, %d with two, or they differ", len(one), len(two))
	}
	path := filepath.Join(t.TempDir(), "a.csv")
	if err := writeTable(path, one); err != nil {
		t.Fatal(err)
	}
	back, err := readTable(path)
	if err != nil || len(back) != len(one) {
		t.Fatalf("%d lines of %d came back: %v", len(back), len(one), err)
	}
	for i, l := range back {
		if l.Cell != one[i].Cell || l.Sets != 3 || math.Abs(l.Coverage()-one[i].Coverage()) > 1e-5 {
			t.Fatalf("%+v became %+v", one[i], l)
		}
	}
}

// TestSummariesAreThoseOfTheStudy: the files of results/shown/intervals, which docs/evidence.md
// shows, are made from results/shown/intervals.csv.
func TestSummariesAreThoseOfTheStudy(t *testing.T) {
	for _, file := range []string{"intervals.csv", "two-classes.csv"} {
		path := filepath.Join("..", "..", "results", "shown", file)
		table, err := readTable(path)
		if err != nil {
			t.Fatal(err)
		}
		for name, of := range summaries {
			rows := of(table)
			if len(rows) == 1 {
				continue
			}
			want, err := csvOf(rows)
			if err != nil {
				t.Fatal(err)
			}
			got, err := os.ReadFile(filepath.Join(strings.TrimSuffix(path, ".csv"), name+".csv"))
			if err != nil || !bytes.Equal(got, want) {
				t.Errorf("%s of %s is not current: cd studies && go run ./coverage -summarise (%v)", name, file, err)
			}
		}
	}
}
