package metrics

import "strconv"

// binCounts are the numbers of bins of ece_bins and aece_bins, beside the usual 15.
var binCounts = []int{5, 10, 20, 30, 50, 100}

// eceBinsEntry shows how far a result depends on the number of bins.
var eceBinsEntry = Entry{
	Name:      "ece_bins",
	Outputs:   binOutputs("ece", "ECE"),
	Better:    Lower,
	Percent:   true,
	OnRequest: true,
	Version:   1,
	Summary:   "ece with 5, 10, 20, 30, 50 and 100 bins of equal width, for the sensitivity of a result to the number of bins",
	Reference: "Naeini et al. 2015; Guo et al. 2017",

	Formula:   "ece with m bins",
	Code:      "none",
	Agreement: "not compared; the function is that of ece",
	Departs:   "the number of bins",

	Compute: overBins(ECE),
}

// aeceBinsEntry is the same of bins of equal mass.
var aeceBinsEntry = Entry{
	Name:      "aece_bins",
	Outputs:   binOutputs("aece", "AECE"),
	Better:    Lower,
	Percent:   true,
	OnRequest: true,
	Version:   1,
	Summary:   "aece with 5, 10, 20, 30, 50 and 100 bins of equal mass, for the sensitivity of a result to the number of bins",
	Reference: "the QaTS paper; after Nixon et al. 2019",

	Formula:   "aece with m bins",
	Code:      "none",
	Agreement: "not compared; the function is that of aece",
	Departs:   "the number of bins",

	Compute: overBins(AECE),
}

// binOutputs returns an output for each number of bins: ece_5, "ECE, 5 bins".
func binOutputs(name, label string) (list []Output) {
	for _, m := range binCounts {
		list = append(list, Output{name + "_" + strconv.Itoa(m), label + ", " + strconv.Itoa(m) + " bins", 0, 1})
	}
	return list
}

// overBins computes a metric for each number of bins.
func overBins(metric func(*Samples, int) float64) func(*Samples, uint64) ([]float64, error) {
	return func(s *Samples, _ uint64) ([]float64, error) {
		var list []float64
		for _, m := range binCounts {
			list = append(list, metric(s, m))
		}
		return list, nil
	}
}
