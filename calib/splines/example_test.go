package splines_test

import (
	"context"
	"fmt"
	"log"

	"github.com/qats-bench/qats/calib"
	"github.com/qats-bench/qats/calib/splines"
	"github.com/qats-bench/qats/data"
)

// The new confidence is the derivative of a spline through the cumulative number of right rows.
func ExampleCumulative() {
	cal := &data.Set{
		Logits: data.Matrix{Rows: 8, Cols: 2, Data: []float32{4, 0, 3, 0, 2, 0, 1, 0, 0, 1, 0, 2, 0, 3, 0, 4}},
		Labels: []int32{0, 1, 0, 0, 0, 1, 1, 1},
	}
	fitted, err := calib.Fit(context.Background(), splines.Cumulative{Knots: 3}, cal)
	if err != nil {
		log.Fatal(err)
	}
	probs, err := fitted.Probabilities(&data.Set{Logits: data.Matrix{Rows: 1, Cols: 2, Data: []float32{3, 0}}})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("probabilities %.3f\n", probs.Row(0))
	// Output:
	// probabilities [0.797 0.203]
}
