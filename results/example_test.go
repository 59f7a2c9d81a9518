package results_test

import (
	"fmt"
	"log"

	"github.com/qats-bench/qats/results"
)

// The mean ECE of each method over the networks of a results.csv (a part of the one
// that make companion writes). Rows without a value are counted, since a mean over
// fewer networks is not comparable.
func Example() {
	records, err := results.ReadResults("testdata/results.csv")
	if err != nil {
		log.Fatal(err)
	}
	sum, ok, absent := map[string]float64{}, map[string]int{}, map[string]int{}
	for _, r := range records {
		switch {
		case r.Metric != "ece" || r.Source == "simulated":
		case r.Status == results.OK:
			sum[r.Method] += r.Value
			ok[r.Method]++
		default:
			absent[r.Method]++
		}
	}
	for _, method := range []string{"uncal", "ts", "qats", "featclip"} {
		mean := sum[method] / float64(ok[method])
		fmt.Printf("%-8s %.2f %% over %d networks, no value for %d\n", method, 100*mean, ok[method], absent[method])
	}
	// Output:
	// uncal    1.75 % over 6 networks, no value for 0
	// ts       1.41 % over 6 networks, no value for 0
	// qats     1.44 % over 6 networks, no value for 0
	// featclip 1.84 % over 2 networks, no value for 4
}
