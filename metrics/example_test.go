package metrics_test

import (
	"context"
	"fmt"

	"github.com/qats-bench/qats/data"
	"github.com/qats-bench/qats/metrics"
)

// Probabilities and labels become facts, block by block; facts become metrics.
func Example() {
	probs := data.NewProbs(4, 2)
	copy(probs.Data, []float64{.9, .1, .8, .2, .3, .7, .4, .6})
	facts := metrics.NewFacts(4)
	if err := facts.Append(probs, &data.Set{Labels: []int32{0, 1, 1, 1}}); err != nil {
		fmt.Println(err)
		return
	}
	in := metrics.NewInput(facts, 1)
	for _, name := range []string{"accuracy", "ece", "nll", "brier", "auroc"} {
		metric, _ := metrics.Lookup(name)
		v, err := metric.Compute(in)
		fmt.Printf("%s %.4f %v\n", name, v[0], err)
	}
	// Output:
	// accuracy 0.7500 <nil>
	// ece 0.4000 <nil>
	// nll 0.6456 <nil>
	// brier 0.4500 <nil>
	// auroc 0.3333 <nil>
}

// Bins are good for any number of them.
func ExampleWidthBins() {
	facts := &metrics.Facts{
		Conf:  []float64{.25, .25, .55, .75, .75},
		Pred:  []int32{0, 0, 0, 0, 0},
		Label: []int32{1, 1, 0, 0, 0},
	}
	bins := metrics.WidthBins(facts, 2)
	for _, b := range bins {
		fmt.Printf("(%g, %g] %d rows, confidence %.4f, accuracy %.4f\n", b.Lo, b.Hi, b.N, b.Conf, b.Acc)
	}
	fmt.Printf("ECE %.2f\n", metrics.ECE(bins))
	// Output:
	// (0, 0.5] 2 rows, confidence 0.2500, accuracy 0.0000
	// (0.5, 1] 3 rows, confidence 0.6833, accuracy 1.0000
	// ECE 0.29
}

func ExamplePairs() {
	label := []int32{0, 0, 0, 1, 1, 0, 1, 0}
	pred := make([]int32, 8)
	base := &metrics.Facts{Conf: []float64{.9, .9, .9, .9, .9, .9, .9, .9}, Pred: pred, Label: label}
	calm := &metrics.Facts{Conf: []float64{.6, .6, .6, .6, .6, .6, .6, .6}, Pred: pred, Label: label}
	pairs, err := metrics.Pairs(context.Background(), base, []*metrics.Facts{calm}, metrics.PairOptions{})
	for _, p := range pairs {
		fmt.Printf("%s %+.4f\n", p.Metric, p.Difference)
	}
	fmt.Println(err)
	// Output:
	// ece -0.2500
	// aece -0.2500
	// <nil>
}
