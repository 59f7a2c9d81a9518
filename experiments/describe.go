package experiments

import (
	"crypto/sha256"
	"encoding/hex"
	"path/filepath"

	"github.com/qats-bench/qats/experiments/spec"
	"github.com/qats-bench/qats/internal/lists"
	"github.com/qats-bench/qats/metrics"
	"github.com/qats-bench/qats/results"
)

// Describe returns the content of run.json for the outcome of a run of the whole
// plan. Version, Commit and Command are left to the caller.
func (p *Plan) Describe(out *Outcome) results.Run {
	r := results.Run{FirstRows: p.options.First, Keys: out.keys, Rows: out.written, Counts: out.RunCounts}
	described := map[*spec.Spec]bool{}
	for i := range p.Units {
		u := &p.Units[i]
		if !described[u.Spec] {
			described[u.Spec] = true
			r.Specs = append(r.Specs, describeSpec(u.Spec))
		}
	}
	return r
}

func describeSpec(s *spec.Spec) results.RunSpec {
	sum := sha256.Sum256([]byte(s.Text))
	d := results.RunSpec{Name: s.Name, File: filepath.Base(s.File), Title: s.Title, SHA256: hex.EncodeToString(sum[:]), Text: s.Text,
		Baseline: s.Baseline, Like: s.Like, Data: s.Data, Layout: s.Layout.String(),
		Metrics: lists.Values(s.Metrics, func(e metrics.Entry) string { return e.Name })}
	for _, m := range s.Methods {
		options := m.Options
		if options == "{}\n" {
			options = ""
		}
		d.Methods = append(d.Methods, results.RunMethod{Name: m.Name, Label: m.Label, Method: m.Entry.Name, Version: m.Entry.Version, Options: options, Target: m.Contract().Target != 0})
	}
	return d
}
