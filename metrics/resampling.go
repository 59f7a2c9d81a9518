package metrics

import (
	"context"
	"encoding/binary"
	"math"
	"math/bits"
	"slices"

	"github.com/qats-bench/qats/internal/splitmix"
	"github.com/qats-bench/qats/metrics/scoring"
	"gonum.org/v1/gonum/stat/distuv"
)

// resampler computes the values of some metrics of one method on resamples given as the
// number of times that each row was drawn. ECE-15 and AECE-15 have a weighing, which is
// fast. Any other metric is computed anew on the drawn rows. A resampler belongs to one
// goroutine.
type resampler struct {
	samples *Samples
	columns []column
	weigh   *weighing // nil if no column needs it
	drawn   *Samples  // scratch: the drawn rows
	first   []int32   // scratch: the first copy of each row in them
	anew    bool      // some column is computed anew
}

// column is the way in which the values of one metric are computed.
type column struct {
	entry Entry
	first int   // place of its first output among those of all columns
	err   error // why the metric is undefined for the samples; then all values are NaN

	weighed bool // a weighing computes it
}

// anewResamples is the largest number of resamples of a metric that is computed anew in
// each of them, which takes milliseconds (smECE, 10,000 rows).
const anewResamples = 200

func newResampler(s *Samples, entries []Entry, seed uint64) *resampler {
	r := &resampler{samples: s}
	outputs := 0
	for _, e := range entries {
		c := column{entry: e, first: outputs}
		outputs += len(e.Outputs)
		switch {
		case e.weighed() && s.groups() == nil:
			c.weighed = true
			if r.weigh == nil {
				r.weigh = newWeighing(s)
			}
		default:
			_, c.err = e.Compute(s, seed)
			r.anew = r.anew || c.err == nil
		}
		r.columns = append(r.columns, c)
	}
	if r.anew {
		r.drawn, r.first = &Samples{scores: &scoring.SampleScores{}}, make([]int32, s.Len())
	}
	return r
}

// weighed reports whether a weighing computes the metric.
func (e Entry) weighed() bool { return e.binned != nil }

// resamples returns the number of resamples of a metric, of those asked for.
func (c *column) resamples(asked int) int {
	if c.anew() {
		return min(asked, anewResamples)
	}
	return asked
}

// anew reports whether the metric is computed anew in each resample.
func (c *column) anew() bool { return c.err == nil && !c.weighed }

// resample returns, by method and then by output of the metrics, the values of the
// whole sample, every row once, and then of the resamples. A value is NaN where a
// resample leaves a metric undefined.
func resample(ctx context.Context, methods []*resampler, opts PairOptions) ([][][]float64, error) {
	values := make([][][]float64, len(methods))
	for m, r := range methods {
		for _, c := range r.columns {
			for range c.entry.Outputs {
				n := c.resamples(opts.Resamples) + 1
				if c.err != nil {
					values[m] = append(values[m], slices.Repeat([]float64{math.NaN()}, n))
				} else {
					values[m] = append(values[m], make([]float64, 0, n))
				}
			}
		}
	}
	if len(methods[0].columns) == 0 {
		return values, nil
	}
	n := methods[0].samples.Len()
	drawn := make([]times, n)
	var counts [lanes][]uint8 // of the rows in each lane
	for lane := range counts {
		counts[lane] = make([]uint8, n)
	}
	group := methods[0].samples.groups()
	var ofGroups []uint8 // how often each group is drawn
	var place []int      // of a group among those that have rows
	if group != nil {
		for _, rows := range rowsOf(group) {
			place = append(place, len(ofGroups))
			if rows > 0 {
				ofGroups = append(ofGroups, 0)
			}
		}
	}
	for first := 0; first <= opts.Resamples; first += lanes {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		used := min(lanes, opts.Resamples+1-first)
		for lane, count := range counts {
			if first+lane == 0 {
				for i := range count {
					count[i] = 1
				}
				continue
			}
			clear(count)
			if group != nil {
				clear(ofGroups)
				draw(ofGroups, stream(opts.Seed, forBootstrap, first+lane-1))
				for i, g := range group {
					count[i] = ofGroups[place[g]]
				}
				continue
			}
			draw(count, stream(opts.Seed, forBootstrap, first+lane-1)) // in lanes that are not used too: a weighing looks at all
		}
		abreast(drawn, &counts)
		for m, r := range methods {
			r.append(values[m], drawn, first, used, opts)
		}
	}
	return values, nil
}

