package main

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"path/filepath"
	"slices"

	"github.com/qats-bench/qats/data"
)

// temperature makes the true probabilities of a population's labels.
const temperature = 1.63

// population is the rows that test sets are drawn from.
type population struct {
	name    string
	rows    int
	classes int
	logits  data.Matrix
	truth   []float64 // rows x classes: the probability of each label
}

// load reads the calibration and the test logits of a network. odds is added to the log odds of
// class 1 of all rows, of a network of two classes, before they are divided by the temperature.
func load(ctx context.Context, dir string, odds float64) (*population, error) {
	p := &population{}
	for _, split := range []string{"cal", "test"} {
		r, err := data.Files{Logits: filepath.Join(dir, split, "logits.npy")}.Open()
		if err != nil {
			return nil, err
		}
		if p.classes = r.Classes(); p.logits.Cols == 0 {
			p.logits.Cols = p.classes
		}
		if p.logits.Cols != p.classes {
			return nil, fmt.Errorf("%s: calibration logits of %d classes, test logits of %d", dir, p.logits.Cols, p.classes)
		}
		err = data.Scan(ctx, r, 1000, 1, func(_ int, block *data.Set) error {
			p.logits.Data = append(p.logits.Data, block.Logits.Data...)
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	p.rows = len(p.logits.Data) / p.classes
	p.logits.Rows = p.rows
	if odds != 0 && p.classes != 2 {
		return nil, fmt.Errorf("%s: -odds is for two classes, and it has %d", dir, p.classes)
	}
	for i := 1; odds != 0 && i < len(p.logits.Data); i += 2 {
		p.logits.Data[i] += float32(odds)
	}
	p.truth = p.tempered(temperature).probs
	return p, nil
}

// calibrator is a map of the population's rows to probabilities.
type calibrator struct {
	probs []float64 // rows x classes
	conf  []float64
	rest  []float64 // the sum of the other probabilities, which differs where conf rounds to 1
	pred  []int32
	right []float64 // the probability that the prediction is right
}

// calibrator returns the calibrator with the given probabilities. Before the population has
// its truth, right is 0.
func (p *population) calibrator(probs []float64) *calibrator {
	c := &calibrator{probs: probs, conf: make([]float64, p.rows), rest: make([]float64, p.rows),
		pred: make([]int32, p.rows), right: make([]float64, p.rows)}
	for i := range p.rows {
		row := probs[i*p.classes : (i+1)*p.classes]
		for j, v := range row {
			if v > row[c.pred[i]] {
				c.pred[i] = int32(j)
			}
		}
		c.conf[i] = row[c.pred[i]]
		for j, v := range row {
			if j != int(c.pred[i]) {
				c.rest[i] += v
			}
		}
		c.rest[i] = min(c.rest[i], 1)
		if p.truth != nil {
			c.right[i] = p.truth[i*p.classes+int(c.pred[i])]
		}
	}
	return c
}

// byConfidence compares two rows.
func (c *calibrator) byConfidence(a, b int) int {
	return cmp.Or(cmp.Compare(c.conf[a], c.conf[b]), cmp.Compare(c.rest[b], c.rest[a]))
}

// tempered is temperature scaling.
func (p *population) tempered(t float64) *calibrator { return p.shifted(t, 0) }

// coarse is another calibrated map: all rows of a predicted class and of a range of
// confidence have the mean of their true probabilities.
func (p *population) coarse() *calibrator {
	fine := p.calibrator(p.truth)
	order := make([]int, p.rows)
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int {
		return cmp.Or(int(fine.pred[a]-fine.pred[b]), fine.byConfidence(a, b), a-b)
	})
	probs := make([]float64, len(p.truth))
	size := max(20, p.rows/60)
	for lo := 0; lo < p.rows; {
		hi := lo
		for hi < p.rows && hi-lo < size && fine.pred[order[hi]] == fine.pred[order[lo]] {
			hi++
		}
		mean := make([]float64, p.classes)
		for _, i := range order[lo:hi] {
			for j := range mean {
				mean[j] += p.truth[i*p.classes+j] / float64(hi-lo)
			}
		}
		for _, i := range order[lo:hi] {
			copy(probs[i*p.classes:], mean)
		}
		lo = hi
	}
	return p.calibrator(probs)
}

// shifted is temperature scaling after a number of at most size is added to the logits of
// each class, which changes some predictions.
func (p *population) shifted(t, size float64) *calibrator {
	probs := make([]float64, p.rows*p.classes)
	row := make([]float32, p.classes)
	for i := range p.rows {
		for j, l := range p.logits.Row(i) {
			row[j] = l + float32(size*math.Sin(2.3*float64(j+1)))
		}
		softmax(probs[i*p.classes:(i+1)*p.classes], row, t)
	}
	return p.calibrator(probs)
}

// raised is the calibrated model with so much added to the log odds of class 1 of two.
func (p *population) raised(odds float64) *calibrator {
	probs := make([]float64, len(p.truth))
	for i := range p.rows {
		row := p.logits.Row(i)
		softmax(probs[2*i:2*i+2], []float32{row[0], row[1] + float32(temperature*odds)}, temperature)
	}
	return p.calibrator(probs)
}

// softmax writes the probabilities of a row at temperature t.
func softmax(probs []float64, row []float32, t float64) {
	top, sum := float64(slices.Max(row)), 0.0
	for j, l := range row {
		probs[j] = math.Exp((float64(l) - top) / t)
		sum += probs[j]
	}
	for j := range probs {
		probs[j] /= sum
	}
}

// opposite returns the temperature scaling beyond the true temperature that has the same
// error as the one at t, which is below it.
func (p *population) opposite(t float64, err func(*calibrator) float64) *calibrator {
	want, lo, hi := err(p.tempered(t)), temperature, 4*temperature
	for range 40 {
		mid := (lo + hi) / 2
		if err(p.tempered(mid)) < want {
			lo = mid
		} else {
			hi = mid
		}
	}
	return p.tempered((lo + hi) / 2)
}
