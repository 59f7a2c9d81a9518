package binning

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/qats-bench/qats/calib"
	"github.com/qats-bench/qats/calib/internal/fit"
	"github.com/qats-bench/qats/calib/internal/method"
	"github.com/qats-bench/qats/calib/onevsrest"
	"github.com/qats-bench/qats/data"
	"github.com/qats-bench/qats/internal/kernel/softmax"
)

// Histogram is histogram binning of each class against all others. The bins are those
// of the ECE, of equal width and right-closed (softmax.Bin). The prediction may change.
//
//   - Formula: q_j = share of class j in the bin of p_j, divided by the sum over the
//     classes
//   - Reference: Zadrozny and Elkan 2001; Guo, Pleiss, Sun and Weinberger 2017
//   - Compared with: numpy
//   - Agreement: probabilities to 1e-13 with masks in numpy on drawn rows, without the
//     mass
//   - Departures: Shares of 0 or 1 have a mass (calib.Mass). The papers leave two cases
//     open. A bin without calibration rows returns its centre, as in two of four other
//     implementations; the others return 0 or the share of the class. A row of zeros
//     becomes uniform.
type Histogram struct {
	Bins int // of equal width, right-closed, 1 to 1000; 0 means 15
}

// HBEntry is the entry of Histogram.
var HBEntry = calib.NewEntry[Histogram, hbMap](calib.Entry{
	Name:    "hb",
	Label:   "HB",
	Version: 3,
	Since:   2,
	Summary: "histogram binning of each class against all others, rows normalised",
	Aliases: []string{"histogram-binning"},
})

// String returns the name of the method.
func (Histogram) String() string { return HBEntry.Name }

// TopHistogram is histogram binning of the top label; see TopLabel. Bins are as in
// Histogram. Calibration rows with one class that is not masked are left out, since their
// confidence is 1 whatever is fitted.
//
//   - Formula: confidence = accuracy of the rows in the bin of conf
//   - Reference: Zadrozny and Elkan 2001; Gupta and Ramdas 2022
//   - Compared with: numpy
//   - Agreement: confidences to 1e-13 with masks in numpy on drawn rows, without the mass
//   - Departures: An empty bin returns its centre, as in hb. An accuracy of 0 or 1 has a
//     mass (calib.Mass).
type TopHistogram struct {
	Bins int // of equal width, right-closed, 1 to 1000; 0 means 15
}

// HBTopEntry is the entry of TopHistogram.
var HBTopEntry = calib.NewEntry[TopHistogram, hbTopMap](calib.Entry{
	Name:    "hb-top",
	Label:   "HB-top",
	Version: 5,
	Since:   4,
	Summary: "histogram binning of the confidence of the prediction; a top-label method",
})

// String returns the name of the method.
func (TopHistogram) String() string { return HBTopEntry.Name }

// histogram is the value of each of m bins of equal width on [0, 1].
type histogram []float64

// at returns the value of the bin of x.
func (h histogram) at(x float64) float64 { return h[softmax.Bin(x, len(h))] }

// inFirstBin reports whether softmax.Bin(x, m) is 0. With many classes nearly all
// probabilities are there, and this test is faster.
func inFirstBin(x float64, m int) bool { return float64(x*float64(m)) <= 1 }

// binTally counts the rows of each bin, and the hits among them.
type binTally struct{ rows, hits []float64 }

func newBinTally(bins int) binTally {
	return binTally{make([]float64, bins), make([]float64, bins)}
}

func (t binTally) add(x float64, hit bool) {
	b := softmax.Bin(x, len(t.rows))
	t.rows[b]++
	if hit {
		t.hits[b]++
	}
}

// histogram returns the share of hits in each bin, the centre of an empty one.
func (t binTally) histogram() histogram {
	h := make(histogram, len(t.rows))
	for b, n := range t.rows {
		if n > 0 {
			h[b] = t.hits[b] / n
		} else {
			h[b] = (float64(b) + 0.5) / float64(len(h))
		}
	}
	return h
}

// Certain reports whether a bin has the value 0 or 1; see calib.Certain.
func (h histogram) Certain() bool { return certain(h) }

// certain reports whether one of the values of bins is exactly 0 or 1.
func certain(values []float64) bool { return slices.Contains(values, 0) || slices.Contains(values, 1) }

func (h histogram) Check() error {
	if len(h) == 0 {
		return errors.New("no bins")
	}
	for b, v := range h {
		if !(v >= 0 && v <= 1) {
			return fmt.Errorf("bins[%d] = %v is outside [0, 1]", b, v)
		}
	}
	return nil
}

// Options returns the option bins.
func (h *Histogram) Options() []calib.Option { return method.BinsOption(&h.Bins) }

// Contract needs logits and labels. The prediction may change.
func (Histogram) Contract() calib.Contract {
	return method.OfValues(method.Sized(method.VectorContract()))
}

