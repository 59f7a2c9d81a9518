package softmax

import "math"

// narrow is the number of classes from which a row is summed in lanes.
const narrow = 64

// The classes besides the top one that share its logit are counted, and their
// number is added to the sum of the others. A row of k < narrow classes is summed
// in the order of its classes; vector code then works on eight rows side by side.
// In a row of k >= narrow classes, class j belongs to lane j mod 8; each lane is
// summed in order, and total adds the eight. Masked lanes of vector code add +0 or
// -0, which changes no sum.

// lanes are the eight partial sums of a row.
type lanes [8]float64

// total adds the lanes in the order of vectors that are folded in half.
func (s *lanes) total() float64 {
	return ((s[0] + s[4]) + (s[2] + s[6])) + ((s[1] + s[5]) + (s[3] + s[7]))
}

// peak returns the top class of a row, the lowest index of its largest logit, and the
// number of the other classes that have this logit. It looks at eight logits at a time,
// because few groups of a row have one as large as the largest before them.
func peak(row []float32) (top, ties int) {
	most := row[0]
	j := 1
	for ; j+8 <= len(row); j += 8 {
		l := (*[8]float32)(row[j:])
		if l[0] >= most || l[1] >= most || l[2] >= most || l[3] >= most ||
			l[4] >= most || l[5] >= most || l[6] >= most || l[7] >= most {
			top, ties, most = raise(l[:], j, top, ties, most)
		}
	}
	top, ties, _ = raise(row[j:], j, top, ties, most)
	return top, ties
}

// raise continues peak in a part of the row that begins at index first.
func raise(part []float32, first, top, ties int, most float32) (int, int, float32) {
	for j, l := range part {
		if l > most {
			top, ties, most = first+j, 0, l
		} else if l == most {
			ties++
		}
	}
	return top, ties, most
}

// clearTop sets to 0 the exponentials e, in this part of the row, of all classes at
// the largest logit: the top class, at index top if it is in this part, and the
// ties.
func clearTop(e []float64, part []float32, max float32, top, ties int) {
	if 0 <= top && top < len(e) {
		e[top] = 0
	}
	if ties > 0 {
		for j, l := range part {
			if l == max {
				e[j] = 0
			}
		}
	}
}

// sum returns the sum of the exponentials e of a complete row, which are 0 at its
// largest logit.
func sum(e []float64) float64 {
	if len(e) < narrow {
		total := 0.0
		for _, v := range e {
			total += v
		}
		return total
	}
	var s lanes
	for j, v := range e {
		s[j%len(s)] += v
	}
	return s.total()
}

// momentLanes are the three sums of Moments, in lanes.
type momentLanes struct{ tail, s1, s2 lanes }

// add adds a part of a row that begins at a multiple of 8: its exponentials e
// and logits l, relative to max.
func (a *momentLanes) add(e []float64, l []float32, max float64) {
	l = l[:len(e)]
	for c := 0; c < 8; c += 2 { // two lanes at a time stay in registers
		tail0, tail1 := a.tail[c], a.tail[c+1]
		u0, u1 := a.s1[c], a.s1[c+1]
		v0, v1 := a.s2[c], a.s2[c+1]
		for j := c; j < len(e)-1; j += 8 {
			d0, d1 := float64(l[j])-max, float64(l[j+1])-max
			de0, de1 := float64(d0*e[j]), float64(d1*e[j+1])
			tail0 += e[j]
			tail1 += e[j+1]
			u0 += de0
			u1 += de1
			v0 = math.FMA(d0, de0, v0)
			v1 = math.FMA(d1, de1, v1)
		}
		a.tail[c], a.tail[c+1] = tail0, tail1
		a.s1[c], a.s1[c+1] = u0, u1
		a.s2[c], a.s2[c+1] = v0, v1
	}
	if j := len(e) - 1; j >= 0 && j%2 == 0 { // the last one if their number is odd
		d := float64(l[j]) - max
		de := float64(d * e[j])
		a.tail[j%8] += e[j]
		a.s1[j%8] += de
		a.s2[j%8] = math.FMA(d, de, a.s2[j%8])
	}
}

// scoreLanes are the two sums of Score, in lanes.
type scoreLanes struct{ tail, squares lanes }

// add adds the exponentials of a part of a row that begins at a multiple of 8.
func (a *scoreLanes) add(e []float64) {
	for j, v := range e {
		lane := j % len(a.tail)
		a.tail[lane] += v
		a.squares[lane] = math.FMA(v, v, a.squares[lane])
	}
}
