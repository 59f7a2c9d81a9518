package linear

import (
	"context"

	"github.com/qats-bench/qats/calib"
	"github.com/qats-bench/qats/calib/internal/method"
	"github.com/qats-bench/qats/data"
)

// StructuredMatrix is structured matrix scaling: StructuredVector with a full matrix,
// k^2 + k parameters. As off_diagonal grows, the method becomes svs. The prediction may
// change.
//
//   - Formula: p = softmax(W x + b), x as in svs, by mean NLL + (k/n) (diagonal sum
//     (W_cc-1)^2 + intercept sum b^2) + (k(k-1)/n) off_diagonal sum over c != j of
//     W_cj^2, all three 1
//   - Reference: Berta, Holzmueller, Jordan and Bach 2026
//   - Compared with: numpy; dholzmueller/probmetrics (the authors')
//   - Agreement: probabilities to 1e-6 with Newton's method in numpy on drawn rows
//   - Departures: Those of svs. More than 100 classes are an error.
type StructuredMatrix struct {
	Diagonal    float64 // 1e-9 to 1e9, times k/n; 0 means 1
	Intercept   float64 // 1e-9 to 1e9, times k/n; 0 means 1
	OffDiagonal float64 // 1e-9 to 1e9, times k(k-1)/n; 0 means 1
}

// SMSEntry is the entry of StructuredMatrix.
var SMSEntry = calib.NewEntry[StructuredMatrix, smsMap](calib.Entry{
	Name:    "sms",
	Label:   "SMS",
	Version: 4,
	Summary: "matrix scaling kept near temperature scaling by ridges of k/n and k(k-1)/n, at most 100 classes",
	Cost:    730,
	Cost100: 1300,
})

// String returns the name of the method.
func (StructuredMatrix) String() string { return SMSEntry.Name }

// Options returns the options.
func (s *StructuredMatrix) Options() []calib.Option {
	return []calib.Option{
		calib.FloatOption("diagonal", &s.Diagonal, 1, leastPenalty, mostPenalty, "ridge of the slopes, times k/n"),
		calib.FloatOption("intercept", &s.Intercept, 1, leastPenalty, mostPenalty, "ridge of the offsets, times k/n"),
		calib.FloatOption("off_diagonal", &s.OffDiagonal, 1, leastPenalty, mostPenalty, "ridge of the other elements, times k(k-1)/n"),
	}
}

// Contract needs logits and labels. The prediction may change.
func (StructuredMatrix) Contract() calib.Contract { return method.Sized(method.VectorContract()) }

// Fit returns T, w, the matrix and the offsets.
func (s StructuredMatrix) Fit(ctx context.Context, in calib.Input) (*calib.Fitted, error) {
	s, err := calib.WithDefaults(s)
	if err != nil {
		return nil, err
	}
	if err := checkMatrixClasses("sms", in.Classes()); err != nil {
		return nil, err
	}
	o, base, flat, err := fitMixed(ctx, in)
	if err != nil {
		return nil, err
	}
	n, k := o.Rows(), o.Logits.Cols
	a := newProblem(in.Cal, true, base.scores)
	unit := float64(k) / float64(n)
	a.Penalise(float64(s.Diagonal*unit), float64(s.OffDiagonal*unit*float64(k-1)), float64(s.Intercept*unit))
	theta := make([]float64, k*k+k)
	end, err := a.Minimise(ctx, theta)
	if err != nil {
		return nil, err
	}
	w, b := matrixOf(theta, k)
	return reportedDescent(ctx, smsMap{base, w, b}, in.Cal, end, flat, o.Passes+a.Passes)
}

// smsMap holds the matrix and the offsets of k classes.
type smsMap struct {
	mixed
	W [][]float64 `json:"w"` // k x k
	B []float64   `json:"b"` // k
}

func (m smsMap) NumClasses() int { return len(m.W) }

func (m smsMap) Check() error {
	if err := m.mixed.check(); err != nil {
		return err
	}
	return checkMatrix(m.W, m.B)
}

// Apply writes softmax(W x + b).
func (m smsMap) Apply(dst data.Probs, set *data.Set) {
	odirMap{Models: []odirModel{{m.W, m.B}}}.apply(dst, set, m.scores)
}
