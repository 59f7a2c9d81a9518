package neighbours

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/qats-bench/qats/calib"
	"github.com/qats-bench/qats/calib/internal/fit"
	"github.com/qats-bench/qats/calib/internal/method"
	"github.com/qats-bench/qats/data"
	"github.com/qats-bench/qats/internal/kernel/softmax"
)

// ProCal is proximity-informed calibration by a ratio of densities, of the top label;
// see TopLabel. The proximity r of a row is high where the calibration set is dense.
// Two densities of (c, r), confidence and proximity, are estimated: f1 among the n1
// right calibration rows and f0 among the n0 wrong ones. They are products of Gaussian
// kernels with the bandwidth 1.06 s n^(-1/6), s the standard deviation of c or r among
// these rows. A calibration row is not its own neighbour. The base is the softmax, or
// that of temperature scaling. Rows with one class that is not masked count as all others
// do, since they are neighbours too.
//
//   - Formula: confidence n1 f1/(n1 f1 + n0 f0), f1 and f0 kernel densities of
//     (confidence, r) among right and wrong rows, r the mean of exp(-s) over the 10
//     nearest neighbours, s as in dac
//   - Reference: Xiong, Deng, Koh, Wu, Li, Xu and Hooi 2023
//   - Compared with: MiaoXiong2320/ProximityBias-Calibration (the authors'), with faiss
//     and statsmodels
//   - Agreement: on drawn rows, proximities to 1e-6 (theirs in float32), and confidences
//     to 1e-12 given the same proximities
//   - Departures: The proximity follows the authors' code; in the paper it is exp of
//     minus the mean distance. Their code divides by max(n1 f1 + n0 f0, 1e-10 n1), so a
//     row far from all others gets confidence 0; ours has no such floor. Where c or r does
//     not vary among the right or the wrong rows, the bandwidth takes the deviation over
//     all rows, and where it does not vary among all, it is left out; their code divides
//     by 0. Without wrong rows the confidence is 1 and without right rows 0, before the mass
//     is mixed in (calib.Mass). If there are more than 10,000 calibration rows,
//     neighbours are searched among 10,000 of them, drawn at random. The authors also use other bases.
type ProCal struct {
	Neighbours int    // K, 1 to 1,000; 0 means 10; of fewer rows all
	Bank       int    // most rows among which neighbours are searched, chosen at random, 1 to 1,000,000; 0 means 10,000
	Base       string // none or ts; empty means none
}

// ProCalEntry is the entry of ProCal.
var ProCalEntry = calib.NewEntry[ProCal, proCalMap](calib.Entry{
	Name:    "procal",
	Label:   "ProCal",
	Version: 5,
	Since:   4,
	Summary: "confidence by the densities of confidence and proximity among right and wrong rows; a top-label method",
	Aliases: []string{"procal-dr", "density-ratio", "proximity"},
	Cost:    3000,
	Cost100: 500,
})

// String returns the name of the method.
func (ProCal) String() string { return ProCalEntry.Name }

// Options returns the options neighbours, bank and base.
func (m *ProCal) Options() []calib.Option {
	return append(proximityOptions(&m.Neighbours, &m.Bank),
		calib.ChoiceOption("base", &m.Base, []string{"none", "ts"}, "where the confidence comes from: the softmax, or temperature scaling"))
}

// proximityOptions returns the options neighbours and bank.
func proximityOptions(k, bank *int) []calib.Option {
	return []calib.Option{
		calib.IntOption("neighbours", k, 10, 1, 1000, "K: proximity is a mean over the K nearest neighbours"),
		calib.IntOption("bank", bank, 10_000, 1, 1_000_000, "most calibration rows among which neighbours are searched"),
	}
}

// Contract needs logits, labels and features.
func (ProCal) Contract() calib.Contract {
	return method.OfValues(method.Sized(method.FeaturesContract()))
}

// Fit returns the points of the two densities.
func (m ProCal) Fit(ctx context.Context, in calib.Input) (*calib.Fitted, error) {
	m, err := calib.WithDefaults(m)
	if err != nil {
		return nil, err
	}
	if err := method.CheckGrouped(in.Cal); err != nil {
		return nil, err
	}
	p := proCalMap{T: 1}
	report := calib.Report{Passes: 1}
	if m.Base == "ts" {
		o, err := method.Objective(in)
		if err != nil {
			return nil, err
		}
		if p.T, report, err = fit.Temperature(ctx, o); err != nil {
			return nil, err
		}
		report.NLL, report.Passes = 0, report.Passes+1
	}
	var others []float64
	if p.proximityBank, others, _, err = newProximityBank(ctx, in, m.Neighbours, m.Bank); err != nil {
		return nil, err
	}
	groups, conf := [2]densityKernels{}, make([]float64, in.Cal.Logits.Rows)
	p.base(conf, in.Cal, calib.NewUnscaled(in.Cal.Logits))
	for i, y := range in.Cal.Labels {
		g := &groups[0]
		if fit.Hit(in.Cal.Logits.Row(i), y) {
			g = &groups[1]
		}
		g.X, g.Y = append(g.X, conf[i]), append(g.Y, others[i])
	}
	newKernels(&groups)
	p.Wrong, p.Right = groups[0], groups[1]
	for _, end := range []struct {
		points int
		text   string
	}{{len(p.Wrong.X), "wrong: every confidence is 1 - 1/(2n + 4) of n rows"}, {len(p.Right.X), "right: every confidence is 1/(2n + 4) of n rows"}} {
		if end.points == 0 {
			report.Warn(calib.Warning{Text: "no calibration row is " + end.text})
		}
	}
	return &calib.Fitted{Map: calib.MassOf(p, in.Cal.Logits.Rows).Map(p), Report: report}, nil
}

