package smoothing

// piece is an interval between knots: below the first one, between two, or above the
// last one. x is measured from origin in units of width, u = (x - origin)/width, and
// column c of the basis is
//
//	power[0][c] + power[1][c] u + power[2][c] u^2 + power[3][c] u^3.
//
// Columns from len(power[0]) on are 0.
type piece struct {
	origin, width float64
	power         [4][]float64
}

// newBasis returns the K + 1 pieces of the basis with K increasing knots, at least two.
func newBasis(knots []float64) []piece {
	last := len(knots) - 1
	end := knots[last]
	reach := end - knots[last-1] // t_{K-1} - t_{K-2}
	pieces := make([]piece, 0, last+2)
	add := func(origin, width float64, columns int) *piece {
		p := piece{origin: origin, width: width}
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
func (p *piece) cubic(coefficients []float64) (c [4]float64) {
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
