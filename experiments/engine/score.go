package engine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/qats-bench/qats/calib"
	"github.com/qats-bench/qats/data"
	"github.com/qats-bench/qats/metrics"
	"github.com/qats-bench/qats/metrics/scoring"
)

// BlockBytes is the memory of the block of rows that columns are applied to at a time: so much
// stays in the cache of a processor. The probabilities of a block take twice as much in addition.
const BlockBytes = 1 << 20

// ScoreOptions say what Score keeps of the rows.
type ScoreOptions struct {
	Reads          // what metrics read: Classes keeps scoring.ClassBins, and Vectors the numbers of metrics.CrossFit
	Seed    uint64 // of the folds of Vectors
	Workers int    // that read and score blocks at a time; 1 for 0, and where a column has a Table
	K       int    // classes of a set without logits, which has a Table

	// Block, if it is not nil, is called with each block, by several workers at a time.
	Block func(set *data.Set)
}

// Score reads the set once and keeps the scores of its rows under each column. A column that
// has an error before is left out. With Vectors the set is read once more for each column but
// one, since the numbers need the probabilities of all rows, and memory holds those of one
// column at a time. The error is that of the set, or of ctx; errors of a column stay with it.
func Score(ctx context.Context, test data.Reader, columns []*Column, o ScoreOptions) error {
	form, err := test.Form()
	if err != nil {
		return err
	}
	if form.Confidence {
		for _, c := range columns {
			if c.alone = true; c.Err == nil {
				c.Err = Form{Confidence: true}.Suits(c.Contract)
			}
		}
	}
	p := newPass(test, columns, o)
	if len(p.columns) == 0 {
		return nil
	}
	switch err := p.scan(ctx); {
	case errors.Is(err, errNone):
		return nil
	case err != nil:
		return err
	}
	for i, c := range p.columns {
		if p.unit != 0 {
			c.Samples.Unit = []float64{p.unit}
		}
		if c.Samples.Group = p.groups; p.tallies[i] != nil && c.Err == nil {
			c.Samples.Classes = p.tallies[i].Bins()
		}
		if test.Rows() > 0 && !p.offset.Load() && c.Map != nil {
			if err := (Form{LogProbs: true}).Suits(c.Contract); err != nil {
				c.Err = err
			}
		}
	}
	if !o.Vectors {
		return nil
	}
	return p.crossFit(ctx)
}

// pass is one reading of a set.
type pass struct {
	test    data.Reader
	k       int // classes
	columns []*Column
	options ScoreOptions
	whole   data.Probs // probabilities of all rows of the only column that has them; with Vectors

	offset atomic.Bool // some row of logits has an offset

	mu      sync.Mutex            // of the errors of the columns, and of
	unit    float64               // of weights; 0 for 1
	groups  []int32               // of the rows; nil without
	tallies []*scoring.ClassTally // by column; nil where no metric asks for them
	idle    []*scratch            // no sync.Pool, which would keep the tallies through two collections after the pass
}

func newPass(test data.Reader, columns []*Column, o ScoreOptions) *pass {
	p := &pass{test: test, k: cmp.Or(test.Classes(), o.K), options: o}
	p.columns = slices.DeleteFunc(slices.Clone(columns), func(c *Column) bool { return c.Err != nil })
	p.tallies = make([]*scoring.ClassTally, len(p.columns))
	for i, c := range p.columns {
		if c.Samples == nil {
			c.Samples = c.room(test.Rows())
		}
		c.Samples.K = p.k
		if o.Classes && !c.topLabel() {
			p.tallies[i] = scoring.NewClassTally(p.k)
		}
	}
	if o.Vectors && len(p.columns) == 1 && !p.columns[0].topLabel() {
		p.whole = data.NewProbs(test.Rows(), p.k)
	}
	if o.Workers < 1 || slices.ContainsFunc(p.columns, func(c *Column) bool { return c.Table != nil }) {
		p.options.Workers = 1
	}
	return p
}

