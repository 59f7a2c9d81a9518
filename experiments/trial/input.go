package trial

import (
	"context"
	"fmt"

	"github.com/qats-bench/qats/data"
	"github.com/qats-bench/qats/experiments/inspect"
	"github.com/qats-bench/qats/experiments/look"
)

// scored are the arrays that every set needs.
const scored = data.Logits | data.Labels

// Set is a set in memory.
type Set struct {
	look.Place
	*data.Set
	Form data.Form
}

// Input is the arrays of one network in memory, with what an inspection has found.
type Input struct {
	Given *look.Given
	Cal   *Set
	Test  *Set // nil where there is one set

	Inspection *inspect.Inspection
}

// Judges returns the set whose rows judge: the test set, or the only one.
func (in *Input) Judges() *Set {
	if in.Test != nil {
		return in.Test
	}
	return in.Cal
}

// Read reads the arrays that methods may need and inspects them. It is an error if they take
// more memory than the limit.
func Read(ctx context.Context, g *look.Given, need data.Parts, memory int64) (*Input, error) {
	in := &Input{Given: g}
	var err error
	if in.Cal, err = readSet(ctx, g.Cal, need, memory/3); err != nil { // it is held twice more, in the order of its folds
		return nil, err
	}
	if g.Test != nil {
		if in.Test, err = readSet(ctx, *g.Test, need, memory-3*in.Cal.bytes()); err != nil {
			return nil, err
		}
		if a, b := in.Cal.Confidence != nil, in.Test.Confidence != nil; a != b {
			return nil, fmt.Errorf("one of %s and %s has a confidence alone and the other has logits; give both sets the same arrays", g.Cal.Name, g.Test.Name)
		}
		if a, b := in.Cal.K(), in.Test.K(); a != b {
			return nil, fmt.Errorf("%s has %d classes, %s has %d; give both sets the same columns, in the same order", g.Cal.Name, a, g.Test.Name, b)
		}
	}
	return in, in.inspect(ctx)
}

// InMemory returns sets in memory as the input of a trial; test is nil where there is one set.
func InMemory(ctx context.Context, name string, cal, test *data.Set) (*Input, error) {
	for _, set := range []**data.Set{&cal, &test} {
		if *set == nil {
			continue
		}
		var err error
		if *set, err = (*set).Counted(false); err != nil {
			return nil, err
		}
	}
	in := &Input{Given: look.New(name, look.Unnamed, look.Place{Name: "cal"}), Cal: &Set{Place: look.Place{Name: "cal"}, Set: cal, Form: data.Form{Confidence: cal.Confidence != nil}}}
	if test != nil {
		in.Test = &Set{Place: look.Place{Name: "test"}, Set: test, Form: data.Form{Confidence: test.Confidence != nil}}
	}
	return in, in.inspect(ctx)
}

// readSet reads a set.
func readSet(ctx context.Context, p look.Place, need data.Parts, memory int64) (*Set, error) {
	if missing := scored &^ p.Has; missing != 0 {
		return nil, fmt.Errorf("%s: there are no %s; save them beside each other", p.Name, missing)
	}
	r, err := p.Open(ctx, p.Has&(need|scored))
	if err != nil {
		return nil, err
	}
	defer r.Close()
	if r.Bytes() > memory {
		return nil, fmt.Errorf("%s: the set takes %d MiB, and a trial holds a calibration set three times; raise --max-memory, or try its first rows", p.Name, r.Bytes()>>20+1)
	}
	s := &Set{Place: p}
	if s.Form, err = r.Form(); err != nil {
		return nil, err
	}
	s.Set, err = data.Read(ctx, r, 0, r.Rows())
	return s, err
}

// bytes is the memory of the logits, which is most of that of a set.
func (s *Set) bytes() int64 { return 4*int64(len(s.Logits.Data)) + 8*int64(len(s.Confidence)) }

// inspect looks for what is wrong with the sets.
func (in *Input) inspect(ctx context.Context) error {
	cal := in.Cal.arrays()
	var test *inspect.Arrays
	if in.Test != nil {
		a := in.Test.arrays()
		test = &a
	}
	var err error
	in.Inspection, err = inspect.Pair(ctx, cal, test)
	return err
}

// arrays returns the set for an inspection.
func (s *Set) arrays() inspect.Arrays {
	return inspect.Arrays{Name: s.Name, Known: s.Known, Open: func(context.Context) (data.Reader, error) {
		return formed{data.ReadRows(s.Set), s.Form}, nil
	}}
}

// formed is a reader of rows in memory that were read in a form.
type formed struct {
	data.Reader
	form data.Form
}

func (r formed) Form() (data.Form, error) { return r.form, nil }
