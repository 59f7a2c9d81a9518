package experiments

import (
	"errors"
	"fmt"
	"io/fs"

	"github.com/qats-bench/qats/metrics/scoring"
	"github.com/qats-bench/qats/results"
)

// Samples returns the scores of the test rows of a cell of the plan, from its store. It is nil where the store has none: the cell was
// skipped, or has failed.
func (p *Plan) Samples(c *Cell) (*scoring.SampleScores, error) {
	if c.samples == "" {
		return nil, nil
	}
	body, err := p.options.Store.Get(results.SampleScores, results.Key(c.samples))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, storeError(err)
	}
	s, err := scoring.Decode(body)
	if err != nil {
		return nil, fmt.Errorf("sample scores of %s: %w; run again with --fresh", c.Method.Name, err)
	}
	return s, nil
}
