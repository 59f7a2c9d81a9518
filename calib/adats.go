package calib

import (
	"context"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/qats-bench/qats/calib/internal/fit"
	"github.com/qats-bench/qats/calib/internal/vae"
	"github.com/qats-bench/qats/data"
)

// AdaTS is sample-dependent adaptive temperature scaling (Joy, Pinto,
// Lim, Torr and Dokania 2023): a variational autoencoder of the features h,
// whose code w has a normal prior for each class. A small network computes, from the
// k log densities log p(w | y) of the code under these priors,
//
//	T = max(softplus(.), 1e-3).
//
// Both are trained together: vae.Net has the layers, vae.Trainer.loss the
// objective. Like the authors, we train with Adam at 5e-4, in shuffled batches of
// 128, for 100 epochs. Departures:
//
//   - For prediction, theirs takes one random draw of w, so an image has another
//     confidence each time. Ours takes the mean of the probabilities over draws (10)
//     of w. All rows use the same standard-normal vectors, drawn from the seed of the
//     fit and kept in the model, so a row depends on itself alone. The mean of w in
//     place of draws (draws: 0) would bias the densities under the priors, because
//     the network was trained on draws.
//   - Features are standardised by the mean and the standard deviation of the
//     calibration rows, and limited to 30 deviations. A feature that does not vary
//     counts as 0. Theirs are raw, so the Laplace likelihood of scale 1 depends on
//     the unit of the features.
//   - The largest layer has 256 units, theirs 1024. Training ends after 1,000
//     minibatches, which is 25 epochs of 5,000 rows. Both are options; a warning says
//     when epochs were cut. With 5,000 rows, 512 features and 100 classes a fit takes
//     25 s of a processor; as theirs it takes 12 minutes. For the same work the
//     narrow network has a lower test NLL than the wide one after 250 minibatches
//     (2.65 and 2.71, 0.523 and 0.534 nats on two real networks). Finishing the 100
//     epochs changes it by at most 0.002 on two of three networks and lowers it by
//     0.05 on the third.
//   - T is at most 1000.
//
// A fit depends on the seed of the cell, but not on the order of the rows or of the
// classes: training sorts the rows by their features and numbers the classes in
// their order of appearance. It is float32, and its bits differ between kinds of
// processors.
type AdaTS struct {
	Epochs   int  // passes over the calibration set, at most; 0 means 100
	MaxSteps *int // minibatches after which training ends, 0 for no limit; nil means 1,000
	Hidden   int  // width of the largest layer, even; 0 means 256, 1024 in the paper's code
	Draws    *int // of the code at inference, 1 in the paper's code, 0 for its mean; nil means 10
}

func adatsEntry() Entry {
	return NewEntry[AdaTS, adatsMap](Entry{
		Name:      "adats",
		Label:     "AdaTS (Joy)",
		Version:   2,
		Summary:   "temperature from an autoencoder of the features",
		Reference: "Joy, Pinto, Lim, Torr and Dokania 2023",
	})
}

const (
	adatsRate       = 5e-4
	adatsRows       = 128
	adatsMostHidden = 1 << 13
	adatsMostWidth  = 1 << 20 // features and classes
	adatsMostDraws  = 1000
)

// Options returns the options.
func (a *AdaTS) Options() []Option {
	return []Option{
		IntOption("epochs", &a.Epochs, 100, 1, math.MaxInt, "passes over the calibration set, at most"),
		OptionalInt("max_steps", &a.MaxSteps, new(1000), 0, math.MaxInt, "minibatches after which training ends; 0 for no limit"),
		IntOption("hidden", &a.Hidden, 256, 2, adatsMostHidden, "width of the largest layer, even"),
		OptionalInt("draws", &a.Draws, new(10), 0, adatsMostDraws, "of the code at inference; 0 for its mean"),
	}
}

// filled returns a with its defaults.
func (a AdaTS) filled() (AdaTS, error) {
	a, err := WithDefaults(a)
	if err == nil && a.Hidden%2 == 1 {
		err = fmt.Errorf("hidden: %d: want an even number", a.Hidden)
	}
	return a, err
}

