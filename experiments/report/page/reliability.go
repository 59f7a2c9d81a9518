package page

import (
	"encoding/json"
	"math"
	"strconv"

	"github.com/qats-bench/qats/metrics"
	"github.com/qats-bench/qats/results"
)

// bins keeps the bins of the reliability diagrams and of the quantile gaps. All numbers are whole,
// which is short: confidences and accuracies in units of 1e-5, edges and the distances to the ends
// of intervals in units of 1e-4. Tables print fewer digits.
func (p *packer) bins(bins []results.Bin) {
	width, mass := make([][]int, len(p.Cells.Setting)), make([][]int, len(p.Cells.Setting))
	positive, some := make([][]int, len(p.Cells.Setting)), false
	for _, b := range bins {
		c, ok := p.find(settingID{b.Setting, b.Source, false}, b.Method)
		interval, has := b.AccInterval()
		if !ok || !has {
			continue
		}
		from, to := consistency(b.N, b.Conf)
		row := []int{b.N, whole(b.Conf, 1e5), whole(b.Acc, 1e5), whole(b.Acc-interval.Lo, 1e4), whole(interval.Hi-b.Acc, 1e4), whole(b.Conf-from, 1e4), whole(to-b.Conf, 1e4)}
		switch b.Binning {
		case "width15":
			width[c] = append(append(width[c], b.Bin), row...)
		case metrics.Positive15:
			positive[c], some = append(append(positive[c], b.Bin), row...), true
		case "mass15":
			mass[c] = append(append(append(mass[c], row...), whole(b.Lo, 1e4)), whole(b.Hi, 1e4))
		}
	}
	p.Width, p.Mass = once(width), once(mass)
	if some {
		p.Positive = once(positive)
	}
}

func whole(x, units float64) int { return int(math.Round(x * units)) }

// once returns lists as JSON, null for an empty one. A list that is equal to an earlier one is the
// place of that one: several experiments may have one fit.
func once(of [][]int) (texts []list) {
	known := map[string]int{}
	for i, numbers := range of {
		text, _ := json.Marshal(numbers) // of numbers
		if before, has := known[string(text)]; has && len(numbers) > 0 {
			text = []byte(strconv.Itoa(before))
		} else {
			known[string(text)] = i
		}
		texts = append(texts, text)
	}
	return texts
}

// consistency returns the range from the 2.5 % to the 97.5 % quantile of the accuracy of n rows
// that are right with probability p, of a binomial distribution: the consistency band of a bin
// (Broecker and Smith 2007), with the mean confidence for all rows of the bin.
func consistency(n int, p float64) (from, to float64) {
	if p <= 0 || p >= 1 {
		return p, p
	}
	rows := float64(n)
	k := max(0, math.Floor(rows*p-12*math.Sqrt(rows*p*(1-p)))) // what lies below has no weight
	all, _ := math.Lgamma(rows + 1)
	right, _ := math.Lgamma(k + 1)
	wrong, _ := math.Lgamma(rows - k + 1)
	chance := math.Exp(all - right - wrong + k*math.Log(p) + (rows-k)*math.Log1p(-p))
	from = -1
	for sum := 0.0; k < rows; k++ {
		if sum += chance; from < 0 && sum >= .025 {
			from = k / rows
		}
		if sum >= .975 {
			return from, k / rows
		}
		chance *= (rows - k) / (k + 1) * (p / (1 - p))
	}
	if from < 0 {
		from = 1
	}
	return from, 1
}
