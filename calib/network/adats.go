package network

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/qats-bench/qats/calib"
	"github.com/qats-bench/qats/calib/internal/fit"
	"github.com/qats-bench/qats/calib/internal/method"
	"github.com/qats-bench/qats/data"
)

// AdaTS is sample-dependent adaptive temperature scaling: a variational autoencoder of
// the features h, whose code w has a normal prior for each class. A small network
// computes the temperature from the k log densities of the code under these priors.
// Both are trained together: adatsNet has the layers, adatsTrainer.loss the objective.
// Like the authors, we train with Adam at 5e-4, in shuffled batches of 128.
//
// A fit depends on the seed of the cell, but not on the order of the rows or of the
// classes: training sorts the rows by their features and numbers the classes in their
// order of appearance. It is float32, and its bits differ between kinds of processors.
//
//   - Formula: p = softmax(l/T), T = max(softplus(network(log p(w|y) for y = 1..k)),
//     0.001), w the code of an autoencoder of the features
//   - Reference: Joy, Pinto, Lim, Torr and Dokania 2023
//   - Compared with: thwjoy/adats (the authors')
//   - Agreement: trained networks differ by their random numbers; on networks of
//     data/bundle, except for a small set, the test NLL was within the spread of single
//     draws of the authors
//   - Departures: The authors' prediction takes one random draw of w, so an image has
//     another confidence each time. Ours is the mean of the probabilities over 10 draws.
//     All rows use the same standard-normal vectors, drawn from the seed of the fit and
//     kept in the model, so a row depends on itself alone. Features are standardised by
//     the mean and the standard deviation of the calibration rows, and limited to 30
//     deviations; a feature that does not vary counts as 0. Theirs are raw. The largest
//     layer has 256 units, theirs 1,024. Training ends after at most 1,000 minibatches,
//     which is 25 epochs of 5,000 rows; a warning says when epochs were cut. T is at most
//     1000.
type AdaTS struct {
	Epochs   int  // passes over the calibration set, at most; 0 means 100
	MaxSteps *int // minibatches after which training ends, 0 for no limit; nil means 1,000
	Hidden   int  // width of the largest layer, even; 0 means 256, 1024 in the paper's code
	Draws    *int // of the code at inference, 1 in the paper's code, 0 for its mean; nil means 10
}

// AdaTSEntry is the entry of AdaTS.
var AdaTSEntry = calib.NewEntry[AdaTS, adatsMap](calib.Entry{
	Name:    "adats",
	Label:   "AdaTS (Joy)",
	Version: 3,
	Summary: "temperature from an autoencoder of the features",
	Aliases: []string{"adaptive-temperature-scaling"},
	Cost:    200_000,
	Cost100: 50_000,
})

// String returns the name of the method.
func (AdaTS) String() string { return AdaTSEntry.Name }

const (
	adatsRate       = 5e-4
	adatsRows       = 128
	adatsMostHidden = 1 << 13
	adatsMostWidth  = 1 << 20 // features and classes
	adatsMostDraws  = 1000
)

// Options returns the options.
func (a *AdaTS) Options() []calib.Option {
	return []calib.Option{
		calib.IntOption("epochs", &a.Epochs, 100, 1, math.MaxInt, "largest number of passes over the calibration set"),
		calib.OptionalInt("max_steps", &a.MaxSteps, new(1000), 0, math.MaxInt, "minibatches after which training ends; 0 for no limit"),
		calib.IntOption("hidden", &a.Hidden, 256, 2, adatsMostHidden, "width of the largest layer, an even number"),
		calib.OptionalInt("draws", &a.Draws, new(10), 0, adatsMostDraws, "random draws of the code for a prediction; 0 for its mean"),
	}
}

// filled returns a with its defaults.
func (a AdaTS) filled() (AdaTS, error) {
	a, err := calib.WithDefaults(a)
	if err == nil && a.Hidden%2 == 1 {
		err = fmt.Errorf("hidden: %d: want an even number", a.Hidden)
	}
	return a, err
}

// Prepare rejects an odd Hidden.
func (a AdaTS) Prepare() (calib.Method, error) { return a.filled() }

// Contract needs logits, labels and features. The mean of probabilities that all
// have one top class has it too.
func (AdaTS) Contract() calib.Contract {
	c := method.OfValues(method.Sized(method.FeaturesContract()))
	c.Masked = false // the network has a temperature for every class
	return c
}

// Fit trains the network. The report counts the completed minibatches as iterations and the
// completed epochs as passes. Its gradient belongs to the last minibatch, and is at best noise around 0.
func (a AdaTS) Fit(ctx context.Context, in calib.Input) (*calib.Fitted, error) {
	a, err := a.filled()
	if err != nil {
		return nil, err
	}
	set := in.Cal
	if err := method.CheckGrouped(set); err != nil {
		return nil, err
	}
	n, d, k := set.Logits.Rows, set.Features.Cols, set.Logits.Cols
	m := adatsMap{Width: d, Hidden: a.Hidden, Classes: k}
	if err := m.checkShape(); err != nil {
		return nil, err
	}
	m.Mean, m.Scale = standardisation(set.Features)
	rng := rand.New(rand.NewPCG(in.Seed, 0x61646174)) // the stream of this method
	rows := min(adatsRows, n)
	t := newAdatsTrainer(m.shape(), rows, rng)
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
	m.Noise = make(fit.Packed[float32], *a.Draws*adatsLatent)
	draw := rand.New(rand.NewPCG(in.Seed, 0x64726177)) // a stream that does not depend on the length of training
	for i := range m.Noise {
		m.Noise[i] = float32(draw.NormFloat64())
	}
	report := calib.Report{Iterations: steps, Gradient: gradient}
	if steps < planned {
		report.Warn(calib.Warning{Text: "training ends after {count} of {of} minibatches (max_steps)", Count: steps, Of: planned})
	}
	f, err := method.Reported(ctx, m.ready(), set, report)
	if err != nil {
		return nil, err
	}
	f.Report.Passes = float64(steps*rows) / float64(n)
	return f, nil
}

// standardisation returns the mean of each feature and the inverse of its
// standard deviation, or 0 if it varies by rounding alone.
func standardisation(h data.Matrix) (mean, scale fit.Packed[float32]) {
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
	mean, scale = make(fit.Packed[float32], h.Cols), make(fit.Packed[float32], h.Cols)
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
	batch adatsBatch
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
	f.batch = adatsBatch{
		Features: make([]float32, rows*m.Width), Logits: make([]float32, rows*m.Classes), Labels: make([]int, rows),
		Noise: [2][]float32{make([]float32, rows*adatsLatent), make([]float32, rows*adatsLatent)},
	}
	return f
}

// next returns the next minibatch, which is valid until the next call, or nil.
func (f *adatsFeed) next() *adatsBatch {
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
		for i := range b.N * adatsLatent {
			noise[i] = float32(f.rng.NormFloat64())
		}
	}
	return b
}
