package derive

import (
	"context"
	"fmt"

	"github.com/qats-bench/qats/data"
)

// Skewed returns src with the clean test rows of every network thinned out to the class
// shares of its calibration set. It keeps the most rows that have these shares: the first
// floor(r n_c) of class c, where n_c is the number of its calibration rows and r the least
// ratio of test rows to calibration rows over the classes that have calibration rows. So
// the balanced test set of a long-tailed calibration set becomes long-tailed too, and there
// is no label shift. Classes without calibration rows are left out. Rows keep their order.
// Calibration sets are those of src. It has no corrupted sets.
//
// A part is present if the test set has it and both sets have labels. A reader holds
// the whole test set in memory.
func Skewed(src data.Source) data.Source { return &skewed{src} }

type skewed struct{ data.Source }

func (s *skewed) Has(ref data.Ref) data.Parts {
	if ref.Split == data.Cal {
		return s.Source.Has(ref)
	}
	if ref.Corruption != "" || s.Source.Has(ref)&s.Source.Has(ref.In(data.Cal))&data.Labels == 0 {
		return 0
	}
	return s.Source.Has(ref)
}

func (s *skewed) Describe(ref data.Ref) data.Provenance {
	p := s.Source.Describe(ref)
	if ref.Split != data.Cal {
		addNote(&p, "test rows thinned out to the class shares of the calibration set")
	}
	return p
}

func (s *skewed) Digest(ctx context.Context, ref data.Ref, parts data.Parts) (string, error) {
	if ref.Split == data.Cal {
		return s.Source.Digest(ctx, ref, parts)
	}
	test, err := s.Source.Digest(ctx, ref, parts|data.Labels)
	if err != nil {
		return "", err
	}
	cal, err := s.Source.Digest(ctx, ref.In(data.Cal), data.Labels)
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("rows, version 1, with the class shares of\n%sof\n%s", endLine(cal), endLine(test)), nil
}

func (s *skewed) Inputs(ref data.Ref, parts data.Parts) []data.Input {
	if ref.Split == data.Cal {
		return []data.Input{{Source: s.Source, Ref: ref, Parts: parts}}
	}
	return []data.Input{{Source: s.Source, Ref: ref.In(data.Cal), Parts: data.Labels}, {Source: s.Source, Ref: ref, Parts: parts | data.Labels}}
}

func (s *skewed) Open(ctx context.Context, ref data.Ref, parts data.Parts) (_ data.Reader, err error) {
	if ref.Split == data.Cal {
		return s.Source.Open(ctx, ref, parts)
	}
	if ref.Corruption != "" {
		return nil, fmt.Errorf("%s/%s under %s: corrupted rows are not thinned out", ref.Dataset, ref.Backbone, ref.Corruption)
	}
	cal, err := data.Load(ctx, s.Source, ref.In(data.Cal), data.Labels)
	if err != nil {
		return nil, err
	}
	test, err := data.Load(ctx, s.Source, ref, data.Labels)
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
	return &gatherer{readers: []data.Reader{r}, parts: parts, n: len(rows), choose: func([]*data.Set) ([]int, error) { return rows, nil }}, nil
}

// Shape of a test set needs its labels: it is opened.
func (s *skewed) Shape(ctx context.Context, ref data.Ref) (rows, classes int, err error) {
	if ref.Split == data.Cal {
		return s.Source.Shape(ctx, ref)
	}
	r, err := s.Open(ctx, ref, data.Logits)
	if err != nil {
		return 0, 0, err
	}
	defer r.Close()
	return r.Rows(), r.Classes(), nil
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
