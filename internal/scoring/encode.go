package scoring

import (
	"bytes"
	"errors"
	"fmt"
	"slices"

	"github.com/qats-bench/qats/data"
)

// AppendEncoded appends the scores to b as an .npz archive, which numpy.load
// reads. Its members are conf, nll and brier (float64), pred and label (int32)
// and changed (bool), n rows each, and with class bins class_rows, class_hits
// (int32) and class_conf (float64), 15 k each, tail_class (int32), tail_prob
// (float64) and tail_hit (bool), and top_rows, top_hits (int32) and top_conf
// (float64), 15 each; with numbers of whole vectors ts_nll, ts_brier, ts_l1,
// ts_l2, ts_linf, isotonic_l1, isotonic_l2 and isotonic_linf (float64), n each. Top-label scores have no nll and
// no brier. The bytes depend on the scores alone and carry a CRC of each member.
// Scores without rows, or without Changed, are an error.
func (s *SampleScores) AppendEncoded(b []byte) ([]byte, error) {
	if s.Len() == 0 || len(s.Changed) == 0 {
		return b, errors.New("sample scores without rows, or without the uncalibrated predictions")
	}
	columns := []data.Member{
		{Name: "conf", Float64: s.Conf},
		{Name: "pred", Int32: s.Pred},
		{Name: "label", Int32: s.Label},
		{Name: "changed", Bool: s.Changed},
	}
	if !s.TopLabel {
		columns = slices.Insert(columns, 3, data.Member{Name: "nll", Float64: s.NLL}, data.Member{Name: "brier", Float64: s.Brier})
	}
	if c := s.Classes; c != nil {
		columns = append(columns,
			data.Member{Name: "class_rows", Int32: c.Rows},
			data.Member{Name: "class_hits", Int32: c.Hits},
			data.Member{Name: "class_conf", Float64: c.Conf},
			data.Member{Name: "tail_class", Int32: c.Tail.Class},
			data.Member{Name: "tail_prob", Float64: c.Tail.Prob},
			data.Member{Name: "tail_hit", Bool: c.Tail.Hit},
			data.Member{Name: "top_rows", Int32: c.Top.Rows},
			data.Member{Name: "top_hits", Int32: c.Top.Hits},
			data.Member{Name: "top_conf", Float64: c.Top.Conf},
		)
	}
	if s.Vectors != nil {
		for _, m := range s.Vectors.members() {
			columns = append(columns, data.Member{Name: m.name, Float64: *m.column})
		}
	}
	to := bytes.NewBuffer(b)
	to.Grow(s.encodedBytes())
	err := data.WriteNPZ(to, columns...)
	return to.Bytes(), err
}

// encodedBytes is at least the number of bytes that AppendEncoded appends.
func (s *SampleScores) encodedBytes() int {
	n := 33*s.Len() + 4096 // besides its column, a member takes less than 400 bytes
	if c := s.Classes; c != nil {
		n += 16*len(c.Conf) + 13*len(c.Tail.Class) + 4096
	}
	if s.Vectors != nil {
		n += 64*s.Len() + 4096
	}
	return n
}

// Decode returns the scores that AppendEncoded wrote, bit for bit. Damaged
// bytes, columns that are missing or differ in length, and values that no
// scoring gives are errors.
func Decode(b []byte) (*SampleScores, error) {
	columns, err := data.ReadNPZ(b)
	if err != nil {
		return nil, err
	}
	s := &SampleScores{}
	classes := func() *ClassBins {
		if s.Classes == nil {
			s.Classes = &ClassBins{}
		}
		return s.Classes
	}
	for _, c := range columns {
		switch c.Name {
		case "conf":
			s.Conf = c.Float64
		case "pred":
			s.Pred = c.Int32
		case "label":
			s.Label = c.Int32
		case "nll":
			s.NLL = c.Float64
		case "brier":
			s.Brier = c.Float64
		case "changed":
			s.Changed = c.Bool
		case "class_rows":
			classes().Rows = c.Int32
		case "class_hits":
			classes().Hits = c.Int32
		case "class_conf":
			classes().Conf = c.Float64
		case "tail_class":
			classes().Tail.Class = c.Int32
		case "tail_prob":
			classes().Tail.Prob = c.Float64
		case "tail_hit":
			classes().Tail.Hit = c.Bool
		case "top_rows":
			classes().Top.Rows = c.Int32
		case "top_hits":
			classes().Top.Hits = c.Int32
		case "top_conf":
			classes().Top.Conf = c.Float64
		default:
			if !s.vectorMember(c) {
				return nil, fmt.Errorf("column %q does not belong to sample scores", c.Name)
			}
		}
	}
	n := s.Len()
	s.TopLabel = s.NLL == nil && s.Brier == nil
	vector := len(s.NLL) == n && len(s.Brier) == n
	if n == 0 || len(s.Pred) != n || len(s.Label) != n || len(s.Changed) != n || !(vector || s.TopLabel) {
		return nil, errors.New("columns of sample scores are absent, of another type or of unequal length")
	}
	for i := range n {
		if !(s.Conf[i] >= 0 && s.Conf[i] <= 1) || s.Pred[i] < 0 || s.Label[i] < 0 {
			return nil, fmt.Errorf("row %d: confidence %g, prediction %d, label %d: out of range", i, s.Conf[i], s.Pred[i], s.Label[i])
		}
		if vector && !(s.Conf[i] > 0 && s.NLL[i] >= 0 && s.Brier[i] >= 0) {
			return nil, fmt.Errorf("row %d: confidence %g, nll %g, brier %g: out of range", i, s.Conf[i], s.NLL[i], s.Brier[i])
		}
	}
	if s.Classes != nil {
		if err := s.Classes.check(n); err != nil {
			return nil, err
		}
	}
	if s.Vectors != nil {
		if err := s.Vectors.check(n); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// vectorMember keeps a column of VectorScores. It reports whether the column is one.
func (s *SampleScores) vectorMember(c data.Member) bool {
	v := s.Vectors
	if v == nil {
		v = &VectorScores{}
	}
	for _, m := range v.members() {
		if m.name == c.Name {
			*m.column, s.Vectors = c.Float64, v
			return true
		}
	}
	return false
}