// proximityBank computes proximities. Its fields are saved.
type proximityBank struct {
	Neighbours int `json:"neighbours"` // K
	featureBank
}

// newProximityBank returns the bank of the calibration rows and their proximities; see
// ownValues.
func newProximityBank(ctx context.Context, in calib.Input, k, most int) (b proximityBank, others, all []float64, err error) {
	bank, own := newBank(in, most)
	others, all, err = ownValues(ctx, &bank, in.Cal.Features, own, k, proximity)
	return proximityBank{k, bank}, others, all, err
}

// proximity returns the mean of exp(-s), 0 of no neighbours.
func proximity(near []float64) float64 {
	sum := 0.0
	for _, s := range near {
		sum += softmax.Exp(-s)
	}
	return sum / float64(max(1, len(near)))
}

// proximities writes the proximity of every row.
func (b *proximityBank) proximities(dst []float64, features data.Matrix) {
	b.Nearest(features, b.Neighbours, func(i int, near []float64) { dst[i] = proximity(near) })
}

func (b *proximityBank) check() error {
	if b.Neighbours < 1 {
		return fmt.Errorf("%d neighbours: want 1 or more", b.Neighbours)
	}
	return b.featureBank.Check()
}

// proCalMap is the ratio of the densities.
type proCalMap struct {
	T     float64        `json:"T"` // of the base, 1 without
	Right densityKernels `json:"right"`
	Wrong densityKernels `json:"wrong"`
	proximityBank
}

// Prepared returns m with its bank packed.
func (m proCalMap) Prepared() calib.Map {
	m.Prepare()
	return m
}

func (m proCalMap) Check() error {
	if err := fit.CheckTemperature("T", m.T); err != nil {
		return err
	}
	if len(m.Right.X)+len(m.Wrong.X) == 0 {
		return errors.New("no points in right and wrong")
	}
	if err := m.Right.Check(); err != nil {
		return fmt.Errorf("right: %w", err)
	}
	if err := m.Wrong.Check(); err != nil {
		return fmt.Errorf("wrong: %w", err)
	}
	return m.check()
}

// Certain reports whether there are no right or no wrong rows; see calib.Certain. With both the ratio is 0 or 1 only where a
// density underflows beside the other.
func (m proCalMap) Certain() bool { return len(m.Right.X) == 0 || len(m.Wrong.X) == 0 }

// CheckSet rejects features of another width.
func (m proCalMap) CheckSet(set *data.Set) error { return method.CheckWidth(set, m.Width) }

// Parameters returns the temperature of the base and the shares.
func (m proCalMap) Parameters() []calib.Parameter {
	return []calib.Parameter{
		calib.Temperature{T: m.T}.Parameters()[0],
		{Name: "n_right", Value: float64(len(m.Right.X)), Meaning: "right calibration rows"},
		{Name: "n_wrong", Value: float64(len(m.Wrong.X)), Meaning: "wrong calibration rows"},
	}
}

// base writes the confidences of the base.
func (m *proCalMap) base(dst []float64, set *data.Set, at *calib.Unscaled) {
	if m.T == 1 {
		copy(dst, at.Confidences())
		return
	}
	moments := make([]softmax.Moments, len(dst))
	softmax.Rows(moments, set.Logits.Data, set.Logits.Cols, []float64{1 / m.T})
	for i := range moments {
		dst[i] = moments[i].Conf()
	}
}

// Confidences writes g of every row.
func (m proCalMap) Confidences(dst []float64, set *data.Set, at *calib.Unscaled) {
	near := make([]float64, len(dst))
	m.base(dst, set, at)
	m.proximities(near, set.Features)
	buffer := make([]float64, max(len(m.Right.X), len(m.Wrong.X)))
	for i, c := range dst {
		right, wrong := m.Right.LogSum(c, near[i], buffer), m.Wrong.LogSum(c, near[i], buffer)
		switch {
		case math.IsInf(wrong, -1):
			dst[i] = 1
		case math.IsInf(right, -1):
			dst[i] = 0
		default:
			dst[i] = 1 / (1 + softmax.Exp(wrong-right))
		}
	}
}