// Prepare rejects an odd Hidden.
func (a AdaTS) Prepare() (Method, error) { return a.filled() }

// Contract needs logits, labels and features. The mean of probabilities that all
// have one top class has it too.
func (AdaTS) Contract() Contract {
	return Contract{
		Cal: data.Logits | data.Labels | data.Features, Test: data.Logits | data.Features, KeepsTop1: true,
	}
}

// Fit trains the network. The report's iterations are the minibatches, and its passes
// the epochs, that were completed. Its gradient is that of the last minibatch, at
// best noise around 0.
func (a AdaTS) Fit(ctx context.Context, in Input) (*Fitted, error) {
	a, err := a.filled()
	if err != nil {
		return nil, err
	}
	set := in.Cal
	if err := fit.CheckLabelled(set); err != nil {
		return nil, err
	}
	if err := checkFeatures(set); err != nil {
		return nil, err
	}
	n, d, k := set.Logits.Rows, set.Features.Cols, set.Logits.Cols
	if d > adatsMostWidth || k > adatsMostWidth {
		return nil, fmt.Errorf("%d features and %d classes: want at most %d", d, k, adatsMostWidth)
	}
	m := adatsMap{Width: d, Hidden: a.Hidden, Classes: k}
	m.Mean, m.Scale = standardisation(set.Features)
	rng := rand.New(rand.NewPCG(in.Seed, 0x61646174)) // the stream of this method
	rows := min(adatsRows, n)
	t := vae.NewTrainer(m.shape(), rows, rng)
	steps := a.Epochs * ((n + rows - 1) / rows)
	planned := steps
	if *a.MaxSteps > 0 {
		steps = min(steps, *a.MaxSteps)
	}
	gradient, err := t.Train(ctx, adatsRate, newAdatsFeed(set, m, rows, steps, rng).next)
	if err != nil {
		return nil, err
	}
	m.Weights = slices.Clone(t.Flat[:m.shape().Size(false)])
	m.Noise = make(float32s, *a.Draws*vae.Latent)
	draw := rand.New(rand.NewPCG(in.Seed, 0x64726177)) // a stream that does not depend on the length of training
	for i := range m.Noise {
		m.Noise[i] = float32(draw.NormFloat64())
	}
	f, err := reported(ctx, m.ready(), set, 0)
	if err != nil {
		return nil, err
	}
	f.Report.Iterations, f.Report.Passes, f.Report.Gradient = steps, float64(steps*rows)/float64(n), gradient
	if steps < planned {
		f.Report.Warnings = []string{fmt.Sprintf("training ends after %d of %d minibatches (max_steps)", steps, planned)}
	}
	return f, nil
}

// standardisation returns the mean of each feature and the inverse of its
// standard deviation, or 0 if it varies by rounding alone.
func standardisation(h data.Matrix) (mean, scale float32s) {
	sum, square := make([]float64, h.Cols), make([]float64, h.Cols)
	for i := range h.Rows {
		for j, v := range h.Row(i) {
			sum[j] += float64(v) / float64(h.Rows)
		}
	}
	for i := range h.Rows {
		for j, v := range h.Row(i) {
			e := float64(v) - sum[j]
			square[j] += float64(e*e) / float64(h.Rows)
		}
	}
	mean, scale = make(float32s, h.Cols), make(float32s, h.Cols)
	for j := range mean {
		mean[j] = float32(sum[j])
		if std := math.Sqrt(square[j]); std > 1e-6*max(math.Abs(sum[j]), 1e-20) {
			scale[j] = float32(1 / std)
		}
	}
	return mean, scale
}

// adatsFeed makes minibatches: the rows in a new random order each epoch.
type adatsFeed struct {
	set   *data.Set
	model adatsMap
	rng   *rand.Rand
	rows  int   // of a batch
	left  int   // batches to come
	order []int // the rows sorted by their features
	slot  []int // k, the number of each class in the network
	queue []int // positions in order that remain of this epoch
	batch vae.Batch
}

