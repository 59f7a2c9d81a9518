package data

import "strings"

// Parts is a set of array names, such as those that a method declares to read or
// those that a source has.
type Parts uint8

// The arrays a Set may hold. Labels belong to the rows of Logits; Head and OOD
// belong to the network and are the same for each of its sets.
const (
	Logits    Parts = 1 << iota // n x k; of a set of kind confidence n, the confidence of each prediction
	Labels                      // n
	Features                    // n x d, input of the last linear layer
	Augmented                   // v x n x k, logits of v augmented views
	Head                        // weights k x d and bias k of the last layer
	OOD                         // m x k, logits of images of no class
)

var partNames = []string{"logits", "labels", "features", "augmented", "head", "ood"}

// List returns the single parts of p, in the order of the constants.
func (p Parts) List() []Parts {
	var list []Parts
	for i := range partNames {
		if q := Parts(1) << i; p&q != 0 {
			list = append(list, q)
		}
	}
	return list
}

// String returns the names of the parts joined by "+", or "none".
func (p Parts) String() string {
	var names []string
	for i, name := range partNames {
		if p&(1<<i) != 0 {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		return "none"
	}
	return strings.Join(names, "+")
}

// Linear is the last layer of a network: logits = W features + B.
type Linear struct {
	W Matrix    // k x d
	B []float32 // k
}

// Set holds the arrays of one data set as one network sees it; absent arrays
// are zero. Its slices must not be written to: methods and metrics share one Set
// between goroutines.
type Set struct {
	Logits    Matrix   // n x k
	Labels    []int32  // n, each in 0..k-1; with Confidence 0 where the prediction is right and 1 where it is wrong
	Features  Matrix   // n x d
	Augmented []Matrix // v matrices, n x k each
	Head      Linear
	OOD       Matrix // m x k

	// Confidence is that of each prediction, n numbers in [0, 1], of a set of KindConfidence. It stands in the
	// place of Logits, which are absent, and is the part Logits. Classes is the number of classes of such a set, 0
	// if it is not stated.
	Confidence []float64
	Classes    int

	// Weights, Groups and Folds belong to the labels: View keeps them with Labels, and without labels they have no
	// use.
	//
	// Weights are frequencies, n finite numbers of at least 0: 2 is the row twice, 0 is the row left out. nil: all 1.
	// Methods and metrics read sets without weights: readers give such sets, and Counted makes one.
	// Groups are the numbers of the groups of rows, such as those of one patient, n numbers from 0 on. Readers number
	// groups by their first rows. nil: each row is a group of its own.
	// Folds are the folds of the owner of the set, n numbers from 0 on, not always without gaps. nil: none.
	Weights []float64
	Groups  []int32
	Folds   []int32

	// Unit is how many rows stand for a weight of 1 where the weights were no whole numbers; 0 for 1. Only what does
	// not change with the size of a set of the same shares takes another one.
	Unit float64
}

// K returns the number of classes: the columns of the logits or, of a set with a confidence alone, Classes.
func (s *Set) K() int {
	if s.Confidence != nil {
		return s.Classes
	}
	return s.Logits.Cols
}

// Parts returns the arrays that s holds.
func (s *Set) Parts() Parts {
	var p Parts
	for _, x := range []struct {
		part Parts
		have bool
	}{
		{Logits, s.Logits.Rows > 0 || len(s.Confidence) > 0}, {Labels, s.Labels != nil}, {Features, s.Features.Rows > 0},
		{Augmented, len(s.Augmented) > 0}, {Head, s.Head.W.Rows > 0}, {OOD, s.OOD.Rows > 0},
	} {
		if x.have {
			p |= x.part
		}
	}
	return p
}

// View returns the set with only the given parts, so that a method sees the arrays
// that it declared and no others.
func (s *Set) View(parts Parts) *Set {
	v := &Set{}
	if parts&Logits != 0 {
		v.Logits, v.Confidence, v.Classes = s.Logits, s.Confidence, s.Classes
	}
	if parts&Labels != 0 {
		v.Labels, v.Weights, v.Groups, v.Folds, v.Unit = s.Labels, s.Weights, s.Groups, s.Folds, s.Unit
	}
	if parts&Features != 0 {
		v.Features = s.Features
	}
	if parts&Augmented != 0 {
		v.Augmented = s.Augmented
	}
	if parts&Head != 0 {
		v.Head = s.Head
	}
	if parts&OOD != 0 {
		v.OOD = s.OOD
	}
	return v
}

// Rows returns rows lo..hi-1 of the set; they share the memory of s. Head and OOD
// stay complete, since their rows are not rows of the set.
func (s *Set) Rows(lo, hi int) *Set {
	r := *s
	if s.Logits.Present() {
		r.Logits = s.Logits.Slice(lo, hi)
	}
	if s.Confidence != nil {
		r.Confidence = s.Confidence[lo:hi]
	}
	if s.Labels != nil {
		r.Labels = s.Labels[lo:hi]
	}
	if s.Weights != nil {
		r.Weights = s.Weights[lo:hi]
	}
	if s.Groups != nil {
		r.Groups = s.Groups[lo:hi]
	}
	if s.Folds != nil {
		r.Folds = s.Folds[lo:hi]
	}
	if s.Features.Present() {
		r.Features = s.Features.Slice(lo, hi)
	}
	if s.Augmented != nil {
		r.Augmented = make([]Matrix, len(s.Augmented))
		for v, m := range s.Augmented {
			r.Augmented[v] = m.Slice(lo, hi)
		}
	}
	return &r
}