// append appends to dst the values of the resamples first to first+used-1.
func (r *resampler) append(dst [][]float64, drawn []times, first, used int, opts PairOptions) {
	if r.weigh != nil {
		r.weigh.weigh(drawn)
	}
	for _, c := range r.columns {
		if !c.weighed {
			continue
		}
		v := c.entry.binned.resampled(r.weigh, drawn)
		dst[c.first] = append(dst[c.first], v[:used]...)
	}
	if !r.anew {
		return
	}
	for lane := range used {
		if first+lane > min(opts.Resamples, anewResamples) {
			return
		}
		s := r.samples
		if first+lane > 0 {
			s = r.expand(drawn, lane)
		}
		for _, c := range r.columns {
			if !c.anew() {
				continue
			}
			v, err := c.entry.Compute(s, opts.Seed)
			if err != nil {
				v = slices.Repeat([]float64{math.NaN()}, len(c.entry.Outputs))
			}
			for i, x := range v {
				dst[c.first+i] = append(dst[c.first+i], x)
			}
		}
	}
}

// expand returns the samples with each row as often as it was drawn in a lane. They
// stay valid until the next call.
func (r *resampler) expand(drawn []times, lane int) *Samples {
	s, d := r.samples, r.drawn
	from, to, n := s.scores, d.scores, int32(0)
	d.origin, d.sorted, d.classes = d.origin[:0], d.sorted[:0], s.classes
	for i := range drawn {
		r.first[i] = n
		for range drawn[i][lane] {
			d.origin = append(d.origin, int32(i))
			n++
		}
	}
	to.TopLabel, to.K, d.turned = from.TopLabel, from.K, s.turned
	to.Conf, to.Rest = gather(to.Conf, from.Conf, d.origin), gather(to.Rest, from.Rest, d.origin)
	to.Pred, to.Label = gather(to.Pred, from.Pred, d.origin), gather(to.Label, from.Label, d.origin)
	to.NLL, to.Brier, to.Changed = gather(to.NLL, from.NLL, d.origin), gather(to.Brier, from.Brier, d.origin), gather(to.Changed, from.Changed, d.origin)
	to.Unit = from.Unit
	to.Group = gather(to.Group, from.Group, d.origin)
	for _, x := range s.sorted {
		for t := range int32(drawn[x.row][lane]) {
			d.sorted = append(d.sorted, sample{x.conf, r.first[x.row] + t, x.correct})
		}
	}
	return d
}

// gather returns the rows of a column in order, in the memory of dst; a column that is
// absent stays absent.
func gather[T any](dst, column []T, rows []int32) []T {
	if len(column) == 0 {
		return nil
	}
	dst = dst[:0]
	for _, i := range rows {
		dst = append(dst, column[i])
	}
	return dst
}

// outputs returns the names of the outputs of all entries.
func outputs(entries []Entry) []string {
	var names []string
	for _, e := range entries {
		names = append(names, e.Names()...)
	}
	return names
}

// draw adds to count how often each row is drawn in a resample. Up to
// 2^20 rows a word of the stream makes two draws, and the probabilities of rows
// are equal within a factor of 1 + n/2^32. With more rows a word makes one draw,
// within 1 + n/2^64. Draws are at random places, so a lane has counts of its own, which
// stay in the cache up to some 400,000 rows; abreast puts the lanes together.
func draw(count []uint8, start uint64) {
	n, at := uint64(len(count)), start
	if n > 1<<20 {
		for range count {
			i, _ := bits.Mul64(splitmix.Mix(at), n)
			count[i]++
			at += splitmix.Golden
		}
		return
	}
	for range n / 2 {
		word := splitmix.Mix(at)
		count[(word>>32)*n>>32]++
		count[(word&(1<<32-1))*n>>32]++
		at += splitmix.Golden
	}
	if n%2 == 1 {
		count[(splitmix.Mix(at)>>32)*n>>32]++
	}
}

