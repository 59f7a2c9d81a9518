package data

import "context"

// Shape returns the rows and classes of the logits at ref, from headers alone where
// the source can: a source with a method Shape is asked, any other set is opened.
func Shape(ctx context.Context, src Source, ref Ref) (rows, classes int, err error) {
	if s, ok := src.(interface {
		Shape(context.Context, Ref) (rows, classes int, err error)
	}); ok {
		return s.Shape(ctx, ref)
	}
	r, err := src.Open(ctx, ref, Logits)
	if err != nil {
		return 0, 0, err
	}
	defer r.Close()
	return r.Rows(), r.Classes(), nil
}

// Shape is that of src, with at most n rows.
func (f *first) Shape(ctx context.Context, ref Ref) (rows, classes int, err error) {
	rows, classes, err = Shape(ctx, f.Source, ref)
	return min(rows, f.n), classes, err
}

// Shape is that of the source: a draw keeps the sizes of both sets.
func (r *redrawn) Shape(ctx context.Context, ref Ref) (rows, classes int, err error) {
	return Shape(ctx, r.Source, ref)
}

// Shape is that of the source.
func (s *scaled) Shape(ctx context.Context, ref Ref) (rows, classes int, err error) {
	return Shape(ctx, s.Source, ref)
}
