package simulate

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"sort"
	"strings"

	"github.com/qats-bench/qats/data"
	"github.com/qats-bench/qats/internal/kernel/softmax"
)

// Network states what is simulated: one network and, unless Shift is zero, the
// corruption of its test images. Its arrays are a function of these values.
type Network struct {
	Name    string `json:"name"`    // identity, such as "cifar100/vit-b16": networks of other names have other random numbers
	Classes int    `json:"classes"` // k, at least 2
	Width   int    `json:"width"`   // d, features, 2 to MaxWidth

	CalRows, TestRows int `json:"-"` // n of each split; 0: the set does not exist
	OODRows           int `json:"-"` // m; 0: no OOD rows

	// Prior holds the shares of the classes in both splits, which the network
	// knows; nil for equal ones. They need not sum to 1.
	Prior []float64 `json:"prior,omitempty"`
	// Imbalance is the ratio R >= 1 of the largest to the smallest class of the
	// training and the calibration set: the share of class j is proportional to
	// R^(-j/(k-1)), while the test set is balanced (Cui et al. 2019). 0 stands for
	// 1. A network has a Prior or an Imbalance, not both.
	Imbalance float64 `json:"imbalance,omitempty"`
	// BalancedCal gives a long-tailed network a balanced calibration set.
	BalancedCal bool `json:"-"`

	// Accuracy and ECE of the model on clean test images: fractions. Drawn rows
	// differ from them by sampling.
	Accuracy float64 `json:"accuracy"`
	ECE      float64 `json:"ece"`
	// Tilt, in (-2, 2), states which rows are more overconfident: the unsure ones
	// if it is positive, the sure ones if it is negative.
	Tilt float64 `json:"tilt,omitempty"`

	Shift Shift `json:"shift,omitzero"`
}

// Shift is a corruption of the test images, with the accuracy and ECE of the same
// network on them. The zero Shift is none.
type Shift struct {
	Corruption string  `json:"corruption"`
	Severity   int     `json:"severity"`
	Accuracy   float64 `json:"accuracy"`
	ECE        float64 `json:"ece"`
}

// MaxWidth is the largest number of features.
const MaxWidth = 128

// Views is the number of augmented views of an image.
const Views = 4

// Background returns the shares of k classes, as among pixels of a segmented image,
// most of which are background. The first class has the given share, in (0, 1). The
// others, in falling order, have shares in proportion to 1/2, 1/3, ... 1/k.
func Background(k int, share float64) []float64 {
	prior := make([]float64, k)
	prior[0] = share
	sum := 0.0
	for j := 1; j < k; j++ {
		prior[j] = 1 / float64(j+1)
		sum += prior[j]
	}
	for j := 1; j < k; j++ {
		prior[j] *= (1 - share) / sum
	}
	return prior
}

// held is the fall of the mean confidence as a share of the fall in accuracy. Over
// the 75 corrupted test sets of a ResNet-56 trained on CIFAR-10 it was 0.13 to 0.15
// at every severity.
const held = 0.14

// ShiftedAccuracy returns an accuracy for a shift with the given ECE: the
// overconfidence grows as the accuracy falls, since the confidence hardly falls. If
// the ECE does not grow, the result is the clean accuracy.
func (w Network) ShiftedAccuracy(ece float64) float64 {
	return w.Accuracy - max(0, ece-w.ECE)/(1-held)
}

// Check returns an error that names a wrong parameter, or nil. Open returns an
// error if the model cannot reach the given accuracy and ECE.
func (w Network) Check() error {
	var errs []error
	must := func(ok bool, format string, args ...any) {
		if !ok {
			errs = append(errs, fmt.Errorf(format, args...))
		}
	}
	must(w.Name != "" && !strings.ContainsAny(w.Name, "\x00\n"), "name %q: must be a line of text", w.Name)
	must(w.Classes >= 2, "%d classes: must be at least 2", w.Classes)
	must(2 <= w.Width && w.Width <= MaxWidth, "width %d: must be 2 to %d", w.Width, MaxWidth)
	must(w.CalRows >= 0 && w.TestRows >= 0 && w.OODRows >= 0, "rows %d, %d and %d: must not be negative", w.CalRows, w.TestRows, w.OODRows)
	must(w.Prior == nil || len(w.Prior) == w.Classes, "prior of %d classes for %d", len(w.Prior), w.Classes)
	for j, p := range w.Prior {
		must(p > 0 && p <= math.MaxFloat32, "prior of class %d is %g: must be positive", j, p)
	}
	must(w.Imbalance == 0 || w.Imbalance >= 1 && w.Imbalance <= 1e6, "imbalance %g: must be 1 to 1e6", w.Imbalance)
	must(w.Prior == nil || w.Imbalance <= 1, "prior and imbalance exclude each other")
	must(-2 < w.Tilt && w.Tilt < 2, "tilt %g: must be within -2 and 2", w.Tilt)
	target := func(accuracy, ece float64) {
		must(accuracy > 0 && accuracy < 1, "accuracy %g: must be a fraction within 0 and 1", accuracy)
		must(ece >= 0 && accuracy+ece < 1, "ece %g: must be a fraction, and below 1 with the accuracy %g", ece, accuracy)
	}
	target(w.Accuracy, w.ECE)
	if s := w.Shift; s != (Shift{}) {
		must(s.Corruption != "" && !strings.ContainsAny(s.Corruption, "\x00\n"), "corruption %q: must be a line of text", s.Corruption)
		must(s.Severity >= 1, "severity %d: must be at least 1", s.Severity)
		target(s.Accuracy, s.ECE)
	}
	if err := errors.Join(errs...); err != nil {
		return fmt.Errorf("simulated network %s: %w", w.Name, err)
	}
	return nil
}

