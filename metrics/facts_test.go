package metrics

import (
	"bytes"
	"math"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"github.com/qats-bench/qats/data"
)

// table returns rows as probabilities.
func table(rows ...[]float64) data.Probs {
	p := data.NewProbs(len(rows), len(rows[0]))
	for i, r := range rows {
		copy(p.Row(i), r)
	}
	return p
}

// logits returns rows as a set with labels.
func logits(labels []int32, rows ...[]float32) *data.Set {
	s := &data.Set{Labels: labels}
	if len(rows) > 0 {
		s.Logits = data.NewMatrix(len(rows), len(rows[0]))
		for i, r := range rows {
			copy(s.Logits.Row(i), r)
		}
	}
	return s
}

func TestAppend(t *testing.T) {
	f := &Facts{}
	p := table(
		[]float64{.2, .5, .3}, // plain
		[]float64{.4, .2, .4}, // a tie with the raw top class, which is the last
		[]float64{.4, .4, .2}, // a tie without it
		[]float64{0, 1, 0},    // certain and right
		[]float64{0, 1, 0},    // certain and wrong
	)
	set := logits([]int32{1, 0, 2, 1, 0},
		[]float32{0, 2, 1}, []float32{1, 0, 2}, []float32{0, 1, 3}, []float32{0, 5, 5}, []float32{-1, 5, 0})
	if err := f.Append(p, set); err != nil {
		t.Fatal(err)
	}
	want := &Facts{
		Conf:    []float64{.5, .4, .4, 1, 1},
		Pred:    []int32{1, 2, 0, 1, 1},
		Label:   []int32{1, 0, 2, 1, 0},
		NLL:     []float64{math.Ln2, -math.Log(.4), -math.Log(.2), 0, -math.Log(1e-300)},
		Brier:   []float64{.25 + .04 + .09, .36 + .04 + .16, .64 + .16 + .16, 0, 2},
		Changed: []bool{false, false, true, false, false},
	}
	for i := range f.N() {
		near(t, "NLL", f.NLL[i], want.NLL[i], 1e-13)
		near(t, "Brier", f.Brier[i], want.Brier[i], 1e-15)
		if math.Signbit(f.NLL[i]) {
			t.Errorf("row %d: NLL is -0", i)
		}
	}
	f.NLL, f.Brier = want.NLL, want.Brier
	if !reflect.DeepEqual(f, want) {
		t.Errorf("got  %+v\nwant %+v", f, want)
	}

	// Without logits the raw top class is that of the probabilities.
	g := NewFacts(5)
	if err := g.Append(p, logits(set.Labels)); err != nil {
		t.Fatal(err)
	}
	if want := []int32{1, 0, 0, 1, 1}; !reflect.DeepEqual(g.Pred, want) {
		t.Errorf("predictions %v, want %v", g.Pred, want)
	}
	if value(t, "argmax_change", g) != 0 || value(t, "argmax_change", f) != .2 {
		t.Error("argmax_change")
	}
}

// Blocks of any size give the same bits, against the definitions.
func TestAppendBlocks(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 1))
	const n, k = 200, 7
	p, set := data.NewProbs(n, k), &data.Set{Logits: data.NewMatrix(n, k), Labels: make([]int32, n)}
	for i := range n {
		sum := 0.0
		for j := range k {
			p.Row(i)[j] = rng.ExpFloat64()
			sum += p.Row(i)[j]
			set.Logits.Row(i)[j] = rng.Float32()
		}
		for j := range k {
			p.Row(i)[j] /= sum
		}
		set.Labels[i] = rng.Int32N(k)
	}
	whole, parts := NewFacts(n), &Facts{}
	if err := whole.Append(p, set); err != nil {
		t.Fatal(err)
	}
	for lo := 0; lo < n; {
		hi := min(n, lo+rng.IntN(30))
		if err := parts.Append(p.Slice(lo, hi), set.Rows(lo, hi)); err != nil {
			t.Fatal(err)
		}
		lo = hi
	}
	if !reflect.DeepEqual(whole, parts) {
		t.Error("blocks differ from the whole")
	}
	for i := range n {
		brier := 0.0
		for j, v := range p.Row(i) {
			if j == int(set.Labels[i]) {
				v = 1 - v
			}
			brier += v * v
		}
		near(t, "Brier", whole.Brier[i], brier, 1e-14)
		near(t, "NLL", whole.NLL[i], -math.Log(p.Row(i)[set.Labels[i]]), 1e-13)
	}
}

