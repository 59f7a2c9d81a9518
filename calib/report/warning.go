package report

import (
	"fmt"
	"strconv"
	"strings"
)

// Side is an end of the range of a parameter.
type Side string

// The sides.
const (
	Lower Side = "lower"
	Upper Side = "upper"
)

// Bound is an end of the range of a parameter at which a fit ended.
type Bound struct {
	Parameter string  `json:"parameter,omitempty"` // as formulas name it: T; a; c
	Bin       int     `json:"bin,omitempty"`       // from 1; 0 for a parameter that is not of a bin
	Minus     int     `json:"minus,omitempty"`     // the bound is of the difference from this bin; 0 if it is of the parameter
	Side      Side    `json:"side,omitempty"`
	Limit     float64 `json:"limit,omitempty"`   // the least or the largest value of the parameter
	Classes   int     `json:"classes,omitempty"` // of those fitted one by one, how many end there; 0 for one fit
	Fitted    int     `json:"fitted,omitempty"`  // classes fitted one by one
}

// AtLeast is the bound of a parameter that may not be less than limit. bin is 0 for a
// parameter that is not of a bin.
func AtLeast(parameter string, bin int, limit float64) Bound {
	return Bound{Parameter: parameter, Bin: bin, Side: Lower, Limit: limit}
}

// AtMost is the bound of a parameter that may not be more than limit.
func AtMost(parameter string, bin int, limit float64) Bound {
	return Bound{Parameter: parameter, Bin: bin, Side: Upper, Limit: limit}
}

// Name returns the parameter with its bin: T, t_3, bin 3: T.
func (b Bound) Name() string {
	switch {
	case b.Bin == 0:
		return b.Parameter
	case b.Parameter == "t":
		return fmt.Sprintf("t_%d", b.Bin)
	}
	return fmt.Sprintf("bin %d: %s", b.Bin, b.Parameter)
}

// OfTemperature reports whether the parameter is a temperature: T, the temperature of a bin
// or a knot, or the b of QaTS, which is the temperature at rank 1. It is false for differences of temperatures and
// for parameters that are fitted class by class.
func (b Bound) OfTemperature() bool {
	return b.Minus == 0 && b.Classes == 0 && (b.Parameter == "T" || b.Parameter == "t" || b.Parameter == "b")
}

// String returns the bound as a formula: "a >= 0", "t_3 <= 1000", "t_1 >= t_2".
func (b Bound) String() string {
	name, sign := b.Name(), ">="
	if b.Side == Upper {
		sign = "<="
	}
	limit := strconv.FormatFloat(b.Limit, 'g', -1, 64)
	switch {
	case b.Minus > 0 && b.Limit == 0:
		limit = b.subtrahend()
	case b.Minus > 0:
		name += " - " + b.subtrahend()
	}
	text := name + " " + sign + " " + limit
	if b.Classes > 0 {
		text += fmt.Sprintf(" in %d of %d classes", b.Classes, b.Fitted)
	}
	return text
}

// subtrahend names the parameter of the bin Minus.
func (b Bound) subtrahend() string {
	b.Bin = b.Minus
	return b.Name()
}

// words returns the bound in words.
func (b Bound) words() string {
	if b.Minus > 0 {
		return fmt.Sprintf("%s - %s at its %s bound", b.Name(), b.subtrahend(), b.Side)
	}
	name := b.Parameter
	if name == "t" {
		name = "T"
	}
	text := fmt.Sprintf("%s at its %s bound", name, b.Side)
	if b.Bin > 0 {
		text += fmt.Sprintf(" in bin %d", b.Bin)
	}
	return text
}

// Bounds are the bounds at which a fit ended.
type Bounds []Bound

// String joins the bounds by semicolons.
func (b Bounds) String() string { return joined(b) }

// Warnings are the warnings of a fit.
type Warnings []Warning

// String joins the warnings by semicolons.
func (w Warnings) String() string { return joined(w) }

func joined[T fmt.Stringer](values []T) string {
	var list []string
	for _, v := range values {
		list = append(list, v.String())
	}
	return strings.Join(list, "; ")
}

// Rounded returns x with some significant digits. Values in warnings are rounded so.
func Rounded(x float64, digits int) float64 {
	y, err := strconv.ParseFloat(strconv.FormatFloat(x, 'e', digits-1, 64), 64)
	if err != nil { // at the end of the range of float64
		return x
	}
	return y
}

