package calibtest

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/qats-bench/qats/calib"
	"github.com/qats-bench/qats/data"
	"github.com/qats-bench/qats/internal/kernel/softmax"
)

// fake is a method whose parts can be replaced, to break one rule at a time.
// Unchanged it is the softmax and keeps every rule.
type fake struct {
	contract calib.Contract
	fit      func(ctx context.Context, in calib.Input) (*calib.Fitted, error)
	apply    func(dst data.Probs, set *data.Set)
}

func (f fake) Contract() calib.Contract { return f.contract }

func (f fake) Fit(ctx context.Context, in calib.Input) (*calib.Fitted, error) {
	if f.fit != nil {
		return f.fit(ctx, in)
	}
	return f.fitted(ctx, in, 1)
}

// fitted returns the softmax at temperature t, with its NLL.
func (f fake) fitted(ctx context.Context, in calib.Input, t float64) (*calib.Fitted, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	var m calib.Map = softmaxMap{T: t}
	if f.apply != nil {
		m = vectorMap{T: t, apply: f.apply}
	}
	out := &calib.Fitted{Map: m}
	if in.Cal != nil {
		q, err := out.Probabilities(in.Cal)
		if err != nil {
			return nil, err
		}
		out.Report.NLL = meanNLL(q, in.Cal.Labels)
	}
	return out, nil
}

// softmaxMap is the softmax at one temperature.
type softmaxMap struct{ T float64 }

func (m softmaxMap) Check() error {
	if !(m.T >= 1e-3 && m.T <= 1e3) {
		return fmt.Errorf("T = %v", m.T)
	}
	return nil
}

func (m softmaxMap) Scales(dst []float64, _ *data.Set, _ *calib.Unscaled) {
	for i := range dst {
		dst[i] = 1 / m.T
	}
}

// vectorMap is the map that apply computes.
type vectorMap struct {
	T     float64
	apply func(dst data.Probs, set *data.Set)
}

func (m vectorMap) Check() error                        { return softmaxMap{m.T}.Check() }
func (m vectorMap) Apply(dst data.Probs, set *data.Set) { m.apply(dst, set) }

// looseMap accepts any T.
type looseMap struct{ softmaxMap }

func (looseMap) Check() error { return nil }

// panickyMap panics.
type panickyMap struct{ T float64 }

func (panickyMap) Check() error                { return nil }
func (panickyMap) Apply(data.Probs, *data.Set) { panic("index out of range") }

// doubleMap has scales and writes vectors.
type doubleMap struct{ softmaxMap }

func (m doubleMap) Apply(dst data.Probs, set *data.Set) { must(calib.Apply(m.softmaxMap, dst, set)) }

// namelessMap has two parameters of one name.
type namelessMap struct{ softmaxMap }

func (m namelessMap) Parameters() []calib.Parameter {
	return []calib.Parameter{{Name: "T", Value: m.T}, {Name: "T", Value: m.T}}
}

// sound is the contract and entry that the cases start from.
func sound() fake {
	return fake{contract: calib.Contract{Cal: data.Logits | data.Labels, Test: data.Logits, KeepsTop1: true, Masked: true}}
}

// fakeEntry is the entry of a fake whose loaded map is a P.
func fakeEntry[P calib.Map]() calib.Entry {
	return calib.NewEntry[fake, P](calib.Entry{Name: "fake", Label: "Fake", Version: 1, Summary: "s", Sheet: calib.Sheet{Reference: "r"}})
}

// Sound methods pass every check, and each check finds the methods that break its
// rule.
func TestEveryCheckFindsItsBreach(t *testing.T) {
	s := subjectOf(t, breach{method: sound(), claims: Claims{MinimisesNLL: true, Certainty: Certainty{Never: true}, Scale: Scale{Most: 3, Why: "it is the softmax at T = 1"}}})
	caught := map[string]bool{}
	for _, c := range checks() {
		if err := c.run(s); err != nil {
			t.Errorf("%s: a sound method: %v", c.name, err)
		}
		caught[c.name] = false
	}
	for _, c := range broken() {
		s := subjectOf(t, c)
		for _, k := range checks() {
			if k.name != c.check {
				continue
			}
			caught[c.check] = true
			if err := k.run(s); err == nil {
				t.Errorf("%s: passed a method that %s", c.check, c.how)
			}
		}
	}
	for name, ok := range caught {
		if !ok {
			t.Errorf("no broken method for check %s", name)
		}
	}
}