func newAdatsFeed(set *data.Set, m adatsMap, rows, steps int, rng *rand.Rand) *adatsFeed {
	f := &adatsFeed{set: set, model: m, rng: rng, rows: rows, left: steps}
	f.order = make([]int, set.Logits.Rows)
	for i := range f.order {
		f.order[i] = i
	}
	slices.SortFunc(f.order, func(a, b int) int {
		if c := slices.Compare(set.Features.Row(a), set.Features.Row(b)); c != 0 {
			return c
		}
		return slices.Compare(set.Logits.Row(a), set.Logits.Row(b))
	})
	f.slot = make([]int, m.Classes)
	seen := 0
	number := func(class int) {
		if f.slot[class] == 0 {
			seen++
			f.slot[class] = seen
		}
	}
	for _, i := range f.order {
		number(int(set.Labels[i]))
	}
	for class := range f.slot {
		number(class)
		f.slot[class]--
	}
	f.batch = vae.Batch{
		Features: make([]float32, rows*m.Width), Logits: make([]float32, rows*m.Classes), Labels: make([]int, rows),
		Noise: [2][]float32{make([]float32, rows*vae.Latent), make([]float32, rows*vae.Latent)},
	}
	return f
}

// next returns the next minibatch, which is valid until the next call, or nil.
func (f *adatsFeed) next() *vae.Batch {
	if f.left == 0 {
		return nil
	}
	f.left--
	if len(f.queue) == 0 {
		f.queue = f.rng.Perm(len(f.order))
	}
	b := &f.batch
	b.N = min(f.rows, len(f.queue))
	k := f.model.Classes
	for r, at := range f.queue[:b.N] {
		i := f.order[at]
		f.model.standardise(b.Features[r*f.model.Width:], f.set.Features.Row(i))
		for class, l := range f.set.Logits.Row(i) {
			b.Logits[r*k+f.slot[class]] = l
		}
		b.Labels[r] = f.slot[f.set.Labels[i]]
	}
	f.queue = f.queue[b.N:]
	for _, noise := range b.Noise {
		for i := range b.N * vae.Latent {
			noise[i] = float32(f.rng.NormFloat64())
		}
	}
	return b
}

// adatsMap is the trained network without the parts that only training needs. Saved,
// it takes 1.2 MB for 512 features, 100 classes and the default width.
type adatsMap struct {
	Width   int      `json:"features"` // d
	Hidden  int      `json:"hidden"`
	Classes int      `json:"classes"` // k
	Mean    float32s `json:"mean"`    // d
	Scale   float32s `json:"scale"`   // d, each >= 0
	Weights float32s `json:"weights"` // in the order of vae.Net
	Noise   float32s `json:"noise"`   // draws x 16; empty for the mean of the code
	net     *vae.Net
}

func (m adatsMap) shape() vae.Shape {
	return vae.Shape{Features: m.Width, Hidden: m.Hidden, Classes: m.Classes}
}

// ready returns m with its network.
func (m adatsMap) ready() adatsMap {
	m.net = m.shape().Net(m.Weights)
	return m
}

func (m adatsMap) Check() error {
	if m.Width < 1 || m.Width > adatsMostWidth || m.Classes < 1 || m.Classes > adatsMostWidth ||
		m.Hidden < 2 || m.Hidden%2 == 1 || m.Hidden > adatsMostHidden {
		return fmt.Errorf("%d features, %d hidden, %d classes: no such network", m.Width, m.Hidden, m.Classes)
	}
	draws := (len(m.Noise) + vae.Latent - 1) / vae.Latent
	if draws > adatsMostDraws {
		return fmt.Errorf("noise: %d draws: want at most %d", draws, adatsMostDraws)
	}
	for _, part := range []struct {
		name string
		x    float32s
		size int
	}{{"mean", m.Mean, m.Width}, {"scale", m.Scale, m.Width}, {"weights", m.Weights, m.shape().Size(false)}, {"noise", m.Noise, draws * vae.Latent}} {
		if len(part.x) != part.size {
			return fmt.Errorf("%s: %d numbers, want %d", part.name, len(part.x), part.size)
		}
		for i, v := range part.x {
			if math.IsNaN(float64(v)) || math.IsInf(float64(v), 0) {
				return fmt.Errorf("%s[%d] is %v", part.name, i, v)
			}
		}
	}
	for j, v := range m.Scale {
		if v < 0 {
			return fmt.Errorf("scale[%d] = %v: want 0 or more", j, v)
		}
	}
	return nil
}

