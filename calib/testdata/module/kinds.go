package main

import (
	"context"
	"fmt"
	"math"

	"github.com/qats-bench/qats/calib"
	"github.com/qats-bench/qats/calib/onevsrest"
	"github.com/qats-bench/qats/data"
)

// needs is the contract of the methods of this file, which use logits alone.
func needs(keeps bool) calib.Contract {
	return calib.Contract{Cal: data.Logits | data.Labels, Test: data.Logits, KeepsTop1: keeps}
}

// Shrunk is a Vector: the softmax, moved to the uniform forecast by the share of wrong rows.
type Shrunk struct{}

var shrunkEntry = calib.NewEntry[Shrunk, shrunkMap](calib.Entry{Name: "shrunk", Label: "Shrunk", Version: 1, Summary: "softmax and uniform forecast", Sheet: calib.Sheet{Reference: "an example"}})

func (Shrunk) Contract() calib.Contract { return needs(false) }

func (Shrunk) Fit(ctx context.Context, in calib.Input) (*calib.Fitted, error) {
	wrong, err := missed(ctx, in.Cal)
	if err != nil {
		return nil, err
	}
	f := &calib.Fitted{Map: shrunkMap{wrong}, Report: calib.Report{Passes: 2}}
	p, err := f.Probabilities(in.Cal)
	if err != nil {
		return nil, err
	}
	for i, y := range in.Cal.Labels {
		f.Report.NLL -= math.Log(max(p.Row(i)[y], 1e-300)) / float64(p.Rows)
	}
	return f, nil
}

type shrunkMap struct {
	Share float64 `json:"share"` // of the uniform forecast
}

func (m shrunkMap) Check() error { return share(m.Share) }

func (m shrunkMap) Apply(dst data.Probs, set *data.Set) {
	softmax := calib.Temperature{T: 1}
	if err := calib.Apply(softmax, dst, set); err != nil {
		panic(err)
	}
	for i, p := range dst.Data {
		dst.Data[i] = float64((1-m.Share)*p) + m.Share/float64(dst.Cols)
	}
}

// Accuracy is a TopLabel: every confidence is the accuracy.
type Accuracy struct{}

var accuracyEntry = calib.NewEntry[Accuracy, accuracyMap](calib.Entry{Name: "accuracy", Label: "Accuracy", Version: 1, Summary: "the accuracy of the calibration rows", Sheet: calib.Sheet{Reference: "an example"}})

func (Accuracy) Contract() calib.Contract { return needs(true) }

func (Accuracy) Fit(ctx context.Context, in calib.Input) (*calib.Fitted, error) {
	wrong, err := missed(ctx, in.Cal)
	if err != nil {
		return nil, err
	}
	return &calib.Fitted{Map: accuracyMap{1 - wrong}, Report: calib.Report{Passes: 1}}, nil
}

type accuracyMap struct {
	Conf float64 `json:"conf"`
}

func (m accuracyMap) Check() error { return share(m.Conf) }

func (m accuracyMap) Confidences(dst []float64, _ *data.Set, _ *calib.Unscaled) {
	for i := range dst {
		dst[i] = m.Conf
	}
}

// Halves is a method of one function for each class: the share of hits where the probability
// of the class is above one half, and where it is not.
type Halves struct{}

var halvesEntry = calib.NewEntry[Halves, onevsrest.Functions[halves]](calib.Entry{Name: "halves", Label: "Halves", Version: 1, Summary: "two bins for each class", Sheet: calib.Sheet{Reference: "an example"}})

func (Halves) Contract() calib.Contract { return needs(false) }

func (Halves) Fit(ctx context.Context, in calib.Input) (*calib.Fitted, error) {
	m := onevsrest.New[halves](in.Cal.Logits.Cols)
	return onevsrest.Fit(ctx, in.Cal, m, func(class int, p []float64, positive []bool) calib.Minimum {
		var rows, hits [2]float64
		for i := range p {
			b := half(p[i])
			rows[b]++
			if positive[i] {
				hits[b]++
			}
		}
		m.Classes[class] = halves{(hits[0] + 1) / (rows[0] + 2), (hits[1] + 1) / (rows[1] + 2)}
		return calib.Minimum{}
	})
}

type halves struct {
	Below float64 `json:"below"`
	Above float64 `json:"above"`
}

func (halves) ClassScore() string { return onevsrest.ScoreProb }

func (f halves) At(p float64) float64 { return [2]float64{f.Below, f.Above}[half(p)] }

func (f halves) Check() error {
	if err := share(f.Below); err != nil {
		return err
	}
	return share(f.Above)
}

func half(p float64) int {
	if p > .5 {
		return 1
	}
	return 0
}

// missed returns the share of rows whose label is not the class of the largest logit.
func missed(ctx context.Context, set *data.Set) (float64, error) {
	if set == nil || len(set.Labels) == 0 {
		return 0, fmt.Errorf("no labelled rows")
	}
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	class, _, err := calib.TopLabels(accuracyMap{1}, set)
	wrong := 0.0
	for i, y := range set.Labels {
		if y < 0 || int(y) >= set.Logits.Cols {
			return 0, fmt.Errorf("row %d: label %d is no class", i, y)
		}
		if err == nil && class[i] != y {
			wrong++
		}
	}
	return wrong / float64(len(set.Labels)), err
}

// share rejects a number that is not in [0, 1].
func share(v float64) error {
	if !(v >= 0 && v <= 1) || math.Signbit(v) {
		return fmt.Errorf("%v: want a number in [0, 1]", v)
	}
	return nil
}
