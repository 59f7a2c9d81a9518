package main

import (
	"context"
	"fmt"
	"log"

	"github.com/qats-bench/qats/calib"
	"github.com/qats-bench/qats/data"
	"github.com/qats-bench/qats/metrics"
)

func must[T any](v T, err error) T {
	if err != nil {
		log.Fatal(err)
	}
	return v
}

func main() {
	cal := must(data.ReadSet("cal/logits.npy", "cal/labels.npy"))
	test := must(data.ReadSet("test/logits.npy", "test/labels.npy"))
	fitted := must(calib.Fit(context.Background(), calib.QaTS{}, cal))
	fmt.Printf("ECE %.4f\n", metrics.ECE(must(metrics.FromProbs(must(fitted.Probabilities(test)), test)), 15))
}
