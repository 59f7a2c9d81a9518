package data

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/qats-bench/qats/data/npy"
	"github.com/qats-bench/qats/data/problem"
)

// readLabels reads labels lo..hi-1, each one of the classes, into dst. Floats are
// read if they are whole numbers, since frameworks store labels so; Form has a note
// on them.
func (r *setReader) readLabels(dst []int32, buf *[]byte, lo, hi int) error {
	if !r.labels.DType().Integer() {
		return r.readFloatLabels(dst, buf, lo, hi)
	}
	if err := r.labels.Integers(dst, buf, lo, hi); err != nil {
		return err
	}
	limit := uint32(r.classLimit())
	for i, v := range dst {
		if uint32(v) >= limit {
			return r.labelProblem(lo+i, float64(v))
		}
	}
	return nil
}

// classCount is the number of classes of the logits, or the one that is stated for a set without them; 0 if
// neither is known.
func (r *setReader) classCount() int { return cmp.Or(r.k, r.stated) }

// classLimit is the number of classes that a label may name: that of classCount, or 2^31 where it is not
// known.
func (r *setReader) classLimit() int64 {
	if k := r.classCount(); k > 0 {
		return min(int64(k), math.MaxInt32)
	}
	return math.MaxInt32 + 1
}

func (r *setReader) readFloatLabels(dst []int32, buf *[]byte, lo, hi int) error {
	wide := make([]float64, hi-lo)
	if err := npy.Floats(r.labels, wide, buf, lo, hi); err != nil {
		return err
	}
	limit := float64(r.classLimit())
	for i, v := range wide {
		switch {
		case v != math.Trunc(v):
			return &problem.Problem{
				Place: fmt.Sprintf("%s: row %d", r.labels.Name(), r.labels.FileRow(lo+i)),
				Cause: fmt.Sprintf("label %g is no whole number", v),
				Fix:   "store the index of the class as int32 (are these scores or soft labels?)",
			}
		case v < 0 || v >= limit:
			return r.labelProblem(lo+i, v)
		}
		dst[i] = int32(v)
	}
	return nil
}

// labelProblem explains label v of a row, which is outside the classes, by the range of all
// labels.
func (r *setReader) labelProblem(row int, v float64) error {
	p := &problem.Problem{Place: fmt.Sprintf("%s: row %d", r.labels.Name(), r.labels.FileRow(row))}
	k := r.classCount()
	const signs = "the labels are -1 and 1: store (labels + 1) // 2, which is 0 and 1"
	if k == 0 {
		p.Cause = fmt.Sprintf("label %.10g is negative", v)
		if v == -1 && r.areSigns() {
			p.Fix = signs
		} else {
			p.Fix = "labels start at 0; " + r.ignoreIt(p, v)
		}
		return p
	}
	p.Cause = fmt.Sprintf("label %.10g is outside 0..%d", v, k-1)
	least, largest, ok := r.labelRange()
	switch {
	case v == -1 && k == 2 && r.areSigns():
		p.Fix = signs
	case v < 0:
		p.Fix = "labels start at 0; " + r.ignoreIt(p, v)
	case !ok:
	case least == 1 && largest == float64(k):
		p.Cause += fmt.Sprintf("; labels start at 0, and the largest of this file is %.10g", largest)
		p.Fix = "the smallest is 1, so they count from 1: store labels - 1"
	case least >= 0 && k > 2 && r.distinctLabels() == k: // of two labels one may be that of rows without a class
		p.Cause += fmt.Sprintf("; the largest of this file is %.10g, and there are %d labels, with gaps", largest, k)
		p.Fix = "if the columns of the classes are in the order of their numbers, store np.unique(labels, return_inverse=True)[1]"
	default:
		p.Cause += fmt.Sprintf("; labels start at 0, and the largest of this file is %.10g", largest)
		p.Fix = r.ignoreIt(p, v) + "; otherwise give the logits of all classes"
	}
	return p
}

// ignoreIt returns the advice to ignore a label in addition to the labels that are ignored already.
func (r *setReader) ignoreIt(p *problem.Problem, v float64) string {
	if v < math.MinInt32 || v > math.MaxInt32 {
		return "leave out rows without a class, also of the logits"
	}
	p.Remedy = stateIgnore(append(slices.Clone(r.ignore), int32(v)))
	return "if such rows have no class, " + p.Remedy.Words
}

// labelRange returns the smallest and the largest label of the file; ok is false if
// it cannot be read.
func (r *setReader) labelRange() (least, largest float64, ok bool) {
	least, largest = math.Inf(1), math.Inf(-1)
	err := r.labels.Each(func(_ int, row []float64) bool {
		least, largest = min(least, row[0]), max(largest, row[0])
		return true
	})
	return least, largest, err == nil
}

// distinctLabels returns how many labels the file has.
func (r *setReader) distinctLabels() int {
	seen := map[float64]bool{}
	r.labels.Each(func(_ int, row []float64) bool {
		seen[row[0]] = true
		return true
	}) // an error is that of reading the labels
	return len(seen)
}

// areSigns reports whether the labels of the file are -1 and 1, and no other.
func (r *setReader) areSigns() bool {
	signs := true
	err := r.labels.Each(func(_ int, row []float64) bool {
		signs = math.Abs(row[0]) == 1
		return signs
	})
	_, largest, _ := r.labelRange()
	return err == nil && signs && largest == 1
}
