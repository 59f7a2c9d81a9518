package metrics

import (
	"bytes"
	"errors"
	"fmt"
	"slices"

	"github.com/qats-bench/qats/data"
)

// Encode returns the facts as an .npz archive with the members conf, nll and
// brier (float64), pred and label (int32) and changed (bool), n rows each, and
// with class bins class_rows, class_hits (int32) and class_conf (float64), 15 k
// each: numpy.load reads it. Top-label facts have no nll and no brier. The bytes depend on the facts alone and carry a CRC of
// each member. Facts without rows are an error.
func (f *Facts) Encode() ([]byte, error) { return f.AppendEncoded(nil) }

// AppendEncoded appends what Encode returns to b.
func (f *Facts) AppendEncoded(b []byte) ([]byte, error) {
	if f.N() == 0 {
		return b, errors.New("facts have no rows")
	}
	columns := []data.Member{
		{Name: "conf", Float64: f.Conf},
		{Name: "pred", Int32: f.Pred},
		{Name: "label", Int32: f.Label},
		{Name: "changed", Bool: f.Changed},
	}
	if !f.TopLabel {
		columns = slices.Insert(columns, 3, data.Member{Name: "nll", Float64: f.NLL}, data.Member{Name: "brier", Float64: f.Brier})
	}
	if c := f.Class; c != nil {
		columns = append(columns,
			data.Member{Name: "class_rows", Int32: c.Rows},
			data.Member{Name: "class_hits", Int32: c.Hits},
			data.Member{Name: "class_conf", Float64: c.Conf},
		)
	}
	to := bytes.NewBuffer(b)
	to.Grow(f.encodedBytes())
	err := data.WriteNPZ(to, columns...)
	return to.Bytes(), err
}

// encodedBytes is at least the length of what Encode returns.
func (f *Facts) encodedBytes() int {
	n := 33*f.N() + 4096 // a member takes less than 400 bytes besides its column
	if c := f.Class; c != nil {
		n += 16 * len(c.Conf)
	}
	return n
}

// DecodeFacts returns the facts that Encode wrote, bit for bit. Damaged bytes,
// columns that lack or differ in length, and values that no scoring yields are
// errors.
func DecodeFacts(b []byte) (*Facts, error) {
	columns, err := data.ReadNPZ(b)
	if err != nil {
		return nil, err
	}
	f := &Facts{}
	class := func() *ClassBins {
		if f.Class == nil {
			f.Class = &ClassBins{}
		}
		return f.Class
	}
	for _, c := range columns {
		switch c.Name {
		case "conf":
			f.Conf = c.Float64
		case "pred":
			f.Pred = c.Int32
		case "label":
			f.Label = c.Int32
		case "nll":
			f.NLL = c.Float64
		case "brier":
			f.Brier = c.Float64
		case "changed":
			f.Changed = c.Bool
		case "class_rows":
			class().Rows = c.Int32
		case "class_hits":
			class().Hits = c.Int32
		case "class_conf":
			class().Conf = c.Float64
		default:
			return nil, fmt.Errorf("column %q is none of facts", c.Name)
		}
	}
	n := f.N()
	f.TopLabel = f.NLL == nil && f.Brier == nil
	vector := len(f.NLL) == n && len(f.Brier) == n
	if n == 0 || len(f.Pred) != n || len(f.Label) != n || len(f.Changed) != n || !(vector || f.TopLabel) {
		return nil, errors.New("columns of facts are absent, of another type or of unequal length")
	}
	for i := range n {
		if !(f.Conf[i] >= 0 && f.Conf[i] <= 1) || f.Pred[i] < 0 || f.Label[i] < 0 {
			return nil, fmt.Errorf("row %d: confidence %g, prediction %d, label %d: out of range", i, f.Conf[i], f.Pred[i], f.Label[i])
		}
		if vector && !(f.Conf[i] > 0 && f.NLL[i] >= 0 && f.Brier[i] >= 0) {
			return nil, fmt.Errorf("row %d: confidence %g, nll %g, brier %g: out of range", i, f.Conf[i], f.NLL[i], f.Brier[i])
		}
	}
	if f.Class != nil {
		if err := f.Class.check(n); err != nil {
			return nil, err
		}
	}
	return f, nil
}