// blockRows returns the number of rows of a block of a set: all rows of a set that is smaller.
func (p *pass) blockRows() int {
	n := p.test.Rows()
	size := max(p.test.Bytes(), 4*int64(n)*int64(p.k)) // a set may have labels alone
	if size <= BlockBytes {
		return max(1, n)
	}
	return max(1, int(float64(n)*(BlockBytes/float64(size))))
}

// errNone ends a pass in which all columns have failed.
var errNone = errors.New("no column is left")

// scan reads all blocks once.
func (p *pass) scan(ctx context.Context) error {
	trueLogits := slices.ContainsFunc(p.columns, func(c *Column) bool { return c.Map != nil && c.Contract.TrueLogits })
	return data.Scan(ctx, p.test, p.blockRows(), p.options.Workers, func(lo int, set *data.Set) error {
		if trueLogits && !p.offset.Load() && !data.LogProbs(set.Logits) {
			p.offset.Store(true)
		}
		if p.options.Block != nil {
			p.options.Block(set)
		}
		s := p.take()
		defer p.put(s)
		s.lo, s.set, s.parts = lo, set, s.parts[:0]
		if set.Groups != nil {
			p.group(lo, set.Groups, set.Unit)
		}
		for _, c := range p.columns {
			s.parts = append(s.parts, c.Samples.Part(lo, lo+len(set.Labels)))
		}
		s.tempered()
		s.others()
		if len(p.live(lo, func(*Column) bool { return true })) == 0 {
			return errNone
		}
		return ctx.Err()
	})
}

// group keeps the groups of the rows from lo on, and the unit of their weights.
func (p *pass) group(lo int, groups []int32, unit float64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.groups == nil {
		p.groups = make([]int32, p.test.Rows())
	}
	copy(p.groups[lo:], groups)
	p.unit = unit
}

// take returns the memory for a block, and put gives it back.
func (p *pass) take() *scratch {
	p.mu.Lock()
	defer p.mu.Unlock()
	last := len(p.idle) - 1
	if last < 0 {
		return &scratch{pass: p}
	}
	s := p.idle[last]
	p.idle = p.idle[:last]
	return s
}

func (p *pass) put(s *scratch) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.idle = append(p.idle, s)
}

// live returns the columns of a kind that have not failed before the block whose first row is lo.
func (p *pass) live(lo int, kind func(*Column) bool) (list []int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for i, c := range p.columns {
		if kind(c) && (c.Err == nil || lo < c.failed) {
			list = append(list, i)
		}
	}
	return list
}

// fail keeps the error of the lowest block of a column.
func (p *pass) fail(i, lo int, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if c := p.columns[i]; c.Err == nil || lo < c.failed {
		c.Err, c.failed = err, lo
	}
}

// scratch is the memory in which a worker scores a block.
type scratch struct {
	*pass
	lo     int
	set    *data.Set
	parts  []*scoring.SampleScores // by column, of the rows of the block
	probs  data.Probs
	byMap  []float64 // scales, column by column
	scales []float64 // the same scales, row by row
}

// table returns memory for the probabilities of the block.
func (s *scratch) table() data.Probs {
	n, k := len(s.set.Labels), s.k
	if cap(s.probs.Data) < n*k {
		s.probs = data.NewProbs(n, k)
	}
	return data.Probs{Rows: n, Cols: k, Data: s.probs.Data[:n*k]}
}

// each calls do for each of some columns, and returns those that did not fail.
func (s *scratch) each(columns []int, do func(i int, c *Column) error) []int {
	var done []int
	for _, i := range columns {
		if err := Guard(func() error { return do(i, s.columns[i]) }); err != nil {
			s.fail(i, s.lo, err)
			continue
		}
		done = append(done, i)
	}
	return done
}

