package metrics

// Bytes of memory of a row, about, beside its sample scores.
const (
	orderBytes   = 16 // the order of the rows
	computeBytes = 56 // the most that a metric takes while it is computed
	weighBytes   = 32 // of a resampler: ECE and AECE
	drawnBytes   = 80 // of a resampler that computes metrics anew: the drawn rows
	verdictBytes = 8  // of a verdict: the influence on one number of a method, or its difference

	// ScoreBytes is the memory of Samples and of one metric of theirs at a time.
	ScoreBytes = orderBytes + computeBytes
)

// PairBytes returns the memory that Pairs takes for a row of each method, and for a row of
// all methods together.
func PairBytes(entries []Entry) (method, together int) {
	method, together = orderBytes, lanes*2
	weighed, anew, outputs := 0, false, 0
	for _, e := range entries {
		switch outputs = max(outputs, len(e.Outputs)); {
		case e.Influence != nil:
		case e.weighed():
			weighed = weighBytes
		default:
			anew = true
		}
	}
	if anew {
		method += drawnBytes
	}
	return method + weighed, together + computeBytes + verdictBytes*(2*outputs+1)
}
