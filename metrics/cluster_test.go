package metrics

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/qats-bench/qats/data"
	"github.com/qats-bench/qats/metrics/scoring"
)

// copied returns logits of n groups of some rows each, whose rows are copies, and the first rows alone.
func copied(n, copies, k int) (all, first *data.Set) {
	rng := rand.New(rand.NewPCG(4, uint64(copies)))
	all, first = &data.Set{Logits: data.NewMatrix(n*copies, k)}, &data.Set{Logits: data.NewMatrix(n, k)}
	for i := range n {
		y := int32(rng.IntN(k))
		for j := range first.Logits.Row(i) {
			first.Logits.Row(i)[j] = float32(rng.NormFloat64() * 2)
		}
		if rng.Float64() < .5 {
			y = int32(slices.Index(first.Logits.Row(i), slices.Max(first.Logits.Row(i))))
		}
		first.Labels = append(first.Labels, y)
	}
	for i := range n * copies { // not beside each other
		copy(all.Logits.Row(i), first.Logits.Row(i%n))
		all.Labels, all.Groups = append(all.Labels, first.Labels[i%n]), append(all.Groups, int32(i%n))
	}
	return all, first
}

// Intervals of rows that are copies of others are those of the rows alone: exactly where they rest on influences, and within the noise of
// the resamples where a bootstrap gives them. Without groups they would be too short by the root of the copies.
func TestIntervalsOfCopiesAreThoseOfTheRows(t *testing.T) {
	all, first := copied(400, 5, 3)
	a, err := FromLogits(all)
	if err != nil {
		t.Fatal(err)
	}
	b, err := FromLogits(first)
	if err != nil {
		t.Fatal(err)
	}
	plain := *all
	plain.Groups = nil
	c, err := FromLogits(&plain)
	if err != nil {
		t.Fatal(err)
	}
	if a.Groups() != 400 || b.Groups() != 400 || a.Len() != 2000 {
		t.Errorf("%d groups, %d groups, %d rows", a.Groups(), b.Groups(), a.Len())
	}
	var entries []Entry
	for _, name := range []string{"accuracy", "nll", "brier", "brier_top", "nll_top", "ece", "aece", "auroc", "aurc"} {
		e, _ := Lookup(name)
		entries = append(entries, e)
	}
	of := func(s *Samples, kind Interval) []Estimate {
		list, err := Intervals(context.Background(), s, PairOptions{Metrics: entries, Interval: kind})
		if err != nil {
			t.Fatal(err)
		}
		return list
	}
	for _, kind := range []Interval{Standard, Population} {
		x, y, z := of(a, kind), of(b, kind), of(c, kind)
		for i := range x {
			if x[i].Err != nil || y[i].Err != nil || math.Abs(x[i].Value-y[i].Value) > 1e-9 {
				if x[i].Metric != "aece" && x[i].Metric != "aurc" { // boundaries of equal mass fall elsewhere, and ranks are of n
					t.Errorf("%s %s: %v and %v", kind, x[i].Metric, x[i], y[i])
				}
			}
			width, want, plain := x[i].Hi-x[i].Lo, y[i].Hi-y[i].Lo, z[i].Hi-z[i].Lo
			within := 1e-6 // of Hall's correction and of Student's t, which know the groups
			if entries[i].binned != nil {
				within = .15
			}
			if entries[i].Influence == nil && entries[i].binned == nil {
				within = .15
			}
			if x[i].Metric == "auroc" || x[i].Metric == "aurc" {
				within = .02
			}
			if math.Abs(width/want-1) > within {
				t.Errorf("%s %s: %g wide, of the rows alone %g", kind, x[i].Metric, width, want)
			}
			if plain > .65*width {
				t.Errorf("%s %s: %g wide without groups, %g with", kind, x[i].Metric, plain, width)
			}
		}
	}
	u, v := ECEBand(a, 15, 3), ECEBand(b, 15, 3)
	if math.Abs(u.Hi-v.Hi) > 1e-12 || math.Abs(u.Lo-v.Lo) > 1e-12 {
		t.Errorf("bands %v and %v", u, v)
	}
}