// rows returns n of a split.
func (w Network) rows(split data.Split) int {
	switch {
	case split == data.Test:
		return w.TestRows
	case split == data.Cal && w.Shift == Shift{}: // a shifted set calibrates on the clean one
		return w.CalRows
	}
	return 0
}

// shares returns the class shares of a split, summing to 1.
func (w Network) shares(split data.Split) []float64 {
	if w.balanced(split) {
		w.Prior, w.Imbalance = nil, 0
	}
	return w.trained()
}

// balanced reports whether a split of a long-tailed network has equal classes.
func (w Network) balanced(split data.Split) bool {
	return w.Imbalance > 1 && (split == data.Test || w.BalancedCal)
}

// trained returns the class shares of the training set.
func (w Network) trained() []float64 {
	shares := make([]float64, w.Classes)
	switch {
	case w.Prior != nil:
		copy(shares, w.Prior)
	case w.Imbalance > 1:
		rate := softmax.Log(w.Imbalance) / float64(w.Classes-1)
		for j := range shares {
			shares[j] = softmax.Exp(-float64(rate * float64(j)))
		}
	}
	softmax.Normalise(shares) // zeros become equal shares
	return shares
}

// skewed reports whether classes differ in their share of the training set.
func (w Network) skewed() bool { return w.Prior != nil || w.Imbalance > 1 }

// logs returns the logarithms of shares.
func logs(shares []float64) []float64 {
	out := make([]float64, len(shares))
	softmax.Logs(out, shares)
	return out
}

// cumulative returns the running sums of shares, the last one above 1.
func cumulative(shares []float64) []float64 {
	c := slices.Clone(shares)
	for j := 1; j < len(c); j++ {
		c[j] += c[j-1]
	}
	c[len(c)-1] = 2
	return c
}

// class returns the class at u of [0, 1) of cumulative shares.
func class(cum []float64, u float64) int {
	return sort.Search(len(cum), func(j int) bool { return cum[j] > u })
}

// prototypes returns W, k x d, whose rows are random unit vectors rounded to
// float32.
func (w Network) prototypes() []float64 {
	d := w.signalWidth()
	m := make([]float64, w.Classes*d)
	var s stream
	for j := range w.Classes {
		row := m[j*d : (j+1)*d]
		s.seed(identity(w.Name, "prototypes"), j)
		s.normals(row)
		length := math.Sqrt(dot(row, row))
		for c := range row {
			row[c] = float64(float32(row[c] / length))
		}
	}
	return m
}

// signalWidth is the number of features that tell classes apart: all but the
// feature that carries the class offsets of a skewed network.
func (w Network) signalWidth() int {
	if w.skewed() {
		return w.Width - 1
	}
	return w.Width
}

// text writes the parameters that decide the constants of the model, in one line.
func (w Network) text() string {
	return fmt.Sprintf("name=%q classes=%d%s width=%d accuracy=%g ece=%g tilt=%g",
		w.Name, w.Classes, w.skewText(), w.Width, w.Accuracy, w.ECE, w.Tilt)
}

// skewText writes the parameters that decide the class shares in training.
func (w Network) skewText() string {
	switch {
	case w.Prior != nil:
		return fmt.Sprintf(" prior=%g", w.Prior)
	case w.Imbalance > 1:
		return fmt.Sprintf(" imbalance=%g", w.Imbalance)
	}
	return ""
}

// labelText writes the parameters that decide the classes of the images of a split,
// except for their number.
func (w Network) labelText(split data.Split) string {
	skew := w.skewText()
	if w.balanced(split) {
		skew = ""
	}
	return fmt.Sprintf("name=%q classes=%d%s", w.Name, w.Classes, skew)
}

// headText writes the parameters that decide the head; if classes are not skewed,
// the head is the prototypes.
func (w Network) headText() string {
	if w.skewed() {
		return w.text()
	}
	return fmt.Sprintf("name=%q classes=%d width=%d", w.Name, w.Classes, w.Width)
}

// text writes the parameters of a shift, empty for none.
func (s Shift) text() string {
	if s == (Shift{}) {
		return ""
	}
	return fmt.Sprintf(" corruption=%q severity=%d shifted_accuracy=%g shifted_ece=%g", s.Corruption, s.Severity, s.Accuracy, s.ECE)
}

// dot returns the inner product, summed in order.
func dot(g, w []float64) float64 {
	w = w[:len(g)]
	var sum float64
	for c, v := range g {
		sum += float64(v * w[c])
	}
	return sum
}
