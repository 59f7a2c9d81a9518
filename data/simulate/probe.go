package simulate

import (
	"math"

	"github.com/qats-bench/qats/data"
	"github.com/qats-bench/qats/internal/kernel/linear"
	"github.com/qats-bench/qats/internal/kernel/softmax"
)

// probeRows is the size of the probe, probeElements that of its largest array:
// enough rows to know accuracy and ECE to about 0.1 points.
const (
	probeRows     = 24_000
	probeElements = 24_000_000
)

// Probe is a large draw on which constants are solved for, with the same rows for
// every trial. It knows the exact probability that a prediction is right, so its
// accuracy and ECE have little noise.
//
// The rows are spread evenly over class, level and the component of the noise along
// the prototype of the class: these three have the largest effect on whether a row
// is right. The rest of the noise is drawn and serves two rows, the second with the
// opposite sign.
type Probe struct {
	n, k    int
	stride  int // only each of so many rows counts
	tilt    float64
	class   []int
	level   []float64
	along   []float64 // n, to be added to the noise along the prototype of the class
	gram    []float64 // k x k, W W'
	noise   []float32 // n/2 x k, W e
	offset  []float64 // k, log prior of the network
	truth   []float64 // k, log prior of the test set
	own     bool      // the network's prior is that of the test set
	conf    []float64 // n, the calibrated confidence
	correct []float64 // n, the probability that the prediction is right
	row     []float64 // k, scratch
	powers  *powers   // scratch
}

// NewProbe returns the probe on which w is solved.
func NewProbe(w Network) *Probe {
	return newProbe(w, min(probeRows, probeElements/w.Classes), identity(w.Name, "probe"))
}

// newProbe returns a probe of w with n rows, made even, whose noise is seeded by
// id.
func newProbe(w Network, n int, id uint64) *Probe {
	n += n % 2
	k, d := w.Classes, w.signalWidth()
	p := &Probe{n: n, k: k, stride: 1, tilt: w.Tilt, own: w.Imbalance <= 1,
		class: make([]int, n), level: make([]float64, n), along: make([]float64, n),
		gram: make([]float64, k*k), noise: make([]float32, n/2*k),
		offset: make([]float64, k), truth: make([]float64, k),
		conf: make([]float64, n), correct: make([]float64, n), row: make([]float64, k), powers: newPowers(k)}
	if w.skewed() {
		p.offset, p.truth = logs(w.trained()), logs(w.shares(data.Test))
	}
	W := w.prototypes()
	packed := linear.Pack(W, k, d)
	packed.Times(p.gram, W)
	e, u := make([]float64, chunk*d), make([]float64, chunk*k)
	var s stream
	for lo := 0; lo < n/2; lo += chunk {
		rows := min(chunk, n/2-lo)
		for i := range rows {
			s.seed(id, lo+i)
			s.normals(e[i*d : (i+1)*d])
		}
		packed.Times(u[:rows*k], e[:rows*d])
		for i, v := range u[:rows*k] {
			p.noise[lo*k+i] = float32(v)
		}
	}
	p.spread(cumulative(w.shares(data.Test)))
	return p
}

// spread sets class, level and along by the low-discrepancy points of Roberts
// (2018).
func (p *Probe) spread(cum []float64) {
	quantiles := normalQuantiles(p.n)
	for i := range p.n {
		at := float64(i) + 0.5
		_, u := math.Modf(float64(at * 0.7548776662466927))
		_, v := math.Modf(float64(at * 0.5698402909980532))
		noise, sign := p.noiseOf(i)
		p.class[i] = class(cum, at/float64(p.n))
		p.level[i] = level(u)
		p.along[i] = quantiles[int(v*float64(p.n))] - float64(sign*float64(noise[p.class[i]]))
	}
}

// noiseOf returns the noise of row i, which is to be multiplied by sign.
func (p *Probe) noiseOf(i int) (noise []float32, sign float64) {
	return p.noise[i/2*p.k:][:p.k], float64(1 - 2*(i%2))
}

// normalQuantiles returns the quantiles (i+1/2)/n of the standard normal
// distribution, by summing its density.
func normalQuantiles(n int) []float64 {
	const step, end = 1e-3, 6.0
	const peak = 0.3989422804014327 // 1/sqrt(2 pi)
	q := make([]float64, 0, n)
	sum := 0.0
	for x := -end; len(q) < n; x += step {
		mass := float64(step * peak * softmax.Exp(-float64(x*x)/2))
		for len(q) < n {
			part := ((float64(len(q))+0.5)/float64(n) - sum) / mass
			if part > 1 && x < end {
				break
			}
			q = append(q, x+float64(step*(min(part, 1)-0.5)))
		}
		sum += mass
	}
	return q
}

