package metrics

import "strconv"

// binCounts are the numbers of bins of ece_bins and aece_bins, beside the usual 15.
var binCounts = []int{5, 10, 20, 30, 50, 100}

// eceBinsEntry shows how far the ECE depends on the number of bins.
//
//   - Metric: ece_bins
//   - Formula: ece with m bins
//   - Reference: Naeini et al. 2015; Guo et al. 2017
//   - Compared with: none
//   - Agreement: not compared; the function is that of ece
//   - Departures: the number of bins
var eceBinsEntry = binsEntry("ece", "ECE", "width", ECE)

// aeceBinsEntry shows how far the AECE depends on the number of bins.
//
//   - Metric: aece_bins
//   - Formula: aece with m bins
//   - Reference: the QaTS paper; after Nixon et al. 2019
//   - Compared with: none
//   - Agreement: not compared; the function is that of aece
//   - Departures: the number of bins
var aeceBinsEntry = binsEntry("aece", "AECE", "mass", AECE)

// binsEntry returns the entry of a metric with other numbers of bins of equal width or
// mass.
func binsEntry(name, label, equal string, metric func(*Samples, int) float64) Entry {
	return Entry{
		Name:      name + "_bins",
		Group:     Binned,
		Outputs:   binOutputs(name, label),
		Better:    Lower,
		Percent:   true,
		OnRequest: true,
		Unranked:  true,
		BinsOf:    name,
		Bins:      binCounts,
		Version:   1,
		Summary:   name + " with 5, 10, 20, 30, 50 and 100 bins of equal " + equal + ", for the sensitivity of a result to the number of bins",
		Basis:     &squaredMass,
		Compute: func(s *Samples, _ uint64) ([]float64, error) {
			var list []float64
			for _, m := range binCounts {
				list = append(list, metric(s, m))
			}
			return list, nil
		},
	}
}

// binOutputs returns an output for each number of bins: ece_5, "ECE, 5 bins".
func binOutputs(name, label string) (list []Output) {
	for _, m := range binCounts {
		list = append(list, Output{name + "_" + strconv.Itoa(m), label + ", " + strconv.Itoa(m) + " bins", 0, 1})
	}
	return list
}
