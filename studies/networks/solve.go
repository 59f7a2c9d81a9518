package main

import (
	"fmt"
	"math"

	"github.com/qats-bench/qats/data/simulate"
)

// search looks for constants on a probe.
type search struct{ *simulate.Probe }

// coarse is the stride through the probe at the start of a search.
const coarse = 16

// Ends of the searches: beyond them the result no longer changes.
const (
	maxSignal = 64
	maxExcess = 1e4
	maxFactor = 64
)

// solve finds the constants of w. A shifted network is the clean one, whose constants clean
// returns, with its own loss and factor.
func solve(w simulate.Network, clean func(simulate.Network) (simulate.Constants, error)) (simulate.Constants, error) {
	fail := func(err error) error {
		name := w.Name
		if w.Shift != (simulate.Shift{}) {
			name += fmt.Sprintf(" under %s of severity %d", w.Shift.Corruption, w.Shift.Severity)
		}
		return fmt.Errorf("simulated network %s: %w", name, err)
	}
	if w.Shift == (simulate.Shift{}) {
		c, err := (&search{Probe: simulate.NewProbe(w)}).clean(w)
		if err != nil {
			return c, fail(err)
		}
		return c, nil
	}
	source := w
	source.Shift = simulate.Shift{}
	c, err := clean(source)
	if err != nil {
		return c, err
	}
	if c, err = (&search{Probe: simulate.NewProbe(w)}).shift(c, w.Shift); err != nil {
		return c, fail(err)
	}
	return c, nil
}

// clean finds the signal that gives the accuracy, then the excess that gives
// the ECE.
//
// A network that trusts its skewed prior is overconfident on balanced images for
// this reason alone, and no excess reduces that. It trusts the prior fully if this
// causes at most half of the ECE, and otherwise just enough to cause about half.
func (p *search) clean(w simulate.Network) (simulate.Constants, error) {
	c := simulate.Constants{Signal: 4, Favour: 1, Factor: 1}
	accuracy := func(x float64) float64 {
		c.Signal = x
		return p.Accuracy(c) - w.Accuracy
	}
	ece := func(x float64) float64 {
		c.Excess = x
		ece, _ := p.Gap(c)
		return ece - w.ECE
	}
	if w.Imbalance > 1 { // the test set has another prior than the network
		p.Thin(coarse)
		byPrior := func(x float64) float64 {
			c.Favour = x
			root("accuracy", 0, maxSignal, c.Signal, c.Signal/2, 10*simulate.Tolerance, accuracy)
			return ece(0) + float64(w.ECE/2)
		}
		if byPrior(1) > 0 {
			root("ece", 0, 1, 0.5, 0.25, float64(w.ECE/8)+simulate.Tolerance, byPrior)
		}
	}
	var err error
	if c.Signal, err = p.tune("accuracy", 0, maxSignal, c.Signal, accuracy); err != nil {
		return c, err
	}
	c.Excess, err = p.tune("ece", 0, maxExcess, 1, ece)
	return c, err
}

// shift finds the loss that gives the accuracy, then the factor that gives the
// ECE. Gaps of both signs make the ECE larger than the mean gap, so if the factor
// of the mean gap is too large, a smaller one is right.
func (p *search) shift(c simulate.Constants, s simulate.Shift) (simulate.Constants, error) {
	var err error
	c.Loss, err = p.tune("accuracy", 0, 1, 0.3, func(x float64) float64 {
		c.Loss = x
		return s.Accuracy - p.Accuracy(c)
	})
	if err != nil {
		return c, err
	}
	meanGap := func(target float64) (float64, error) {
		return p.tune("ece", 0, maxFactor, 1, func(x float64) float64 {
			c.Factor = x
			_, gap := p.Gap(c)
			return gap - target
		})
	}
	if c.Factor, err = meanGap(s.ECE); err != nil {
		return c, err
	}
	ece, _ := p.Gap(c)
	if ece <= s.ECE+simulate.Tolerance {
		return c, nil
	}
	hi := c.Factor
	lo, err := meanGap(0)
	if err != nil {
		return c, err
	}
	c.Factor, err = p.tune("ece", lo, hi, (lo+hi)/2, func(x float64) float64 {
		c.Factor = x
		ece, _ := p.Gap(c)
		return ece - s.ECE
	})
	return c, err
}

// tune calls root on few rows of the probe and then, from there, on all rows. Both
// use the same f.
func (p *search) tune(what string, lo, hi, guess float64, f func(float64) float64) (float64, error) {
	p.Thin(coarse)
	x, _ := root(what, lo, hi, guess, guess/2, 10*simulate.Tolerance, f) // the few rows alone may cause an error
	p.Thin(1)
	return root(what, lo, hi, x, 0.02*guess, simulate.Tolerance, f)
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