// Kind tells apart warnings that readers treat differently. A warning that is used in one place is
// Other.
type Kind string

// The kinds of warnings.
const (
	Other        Kind = ""              // Text
	AtBound      Kind = "at-bound"      // Bound
	EqualToTS    Kind = "equal-to-ts"   // Text says what makes the map equal to ts: "a = 0"
	NotConverged Kind = "not-converged" // the gradient is Value after Steps
	Worse        Kind = "worse"         // the score Parameter of the calibration rows rises from Before to Value
	FewDecide    Kind = "few-decide"    // Count of Of calibration rows make up the share Value of the NLL
	Certain      Kind = "certain"       // Bound, a least temperature, gives Count of Of calibration rows a probability of exactly 1
	Shares       Kind = "shares"        // Text says for which Count of Of classes the mean probability is not their share of the rows
)

// Kinds returns all kinds of warnings except Other.
func Kinds() []Kind {
	return []Kind{AtBound, EqualToTS, NotConverged, Worse, FewDecide, Certain, Shares}
}

// Warning is what readers of the numbers of a fit must know. Its words and its numbers are
// apart: warnings that differ in numbers alone share a footnote. Warnings are comparable.
type Warning struct {
	Kind  Kind    `json:"kind,omitempty"`
	Bound         // of AtBound and Certain; only Bin in other warnings, if they are on one bin
	Count int     `json:"count,omitempty"` // of Of bins, groups, classes or rows
	Of    int     `json:"of,omitempty"`
	Steps int     `json:"steps,omitempty"`
	Value float64 `json:"value,omitempty"`

	Before float64 `json:"before,omitempty"` // the fit, of Worse

	// Text is one line. {count}, {of}, {steps} and {value} stand for the numbers.
	Text string `json:"text,omitempty"`
}

// End warns of a fit that ended at a bound.
func End(b Bound) Warning { return Warning{Kind: AtBound, Bound: b} }

// Unconverged warns of a gradient that is not small after so many steps.
func Unconverged(gradient float64, steps int) Warning {
	return Warning{Kind: NotConverged, Value: Rounded(gradient, 2), Steps: steps}
}

// Early warns of a method that stops before the minimum, as its source does.
func Early(gradient float64, steps int) Warning {
	return Warning{Text: "stops short of the minimum by design: gradient {value} after {steps} steps", Value: Rounded(gradient, 2), Steps: steps}
}

// Worsened warns that a score of the calibration rows rises by the fit, more than by chance. Less of
// the score is better.
func Worsened(score string, before, after float64) Warning {
	return Warning{Kind: Worse, Bound: Bound{Parameter: score}, Before: Rounded(before, 4), Value: Rounded(after, 4)}
}

// DecidedByFew warns of a fit by NLL in which count of n rows make up a share of the NLL.
func DecidedByFew(count, n int, share float64) Warning {
	return Warning{Kind: FewDecide, Count: count, Of: n, Value: Rounded(share, 2)}
}

// CertainAt warns of a fit whose temperature at its lower bound b gives count of n calibration
// rows a probability of exactly 1.
func CertainAt(b Bound, count, n int) Warning {
	return Warning{Kind: Certain, Bound: b, Count: count, Of: n}
}

// OffShare is a class, or several, whose mean probability is not their share of the rows.
type OffShare struct {
	Classes        []int
	Expected, Seen float64 // mean probability, and share of the rows
}

// SharesOff warns of the mean probabilities of some of so many classes, and says what mends them;
// empty for nothing.
func SharesOff(off []OffShare, tested int, mend string) Warning {
	const most = 3
	var parts []string
	for _, x := range off[:min(len(off), most)] {
		name := fmt.Sprintf("class %d", x.Classes[0])
		if n := len(x.Classes); n > 1 {
			name = fmt.Sprintf("%d rare classes together", n)
		}
		parts = append(parts, fmt.Sprintf("%s has a mean probability of %s and a share of %s", name, short(x.Expected), short(x.Seen)))
	}
	if more := len(off) - most; more > 0 {
		parts = append(parts, fmt.Sprintf("%d more differ", more))
	}
	text := parts[0]
	if len(parts) > 1 {
		text = list(parts)
	}
	if mend != "" {
		text += ": " + mend
	}
	return Warning{Kind: Shares, Count: len(off), Of: tested, Text: text}
}

