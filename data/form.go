package data

import (
	"fmt"
	"math"
)

// Kind says what the logits array of a set holds.
type Kind string

// The kinds. AnyKind is not stated: logits, unless they are seen to be
// probabilities, which is an error. KindLogProbs are logarithms of
// probabilities; KindProbs are probabilities, which are read as their
// logarithms.
const (
	AnyKind      Kind = ""
	KindLogits   Kind = "logits"
	KindLogProbs Kind = "log-probs"
	KindProbs    Kind = "probs"
)

// Kinds are those that a manifest or a flag may name.
func Kinds() []Kind { return []Kind{KindLogits, KindLogProbs, KindProbs} }

// OffsetLost reports whether rows have no offset of their own: the logarithms of
// probabilities sum to 1 as exponentials.
func (k Kind) OffsetLost() bool { return k == KindLogProbs || k == KindProbs }

// Form is how the logits of a set are read, and what was noticed about them.
type Form struct {
	// OffsetLost: the offset of each row, which methods with TrueLogits read,
	// is not that of the file.
	OffsetLost bool

	// Notes are one line each; those that begin with "warning: " are for the
	// footnotes of tables.
	Notes []string
}

// join returns the form of two sets read together.
func (f Form) join(g Form) Form {
	return Form{f.OffsetLost || g.OffsetLost, append(f.Notes[:len(f.Notes):len(f.Notes)], g.Notes...)}
}

// reading is how the numbers of an array of logits become float32.
type reading int

const (
	asStored   reading = iota
	centred            // less the largest of the row, in float64
	asLogProbs         // the logarithm of the number divided by the sum of its row
)

const (
	// Fewer rows than this are not taken for probabilities whatever they hold.
	fewestProbs = 20

	// The sums of rows that are stated to be probabilities are within
	// looseSum of 1; beyond exactSum of it they are counted in a note.
	looseSum = 1e-2
	exactSum = 1e-6

	// leastProb is what a probability of 0, or a smaller one, is read as: the
	// least positive normal float32.
	leastProb = 0x1p-126

	// Narrowing to float32 may move a difference of logits of a row by this
	// share of the spread of the row, or of 1 where that is less.
	mostMoved = 0x1p-20
)

// probsTolerance is how far from 1 the sum of a row of k numbers in [0, 1] may
// be for the row to be taken for probabilities: float16 files and files of
// three or four decimals are within it.
func probsTolerance(k int) float64 { return max(1e-3, float64(k)*0x1p-11) }

// examine decides how a is read, looking at its numbers only as far as it
// must: real logits show themselves in the first rows, float64 and
// probabilities are read whole. Errors name the file, and the row where one is
// at fault.
func (a *Array) examine(kind Kind) (reading, Form, error) {
	form := Form{OffsetLost: kind.OffsetLost()}
	if kind == KindProbs {
		notes, err := a.checkProbs()
		form.Notes = notes
		return asLogProbs, form, err
	}
	n, k := a.Rows(), a.Cols()
	looks := lookout{tolerance: probsTolerance(k), distribution: kind == AnyKind && n >= fewestProbs && k >= 2}
	looks.unit = looks.distribution
	wide := a.dtype == Float64
	offset := 0.0 // the largest, by size, of rows that narrowing would spoil
	err := a.eachRow64(func(i int, row []float64) bool {
		if looks.unit {
			looks.see(row)
		}
		if wide && beyondFloat32(row) {
			wide, offset = false, 0 // read as it is stored, it is refused in its place
			return false
		}
		if wide && spoiled(row) {
			offset = max(offset, math.Abs(row[0]))
		}
		return looks.unit || wide
	})
	switch {
	case err != nil:
		return asStored, form, nil // whoever reads that row meets the error
	case looks.distribution:
		return asStored, form, fmt.Errorf("%s: these are probabilities, not logits: every row is in [0, 1] and sums to 1; "+
			"state it by kind: probs in %s or --kind probs (or score them by --probs); if they are logits, by kind: logits", a.name, ManifestName)
	case looks.unit:
		form.Notes = append(form.Notes, "warning: all logits are in [0, 1] (sigmoid outputs, or rounded?)")
	}
	if offset == 0 {
		return asStored, form, nil
	}
	form.OffsetLost = true
	form.Notes = append(form.Notes, fmt.Sprintf("warning: logits up to %.3g are read relative to the largest of their row, since float32 would not hold their differences", offset))
	return centred, form, nil
}

// lookout watches rows for those that look like probabilities.
type lookout struct {
	tolerance          float64
	unit, distribution bool // so far
}

