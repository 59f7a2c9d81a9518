package data

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/qats-bench/qats/data/npy"
	"github.com/qats-bench/qats/data/problem"
)

// Kind says what the logits array of a set holds.
type Kind string

// The kinds. AnyKind means that none is stated: the array is read as logits, and
// rejected if its values look like probabilities. KindLogProbs are logarithms of
// probabilities; KindProbs are probabilities, which are read as their logarithms. KindConfidence is
// no array of logits: the confidence of each prediction alone, see Set.Confidence.
const (
	AnyKind      Kind = ""
	KindLogits   Kind = "logits"
	KindLogProbs Kind = "log-probs"
	KindProbs    Kind = "probs"

	KindConfidence Kind = "confidence"
)

// Kinds returns the kinds that a manifest or a flag may state.
func Kinds() []Kind { return []Kind{KindLogits, KindLogProbs, KindProbs, KindConfidence} }

// OffsetLost reports whether the offset of each row of logits is lost: log sum exp
// of a row of log-probabilities is always 0.
func (k Kind) OffsetLost() bool { return k == KindLogProbs || k == KindProbs }

// stateKind is the remedy of arrays that are of another kind than the logits as which they are read.
func stateKind(k Kind) problem.Remedy {
	return problem.Remedy{Argument: "kind", Value: string(k), Words: fmt.Sprintf("state kind: %s in %s (fit, apply and try: --kind %[1]s; score: --%[1]s)", k, ManifestName)}
}

// Form says how the logits of a set are read, and notes what is unusual about them.
type Form struct {
	// OffsetLost: the offset of each row is not that of the network, so methods
	// that use it cannot be fitted.
	OffsetLost bool

	Confidence bool // the set has the confidence of each prediction alone, and no logits

	Notes []Note
}

// Note is what is unusual about the logits or the rows of a set.
type Note struct {
	Kind string // in JSON; empty for one on a file

	Warning bool           // it becomes a footnote of tables
	Text    string         // one line, in which {value}, {count} and {of} stand for the numbers
	Fix     string         // what to do; may be empty
	Remedy  problem.Remedy // what the reader can state, of which Fix has the words; none for most

	// The numbers are apart from the text, so that notes that differ in them alone can be told.
	Value     float64
	Count, Of int
}

// String returns the text with its numbers.
func (n Note) String() string {
	return strings.NewReplacer("{value}", fmt.Sprint(n.Value), "{count}", strconv.Itoa(n.Count), "{of}", strconv.Itoa(n.Of)).Replace(n.Text)
}

// significant returns x with three significant digits.
func significant(x float64) float64 {
	y, _ := strconv.ParseFloat(strconv.FormatFloat(x, 'e', 2, 64), 64)
	return y
}

// Join returns the form of two sets that are read together.
func (f Form) Join(g Form) Form {
	return Form{f.OffsetLost || g.OffsetLost, f.Confidence || g.Confidence, append(f.Notes[:len(f.Notes):len(f.Notes)], g.Notes...)}
}

// scores is an array of logits, of views or of OOD rows, with what it holds; its Array is nil
// if it is absent.
type scores struct {
	*npy.Array
	conversion
}

// conversion says how the numbers of an array of logits become float32.
type conversion int

const (
	asStored     conversion = iota
	centred                 // minus the largest of the row, in float64
	asLogProbs              // the logarithm of the number divided by the sum of its row
	binaryProbs             // one column of probabilities: [log(1-p), log p]
	binaryLogits            // one column of log odds: [0, z]
)

const (
	// An array of fewer rows than this is never taken for probabilities.
	fewestProbs = 20

	// Rows that are stated to be probabilities must sum to 1 within looseSum, or
	// more where they have few decimals (sumLimit); those further than exactSum from
	// 1 are counted in a note.
	looseSum = 1e-2
	exactSum = 1e-6

	// Rounding to float32 may change a difference between two logits of a row by
	// mostChange max(1, spread), where spread is the largest difference of the row.
	mostChange = 0x1p-20
)

// probsTolerance is the largest distance from 1 of the sum of k numbers in [0, 1]
// that are taken for probabilities. Float16 files and files of three or four
// decimals are within it.
func probsTolerance(k int) float64 { return max(1e-3, float64(k)*0x1p-11) }

