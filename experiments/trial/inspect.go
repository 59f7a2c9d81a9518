package trial

import (
	"context"

	"github.com/qats-bench/qats/data"
	"github.com/qats-bench/qats/experiments/inspect"
)

// Inspect reads the sets of a trial completely and judges them, without holding them in memory. The error is that of
// ctx: what cannot be read is a finding.
func (g *Given) Inspect(ctx context.Context) (*inspect.Inspection, error) {
	cal := g.Cal.arrays()
	var test *inspect.Arrays
	if g.Test != nil {
		a := g.Test.arrays()
		test = &a
	}
	in, err := inspect.Pair(ctx, cal, test)
	if err != nil {
		return nil, err
	}
	for i := range in.Sets {
		in.Sets[i].Source = string(g.Origin)
	}
	return in, nil
}

// arrays returns the place of a set for an inspection.
func (p Place) arrays() inspect.Arrays {
	return inspect.Arrays{Name: p.Name, Known: p.known, Open: func(ctx context.Context) (data.Reader, error) { return p.open(ctx, p.has&scored) }}
}
