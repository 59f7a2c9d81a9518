package metrics

var miouEntry = Entry{
	Name:      "miou",
	Outputs:   []string{"miou"},
	Label:     "mIoU",
	Better:    Higher,
	Percent:   true,
	OnRequest: true,
	Version:   1,
	Summary:   "mean over classes of intersection over union of predicted and labelled rows, for rows that are pixels",
	Reference: "Everingham et al. 2010",
	Compute:   func(in Input) ([]float64, error) { return []float64{miou(in.Facts)}, nil },
}

// miou is the mean over the classes that some row has or is given of
//
//	IoU_c = #(pred = c and label = c) / #(pred = c or label = c)
//
// over all rows pooled, as segmentation benchmarks pool pixels. A class that
// no row has or is given is left out; there is always one that is not.
func miou(f *Facts) float64 {
	both, either := map[int32]int{}, map[int32]int{}
	last := int32(0)
	for i, p := range f.Pred {
		y := f.Label[i]
		last = max(last, p, y)
		either[p]++
		if p == y {
			both[p]++
		} else {
			either[y]++
		}
	}
	sum := 0.0
	for c := int32(0); c <= last; c++ {
		if either[c] > 0 {
			sum += float64(both[c]) / float64(either[c])
		}
	}
	return sum / float64(len(either))
}
