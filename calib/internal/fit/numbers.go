package fit

import (
	"math"

	"github.com/qats-bench/qats/internal/kernel/linear"
	"github.com/qats-bench/qats/internal/kernel/softmax"
)

// MinT and MaxT bound the fitted temperature of logits of usual size; SpanOf has the bounds of
// others. They are active where the NLL has no minimum between them. It may have none at all:
// T falls without limit if every row is classified correctly, and grows without limit if the
// labels contradict the logits.
const (
	MinT = 1e-3
	MaxT = 1e3
)

// Softplus returns log(1 + e^x).
func Softplus(x float64) float64 {
	if x > 0 {
		return x + softmax.Log1p(softmax.Exp(-x))
	}
	return softmax.Log1p(softmax.Exp(x))
}

// InverseSoftplus returns the x with softplus(x) = t > 0: log(e^t - 1), computed as
// t + log(1 - e^-t). The difference loses digits for small t: its relative error at
// the least temperature is 1e-13.
func InverseSoftplus(t float64) float64 { return t + softmax.Log(1-softmax.Exp(-t)) }

// Sigmoid returns 1/(1 + e^-x), the derivative of Softplus.
func Sigmoid(x float64) float64 {
	if x < 0 {
		e := softmax.Exp(x)
		return e / (1 + e)
	}
	return 1 / (1 + softmax.Exp(-x))
}

// MeanDeviation returns the mean and the standard deviation of v, which divides by their
// number; both are 0 if there are none.
func MeanDeviation(v []float64) (mean, deviation float64) {
	for _, x := range v {
		mean += x / float64(len(v))
	}
	square := 0.0
	for _, x := range v {
		square += float64((x - mean) * (x - mean))
	}
	return mean, math.Sqrt(square / float64(max(1, len(v))))
}

// Dot returns the inner product of two vectors.
func Dot(a, b []float64) float64 {
	sum := 0.0
	for j, v := range a {
		sum += float64(v * b[j])
	}
	return sum
}

// AddTo adds c times v to dst.
func AddTo(dst []float64, c float64, v []float64) {
	for j, x := range v {
		dst[j] += float64(c * x)
	}
}

// Entropy returns the entropy in nats of the softmax of a row with moments m at
// scale 1. In terms of the gaps to the largest logit it is
//
//	log1p(Tail) - S1/(1+Tail),
//
// a sum of two numbers >= 0. So rows whose confidence rounds to 1 keep all their
// digits: a gap of 40 has an entropy of 1.7e-16.
func Entropy(m *softmax.Moments) float64 { return softmax.Log1p(m.Tail) - m.S1/(1+m.Tail) }

// LogProbs writes log softmax(row).
func LogProbs(dst []float64, row []float32) {
	most := float64(row[TopClass(row)])
	sum := 0.0
	for j, l := range row {
		dst[j] = float64(l) - most
		sum += softmax.Exp(dst[j])
	}
	log := softmax.Log(sum)
	for j := range dst {
		dst[j] -= log
	}
}

// ToSoftmax replaces v by its softmax.
func ToSoftmax(v []float64) {
	most, sum := [1]float64{v[0]}, [1]float64{}
	for _, x := range v {
		if x > most[0] {
			most[0] = x
		}
	}
	ShiftedSoftmaxes(v, len(v), most[:], sum[:])
}

// ShiftedSoftmaxes replaces each row of k numbers by its softmax. most are the largest
// numbers of the rows, sums becomes the sums of exp(number - most). A row has the same bits
// alone and among others: four rows are added side by side, each in the order of its classes.
func ShiftedSoftmaxes(rows []float64, k int, most, sums []float64) {
	for i, most := range most {
		row := rows[i*k : (i+1)*k]
		for j := range row {
			row[j] -= most
		}
	}
	softmax.Exps(rows, rows)
	i := 0
	for ; i+4 <= len(sums); i += 4 {
		a, b, c, d := rows[i*k:(i+1)*k], rows[(i+1)*k:(i+2)*k], rows[(i+2)*k:(i+3)*k], rows[(i+3)*k:(i+4)*k]
		b, c, d = b[:len(a)], c[:len(a)], d[:len(a)]
		s0, s1, s2, s3 := 0., 0., 0., 0. // in registers
		for j, v := range a {
			s0 += v
			s1 += b[j]
			s2 += c[j]
			s3 += d[j]
		}
		sums[i], sums[i+1], sums[i+2], sums[i+3] = s0, s1, s2, s3
	}
	for ; i < len(sums); i++ {
		sums[i] = 0
		for _, v := range rows[i*k : (i+1)*k] {
			sums[i] += v
		}
	}
	for i, sum := range sums {
		linear.Divide(rows[i*k:(i+1)*k], sum)
	}
}
