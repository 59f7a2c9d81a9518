package calibtest

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/qats-bench/qats/calib"
	"github.com/qats-bench/qats/data"
)

// Scale is what a method promises of multiples of the logits.
type Scale struct {
	// Most is the largest rise of the loss on held-out rows where all logits are multiplied by a power of two
	// from 2^-8 to 2^10. The loss is the mean NLL, or for a TopLabel the binary NLL of "the prediction is right". Probabilities below
	// 0.001 count as 0.001. 0 means that there is no promise.
	Most float64

	// Why says which part of the definition has a size of the logits. It is needed for a Most above ScaleMost.
	Why string
}

// ScaleMost is the Scale.Most of methods that have no size of the logits, or a LogitSize. With a LogitSize, two multiples
// of usual size still have different fits.
const ScaleMost = 0.02

const (
	scaleLeast, scaleLargest = -8, 10

	scaleFloor = 1e-3
)

// scale: the fit of a multiple of the logits is about as good as the fit of the logits themselves.
func scale(s *subject) error {
	most := s.claims.Scale.Most
	switch {
	case most == 0:
		return nil
	case most > ScaleMost && s.claims.Scale.Why == "":
		return errors.New("a larger change than that of a method without a size of the logits, without the reason")
	}
	cal, test := drawn(400, 5, 31), drawn(400, 5, 32)
	loss := func(by float64) (float64, error) {
		cal, test := rescaled(cal, by), rescaled(test, by)
		f, err := s.byDoor(cal, test)
		if err != nil {
			return 0, err
		}
		return s.heldOut(f, test)
	}
	want, err := loss(1)
	if err != nil {
		return err
	}
	for e := scaleLeast; e <= scaleLargest; e++ {
		got, err := loss(math.Ldexp(1, e))
		if err != nil {
			return fmt.Errorf("logits x 2^%d: %w", e, err)
		}
		if !(got <= want+most) {
			return fmt.Errorf("logits x 2^%d: the loss is %.4f, and %.4f of the logits themselves: want at most %g more", e, got, want, most)
		}
	}
	return nil
}

// heldOut returns the loss of a fit on labelled rows.
func (s *subject) heldOut(f *calib.Fitted, test *data.Set) (float64, error) {
	chance := make([]float64, len(test.Labels)) // of what happened
	if m, ok := f.Map.(calib.TopLabel); ok {
		class, conf, err := calib.TopLabels(m, test.View(s.contract.Test))
		if err != nil {
			return 0, err
		}
		for i, c := range conf {
			if chance[i] = c; class[i] != test.Labels[i] {
				chance[i] = 1 - c
			}
		}
	} else {
		q := s.apply(f, test)
		for i, y := range test.Labels {
			chance[i] = q.Row(i)[y]
		}
	}
	sum := 0.0
	for _, p := range chance {
		sum -= math.Log(max(p, scaleFloor))
	}
	return sum / float64(len(chance)), nil
}

// byDoor fits as users do: by calib.Fit, which methods for rows of a deployment domain do not have.
func (s *subject) byDoor(cal, target *data.Set) (*calib.Fitted, error) {
	if s.contract.Target != 0 || s.contract.Cal == 0 {
		return s.fitAnew(cal, target)
	}
	return calib.Fit(context.Background(), s.method, cal)
}

// rescaled returns set with its logits times a number, those of views and of out-of-distribution rows too. Features stay, and
// the head is multiplied, so that it still gives the logits.
func rescaled(set *data.Set, by float64) *data.Set {
	times := func(m data.Matrix) data.Matrix {
		out := data.NewMatrix(m.Rows, m.Cols)
		for i, l := range m.Data {
			out.Data[i] = float32(by * float64(l))
		}
		return out
	}
	s := withLogits(set, times)
	s.OOD, s.Head.W = times(set.OOD), times(set.Head.W)
	s.Head.B = times(data.Matrix{Rows: 1, Cols: len(set.Head.B), Data: set.Head.B}).Data
	return s
}
