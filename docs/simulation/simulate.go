package main

import (
	"cmp"
	"container/heap"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/qats-bench/qats/calib"
	"github.com/qats-bench/qats/calib/all"
	"github.com/qats-bench/qats/experiments"
)

// The run: the corrupted test sets of networks of ImageNet's size, under every method.
const (
	settings = 10_000
	methods  = 57
	rows     = 25_000 // of each set
	classes  = 1_000
)

// A put of the store makes a file and renames it; a lookup opens one. Bytes are means of the
// store of a run of the networks of data/bundle.
const (
	putOps      = 2
	lookupOps   = 1
	missLookups = 4 // of a cell that is not done: scores, pairs, fit, facts
	factsBytes  = 41 * rows
	scoresBytes = 3_700
	pairsBytes  = 2_000
	fitBytes    = 74_000
	timesBytes  = 500
)

// restart is what Slurm waits before a requeued task starts again, in seconds, and repair the
// time that a failed node is away.
const (
	restart = 120.
	repair  = 600.
)

// cluster is what the run is simulated on.
type cluster struct {
	nodes  int
	shards int
	mtbf   float64 // mean time between the failures of a node, in seconds; 0 for none
	store  store
	whole  bool // each task looks up the cells of the whole plan, not of its part alone
}

// store is a shared store: a service that answers requests one after the other, at so many a
// second, each after a delay.
type store struct {
	name  string
	rate  float64 // operations a second
	delay float64 // of one, in seconds
	put   float64 // operations of a put
}

// folders is a folder for each kind of object on a file system with one metadata server, and
// objects an object store that divides the keys among 16 prefixes.
var (
	folders = store{"folder of files", 10_000, 0.001, putOps}
	objects = store{"object storage", 16 * 3_500, 0.03, 1}
)

// result is what a simulated run took.
type result struct {
	hours    float64 // until the last task has ended
	work     float64 // node hours of the plan, each fit once
	repeated float64 // node hours of fits that several shards make
	lost     float64 // node hours of work that failures ended before it was stored
	waited   float64 // node hours of waiting for the store
	failures int     // that hit a node with a task
	objects  int     // in the store
	bytes    float64
	busy     float64 // share of the time in which the store was at work
}

// piece is work whose result is stored at its end: a fit, or all cells of a setting.
type piece struct {
	seconds float64
	puts    int
}

// part is a shard with what it has done.
type part struct {
	pieces []piece
	cells  int
	next   int // piece
}

// plan returns the work of the run on so many networks, each with one calibration set and an
// equal share of the test sets, and the settings of each network.
func plan(networks int) (work []experiments.Work, groups [][]int) {
	own := 0.0
	fits := make([]map[string]float64, networks)
	for i, e := range registered() {
		own += experiments.CellTime(rows, classes, i > 0)
		for n := range fits {
			if fits[n] == nil {
				fits[n] = map[string]float64{}
			}
			fits[n][fmt.Sprintf("%s of network %d", e.Name, n)] = float64(experiments.FitTime(e, rows, classes))
		}
	}
	for n := range networks {
		var group []int
		for range settings / networks {
			group = append(group, len(work))
			work = append(work, experiments.Work{Own: own, Fits: fits[n]})
		}
		groups = append(groups, group)
	}
	return work, groups
}

// registered returns the first methods of the registry.
func registered() []calib.Entry { return all.Registry()[:methods] }

// parts returns the shards of the run.
func parts(work []experiments.Work, d *experiments.Deal) []*part {
	var list []*part
	for _, units := range d.Units {
		p, made := &part{}, map[string]bool{}
		for _, i := range units {
			var keys []string
			for key := range work[i].Fits {
				if !made[key] {
					made[key] = true
					keys = append(keys, key)
				}
			}
			slices.Sort(keys)
			for _, key := range keys {
				p.pieces = append(p.pieces, piece{work[i].Fits[key] / 1e9, 2})
			}
			p.pieces = append(p.pieces, piece{work[i].Own / 1e9, 3 * methods})
			p.cells += methods
		}
		list = append(list, p)
	}
	return list
}

// event is what a node with a task does at a time: it asks the store, or it goes on with what the
// store has answered.
type event struct {
	at    float64
	node  int
	part  *part
	since float64 // the piece of work began
	asks  float64 // operations of the store; 0 to begin the next piece
	fails bool    // the node fails instead
}

// queue is a heap of events by time, and by node at equal times.
type queue []event

