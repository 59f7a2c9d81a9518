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
	for _, s := range p.specs() {
		r.Specs = append(r.Specs, describeSpec(s))
	}
	return r
}

// specs returns the specs of the plan, in the order of their first settings.
func (p *Plan) specs() []*spec.Spec {
	return lists.Distinct(p.Units, func(u Unit) *spec.Spec { return u.Spec })
}

func describeSpec(s *spec.Spec) results.RunSpec {
	sum := sha256.Sum256([]byte(s.Text))
	return results.RunSpec{Name: s.Name, File: filepath.Base(s.File), Title: s.Title, SHA256: hex.EncodeToString(sum[:]), Text: s.Text,
		Baseline: s.Baseline, Like: s.Like, Data: s.Data, Layout: s.Layout.String(),
		Metrics: lists.Values(s.Metrics, func(e metrics.Entry) string { return e.Name })}
}

// methodInfos returns the rows of methods.csv of the plan.
func (p *Plan) methodInfos() (list []results.MethodInfo) {
	for _, s := range p.specs() {
		for i := range s.Methods {
			list = append(list, s.Methods[i].Info(s.Name))
		}
	}
	return list
}
