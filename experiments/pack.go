package experiments

import (
	"errors"
	"fmt"
	"io/fs"

	"github.com/qats-bench/qats/results"
)

// Pack gives add each object of the store that the cells of the task have made or used, once. A damaged object counts
// as absent; if it is one that the rows of a cell are made of, that is an error.
func (p *Plan) Pack(add func(kind results.Kind, text string, body []byte) error) error {
	type object struct {
		kind results.Kind
		text string
	}
	done := map[object]bool{}
	pack := func(kind results.Kind, text string, needed bool) error {
		o := object{kind, text}
		if text == "" || done[o] {
			return nil
		}
		done[o] = true
		body, err := p.options.Store.Get(kind, results.Key(text))
		switch {
		case errors.Is(err, fs.ErrNotExist) && !needed:
			return nil
		case err != nil:
			return err
		}
		return add(kind, text, body)
	}
	for _, i := range p.Part {
		u := &p.Units[i]
		if err := pack(results.Inputs, u.inputs, false); err != nil {
			return err
		}
		for j := range u.Cells {
			c := &u.Cells[j]
			if c.State == Skip {
				continue
			}
			for _, o := range []object{{results.Times, c.fit}, {results.Fit, c.fit}, {results.SampleScores, c.samples}, {results.Scores, c.scores}, {results.Pairs, c.pair}} {
				needed := c.State == Hit && (o.kind == results.Scores || o.kind == results.Pairs)
				if err := pack(o.kind, o.text, needed); err != nil {
					return fmt.Errorf("%s, %s: %w; run the task again", u.Setting, c.Method.Name, err)
				}
			}
		}
	}
	return nil
}
