package network

import (
	"fmt"
	"math"

	"github.com/qats-bench/qats/calib"
	"github.com/qats-bench/qats/calib/internal/fit"
	"github.com/qats-bench/qats/calib/internal/method"
	"github.com/qats-bench/qats/data"
)

// adatsMap is the trained network without the parts that only training needs. Saved,
// it takes 1.2 MB for 512 features, 100 classes and the default width.
type adatsMap struct {
	Width   int                 `json:"features"` // d
	Hidden  int                 `json:"hidden"`
	Classes int                 `json:"classes"` // k
	Mean    fit.Packed[float32] `json:"mean"`    // d
	Scale   fit.Packed[float32] `json:"scale"`   // d, each >= 0
	Weights fit.Packed[float32] `json:"weights"` // in the order of adatsNet
	Noise   fit.Packed[float32] `json:"noise"`   // draws x 16; empty for the mean of the code
	net     *adatsNet
}

func (m adatsMap) shape() adatsShape {
	return adatsShape{Features: m.Width, Hidden: m.Hidden, Classes: m.Classes}
}

// ready returns m with its network.
func (m adatsMap) ready() adatsMap {
	m.net = m.shape().Net(m.Weights)
	return m
}

// checkShape rejects sizes that no network has.
func (m adatsMap) checkShape() error {
	if m.Width < 1 || m.Width > adatsMostWidth || m.Classes < 1 || m.Classes > adatsMostWidth ||
		m.Hidden < 2 || m.Hidden%2 == 1 || m.Hidden > adatsMostHidden {
		return fmt.Errorf("%d features, %d hidden units, %d classes: want 1 to %d features and classes, and an even number of hidden units up to %d",
			m.Width, m.Hidden, m.Classes, adatsMostWidth, adatsMostHidden)
	}
	return nil
}

func (m adatsMap) Check() error {
	if err := m.checkShape(); err != nil {
		return err
	}
	draws := (len(m.Noise) + adatsLatent - 1) / adatsLatent
	if draws > adatsMostDraws {
		return fmt.Errorf("noise: %d draws: want at most %d", draws, adatsMostDraws)
	}
	for _, part := range []struct {
		name string
		x    fit.Packed[float32]
		size int
	}{{"mean", m.Mean, m.Width}, {"scale", m.Scale, m.Width}, {"weights", m.Weights, m.shape().Size(false)}, {"noise", m.Noise, draws * adatsLatent}} {
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

// Prepared returns m with its network.
func (m adatsMap) Prepared() calib.Map { return m.ready() }

func (m adatsMap) NumClasses() int { return m.Classes }

func (m adatsMap) CheckSet(set *data.Set) error { return method.CheckWidth(set, m.Width) }

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
			fit.Softmax(q, row, 1/own[0])
			if draws == 1 {
				continue
			}
			for _, t := range own[1:] {
				for j, v := range fit.Softmax(probs, row, 1/t) {
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
			t[i] = adatsTemperature(p.Out[i])
		}
		return t
	}
	m.net.Spread(p)
	draws := len(m.Noise) / adatsLatent
	t := make([]float64, n*draws)
	for d := range draws {
		p.Draw(m.Noise[d*adatsLatent : (d+1)*adatsLatent])
		m.net.Temper(p, p.Code)
		for i := range n {
			t[i*draws+d] = adatsTemperature(p.Out[i])
		}
	}
	return t
}
