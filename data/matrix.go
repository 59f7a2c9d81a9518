package data

// Matrix is an n x k table of float32 in row-major order, for logits and features:
// the precision that they have on disk. Arithmetic on it is float64. The zero
// Matrix has no rows and means "absent".
type Matrix struct {
	Rows, Cols int
	Data       []float32 // len Rows*Cols; row i is Data[i*Cols : (i+1)*Cols]
}

// NewMatrix returns an n x k matrix of zeros.
func NewMatrix(n, k int) Matrix {
	return Matrix{Rows: n, Cols: k, Data: make([]float32, n*k)}
}

// Row returns row i; it shares the memory of m.
func (m Matrix) Row(i int) []float32 {
	return m.Data[i*m.Cols : (i+1)*m.Cols : (i+1)*m.Cols]
}

// Slice returns rows lo..hi-1; they share the memory of m.
func (m Matrix) Slice(lo, hi int) Matrix {
	return Matrix{Rows: hi - lo, Cols: m.Cols, Data: m.Data[lo*m.Cols : hi*m.Cols]}
}

// Present reports whether m is not absent.
func (m Matrix) Present() bool { return m.Data != nil }

// Probs is an n x k table of probabilities in float64, row-major; each row sums to
// 1. Large sets are computed block by block of rows.
type Probs struct {
	Rows, Cols int
	Data       []float64
}

// NewProbs returns an n x k table of zeros.
func NewProbs(n, k int) Probs {
	return Probs{Rows: n, Cols: k, Data: make([]float64, n*k)}
}

// Row returns row i; it shares the memory of p.
func (p Probs) Row(i int) []float64 {
	return p.Data[i*p.Cols : (i+1)*p.Cols : (i+1)*p.Cols]
}

// Slice returns rows lo..hi-1; they share the memory of p.
func (p Probs) Slice(lo, hi int) Probs {
	return Probs{Rows: hi - lo, Cols: p.Cols, Data: p.Data[lo*p.Cols : hi*p.Cols]}
}
