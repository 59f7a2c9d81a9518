package metrics

import (
	"math"

	"github.com/qats-bench/qats/internal/exact"
)

var eceTorchEntry = Entry{
	Name:      "ece_tm",
	Group:     Binned,
	Outputs:   []Output{{"ece_tm", "ECE (torchmetrics)", 0, 1}},
	Better:    Lower,
	Percent:   true,
	OnRequest: true,
	Version:   1,
	Summary:   "ECE-15 as torchmetrics bins it: float32, left-closed bins, confidence 1 in a 16th bin of its own",
	Aliases:   []string{"torchmetrics"},

	Basis:   &squaredMass,
	Compute: value(func(s *Samples) float64 { return TorchECE(s, 15) }),
}

// TorchECE returns the ECE of bins >= 1 bins of equal width by the convention of
// torchmetrics, in [0, 1], to compare with numbers that it has computed. Confidences
// are rounded to float32. The edges are those of torch.linspace(0, 1, bins+1); see
// torchEdges. With saturated networks the bin of confidence 1 holds a good part of the
// samples.
//
//   - Metric: ece_tm
//   - Formula: ece with torchmetrics' float32 bins [lo, hi) and a 16th bin for
//     confidence 1
//   - Reference: Detlefsen et al. 2022 (torchmetrics, binary and multiclass calibration
//     error)
//   - Compared with: torch's edges in numpy; torchmetrics' documentation
//   - Agreement: cifar10-jpeg/resnet50-w8-s2 of data/bundle: value to 1e-9 with numpy;
//     the example in its documentation
//   - Departures: Sums are exact. Theirs are float32, so values agree to about 1e-6.
func TorchECE(s *Samples, bins int) float64 {
	m := max(1, bins)
	edges := torchEdges(m)
	sums, hits := make([]exact.Sum, m+1), make([]int, m+1)
	for _, x := range s.sorted {
		conf := float32(x.conf)
		b := min(int(conf*float32(m))+1, m) // a first guess, never too low
		for b > 0 && conf < edges[b] {
			b--
		}
		sums[b].Add(float64(conf))
		if x.correct {
			hits[b]++
		}
	}
	sum := 0.0
	for b := range sums {
		sum += math.Abs(sums[b].Value() - float64(hits[b]))
	}
	return sum / float64(max(1, s.Len()))
}

// torchEdges returns torch.linspace(0, 1, m+1) as torch 1.13.1 computes it on
// x86 processors with AVX2. An edge is counted from the nearer end and rounded once. Of
// each 16 edges, two vectors of eight, only the first edge of a vector is computed so;
// the others add steps to it. On other processors, such as GPUs, edges may differ by
// one unit in the last place.
func torchEdges(m int) []float32 {
	n, step := m+1, float32(1)/float32(m)
	edge := func(i int) float32 {
		if i < n/2 {
			return float32(float64(step) * float64(i))
		}
		return float32(1 - float64(step)*float64(m-i)) // the product is exact in float64
	}
	edges := make([]float32, n)
	for i := range edges {
		if i >= n/16*16 {
			edges[i] = edge(i)
			continue
		}
		first := i / 8 * 8
		edges[i] = edge(first) + float32(step*float32(i-first))
	}
	return edges
}
