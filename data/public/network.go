package public

import (
	"fmt"
	"math"

	"github.com/qats-bench/qats/data"
)

// network is one network with the predictions that were published.
type network struct {
	dataset, backbone string
	kind              data.Kind // KindLogits or KindProbs; KindLogProbs once probabilities are converted
	clipped           int       // probabilities below data.LeastProb
	cal, test         split
	from              string   // as in data.Provenance
	training          string   // how it differs from a network of the paper of the same name
	standIn           string   // as in data.Provenance: training, where there is one
	note              string   // how rows were chosen, if that needs a word
	sources           []string // names of the files it was read from
}

// name is dataset/backbone.
func (n *network) name() string { return n.dataset + "/" + n.backbone }

// split is the calibration or the test set of a network.
type split struct {
	scores   table
	labels   []int32
	features table // no rows where there are none
}

// table is an n x k table of numbers.
type table struct {
	n, k   int
	data   []float64
	single bool // each number is a float32

	narrow []float32 // the numbers in place of data, once they are checked
}

// compact halves the memory of float32 numbers, for files with many networks.
func (t *table) compact() {
	if !t.single || t.data == nil {
		return
	}
	t.narrow = make([]float32, len(t.data))
	for i, x := range t.data {
		t.narrow[i] = float32(x)
	}
	t.data = nil
}

func (t table) row(i int) []float64 { return t.data[i*t.k : (i+1)*t.k] }

// tableOf returns an array of one or two axes. An array of one axis is one column.
func tableOf(a *data.Array) (table, error) {
	if a.DType().Integer() {
		return table{}, fmt.Errorf("elements of type %s; want floats", a.DType())
	}
	if axes := len(a.Shape()); axes != 1 && axes != 2 {
		return table{}, fmt.Errorf("%d axes; want rows and classes", axes)
	}
	t := table{n: a.Rows(), k: a.Cols(), single: a.DType().Size() < 8}
	if t.n == 0 || t.k == 0 {
		return table{}, fmt.Errorf("shape %v has no elements", a.Shape())
	}
	t.data = make([]float64, t.n*t.k)
	return t, a.ReadFloat64(t.data, 0, t.n)
}

// twoClasses returns the table with both classes, if it has only the probability of
// the second one.
func (t table) twoClasses() table {
	if t.k != 1 {
		return t
	}
	both := table{n: t.n, k: 2, data: make([]float64, 2*t.n)}
	for i, p := range t.data {
		both.data[2*i], both.data[2*i+1] = 1-p, p
	}
	return both
}

// alternate returns the rows of even and of odd index.
func (s split) alternate() (even, odd split) {
	parts := [2]*split{&even, &odd}
	for _, p := range parts {
		p.scores = table{k: s.scores.k, single: s.scores.single}
	}
	for i := range s.scores.n {
		p := parts[i%2]
		p.scores.data = append(p.scores.data, s.scores.row(i)...)
		p.scores.n++
		p.labels = append(p.labels, s.labels[i])
	}
	return even, odd
}

// labelsOf returns labels of shape n or n x 1.
func labelsOf(a *data.Array) ([]int32, error) {
	if axes := len(a.Shape()); axes != 1 && axes != 2 || a.Cols() != 1 {
		return nil, fmt.Errorf("labels of shape %v; want n or n x 1", a.Shape())
	}
	labels := make([]int32, a.Rows())
	if err := a.ReadInt32(labels, 0, len(labels)); err != nil {
		return nil, fmt.Errorf("labels: %w", err)
	}
	return labels, nil
}

// check rejects a split whose parts do not fit each other. Classes is the number of
// classes of the network.
func (s split) check(kind data.Kind, classes int) error {
	switch {
	case s.scores.k < 2:
		return fmt.Errorf("%d class; want at least 2", s.scores.k)
	case s.scores.k != classes:
		return fmt.Errorf("%d classes; the other set has %d", s.scores.k, classes)
	case len(s.labels) != s.scores.n:
		return fmt.Errorf("%d labels for %d rows", len(s.labels), s.scores.n)
	case s.features.n != 0 && s.features.n != s.scores.n:
		return fmt.Errorf("%d rows of features for %d rows", s.features.n, s.scores.n)
	}
	for i, y := range s.labels {
		if int(y) >= classes || y < 0 {
			return fmt.Errorf("row %d: label %d; there are %d classes", i, y, classes)
		}
	}
	if err := s.scores.check("class"); err != nil {
		return err
	}
	if err := s.features.check("feature"); err != nil {
		return err
	}
	if kind != data.KindProbs && s.scores.looksLikeProbs() {
		return fmt.Errorf("these are probabilities, not logits: every row is in [0, 1] and sums to 1")
	}
	return nil
}

// check rejects numbers that are not finite, or not finite as float32.
func (t table) check(column string) error {
	for i, v := range t.data {
		if math.IsNaN(v) || math.IsInf(float64(float32(v)), 0) {
			return fmt.Errorf("row %d, %s %d: %g", i/t.k, column, i%t.k, v)
		}
	}
	return nil
}

// looksLikeProbs reports whether every row is in [0, 1] and sums to 1.
func (t table) looksLikeProbs() bool {
	for i := range t.n {
		sum := 0.0
		for _, v := range t.row(i) {
			if v < 0 || v > 1 {
				return false
			}
			sum += v
		}
		if math.Abs(sum-1) > 1e-3 {
			return false
		}
	}
	return t.n >= 20
}
