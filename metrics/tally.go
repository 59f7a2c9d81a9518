package metrics

import (
	"math"
	"slices"
	"sync"

	"github.com/qats-bench/qats/data"
)

// Tally is what scoring keeps of a set too large for Facts: 8 bytes a row and
// two exact sums, which give accuracy, ECE, AECE, NLL and Brier score with the
// bits of Facts. AECE needs the confidences in order, and the ties around each
// boundary: hence the 8 bytes, in which they are sorted without a copy.
//
// Blocks of rows may be added by several goroutines, in any order; the result
// does not depend on it, since sums are exact. A Tally is read once, by Scores.
type Tally struct {
	// keys holds 2 bits(conf) + hit for every row: the order of these whole
	// numbers is that of the confidences, which are 0 or more. They are stored
	// as the doubles of the same bits, so that they can become the confidences
	// in place; conf <= 1, so none of them is an infinity or NaN.
	keys []float64

	mu         sync.Mutex
	nll, brier exactSum
	spare      []*Facts // memory of blocks scored before
}

// NewTally returns the tally of n rows, one or more.
func NewTally(n int) *Tally { return &Tally{keys: make([]float64, n)} }

// Append scores a block whose first row is row lo as Facts.Append does, with
// its errors.
func (t *Tally) Append(lo int, probs data.Probs, set *data.Set) error {
	return t.add(lo, func(f *Facts) error { return f.append(probs, set, lo) })
}

// AppendScaled scores a block whose first row is row lo, of logits divided by
// one temperature a row, as AppendScaled does.
func (t *Tally) AppendScaled(lo int, set *data.Set, scales []float64) error {
	return t.add(lo, func(f *Facts) error { return AppendScaled([]*Facts{f}, set, scales) })
}

// AppendTopLabel scores a block of pairs whose first row is row lo as
// Facts.AppendTopLabel does. Such rows have neither NLL nor Brier score.
func (t *Tally) AppendTopLabel(lo int, class []int32, conf []float64, labels []int32) error {
	return t.add(lo, func(f *Facts) error { return f.AppendTopLabel(class, conf, labels, lo) })
}

func (t *Tally) add(lo int, score func(*Facts) error) error {
	f := t.take()
	defer t.give(f)
	if err := score(f); err != nil {
		return err
	}
	var nll, brier exactSum
	for i, conf := range f.Conf {
		key := math.Float64bits(conf) << 1
		if f.Hit(i) {
			key |= 1
		}
		t.keys[lo+i] = math.Float64frombits(key)
		if !f.TopLabel {
			nll.add(f.NLL[i])
			brier.add(f.Brier[i])
		}
	}
	t.mu.Lock()
	t.nll.join(nll)
	t.brier.join(brier)
	t.mu.Unlock()
	return nil
}

// take returns empty facts.
func (t *Tally) take() *Facts {
	t.mu.Lock()
	defer t.mu.Unlock()
	last := len(t.spare) - 1
	if last < 0 {
		return &Facts{}
	}
	f := t.spare[last]
	t.spare = t.spare[:last]
	return f
}

func (t *Tally) give(f *Facts) {
	f.truncate(0)
	t.mu.Lock()
	t.spare = append(t.spare, f)
	t.mu.Unlock()
}

// Scores are the metrics of a Tally; see the registry for their definitions.
type Scores struct {
	N                               int
	Accuracy, ECE, AECE, NLL, Brier float64
}

// Scores returns the metrics when every row has been added. It uses the
// tally up.
func (t *Tally) Scores() Scores {
	sortKeys(t.keys)
	o := &order{conf: t.keys, hit: make([]bool, len(t.keys))}
	hits := 0
	for i, v := range t.keys {
		key := math.Float64bits(v)
		o.conf[i] = math.Float64frombits(key >> 1)
		if o.hit[i] = key&1 != 0; o.hit[i] {
			hits++
		}
	}
	t.keys = nil
	n := float64(len(o.conf))
	return Scores{
		N:        len(o.conf),
		Accuracy: float64(hits) / n,
		ECE:      ECE(widthLayout(o, 15).fill(o)),
		AECE:     AECE(massLayout(o, 15).fill(o)),
		NLL:      t.nll.value() / n,
		Brier:    t.brier.value() / n,
	}
}

// sortKeys sorts positive doubles in place: by the leading bits in which they
// differ, each into its place at once (the American flag sort of McIlroy,
// Bostic and McIlroy 1993), and then within each part again.
func sortKeys(v []float64) {
	const parts, small = 1 << 10, 1 << 9
	if len(v) < small {
		slices.Sort(v)
		return
	}
	least, most := v[0], v[0]
	for _, x := range v {
		least, most = min(least, x), max(most, x)
	}
	base := math.Float64bits(least)
	span, shift := math.Float64bits(most)-base, 0
	for span>>shift >= parts {
		shift++
	}
	if span == 0 {
		return
	}
	place := func(x float64) uint64 { return (math.Float64bits(x) - base) >> shift % parts }
	var next, end [parts]int
	for _, x := range v {
		end[place(x)]++
	}
	at := 0
	for p := range end {
		next[p] = at
		at += end[p]
		end[p] = at
	}
	for p := range end {
		for next[p] < end[p] {
			x := v[next[p]]
			for q := place(x); q != uint64(p); q = place(x) {
				v[next[q]], x = x, v[next[q]]
				next[q]++
			}
			v[next[p]] = x
			next[p]++
		}
	}
	if shift == 0 {
		return
	}
	lo := 0
	for _, hi := range end {
		sortKeys(v[lo:hi])
		lo = hi
	}
}
