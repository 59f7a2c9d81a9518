package main

import (
	"bytes"
	"context"
	"io"
	"math"
	"math/rand/v2"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/qats-bench/qats/data"
	"github.com/qats-bench/qats/data/npy"
)

// forest writes the probabilities of a forest of few trees, and returns it as a pool.
func forest(t *testing.T, k int) pool {
	t.Helper()
	dir := t.TempDir()
	rng := rand.New(rand.NewPCG(uint64(k), 1))
	files := func(split string, n int) data.Files {
		f := data.Files{Logits: filepath.Join(dir, split+".npy"), Labels: filepath.Join(dir, split+"_labels.npy"), Kind: data.KindProbs}
		p, labels := make([]float32, n*k), make([]int32, n)
		for i := range n {
			y := rng.IntN(k)
			for range 8 {
				at := y
				if rng.Float64() < .4 {
					at = rng.IntN(k)
				}
				p[i*k+at] += 1. / 8
			}
			if labels[i] = int32(y); rng.Float64() < .1 {
				labels[i] = int32(rng.IntN(k))
			}
		}
		if err := npy.WriteFloat32(f.Logits, p, n, k); err != nil {
			t.Fatal(err)
		}
		if err := npy.WriteInt32(f.Labels, labels, n); err != nil {
			t.Fatal(err)
		}
		return f
	}
	return pool{Data: "forest", Model: "rf", Family: "rf", cal: files("cal", 2000), test: files("test", 1000)}
}

// The rule that is judged is the rule of package trial, for each kind of model.
func TestTheShippedRuleIsThatOfTheProgram(t *testing.T) {
	all, err := readPools("../../../data/bundle", "", "")
	if err != nil {
		t.Fatal(err)
	}
	var pools []pool
	for _, p := range all {
		if p.Data == "chile" || p.Data == "loans" || p.Data == "phoneme" {
			pools = append(pools, p)
		}
	}
	pools = append(pools, forest(t, 2), forest(t, 4))
	kinds, begins := map[string]int{}, map[string]int{}
	for i := range pools {
		for _, n := range []int{100, 300} {
			for draw := range 3 {
				r, err := job{&pools[i], n, draw}.fit(context.Background())
				if err != nil {
					t.Fatal(err)
				}
				j, x := judge(r), shipped[r.kind()]
				x.List = "all"
				kinds[r.kind()]++
				begins[j.reference(x)]++
				if got := r.Methods[j.choose(x)].Name; got != r.Chosen {
					t.Errorf("%s/%s, %d rows, draw %d (%s, z %.2f, shares %.3f): %s, the program chooses %s", r.Data, r.Model, n, draw, r.kind(), r.Z, r.SharesTS, got, r.Chosen)
				}
			}
		}
	}
	if kinds[zeros] == 0 || kinds[two] == 0 || kinds[several] == 0 || begins["platt"] == 0 || begins["ts"] == 0 || begins["uncal"] == 0 {
		t.Errorf("kinds %v, begins %v: the draws test little", kinds, begins)
	}
}

// A record is read as it was written, and a record that is cut off ends the file.
func TestRecordsAreReadAsWritten(t *testing.T) {
	p := forest(t, 3)
	r, err := job{&p, 60, 0}.fit(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := r.write(&b); err != nil {
		t.Fatal(err)
	}
	whole := b.Bytes()
	got, err := next(bytes.NewReader(whole))
	if err != nil || !reflect.DeepEqual(got, r) {
		t.Errorf("read %+v, wrote %+v (%v)", got, r, err)
	}
	if _, err := next(bytes.NewReader(whole[:len(whole)-1])); err != io.ErrUnexpectedEOF {
		t.Errorf("cut off: %v", err)
	}
}

// The critical P of candidates that are the same is that of one test, and of independent ones that of Sidak.
func TestCriticalPOfEqualAndOfIndependentCandidates(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 4))
	const n, m = 4000, 8
	r := &record{N: n, K: 2}
	column := func() []float32 {
		v := make([]float32, n)
		for i := range v {
			v[i] = float32(rng.NormFloat64() + 3)
		}
		return v
	}
	zero, same := make([]float32, n), column()
	add := func(v []float32) {
		r.Methods = append(r.Methods, method{Name: string(rune('a' + len(r.Methods))), Crossed: true})
		r.nll, r.brier = append(r.nll, v), append(r.brier, v)
	}
	add(zero)
	for range m {
		add(same)
	}
	for range m {
		add(column())
	}
	j := judge(r)
	var equal, independent []int
	for i := range m {
		equal, independent = append(equal, 1+i), append(independent, 1+m+i)
	}
	if p := j.pCritical(0, equal, byNLL); math.Abs(p-.05) > .015 {
		t.Errorf("equal candidates: %v, want .05", p)
	}
	if p, want := j.pCritical(0, independent, byNLL), 1-math.Pow(.95, 1./m); math.Abs(p-want) > .0035 {
		t.Errorf("independent candidates: %v, want %v", p, want)
	}
}

// Conditions that fail, halves and rows of a table, done by hand.
func TestTablesCountByHand(t *testing.T) {
	s := &study{at: map[place]map[string]*sums{}, families: map[family]*sums{}, added: map[string]*adding{}}
	x := rule{Reference: "z", Least: 1, List: "rec"}
	put := func(rule rule, data string, nll, worse float64) {
		k := place{several, 200, rule}
		if s.at[k] == nil {
			s.at[k] = map[string]*sums{}
		}
		s.at[k][data] = &sums{draws: 10, tested: 10, nll: 10 * nll, brier: 1, worseUncal: worse}
	}
	for _, data := range []string{"a", "b"} {
		put(today, data, 1, 5)
		put(x, data, .9, 0)
	}
	every := func(string) bool { return true }
	if failed, worst, nll, brier := s.failed(several, x, every); failed != 1 || worst != 0 || math.Abs(nll+.1) > 1e-12 || brier != 0 {
		t.Errorf("%d failed (the Brier score is not lower), worst %v, NLL %v, Brier %v", failed, worst, nll, brier)
	}
	if failed, worst, _, _ := s.failed(several, today, every); failed != 3 || worst != .5 {
		t.Errorf("before: %d failed, worst %v", failed, worst)
	}
	half := s.halves(several)
	if len(half) != 2 || half["a"] == half["b"] {
		t.Errorf("halves %v", half)
	}
	var b strings.Builder
	s.kinds(&b)
	if !strings.Contains(b.String(), "several,200,before,all,20,2,20,0,0.5000,0.5000,") {
		t.Error(b.String())
	}
}
