package data

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
)

// Files names the array files of one set; an empty name is an absent array.
type Files struct {
	Logits     string // n x k
	Labels     string // n or n x 1
	Features   string // n x d
	Augmented  string // v x n x k
	HeadWeight string // k x d
	HeadBias   string // k or k x 1
	OOD        string // m x k
}

// file is one line of Files.
type file struct {
	part Parts
	role string // its name in digests
	path string
}

// list returns the files of the given parts, in the order of the parts.
func (f Files) list(parts Parts) []file {
	all := []file{
		{Logits, "logits", f.Logits},
		{Labels, "labels", f.Labels},
		{Features, "features", f.Features},
		{Augmented, "augmented", f.Augmented},
		{Head, "head_weight", f.HeadWeight},
		{Head, "head_bias", f.HeadBias},
		{OOD, "ood", f.OOD},
	}
	return slices.DeleteFunc(all, func(x file) bool { return x.part&parts == 0 })
}

// Parts returns the parts that are named; the head needs both of its files.
func (f Files) Parts() Parts {
	parts := Parts(1<<len(partNames) - 1)
	for _, x := range f.list(parts) {
		if x.path == "" {
			parts &^= x.part
		}
	}
	return parts
}

// Open opens the named arrays, whose names are paths of the operating system
// (or FILE.npz#MEMBER), as Source.Open does: shapes are checked against each
// other, values as they are read.
func (f Files) Open() (Reader, error) {
	if (f.HeadWeight == "") != (f.HeadBias == "") {
		return nil, fmt.Errorf("%s: a head is a weight and a bias; one is not named", cmp.Or(f.HeadWeight, f.HeadBias))
	}
	return openSet(f, f.Parts(), func(x file) (*Array, error) { return OpenArrayFile(x.path) })
}

// openSet opens the files of parts and checks their shapes against each other.
func openSet(files Files, parts Parts, open func(file) (*Array, error)) (_ Reader, err error) {
	r := &setReader{}
	defer func() {
		if err != nil {
			r.Close()
		}
	}()
	for _, x := range files.list(parts) {
		if x.path == "" {
			return nil, fmt.Errorf("the set has no %s", x.role)
		}
		a, err := open(x)
		if err != nil {
			return nil, err
		}
		r.all = append(r.all, a)
		switch x.role {
		case "logits":
			r.logits = a
		case "labels":
			r.labels = a
		case "features":
			r.features, a.column = a, "feature"
		case "augmented":
			r.augmented = a
		case "head_weight":
			r.weight, a.column = a, "feature"
		case "head_bias":
			r.bias = a
		case "ood":
			r.ood = a
		}
	}
	return r, r.check()
}

// setReader reads a set from open arrays.
type setReader struct {
	all                                                    []*Array
	logits, labels, features, augmented, weight, bias, ood *Array
	n, k                                                   int

	network Set  // head and OOD, once read
	read    bool // network has been read
}

func (r *setReader) Rows() int    { return r.n }
func (r *setReader) Classes() int { return r.k }

func (r *setReader) Bytes() int64 {
	var elements int64
	for _, a := range r.all {
		elements += int64(a.Rows()) * int64(a.Cols())
	}
	return 4 * elements // float32 and int32 alike
}

func (r *setReader) Close() error {
	var errs []error
	for _, a := range r.all {
		errs = append(errs, a.Close())
	}
	return errors.Join(errs...)
}

// check compares the shapes with what each part must be and with each other.
func (r *setReader) check() error {
	for _, x := range []struct {
		a    *Array
		axes int
		want string
	}{
		{r.logits, 2, "n x k"},
		{r.labels, 1, "n"},
		{r.features, 2, "n x d"},
		{r.augmented, 3, "views x n x k"},
		{r.weight, 2, "k x d"},
		{r.bias, 1, "k"},
		{r.ood, 2, "m x k"},
	} {
		if x.a == nil {
			continue
		}
		s := x.a.shape
		column := x.axes == 1 && len(s) == 2 && s[1] == 1
		if len(s) != x.axes && !column {
			hint := ""
			if x.a == r.labels && len(s) == 2 {
				hint = "; if they are one-hot, store the index of the one"
			}
			return fmt.Errorf("%s: shape %s; want %s%s", x.a.name, tuple(s), x.want, hint)
		}
		if slices.Contains(s, 0) {
			return fmt.Errorf("%s: shape %s: there is nothing in it", x.a.name, tuple(s))
		}
	}
	if r.labels != nil {
		if err := r.labels.checkWhole(); err != nil {
			return err
		}
	}
	rows := []axis{{r.logits, 0}, {r.labels, 0}, {r.features, 0}, {r.augmented, 1}}
	classes := []axis{{r.logits, 1}, {r.augmented, 2}, {r.weight, 0}, {r.bias, 0}, {r.ood, 1}}
	width := []axis{{r.features, 1}, {r.weight, 1}}
	var err error
	if r.n, err = same("rows", rows); err != nil {
		return err
	}
	if r.k, err = same("classes", classes); err != nil {
		return err
	}
	if _, err = same("features", width); err != nil {
		return err
	}
	if r.k == 1 {
		for _, x := range classes {
			if x.a != nil {
				return fmt.Errorf("%s: one class; confidence needs two: store a column of zeros beside a single score", x.a.name)
			}
		}
	}
	return nil
}

