package scoring

import (
	"bytes"
	"errors"
	"fmt"
	"slices"

	"github.com/qats-bench/qats/data/npy"
)

// AppendEncoded appends the scores to b as an .npz archive, which numpy.load
// reads. Its members are conf, rest, nll and brier (float64), pred and label (int32)
// and changed (bool), n rows each, and with class bins tail_class (int32), tail_prob
// (float64) and tail_hit (bool), then class_rows, class_hits (int32) and
// class_conf (float64), 15 k each, class_group_rows (int32), class_group_residual and
// class_group_square (float64), 240 k each, and the same lists of top, 15 and 240 each; with groups
// group (int32), n, and where weights were no whole numbers unit (float64), one number; with numbers of whole vectors ts_nll, ts_brier, ts_l1,
// ts_l2, ts_linf, isotonic_l1, isotonic_l2 and isotonic_linf (float64), n each. Top-label scores have no nll and
// no brier, and those of a confidence alone no pred either: label is 0 where the prediction is right, else 1. The bytes depend on the scores alone and carry a CRC of each member.
// Scores without rows, or without Changed, are an error.
func (s *SampleScores) AppendEncoded(b []byte) ([]byte, error) {
	if s.Len() == 0 || len(s.Changed) == 0 {
		return b, errors.New("sample scores without rows, or without the uncalibrated predictions")
	}
	var members []npy.Column
	size := 1 << 10 // at least the bytes of the archive
	for _, c := range s.columns() {
		if s.TopLabel && (c.name == "nll" || c.name == "brier") || s.ConfidenceOnly && c.name == "pred" {
			continue
		}
		m := npy.Column{Name: c.name}
		size += 400 // the most that a member has besides its column
		switch at := c.at.(type) {
		case *[]float64:
			m.Float64, size = *at, size+8*len(*at)
		case *[]int32:
			m.Int32, size = *at, size+4*len(*at)
		case *[]bool:
			m.Bool, size = *at, size+len(*at)
		}
		members = append(members, m)
	}
	to := bytes.NewBuffer(b)
	to.Grow(size)
	err := npy.WriteNPZ(to, members...)
	return to.Bytes(), err
}

// column is a column of the encoding: at is a pointer to a list of numbers or flags.
type column struct {
	name string
	at   any
}

// columns returns all columns in their order; nll and brier are of scores that are not
// top-label.
func (s *SampleScores) columns() []column {
	list := []column{
		{"conf", &s.Conf}, {"rest", &s.Rest}, {"pred", &s.Pred}, {"label", &s.Label},
		{"nll", &s.NLL}, {"brier", &s.Brier}, {"changed", &s.Changed},
	}
	if c := s.Classes; c != nil {
		list = append(list,
			column{"tail_class", &c.Tail.Class}, column{"tail_prob", &c.Tail.Prob}, column{"tail_hit", &c.Tail.Hit})
		for _, b := range []struct {
			name string
			bins *Bins
		}{{"class", &c.Bins}, {"top", &c.Top}} {
			list = append(list, column{b.name + "_rows", &b.bins.Rows}, column{b.name + "_hits", &b.bins.Hits},
				column{b.name + "_conf", &b.bins.Conf}, column{b.name + "_group_rows", &b.bins.GroupRows},
				column{b.name + "_group_residual", &b.bins.GroupResidual}, column{b.name + "_group_square", &b.bins.GroupSquare})
		}
	}
	if s.Group != nil {
		list = append(list, column{"group", &s.Group})
	}
	if s.Unit != nil {
		list = append(list, column{"unit", &s.Unit})
	}
	if s.Vectors != nil {
		for _, m := range s.Vectors.members() {
			list = append(list, column{m.name, m.column})
		}
	}
	return list
}

// Decode returns the scores that AppendEncoded wrote, bit for bit. Damaged
// bytes, columns that are missing or differ in length, and values that no
// scoring gives are errors.
func Decode(b []byte) (*SampleScores, error) {
	members, err := npy.ReadNPZ(b)
	if err != nil {
		return nil, err
	}
	s := &SampleScores{}
	for _, m := range members { // the optional columns are in two groups, each complete or absent
		switch m.Name {
		case "class_rows":
			s.Classes = &ClassBins{}
		case "ts_nll":
			s.Vectors = &VectorScores{}
		case "group":
			s.Group = []int32{}
		case "unit":
			s.Unit = []float64{}
		}
	}
	columns := s.columns()
	for _, m := range members {
		i := slices.IndexFunc(columns, func(c column) bool { return c.name == m.Name })
		if i < 0 {
			return nil, fmt.Errorf("column %q does not belong to sample scores", m.Name)
		}
		switch at := columns[i].at.(type) {
		case *[]float64:
			*at = m.Float64
		case *[]int32:
			*at = m.Int32
		case *[]bool:
			*at = m.Bool
		}
	}
	if err := s.check(); err != nil {
		return nil, err
	}
	return s, nil
}

// check rejects columns that AppendEncoded cannot have written.
func (s *SampleScores) check() error {
	n := s.Len()
	s.TopLabel = s.NLL == nil && s.Brier == nil
	if s.ConfidenceOnly = s.TopLabel && s.Pred == nil; s.ConfidenceOnly {
		s.Pred = make([]int32, n)
	}
	vector := len(s.NLL) == n && len(s.Brier) == n
	if n == 0 || len(s.Rest) != n || len(s.Pred) != n || len(s.Label) != n || len(s.Changed) != n || !(vector || s.TopLabel) {
		return errors.New("columns of sample scores are absent, of another type or of unequal length")
	}
	for i := range n {
		if !(s.Conf[i] >= 0 && s.Conf[i] <= 1 && s.Rest[i] >= 0 && s.Rest[i] <= 1) || s.Pred[i] < 0 || s.Label[i] < 0 {
			return fmt.Errorf("row %d: confidence %g, rest %g, prediction %d, label %d: out of range", i, s.Conf[i], s.Rest[i], s.Pred[i], s.Label[i])
		}
		if vector && !(s.Conf[i] > 0 && s.NLL[i] >= 0 && s.Brier[i] >= 0) {
			return fmt.Errorf("row %d: confidence %g, nll %g, brier %g: out of range", i, s.Conf[i], s.NLL[i], s.Brier[i])
		}
	}
	if s.Group != nil && (len(s.Group) != n || slices.Min(s.Group) < 0) {
		return errors.New("groups of sample scores are of another number of rows, or below 0")
	}
	if s.Unit != nil && !(len(s.Unit) == 1 && s.Unit[0] > 0) {
		return errors.New("the unit of the weights is no number above 0")
	}
	if s.Classes != nil {
		if err := s.Classes.check(n); err != nil {
			return err
		}
	}
	if s.Vectors != nil {
		if err := s.Vectors.check(n); err != nil {
			return err
		}
	}
	return nil
}
