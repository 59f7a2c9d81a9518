package simulate

// product writes g w' to dst: g is n x d, w is k x d, dst n x k, all row-major.
// Every element is summed over d in order, in float64, whatever its place, so
// the bits depend neither on the blocking nor on the processor. (A library's
// product is faster and promises neither.)
func product(dst, g, w []float64, n, k, d int) {
	j := 0
	for ; j+2 <= k; j += 2 {
		w0, w1 := w[j*d:(j+1)*d], w[(j+1)*d:(j+2)*d]
		i := 0
		for ; i+4 <= n; i += 4 {
			dots8(dst[i*k+j:], k, g[i*d:(i+4)*d], w0, w1)
		}
		for ; i < n; i++ {
			dst[i*k+j], dst[i*k+j+1] = dot(g[i*d:(i+1)*d], w0), dot(g[i*d:(i+1)*d], w1)
		}
	}
	for ; j < k; j++ {
		for i := range n {
			dst[i*k+j] = dot(g[i*d:(i+1)*d], w[j*d:(j+1)*d])
		}
	}
}

// dots8 writes the products of four rows with two classes to dst, whose rows
// are k long: eight sums that do not wait for each other.
func dots8(dst []float64, k int, g, w0, w1 []float64) {
	d := len(w0)
	w1 = w1[:d]
	g0, g1, g2, g3 := g[:d], g[d:2*d], g[2*d:3*d], g[3*d:4*d]
	var a0, a1, a2, a3, b0, b1, b2, b3 float64
	for c := range w0 {
		x, y := w0[c], w1[c]
		a0 += float64(g0[c] * x)
		b0 += float64(g0[c] * y)
		a1 += float64(g1[c] * x)
		b1 += float64(g1[c] * y)
		a2 += float64(g2[c] * x)
		b2 += float64(g2[c] * y)
		a3 += float64(g3[c] * x)
		b3 += float64(g3[c] * y)
	}
	dst[0], dst[1] = a0, b0
	dst[k], dst[k+1] = a1, b1
	dst[2*k], dst[2*k+1] = a2, b2
	dst[3*k], dst[3*k+1] = a3, b3
}

func dot(g, w []float64) float64 {
	w = w[:len(g)]
	var sum float64
	for c, v := range g {
		sum += float64(v * w[c])
	}
	return sum
}
