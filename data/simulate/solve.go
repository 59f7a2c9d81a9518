package simulate

import (
	"fmt"
	"math"

	"github.com/qats-bench/qats/calib/softmax"
)

// constants are the free constants of the model, found by solve.
type constants struct {
	signal float64 // mean signal of an image
	favour float64 // share of the log prior in the network's offsets
	excess float64 // A of the row scale
	loss   float64 // share of the signal that the corruption takes; its noise variance
	factor float64 // of the row scale on shifted images
}

// scale returns the factor of a row whose calibrated confidence is conf; see
// the package comment.
func (c constants) scale(conf, tilt float64) float64 {
	return float64(c.factor * (1 + float64(c.excess*(1+float64(tilt*(0.5-conf))))))
}

// signal levels of images, relative to their mean: uniform on [minLevel, 2-minLevel).
const minLevel = 0.5

func level(u float64) float64 { return minLevel + float64((2-2*minLevel)*u) }

// The probe's size: enough rows that the accuracy is known to about 0.1 points,
// fewer where there are so many classes that solving would take seconds.
const (
	maxProbeRows  = 20_000
	probeElements = 6_000_000
)

// tolerance of a solved accuracy or ECE on the probe.
const tolerance = 1e-4

// coarse is the stride through the probe with which a search begins.
const coarse = 16

// Ends of the searches: beyond them nothing changes any more.
const (
	maxSignal = 64
	maxExcess = 1e4
	maxFactor = 64
)

// probe is a large draw on which constants are solved for: the same rows for
// every trial. It knows the exact probability that a prediction is right, so
// its accuracy and ECE have little noise.
type probe struct {
	n, k    int
	stride  int // through the rows
	tilt    float64
	class   []int
	level   []float64
	gram    []float64 // k x k, W W'
	noise   []float32 // n x k, W e
	offset  []float64 // k, log prior of the network
	truth   []float64 // k, log prior of the test set
	own     bool      // the network's prior is that of the test set
	logits  []float32 // n x k, what a calibrated network would say, less its top
	conf    []float64 // n, its confidence
	correct []float64 // n, the probability that its prediction is right
}

func newProbe(w Network) *probe {
	k, d := w.Classes, w.signalWidth()
	n := min(maxProbeRows, probeElements/k)
	p := &probe{n: n, k: k, stride: 1, tilt: w.Tilt, own: w.Imbalance <= 1,
		class: make([]int, n), level: make([]float64, n), conf: make([]float64, n), correct: make([]float64, n),
		noise: make([]float32, n*k), logits: make([]float32, n*k), gram: make([]float64, k*k),
		offset: make([]float64, k), truth: make([]float64, k)}
	if w.skewed() {
		p.offset, p.truth = logs(w.trained()), logs(w.shares("test"))
	}
	W := w.prototypes()
	product(p.gram, W, W, k, k, d)
	const chunk = 64
	e, u := make([]float64, chunk*d), make([]float64, chunk*k)
	cum := cumulative(w.shares("test"))
	id := identity(w.Name, "probe")
	var s stream
	for lo := 0; lo < n; lo += chunk {
		rows := min(chunk, n-lo)
		for i := range rows {
			s.seed(id, lo+i)
			s.normals(e[i*d : (i+1)*d])
		}
		product(u, e, W, rows, k, d)
		for i, v := range u[:rows*k] {
			p.noise[lo*k+i] = float32(v)
		}
		for i := lo; i < lo+rows; i++ { // evenly over classes and levels
			at := (float64(i) + 0.5) / float64(n)
			p.class[i] = class(cum, at)
			_, frac := math.Modf(float64(float64(i) * 0.6180339887498949))
			p.level[i] = level(frac)
		}
	}
	return p
}

