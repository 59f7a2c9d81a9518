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
	return results.RunSpec{Name: s.Name, File: filepath.Base(s.File), Title: s.Title, SHA256: hex.EncodeToString(sum[:]), Text: s.Text,
		Baseline: s.Baseline, Like: s.Like, Data: s.Data, Layout: s.Layout.String(),
		Metrics: lists.Values(s.Metrics, func(e metrics.Entry) string { return e.Name })}
}

// methodInfos returns the rows of methods.csv of the plan.
func (p *Plan) methodInfos() (list []results.MethodInfo, err error) {
	described := map[*spec.Spec]bool{}
	for i := range p.Units {
		s := p.Units[i].Spec
		if described[s] {
			continue
		}
		described[s] = true
		for i := range s.Methods {
			about, err := s.Methods[i].Info(s.Name)
			if err != nil {
				return nil, err
			}
			list = append(list, about)
		}
	}
	return list, nil
}
