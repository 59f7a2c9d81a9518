package metrics

import "math"

var eceTMEntry = Entry{
	Name:      "ece_tm",
	Outputs:   []string{"ece_tm"},
	Label:     "ECE (torchmetrics)",
	Better:    Lower,
	Percent:   true,
	OnRequest: true,
	Version:   1,
	Summary:   "ECE-15 as torchmetrics bins it: float32, left-closed bins, confidence 1 in a 16th bin of its own",
	Reference: "Detlefsen et al. 2022 (torchmetrics, binary and multiclass calibration error)",
	Compute:   func(in Input) ([]float64, error) { return []float64{eceTM(in.Facts, 15)}, nil },
}

// eceTM returns the ECE of m equal-width bins by the convention of
// torchmetrics, to compare with numbers made by it: confidences are rounded to
// float32, bin b is [edge_b, edge_b+1) with the float32 edges of
// torch.linspace(0, 1, m+1), and confidences that are 1 in float32 make up a
// bin of their own. With saturated networks that bin holds a good part of the
// rows. Sums are exact here, float32 there: values agree to about 1e-6.
func eceTM(f *Facts, m int) float64 {
	edges := make([]float32, m+1)
	step := float32(1) / float32(m)
	for i := range edges {
		if i < (m+1)/2 { // torch counts from both ends
			edges[i] = step * float32(i)
		} else {
			edges[i] = 1 - float32(step*float32(m-i))
		}
	}
	sums, hits := make([]exactSum, m+1), make([]int, m+1)
	for i, c := range f.Conf {
		conf := float32(c)
		b := min(int(conf*float32(m))+1, m) // a guess that is not too low
		for b > 0 && conf < edges[b] {
			b--
		}
		sums[b].add(float64(conf))
		if f.Hit(i) {
			hits[b]++
		}
	}
	sum := 0.0
	for b := range sums {
		sum += math.Abs(sums[b].value() - float64(hits[b]))
	}
	return sum / float64(f.N())
}
