package metrics_test

import (
	"context"
	"fmt"
	"path/filepath"

	"github.com/qats-bench/qats/data"
	"github.com/qats-bench/qats/metrics"
)

// Four rows of probabilities for two classes, and their labels.
func Example() {
	probs := data.Probs{Rows: 4, Cols: 2, Data: []float64{
		.9, .1,
		.8, .2,
		.3, .7,
		.4, .6,
	}}
	samples, err := metrics.FromProbs(probs, &data.Set{Labels: []int32{0, 1, 1, 1}})
	if err != nil {
		fmt.Println(err)
		return
	}
	nll, _ := metrics.NLL(samples)
	fmt.Printf("accuracy %.4f\n", metrics.Accuracy(samples))
	fmt.Printf("ECE      %.4f\n", metrics.ECE(samples, 15))
	fmt.Printf("NLL      %.4f\n", nll)
	// Output:
	// accuracy 0.7500
	// ECE      0.4000
	// NLL      0.6456
}

// The test set of a small text classifier, from logits to numbers: is its ECE larger than
// the noise of 7,532 samples?
func ExampleFromLogits() {
	dir := filepath.Join("..", "data", "demo", "20newsgroups-body", "mlp-tfidf-h128", "test")
	test, err := data.ReadSet(filepath.Join(dir, "logits.npy"), filepath.Join(dir, "labels.npy"))
	if err != nil {
		fmt.Println(err)
		return
	}
	samples, err := metrics.FromLogits(test)
	if err != nil {
		fmt.Println(err)
		return
	}
	band := metrics.ECEBand(samples, 15, 1)
	fmt.Printf("ECE-15 %.2f %%, consistency band %.1f to %.1f %%\n", 100*metrics.ECE(samples, 15), 100*band.Lo, 100*band.Hi)
	// Output:
	// ECE-15 5.24 %, consistency band 0.7 to 1.7 %
}

// The confidences of a top-label method, and a reliability table of two bins.
func ExampleWidthBins() {
	samples, err := metrics.FromConfidences(
		[]float64{.25, .25, .55, .75, .75},
		[]bool{false, false, true, true, true})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, b := range metrics.WidthBins(samples, 2) {
		fmt.Printf("(%g, %g] %d samples, confidence %.4f, accuracy %.4f\n", b.Lo, b.Hi, b.N, b.Conf, b.Acc)
	}
	fmt.Printf("ECE %.2f\n", metrics.ECE(samples, 2))
	// Output:
	// (0, 0.5] 2 samples, confidence 0.2500, accuracy 0.0000
	// (0.5, 1] 3 samples, confidence 0.6833, accuracy 1.0000
	// ECE 0.29
}

// The metrics that a run computes if its spec names none, and one more, of the samples of a
// top-label method.
func ExampleRegistry() {
	samples, _ := metrics.FromConfidences([]float64{.9, .8, .8, .6}, []bool{true, false, true, false})
	for _, e := range metrics.Registry() {
		if e.OnRequest && e.Name != "auroc" {
			continue
		}
		values, err := e.Compute(samples, 1)
		if err != nil {
			fmt.Printf("%s: %v\n", e.Name, err)
			continue
		}
		if len(values) == 1 {
			fmt.Printf("%s %.4f (%s)\n", e.Outputs[0].Label, values[0], e.Better)
		}
	}
	// Output:
	// Accuracy 0.5000 (higher)
	// ECE 0.3250 (lower)
	// AECE 0.3250 (lower)
	// nll: a top-label method has no class vector
	// brier: a top-label method has no class vector
	// argmax_change: undefined: the uncalibrated logits are unknown
	// AUROC 0.8750 (higher)
}

// Two methods on the same eight samples: the second has the lower calibration error.
func ExamplePairs() {
	correct := []bool{true, true, true, false, false, true, false, true}
	bold, _ := metrics.FromConfidences([]float64{.9, .9, .9, .9, .9, .9, .9, .9}, correct)
	calm, _ := metrics.FromConfidences([]float64{.6, .6, .6, .6, .6, .6, .6, .6}, correct)
	pairs, err := metrics.Pairs(context.Background(), bold, []*metrics.Samples{calm}, metrics.PairOptions{})
	for _, p := range pairs {
		fmt.Printf("%s %+.4f\n", p.Metric, p.Difference)
	}
	fmt.Println(err)
	// Output:
	// ece -0.2500
	// aece -0.2500
	// <nil>
}

// A metric by its name in results.csv.
func ExampleValue() {
	samples, err := metrics.FromConfidences([]float64{.25, .75}, []bool{false, true})
	if err != nil {
		fmt.Println(err)
		return
	}
	ece, err := metrics.Value("ece", samples)
	fmt.Println(ece, err)
	_, err = metrics.Value("nll", samples)
	fmt.Println(err)
	// Output:
	// 0.25 <nil>
	// nll: a top-label method has no class vector
}
