package calibtest

import (
	"context"
	"fmt"
	"testing"

	"github.com/qats-bench/qats/calib"
	"github.com/qats-bench/qats/data"
)

// Method returns the method of an entry with options that are given by name, as in a
// spec. An unknown name is an error.
func Method(e calib.Entry, options map[string]any) (calib.Method, error) {
	draft, set := e.New(), 0
	for _, o := range draft.Options() {
		if v, ok := options[o.Name]; ok {
			set++
			if err := o.Set(v); err != nil {
				return nil, fmt.Errorf("%s: %w", o.Name, err)
			}
		}
	}
	if set < len(options) {
		return nil, fmt.Errorf("unknown options among %v", options)
	}
	return draft.Method()
}

// Fit returns the fit of a method on set, with options by name.
func Fit(t testing.TB, e calib.Entry, set *data.Set, options map[string]any) *calib.Fitted {
	t.Helper()
	return FitInput(t, e, calib.Input{Cal: set}, options)
}

// FitInput is Fit for methods that need more than a calibration set.
func FitInput(t testing.TB, e calib.Entry, in calib.Input, options map[string]any) *calib.Fitted {
	t.Helper()
	method, err := Method(e, options)
	if err != nil {
		t.Fatal(err)
	}
	f, err := calib.FitInput(context.Background(), method, in)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// Map returns the map of m fitted on set, of which m sees the parts of its contract.
func Map(t testing.TB, m calib.Method, set *data.Set) calib.Map {
	t.Helper()
	f, err := calib.FitInput(context.Background(), m, calib.Input{Cal: set.View(m.Contract().Cal)})
	if err != nil {
		t.Fatal(err)
	}
	return f.Map
}

// Apply returns the n x k probabilities of m for rows of logits.
func Apply(m calib.Map, logits data.Matrix) data.Probs {
	q := data.NewProbs(logits.Rows, logits.Cols)
	must(calib.Apply(m, q, &data.Set{Logits: logits}))
	return q
}

// TopLabels returns the predictions of m for the rows of set.
func TopLabels(m calib.TopLabel, set *data.Set) (class []int32, conf []float64) {
	class, conf, err := calib.TopLabels(m, set)
	must(err)
	return class, conf
}

// must panics on an error of a set that a test has made.
func must(err error) {
	if err != nil {
		panic(err)
	}
}

// Softmax returns the n x k probabilities of the network itself.
func Softmax(t testing.TB, logits data.Matrix) data.Probs {
	t.Helper()
	return Apply(Map(t, calib.Uncalibrated{}, &data.Set{Logits: logits}), logits)
}
