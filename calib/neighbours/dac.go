package neighbours

import (
	"context"
	"fmt"
	"math"

	"github.com/qats-bench/qats/calib"
	"github.com/qats-bench/qats/calib/internal/fit"
	"github.com/qats-bench/qats/calib/internal/method"
	"github.com/qats-bench/qats/calib/report"
	"github.com/qats-bench/qats/data"
	"github.com/qats-bench/qats/internal/kernel/softmax"
)

// DAC is density-aware calibration: the temperature of a row grows with its distance to
// known features. w is in [0, 10000], w0 in [-100, 100], s in [0, 4]. A feature of
// length 0 stays 0. The bank is a set of features h/|h| of calibration rows.
//
// The loss is not convex where T is floored. The fit starts at ts (w = 0) and at the
// start of the authors (w = w0 = 1) and takes the lower minimum.
//
//   - Formula: p = softmax(l/T), T = max(w s + w0, .001), s the squared distance of
//     h/|h| to its K-th neighbour in the bank; by mean NLL
//   - Reference: Tomani, Waseda, Shen and Cremers 2023
//   - Compared with: futakw/DensityAwareCalibration, the authors': DAC and KNNScorer,
//     whose search was replaced by brute force in numpy
//   - Agreement: on drawn rows, distances to 1e-7 (theirs in float32), and w and w0 to
//     1e-6 at the minimum of their loss; their L-BFGS-B can stop before it
//   - Departures: Neighbours are calibration rows, where the authors search the features
//     of the training set. A calibration row is not its own neighbour when w and w0 are
//     fitted. The reported NLL is that of the fitted map, where a calibration row does count
//     as its own neighbour. The authors
//     sum w s over several layers, have one of their methods behind it, and keep T above
//     1e-20; here are one layer, temperature scaling, and a floor as in hfe. By default K
//     is 1 in 1,000 rows, the authors' share: 50 of 50,000 rows of CIFAR-10, 10 of 12,811
//     of ImageNet. Their code takes the nearest neighbour for every K; ours takes the
//     K-th, as in the paper, so K = 1 is their code. Their L-BFGS-B with numerical
//     gradients can stop far from the minimum.
type DAC struct {
	Neighbours *int // K, 1 to 100,000, at most the rows of the bank; nil means its rows/1000, at least 1
	Bank       int  // most rows of the bank, chosen at random, 1 to 1,000,000; 0 means 10,000
}

// DACEntry is the entry of DAC.
var DACEntry = calib.NewEntry[DAC, dacMap](calib.Entry{
	Name:    "dac",
	Label:   "DAC",
	Version: 5,
	Summary: "temperature linear in the distance of the features to their neighbours among the calibration rows",
	Cost:    3000,
	Cost100: 500,
})

// String returns the name of the method.
func (DAC) String() string { return DACEntry.Name }

const (
	dacFloor      = 1e-3 // the least temperature
	dacMostSlope  = 1e4
	dacMostOffset = 100.0
)

// Options returns the options neighbours and bank.
func (m *DAC) Options() []calib.Option {
	return []calib.Option{
		calib.OptionalInt("neighbours", &m.Neighbours, nil, 1, 100_000, "K: distances are to the K-th neighbour; unset: 1 for each 1,000 rows of the bank"),
		calib.IntOption("bank", &m.Bank, 10_000, 1, 1_000_000, "most calibration rows among which neighbours are searched"),
	}
}

// Contract needs logits, labels and features.
func (DAC) Contract() calib.Contract { return method.OfValues(method.Sized(method.FeaturesContract())) }