// tempered scores the block under all columns that divide its rows by a temperature, at once. It
// needs probabilities for class bins and whole vectors only.
func (s *scratch) tempered() {
	live := s.live(s.lo, (*Column).tempered)
	if len(live) == 0 {
		return
	}
	n := len(s.set.Labels)
	at := calib.NewUnscaled(s.set.Logits)
	s.byMap = slices.Grow(s.byMap[:0], len(live)*n)[:len(live)*n]
	scale, next := make([][]float64, len(s.columns)), s.byMap
	for _, i := range live {
		scale[i], next = next[:n], next[n:]
	}
	live = s.each(live, func(i int, c *Column) error { return c.Scales(scale[i], s.lo, s.set, at) })
	parts := make([]*scoring.SampleScores, len(live))
	for j, i := range live {
		parts[j] = s.parts[i]
	}
	s.scales = slices.Grow(s.scales[:0], n*len(live))
	for row := range n {
		for _, i := range live {
			s.scales = append(s.scales, scale[i][row])
		}
	}
	if err := Guard(func() error { return scoring.AppendScaled(parts, s.set, s.scales) }); err != nil {
		for _, i := range live {
			s.fail(i, s.lo, err)
		}
		return
	}
	if !s.options.Classes && s.whole.Data == nil {
		live = slices.DeleteFunc(live, func(i int) bool { return s.columns[i].Shares == nil })
	}
	s.each(live, func(i int, c *Column) error {
		dst := s.table()
		err := c.Probabilities(dst, s.lo, s.set)
		if err == nil {
			s.keep(i, dst)
		}
		return err
	})
}

// others scores the block under each of the other columns: by probabilities or, of a top-label
// map, by its pairs of class and confidence.
func (s *scratch) others() {
	s.each(s.live(s.lo, func(c *Column) bool { return !c.tempered() }), func(i int, c *Column) error {
		if c.topLabel() {
			class, conf, err := c.TopLabels(s.set)
			if err != nil {
				return err
			}
			return s.parts[i].AppendTopLabel(class, conf, s.set.Labels)
		}
		dst := s.table()
		if err := c.Probabilities(dst, s.lo, s.set); err != nil {
			return err
		}
		err := s.parts[i].AppendProbs(dst, s.set)
		switch {
		case err == nil:
			s.keep(i, dst)
		case c.Table != nil:
			err = fmt.Errorf("%s: %w", c.Table.Name(), scoring.InFile(err, c.Table.FileRow))
		}
		return err
	})
}

// keep keeps what metrics of all classes read of the probabilities of the block.
func (s *scratch) keep(i int, probs data.Probs) {
	if s.whole.Data != nil {
		copy(s.whole.Slice(s.lo, s.lo+probs.Rows).Data, probs.Data)
	}
	if shares := s.columns[i].Shares; shares != nil {
		shares.AddGrouped(probs, s.set.Labels, s.set.Groups)
	}
	if s.tallies[i] != nil {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.tallies[i].Add(s.lo, probs, s.set.Labels)
	}
}

// crossFit adds the numbers of whole vectors to the scores of each column.
func (p *pass) crossFit(ctx context.Context) error {
	probs := p.whole
	for i, c := range p.columns {
		if c.topLabel() || c.Err != nil {
			continue
		}
		if probs.Data == nil {
			probs = data.NewProbs(p.test.Rows(), p.k)
		}
		err := Guard(func() error {
			err := error(nil)
			if p.whole.Data == nil {
				err = data.Scan(ctx, p.test, p.blockRows(), 1, func(lo int, set *data.Set) error {
					return c.Probabilities(probs.Slice(lo, lo+len(set.Labels)), lo, set)
				})
			}
			if err == nil {
				c.Samples.Vectors, err = metrics.CrossFitGroups(ctx, probs, c.Samples.Label, c.Samples.Group, p.options.Seed)
			}
			return err
		})
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err != nil:
			p.fail(i, 0, err)
		}
	}
	return nil
}
