package network

import (
	"context"
	"math"
	"runtime"
	"slices"
	"sort"

	"github.com/qats-bench/qats/internal/pool"
)

const (
	hCalReach    = 100 // events on each side of a window
	hCalWidth    = 2*hCalReach + 1
	hCalFree     = 1e-20 // mean error up to which a window costs nothing
	hCalClusters = 15
	hCalLloyd    = 25   // iterations of the clustering
	hCalWeight   = 1e5  // of the objective
	hCalTiny     = 1e-5 // is added to the number of events of a cluster, which may be 0
	hCalGroups   = 8    // most parts of the classes, which are summed one by one
	hCalMostLeft = 200  // classes up to which one is left out at a time
)

// boundedObjective is the loss of n rows of k probabilities. An event is a pair of row i and
// class j, with the probability p and the outcome o = 1[y_i = j]. Events are sorted by
// probability, and in a window of 201 of them the error is the mean
//
//	t = mean of p (1 - o) - (1 - p) o = mean of p - mean of o.
//
// Events beyond the ends count as 0. The loss is 1e5 times the mean over 15 clusters of
// the probabilities of the mean of max(|t| - 1e-20, 0) over the events of the cluster.
// For up to 200 classes it is the mean over the classes of this loss without the rows
// of the class, so that each row weighs by its other classes; for more, that of all
// rows.
type boundedObjective struct {
	k        int
	labels   []int32     // n
	column   []int32     // n, where the probability of the label stands in its row
	absent   int         // classes without rows
	present  []int32     // the other classes
	all      bool        // no class is left out
	totals   [][]float64 // of each part of the classes, n k
	partials [hCalGroups]float64

	order  []boundedEvent  // n k, by rising probability
	p      []float64       // n k, the probabilities
	masses []float64       // n k + 1, their sums
	error  []float64       // n k, p - o
	label  []int32         // n k, labels of their rows
	own    []boundedEvents // k: the events of the rows with each label
}

// boundedEvents are some of the events, by rising probability.
type boundedEvents struct {
	at     []int32   // their places in the order
	masses []float64 // sums of their probabilities, one more
}

// boundedEvent is a probability with its place in the table.
type boundedEvent struct {
	p  float64
	at int32
}

// newBoundedObjective returns the objective of rows with the given labels. column says at which
// of the k places of a row the probability of its label stands.
func newBoundedObjective(k int, labels, column []int32) *boundedObjective {
	n := len(labels) * k
	o := &boundedObjective{
		k: k, labels: labels, column: column, all: k > hCalMostLeft, own: make([]boundedEvents, k),
		order: make([]boundedEvent, n), p: make([]float64, n), masses: make([]float64, n+1), error: make([]float64, n), label: make([]int32, n),
	}
	for at := range o.order {
		o.order[at].at = int32(at)
	}
	counts := make([]int, k)
	for _, y := range labels {
		counts[y]++
	}
	for y, count := range counts {
		o.own[y] = boundedEvents{make([]int32, 0, count*k), make([]float64, 1, count*k+1)}
		if count == 0 {
			o.absent++
		} else {
			o.present = append(o.present, int32(y))
		}
	}
	parts := min(hCalGroups, len(o.present))
	if o.all {
		parts = 1
	}
	o.totals = make([][]float64, max(1, parts))
	for g := range o.totals {
		o.totals[g] = make([]float64, n)
	}
	return o
}

// At returns the loss of the n x k probabilities p and writes its derivatives. The
// clusters are constant in them.
func (o *boundedObjective) At(ctx context.Context, p, slopes []float64) (float64, error) {
	for i := range o.order {
		o.order[i].p = p[o.order[i].at]
	}
	slices.SortFunc(o.order, func(a, b boundedEvent) int {
		switch {
		case a.p < b.p:
			return -1
		case a.p > b.p:
			return 1
		}
		return int(a.at - b.at)
	})
	for y := range o.own {
		o.own[y].at, o.own[y].masses = o.own[y].at[:0], o.own[y].masses[:1]
	}
	for i, e := range o.order {
		row := int(e.at) / o.k
		y := o.labels[row]
		o.label[i], o.p[i], o.error[i], o.masses[i+1] = y, e.p, e.p, o.masses[i]+e.p
		if int(o.column[row]) == int(e.at)%o.k {
			o.error[i]--
		}
		own := &o.own[y]
		own.at = append(own.at, int32(i))
		own.masses = append(own.masses, own.masses[len(own.masses)-1]+e.p)
	}
	err := pool.Each(ctx, len(o.totals), runtime.GOMAXPROCS(0), func(_, g int) error {
		o.partials[g] = 0
		clear(o.totals[g])
		if share := float64(o.absent) / float64(o.k); g == 0 && (o.all || share > 0) {
			if o.all {
				share = 1
			}
			o.partials[g] += o.add(-1, share, o.totals[g])
		}
		for c := g; c < len(o.present) && !o.all; c += len(o.totals) {
			o.partials[g] += o.add(o.present[c], 1/float64(o.k), o.totals[g])
		}
		return nil
	})
	if err != nil {
		return 0, err
	}
	value := 0.0
	for _, v := range o.partials {
		value += v
	}
	for i, e := range o.order {
		sum := 0.0
		for g := range o.totals {
			sum += o.totals[g][i]
		}
		slopes[e.at] = hCalWeight * sum
	}
	return hCalWeight * value, nil
}