// Fit returns a histogram for each class.
func (h Histogram) Fit(ctx context.Context, in calib.Input) (*calib.Fitted, error) {
	h, err := method.Ready(h, in)
	if err != nil {
		return nil, err
	}
	set := in.Cal
	tallies := make([]binTally, set.Logits.Cols)
	for j := range tallies {
		tallies[j] = newBinTally(h.Bins)
	}
	placed := make([][]placement, set.Logits.Rows)
	var all []placement // of the rows so far
	err = fit.EachRow(ctx, set.Logits, func(i int, p []float64, _ float64) {
		from := len(all)
		for j, x := range p {
			if !inFirstBin(x, h.Bins) {
				b := softmax.Bin(x, h.Bins)
				tallies[j].rows[b]++
				all = append(all, placement{int32(j), int32(b)})
			}
		}
		placed[i] = all[from:len(all):len(all)]
		y := set.Labels[i]
		tallies[y].hits[softmax.Bin(p[y], h.Bins)]++
	})
	if err != nil {
		return nil, err
	}
	var m hbMap
	m.Classes = make([]histogram, len(tallies))
	for j, t := range tallies {
		t.rows[0] = float64(set.Logits.Rows) // without the rows of the other bins
		for _, n := range t.rows[1:] {
			t.rows[0] -= n
		}
		m.Classes[j] = t.histogram()
	}
	mass := calib.MassOf(m, set.Logits.Rows)
	return &calib.Fitted{Map: mass.Map(m), Report: calib.Report{NLL: m.nll(mass, placed, set.Labels), Passes: 1}}, nil
}

// placement says that the probability of a class is in a bin other than the first. A
// row has fewer of them than there are bins, since its probabilities sum to 1.
type placement struct{ class, bin int32 }

// nll returns the mean NLL, with the floor of the metric, of the calibration rows, given
// the mass that is mixed in and their bins.
func (m hbMap) nll(mass calib.Mass, placed [][]placement, labels []int32) float64 {
	first := m.first()
	q := make([]float64, len(first))
	total := 0.0
	for i, y := range labels {
		copy(q, first)
		for _, p := range placed[i] {
			q[p.class] = m.Classes[p.class][p.bin]
		}
		sum := 0.0
		for _, v := range q {
			sum += v
		}
		total -= softmax.Log(max(mass.Mix(q[y]/sum, len(q)), fit.LeastProb)) // the bin of p_y has this row, so q_y > 0
	}
	return total / float64(len(labels))
}

// hbMap holds a histogram for each of the k classes: Classes is k x m.
type hbMap struct{ onevsrest.PerClass[histogram] }

// first returns the value of the first bin of each class.
func (m hbMap) first() []float64 {
	first := make([]float64, len(m.Classes))
	for j, h := range m.Classes {
		first[j] = h[0]
	}
	return first
}

// Apply writes the n x k probabilities.
func (m hbMap) Apply(dst data.Probs, set *data.Set) {
	first := m.first()
	for i := range set.Logits.Rows {
		q := dst.Row(i)
		for j, p := range softmax.Probs(q, set.Logits.Row(i), 1) {
			if h := m.Classes[j]; inFirstBin(p, len(h)) {
				q[j] = first[j]
			} else {
				q[j] = h.at(p)
			}
		}
		softmax.Normalise(q)
	}
}

// Options returns the option bins.
func (h *TopHistogram) Options() []calib.Option { return method.BinsOption(&h.Bins) }

// Contract needs logits and labels.
func (TopHistogram) Contract() calib.Contract {
	return method.OfValues(method.Sized(method.TopContract()))
}

// Fit returns the histogram of the confidences.
func (h TopHistogram) Fit(ctx context.Context, in calib.Input) (*calib.Fitted, error) {
	h, err := calib.WithDefaults(h)
	if err != nil {
		return nil, err
	}
	rows, err := method.TopRows(ctx, in.Cal)
	if err != nil {
		return nil, err
	}
	tally := newBinTally(h.Bins)
	for _, r := range rows {
		tally.add(r.Conf, r.Hit)
	}
	return method.TopMixed(hbTopMap{tally.histogram()}, len(rows)), nil
}

// hbTopMap holds the histogram of the confidences.
type hbTopMap struct {
	Bins histogram `json:"bins"` // m
}

func (m hbTopMap) Check() error { return m.Bins.Check() }

// Certain reports whether the histogram is.
func (m hbTopMap) Certain() bool { return m.Bins.Certain() }

// Confidences writes the value of the bin of every confidence.
func (m hbTopMap) Confidences(dst []float64, _ *data.Set, at *calib.Unscaled) {
	for i, conf := range at.Confidences() {
		dst[i] = m.Bins.at(conf)
	}
}
