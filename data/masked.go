package data

import (
	"fmt"
	"math"
	"slices"

	"github.com/qats-bench/qats/data/problem"
)

// Masked is the logit of a masked class in a Set: a class that the network cannot predict for
// this row, such as a token that a grammar forbids or a class that another task has. Its
// probability is 0. Files have -Inf there, or a fill (fills.go), which readers replace, and writers write -Inf.
//
// The number is finite because sums over a row have the product of its probability and its
// logit, and 0 times an infinity is no number. Its exponential is 0 at every temperature below
// 10^15. Its square, in float32 too, is finite. A Set that a program fills has Masked in
// the place of -Inf.
const Masked float32 = -1 << 60

// Masked returns how many elements are Masked. It looks at eight at a time, which takes half of the
// time where there are none.
func (m Matrix) Masked() int {
	masked, v := 0, m.Data
	for ; len(v) >= 8; v = v[8:] {
		l := (*[8]float32)(v)
		if l[0] == Masked || l[1] == Masked || l[2] == Masked || l[3] == Masked ||
			l[4] == Masked || l[5] == Masked || l[6] == Masked || l[7] == Masked {
			masked += countMasked(l[:])
		}
	}
	return masked + countMasked(v)
}

// Masked returns how many logits of s are masked, those of the views and of the rows of no
// class included.
func (s *Set) Masked() int {
	n := s.Logits.Masked() + s.OOD.Masked()
	for _, view := range s.Augmented {
		n += view.Masked()
	}
	return n
}

func countMasked(v []float32) int {
	masked := 0
	for _, l := range v {
		if l == Masked {
			masked++
		}
	}
	return masked
}

// MaskedNote says how many of the logits of a set are masked: nothing unusual, but good to know.
func MaskedNote(masked, logits int) Note {
	return Note{Text: "{count} of {of} logits are -Inf: masked classes, with probability 0", Count: masked, Of: logits}
}

// Unmasked returns the elements with -Inf in the place of Masked, as files have them.
func (m Matrix) Unmasked() []float32 {
	if m.Masked() == 0 {
		return m.Data
	}
	data := slices.Clone(m.Data)
	for i, l := range data {
		if l == Masked {
			data[i] = float32(math.Inf(-1))
		}
	}
	return data
}

// checkMasks returns an error if a row has no class that is not masked, or if its label is a
// masked class. labels may be nil. name is the name of the logits, place names an element of
// them, and label a label.
func (m Matrix) checkMasks(name string, labels []int32, place func(row, class int) string, label func(row int) string) error {
	for i := range m.Rows {
		row := m.Row(i)
		masked, open := 0, false
		for _, l := range row {
			if l == Masked {
				masked++
			}
			open = open || l > Masked
		}
		switch {
		case masked == 0:
		case masked == len(row):
			return &problem.Problem{Place: place(i, 0), Cause: "all logits of the row are -Inf, so no class is left",
				Fix: "leave the row out, or give a class that the network may predict a finite logit"}
		case !open:
			return &problem.Problem{Place: place(i, 0), Cause: fmt.Sprintf("the row has a masked class, and no logit above %g", Masked), Fix: "scale the logits"}
		case labels != nil && row[labels[i]] == Masked:
			return &problem.Problem{Place: label(i), Cause: fmt.Sprintf("class %d is the label of the row, and masked in %s: its logit is -Inf, so its probability is 0", labels[i], name),
				Fix: "mask only classes that the row cannot have, or leave the row out"}
		}
	}
	return nil
}