// accuracy sets the calibrated logits, confidences and chances of being right
// for constants c and returns the accuracy.
func (p *probe) accuracy(c constants) float64 {
	k := p.k
	row, right := make([]float64, k), make([]float64, k)
	spread := math.Sqrt(1 + c.loss)
	offset := make([]float64, k)
	for j, o := range p.offset {
		offset[j] = float64(c.favour * o)
	}
	sum := 0.0
	for i := 0; i < p.n; i += p.stride {
		m := float64(c.signal * p.level[i])
		pull := float64(m * (1 - c.loss))
		gram, noise := p.gram[p.class[i]*k:][:k], p.noise[i*k:][:k]
		for j := range row {
			row[j] = float64(m * (float64(pull*gram[j]) + float64(spread*float64(noise[j]))))
		}
		truth := c.truth()
		if truth != 1 || !p.own {
			for j, v := range row {
				right[j] = float64(truth*v) + p.truth[j]
			}
		}
		for j := range row {
			row[j] += offset[j]
		}
		top := argmax(row)
		p.conf[i] = chance(row, top, 1)
		p.correct[i] = p.conf[i]
		if truth != 1 || !p.own {
			p.correct[i] = chance(right, top, 1)
		}
		for j, v := range row {
			p.logits[i*k+j] = float32(v - row[top])
		}
		sum += p.correct[i]
	}
	return sum / p.rows()
}

// rows is the number of rows that are looked at.
func (p *probe) rows() float64 { return float64((p.n + p.stride - 1) / p.stride) }

// truth returns the factor that turns the network's calibrated logits of clean
// images into those of shifted ones.
func (c constants) truth() float64 { return (1 - c.loss) / (1 + c.loss) }

// gap returns the ECE of 15 bins, with chances for outcomes, and the mean
// confidence less the accuracy, at constants c after accuracy(c).
func (p *probe) gap(c constants) (ece, gap float64) {
	var bins [15]float64
	for i := 0; i < p.n; i += p.stride {
		row := p.logits[i*p.k:][:p.k]
		s := c.scale(p.conf[i], p.tilt)
		sum := 0.0
		for _, l := range row {
			if x := float64(s * float64(l)); x > negligible {
				sum += softmax.Exp(x)
			}
		}
		conf := 1 / sum
		bins[softmax.Bin(conf, len(bins))] += conf - p.correct[i]
	}
	for _, b := range bins {
		ece += math.Abs(b)
		gap += b
	}
	return ece / p.rows(), gap / p.rows()
}

// solve finds the constants of w. The shifted network is the clean one with a
// loss and a factor of its own.
func solve(w Network, clean func(Network) (constants, error)) (constants, error) {
	fail := func(err error) error { return fmt.Errorf("simulated network %s%s: %w", w.Name, w.Shift.text(), err) }
	if w.Shift == (Shift{}) {
		c, err := newProbe(w).solveClean(w)
		if err != nil {
			return c, fail(err)
		}
		return c, nil
	}
	source := w
	source.Shift = Shift{}
	c, err := clean(source)
	if err != nil {
		return c, err
	}
	if c, err = newProbe(w).solveShift(c, w.Shift); err != nil {
		return c, fail(err)
	}
	return c, nil
}

// solveClean finds the signal that gives the accuracy, then the excess that
// gives the ECE.
//
// A network that trusts its skewed prior is overconfident on balanced images by
// that alone, and no excess makes it less so. It trusts it fully where at most
// half of the ECE comes of it, and as far as about half comes of it otherwise.
func (p *probe) solveClean(w Network) (constants, error) {
	c := constants{signal: 4, favour: 1, factor: 1}
	accuracy := func(x float64) float64 {
		c.signal = x
		return p.accuracy(c) - w.Accuracy
	}
	ece := func(x float64) float64 {
		c.excess = x
		ece, _ := p.gap(c)
		return ece - w.ECE
	}
	if !p.own {
		p.stride = coarse
		byPrior := func(x float64) float64 {
			c.favour = x
			root("accuracy", 0, maxSignal, c.signal, c.signal/2, 10*tolerance, accuracy)
			return ece(0) + w.ECE/2
		}
		if byPrior(1) > 0 {
			root("ece", 0, 1, 0.5, 0.25, w.ECE/8+tolerance, byPrior)
		}
	}
	var err error
	if c.signal, err = p.tune("accuracy", 0, maxSignal, c.signal, accuracy); err != nil {
		return c, err
	}
	c.excess, err = p.tune("ece", 0, maxExcess, 1, ece)
	return c, err
}

