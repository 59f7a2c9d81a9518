package metrics

// Facts are what scoring keeps of each of the n rows of a calibrated test set.
// Every metric is a function of them, so a new metric or a new pairing of
// methods needs neither fit nor logits. Facts are read-only once complete.
type Facts struct {
	Conf    []float64 // largest probability, in (0, 1]
	Pred    []int32   // predicted class; see Append for ties
	Label   []int32   // true class
	NLL     []float64 // -ln max(p_label, Floor), nats
	Brier   []float64 // sum over classes of (p - 1[label])^2, in [0, 2]
	Changed []bool    // the prediction differs from that of the uncalibrated logits
}

// Floor is the least probability of the true class that NLL sees. It matters
// for methods that put exact zeros on classes (isotonic regression).
const Floor = 1e-300

// N returns the number of rows.
func (f *Facts) N() int { return len(f.Conf) }

// Hit reports whether row i is predicted correctly.
func (f *Facts) Hit(i int) bool { return f.Pred[i] == f.Label[i] }