// logits returns the calibrated logits of row i without the offsets, in the scratch
// row.
func (p *Probe) logits(i int, c Constants) []float64 {
	m := float64(c.Signal * p.level[i])
	spread := math.Sqrt(1 + c.Loss)
	noise, sign := p.noiseOf(i)
	onGram := float64(m * (float64(m*(1-c.Loss)) + float64(spread*p.along[i])))
	onNoise := float64(sign * float64(m*spread))
	for j, g := range p.gram[p.class[i]*p.k:][:p.k] {
		p.row[j] = float64(onGram*g) + float64(onNoise*float64(noise[j]))
	}
	return p.row
}

// Thin makes the probe use one row in n from now on: a search may begin with few rows.
func (p *Probe) Thin(n int) { p.stride = n }

// Accuracy returns the accuracy of the network with constants c. It keeps the calibrated
// confidences and the probabilities of being right, for Gap.
func (p *Probe) Accuracy(c Constants) float64 {
	truth := (1 - c.Loss) / (1 + c.Loss) // of the logits of images that have lost signal, by Bayes' rule
	right := make([]float64, p.k)
	sum := 0.0
	for i := 0; i < p.n; i += p.stride {
		row := p.logits(i, c)
		for j, v := range row {
			right[j] = float64(truth*v) + p.truth[j]
			row[j] = v + float64(c.Favour*p.offset[j])
		}
		top := argmax(row)
		p.conf[i] = p.powers.chance(row, top, 1)
		p.correct[i] = p.conf[i]
		if truth != 1 || !p.own {
			p.correct[i] = p.powers.chance(right, top, 1)
		}
		sum += p.correct[i]
	}
	return sum / p.rows()
}

// Gap returns the ECE over 15 bins, with probabilities in place of outcomes, and
// the mean confidence minus the accuracy. c is that of the last Accuracy(c), except
// for the constants of the row scale, Excess and Factor.
func (p *Probe) Gap(c Constants) (ece, gap float64) {
	var bins [15]float64
	for i := 0; i < p.n; i += p.stride {
		row := p.logits(i, c)
		for j := range row {
			row[j] += float64(c.Favour * p.offset[j])
		}
		conf := p.powers.chance(row, argmax(row), c.scale(p.conf[i], p.tilt))
		bins[softmax.Bin(conf, len(bins))] += conf - p.correct[i]
	}
	for _, b := range bins {
		ece += math.Abs(b)
		gap += b
	}
	return ece / p.rows(), gap / p.rows()
}

// rows returns the number of rows in use.
func (p *Probe) rows() float64 { return float64((p.n + p.stride - 1) / p.stride) }

// argmax returns the lowest index of the largest element.
func argmax(row []float64) int {
	top := 0
	for j, v := range row {
		if v > row[top] {
			top = j
		}
	}
	return top
}

// abreast is the number of rows whose powers are summed at a time, each in the order of its
// classes: additions to one sum wait for each other.
const abreast = 4

// powers are the exponentials of rows of scaled logits, four rows of k classes.
type powers [abreast][]float64

func newPowers(k int) *powers {
	var p powers
	for i := range p {
		p[i] = make([]float64, k)
	}
	return &p
}

// set makes row i e^(scale (row - row[top])), and 0 for class top.
func (p *powers) set(i int, row []float64, top int, scale float64) {
	dst, most := p[i][:len(row)], row[top]
	for j, v := range row {
		dst[j] = float64(scale * (v - most))
	}
	softmax.Exps(dst, dst)
	dst[top] = 0
}

// chances returns the probability of class top of each row that was set.
func (p *powers) chances() [abreast]float64 {
	k := len(p[0])
	a, b, c, d := p[0], p[1][:k], p[2][:k], p[3][:k]
	sa, sb, sc, sd := 1., 1., 1., 1.
	for j, v := range a {
		sa += v
		sb += b[j]
		sc += c[j]
		sd += d[j]
	}
	return [...]float64{1 / sa, 1 / sb, 1 / sc, 1 / sd}
}

// chance returns the probability softmax(scale row) of class top.
func (p *powers) chance(row []float64, top int, scale float64) float64 {
	p.set(0, row, top, scale)
	return p.chances()[0]
}
