// Package finite finds NaN and infinities among floating-point numbers: the
// check of the content of every array that is read.
//
// It has vector code for float32, since it looks at every number of a file. On 100
// MB of logits, loaded or read by blocks and then passed once through the softmax
// kernel, which takes 20 and 25 ms (studies/speed, P15), a plain loop takes 15 ms
// longer.
package finite

// First returns the index of the first NaN or infinity of v, or -1.
func First[T float32 | float64](v []T) int {
	i := 0
	if narrow, ok := any(v).([]float32); ok {
		if n := vectorLength(narrow); n > 0 && !someNonFinite(&narrow[0], n) {
			i = n
		}
	}
	for ; i < len(v); i++ {
		if v[i]-v[i] != 0 { // 0 for a finite number, NaN for others
			return i
		}
	}
	return -1
}