// short prints a share with two significant digits.
func short(x float64) string { return strconv.FormatFloat(Rounded(x, 2), 'f', -1, 64) }

// Separable warns of a penalised fit whose NLL has no minimum without the penalty, because every
// calibration row is classified correctly: by the network or, for byMap, by the fitted map.
func Separable(byMap bool) Warning {
	if byMap {
		return Warning{Text: "the fitted map classifies every calibration row correctly, so the NLL has no minimum: the penalty alone limits the parameters"}
	}
	return Warning{Text: "every calibration row is classified correctly, so the NLL has no minimum: the penalty alone limits the parameters"}
}

// Floored warns of rows whose temperature would be less than the floor.
func Floored(floor float64, count, rows int) Warning {
	return Warning{Text: "T is floored at {value} on {count} of {of} calibration rows", Value: floor, Count: count, Of: rows}
}

// A class of fewer calibration rows than fewestOfClass has a warning; the first mostNamed of
// such classes are named.
const (
	fewestOfClass = 10
	mostNamed     = 5
)

// FewOfClass warns of classes with fewer than ten calibration rows, given the rows of each class.
// ok is false if there are none.
func FewOfClass(rows []int) (w Warning, ok bool) {
	var names []string
	for j, n := range rows {
		if n < fewestOfClass {
			names = append(names, strconv.Itoa(j))
		}
	}
	few, subject := len(names), "classes"
	switch {
	case few == 0:
		return Warning{}, false
	case few == len(rows):
		return Warning{Text: fmt.Sprintf("every class has fewer than %d calibration rows", fewestOfClass)}, true
	case few == 1:
		return Warning{Text: fmt.Sprintf("class %s has fewer than %d calibration rows", names[0], fewestOfClass)}, true
	case few > mostNamed:
		others := "others"
		if few == mostNamed+1 {
			others = "other"
		}
		names = append(names[:mostNamed:mostNamed], fmt.Sprintf("%d %s", few-mostNamed, others))
		subject = fmt.Sprintf("%d of %d classes", few, len(rows))
		return Warning{Text: fmt.Sprintf("%s have fewer than %d calibration rows: %s", subject, fewestOfClass, list(names))}, true
	}
	return Warning{Text: fmt.Sprintf("%s %s have fewer than %d calibration rows", subject, list(names), fewestOfClass)}, true
}

// list joins two names or more.
func list(names []string) string {
	last := len(names) - 1
	return strings.Join(names[:last], ", ") + " and " + names[last]
}

// Kin returns the warning without its numbers: warnings of equal kin are of one sort.
func (w Warning) Kin() Warning {
	return Warning{Kind: w.Kind, Bound: Bound{Parameter: w.Parameter, Side: w.Side}, Text: w.Text}
}

// String returns the warning in words.
func (w Warning) String() string {
	switch w.Kind {
	case AtBound:
		return w.words()
	case EqualToTS:
		return w.place() + w.text() + ", so equal to TS"
	case NotConverged:
		return fmt.Sprintf("%snot converged: gradient %g after %d steps", w.place(), w.Value, w.Steps)
	case Worse:
		return fmt.Sprintf("%s of the calibration rows rises from %g to %g by the fit", w.Parameter, w.Before, w.Value)
	case FewDecide:
		return fmt.Sprintf("%d of %d calibration rows make up %.0f %% of the NLL before the fit: they decide it", w.Count, w.Of, 100*w.Value)
	case Certain:
		return fmt.Sprintf("%s = %g gives %d of %d calibration rows a probability of exactly 1: a new row that is wrong there costs hundreds of nats, so the NLL can rise", w.Name(), w.Limit, w.Count, w.Of)
	}
	return w.place() + w.text()
}

// place names the bin.
func (w Warning) place() string {
	if w.Bin == 0 {
		return ""
	}
	return fmt.Sprintf("bin %d: ", w.Bin)
}

// text returns the text with its numbers.
func (w Warning) text() string {
	if !strings.Contains(w.Text, "{") {
		return w.Text
	}
	return strings.NewReplacer("{count}", strconv.Itoa(w.Count), "{of}", strconv.Itoa(w.Of), "{steps}", strconv.Itoa(w.Steps),
		"{value}", fmt.Sprint(w.Value)).Replace(w.Text)
}