func (q queue) Len() int { return len(q) }
func (q queue) Less(i, j int) bool {
	if q[i].at != q[j].at {
		return q[i].at < q[j].at
	}
	return q[i].node < q[j].node
}
func (q queue) Swap(i, j int) { q[i], q[j] = q[j], q[i] }
func (q *queue) Push(x any)   { *q = append(*q, x.(event)) }
func (q *queue) Pop() any {
	old := *q
	x := old[len(old)-1]
	*q = old[:len(old)-1]
	return x
}

// waiting is a shard without a node, and when it may start.
type waiting struct {
	part *part
	from float64
}

// simulate runs the plan on a cluster. The same seed gives the same result.
func simulate(work []experiments.Work, groups [][]int, c cluster, seed uint64) result {
	d := experiments.DealWork(work, groups, c.shards)
	var r result
	once := map[string]bool{}
	for i := range work {
		r.work += work[i].Own / 3.6e12
		for _, key := range slices.Sorted(maps.Keys(work[i].Fits)) {
			if !once[key] {
				once[key] = true
				r.work += work[i].Fits[key] / 3.6e12
			}
		}
	}
	for _, load := range d.Load {
		r.repeated += load / 3.6e12
	}
	r.repeated -= r.work
	r.objects = 2*len(once) + 3*len(work)*methods
	r.bytes = float64(len(once))*(fitBytes+timesBytes) + float64(len(work)*methods)*(factsBytes+scoresBytes+pairsBytes)

	var todo []waiting // sorted by their times
	for _, p := range parts(work, d) {
		todo = append(todo, waiting{p, 0})
	}
	left := len(todo)
	rng := rand.New(rand.NewPCG(seed, uint64(c.nodes)))
	fails := make([]float64, c.nodes) // when each node fails next
	draw := func(node int, after float64) {
		fails[node] = math.Inf(1)
		if c.mtbf > 0 {
			fails[node] = after + c.mtbf*rng.ExpFloat64()
		}
	}
	var q queue
	push := func(e event) {
		if fails[e.node] < e.at {
			e.at, e.fails = fails[e.node], true
		}
		heap.Push(&q, e)
	}
	var idle []int
	give := func(node int, now float64) { // the next shard, from now on or when it may start
		if len(todo) == 0 {
			idle = append(idle, node)
			return
		}
		next := todo[0]
		todo = todo[1:]
		at := max(now, next.from)
		for fails[node] <= at { // it fails and comes back before
			back := fails[node] + repair
			at = max(at, back)
			draw(node, back)
		}
		cells := next.part.cells
		if c.whole {
			cells = len(work) * methods
		}
		push(event{at: at, node: node, part: next.part, since: at, asks: float64(missLookups * lookupOps * cells)})
	}
	for n := range c.nodes {
		draw(n, 0)
	}
	for n := range c.nodes {
		give(n, 0)
	}
	free, used, end := 0.0, 0.0, 0.0 // when the store has answered all, how long it was at work, the end of the run
	for left > 0 {
		e := heap.Pop(&q).(event)
		if e.fails { // what it was at work on is not stored
			r.failures++
			r.lost += (e.at - e.since) / 3600
			todo = append(todo, waiting{e.part, e.at + restart})
			slices.SortStableFunc(todo, func(a, b waiting) int { return cmp.Compare(a.from, b.from) })
			draw(e.node, e.at+repair)
			node, from := e.node, e.at+repair
			if len(idle) > 0 {
				node, from = idle[0], e.at
				idle = append(idle[1:], e.node)
			}
			give(node, from)
			continue
		}
		if e.asks > 0 {
			free = max(free, e.at) + e.asks/c.store.rate
			used += e.asks / c.store.rate
			then := free + c.store.delay
			r.waited += (then - e.at) / 3600
			if e.since < e.at { // the end of a piece
				e.part.next++
			}
			e.at, e.since, e.asks = then, then, 0
			push(e)
			continue
		}
		if e.part.next == len(e.part.pieces) {
			end = e.at
			left--
			give(e.node, e.at)
			continue
		}
		p := e.part.pieces[e.part.next]
		e.since = e.at
		e.at += p.seconds
		e.asks = float64(p.puts) * c.store.put
		push(e)
	}
	r.hours = end / 3600
	r.busy = used / end
	return r
}

// scaled returns the work in which everything takes factor times the time.
func scaled(work []experiments.Work, groups [][]int, factor float64) []experiments.Work {
	list := make([]experiments.Work, len(work))
	for _, units := range groups {
		fits := map[string]float64{} // the settings of a network share them
		for key, t := range work[units[0]].Fits {
			fits[key] = factor * t
		}
		for _, i := range units {
			list[i] = experiments.Work{Own: factor * work[i].Own, Fits: fits}
		}
	}
	return list
}
