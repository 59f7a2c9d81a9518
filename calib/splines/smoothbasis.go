package splines

// A smoothing spline of binary outcomes (Lucena 2018) is logistic regression on a natural
// cubic spline of the log odds, with a ridge penalty whose weight is chosen on a part of the
// rows. The spline with knots t_0 < ... < t_{K-1} is a sum of K functions of x (Hastie,
// Tibshirani and Friedman, The Elements of Statistical Learning, section 5.2.1):
//
//	1, x, d_i(x) - d_{K-2}(x) for i = 0..K-3,
//	d_i(x) = ((x - t_i)+^3 - (x - t_{K-1})+^3) / (t_{K-1} - t_i).
//
// It is linear below t_0 and above t_{K-1}. The penalty is on its K coefficients, so
// the basis matters and cannot be replaced by a better conditioned one. But between two
// knots every function is a cubic of the distance to the left one (newSmoothBasis). So a row
// adds seven moments to the sums of its interval, not K^2 products to the Hessian.

// smoothPiece is an interval between knots: below the first one, between two, or above the
// last one. x is measured from origin in units of width, u = (x - origin)/width, and
// column c of the basis is
//
//	power[0][c] + power[1][c] u + power[2][c] u^2 + power[3][c] u^3.
//
// Columns from len(power[0]) on are 0.
type smoothPiece struct {
	origin, width float64
	power         [4][]float64
}

// newSmoothBasis returns the K + 1 pieces of the basis with K increasing knots, at least two.
func newSmoothBasis(knots []float64) []smoothPiece {
	last := len(knots) - 1
	end := knots[last]
	reach := end - knots[last-1] // t_{K-1} - t_{K-2}
	pieces := make([]smoothPiece, 0, last+2)
	add := func(origin, width float64, columns int) *smoothPiece {
		p := smoothPiece{origin: origin, width: width}
		for m := range p.power {
			p.power[m] = make([]float64, columns)
		}
		p.power[0][0], p.power[0][1], p.power[1][1] = 1, origin, width
		pieces = append(pieces, p)
		return &pieces[len(pieces)-1]
	}
	add(knots[0], 1, 2)
	for s := range last {
		h := knots[s+1] - knots[s]
		p := add(knots[s], h, 2+min(s+1, last-1))
		for i := range len(p.power[0]) - 2 {
			d, far := knots[s]-knots[i], end-knots[i]
			p.power[0][i+2] = d * d * d / far
			p.power[1][i+2] = 3 * d * d * h / far
			p.power[2][i+2] = 3 * d * h * h / far
			p.power[3][i+2] = h * h * h / far
			if s == last-1 {
				p.power[3][i+2] -= float64(h * h) // d_{K-2}
			}
		}
	}
	p := add(end, 1, last+1)
	for i := range last - 1 {
		far := end - knots[i]
		p.power[0][i+2] = float64(far*far) - float64(reach*reach)
		p.power[1][i+2] = 3 * (far - reach)
	}
	return pieces
}

// cubic returns the coefficients of the powers of u for the coefficients of the basis.
func (p *smoothPiece) cubic(coefficients []float64) (c [4]float64) {
	for m, row := range p.power {
		for j, v := range row {
			c[m] += float64(v * coefficients[j])
		}
	}
	return c
}

// horner returns the cubic c at u.
func horner(c *[4]float64, u float64) float64 {
	return c[0] + float64(u*(c[1]+float64(u*(c[2]+float64(u*c[3])))))
}