// Fit returns w, w0 and the bank.
func (m DAC) Fit(ctx context.Context, in calib.Input) (*calib.Fitted, error) {
	m, err := calib.WithDefaults(m)
	if err != nil {
		return nil, err
	}
	if err := method.CheckFeatures(in.Cal); err != nil {
		return nil, err
	}
	loss, err := calib.NewTemperatureLoss(in)
	if err != nil {
		return nil, err
	}
	t, err := loss.Temperature(ctx)
	if err != nil {
		return nil, err
	}
	d, own := newDACMap(in, m)
	s, all, err := ownValues(ctx, &d.featureBank, in.Cal.Features, own, d.Neighbours, furthest)
	if err != nil {
		return nil, err
	}
	end, err := loss.Minimise(ctx, func(i int, theta, slope []float64) (t, rate, bend float64) {
		slope[0], slope[1] = s[i], 1
		if t = (&dacMap{Slope: theta[0], Offset: theta[1]}).temperature(s[i]); t == dacFloor {
			return t, 0, 0
		}
		return t, 1, 0
	}, [][]float64{{0, min(t, dacMostOffset)}, {1, 1}}, []calib.Range{
		{Name: "w", Least: 0, Most: dacMostSlope}, {Name: "w0", Least: -dacMostOffset, Most: dacMostOffset},
	}, 1)
	if err != nil {
		return nil, err
	}
	d.Slope, d.Offset = end.At[0], end.At[1]
	r := calib.Report{NLL: d.nll(in.Cal, all), Gradient: end.Gradient, Iterations: end.Steps, Passes: loss.Passes() + 1}
	r.WarnUnconverged()
	if d.Slope == 0 {
		r.AtBound = report.Bounds{report.AtLeast("w", 0, 0)}
	}
	floored := 0
	for _, s := range all {
		if d.temperature(s) == dacFloor {
			floored++
		}
	}
	if floored > 0 {
		r.Warn(report.Floored(dacFloor, floored, len(all)))
	}
	return &calib.Fitted{Map: d, Report: r}, nil
}

// nll returns the mean NLL of a set, given the distance s of each row. A probability below
// fit.LeastProb counts as that, as in MeanNLL.
func (m *dacMap) nll(set *data.Set, s []float64) float64 {
	scales, moments := make([]float64, len(s)), make([]softmax.Moments, len(s))
	for i := range s {
		scales[i] = 1 / m.temperature(s[i])
	}
	softmax.Rows(moments, set.Logits.Data, set.Logits.Cols, scales)
	sum, most := 0.0, -softmax.Log(fit.LeastProb)
	for i, y := range set.Labels {
		sum += min(moments[i].NLL(scales[i], set.Logits.Row(i)[y]), most)
	}
	return sum / float64(len(s))
}

// newDACMap returns the map without w and w0, and for each calibration row its place in
// the bank, -1 if it is not there.
func newDACMap(in calib.Input, m DAC) (d dacMap, own []int) {
	d.featureBank, own = newBank(in, m.Bank)
	d.Neighbours = max(1, (d.Rows+500)/1000)
	if m.Neighbours != nil {
		d.Neighbours = *m.Neighbours
	}
	return d, own
}

// dacMap is the temperature max(w s + w0, 1e-3).
type dacMap struct {
	Slope      float64 `json:"w"`
	Offset     float64 `json:"w0"`
	Neighbours int     `json:"neighbours"` // K
	featureBank
}

// Prepared returns m with its bank packed.
func (m dacMap) Prepared() calib.Map {
	m.Prepare()
	return m
}

// Parameters returns w and w0.
func (m dacMap) Parameters() []calib.Parameter {
	return []calib.Parameter{
		{Name: "w", Value: m.Slope, Meaning: "slope of the temperature in the distance s"},
		{Name: "w0", Value: m.Offset, Meaning: "offset of the temperature"},
	}
}

func (m dacMap) Check() error {
	switch {
	case !(m.Slope >= 0 && m.Slope <= dacMostSlope) || !(math.Abs(m.Offset) <= dacMostOffset):
		return fmt.Errorf("w = %v, w0 = %v: want w in [0, 10000] and |w0| <= 100", m.Slope, m.Offset)
	case m.Neighbours < 1:
		return fmt.Errorf("%d neighbours: want 1 or more", m.Neighbours)
	}
	return m.featureBank.Check()
}

// CheckSet rejects features of another width.
func (m dacMap) CheckSet(set *data.Set) error { return method.CheckWidth(set, m.Width) }

// temperature returns T of a row.
func (m *dacMap) temperature(s float64) float64 {
	return max(float64(m.Slope*s)+m.Offset, dacFloor)
}

// Scales writes 1/T of every row.
func (m dacMap) Scales(dst []float64, set *data.Set, _ *calib.Unscaled) {
	m.Nearest(set.Features, m.Neighbours, func(i int, near []float64) {
		dst[i] = 1 / m.temperature(furthest(near))
	})
}

// furthest returns s, given the squared distances of a row to its neighbours in rising
// order: the last one; 0 if there is none.
func furthest(near []float64) float64 {
	if len(near) == 0 {
		return 0
	}
	return near[len(near)-1]
}
