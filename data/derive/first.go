package derive

import (
	"context"
	"fmt"

	"github.com/qats-bench/qats/data"
)

// First returns src with each set reduced to its first n rows, for a quick run on
// sets whose rows are in random order. Head and OOD arrays stay complete.
func First(src data.Source, n int) data.Source { return &first{src, n} }

type first struct {
	data.Source
	n int
}

// Describe adds the number of rows to the note of src.
func (f *first) Describe(ref data.Ref) data.Provenance {
	p := f.Source.Describe(ref)
	addNote(&p, fmt.Sprintf("at most the first %d rows", f.n))
	return p
}

func (f *first) Inputs(ref data.Ref, parts data.Parts) []data.Input {
	return []data.Input{{Source: f.Source, Ref: ref, Parts: parts}}
}

func (f *first) Digest(ctx context.Context, ref data.Ref, parts data.Parts) (string, error) {
	text, err := f.Source.Digest(ctx, ref, parts)
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("%sfirst %d rows\n", endLine(text), f.n), nil
}

func (f *first) Open(ctx context.Context, ref data.Ref, parts data.Parts) (data.Reader, error) {
	r, err := f.Source.Open(ctx, ref, parts)
	if err != nil {
		return nil, err
	}
	return firstReader{r, f.n}, nil
}

// Shape is that of src, with at most n rows.
func (f *first) Shape(ctx context.Context, ref data.Ref) (rows, classes int, err error) {
	rows, classes, err = f.Source.Shape(ctx, ref)
	return min(rows, f.n), classes, err
}

type firstReader struct {
	data.Reader
	n int
}

func (r firstReader) Rows() int { return min(r.n, r.Reader.Rows()) }

// Bytes returns the share of the rows in the bytes of the complete set. Heads and
// OOD arrays are counted in, since they are small.
func (r firstReader) Bytes() int64 {
	all := r.Reader.Rows()
	if all == 0 {
		return r.Reader.Bytes()
	}
	return int64(float64(r.Reader.Bytes()) * float64(r.Rows()) / float64(all))
}

// endLine adds a final newline to a text that lacks one and is not empty.
func endLine(text string) string {
	if text != "" && text[len(text)-1] != '\n' {
		text += "\n"
	}
	return text
}
