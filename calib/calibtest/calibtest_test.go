package calibtest

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/qats-bench/qats/calib"
	"github.com/qats-bench/qats/data"
	"github.com/qats-bench/qats/internal/kernel/softmax"
)

// fake is a method whose parts can be replaced, one rule broken at a time. By
// itself it keeps every rule: it is the softmax.
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
	m := fakeMap{T: t, apply: f.apply}
	out := &calib.Fitted{Map: m}
	if in.Cal != nil {
		q := data.NewProbs(in.Cal.Logits.Rows, in.Cal.Logits.Cols)
		m.Apply(q, in.Cal)
		out.Report.NLL = meanNLL(q, in.Cal.Labels)
	}
	return out, nil
}

type fakeMap struct {
	T     float64
	apply func(dst data.Probs, set *data.Set)
}

func (m fakeMap) Apply(dst data.Probs, set *data.Set) {
	if m.apply != nil {
		m.apply(dst, set)
		return
	}
	for i := range set.Logits.Rows {
		softmax.Probs(dst.Row(i), set.Logits.Row(i), 1/m.T)
		softmax.FillTiny(dst.Row(i), set.Logits.Row(i), 1/m.T)
	}
}

// Scales writes 1/T, whatever apply does.
func (m fakeMap) Scales(dst []float64, _ *data.Set, _ *calib.Unscaled) {
	for i := range dst {
		dst[i] = 1 / m.T
	}
}

// sound is the contract and entry that the cases start from.
func sound() fake {
	return fake{contract: calib.Contract{Cal: data.Logits | data.Labels, Test: data.Logits, KeepsTop1: true}}
}

func (f fake) entry() calib.Entry {
	return calib.Entry{
		Name: "fake", Label: "Fake", Version: 1, Summary: "s", Reference: "r",
		New: func(func(any) error) (calib.Method, error) { return f, nil },
		Restore: func(decode func(any) error) (calib.Map, error) {
			m := fakeMap{apply: f.apply}
			if err := decode(&m); err != nil {
				return nil, err
			}
			if !(m.T >= 1e-3 && m.T <= 1e3) {
				return nil, fmt.Errorf("T = %v", m.T)
			}
			return m, nil
		},
	}
}

