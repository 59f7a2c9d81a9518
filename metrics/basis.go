package metrics

import (
	"fmt"
	"slices"
)

// Basis is the quantity that decides which of two methods is better by a metric.
//
// A mean of one number a row, such as the NLL, decides by itself, and so does a number
// that rows change little by little, such as AUROC. An ECE does not: it adds up absolute
// values, which have a kink where a bin is calibrated. There the noise of a bin raises it,
// and no interval of the difference of two ECE covers the difference in the population
// (docs/read.md#intervals). Squares have no kink. Squares of gaps minus their noise have no
// bias either, and the interval of their difference covers it. So verdicts by an ECE and
// its relatives rest on such a quantity, of the same predictions.
type Basis struct {
	Name  string // in pairs.csv
	Label string // in captions

	// Squared is set for the square of an error: its root has the unit of the metric.
	Squared bool

	fewRows  bool // as of Entry
	positive bool // its rows count by their labels, as those of an Entry with Positive
	terms    func(s *Samples, seed uint64) (terms, error)
}

// terms are a quantity of one method with the influence of the rows on it.
type terms struct {
	value float64

	// influence has a number for each row, or for each of some random groups of rows. The
	// value is their mean, up to a constant that the number of rows determines and terms
	// that vanish as the number grows. It varies as the mean of independent numbers does.
	influence []float64

	group []int32 // of the rows of influence; nil if they vary independently
}

// The bases of calibration errors.
var (
	squaredMass = Basis{
		Name: "sce_mass15", Label: "debiased squared calibration error in 15 bins of equal mass", Squared: true,
		terms: func(s *Samples, _ uint64) (terms, error) { return squaredMassTerms(s, 15), nil },
	}
	squaredClasswise = Basis{
		Name: "sce_classwise", Label: "debiased squared calibration error of each class's probability in 15 bins of equal width, mean over classes", Squared: true,
		terms: func(s *Samples, _ uint64) (terms, error) {
			b, err := s.classBins()
			switch {
			case err != nil:
				return terms{}, err
			case s.groups() != nil:
				return terms{}, errGrouped
			case s.Len() < rowsPerClass*b.Classes():
				return terms{}, fmt.Errorf("%d rows of %d classes: a verdict on classes takes %d rows a class", s.Len(), b.Classes(), rowsPerClass)
			}
			return squaredBinsTerms(&b.Bins), nil
		},
	}
)

// rowsPerClass is the number of rows of a class, on average, from which the bins of single
// classes show anything. The square of a bin of one row is noise.
const rowsPerClass = 10

// Judge returns the quantity that decides verdicts by a metric; output is its name in results.csv.
// ok is false, and the basis empty, if there is no such output or no quantity whose
// interval is known to cover. Then the metric gives no verdicts.
func (e Entry) Judge(output string) (basis Basis, ok bool) {
	i := slices.Index(e.Names(), output)
	if i < 0 || e.CrossFit {
		return Basis{}, false
	}
	return e.measure(i)
}

// measure returns the quantity of Judge for the output at place i. Metrics that recalibrate rows
// have one too. Their intervals ignore the error of the recalibration, so Judge leaves them out.
func (e Entry) measure(i int) (basis Basis, ok bool) {
	switch {
	case e.Basis != nil:
		return *e.Basis, true
	case e.Influence == nil:
		return Basis{}, false
	}
	return Basis{Name: e.Outputs[i].Name, Label: e.Outputs[i].Label, fewRows: e.fewRows, positive: e.Positive, terms: func(s *Samples, seed uint64) (terms, error) {
		values, err := e.Compute(s, seed)
		if err != nil {
			return terms{}, err
		}
		influence, err := e.Influence(s, seed)
		if err != nil {
			return terms{}, err
		}
		return terms{value: values[i], influence: influence[i]}, nil
	}}, true
}
