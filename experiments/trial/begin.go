package trial

import (
	"context"
	"math"

	"github.com/qats-bench/qats/calib"
	"github.com/qats-bench/qats/data"
	"github.com/qats-bench/qats/experiments/shares"
)

// The methods with which a choice can begin beside Plain and Reference: a scale of the logits and a number for each class,
// of two classes and of several, which mend class shares, and a sigmoid of each probability, which leaves none at 0.
const (
	Offset  = "platt-logits"
	Offsets = "svs"
	Sigmoid = "platt"
)

// Why says why a choice begins with a method.
type Why string

// The reasons to begin with a method.
const (
	ByTemperature Why = "temperature" // Reference: nothing speaks against one temperature
	NotSharper    Why = "not-sharper" // Plain: T < 1, and the rows do not show that T is below 1
	ByShares      Why = "shares"      // Offset or Offsets: the mean probability of a class is not its share
	ByZeros       Why = "zeros"       // Sigmoid: probabilities are exactly 0
	Unusable      Why = "unusable"    // Reference: the method that the rows ask for is no candidate
)

// keepBelow is the number of standard errors that ln T must be below 0 before a model is made
// more confident. Most networks are too confident, so few rows with T < 1 are mostly chance. Models that give
// probabilities of several classes are not like that as a rule, and have no such threshold.
const keepBelow = 1.64

// fewestZeros is the share of probabilities of exactly 0 from which they decide. Forests and
// neighbours have many. A softmax in float32 may round a few to 0.
const fewestZeros = .001

// Begin is the method with which a choice begins, and what of the calibration rows decides it. Another method takes its
// place only if it is shown to be better.
type Begin struct {
	Method string
	Why    Why

	T, Z  float64 // temperature of Reference on all calibration rows, and ln T over its standard error; NaN if there is none
	Zeros int     // probabilities of exactly 0

	// Shares is of the classes at the temperature T; of probabilities of several classes it tests nothing. T was
	// fitted on the same rows. It is one number, and no temperature can move a share to where it must be, so
	// the test is nearly that of other rows.
	Shares shares.Finding
}

// mostRows is the largest multiple of the calibration rows that Rows returns.
const mostRows = 20

// Rows returns how many calibration rows like these n would show with a chance of 80 % that T is
// below 1, if it is what it is estimated to be: n((c + .84)/z)^2, where c is the number of standard
// errors that the rule asks for. It returns 20 n and true where that is less, and 0 unless Why is NotSharper.
func (b *Begin) Rows(n int) (rows float64, more bool) {
	if b.Why != NotSharper {
		return 0, false
	}
	r := (keepBelow + .84) / b.Z
	times := float64(r * r)
	return float64(n) * min(mostRows, times), times > mostRows
}

// begin returns the method with which the choice of an input begins. Fits of one temperature are kept in shared.
func (in *Input) begin(ctx context.Context, shared *calib.Shared) (Begin, error) {
	b := Begin{Method: in.Reference(), Why: ByTemperature, T: math.NaN(), Z: math.NaN()}
	if in.ConfidenceOnly() {
		return b, nil
	}
	if b.Zeros = in.Cal.Zeros(); in.manyZeros(b.Zeros) {
		b.Method, b.Why = Sigmoid, ByZeros
	}
	m := calib.TemperatureScaling{}
	fitted, err := calib.FitInput(ctx, m, calib.Input{Cal: in.Cal.View(data.Logits | data.Labels), Shared: shared})
	if err != nil {
		return b, ctx.Err() // the fit of Reference has the error
	}
	if len(fitted.Report.AtBound) > 0 || len(fitted.Report.Warnings) > 0 {
		return b, nil
	}
	t := fitted.Map.(calib.Temperature)
	se, err := t.LogError(ctx, in.Cal.Set)
	if err != nil {
		return b, err
	}
	b.T, b.Z = t.T, math.Log(t.T)/se
	if b.Why == ByZeros {
		return b, nil
	}
	two := in.Cal.K() == 2
	if in.probabilities(b.Zeros) { // not the usual network
		return b, nil
	}
	tally, err := shares.Tally(t, in.Cal.Set)
	if err != nil {
		return b, err
	}
	b.Shares = shares.Of(tally)
	switch off := len(b.Shares.Off) > 0; {
	case off && two:
		b.Method, b.Why = Offset, ByShares
	case off:
		b.Method, b.Why = Offsets, ByShares
	case -keepBelow < b.Z && b.Z < 0:
		b.Method, b.Why = Plain, NotSharper
	}
	return b, nil
}

// manyZeros reports whether so many probabilities of exactly 0 decide with which method the choice begins.
func (in *Input) manyZeros(zeros int) bool {
	return zeros > 0 && float64(zeros) >= fewestZeros*float64(len(in.Cal.Logits.Data))
}

// probabilities reports whether the sets have probabilities of three classes or more, of which so many are exactly 0, and these are
// not many. Of these the choice is by the floored NLL ([floored]), and quadratic is no candidate.
func (in *Input) probabilities(zeros int) bool {
	return !in.ConfidenceOnly() && in.Cal.K() > 2 && in.Cal.Form.OffsetLost && !in.manyZeros(zeros)
}
