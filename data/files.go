package data

import (
	"cmp"
	"context"
	"fmt"
	"io/fs"
	"slices"

	"github.com/qats-bench/qats/data/npy"
	"github.com/qats-bench/qats/data/problem"
	"github.com/qats-bench/qats/internal/inputfile"
)

// Files names the array files of one set. An empty name stands for an absent array.
type Files struct {
	Logits     string // n x k
	Labels     string // n or n x 1
	Features   string // n x d
	Augmented  string // v x n x k
	HeadWeight string // k x d
	HeadBias   string // k or k x 1
	OOD        string // m x k

	// Predicted are the predicted classes, n, of KindConfidence: Labels are then true classes. Without it
	// Labels are n of 0 and 1, of which 1 says that the prediction is right.
	Predicted string

	Beside

	Kind Kind // of Logits, Augmented and OOD

	Ignore  Ignore // labels of rows that are left out of all arrays
	Classes int    // of the set, if it has no logits and they are known

	FS fs.FS // that has the files, such as an Input; nil for that of the operating system

	MemberLimit int64 // most bytes that a member of an archive may unpack to; DefaultMemberLimit if 0
}

// Beside names the arrays that may stand beside labels, n numbers each; see Set and Counts. Empty names stand for absent
// arrays.
type Beside struct {
	Weights, Groups, Folds string

	Normalise bool // the weights are divided by their mean
}

// In returns the names as files.
func (b Beside) In(file func(name string) string) Beside {
	for _, name := range []*string{&b.Weights, &b.Groups, &b.Folds} {
		if *name != "" {
			*name = file(*name)
		}
	}
	return b
}

// ArrayFile is one file of Files.
type ArrayFile struct {
	Part Parts
	Role string // in digests and errors
	Path string
}

// List returns the files of the given parts, named or not, in the order of the
// parts.
func (f Files) List(parts Parts) []ArrayFile {
	all := []ArrayFile{
		{Logits, "logits", f.Logits},
		{Labels, "labels", f.Labels},
		{Features, "features", f.Features},
		{Augmented, "augmented", f.Augmented},
		{Head, "head_weight", f.HeadWeight},
		{Head, "head_bias", f.HeadBias},
		{OOD, "ood", f.OOD},
	}
	at := 2 // behind the labels
	if f.Predicted != "" && f.Kind == KindConfidence {
		all = slices.Insert(all, at, ArrayFile{Labels, "predicted", f.Predicted})
		at++
	}
	for _, x := range []ArrayFile{{Labels, "weights", f.Weights}, {Labels, "groups", f.Groups}, {Labels, "folds", f.Folds}} {
		if x.Path != "" {
			all = slices.Insert(all, at, x)
			at++
		}
	}
	return slices.DeleteFunc(all, func(x ArrayFile) bool { return x.Part&parts == 0 })
}

// Parts returns the parts that are named; the head needs both of its files.
func (f Files) Parts() Parts {
	parts := Parts(1<<len(partNames) - 1)
	for _, x := range f.List(parts) {
		if x.Path == "" {
			parts &^= x.Part
		}
	}
	return parts
}

// Open opens the named arrays; the names are paths or FILE.npz#MEMBER. As in Source.Open, shapes are checked against each other, and
// values as they are read.
func (f Files) Open() (Reader, error) {
	if (f.HeadWeight == "") != (f.HeadBias == "") {
		return nil, &problem.Problem{Place: cmp.Or(f.HeadWeight, f.HeadBias), Cause: "a head needs both a weight and a bias"}
	}
	return f.open(f.Parts())
}

// ReadSet reads the logits of one data set, n x k, and its labels, n classes in
// 0..k-1, from .npy files or members of archives ("file.npz#member"). labels may be
// empty: then the set has no labels. An error names the file, and the row and class
// where one is at fault; the package comment lists the checks. For other arrays,
// log-probabilities or probabilities, or the notes on how logits are read, use
// Files.Open.
func ReadSet(logits, labels string) (*Set, error) {
	files, parts := Files{Logits: logits, Labels: labels}, Logits
	if labels != "" {
		parts |= Labels
	}
	r, err := files.open(parts)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	return Read(context.Background(), r, 0, r.Rows())
}