// subjectOf returns the subject of a case.
func subjectOf(t *testing.T, c breach) *subject {
	t.Helper()
	entry := fakeEntry[softmaxMap]()
	if c.entry.Name != "" {
		entry = c.entry
	}
	if c.change != nil {
		c.change(&entry)
	}
	s, err := newSubject(entry, c.claims)
	if err != nil {
		t.Fatal(err)
	}
	s.method, s.contract, s.deadline = c.method, c.method.Contract(), 200*time.Millisecond
	return s
}

// topMap gives every predicted class one confidence.
type topMap struct{ G float64 }

func (topMap) Check() error                 { return nil }
func (m topMap) Confidence(float64) float64 { return m.G }

// fakeTop is a method whose map gives the confidence g.
func fakeTop(g float64, keeps bool) fake {
	f := sound()
	f.contract.KeepsTop1 = keeps
	f.fit = func(context.Context, calib.Input) (*calib.Fitted, error) {
		return &calib.Fitted{Map: topMap{g}}, nil
	}
	return f
}

// breach is a method that breaks a rule.
type breach struct {
	check, how string
	method     calib.Method
	claims     Claims
	change     func(*calib.Entry) // of the entry
	entry      calib.Entry        // replaces the entry of fake, if it has a name
}

// broken are methods that break one rule each.
func broken() []breach {
	method := func(change func(*fake)) calib.Method {
		f := sound()
		change(&f)
		return f
	}
	fit := func(temperature func(in calib.Input) float64) calib.Method {
		return method(func(f *fake) {
			f.fit = func(ctx context.Context, in calib.Input) (*calib.Fitted, error) {
				return sound().fitted(ctx, in, temperature(in))
			}
		})
	}
	fitsTo := func(m calib.Map) calib.Method {
		return method(func(f *fake) {
			f.fit = func(context.Context, calib.Input) (*calib.Fitted, error) { return &calib.Fitted{Map: m}, nil }
		})
	}
	apply := func(after func(q data.Probs, set *data.Set)) calib.Method {
		return method(func(f *fake) {
			f.apply = func(dst data.Probs, set *data.Set) {
				must(calib.Apply(softmaxMap{1}, dst, set))
				after(dst, set)
			}
		})
	}
	contract := func(change func(*calib.Contract)) calib.Method {
		return method(func(f *fake) { change(&f.contract) })
	}
	var fits atomic.Int64
	first := func(in calib.Input) float64 { return 2 + math.Tanh(float64(in.Cal.Logits.Data[0])) }
	return []breach{
		{check: "entry", how: "has no label", method: sound(), change: func(e *calib.Entry) { e.Label = "" }},
		{check: "entry", how: "has a bad name", method: sound(), change: func(e *calib.Entry) { e.Name = "My Method" }},
		{check: "entry", how: "reads test labels", method: contract(func(c *calib.Contract) { c.Test |= data.Labels })},
		{check: "entry", how: "divides a stream", method: contract(func(c *calib.Contract) { c.LogitSize, c.Streams = calib.SizeOfValues, true })},
		{check: "entry", how: "has an option without help", method: sound(), entry: calib.NewEntry[helpless, softmaxMap](calib.Entry{
			Name: "fake", Label: "Fake", Version: 1, Summary: "s", Sheet: calib.Sheet{Reference: "r"}})},
		{check: "deterministic", how: "counts its fits", method: fit(func(calib.Input) float64 { return float64(1 + fits.Add(1)) })},
		{check: "shared", how: "depends on other fits", method: fit(func(in calib.Input) float64 {
			if in.Shared != nil {
				return 2
			}
			return 1
		})},
		{check: "declared-parts", how: "uses features if it gets them", method: fit(func(in calib.Input) float64 {
			if in.Cal.Features.Present() {
				return 2
			}
			return 1
		})},
		{check: "declared-parts", how: "uses the target", method: fit(func(in calib.Input) float64 {
			if in.Target != nil {
				return 2
			}
			return 1
		})},
		{check: "probabilities", how: "does not normalise", method: apply(func(q data.Probs, _ *data.Set) {
			for i := range q.Data {
				q.Data[i] *= 1 - 1e-11
			}
		})},
		{check: "probabilities", how: "leaves a row out", method: apply(func(q data.Probs, _ *data.Set) { q.Row(q.Rows - 1)[0] = -1 })},
		{check: "top1", how: "rounds ties away", method: apply(func(q data.Probs, _ *data.Set) {
			for i := range q.Data {
				q.Data[i] = float64(float32(q.Data[i]))
			}
		})},
		{check: "top1", how: "hides that it keeps predictions", method: contract(func(c *calib.Contract) { c.KeepsTop1 = false })},
		{check: "row-wise", how: "looks at the row above", method: apply(func(q data.Probs, set *data.Set) {
			for i := 1; i < q.Rows; i++ {
				if set.Logits.Row(i - 1)[0] > 1 {
					softmax.Probs(q.Row(i), set.Logits.Row(i), 0.5)
				}
			}
		})},
		{check: "kind", how: "has scales and writes vectors", method: fitsTo(doubleMap{softmaxMap{1}})},
		{check: "kind", how: "has a negative scale", method: fitsTo(softmaxMap{-1})},
		{check: "kind", how: "says that its scales change predictions", method: contract(func(c *calib.Contract) { c.KeepsTop1 = false })},
		{check: "kind", how: "has a confidence above 1", method: fakeTop(1.5, true)},
		{check: "kind", how: "says that it changes predictions", method: fakeTop(0.9, false)},
		{check: "parameters", how: "names two parameters alike", method: fitsTo(namelessMap{softmaxMap{1}})},
		{check: "deterministic", how: "never ends", method: method(func(f *fake) {
			f.fit = func(context.Context, calib.Input) (*calib.Fitted, error) { select {} }
		})},
		{check: "offset", how: "reads the offset", method: apply(func(q data.Probs, set *data.Set) {
			for i := range q.Rows {
				if set.Logits.Row(i)[0] > 10 {
					softmax.Probs(q.Row(i), set.Logits.Row(i), 0.5)
				}
			}
		})},
		{check: "offset", how: "says that it reads the offset", method: contract(func(c *calib.Contract) { c.TrueLogits = true })},
		{check: "class-order", how: "treats class 0 differently", method: apply(func(q data.Probs, set *data.Set) {
			for i := range q.Rows {
				softmax.Probs(q.Row(i), set.Logits.Row(i), 1+0.1*q.Row(i)[0])
			}
		})},
		{check: "row-order", how: "depends on the first row", method: fit(first)},
		{check: "scale", how: "is the softmax at T = 1", method: sound(), claims: Claims{Scale: Scale{Most: ScaleMost}}},
		{check: "scale", how: "gives no reason", method: sound(), claims: Claims{Scale: Scale{Most: 3}}},
		{check: "certain", how: "trusts the largest logit", claims: Claims{Certainty: Certainty{Never: true}}, method: apply(func(q data.Probs, set *data.Set) {
			for i := range q.Rows {
				clear(q.Row(i))
				q.Row(i)[top(set.Logits.Row(i))] = 1
			}
		})},
		{check: "certain", how: "trusts it for no reason, and says so", claims: Claims{Certainty: Certainty{Why: "it does"}}, method: apply(func(q data.Probs, set *data.Set) {
			for i := range q.Rows {
				clear(q.Row(i))
				q.Row(i)[top(set.Logits.Row(i))] = 1
			}
		})},
		{check: "certain", how: "says that it may be certain", method: sound(), claims: Claims{Certainty: Certainty{Why: "it does"}}},
		{check: "masked", how: "counts the classes", method: fit(func(in calib.Input) float64 { return float64(in.Cal.Logits.Cols) })},
		{check: "masked", how: "reads the least logit", method: fit(func(in calib.Input) float64 { return 1 + math.Tanh(-float64(slices.Min(in.Cal.Logits.Row(0)))/100) })},
		{check: "masked", how: "gives all to the least logit", method: apply(func(q data.Probs, set *data.Set) {
			for i := range q.Rows {
				clear(q.Row(i))
				row := set.Logits.Row(i)
				q.Row(i)[slices.Index(row, slices.Min(row))] = 1
			}
		})},
		{check: "confidence-alone", how: "divides logits by a temperature", method: contract(func(c *calib.Contract) { c.Confidence = true })},
		{check: "absent-class", how: "divides by the rows of class 0", method: method(func(f *fake) {
			f.fit = func(ctx context.Context, in calib.Input) (*calib.Fitted, error) {
				if !slices.Contains(in.Cal.Labels, 0) {
					return nil, errors.New("no rows of class 0")
				}
				return sound().fitted(ctx, in, 1)
			}
		})},
		{check: "no-aliasing", how: "keeps the calibration logits", method: method(func(f *fake) {
			f.fit = func(ctx context.Context, in calib.Input) (*calib.Fitted, error) {
				out, err := sound().fitted(ctx, in, 1)
				if err != nil {
					return nil, err
				}
				out.Map = vectorMap{T: 1, apply: func(dst data.Probs, set *data.Set) {
					must(calib.Apply(softmaxMap{T: first(in)}, dst, set))
				}}
				return out, nil
			}
		})},
		{check: "no-aliasing", how: "sorts the labels", method: fit(func(in calib.Input) float64 { slices.Sort(in.Cal.Labels); return 1 })},
		{check: "save-load", how: "loses a parameter", method: fitsTo(vectorMap{T: 1, apply: func(dst data.Probs, set *data.Set) {
			must(calib.Apply(softmaxMap{T: 3}, dst, set))
		}})},
		{check: "hostile-params", how: "accepts any T", method: sound(), entry: fakeEntry[looseMap]()},
		{check: "hostile-params", how: "panics", method: sound(), entry: fakeEntry[panickyMap]()},
		{check: "cancel", how: "never looks at its context", method: method(func(f *fake) {
			f.fit = func(_ context.Context, in calib.Input) (*calib.Fitted, error) {
				return sound().fitted(context.Background(), in, 1)
			}
		})},
		{check: "cancel", how: "returns another error", method: method(func(f *fake) {
			f.fit = func(ctx context.Context, in calib.Input) (*calib.Fitted, error) {
				if out, err := sound().fitted(ctx, in, 1); err == nil {
					return out, nil
				}
				return nil, errors.New("stopped")
			}
		})},
		{check: "tiny-sets", how: "rejects two rows", method: method(func(f *fake) {
			f.fit = func(ctx context.Context, in calib.Input) (*calib.Fitted, error) {
				if in.Cal.Logits.Rows < 3 {
					return nil, errors.New("too few rows")
				}
				return sound().fitted(ctx, in, 1)
			}
		})},
		{check: "extreme-sets", how: "never ends on large logits", method: method(func(f *fake) {
			f.fit = func(ctx context.Context, in calib.Input) (*calib.Fitted, error) {
				if in.Cal.Logits.Data[0] > 1e30 || in.Cal.Logits.Data[0] < -1e30 {
					select {}
				}
				return sound().fitted(ctx, in, 1)
			}
		})},
		{check: "extreme-sets", how: "divides by the difference of large logits", method: apply(func(q data.Probs, set *data.Set) {
			for i := range q.Rows {
				if l := set.Logits.Row(i); l[0] > 1e30 {
					q.Row(i)[0] = math.NaN()
				}
			}
		})},
		{check: "extreme-sets", how: "saves what its reader rejects", method: fitsTo(looseMap{softmaxMap{1e9}})},
		{check: "nll", how: "is worse than the network", method: fit(func(calib.Input) float64 { return 0.1 }), claims: Claims{MinimisesNLL: true}},
		{check: "nll", how: "reports another NLL", method: method(func(f *fake) {
			f.fit = func(ctx context.Context, in calib.Input) (*calib.Fitted, error) {
				out, err := sound().fitted(ctx, in, 1)
				if err == nil {
					out.Report.NLL /= 2
				}
				return out, err
			}
		})},
	}
}

// helpless is a method with an option without help.
type helpless struct {
	fake
	N int
}

func (h *helpless) Options() []calib.Option {
	return []calib.Option{calib.IntOption("n", &h.N, 1, 1, 2, "")}
}
