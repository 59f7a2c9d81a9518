package data

import (
	"context"
	"fmt"
)

// Skewed returns src with the clean test rows of every network thinned out to the class
// shares of its calibration set, the largest such set: of class c it keeps the first
// floor(r n_c) rows, where n_c is the number of its calibration rows and r the least
// ratio of test rows to calibration rows over the classes that have calibration rows.
// So the balanced test set of a long-tailed calibration set becomes long-tailed too,
// and there is no label shift. Classes without calibration rows are left out. Rows keep
// their order. Calibration sets are those of src. It has no corrupted sets.
//
// A part is present if the test set has it and both sets have labels. A reader holds
// the whole test set in memory.
func Skewed(src Source) Source { return &skewed{src} }

type skewed struct{ Source }

// calibration returns the ref of the calibration set of the network.
func (s *skewed) calibration(ref Ref) Ref {
	ref.Split = Cal
	return ref
}

func (s *skewed) Has(ref Ref) Parts {
	if ref.Split == Cal {
		return s.Source.Has(ref)
	}
	if ref.Corruption != "" || s.Source.Has(ref)&s.Source.Has(s.calibration(ref))&Labels == 0 {
		return 0
	}
	return s.Source.Has(ref)
}

func (s *skewed) Describe(ref Ref) Provenance {
	p := s.Source.Describe(ref)
	if ref.Split == Cal {
		return p
	}
	if p.Note != "" {
		p.Note += "; "
	}
	p.Note += "test rows thinned out to the class shares of the calibration set"
	return p
}

func (s *skewed) Digest(ctx context.Context, ref Ref, parts Parts) (string, error) {
	if ref.Split == Cal {
		return s.Source.Digest(ctx, ref, parts)
	}
	test, err := s.Source.Digest(ctx, ref, parts|Labels)
	if err != nil {
		return "", err
	}
	cal, err := s.Source.Digest(ctx, s.calibration(ref), Labels)
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("rows, version 1, with the class shares of\n%sof\n%s", endLine(cal), endLine(test)), nil
}

func (s *skewed) Headers(ctx context.Context, ref Ref, parts Parts) ([]ArrayHeader, error) {
	if ref.Split != Cal {
		parts |= Labels
		if all, err := Headers(ctx, s.Source, s.calibration(ref), Labels); err != nil {
			return all, err
		}
	}
	return Headers(ctx, s.Source, ref, parts)
}

// Shape reads the labels of both sets.
func (s *skewed) Shape(ctx context.Context, ref Ref) (rows, classes int, err error) {
	r, err := s.Open(ctx, ref, Logits)
	if err != nil {
		return 0, 0, err
	}
	defer r.Close()
	return r.Rows(), r.Classes(), nil
}

func (s *skewed) Open(ctx context.Context, ref Ref, parts Parts) (_ Reader, err error) {
	if ref.Split == Cal {
		return s.Source.Open(ctx, ref, parts)
	}
	if ref.Corruption != "" {
		return nil, fmt.Errorf("%s/%s under %s: corrupted rows are not thinned out", ref.Dataset, ref.Backbone, ref.Corruption)
	}
	cal, err := Load(ctx, s.Source, s.calibration(ref), Labels)
	if err != nil {
		return nil, err
	}
	test, err := Load(ctx, s.Source, ref, Labels)
	if err != nil {
		return nil, err
	}
	rows := withShares(cal.Labels, test.Labels)
	if len(rows) == 0 {
		return nil, fmt.Errorf("%s/%s: a class of the calibration set has no test row, or all have too few", ref.Dataset, ref.Backbone)
	}
	r, err := s.Source.Open(ctx, ref, parts)
	if err != nil {
		return nil, err
	}
	return &skewedReader{Reader: r, rows: rows}, nil
}

// withShares returns the test rows that Skewed keeps.
func withShares(cal, test []int32) []int {
	calibrated, tested := map[int32]int64{}, map[int32]int64{} // products of two numbers of rows
	for _, y := range cal {
		calibrated[y]++
	}
	for _, y := range test {
		tested[y]++
	}
	num, den := int64(len(test))+1, int64(1) // r
	for y, n := range calibrated {
		if tested[y]*den < num*n {
			num, den = tested[y], n
		}
	}
	kept := map[int32]int64{}
	var rows []int
	for i, y := range test {
		if (kept[y]+1)*den <= num*calibrated[y] {
			kept[y]++
			rows = append(rows, i)
		}
	}
	return rows
}

// skewedReader reads the whole test set at the first Read and gathers rows of it.
type skewedReader struct {
	Reader
	rows []int
	from *Set
}

func (r *skewedReader) Rows() int { return len(r.rows) }

func (r *skewedReader) Read(ctx context.Context, lo, hi int) (*Set, error) {
	if r.from == nil {
		set, err := r.Reader.Read(ctx, 0, r.Reader.Rows())
		if err != nil {
			return nil, err
		}
		r.from = set
	}
	rows, from := r.rows[lo:hi], r.from
	pick := func(m Matrix) Matrix {
		if !m.Present() {
			return Matrix{}
		}
		out := NewMatrix(len(rows), m.Cols)
		for i, row := range rows {
			copy(out.Row(i), m.Row(row))
		}
		return out
	}
	set := &Set{Logits: pick(from.Logits), Features: pick(from.Features), Head: from.Head, OOD: from.OOD}
	for _, view := range from.Augmented {
		set.Augmented = append(set.Augmented, pick(view))
	}
	if from.Labels != nil {
		for _, row := range rows {
			set.Labels = append(set.Labels, from.Labels[row])
		}
	}
	return set, nil
}