// open opens the files of parts.
func (f Files) open(parts Parts) (Reader, error) {
	fsys := f.FS
	if fsys == nil {
		fsys = inputfile.System{}
	}
	forms := Forms()
	return f.OpenWith(parts, func(x ArrayFile) (*npy.Array, error) {
		l := forms.Locate(fsys, x.Path)
		l.Limit = f.MemberLimit
		return l.Array()
	})
}

// OpenWith opens the files of parts with open, checks their shapes against each other and finds
// the rows to leave out.
func (f Files) OpenWith(parts Parts, open func(ArrayFile) (*npy.Array, error)) (Reader, error) {
	r, err := openArrays(f, parts, open)
	if err != nil {
		return nil, err
	}
	err = r.leaveOut(f, parts, open)
	if err == nil {
		err = r.count(f, parts, open)
	}
	if err != nil {
		r.Close()
		return nil, err
	}
	return r, nil
}

// CheckWith opens the files of parts with open, checks their shapes against each other and closes
// them. It reads no number.
func (f Files) CheckWith(parts Parts, open func(ArrayFile) (*npy.Array, error)) error {
	r, err := openArrays(f, parts, open)
	if err != nil {
		return err
	}
	return r.Close()
}

// ByRow are the parts that have a row for each row of a set.
const ByRow = Logits | Labels | Features | Augmented

// leaveOut finds the rows whose labels are ignored, also where the labels are not among the
// parts: all parts of a set have the same rows.
func (r *setReader) leaveOut(files Files, parts Parts, open func(ArrayFile) (*npy.Array, error)) error {
	r.ignore = files.Ignore
	if parts&ByRow == 0 || files.Labels == "" {
		return nil
	}
	labels := r.labels
	if labels == nil {
		a, err := open(files.List(Labels)[0])
		if err != nil {
			return files.Ignore.need(err)
		}
		defer func() {
			if r.kept == nil {
				a.Close()
				return
			}
			r.others = append(r.others, a)
		}()
		a.OneHot()
		if len(a.Shape()) == 0 || a.Shape()[0] != r.n || a.FileRows()*a.Cols() != r.n {
			return files.Ignore.need(&problem.Problem{Place: a.Name(), Cause: fmt.Sprintf("shape %s; the other arrays have %d rows", npy.Tuple(a.Shape()), r.n)})
		}
		labels = a
	}
	kept, err := files.Ignore.keptOf(labels, r.n, func() (int, error) {
		if k := cmp.Or(r.k, files.Classes); k > 0 || files.Logits == "" || files.Kind == KindConfidence {
			return k, nil
		}
		logits, err := open(files.List(Logits)[0])
		if err != nil {
			return 0, err
		}
		defer logits.Close()
		return max(logits.Cols(), 2), nil
	})
	if err != nil || kept == nil {
		return err
	}
	r.left = r.ignore.note(kept)
	r.keep(kept)
	return nil
}

// keep makes some rows of the files those of the set.
func (r *setReader) keep(kept *npy.Kept) {
	r.kept, r.n = kept, kept.Rows()
	for _, a := range []*npy.Array{r.logits.Array, r.confidence, r.labels, r.predicted, r.features, r.augmented.Array, r.groups, r.folds} {
		if a != nil {
			a.Keep(kept)
		}
	}
}

