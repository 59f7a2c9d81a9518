package data

import "iter"

// Input is a set of a source, with the parts of it that are read.
type Input struct {
	Source Source
	Ref    Ref
	Parts  Parts
}

// Beneath yields the sources of type S that the parts of ref are read from, each with the
// set and the parts of it that are read: src itself, or those that it is computed from, at
// any depth, in the order of Inputs. An S is not looked into. So what one sort of source
// knows of its sets is found through sources that derive others, and no caller lists them.
func Beneath[S any](src Source, ref Ref, parts Parts) iter.Seq2[S, Input] {
	return func(yield func(S, Input) bool) { eachBeneath(Input{src, ref, parts}, yield) }
}

// eachBeneath is Beneath, and reports whether to go on.
func eachBeneath[S any](in Input, yield func(S, Input) bool) bool {
	if s, ok := in.Source.(S); ok {
		return yield(s, in)
	}
	for _, x := range in.Source.Inputs(in.Ref, in.Parts) {
		if !eachBeneath(x, yield) {
			return false
		}
	}
	return true
}
