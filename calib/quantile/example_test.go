package quantile_test

import (
	"context"
	"fmt"
	"log"

	"github.com/qats-bench/qats/calib"
	"github.com/qats-bench/qats/calib/quantile"
	"github.com/qats-bench/qats/data"
)

// The temperature is linear in the rank of the confidence.
func ExampleQaTSTop() {
	cal := &data.Set{
		Logits: data.Matrix{Rows: 8, Cols: 2, Data: []float32{4, 0, 3, 0, 2, 0, 1, 0, 0, 1, 0, 2, 0, 3, 0, 4}},
		Labels: []int32{0, 1, 0, 0, 0, 1, 1, 1},
	}
	fitted, err := calib.Fit(context.Background(), quantile.QaTSTop{}, cal)
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
	// probabilities [0.665 0.335]
	// a = 15.096
	// b = 0.589
}