// prepared returns m with its network.
func (m adatsMap) prepared() Map { return m.ready() }

func (m adatsMap) NumClasses() int { return m.Classes }

func (m adatsMap) CheckSet(set *data.Set) error {
	if d := set.Features.Cols; d != m.Width {
		return fmt.Errorf("%d features, but the model is for %d", d, m.Width)
	}
	return checkFeatures(set)
}

// standardise writes the standardised features h to dst.
func (m adatsMap) standardise(dst, h []float32) {
	const most = 30
	for j, v := range h {
		z := (float64(v) - float64(m.Mean[j])) * float64(m.Scale[j])
		dst[j] = float32(min(max(z, -most), most))
	}
}

// Apply writes the mean over the draws of softmax(l / T). Every draw has the
// same top class, and so has their mean; see fit.KeepTop.
func (m adatsMap) Apply(dst data.Probs, set *data.Set) {
	probs := make([]float64, m.Classes)
	for lo := 0; lo < set.Features.Rows; lo += fit.BlockRows {
		part := set.Rows(lo, min(lo+fit.BlockRows, set.Features.Rows))
		temperatures := m.temperatures(part)
		draws := len(temperatures) / part.Logits.Rows
		for i := range part.Logits.Rows {
			row, q := part.Logits.Row(i), dst.Row(lo+i)
			own := temperatures[i*draws : (i+1)*draws]
			tempered(q, row, 1/own[0])
			if draws == 1 {
				continue
			}
			for _, t := range own[1:] {
				for j, v := range tempered(probs, row, 1/t) {
					q[j] += v
				}
			}
			fit.KeepTop(q, row, float64(draws))
		}
	}
}

// temperatures returns T for every row of a block and every draw, n x draws, with one
// column if there are no draws. It needs memory for n rows of each layer.
func (m adatsMap) temperatures(set *data.Set) []float64 {
	n := set.Features.Rows
	p := m.net.Pass(n)
	features := make([]float32, n*m.Width)
	for i := range n {
		m.standardise(features[i*m.Width:], set.Features.Row(i))
	}
	m.net.Encode(p, features)
	if len(m.Noise) == 0 {
		m.net.Temper(p, p.Mean)
		t := make([]float64, n)
		for i := range t {
			t[i] = vae.TemperatureOf(p.Out[i])
		}
		return t
	}
	m.net.Spread(p)
	draws := len(m.Noise) / vae.Latent
	t := make([]float64, n*draws)
	for d := range draws {
		p.Draw(m.Noise[d*vae.Latent : (d+1)*vae.Latent])
		m.net.Temper(p, p.Code)
		for i := range n {
			t[i*draws+d] = vae.TemperatureOf(p.Out[i])
		}
	}
	return t
}

// float32s is saved as the base64 of its little-endian bytes. This takes a third of
// the space of decimal digits and is exact.
type float32s []float32

func (x float32s) MarshalJSON() ([]byte, error) {
	raw := make([]byte, 0, 4*len(x))
	for _, v := range x {
		raw = binary.LittleEndian.AppendUint32(raw, math.Float32bits(v))
	}
	return json.Marshal(raw)
}

func (x *float32s) UnmarshalJSON(text []byte) error {
	var s string
	if err := json.Unmarshal(text, &s); err != nil {
		return err
	}
	raw, err := base64.StdEncoding.DecodeString(s)
	if err != nil {
		return errors.New("a list of numbers is not base64")
	}
	if len(raw)%4 != 0 {
		return fmt.Errorf("%d bytes of base64: want a multiple of 4", len(raw))
	}
	*x = make(float32s, len(raw)/4)
	for i := range *x {
		(*x)[i] = math.Float32frombits(binary.LittleEndian.Uint32(raw[4*i:]))
	}
	return nil
}
