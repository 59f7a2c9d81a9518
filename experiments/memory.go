package experiments

import (
	"context"
	"fmt"
	"runtime"
	"slices"

	"github.com/qats-bench/qats/data"
	"github.com/qats-bench/qats/experiments/engine"
	"github.com/qats-bench/qats/internal/pool"
	"github.com/qats-bench/qats/metrics"
	"github.com/qats-bench/qats/metrics/scoring"
)

// memory is what the work on a unit takes, in bytes.
type memory struct {
	of     []int // the cells that are missing
	rows   int   // of the test set
	arrays int64 // the calibration set and the target, and what fits make of them
	cell   int64 // the scores of the rows under one cell
	apply  int64 // besides, while the test set is read and scores are stored
	score  int64 // besides, while a cell is scored
	method int64 // besides, for each method of paired intervals
	drawn  int64 // besides, for all methods of paired intervals
}

// spare is memory beyond the limit that small sets may take, such as that of their blocks.
const spare = 16 << 20

// memory returns the memory of the unit, of which some cells are missing. It reads headers
// alone. A set that cannot be opened counts as empty: the cells that read it report the
// error.
func (u *Unit) memory(ctx context.Context, missing []int, limit int64) memory {
	rows, classes, _ := u.test.Shape(ctx, u.Setting.Test())
	n := int64(rows)
	m := memory{of: missing, rows: rows, arrays: u.arrayBytes(ctx, missing, limit), cell: n * scoring.RowBytes, score: n * metrics.ScoreBytes}
	m.apply = 3*engine.BlockBytes + m.cell // the scores of a cell as bytes
	if u.classes() {
		m.cell += scoring.ClassBytes(rows, classes)
	}
	if u.vectors() { // one cell at a time
		m.cell += scoring.VectorBytes(rows, 0)
		m.apply = max(m.apply, scoring.VectorBytes(rows, classes))
	}
	m.score = max(m.score, m.cell) // its bytes in the store
	method, drawn := metrics.PairBytes(append(metrics.Paired(), u.Spec.Intervals...))
	m.method, m.drawn = n*int64(method), n*int64(drawn)
	uncal := m.cell + n*metrics.ScoreBytes
	if comparesUncal(u.Spec.Metrics) {
		m.score += uncal
	}
	if comparesUncal(u.Spec.Intervals) {
		m.drawn += uncal
	}
	return m
}

// fitBytes is the memory of a fit that streams, for each calibration row: ranks and their
// order. Another fit takes up to three times the calibration set, because isotonic regression
// holds every pair of probability and label in float64.
const fitBytes = 24

// arrayBytes returns the memory of the calibration set and the target of some cells, and of
// the fits on them.
func (u *Unit) arrayBytes(ctx context.Context, cells []int, limit int64) int64 {
	cal, target := u.parts(cells)
	streams := !slices.ContainsFunc(cells, func(i int) bool {
		c := u.Cells[i].Method.Contract()
		return c.Cal != 0 && !c.Streams
	})
	bytes, rows := bytesOf(ctx, u.source, u.Setting.Cal(), cal)
	switch {
	case !streams:
		bytes *= 4
	case bytes > limit: // it is read again in every pass
		bytes = fitBytes * rows
	default:
		bytes += fitBytes * rows
	}
	of, _ := bytesOf(ctx, u.test, u.Setting.Test(), target)
	return bytes + 2*of
}

// bytesOf returns the bytes and the rows of some parts of a set: 0 for a set that cannot be
// opened, since the cell that reads it reports the error.
func bytesOf(ctx context.Context, src data.Source, ref data.Ref, parts data.Parts) (bytes, rows int64) {
	if parts == 0 {
		return 0, 0
	}
	r, err := src.Open(ctx, ref, parts)
	if err != nil {
		return 0, 0
	}
	defer r.Close()
	return r.Bytes(), int64(r.Rows())
}

// parts returns the parts of the calibration set and of the target set that some cells load
// completely.
func (u *Unit) parts(cells []int) (cal, target data.Parts) {
	for _, i := range cells {
		c := u.Cells[i].Method.Contract()
		cal |= c.Cal
		target |= c.Target
		if u.Cells[i].external != nil {
			target |= c.Test // a program gets the test set
		}
	}
	return cal, target
}

// whole returns what the unit takes if the scores of its cells stay in memory until all are
// scored and paired.
func (m *memory) whole(cells, pairs int) int64 {
	most := max(m.apply, m.score)
	if pairs > 0 {
		most = max(most, m.drawn+int64(1+pairs)*m.method)
	}
	return m.arrays + int64(cells)*m.cell + most
}

// applied returns how many cells are applied to the test set at a time, if not all scores
// stay in memory. paired is the number that are paired with the baseline at a time. 0 means
// that the limit is too small for one.
func (m *memory) applied(limit int64) int { return int((limit - m.arrays - m.apply) / max(1, m.cell)) }

func (m *memory) paired(limit int64) int { return int((limit-m.drawn)/max(1, m.cell+m.method)) - 1 }

// least returns what one cell takes or, if pairs are made, one pair, and the work that takes
// it.
func (m *memory) least(pairs bool) (need int64, work string) {
	need = m.cell + max(m.arrays+m.apply, m.score)
	if pair := m.drawn + 2*(m.cell+m.method); pairs && pair > need {
		return pair, fmt.Sprintf("the paired intervals of two methods on %d rows take %d MiB; raise --max-memory, or write baseline: none", m.rows, pair>>20+1)
	}
	return need, fmt.Sprintf("to apply and score a method on %d rows takes %d MiB; raise --max-memory", m.rows, need>>20+1)
}

// enough returns the memory of units, by number, where some of their cells are missing. It is
// an error if the unit that takes most takes too much. Virtual networks are left out: they
// are small, and to open one takes longer than to read a header.
func (p *Plan) enough(ctx context.Context, units []int) (map[int]*memory, error) {
	type need struct {
		memory *memory
		bytes  int64
		work   string
	}
	limit, needs := p.options.Memory, make([]need, len(units))
	pool.Each(ctx, len(units), runtime.GOMAXPROCS(0), func(_, j int) error { // its error is that of ctx, which Run returns
		u := &p.Units[units[j]]
		var missing []int
		pairs, work := false, false
		for i := range u.Cells {
			if c := &u.Cells[i]; c.State == Miss || c.State == Score {
				if c.State == Miss {
					missing = append(missing, i)
				}
				work, pairs = true, pairs || c.pair != "" && !c.paired
			}
		}
		if !work || u.Provenance.Origin == data.Simulated {
			return nil
		}
		engine.Guard(func() error { // the cells of the unit report a panic
			m := u.memory(ctx, missing, limit)
			needs[j].memory = &m
			needs[j].bytes, needs[j].work = m.least(pairs)
			return nil
		})
		return nil
	})
	most, byUnit := 0, map[int]*memory{}
	for j := range needs {
		byUnit[units[j]] = needs[j].memory
		if needs[j].bytes > needs[most].bytes {
			most = j
		}
	}
	if len(units) > 0 && needs[most].bytes > limit+spare {
		return nil, fmt.Errorf("%s: %s", p.Units[units[most]].Setting, needs[most].work)
	}
	return byUnit, nil
}