// abreast sets drawn[i][lane] to counts[lane][i]. It transposes squares of eight rows and
// eight lanes, by swapping their halves, their quarters and their eighths. The words are single
// variables, so that they stay in registers.
func abreast(drawn []times, counts *[lanes][]uint8) {
	i := 0
	for ; i+lanes <= len(drawn); i += lanes {
		word := func(lane int) uint64 { return binary.LittleEndian.Uint64(counts[lane][i:]) }
		a, b, c, d, e, f, g, h := word(0), word(1), word(2), word(3), word(4), word(5), word(6), word(7)
		const halves, quarters, eighths = 1<<32 - 1, 0x0000ffff0000ffff, 0x00ff00ff00ff00ff
		a, e = swap(a, e, 32, halves)
		b, f = swap(b, f, 32, halves)
		c, g = swap(c, g, 32, halves)
		d, h = swap(d, h, 32, halves)
		a, c = swap(a, c, 16, quarters)
		b, d = swap(b, d, 16, quarters)
		e, g = swap(e, g, 16, quarters)
		f, h = swap(f, h, 16, quarters)
		a, b = swap(a, b, 8, eighths)
		c, d = swap(c, d, 8, eighths)
		e, f = swap(e, f, 8, eighths)
		g, h = swap(g, h, 8, eighths)
		put := func(row int, word uint64) { binary.LittleEndian.PutUint64(drawn[i+row][:], word) }
		put(0, a)
		put(1, b)
		put(2, c)
		put(3, d)
		put(4, e)
		put(5, f)
		put(6, g)
		put(7, h)
	}
	for ; i < len(drawn); i++ {
		for lane := range lanes {
			drawn[i][lane] = counts[lane][i]
		}
	}
}

// swap returns two words of which the upper fields of the first and the lower fields of the
// second have changed places; low has the bits of the lower fields.
func swap(a, b uint64, shift int, low uint64) (uint64, uint64) {
	t := (a>>shift ^ b) & low
	return a ^ t<<shift, b ^ t
}

// interval returns the interval Standard, Percentile or BC. It may sort resampled. The
// error is errResample if a value is not a number. It is errShifted, beside an interval
// Percentile or BC, if that interval is not to be trusted.
func interval(resampled []float64, observed float64, opts PairOptions) (lo, hi float64, err error) {
	if slices.ContainsFunc(resampled, math.IsNaN) || math.IsNaN(observed) {
		return math.NaN(), math.NaN(), errResample
	}
	if opts.Interval == Standard {
		deviation, _ := moments(resampled)
		half := float64(distuv.UnitNormal.Quantile((1+opts.Level)/2) * deviation)
		return observed - half, observed + half, nil
	}
	slices.Sort(resampled)
	if shifted(resampled, observed, opts.Level) {
		err = errShifted
	}
	if opts.Interval == Percentile {
		return quantile(resampled, (1-opts.Level)/2), quantile(resampled, (1+opts.Level)/2), err
	}
	lo, hi = biasCorrected(resampled, observed, opts.Level)
	return lo, hi, err
}

// biasCorrected returns the interval BC of sorted differences.
func biasCorrected(resampled []float64, observed, level float64) (lo, hi float64) {
	r := float64(len(resampled))
	share := min(max(shareBelow(resampled, observed), .5/r), 1-.5/r)
	normal := distuv.UnitNormal
	z0, z := normal.Quantile(share), normal.Quantile((1-level)/2)
	return quantile(resampled, normal.CDF(2*z0+z)), quantile(resampled, normal.CDF(2*z0-z))
}

// shareBelow returns the share of sorted values below v; equal ones count half.
func shareBelow(sorted []float64, v float64) float64 {
	first, _ := slices.BinarySearch(sorted, v)
	after := first
	for after < len(sorted) && sorted[after] == v {
		after++
	}
	return float64(first+after) / float64(2*len(sorted))
}

// shifted reports whether sorted resampled values lie so much on one side of the
// observed one that the percentile interval does not contain it. Then the bias of
// resampling exceeds the spread, and its correction has no resamples to read the
// ends from.
func shifted(resampled []float64, observed, level float64) bool {
	share := shareBelow(resampled, observed)
	return min(share, 1-share) < (1-level)/2
}

// Random draws are hashes of a seed and a position. Changing the streams below
// changes consistency bands and bootstrap intervals, so everything that uses them
// needs a new version.

// The uses of randomness: they get different numbers from one seed.
const (
	forBand      = 1
	forBootstrap = 2
	forFolds     = 3
)

// stream returns the start of the stream of draw r. Word i of the stream is
// splitmix.Mix(start + i Golden), so that no draw depends on another.
func stream(seed, use uint64, r int) uint64 {
	return splitmix.Mix(splitmix.Mix(splitmix.Mix(seed)+use) + uint64(r))
}