// hCalRing is the length of the buffers of add, a power of 2 above 2 reach.
const hCalRing = 256

// add returns share times the loss without the rows of class left, and adds its
// derivatives to totals, which has the order of the events. It reads the events once: an
// event is in its window 100 events later, and has its derivative another 100 later.
func (o *boundedObjective) add(left int32, share float64, totals []float64) float64 {
	var at [hCalRing]int32
	var sums, back [hCalRing]float64 // of the first events: of errors, and of derivatives in the window means
	value, within, cluster := 0.0, 0.0, 0
	ends, counts := o.clusters(left)
	weigh := func(b int) float64 { return share / (hCalClusters * (float64(counts[b]) + hCalTiny)) }
	c := weigh(0)
	window := func(i int, right float64) { // event i, whose window ends where sums are right
		for int(at[i&(hCalRing-1)]) >= ends[cluster] {
			value += float64(c * within)
			within, cluster = 0, cluster+1
			c = weigh(cluster)
		}
		t, d := (right-sums[max(i-hCalReach, 0)&(hCalRing-1)])/hCalWidth, 0.0
		if over := math.Abs(t) - hCalFree; over > 0 {
			within += over
			d = math.Copysign(c/hCalWidth, t)
		}
		back[(i+1)&(hCalRing-1)] = back[i&(hCalRing-1)] + d
		if i >= hCalReach {
			totals[at[(i-hCalReach)&(hCalRing-1)]] += back[(i+1)&(hCalRing-1)] - back[max(i-2*hCalReach, 0)&(hCalRing-1)]
		}
	}
	m := 0
	for i, y := range o.label {
		if y == left {
			continue
		}
		at[m&(hCalRing-1)] = int32(i)
		sums[(m+1)&(hCalRing-1)] = sums[m&(hCalRing-1)] + o.error[i]
		if m++; m > hCalReach {
			window(m-1-hCalReach, sums[m&(hCalRing-1)])
		}
	}
	for i := max(0, m-hCalReach); i < m; i++ {
		window(i, sums[m&(hCalRing-1)])
	}
	for i := max(0, m-hCalReach); i < m; i++ {
		totals[at[i&(hCalRing-1)]] += back[m&(hCalRing-1)] - back[max(i-hCalReach, 0)&(hCalRing-1)]
	}
	return value + float64(c*within)
}

// clusters returns the ends of the 15 clusters of the probabilities without the rows of
// class left, as places in the order, and the numbers of their events. It takes 25
// iterations of Lloyd's method from the quantiles (2 b + 1)/30. An event belongs to the
// nearest centre, the lower one halfway between two. A cluster without events keeps its
// centre.
func (o *boundedObjective) clusters(left int32) (ends, counts [hCalClusters]int) {
	none := boundedEvents{masses: []float64{0}}
	own := &none
	if left >= 0 {
		own = &o.own[left]
	}
	n := len(o.p)
	m := n - len(own.at)
	if m == 0 {
		return ends, counts
	}
	var centre [hCalClusters]float64
	for b := range centre {
		rank := (2*b + 1) * m / (2 * hCalClusters)
		before := sort.Search(len(own.at), func(c int) bool { return int(own.at[c])-c > rank })
		centre[b] = o.p[rank+before]
	}
	for range hCalLloyd {
		last, from, skipped := ends, 0, 0
		for b := range ends {
			ends[b] = n
			if b+1 < hCalClusters {
				ends[b] = from + upTo(o.p[from:], (centre[b]+centre[b+1])/2)
			}
			through := skipped + upTo(own.at[skipped:], int32(ends[b]-1))
			if counts[b] = ends[b] - from - (through - skipped); counts[b] > 0 {
				centre[b] = ((o.masses[ends[b]] - o.masses[from]) - (own.masses[through] - own.masses[skipped])) / float64(counts[b])
			}
			from, skipped = ends[b], through
		}
		if ends == last {
			break
		}
	}
	return ends, counts
}

// upTo returns how many of the sorted numbers are at most x.
func upTo[T int32 | float64](v []T, x T) int {
	return sort.Search(len(v), func(i int) bool { return v[i] > x })
}