func (l *lookout) see(row []float64) {
	sum := 0.0
	for _, v := range row {
		if !(v >= 0 && v <= 1) {
			l.unit, l.distribution = false, false
			return
		}
		sum += v
	}
	if math.Abs(sum-1) > l.tolerance {
		l.distribution = false
	}
}

func beyondFloat32(row []float64) bool {
	for _, v := range row {
		if math.IsInf(float64(float32(v)), 0) {
			return true
		}
	}
	return false
}

// spoiled reports whether float32 would move a difference of two numbers of the
// row by more than mostMoved allows.
func spoiled(row []float64) bool {
	top, bottom := row[0], row[0]
	for _, v := range row {
		top, bottom = max(top, v), min(bottom, v)
	}
	most := mostMoved * max(1, top-bottom)
	ref := float64(float32(top))
	for _, v := range row {
		if math.Abs((ref-float64(float32(v)))-(top-v)) > most {
			return true
		}
	}
	return false
}

// checkProbs refuses rows that are no probabilities, and notes what reading
// changes in the others.
func (a *Array) checkProbs() ([]string, error) {
	var bad error
	loose, tiny := 0, 0
	err := a.eachRow64(func(i int, row []float64) bool {
		sum := 0.0
		for j, p := range row {
			if !(p >= 0 && p <= 1+looseSum) {
				bad = fmt.Errorf("%s: %s: %g is not a probability", a.name, a.place(i, j), p)
				return false
			}
			sum += p
		}
		if !(math.Abs(sum-1) <= looseSum) {
			bad = fmt.Errorf("%s: row %d: probabilities sum to %.9g, which is not 1 within %g", a.name, i, sum, looseSum)
			return false
		}
		if math.Abs(sum-1) > exactSum {
			loose++
		}
		for _, p := range row {
			if p/sum < leastProb {
				tiny++
			}
		}
		return true
	})
	if err == nil {
		err = bad
	}
	var notes []string
	if loose > 0 {
		notes = append(notes, fmt.Sprintf("%d of %d rows of probabilities sum to 1 only within %g and are divided by their sum", loose, a.Rows(), looseSum))
	}
	if tiny > 0 {
		notes = append(notes, fmt.Sprintf("%d probabilities of 0, or nearly so, are read as 2^-126", tiny))
	}
	return notes, err
}

// eachRow64 reads rows as float64, in order, until do returns false.
func (a *Array) eachRow64(do func(i int, row []float64) bool) error {
	n, k := a.Rows(), a.Cols()
	if n == 0 || k == 0 {
		return nil
	}
	step := max(1, min(64, n)) // most files are left within the first rows
	var block []float64
	for lo := 0; lo < n; lo += step {
		if lo > 0 {
			step = max(1, (1<<17)/k)
		}
		hi := min(lo+step, n)
		if len(block) < (hi-lo)*k {
			block = make([]float64, (hi-lo)*k)
		}
		part := block[:(hi-lo)*k]
		if err := a.ReadFloat64(part, lo, hi); err != nil {
			return err
		}
		for i := lo; i < hi; i++ {
			if !do(i, part[(i-lo)*k:(i-lo+1)*k]) {
				return nil
			}
		}
	}
	return nil
}

// readFloats reads rows lo..hi-1 into dst in the way of a.reading.
func (a *Array) readFloats(dst []float32, buf *[]byte, lo, hi int) error {
	if a.reading == asStored {
		return readTable(a, dst, buf, lo, hi, Float32, decodeFloats[float32])
	}
	k := a.Cols()
	step := max(1, (1<<15)/k)
	wide := make([]float64, min(step, hi-lo)*k)
	for at := lo; at < hi; at += step {
		end := min(at+step, hi)
		part := wide[:(end-at)*k]
		if err := readTable(a, part, buf, at, end, Float64, decodeFloats[float64]); err != nil {
			return err
		}
		for i := 0; i < len(part); i += k {
			a.reading.row(dst[(at-lo)*k+i:][:k], part[i:i+k])
		}
	}
	return nil
}

// row writes the numbers of one row, which have been examined.
func (r reading) row(dst []float32, row []float64) {
	switch r {
	case centred:
		top := row[0]
		for _, v := range row {
			top = max(top, v)
		}
		for j, v := range row {
			dst[j] = float32(max(v-top, -math.MaxFloat32)) // the spread may be twice the range
		}
	case asLogProbs:
		sum := 0.0
		for _, p := range row {
			sum += p
		}
		for j, p := range row {
			dst[j] = float32(math.Log(max(p/sum, leastProb)))
		}
	}
}
