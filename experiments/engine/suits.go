package engine

import (
	"github.com/qats-bench/qats/calib"
	"github.com/qats-bench/qats/data"
	"github.com/qats-bench/qats/results"
)

// Unsuited is the error of arrays that a method does not take: the method is left out, and has
// not failed.
type Unsuited struct{ Why string }

func (e *Unsuited) Error() string { return e.Why }

// Why a method that needs true logits is not used on logits that are not: log-probabilities,
// and logits that are read relative to the largest one of their row.
const (
	NeedsTrueLogits = "needs true logits; these are log-probabilities, whose offset is lost"
	OffsetLost      = "needs true logits; float32 does not hold the offset of these"
)

// Form is what is known of the logits of a set and decides which methods take it.
type Form struct {
	LogProbs   bool // they are log-probabilities: data.LogProbs, or stated
	OffsetLost bool // they are read relative to the largest one of their row, or as log-probabilities: data.Form
	Masked     bool // some are of masked classes
	Fractional bool // the weights of the set were no whole numbers: data.Set.Unit
	Confidence bool // there are none: the set has a confidence alone
}

// FormOf looks at the logits of a set as far as the contract asks for it. read says how they
// were read.
func FormOf(c calib.Contract, set *data.Set, read data.Form) Form {
	if set.Confidence != nil {
		return Form{Confidence: true, Fractional: set.Unit != 0}
	}
	return Form{LogProbs: c.TrueLogits && data.LogProbs(set.Logits), OffsetLost: read.OffsetLost, Masked: c.Refuses(set), Fractional: set.Unit != 0}
}

// Suits returns an error of type *Unsuited if a method does not take a set of this form, with
// one reason, and nil if it does.
func (f Form) Suits(c calib.Contract) error {
	switch {
	case !c.Confidence && f.Confidence:
		return &Unsuited{calib.ErrConfidence.Error()}
	case c.TrueLogits && f.LogProbs:
		return &Unsuited{NeedsTrueLogits}
	case c.TrueLogits && f.OffsetLost:
		return &Unsuited{OffsetLost}
	case c.Sized && f.Fractional:
		return &Unsuited{calib.ErrUnit.Error()}
	case !c.Masked && f.Masked:
		return &Unsuited{calib.ErrMasked.Error()}
	}
	return nil
}

// Held is a set of a network with the arrays that exist of it.
type Held struct {
	Network string // DATASET/BACKBONE
	Parts   data.Parts
}

// Missing returns the arrays that a method reads and that a set lacks, first those of the
// calibration set, as a note; no note if there are all.
func Missing(c calib.Contract, cal, test Held) results.Note {
	for _, need := range []struct {
		of   Held
		want data.Parts
		set  string
	}{{cal, c.Cal, "calibration"}, {test, c.Test | c.Target, "test"}} {
		if missing := need.want &^ need.of.Parts; missing != 0 {
			return results.Note{Kind: results.Missing, Lack: results.Lack{Arrays: missing.String(), Set: need.set, Network: need.of.Network}}
		}
	}
	return results.Note{}
}