// solveShift finds the loss that gives the accuracy, then the factor that gives
// the ECE. Gaps of both signs make the ECE larger than the mean gap, so where
// the factor of the mean gap is too much, a smaller one is right.
func (p *probe) solveShift(c constants, s Shift) (constants, error) {
	var err error
	c.loss, err = p.tune("accuracy", 0, 1, 0.3, func(x float64) float64 {
		c.loss = x
		return s.Accuracy - p.accuracy(c)
	})
	if err != nil {
		return c, err
	}
	meanGap := func(target float64) (float64, error) {
		return p.tune("ece", 0, maxFactor, 1, func(x float64) float64 {
			c.factor = x
			_, gap := p.gap(c)
			return gap - target
		})
	}
	if c.factor, err = meanGap(s.ECE); err != nil {
		return c, err
	}
	ece, _ := p.gap(c)
	if ece <= s.ECE+tolerance {
		return c, nil
	}
	hi := c.factor
	lo, err := meanGap(0)
	if err != nil {
		return c, err
	}
	c.factor, err = p.tune("ece", lo, hi, (lo+hi)/2, func(x float64) float64 {
		c.factor = x
		ece, _ := p.gap(c)
		return ece - s.ECE
	})
	return c, err
}

// tune is root on few rows of the probe and then, from there, on all. The f of
// both is the same.
func (p *probe) tune(what string, lo, hi, guess float64, f func(float64) float64) (float64, error) {
	p.stride = coarse
	x, _ := root(what, lo, hi, guess, guess/2, 10*tolerance, f) // an error may be of the few rows alone
	p.stride = 1
	return root(what, lo, hi, x, 0.02*guess, tolerance, f)
}

// root returns an x in [lo, hi] at which f, which rises, is within tol of 0: it
// brackets from guess by growing steps, then takes regula falsi with the
// Illinois rule. The x returned is the last that f was called with. what names
// f in the error where there is no such x.
func root(what string, lo, hi, guess, step, tol float64, f func(float64) float64) (float64, error) {
	x := guess
	y := f(x)
	a, fa, b, fb := x, y, x, y // f(a) < 0 < f(b), once bracketed
	for ; y > tol && fa > 0; step *= 4 {
		if x == lo {
			return x, fmt.Errorf("%s is out of reach: the model comes no nearer than %.4f", what, y)
		}
		b, fb = x, y
		x = max(lo, x-step)
		y = f(x)
		a, fa = x, y
	}
	for ; y < -tol && fb < 0; step *= 4 {
		if x == hi {
			return x, fmt.Errorf("%s is out of reach: the model comes no nearer than %.4f", what, -y)
		}
		a, fa = x, y
		x = min(hi, x+step)
		y = f(x)
		b, fb = x, y
	}
	for math.Abs(y) > tol {
		x = a - float64(fa*(b-a)/(fb-fa))
		if !(a < x && x < b) {
			return x, fmt.Errorf("%s jumps past its target by %.4f", what, math.Abs(y))
		}
		last := y
		if y = f(x); y < 0 {
			a, fa = x, y
			if last < 0 {
				fb /= 2
			}
		} else {
			b, fb = x, y
			if last > 0 {
				fa /= 2
			}
		}
	}
	return x, nil
}

// argmax returns the lowest index of the largest element.
func argmax(row []float64) int {
	top := 0
	for j, v := range row {
		if v > row[top] {
			top = j
		}
	}
	return top
}

// negligible is how far below the largest logit a class stops to count: e^-40
// is less than the rounding of a sum of a thousand.
const negligible = -40

// chance returns the probability softmax(scale row) of class top.
func chance(row []float64, top int, scale float64) float64 {
	sum := 1.0
	for j, v := range row {
		if x := float64(scale * (v - row[top])); x > negligible && j != top {
			sum += softmax.Exp(x)
		}
	}
	return 1 / sum
}
