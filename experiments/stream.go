package experiments

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/qats-bench/qats/calib"
	"github.com/qats-bench/qats/data"
	"github.com/qats-bench/qats/metrics"
	"github.com/qats-bench/qats/metrics/scoring"
	"github.com/qats-bench/qats/results"
)

// stream reads the test set in blocks of rows. It keeps the sample scores of the rows
// under each map that is not nil, and under each table of an external method.
func (w *unitWork) stream(ctx context.Context, test data.Reader, maps []calib.Map) error {
	for i, m := range maps {
		if m != nil || w.tables[i] != nil {
			w.samples[i] = scoring.New(test.Rows())
		}
	}
	s := streaming{unitWork: w, maps: maps}
	if w.unit.classes() {
		s.classes = make([]*scoring.ClassTally, len(maps))
	}
	offsetLost := test.Rows() > 0 // in all rows read so far
	err := data.Blocks(ctx, test, blockBytes, func(lo int, set *data.Set) error {
		offsetLost = offsetLost && data.LogProbs(set.Logits)
		s.tempered(lo, set)
		s.others(lo, set)
		return ctx.Err()
	})
	for i, t := range s.classes {
		if t != nil {
			w.samples[i].Classes = t.Bins()
		}
	}
	for i, m := range maps {
		if m != nil && offsetLost && err == nil && w.unit.Cells[i].Method.Contract().TrueLogits {
			w.outcomes[i] = outcome{results.Skip, because(NeedsTrueLogits)}
		}
	}
	return err
}

// crossFit adds the numbers of whole vectors to the sample scores of each cell. It reads
// the test set once more for each cell, since the numbers need the probabilities of all
// rows, and memory holds the probabilities of one cell at a time.
func (w *unitWork) crossFit(ctx context.Context, test data.Reader, maps []calib.Map) error {
	probs := data.NewProbs(test.Rows(), test.Classes())
	for i, samples := range w.samples {
		if samples == nil || samples.TopLabel || w.outcomes[i].status != "" {
			continue
		}
		method := w.unit.Cells[i].Method
		err := Guard(func() error {
			err := data.Blocks(ctx, test, blockBytes, func(lo int, set *data.Set) error {
				view := set.View(method.Contract().Test)
				return w.probabilities(probs.Slice(lo, lo+len(set.Labels)), i, maps[i], lo, view)
			})
			if err == nil {
				samples.Vectors, err = metrics.CrossFit(ctx, probs, samples.Label, w.unit.seed)
			}
			return err
		})
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err != nil:
			w.fail(i, err)
		}
	}
	return nil
}

// probabilities fills dst with the probabilities of rows lo, lo+1, ..., which view holds,
// under the map of a cell or, for an external method, from its table.
func (w *unitWork) probabilities(dst data.Probs, cell int, m calib.Map, lo int, view *data.Set) error {
	if table := w.tables[cell]; table != nil {
		return table.Rows(dst, lo)
	}
	return calib.Apply(m, dst, view)
}

// streaming scores one block of rows after the other under all maps.
type streaming struct {
	*unitWork
	maps    []calib.Map
	probs   data.Probs            // scratch
	byMap   []float64             // scratch: scales of a block, map by map
	scales  []float64             // scratch: the same scales, row by row
	classes []*scoring.ClassTally // by cell; nil where no metric asks for them
}

// table returns scratch for the probabilities of n rows of k classes.
func (s *streaming) table(n, k int) data.Probs {
	if s.probs.Rows < n {
		s.probs = data.NewProbs(n, k)
	}
	return s.probs.Slice(0, n)
}

// tally adds the probabilities of rows lo, lo+1, ... to the class bins of a cell, if some
// metric needs them.
func (s *streaming) tally(cell, lo int, probs data.Probs, set *data.Set) {
	if s.classes == nil {
		return
	}
	if s.classes[cell] == nil {
		s.classes[cell] = scoring.NewClassTally(probs.Cols)
	}
	s.classes[cell].Add(lo, probs, set.Labels)
}

