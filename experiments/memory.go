package experiments

import (
	"context"
	"fmt"
	"runtime"

	"github.com/qats-bench/qats/calib"
	"github.com/qats-bench/qats/data"
	"github.com/qats-bench/qats/experiments/engine"
	"github.com/qats-bench/qats/internal/lists"
	"github.com/qats-bench/qats/internal/pool"
	"github.com/qats-bench/qats/metrics"
)

// spare is memory beyond the limit that small sets may take, such as that of their blocks.
const spare = 16 << 20

// memory is what the work on a unit takes.
type memory struct {
	engine.Account
	of []int // the cells that are missing
}

// memory returns the memory of the unit, of which some cells are missing. It reads headers
// alone. A set that cannot be opened counts as empty: the cells that read it report the
// error.
func (u *Unit) memory(ctx context.Context, missing []int, limit int64) memory {
	rows, classes, _ := u.test.Shape(ctx, u.Setting.Test())
	m := memory{engine.NewAccount(rows, classes, u.reads(), append(metrics.Paired(), u.Spec.Intervals...), true), missing}
	cal, target := u.parts(missing)
	bytes, calRows := bytesOf(ctx, u.source, u.Setting.Cal(), cal)
	of, _ := bytesOf(ctx, u.test, u.Setting.Test(), target)
	contracts := lists.Values(missing, func(i int) calib.Contract { return u.Cells[i].Method.Contract() })
	m.Fits = engine.FitBytes(contracts, calRows, bytes, of, limit)
	return m
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

// least returns what one cell takes or, if pairs are made, one pair, and the work that takes
// it.
func (m *memory) least(pairs bool) (need int64, work string) {
	need, pair := m.Least()
	if pairs && pair > need {
		return pair, fmt.Sprintf("the paired intervals of two methods on %d rows take %d MiB; raise --max-memory, or write baseline: none", m.Rows, pair>>20+1)
	}
	return need, fmt.Sprintf("to apply and score a method on %d rows takes %d MiB; raise --max-memory", m.Rows, need>>20+1)
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