func TestAppendRefuses(t *testing.T) {
	good := []float64{.5, .25, .25}
	for _, c := range []struct {
		row   []float64
		label int32
		want  string
	}{
		{[]float64{.5, math.NaN(), .25}, 0, "row 3, class 1: NaN is not a probability"},
		{[]float64{math.NaN(), .5, .5}, 0, "row 3, class 0: NaN is not a probability"},
		{[]float64{.5, .75, -.25}, 0, "row 3, class 2: -0.25 is not a probability"},
		{[]float64{-.5, .75, .75}, 0, "row 3, class 0: -0.5 is not a probability"},
		{[]float64{math.Inf(1), 0, 0}, 1, "row 3, class 0: +Inf is not a probability"},
		{[]float64{0, 1 + 1e-9, 0}, 1, "row 3, class 1: 1.000000001 is not a probability"},
		{[]float64{.5, .25, .26}, 0, "row 3: probabilities sum to 1.01, which is not 1 within 1.2e-06"},
		{[]float64{0, 0, 0}, 0, "row 3: probabilities sum to 0, which is not 1 within 1.2e-06"},
		{good, 3, "row 3: label 3, but the classes are 0 to 2"},
		{good, -1, "row 3: label -1, but the classes are 0 to 2"},
	} {
		f := &Facts{}
		if err := f.Append(table(good, good), logits([]int32{0, 1})); err != nil {
			t.Fatal(err)
		}
		err := f.Append(table(good, c.row), logits([]int32{0, c.label}))
		if err == nil || err.Error() != c.want {
			t.Errorf("got  %v\nwant %s", err, c.want)
		}
		if f.N() != 2 || len(f.Changed) != 2 || len(f.Pred) != 2 {
			t.Errorf("%v: %d rows were kept, want 2", c.row, f.N())
		}
	}
	// A negative zero is zero, and float32 rounding passes.
	f := &Facts{}
	third := float64(float32(1) / 3)
	if err := f.Append(table([]float64{1, math.Copysign(0, -1), 0}, []float64{third, third, third}), logits([]int32{0, 1})); err != nil {
		t.Error(err)
	}
}

func TestEncode(t *testing.T) {
	rng := rand.New(rand.NewPCG(10, 1))
	f := sample(rng, 100, 1)
	f.Changed[3], f.NLL[4], f.Brier[5], f.Pred[6] = true, 5e-324, 1./3, 1<<30
	b, err := f.Encode()
	if err != nil {
		t.Fatal(err)
	}
	again, _ := f.Encode()
	if !bytes.Equal(b, again) {
		t.Error("two encodings differ")
	}
	g, err := DecodeFacts(b)
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(f, g) {
		t.Error("facts changed")
	}
	if _, err := (&Facts{}).Encode(); err == nil {
		t.Error("no rows were encoded")
	}
	if c, err := f.AppendEncoded([]byte("before")); err != nil || string(c[:6]) != "before" || !bytes.Equal(c[6:], b) {
		t.Errorf("appended: %v", err)
	}
	for _, n := range []int{0, 50, 200} { // with room and without
		used := sample(rng, 100, 1)
		used.Class = &ClassBins{}
		used.Reset(n)
		if used.N() != 0 || used.Class != nil || cap(used.Conf) < n || len(used.Changed) != 0 {
			t.Errorf("reset for %d rows: %+v", n, used)
		}
	}

	for _, at := range []int{200, len(b) / 2} { // inside columns
		bad := bytes.Clone(b)
		bad[at] ^= 1
		if _, err := DecodeFacts(bad); err == nil {
			t.Errorf("a flipped bit at byte %d passed", at)
		}
	}
	if _, err := DecodeFacts(b[:len(b)-30]); err == nil {
		t.Error("a truncated archive passed")
	}
	encode := func(members ...data.Member) []byte {
		var w bytes.Buffer
		if err := data.WriteNPZ(&w, members...); err != nil {
			t.Fatal(err)
		}
		return w.Bytes()
	}
	full := []data.Member{{Name: "conf", Float64: []float64{.5}}, {Name: "pred", Int32: []int32{0}}, {Name: "label", Int32: []int32{0}},
		{Name: "nll", Float64: []float64{1}}, {Name: "brier", Float64: []float64{1}}, {Name: "changed", Bool: []bool{false}}}
	if _, err := DecodeFacts(encode(full...)); err != nil {
		t.Error(err)
	}
	for _, c := range []struct {
		want   string
		member data.Member
	}{
		{"unequal", data.Member{Name: "nll", Float64: []float64{1, 1}}},
		{"another type", data.Member{Name: "nll", Int32: []int32{1}}},
		{"none of facts", data.Member{Name: "x", Float64: []float64{1}}},
		{"row 0", data.Member{Name: "nll", Float64: []float64{-1}}},
	} {
		members := append([]data.Member(nil), full...)
		members[3] = c.member
		if _, err := DecodeFacts(encode(members...)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("got %v, want %q", err, c.want)
		}
	}
	if _, err := DecodeFacts(encode(full[:5]...)); err == nil {
		t.Error("a lacking column passed")
	}
}

func FuzzAppend(f *testing.F) {
	f.Add(.5, .25, .25, int32(0))
	f.Add(math.NaN(), 1., 0., int32(1))
	f.Fuzz(func(t *testing.T, a, b, c float64, label int32) {
		facts := &Facts{}
		if err := facts.Append(table([]float64{a, b, c}), logits([]int32{label})); err != nil {
			return
		}
		for _, e := range Registry() {
			v, err := e.Compute(NewInput(facts, 1))
			for _, x := range v {
				if math.IsNaN(x) || math.IsInf(x, 0) {
					t.Errorf("%s of (%g, %g, %g), label %d: %g, %v", e.Name, a, b, c, label, x, err)
				}
			}
		}
	})
}