// cells returns the cells that are scored and have not failed: if tempered, those
// whose map divides each row by a temperature, else the others.
func (s *streaming) cells(tempered bool) []int {
	var list []int
	for i, m := range s.maps {
		if _, ok := m.(calib.Tempered); s.samples[i] != nil && ok == tempered && s.outcomes[i].status == "" {
			list = append(list, i)
		}
	}
	return list
}

// each calls do for each of the cells, with the parts of the set that its method
// may see. It returns the cells that did not fail.
func (s *streaming) each(cells []int, set *data.Set, do func(i int, view *data.Set) error) []int {
	var done []int
	for _, i := range cells {
		method := s.unit.Cells[i].Method
		err := Guard(func() error {
			view := set.View(method.Contract().Test)
			if m := s.maps[i]; m != nil {
				if err := calib.CheckSet(m, view); err != nil {
					return err
				}
			}
			return do(i, view)
		})
		if err != nil {
			s.fail(i, err)
			continue
		}
		done = append(done, i)
	}
	return done
}

// tempered scores rows lo, lo+1, ... under all maps that divide them by a temperature, in
// one pass. It needs probabilities for class bins only.
func (s *streaming) tempered(lo int, set *data.Set) {
	cells := s.cells(true)
	n := set.Logits.Rows
	at := calib.NewUnscaled(set.Logits)
	s.byMap = slices.Grow(s.byMap[:0], len(s.maps)*n)[:len(s.maps)*n]
	cells = s.each(cells, set, func(i int, view *data.Set) error {
		scale := s.byMap[i*n : (i+1)*n]
		s.maps[i].(calib.Tempered).Scales(scale, view, at)
		for row, v := range scale {
			if !(v >= 0 && v <= math.MaxFloat64) {
				return fmt.Errorf("row %d: the temperature is %v", s.samples[i].Len()+row, 1/v)
			}
		}
		return nil
	})
	samples := make([]*scoring.SampleScores, len(cells))
	for c, i := range cells {
		samples[c] = s.samples[i]
	}
	s.scales = slices.Grow(s.scales[:0], n*len(cells))
	for row := range n {
		for _, i := range cells {
			s.scales = append(s.scales, s.byMap[i*n+row])
		}
	}
	if err := Guard(func() error { return scoring.AppendScaled(samples, set, s.scales) }); err != nil {
		for _, i := range cells {
			s.fail(i, err)
		}
	}
	if s.classes == nil {
		return
	}
	s.each(s.cells(true), set, func(i int, view *data.Set) error {
		dst := s.table(n, set.Logits.Cols)
		if err := calib.Apply(s.maps[i], dst, view); err != nil {
			return err
		}
		s.tally(i, lo, dst, set)
		return nil
	})
}

// others scores rows lo, lo+1, ..., which set holds, in each of the other cells: by
// probabilities or, for a top-label map, by its pairs of class and confidence.
func (s *streaming) others(lo int, set *data.Set) {
	s.each(s.cells(false), set, func(i int, view *data.Set) error {
		if m, ok := s.maps[i].(calib.TopLabel); ok {
			class, conf, err := calib.TopLabels(m, view)
			if err != nil {
				return err
			}
			return s.samples[i].AppendTopLabel(class, conf, set.Labels)
		}
		dst := s.table(set.Logits.Rows, set.Logits.Cols)
		if err := s.probabilities(dst, i, s.maps[i], lo, view); err != nil {
			return err
		}
		err := s.samples[i].AppendProbs(dst, set)
		switch table := s.tables[i]; {
		case err == nil:
			s.tally(i, lo, dst, set)
		case table != nil:
			err = fmt.Errorf("%s: %w", table.Name(), scoring.InFile(err, table.FileRow))
		}
		return err
	})
}