// Verdicts, too: the debiased squared error takes out what copies add.
func TestVerdictsOfCopiesAreThoseOfTheRows(t *testing.T) {
	all, first := copied(500, 3, 3)
	verdicts := func(set *data.Set) []Pair {
		plain, err := FromLogits(set)
		if err != nil {
			t.Fatal(err)
		}
		sharp := *set
		sharp.Logits = data.NewMatrix(set.Logits.Rows, set.Logits.Cols)
		for i, l := range set.Logits.Data {
			sharp.Logits.Data[i] = l / 2
		}
		other, err := FromLogits(&sharp)
		if err != nil {
			t.Fatal(err)
		}
		var entries []Entry
		for _, name := range []string{"nll", "ece", "accuracy"} {
			e, _ := Lookup(name)
			entries = append(entries, e)
		}
		pairs, err := Pairs(context.Background(), plain, []*Samples{other}, PairOptions{Metrics: entries, Interval: Population})
		if err != nil {
			t.Fatal(err)
		}
		return pairs
	}
	a, b := verdicts(all), verdicts(first)
	for i := range a {
		x, y := a[i].Verdict, b[i].Verdict
		if x == nil || y == nil || math.Abs(x.Difference-y.Difference) > .02*math.Abs(y.Difference)+1e-9 || math.Abs((x.Hi-x.Lo)/(y.Hi-y.Lo)-1) > .05 {
			t.Errorf("%s: %+v, of the rows alone %+v", a[i].Metric, x, y)
		}
	}
}

// The cluster-robust variance is that of the definition.
func TestClusteredNumbers(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	const n = 300
	d, group := make([]float64, n), make([]int32, n)
	sums, rows, mean := map[int32]float64{}, map[int32]float64{}, 0.0
	for i := range d {
		group[i] = 2 * int32(rng.IntN(40)) // with gaps
		d[i] = rng.NormFloat64() + float64(group[i])/20
		mean += d[i] / n
		sums[group[i]] += d[i]
		rows[group[i]]++
	}
	want, g := 0.0, float64(len(sums))
	for k, s := range sums {
		want += math.Pow(s-rows[k]*mean, 2) / n / n * g / (g - 1)
	}
	got := clustered(d, group)
	deviation, _ := moments(got)
	center := 0.0
	for _, x := range got {
		center += x / g
	}
	if len(got) != len(sums) || math.Abs(deviation*deviation/g/want-1) > 1e-9 || math.Abs(center-mean) > 1e-12 {
		t.Errorf("%d numbers, variance %g, want %g, mean %g, want %g", len(got), deviation*deviation/g, want, center, mean)
	}
	if groupCount(group) != len(sums) {
		t.Errorf("%d groups", groupCount(group))
	}
}

// A tally of copies is not surer than one of the rows.
func TestSharesOfCopies(t *testing.T) {
	probs, labels := data.NewProbs(40, 2), make([]int32, 40)
	for i := range labels {
		copy(probs.Row(i), []float64{.6, .4})
		if i%2 == 0 {
			labels[i] = 1
		}
	}
	once, many := scoring.NewShareTally(2), scoring.NewShareTally(2)
	once.Add(probs, labels)
	groups := make([]int32, 40)
	for i := range groups {
		groups[i] = int32(i)
	}
	for range 20 {
		many.AddGrouped(probs, labels, groups)
	}
	p, q := Shares(once)[0].P, Shares(many)[0].P
	if q < p/2 || q > p*1.1 { // half a row further in is less of many
		t.Errorf("P %g of copies, %g of the rows", q, p)
	}
}

func TestScoresKeepGroups(t *testing.T) {
	all, _ := copied(20, 2, 3)
	s, err := FromLogits(all)
	if err != nil {
		t.Fatal(err)
	}
	b, err := s.scores.AppendEncoded(nil)
	if err != nil {
		t.Fatal(err)
	}
	back, err := scoring.Decode(b)
	if err != nil || !slices.Equal(back.Group, all.Groups) {
		t.Errorf("%v, %v", back, err)
	}
	all.Weights = make([]float64, 40)
	if _, err := FromLogits(all); err == nil {
		t.Error("weights are no error")
	}
}