// TestSuite: sound methods pass every check, and each check finds the method
// that breaks its rule.
func TestSuite(t *testing.T) {
	s, err := newSubject(sound().entry(), Claims{MinimisesNLL: true})
	if err != nil {
		t.Fatal(err)
	}
	caught := map[string]bool{}
	for _, c := range checks() {
		if err := c.run(s); err != nil {
			t.Errorf("%s: a sound method: %v", c.name, err)
		}
		caught[c.name] = false
	}
	for _, c := range broken() {
		s, err := newSubject(c.entry, c.claims)
		if err != nil {
			t.Fatal(err)
		}
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

// fakeTopMap gives every predicted class one confidence, in its vectors another.
type fakeTopMap struct{ conf, vector float64 }

func (m fakeTopMap) Confidences(dst []float64, _ *data.Set, _ *calib.Unscaled) {
	for i := range dst {
		dst[i] = m.conf
	}
}

func (m fakeTopMap) Apply(dst data.Probs, set *data.Set) {
	for i := range set.Logits.Rows {
		for j := range dst.Row(i) {
			dst.Row(i)[j] = (1 - m.vector) / float64(dst.Cols-1)
		}
		dst.Row(i)[top(set.Logits.Row(i))] = m.vector
	}
}

func fakeTop(conf, vector float64, keeps bool) calib.Entry {
	f := sound()
	f.contract.KeepsTop1 = keeps
	f.fit = func(context.Context, calib.Input) (*calib.Fitted, error) {
		return &calib.Fitted{Map: fakeTopMap{conf, vector}}, nil
	}
	return f.entry()
}

type breach struct {
	check, how string
	entry      calib.Entry
	claims     Claims
}

// broken are methods that break one rule each.
func broken() []breach {
	plain := sound().entry()
	entry := func(change func(*calib.Entry)) calib.Entry {
		e := plain
		change(&e)
		return e
	}
	method := func(change func(*fake)) calib.Entry {
		f := sound()
		change(&f)
		return f.entry()
	}
	fit := func(temperature func(in calib.Input) float64) calib.Entry {
		return method(func(f *fake) {
			f.fit = func(ctx context.Context, in calib.Input) (*calib.Fitted, error) {
				return sound().fitted(ctx, in, temperature(in))
			}
		})
	}
	apply := func(after func(q data.Probs, set *data.Set)) calib.Entry {
		return method(func(f *fake) {
			f.apply = func(dst data.Probs, set *data.Set) {
				fakeMap{T: 1}.Apply(dst, set)
				after(dst, set)
			}
		})
	}
	contract := func(change func(*calib.Contract)) calib.Entry {
		return method(func(f *fake) { change(&f.contract) })
	}
	var fits atomic.Int64
	first := func(in calib.Input) float64 { return 2 + math.Tanh(float64(in.Cal.Logits.Data[0])) }
	return []breach{
		{"entry", "has no label", entry(func(e *calib.Entry) { e.Label = "" }), Claims{}},
		{"entry", "has a bad name", entry(func(e *calib.Entry) { e.Name = "My Method" }), Claims{}},
		{"entry", "reads test labels", contract(func(c *calib.Contract) { c.Test |= data.Labels }), Claims{}},
		{"entry", "drops the error of decode", entry(func(e *calib.Entry) {
			e.New = func(decode func(any) error) (calib.Method, error) { decode(nil); return sound(), nil }
		}), Claims{}},
		{"deterministic", "counts its fits", fit(func(calib.Input) float64 { return float64(1 + fits.Add(1)) }), Claims{}},
		{"shared", "fits otherwise after others", fit(func(in calib.Input) float64 {
			if in.Shared != nil {
				return 2
			}
			return 1
		}), Claims{}},
		{"declared-parts", "fits on features where it gets them", fit(func(in calib.Input) float64 {
			if in.Cal.Features.Present() {
				return 2
			}
			return 1
		}), Claims{}},
		{"declared-parts", "peeks at the target", fit(func(in calib.Input) float64 {
			if in.Target != nil {
				return 2
			}
			return 1
		}), Claims{}},
		{"probabilities", "does not normalise", apply(func(q data.Probs, _ *data.Set) {
			for i := range q.Data {
				q.Data[i] *= 1 - 1e-11
			}
		}), Claims{}},
		{"probabilities", "leaves a row out", apply(func(q data.Probs, _ *data.Set) { q.Row(q.Rows - 1)[0] = -1 }), Claims{}},
		{"top1", "rounds ties away", apply(func(q data.Probs, _ *data.Set) {
			for i := range q.Data {
				q.Data[i] = float64(float32(q.Data[i]))
			}
		}), Claims{}},
		{"top1", "hides that it keeps predictions", contract(func(c *calib.Contract) { c.KeepsTop1 = false }), Claims{}},
		{"row-wise", "looks at the row above", apply(func(q data.Probs, set *data.Set) {
			for i := 1; i < q.Rows; i++ {
				if set.Logits.Row(i - 1)[0] > 1 {
					softmax.Probs(q.Row(i), set.Logits.Row(i), 0.5)
				}
			}
		}), Claims{}},
		{"tempered", "applies more than its scales", apply(func(q data.Probs, _ *data.Set) {
			p := q.Row(q.Rows - 1)
			p[0], p[1] = p[1], p[0]
		}), Claims{}},
		{"tempered", "says that its scales change predictions", contract(func(c *calib.Contract) { c.KeepsTop1 = false }), Claims{}},
		{"top-label", "has another confidence in its vectors", fakeTop(0.9, 0.8, true), Claims{}},
		{"top-label", "is surer than certain", fakeTop(1.5, 1.5, true), Claims{}},
		{"top-label", "says that it changes predictions", fakeTop(0.9, 0.9, false), Claims{}},
		{"offset", "reads the offset", apply(func(q data.Probs, set *data.Set) {
			for i := range q.Rows {
				if set.Logits.Row(i)[0] > 10 {
					softmax.Probs(q.Row(i), set.Logits.Row(i), 0.5)
				}
			}
		}), Claims{}},
		{"offset", "says that it reads the offset", contract(func(c *calib.Contract) { c.TrueLogits = true }), Claims{}},
		{"class-order", "treats class 0 otherwise", apply(func(q data.Probs, set *data.Set) {
			for i := range q.Rows {
				softmax.Probs(q.Row(i), set.Logits.Row(i), 1+0.1*q.Row(i)[0])
			}
		}), Claims{}},
		{"row-order", "depends on the first row", fit(first), Claims{}},
		{"absent-class", "divides by the rows of class 0", method(func(f *fake) {
			f.fit = func(ctx context.Context, in calib.Input) (*calib.Fitted, error) {
				if !slices.Contains(in.Cal.Labels, 0) {
					return nil, errors.New("no rows of class 0")
				}
				return sound().fitted(ctx, in, 1)
			}
		}), Claims{}},
		{"no-aliasing", "keeps the calibration logits", method(func(f *fake) {
			f.fit = func(ctx context.Context, in calib.Input) (*calib.Fitted, error) {
				out, err := sound().fitted(ctx, in, 1)
				if err != nil {
					return nil, err
				}
				out.Map = fakeMap{T: 1, apply: func(dst data.Probs, set *data.Set) {
					fakeMap{T: first(in)}.Apply(dst, set)
				}}
				return out, nil
			}
		}), Claims{}},
		{"no-aliasing", "sorts the labels", fit(func(in calib.Input) float64 { slices.Sort(in.Cal.Labels); return 1 }), Claims{}},
		{"save-load", "loses a parameter", entry(func(e *calib.Entry) {
			e.New = func(func(any) error) (calib.Method, error) {
				f := sound()
				f.fit = func(ctx context.Context, in calib.Input) (*calib.Fitted, error) {
					out, err := sound().fitted(ctx, in, 1)
					if err == nil {
						out.Map = fakeMap{T: 1, apply: func(dst data.Probs, set *data.Set) { fakeMap{T: 3}.Apply(dst, set) }}
					}
					return out, err
				}
				return f, nil
			}
		}), Claims{}},
		{"hostile-params", "takes any T", entry(func(e *calib.Entry) {
			e.Restore = func(decode func(any) error) (calib.Map, error) {
				var m fakeMap
				err := decode(&m)
				return m, err
			}
		}), Claims{}},
		{"hostile-params", "panics", entry(func(e *calib.Entry) {
			e.Restore = func(decode func(any) error) (calib.Map, error) {
				m := fakeMap{apply: func(data.Probs, *data.Set) { panic("index out of range") }}
				err := decode(&m)
				return m, err
			}
		}), Claims{}},
		{"cancel", "never looks at its context", method(func(f *fake) {
			f.fit = func(_ context.Context, in calib.Input) (*calib.Fitted, error) {
				return sound().fitted(context.Background(), in, 1)
			}
		}), Claims{}},
		{"cancel", "returns another error", method(func(f *fake) {
			f.fit = func(ctx context.Context, in calib.Input) (*calib.Fitted, error) {
				if out, err := sound().fitted(ctx, in, 1); err == nil {
					return out, nil
				}
				return nil, errors.New("stopped")
			}
		}), Claims{}},
		{"tiny-sets", "refuses two rows", method(func(f *fake) {
			f.fit = func(ctx context.Context, in calib.Input) (*calib.Fitted, error) {
				if in.Cal.Logits.Rows < 3 {
					return nil, errors.New("too few rows")
				}
				return sound().fitted(ctx, in, 1)
			}
		}), Claims{}},
		{"nll", "is worse than nothing", fit(func(calib.Input) float64 { return 0.1 }), Claims{MinimisesNLL: true}},
		{"nll", "reports another NLL", method(func(f *fake) {
			f.fit = func(ctx context.Context, in calib.Input) (*calib.Fitted, error) {
				out, err := sound().fitted(ctx, in, 1)
				if err == nil {
					out.Report.NLL /= 2
				}
				return out, err
			}
		}), Claims{}},
	}
}
