package main

import (
	"bytes"
	"context"
	"io"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/qats-bench/qats/data"
	"github.com/qats-bench/qats/data/npy"
	"github.com/qats-bench/qats/experiments"
	"github.com/qats-bench/qats/experiments/spec"
	"github.com/qats-bench/qats/experiments/trial"
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
				if got, want := r.Methods[j.choose(x)].Name, byTrial(t, job{&pools[i], n, draw}); got != want {
					t.Errorf("%s/%s, %d rows, draw %d: %s, qats try chooses %s", r.Data, r.Model, n, draw, got, want)
				}
				x = x.wide()
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

// byTrial returns what qats try chooses in a draw, of the methods that it takes by itself.
func byTrial(t *testing.T, j job) string {
	t.Helper()
	in, err := j.input()
	if err != nil {
		t.Fatal(err)
	}
	list, err := spec.NewMethods(experiments.Registry(), []string{in.Recommended()})
	if err != nil {
		t.Fatal(err)
	}
	got, err := trial.Run(context.Background(), in, trial.Options{Methods: list, Unjudged: true})
	if err != nil {
		t.Fatal(err)
	}
	return got.Chosen().Method.Name
}

// The lists are those of the program.
func TestListsAreTheGroups(t *testing.T) {
	for name, group := range map[string]string{"rec": "@recommended", "rec-2": "@recommended-2"} {
		methods, err := spec.NewMethods(experiments.Registry(), []string{group})
		if err != nil {
			t.Fatal(err)
		}
		var want []string
		for _, m := range methods {
			want = append(want, m.Name)
		}
		got := slices.Sorted(slices.Values(lists[name]))
		if slices.Sort(want); !slices.Equal(got, want) {
			t.Errorf("%s has %v, %s %v", name, got, group, want)
		}
	}
	for name, list := range lists {
		for _, m := range list {
			if !slices.Contains(order, m) {
				t.Errorf("%s: no draw fits %s", name, m)
			}
		}
	}
}

// A method whose NLL is more than a nat above that of ts is chosen by no rule, whatever the score.
func TestAMethodThatExplodesIsNoCandidate(t *testing.T) {
	const n = 100
	constant := func(v float32) []float32 {
		list := make([]float32, n)
		for i := range list {
			list[i] = v + float32(i%7)/100
		}
		return list
	}
	for above, want := range map[float32]string{.9: "svs", 1.1: "ts"} {
		r := &record{N: n, K: 3}
		for name, v := range map[string][2]float32{"uncal": {2, .6}, "ts": {1, .5}, "svs": {1 + above, .1}} {
			m := method{Name: name, Crossed: true, Enough: true, Parameters: 1}
			r.Methods, r.nll, r.brier = append(r.Methods, m), append(r.nll, constant(v[0])), append(r.brier, constant(v[1]))
			for i := range r.brier[len(r.brier)-1] {
				r.brier[len(r.brier)-1][i] *= 1 + float32(i%5)/50 // differences are not constant
			}
		}
		j := judge(r)
		if got := r.Methods[j.choose(rule{"ts", 0, byBrier, false, "rec"})].Name; got != want {
			t.Errorf("%v nats above ts: %s, want %s", above, got, want)
		}
	}
}

// Where ts is no candidate there is no temperature at which shares could be tested.
func TestSharesCountAtATemperatureAlone(t *testing.T) {
	for bar, want := range map[string]string{"": "platt-logits", "bound": ""} {
		r := &record{N: 20, K: 2, SharesTS: .001, Methods: []method{{Name: "uncal"}, {Name: "ts", Bar: bar}, {Name: "platt-logits"}}}
		r.nll, r.brier = make([][]float32, 3), make([][]float32, 3)
		if got := judge(r).reference(shipped[two]); got != want {
			t.Errorf("bar %q: begins with %q, want %q", bar, got, want)
		}
	}
}

// The P of the shares test that -reshare writes are those of the fits, and -tables reads them; draws of two classes that lack
// quadratic-ridge are skipped.
func TestSharesAreThoseOfAFreshDraw(t *testing.T) {
	pools := []pool{forest(t, 2), forest(t, 4)}
	pools[1].Model = "rf-4"
	name := filepath.Join(t.TempDir(), "rows")
	f, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	want := map[string]sharesOf{}
	for i := range pools {
		for draw := range 2 {
			r, err := job{&pools[i], 100, draw}.fit(context.Background())
			if err != nil {
				t.Fatal(err)
			}
			want[r.id()] = sharesOf{r.Shares, r.SharesTS}
			r.Shares, r.SharesTS = .5, .5
			if draw == 1 && r.K == 2 {
				r.Methods = r.Methods[:len(r.Methods)-1]
			}
			if err := r.write(f); err != nil {
				t.Fatal(err)
			}
		}
	}
	if len(want) != 4 || want["forest/rf/100/0"] == want["forest/rf/100/1"] {
		t.Fatalf("the draws test little: %v", want)
	}
	var b bytes.Buffer
	if err := reshare(&b, pools, []string{name}); err != nil {
		t.Fatal(err)
	}
	at := filepath.Join(t.TempDir(), "shares")
	if err := os.WriteFile(at, b.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
	got, err := readShares(at)
	if err != nil || !maps.Equal(got, want) {
		t.Errorf("%v (%v), want %v", got, err, want)
	}
	s := newStudy()
	s.shares = got
	if err := s.read(name); err != nil || s.draws != 3 || s.skipped != 1 {
		t.Errorf("%d draws, %d skipped (%v)", s.draws, s.skipped, err)
	}
	delete(got, "forest/rf/100/0")
	if err := s.read(name); err == nil || !strings.Contains(err.Error(), "-reshare") {
		t.Errorf("a draw without shares: %v", err)
	}
	if err := reshare(&b, pools[:1], []string{name}); err == nil || !strings.Contains(err.Error(), "rf-4") {
		t.Errorf("a model without a folder: %v", err)
	}
}

// Each network has a name of its own, also those of -more, whose folders are those of networks.
func TestNetworksOfMoreHaveNames(t *testing.T) {
	pools, err := readPools("", "../../../data/bundle/cifar10-jpeg", "")
	if err != nil || len(pools) < 2 {
		t.Fatalf("%d networks (%v)", len(pools), err)
	}
	names := map[string]bool{}
	for _, p := range pools {
		names[p.Model] = true
		if p.Data != "cifar10-jpeg" || p.Model == "" || p.two {
			t.Errorf("%+v", p)
		}
	}
	if len(names) != len(pools) {
		t.Errorf("%d names of %d networks", len(names), len(pools))
	}
	if _, err := readPools("../../../data/bundle", "../../../data/bundle/cifar10-jpeg", ""); err == nil {
		t.Error("networks that are given twice")
	}
}

// -classes and -sizes leave the draws as they are and take some of them.
func TestSomeOfTheDraws(t *testing.T) {
	pools := []pool{{Model: "a", two: true}, {Model: "b"}, {Model: "c", two: true}}
	for classes, want := range map[string]string{"": "abc", two: "ac", several: "b"} {
		list, err := ofClasses(slices.Clone(pools), classes)
		got := ""
		for _, p := range list {
			got += p.Model
		}
		if err != nil || got != want {
			t.Errorf("%q: %s (%v), want %s", classes, got, err, want)
		}
	}
	if _, err := ofClasses(pools, "three"); err == nil {
		t.Error("three classes")
	}
	some, err := sizesOf("100,500")
	if err != nil || !slices.Equal(some, []int{100, 500}) {
		t.Errorf("%v (%v)", some, err)
	}
	if _, err := sizesOf("100,7"); err == nil {
		t.Error("7 rows")
	}
	all := map[string]bool{}
	for _, j := range jobs(pools, sizes, 3) {
		all[j.id()] = true
	}
	few := jobs(pools, some, 3)
	for _, j := range few {
		if !all[j.id()] {
			t.Errorf("%s is no draw of all sizes", j.id())
		}
	}
	if len(all) != 3*7*3 || len(few) != 3*2*3 {
		t.Errorf("%d and %d draws", len(all), len(few))
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
	s := newStudy()
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
	for name, draws := range map[string]int{"a/network": 12, "a/other": 3, "b/network": 12} {
		data, name, _ := strings.Cut(name, "/")
		m := model{data, name, 200}
		s.drawn[m], s.kindOf[m] = draws, map[string]bool{several: true, zeros: true}
	}
	if models, each := s.each(several, 200, func(data string) bool { return data == "b" }); models != 1 || each != "12" {
		t.Errorf("%d models, %s draws", models, each)
	}
	var b strings.Builder
	s.kinds(&b)
	if !strings.Contains(b.String(), "several,200,before,all,20,3,3 to 12,2,20,0,0.5000,0.5000,") {
		t.Error(b.String())
	}
}