// axis is one axis of an array that may be absent.
type axis struct {
	a *Array
	i int
}

// same returns the length that the axes of the arrays present share, or 0.
func same(what string, axes []axis) (int, error) {
	var first *Array
	length := 0
	for _, x := range axes {
		if x.a == nil {
			continue
		}
		d := x.a.shape[x.i]
		if first == nil {
			first, length = x.a, d
		}
		if d != length {
			return 0, fmt.Errorf("%s has %d %s but %s has %d", first.name, length, what, x.a.name, d)
		}
	}
	return length, nil
}

func (r *setReader) Read(ctx context.Context, lo, hi int) (*Set, error) {
	if lo < 0 || lo > hi || hi > r.n {
		panic(fmt.Sprintf("data: rows %d..%d of %d", lo, hi, r.n))
	}
	s := &Set{}
	var err error
	if s.Logits, err = readMatrix(ctx, r.logits, lo, hi); err != nil {
		return nil, err
	}
	if s.Labels, err = r.readLabels(lo, hi); err != nil {
		return nil, err
	}
	if s.Features, err = readMatrix(ctx, r.features, lo, hi); err != nil {
		return nil, err
	}
	if r.augmented != nil {
		for v := range r.augmented.shape[0] {
			m, err := readMatrix(ctx, r.augmented, v*r.n+lo, v*r.n+hi)
			if err != nil {
				return nil, err
			}
			s.Augmented = append(s.Augmented, m)
		}
	}
	if !r.read { // the network's own arrays are the same for every block
		if err := r.readNetwork(ctx); err != nil {
			return nil, err
		}
		r.read = true
	}
	s.Head, s.OOD = r.network.Head, r.network.OOD
	return s, nil
}

func (r *setReader) readNetwork(ctx context.Context) error {
	if r.weight != nil {
		var err error
		if r.network.Head.W, err = readMatrix(ctx, r.weight, 0, r.weight.Rows()); err != nil {
			return err
		}
		r.network.Head.B = make([]float32, r.k)
		if err := r.bias.ReadFloat32(r.network.Head.B, 0, r.k); err != nil {
			return err
		}
	}
	if r.ood != nil {
		var err error
		if r.network.OOD, err = readMatrix(ctx, r.ood, 0, r.ood.Rows()); err != nil {
			return err
		}
	}
	return nil
}

// readMatrix reads rows lo..hi-1 of a, or nothing where a is absent.
func readMatrix(ctx context.Context, a *Array, lo, hi int) (Matrix, error) {
	if a == nil {
		return Matrix{}, nil
	}
	m := NewMatrix(hi-lo, a.Cols())
	// Pieces of some megabytes, so that an interrupt is heard.
	step := max(1, 64*chunkBytes/(4*a.Cols()))
	if a.fortran {
		step = hi - lo // each piece would seek to every column again
	}
	for i := lo; i < hi; i += step {
		if err := ctx.Err(); err != nil {
			return Matrix{}, err
		}
		j := min(i+step, hi)
		if err := a.ReadFloat32(m.Slice(i-lo, j-lo).Data, i, j); err != nil {
			return Matrix{}, err
		}
	}
	return m, nil
}

func (r *setReader) readLabels(lo, hi int) ([]int32, error) {
	if r.labels == nil {
		return nil, nil
	}
	y := make([]int32, hi-lo)
	if err := r.labels.ReadInt32(y, lo, hi); err != nil {
		return nil, err
	}
	for i, v := range y {
		if v < 0 && r.k == 0 {
			return nil, fmt.Errorf("%s: row %d: label %d is negative", r.labels.name, lo+i, v)
		}
		if v < 0 || r.k > 0 && int(v) >= r.k {
			return nil, fmt.Errorf("%s: row %d: label %d is outside 0..%d", r.labels.name, lo+i, v, r.k-1)
		}
	}
	return y, nil
}

// Blocks reads the rows of r in blocks of at most budget bytes, but at least
// one row, and hands each to f with the number of its first row. A set within
// the budget is one block. It ends at the first error, which may be f's.
func Blocks(ctx context.Context, r Reader, budget int64, f func(lo int, block *Set) error) error {
	n := r.Rows()
	if n == 0 {
		return nil
	}
	step := n
	if size := r.Bytes(); size > budget {
		step = max(1, int(float64(n)*(float64(budget)/float64(size))))
	}
	for lo := 0; lo < n; lo += step {
		block, err := r.Read(ctx, lo, min(lo+step, n))
		if err != nil {
			return err
		}
		if err := f(lo, block); err != nil {
			return err
		}
	}
	return nil
}
