package all_test

import (
	"bytes"
	"crypto/sha256"
	"flag"
	"fmt"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/qats-bench/qats/calib"
	"github.com/qats-bench/qats/calib/all"
	"github.com/qats-bench/qats/calib/calibtest"
	"github.com/qats-bench/qats/data"
)

// dyadicSet returns n rows of k logits with all parts, which every machine draws alike, and whose multiples by powers of two
// are exact. Three rows of four are predicted right.
func dyadicSet(n, k int) *data.Set {
	rng := rand.New(rand.NewPCG(uint64(n), uint64(k)))
	matrix := func(rows int) data.Matrix {
		m := data.NewMatrix(rows, k)
		for i := range m.Data {
			m.Data[i] = float32(rng.IntN(1024)-512) / 64
		}
		return m
	}
	set := &data.Set{Logits: matrix(n), Augmented: []data.Matrix{matrix(n)}, OOD: matrix(15), Labels: make([]int32, n),
		Head: data.Linear{W: data.NewMatrix(k, k), B: make([]float32, k)}}
	set.Features = data.Matrix{Rows: n, Cols: k, Data: append([]float32(nil), set.Logits.Data...)}
	for j := range k {
		set.Head.W.Row(j)[j] = 1
	}
	for i := range n {
		set.Labels[i] = int32(rng.IntN(k))
		if rng.IntN(4) == 0 {
			continue
		}
		row := set.Logits.Row(i)
		for j := range row {
			if row[j] > row[set.Labels[i]] {
				set.Labels[i] = int32(j)
			}
		}
	}
	return set
}

// byLibrary are the methods whose sums are in the order of gonum's vector code, which depends on the processor.
func byLibrary() []string {
	return []string{"spline", "vs", "svs", "sms", "dirichlet", "ms-odir", "label-shift", "adats", "gc", "gc-split", "pts", "smart"}
}

// Every method has the same saved model and the same probabilities on every processor, of logits of usual size and of multiples
// that are divided; of methods byLibrary the file has six digits of the NLL. calib.Fit and calib.FitInput agree. The golden file
// detects changes: a change of it is a change of numbers, which raises softmax.Version or the versions of the methods.
func TestModelsOfMultiplesOfLogits(t *testing.T) {
	cal, test := dyadicSet(160, 4), dyadicSet(50, 4)
	var got strings.Builder
	for _, e := range all.Registry() {
		m, err := calibtest.Method(e, claims()[e.Name].Options)
		if err != nil {
			t.Fatal(err)
		}
		c := m.Contract()
		for _, exponent := range []int{-12, 0, 12} {
			by := math.Ldexp(1, exponent)
			on, to := multiple(cal, by), multiple(test, by)
			in := calib.Input{Cal: on.View(c.Cal), Seed: 1}
			if c.Target != 0 {
				in.Target = to.View(c.Target)
			}
			f, err := calib.FitInput(t.Context(), m, in)
			if err != nil {
				fmt.Fprintf(&got, "%s x 2^%d: %v\n", e.Name, exponent, err)
				continue
			}
			text := saved(t, e, f)
			if c.Target == 0 {
				door, err := calib.Fit(t.Context(), m, on)
				if err != nil {
					t.Fatalf("%s: %v", e.Name, err)
				}
				if again := saved(t, e, door); !bytes.Equal(again, text) {
					t.Errorf("%s x 2^%d: calib.Fit saves\n%s\nand not\n%s", e.Name, exponent, again, text)
				}
			}
			if slices.Contains(byLibrary(), e.Name) {
				fmt.Fprintf(&got, "%s x 2^%d: nll=%.6g\n", e.Name, exponent, f.Report.NLL)
				continue
			}
			h := fnv.New64a()
			for _, p := range probabilities(t, e, f, to).Data {
				fmt.Fprintf(h, "%x ", math.Float64bits(p))
			}
			fmt.Fprintf(&got, "%s x 2^%d: nll=%x model=%.8x probabilities=#%x\n", e.Name, exponent, f.Report.NLL, sha256.Sum256(text), h.Sum64())
		}
	}
	const golden = "testdata/multiples.golden"
	if flag.Lookup("update").Value.String() == "true" { // facts_test.go has it
		if err := os.WriteFile(golden, []byte(got.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if got.String() != string(want) {
		t.Errorf("got\n%s\nwant\n%s", &got, want)
	}
}

// saved returns a fit as model.json.
func saved(t *testing.T, e calib.Entry, f *calib.Fitted) []byte {
	t.Helper()
	var text bytes.Buffer
	m := calib.Model{Method: e.Name, Version: e.Version, Classes: 4, Fitted: *f}
	if err := m.Save(&text); err != nil {
		t.Fatalf("%s: %v", e.Name, err)
	}
	return text.Bytes()
}
