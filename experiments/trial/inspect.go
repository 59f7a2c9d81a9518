package trial

import (
	"context"

	"github.com/qats-bench/qats/data"
	"github.com/qats-bench/qats/experiments/inspect"
	"github.com/qats-bench/qats/experiments/look"
)

// Inspect reads the sets of a trial completely and judges them, without holding them in memory. The error is that of
// ctx: what cannot be read is a finding.
func Inspect(ctx context.Context, g *look.Given) (*inspect.Inspection, error) {
	cal := arraysAt(g.Cal)
	var test *inspect.Arrays
	if g.Test != nil {
		a := arraysAt(*g.Test)
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

// arraysAt returns the place of a set for an inspection.
func arraysAt(p look.Place) inspect.Arrays {
	return inspect.Arrays{Name: p.Name, Known: p.Known, Open: func(ctx context.Context) (data.Reader, error) { return p.Open(ctx, p.Has&scored) }}
}
