package simulate

import (
	"fmt"
	"math"
)

// constants are the free constants of the model, found by solve.
type constants struct {
	signal float64 // mean signal of an image
	favour float64 // share of the log prior in the network's offsets
	excess float64 // A of the row scale
	loss   float64 // share of the signal that the corruption takes, and the variance of its noise
	factor float64 // on the row scale of shifted images
}

// scale returns the factor of a row whose calibrated confidence is conf; see
// the package comment.
func (c constants) scale(conf, tilt float64) float64 {
	return float64(c.factor * (1 + float64(c.excess*(1+float64(tilt*(0.5-conf))))))
}

// signal levels of images, relative to their mean: uniform on [minLevel, 2-minLevel).
const minLevel = 0.5

func level(u float64) float64 { return minLevel + float64((2-2*minLevel)*u) }

// tolerance of a solved accuracy or ECE on the probe.
const tolerance = 1e-4

// coarse is the stride through the probe at the start of a search.
const coarse = 16

// Ends of the searches: beyond them the result no longer changes.
const (
	maxSignal = 64
	maxExcess = 1e4
	maxFactor = 64
)

// solve finds the constants of w. A shifted network is the clean one with its own
// loss and factor.
func solve(w Network, clean func(Network) (constants, error)) (constants, error) {
	fail := func(err error) error { return fmt.Errorf("simulated network %s%s: %w", w.Name, w.Shift.text(), err) }
	if w.Shift == (Shift{}) {
		c, err := probeOf(w).solveClean(w)
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
	if c, err = probeOf(w).solveShift(c, w.Shift); err != nil {
		return c, fail(err)
	}
	return c, nil
}

// solveClean finds the signal that gives the accuracy, then the excess that gives
// the ECE.
//
// A network that trusts its skewed prior is overconfident on balanced images for
// this reason alone, and no excess reduces that. It trusts the prior fully if this
// causes at most half of the ECE, and otherwise just enough to cause about half.
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
			return ece(0) + float64(w.ECE/2)
		}
		if byPrior(1) > 0 {
			root("ece", 0, 1, 0.5, 0.25, float64(w.ECE/8)+tolerance, byPrior)
		}
	}
	var err error
	if c.signal, err = p.tune("accuracy", 0, maxSignal, c.signal, accuracy); err != nil {
		return c, err
	}
	c.excess, err = p.tune("ece", 0, maxExcess, 1, ece)
	return c, err
}

// solveShift finds the loss that gives the accuracy, then the factor that gives the
// ECE. Gaps of both signs make the ECE larger than the mean gap, so if the factor
// of the mean gap is too large, a smaller one is right.
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

// tune calls root on few rows of the probe and then, from there, on all rows. Both
// use the same f.
func (p *probe) tune(what string, lo, hi, guess float64, f func(float64) float64) (float64, error) {
	p.stride = coarse
	x, _ := root(what, lo, hi, guess, guess/2, 10*tolerance, f) // the few rows alone may cause an error
	p.stride = 1
	return root(what, lo, hi, x, 0.02*guess, tolerance, f)
}

// root returns an x in [lo, hi] at which the increasing function f is within tol of
// 0: it brackets from guess by growing steps, then applies regula falsi with the
// Illinois rule. The x returned is the last argument of f. what names f in the
// error if there is no such x.
func root(what string, lo, hi, guess, step, tol float64, f func(float64) float64) (float64, error) {
	step = max(step, tol)
	x := guess
	y := f(x)
	a, fa, b, fb := x, y, x, y // f(a) < 0 < f(b), once bracketed
	for ; y > tol && fa > 0; step *= 4 {
		if x == lo {
			return x, fmt.Errorf("%s is out of reach: the model stays %.4f away", what, y)
		}
		b, fb = x, y
		x = max(lo, x-step)
		y = f(x)
		a, fa = x, y
	}
	for ; y < -tol && fb < 0; step *= 4 {
		if x == hi {
			return x, fmt.Errorf("%s is out of reach: the model stays %.4f away", what, -y)
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
