// Package method has what the families of methods share: contracts, the checks of features,
// the rows of top-label methods, and the report of a map whose fit computes no NLL.
package method

import (
	"github.com/qats-bench/qats/calib"
	"github.com/qats-bench/qats/calib/internal/fit"
	"github.com/qats-bench/qats/data"
)

// LogitsContract is the contract of methods that use logits alone and keep the
// prediction, and that take masked classes.
func LogitsContract() calib.Contract {
	return calib.Contract{Cal: data.Logits | data.Labels, Test: data.Logits, KeepsTop1: true, Masked: true}
}

// TopContract is LogitsContract of top-label methods that read of logits the confidence of the prediction alone.
func TopContract() calib.Contract {
	c := LogitsContract()
	c.Confidence = true
	return c
}

// VectorContract is the contract of methods that use logits alone and may change
// the prediction.
func VectorContract() calib.Contract {
	return calib.Contract{Cal: data.Logits | data.Labels, Test: data.Logits}
}

// FeaturesContract is the contract of methods that read features and keep the prediction.
func FeaturesContract() calib.Contract {
	return calib.Contract{
		Cal:       data.Logits | data.Labels | data.Features,
		Test:      data.Logits | data.Features,
		KeepsTop1: true,
		Masked:    true,
	}
}

// StreamedContract is LogitsContract of methods that accept a Stream.
func StreamedContract() calib.Contract {
	c := LogitsContract()
	c.Streams = true
	return c
}

// OfValues returns the contract of a method that computes with logits or probabilities of a certain size; see
// calib.LogitSize.
func OfValues(c calib.Contract) calib.Contract {
	c.LogitSize = calib.SizeOfValues
	return c
}

// OfRanks returns the contract of a method that compares probabilities alone; see calib.LogitSize.
func OfRanks(c calib.Contract) calib.Contract {
	c.LogitSize = calib.SizeOfRanks
	return c
}

// Sized returns the contract of a method whose fit changes if all rows are repeated; see calib.Contract.
func Sized(c calib.Contract) calib.Contract {
	c.Sized = true
	return c
}

// maxBins is far above any use.
const maxBins = 1000

// BinsOption is the option of methods that put confidences into bins.
func BinsOption(bins *int) []calib.Option {
	return []calib.Option{calib.IntOption("bins", bins, 15, 1, maxBins, "number of bins of confidence")}
}

// Ready returns m with its defaults, after a check of the labelled calibration set.
func Ready[M any](m M, in calib.Input) (M, error) {
	m, err := calib.WithDefaults(m)
	if err == nil {
		err = fit.CheckLabelled(in.Cal)
	}
	return m, err
}
