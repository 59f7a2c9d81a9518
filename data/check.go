package data

import (
	"errors"
	"fmt"
	"math"

	"github.com/qats-bench/qats/data/problem"
	"github.com/qats-bench/qats/internal/kernel/finite"
)

// Check returns an error if the arrays of s do not fit together or hold what no array of a
// file can hold, so that a program that fills a Set itself is told so as a reader of files
// would be. Every array that is present is checked: the numbers of its rows and columns
// against its length and against the logits, every number, and every label. NaN and
// infinities are errors; a masked class has the logit Masked. A row whose classes are all
// masked is an error, and so is a label of a masked class. An error names array, row and
// class, as in "logits: row 5, class 7: NaN". Absent arrays are none, and neither is a set
// without rows.
func (s *Set) Check() error {
	if s == nil {
		return errors.New("no set")
	}
	logits := s.Logits
	if err := logits.check("logits", "class"); err != nil {
		return err
	}
	if s.Confidence != nil {
		return s.checkConfidence()
	}
	n, k := -1, -1 // of any number without logits
	if logits.Present() {
		n, k = logits.Rows, logits.Cols
	}
	if err := s.checkLabels(n, k); err != nil {
		return err
	}
	if err := s.checkWeights(); err != nil {
		return err
	}
	if err := logits.checkMasked("logits", s.Labels); err != nil {
		return err
	}
	if s.Features.Present() && n < 0 {
		n = s.Features.Rows
	}
	type array struct {
		name, column string
		m            Matrix
		rows, cols   int // -1 for any
	}
	arrays := []array{
		{"features", "feature", s.Features, n, -1},
		{"weights of the last layer", "feature", s.Head.W, k, width(s.Features)},
		{"ood", "class", s.OOD, -1, k},
	}
	for v, m := range s.Augmented {
		arrays = append(arrays, array{fmt.Sprintf("augmented view %d", v), "class", m, n, k})
	}
	for _, a := range arrays {
		if err := a.m.check(a.name, a.column); err != nil {
			return err
		}
		if a.m.Present() && (a.rows >= 0 && a.m.Rows != a.rows || a.cols >= 0 && a.m.Cols != a.cols) {
			want := a.m // where any length will do
			if a.rows >= 0 {
				want.Rows = a.rows
			}
			if a.cols >= 0 {
				want.Cols = a.cols
			}
			return fmt.Errorf("%s: %d x %d, want %d x %d", a.name, a.m.Rows, a.m.Cols, want.Rows, want.Cols)
		}
		if a.column == "class" {
			if err := a.m.checkMasked(a.name, nil); err != nil {
				return err
			}
		}
	}
	if w := s.Head.W; len(s.Head.B) != w.Rows {
		return fmt.Errorf("bias of the last layer: %d numbers for %d rows of weights", len(s.Head.B), w.Rows)
	}
	if j := finite.First(s.Head.B); j >= 0 {
		return &problem.Problem{Place: fmt.Sprintf("bias of the last layer: class %d", j), Cause: fmt.Sprint(s.Head.B[j])}
	}
	return nil
}

// checkLabels checks the labels of n rows of k classes; -1 stands for any number.
func (s *Set) checkLabels(n, k int) error {
	if s.Labels == nil {
		return nil
	}
	if n >= 0 && len(s.Labels) != n {
		return fmt.Errorf("labels: %d for %d rows of logits", len(s.Labels), n)
	}
	for i, y := range s.Labels {
		if y < 0 || k >= 0 && int(y) >= k {
			return fmt.Errorf("labels: row %d: label %d is no class; the classes are 0 to %d", i, y, k-1)
		}
	}
	return nil
}

// check returns an error if the matrix has another length than rows x columns, or a number
// that is not finite; column is what a column stands for.
func (m Matrix) check(name, column string) error {
	if m.Rows < 0 || m.Cols < 0 || m.Cols > 0 && m.Rows > math.MaxInt/m.Cols || len(m.Data) != m.Rows*m.Cols {
		return fmt.Errorf("%s: %d rows and %d columns with %d numbers", name, m.Rows, m.Cols, len(m.Data))
	}
	if m.Rows > 0 && m.Cols == 0 {
		return fmt.Errorf("%s: %d rows without a column", name, m.Rows)
	}
	if i := finite.First(m.Data); i >= 0 {
		p := &problem.Problem{Place: fmt.Sprintf("%s: row %d, %s %d", name, i/m.Cols, column, i%m.Cols), Cause: fmt.Sprint(m.Data[i])}
		if column == "class" && math.IsInf(float64(m.Data[i]), -1) {
			p.Fix = "the logit of a masked class is data.Masked in a Set"
		}
		return p
	}
	return nil
}

// checkMasked checks the rows of logits that have masked classes, and their labels.
func (m Matrix) checkMasked(name string, labels []int32) error {
	if m.Masked() == 0 {
		return nil
	}
	return m.checkMasks(name, labels,
		func(row, class int) string { return fmt.Sprintf("%s: row %d, class %d", name, row, class) },
		func(row int) string { return fmt.Sprintf("labels: row %d", row) })
}

// width returns the columns of a matrix, -1 if it is absent.
func width(m Matrix) int {
	if !m.Present() {
		return -1
	}
	return m.Cols
}
