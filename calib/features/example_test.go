package features_test

import (
	"context"
	"fmt"
	"log"

	"github.com/qats-bench/qats/calib"
	"github.com/qats-bench/qats/calib/features"
	"github.com/qats-bench/qats/data"
)

// The features split the rows into two groups, each with its own temperature: here the logits of one
// group are too large.
func ExampleGroupCalibrationOneSet() {
	cal := &data.Set{Logits: data.NewMatrix(80, 2), Features: data.NewMatrix(80, 1), Labels: make([]int32, 80)}
	for i := range 80 {
		side := 2*(i%2) - 1 // the feature of a row
		cal.Features.Row(i)[0] = float32(side)
		cal.Logits.Row(i)[0] = float32(2 + side)
		if i/2%4 == 0 { // three rows of four are right in both groups
			cal.Labels[i] = 1
		}
	}
	fitted, err := calib.Fit(context.Background(), features.GroupCalibrationOneSet{Partitions: 1}, cal)
	if err != nil {
		log.Fatal(err)
	}
	probs, err := fitted.Probabilities(cal.View(data.Logits | data.Features))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("logits %v: %.2f\n", cal.Logits.Row(0), probs.Row(0))
	fmt.Printf("logits %v: %.2f\n", cal.Logits.Row(1), probs.Row(1))
	// Output:
	// logits [1 0]: [0.75 0.25]
	// logits [3 0]: [0.75 0.25]
}
