package linear_test

import (
	"context"
	"fmt"
	"log"

	"github.com/qats-bench/qats/calib"
	"github.com/qats-bench/qats/calib/linear"
	"github.com/qats-bench/qats/data"
)

// The new confidence is a sigmoid of the old one's log odds.
func ExampleTopPlatt() {
	cal := &data.Set{
		Logits: data.Matrix{Rows: 8, Cols: 2, Data: []float32{4, 0, 3, 0, 2, 0, 1, 0, 0, 1, 0, 2, 0, 3, 0, 4}},
		Labels: []int32{0, 1, 0, 0, 0, 1, 1, 1},
	}
	fitted, err := calib.Fit(context.Background(), linear.TopPlatt{}, cal)
	if err != nil {
		log.Fatal(err)
	}
	probs, err := fitted.Probabilities(&data.Set{Logits: data.Matrix{Rows: 1, Cols: 2, Data: []float32{3, 0}}})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("probabilities %.3f\n", probs.Row(0))
	for _, p := range fitted.Parameters() {
		fmt.Printf("%s = %.3f\n", p.Name, p.Value)
	}
	// Output:
	// probabilities [0.755 0.245]
	// a = 0.315
	// b = 0.178
}