// openArrays opens the files of parts and checks their shapes against each other.
func openArrays(files Files, parts Parts, open func(ArrayFile) (*npy.Array, error)) (_ *setReader, err error) {
	r := &setReader{kind: files.Kind, stated: files.Classes}
	defer func() {
		if err != nil {
			r.Close()
		}
	}()
	for _, x := range files.List(parts) {
		if x.Path == "" {
			return nil, fmt.Errorf("the set has no %s", x.Role)
		}
		a, err := open(x)
		if err != nil {
			return nil, err
		}
		r.all = append(r.all, a)
		switch x.Role {
		case "logits":
			if files.Kind == KindConfidence {
				r.confidence = a
			} else {
				r.logits.Array = a
			}
		case "predicted":
			r.predicted = a
		case "labels":
			r.labels, r.oneHot = a, files.Kind != KindConfidence && a.OneHot()
		case "weights":
			r.weights = a
		case "groups":
			r.groups = a
		case "folds":
			r.folds = a
		case "features":
			r.features = a
			a.NameColumns("feature")
		case "augmented":
			r.augmented.Array = a
		case "head_weight":
			r.weight = a
			a.NameColumns("feature")
		case "head_bias":
			r.bias = a
		case "ood":
			r.ood.Array = a
		}
	}
	return r, r.check()
}

// check checks the shape of each part, and the shapes against each other.
func (r *setReader) check() error {
	if err := r.checkAxes(); err != nil {
		return err
	}
	if err := r.transposed(); err != nil {
		return err
	}
	return r.checkLengths()
}

// checkAxes checks the number of axes of each part, and that none is empty.
func (r *setReader) checkAxes() error {
	for _, x := range []struct {
		a    *npy.Array
		axes int
		want string
	}{
		{r.logits.Array, 2, "n x k"},
		{r.confidence, 1, "n: one number a row, the confidence of the prediction"},
		{r.labels, 1, "n"},
		{r.predicted, 1, "n"},
		{r.weights, 1, "n: one number a row"},
		{r.groups, 1, "n: one number a row"},
		{r.folds, 1, "n: one number a row"},
		{r.features, 2, "n x d"},
		{r.augmented.Array, 3, "views x n x k"},
		{r.weight, 2, "k x d"},
		{r.bias, 1, "k"},
		{r.ood.Array, 2, "m x k"},
	} {
		if x.a == nil {
			continue
		}
		s := x.a.Shape()
		binary := len(s) == 1 && (x.a == r.logits.Array || x.a == r.ood.Array)
		if binary && (r.kind == KindProbs || r.kind == KindLogits) {
			x.a.AsColumn()
			s = x.a.Shape()
		}
		column := x.axes == 1 && len(s) == 2 && s[1] == 1
		if len(s) != x.axes && !column {
			hint, remedy := "", problem.Remedy{}
			switch {
			case x.a == r.labels && len(s) == 2 && (s[0] == 1 || r.logits.Array != nil && s[0]*s[1] == r.logits.Shape()[0]):
				hint = "; store labels.reshape(-1)"
			case x.a == r.labels && len(s) == 2:
				hint = "; exactly one 1 in each row would be one label; several labels a row, or none, are not supported"
			}
			if x.a == r.logits.Array && len(s) > 2 {
				if hint = reshaped(s, r.labels); members(s, r.labels) {
					hint = fmt.Sprintf("; these may be %d members of an ensemble or passes of dropout: give the mean of their softmax, n x k, with kind: probs", s[0])
				}
			}
			if binary {
				remedy = problem.Remedy{Argument: "kind", Words: "if they are binary scores, state kind: probs or kind: logits (as a flag --kind probs or --kind logits)"}
				hint = "; " + remedy.Words
				if r.labels != nil && !r.labels.DType().Integer() {
					hint += "; if the labels are the targets of a regression, there is nothing to calibrate: qats is for classes"
				}
			}
			return &problem.Problem{Place: x.a.Name(), Cause: "shape " + npy.Tuple(s), Fix: "want " + x.want + hint, Remedy: remedy}
		}
		if slices.Contains(s, 0) {
			return &problem.Problem{Place: x.a.Name(), Cause: "shape " + npy.Tuple(s) + ": the array is empty"}
		}
	}
	return nil
}

// members reports whether logits with three axes are m x n x k with n labels.
func members(s []int, labels *npy.Array) bool {
	return len(s) == 3 && labels != nil && len(labels.Shape()) > 0 && labels.Shape()[0] == s[1] && s[0] != s[1]
}

