package experiments

import (
	"context"
	"fmt"
	"sync"
	"testing"

	"github.com/qats-bench/qats/data"
	"github.com/qats-bench/qats/data/folder"
	"github.com/qats-bench/qats/experiments/spec"
)

// countedDigests is a source that counts how often each digest is asked for.
type countedDigests struct {
	data.Source
	mu    sync.Mutex
	asked map[string]int // by set and parts
}

func (c *countedDigests) Digest(ctx context.Context, ref data.Ref, parts data.Parts) (string, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.asked[fmt.Sprint(ref, " ", parts)]++
	return c.Source.Digest(ctx, ref, parts)
}

// TestPlanAsksEachDigestOnce: neither the cells of a setting nor settings with the same
// calibration set ask for a digest again.
func TestPlanAsksEachDigestOnce(t *testing.T) {
	w := newWorld(t)
	s, err := spec.Parse("t.yaml", []byte(testSpec), w.known)
	if err != nil {
		t.Fatal(err)
	}
	folder, err := folder.Open(w.data, folder.Layout{}, &folder.Digests{})
	if err != nil {
		t.Fatal(err)
	}
	source := &countedDigests{Source: folder, asked: map[string]int{}}
	o := PlanOptions{Fresh: true} // there is no store
	digest := o.digests(t.Context())
	for i := range s.Settings {
		if u := newUnit(s, &s.Settings[i], []data.Source{source}); u.source != nil {
			u.plan(digest, o, location{})
		}
	}
	if len(source.asked) < 6 {
		t.Errorf("only %d digests: %v", len(source.asked), source.asked)
	}
	for set, n := range source.asked {
		if n != 1 {
			t.Errorf("%s: asked %d times", set, n)
		}
	}
}
