package temperature_test

import (
	"context"
	"fmt"
	"log"

	"github.com/qats-bench/qats/calib"
	"github.com/qats-bench/qats/calib/temperature"
	"github.com/qats-bench/qats/data"
)

// The authors' code stops before the minimum, and the report says so.
func ExampleTSGuo50() {
	cal := &data.Set{
		Logits: data.Matrix{Rows: 8, Cols: 2, Data: []float32{4, 0, 3, 0, 2, 0, 1, 0, 0, 1, 0, 2, 0, 3, 0, 4}},
		Labels: []int32{0, 1, 0, 0, 0, 1, 1, 1},
	}
	fitted, err := calib.Fit(context.Background(), temperature.TSGuo50{}, cal)
	if err != nil {
		log.Fatal(err)
	}
	probs, err := fitted.Probabilities(&data.Set{Logits: data.Matrix{Rows: 1, Cols: 2, Data: []float32{3, 0}}})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("probabilities %.3f\n", probs.Row(0))
	fmt.Println(fitted.Report.Warnings)
	// Output:
	// probabilities [0.862 0.138]
	// stops short of the minimum by design: gradient 0.043 after 50 steps
}