// reshaped is the line of Python that makes n x k of logits with more axes, one of which has the classes: the
// one that the shape of the labels says, else the last of three and the second of more.
func reshaped(s []int, labels *npy.Array) string {
	axis := 1
	if len(s) == 3 {
		axis = 2
	}
	if labels != nil {
		fits := func(i int) bool { return slices.Equal(slices.Delete(slices.Clone(s), i, i+1), labels.Shape()) }
		for i := 1; i < len(s) && !fits(axis); i++ {
			if fits(i) {
				axis = i
			}
		}
	}
	for i := len(s) - 1; i > 0 && s[axis] == 1; i-- {
		axis = i // one class is none
	}
	last := "logits"
	if axis != len(s)-1 {
		last = fmt.Sprintf("np.moveaxis(logits, %d, -1)", axis)
	}
	return fmt.Sprintf("; store %s.reshape(-1, %d), and labels.reshape(-1)", last, s[axis])
}

// checkLengths checks that the parts agree in rows, classes and features, and sets the
// numbers of rows and classes. One class stands for two.
func (r *setReader) checkLengths() error {
	rows := []axis{{r.logits.Array, 0}, {r.confidence, 0}, {r.labels, 0}, {r.predicted, 0}, {r.weights, 0}, {r.groups, 0}, {r.folds, 0}, {r.features, 0}, {r.augmented.Array, 1}}
	classes := []axis{{r.logits.Array, 1}, {r.augmented.Array, 2}, {r.weight, 0}, {r.bias, 0}, {r.ood.Array, 1}}
	width := []axis{{r.features, 1}, {r.weight, 1}}
	var err error
	if r.n, err = commonLength("rows", rows); err != nil {
		return err
	}
	if r.k, err = commonLength("classes", classes); err != nil {
		return err
	}
	if _, err = commonLength("features", width); err != nil {
		return err
	}
	if r.k > 2 && r.labels != nil && r.labels.DType() == npy.Bool {
		return &problem.Problem{Place: r.labels.Name(), Cause: fmt.Sprintf("booleans are labels of 2 classes, and there are %d", r.k), Fix: "store the index of the class of each row; whether predictions are right goes with a confidence alone"}
	}
	if r.k == 1 {
		for _, a := range []*scores{&r.logits, &r.augmented, &r.ood} {
			if a.Array == nil {
				continue
			}
			if err := a.makeBinary(r.kind); err != nil {
				return err
			}
		}
		for _, a := range []*npy.Array{r.weight, r.bias} {
			if a != nil {
				return &problem.Problem{Place: a.Name(), Cause: "a last layer of one class", Fix: "store a row of zeros before it"}
			}
		}
		r.k = 2
	}
	return nil
}

// transposed returns an error if the logits have as many columns as there are labels,
// and fewer rows.
func (r *setReader) transposed() error {
	if r.logits.Array == nil || r.labels == nil {
		return nil
	}
	s, n := r.logits.Shape(), r.labels.Shape()[0]
	if s[0] >= n || s[1] != n {
		return nil
	}
	return &problem.Problem{
		Place: r.logits.Name(),
		Cause: fmt.Sprintf("shape %s, and %s has %d rows: the logits are transposed", npy.Tuple(s), r.labels.Name(), n),
		Fix:   "store logits.T, one row a sample",
	}
}

// axis is axis i of an array that may be absent.
type axis struct {
	a *npy.Array
	i int
}

// commonLength returns the length of the axes of the arrays that are present, which
// must be equal; 0 if there are none.
func commonLength(what string, axes []axis) (int, error) {
	var first *npy.Array
	length := 0
	for _, x := range axes {
		if x.a == nil {
			continue
		}
		d := x.a.Shape()[x.i]
		if first == nil {
			first, length = x.a, d
		}
		if d != length {
			return 0, fmt.Errorf("%s has %d %s but %s has %d", first.Name(), length, what, x.a.Name(), d)
		}
	}
	return length, nil
}