// examine decides how a is converted. It reads rows until the answer is known: of
// logits in float16 and float32 mostly the first ones, of float64 and of
// probabilities all. Errors name the file, and the row if one is at fault.
func (a scores) examine(kind Kind) (conversion, Form, error) {
	if a.tableCols() != a.Cols() {
		return a.examineBinary()
	}
	form := Form{OffsetLost: kind.OffsetLost()}
	if kind == KindProbs {
		notes, err := a.checkProbs()
		form.Notes = notes
		return asLogProbs, form, err
	}
	for _, fill := range a.countFills() {
		form.Notes = append(form.Notes, fillNote(fill))
	}
	n, k := a.Rows(), a.Cols()
	probs := kind == AnyKind && n >= fewestProbs && k >= 2
	looks := detector{tolerance: probsTolerance(k), unit: probs, probs: probs, percent: probs}
	wide := a.DType() == npy.Float64
	offset := 0.0 // the largest |logit| of the rows whose differences float32 would lose
	var masked bool
	var buf []byte
	err := a.each(&buf, 0, n, &masked, func(i int, row []float64) bool {
		if looks.unit || looks.percent {
			looks.add(row)
		}
		if wide && beyondFloat32(row) {
			wide, offset = false, 0 // it is rejected when it is read
			return false
		}
		if wide && losesDifferences(row) {
			offset = max(offset, offsetOf(row))
		}
		return looks.unit || looks.percent || wide
	})
	switch {
	case err != nil:
		return asStored, form, nil // reading the row will give the same error
	case looks.probs:
		fix := "save the outputs before the softmax, or " + stateKind(KindProbs).Words + "; if they are logits, state kind: logits"
		return asStored, form, &problem.Problem{
			Place: a.Name(),
			Cause: "these are probabilities, not logits: every row is in [0, 1] and sums to 1",
			Fix:   fix,

			Remedy: problem.Remedy{Argument: "kind", Words: fix},
		}
	case looks.unit:
		form.Notes = append(form.Notes, Note{Warning: true, Text: "all logits are in [0, 1] (sigmoid outputs, or rounded?)",
			Fix: "if they are outputs of sigmoids, save the numbers before the sigmoid"})
	case looks.percent:
		remedy := stateKind(KindProbs)
		form.Notes = append(form.Notes, Note{Warning: true, Text: "every row is in [0, 100] and sums to 100 (probabilities in per cent?)",
			Fix: "divide them by 100, and " + remedy.Words, Remedy: remedy})
	}
	if offset == 0 {
		return asStored, form, nil
	}
	form.OffsetLost = true
	form.Notes = append(form.Notes, Note{Warning: true, Text: "logits up to {value} are read relative to the largest of their row, since float32 would not hold their differences", Value: significant(offset)})
	return centred, form, nil
}

// detector decides whether rows look like probabilities.
type detector struct {
	tolerance float64
	unit      bool // all numbers so far are in [0, 1]
	probs     bool // and all rows sum to 1
	percent   bool // all rows so far look like per cent
}

func (d *detector) add(row []float64) {
	d.percent = d.percent && inPercent(row)
	sum := 0.0
	for _, v := range row {
		if !(v >= 0 && v <= 1) {
			d.unit, d.probs = false, false
			return
		}
		sum += v
	}
	if math.Abs(sum-1) > d.tolerance {
		d.probs = false
	}
}

// beyondFloat32 reports whether a finite number of the row overflows float32.
func beyondFloat32(row []float64) bool {
	for _, v := range row {
		if math.IsInf(float64(float32(v)), 0) && !math.IsInf(v, -1) {
			return true
		}
	}
	return false
}

// losesDifferences reports whether rounding to float32 would change a difference
// between two numbers of the row by more than mostChange allows. Masked classes, -Inf, are
// left out.
func losesDifferences(row []float64) bool {
	top, bottom := math.Inf(-1), math.Inf(1)
	for _, v := range row {
		if !math.IsInf(v, -1) {
			top, bottom = max(top, v), min(bottom, v)
		}
	}
	most := mostChange * max(1, top-bottom)
	ref := float64(float32(top))
	for _, v := range row {
		if !math.IsInf(v, -1) && math.Abs((ref-float64(float32(v)))-(top-v)) > most {
			return true
		}
	}
	return false
}

// offsetOf returns the size of the first logit of a row that is not masked, 0 if there is none.
func offsetOf(row []float64) float64 {
	for _, v := range row {
		if !math.IsInf(v, -1) {
			return math.Abs(v)
		}
	}
	return 0
}

// checkProbs rejects rows that are not probabilities, and returns notes on the numbers that
// reading changes in the other rows.
func (a scores) checkProbs() ([]Note, error) {
	var bad error
	rows := probRows{a: a.Array, exact: exactSum}
	err := a.Each(func(i int, row []float64) bool {
		_, bad = rows.check(i, row)
		return bad == nil
	})
	if err == nil {
		err = bad
	}
	return rows.notes(), err
}

// each calls do with rows lo..hi-1 as float64, until it returns false. Masked classes are
// -Inf and set masked. One column of log odds has none.
func (a scores) each(buf *[]byte, lo, hi int, masked *bool, do func(i int, row []float64) bool) error {
	if a.tableCols() != a.Cols() {
		masked = nil
	}
	return a.EachOf(buf, lo, hi, masked, do)
}

// readInto reads rows lo..hi-1 into dst and converts them. It sets masked if there is a masked
// class.
func (a scores) readInto(dst []float32, buf *[]byte, lo, hi int, masked *bool) error {
	if a.conversion == asStored {
		return npy.MaskedFloats(a.Array, dst, buf, lo, hi, Masked, masked)
	}
	cols := a.tableCols()
	return a.each(buf, lo, hi, masked, func(i int, row []float64) bool {
		a.conversion.row(dst[(i-lo)*cols:][:cols], row)
		return true
	})
}

// ReadLogits reads rows lo..hi-1 of an array of logits into dst, (hi-lo) x Cols. -Inf is a
// masked class and becomes Masked; every other number is as in Array.ReadFloat32.
func ReadLogits(a *npy.Array, dst []float32, lo, hi int) error {
	var masked bool
	var buf []byte
	return npy.MaskedFloats(a, dst, &buf, lo, hi, Masked, &masked)
}

// row converts one row.
func (c conversion) row(dst []float32, row []float64) {
	switch c {
	case binaryProbs, binaryLogits:
		c.binaryRow(dst, row[0])
	case centred:
		top := row[0]
		for _, v := range row {
			top = max(top, v)
		}
		for j, v := range row {
			if dst[j] = float32(max(v-top, -math.MaxFloat32)); math.IsInf(v, -1) { // the spread may be twice the range
				dst[j] = Masked
			}
		}
	case asLogProbs:
		sum := 0.0
		for _, p := range row {
			sum += p
		}
		for j, p := range row {
			dst[j] = logProb(p, sum)
		}
	}
}
