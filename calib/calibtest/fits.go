package calibtest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"reflect"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/qats-bench/qats/calib"
	"github.com/qats-bench/qats/data"
)

// entryComplete: the entry has all that specs, tables and `qats doc methods` show.
func entryComplete(s *subject) error {
	e := s.entry
	switch {
	case !regexp.MustCompile(`^[a-z][a-z0-9-]*$`).MatchString(e.Name):
		return fmt.Errorf("name %q: want lower-case letters, digits and -", e.Name)
	case e.Label == "" || e.Summary == "" || e.Reference == "":
		return errors.New("label, summary or reference is empty")
	case strings.Contains(e.Summary, "\n"):
		return errors.New("the summary has several lines")
	case e.Version < 1:
		return fmt.Errorf("version %d: want 1 or more", e.Version)
	case s.contract.Target&data.Labels != 0:
		return errors.New("the contract asks for labels of the target domain")
	case s.contract.Test&data.Labels != 0:
		return errors.New("the contract asks for labels of the test set")
	case s.contract.LogitSize != calib.AnySize && s.contract.Streams:
		return errors.New("the contract has a LogitSize and Streams: logits are divided in memory")
	}
	for _, o := range e.Options() {
		if !regexp.MustCompile(`^[a-z][a-z0-9_]*$`).MatchString(o.Name) || o.Help == "" || o.Range == "" {
			return fmt.Errorf("option %q, help %q, range %q: want a name of lower-case letters, digits and _, help and a range", o.Name, o.Help, o.Range)
		}
		if o.Default == nil {
			continue // derived from the data
		}
		if err := o.Set(o.Default); err != nil || o.Value() != o.Default {
			return fmt.Errorf("option %s: the default %v is not accepted: %v, %v", o.Name, o.Default, o.Value(), err)
		}
	}
	return nil
}

// encoded is a fit as bytes.
func encoded(f *calib.Fitted) ([]byte, error) {
	return json.Marshal(struct {
		Map    calib.Map
		Report calib.Report
	}{f.Map, f.Report})
}

// sameFit returns an error that begins with what if two fits differ in map or report.
func sameFit(what string, got, want *calib.Fitted) error {
	a, err := encoded(got)
	if err != nil {
		return err
	}
	b, err := encoded(want)
	if err == nil && !bytes.Equal(a, b) {
		err = fmt.Errorf("%s:\n%s\n%s", what, a, b)
	}
	return err
}

// deterministic: three fits, two of them at the same time, have the same bytes.
func deterministic(s *subject) error {
	var wait sync.WaitGroup
	fits, errs := make([]*calib.Fitted, 3), make([]error, 3)
	fit := func(i int) { fits[i], errs[i] = s.fitAnew(s.cal, s.test) }
	fit(0)
	for i := 1; i < 3; i++ {
		wait.Go(func() { fit(i) })
	}
	wait.Wait()
	if err := errors.Join(errs...); err != nil {
		return err
	}
	return errors.Join(sameFit("two fits differ", fits[1], fits[0]), sameFit("two fits differ", fits[2], fits[0]))
}

// shared: results of ts that are cached on the same set change no bit.
func shared(s *subject, unshared *calib.Fitted) error {
	in := s.input(s.cal, s.test)
	in.Shared = &calib.Shared{}
	if _, err := calib.FitInput(context.Background(), calib.TemperatureScaling{}, calib.Input{Cal: s.cal, Shared: in.Shared}); err != nil {
		return err
	}
	after, err := s.fitInput(context.Background(), in)
	if err != nil {
		return err
	}
	return sameFit("fitted after ts, and alone", after, unshared)
}

// declaredPartsOnly: arrays that are not declared have no influence. In all other
// checks the method does not get them, so it does not need them.
func declaredPartsOnly(s *subject, narrow *calib.Fitted) error {
	wide, err := s.fitInput(context.Background(), calib.Input{Cal: s.cal, Target: s.test, Seed: 7})
	if err != nil {
		return err
	}
	if err := sameFit("arrays that are not declared change the fit", wide, narrow); err != nil {
		return err
	}
	dst := data.NewProbs(s.test.Logits.Rows, s.test.Logits.Cols)
	if err := calib.Apply(wide.Map, dst, s.test); err != nil {
		return err
	}
	return different("arrays that are not declared", dst, s.apply(narrow, s.test), 0)
}

// noAliasing: a fitted map is unchanged when the arrays of its fit are overwritten.
func noAliasing(s *subject) error {
	cal, target := cloned(s.cal), cloned(s.test)
	f, err := s.fitAnew(cal, target)
	if err != nil {
		return err
	}
	if !reflect.DeepEqual(cal, s.cal) || !reflect.DeepEqual(target, s.test) {
		return errors.New("the fit writes to its input")
	}
	want := s.apply(f, s.test)
	poison(cal)
	poison(target)
	return different("calibration arrays overwritten", s.apply(f, s.test), want, 0)
}

// saved returns a fit as model.json.
func (s *subject) saved(f *calib.Fitted) ([]byte, error) {
	m := calib.Model{Method: s.entry.Name, Version: s.entry.Version, Fitted: *f}
	if s.contract.Cal != 0 {
		m.Classes = s.cal.Logits.Cols
	}
	var text bytes.Buffer
	err := m.Save(&text)
	return text.Bytes(), err
}

// saveLoad: a loaded model gives the same bits and saves to the same bytes.
func saveLoad(s *subject, f *calib.Fitted) error {
	text, err := s.saved(f)
	if err != nil {
		return err
	}
	m, err := calib.LoadModel(bytes.NewReader(text), []calib.Entry{s.entry})
	if err != nil {
		return fmt.Errorf("%w, of\n%s", err, text)
	}
	again, err := s.saved(&m.Fitted)
	if err != nil {
		return err
	}
	if !bytes.Equal(text, again) {
		return fmt.Errorf("saved as\n%sloaded and saved as\n%s", text, again)
	}
	for _, set := range []*data.Set{s.test, adversarial(5)} {
		if err := different("loaded model", s.apply(&m.Fitted, set), s.apply(f, set), 0); err != nil {
			return err
		}
	}
	return nil
}

// failing is a context that is cancelled after some calls of Err.
type failing struct {
	context.Context
	looks, after atomic.Int64 // calls of Err before it is cancelled, and since then
}

func (c *failing) Err() error {
	if c.looks.Add(-1) >= 0 {
		return nil
	}
	c.after.Add(1)
	return context.Canceled
}

// cancelled: a cancelled context ends the fit with its error, and soon.
func cancelled(s *subject) error {
	const soon = 3 // calls of Err of a cancelled context
	for _, looks := range []int64{0, 1, 2, 5, 10} {
		ctx := &failing{Context: context.Background()}
		ctx.looks.Store(looks)
		f, err := s.fitInput(ctx, s.input(s.cal, s.test))
		switch after := ctx.after.Load(); {
		case after == 0 && looks == 0:
			return errors.New("the fit never calls Err of its context")
		case after > 0 && (!errors.Is(err, context.Canceled) || f != nil):
			return fmt.Errorf("cancelled after %d calls of Err: the fit returns %v, %v; want nil and the error of the context", looks, f, err)
		case after > soon:
			return fmt.Errorf("cancelled after %d calls of Err: the fit goes on for %d more calls, want at most %d", looks, after, soon)
		}
	}
	return nil
}

// tinySets: a fit works on sets of one and two rows, with all rows right or all wrong,
// and with two classes or one, even if it is poor.
func tinySets(s *subject) error {
	right := func(row []float32, _ int32) int32 { return int32(top(row)) }
	wrong := func(row []float32, _ int32) int32 { return int32(ranked(row, 1)) }
	two, one := drawn(60, 2, 11), drawn(4, 1, 12)
	for _, c := range []struct {
		name      string
		cal, test *data.Set
	}{
		{"one row, right", relabelled(s.cal.Rows(0, 1), right), s.test},
		{"one row, wrong", relabelled(s.cal.Rows(0, 1), wrong), s.test},
		{"two rows", s.cal.Rows(0, 2), s.test},
		{"all right", relabelled(s.cal, right), s.test},
		{"all wrong", relabelled(s.cal, wrong), s.test},
		{"equal rows", rowsOf(s.cal, []int{0, 0, 0, 0}), s.test},
		{"equal logits", complete(data.NewMatrix(4, 5), []int32{0, 1, 2, 3}, 9), s.test},
		{"two classes", two, drawn(20, 2, 13)},
		{"two classes, one row", two.Rows(0, 1), drawn(20, 2, 13)},
		{"one class", one, one},
	} {
		q, err := s.fitApply(c.cal, c.test)
		if err == nil {
			err = valid(q)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", c.name, err)
		}
	}
	return nil
}

// extremeSets: on finite logits and features of any size a fit ends, with an error of one
// line or with a map that writes probabilities. If it can be saved, it can be loaded.
func extremeSets(s *subject) error {
	for _, c := range []struct {
		name   string
		factor float64
		rows   int // that are multiplied
	}{
		{"all x 1e5", 1e5, 100}, {"all x 1e10", 1e10, 100}, {"all x 1e20", 1e20, 100}, {"all x 1e37", 1e37, 100}, {"all at the largest float32", math.MaxFloat64, 100},
		{"one row x 1e10", 1e10, 1}, {"one row at the largest float32", math.MaxFloat64, 1}, {"all x 1e-40", 1e-40, 100},
	} {
		cal, test := multiplied(s.cal, c.factor, c.rows), multiplied(s.test, c.factor, c.rows)
		f, err := s.fitAnew(cal, test)
		if err == nil {
			err = errors.Join(valid(s.apply(f, test)), valid(s.apply(f, s.test)), s.loadable(f))
		} else if !strings.Contains(err.Error(), "\n") && !errors.Is(err, errDeadline) {
			err = nil
		}
		if err != nil {
			return fmt.Errorf("%s: %w", c.name, err)
		}
	}
	return nil
}

// loadable returns an error if f can be saved and what is saved cannot be loaded.
func (s *subject) loadable(f *calib.Fitted) error {
	text, err := s.saved(f)
	if err != nil {
		return nil
	}
	_, err = calib.LoadModel(bytes.NewReader(text), []calib.Entry{s.entry})
	return err
}

// nll: the reported NLL is that of the map on the calibration set, if the map can be
// applied to it. If MinimisesNLL is claimed, it is at most the uncalibrated NLL.
func nll(s *subject) error {
	for i, cal := range []*data.Set{s.cal, drawn(150, 3, 21), drawn(80, 9, 22)} {
		f, err := s.fit(cal, cal)
		if err != nil {
			return err
		}
		got := f.Report.NLL
		if _, ok := f.Map.(calib.TopLabel); ok {
			if got != 0 {
				return fmt.Errorf("set %d: the report says NLL %v of a top-label map, which has none: want 0", i, got)
			}
			continue
		}
		if s.contract.Test&^s.contract.Cal == 0 {
			if want := meanNLL(s.apply(f, cal), cal.Labels); !(math.Abs(got-want) <= 1e-9*max(1, want)) {
				return fmt.Errorf("set %d: the report says NLL %v, the map gives %v", i, got, want)
			}
		}
		uncal := meanNLL(uncalibrated(cal), cal.Labels)
		if s.claims.MinimisesNLL && !(got <= uncal+1e-12) {
			return fmt.Errorf("set %d: NLL %v, uncalibrated %v", i, got, uncal)
		}
	}
	return nil
}

func meanNLL(q data.Probs, labels []int32) float64 {
	sum := 0.0
	for i, y := range labels {
		sum -= math.Log(max(q.Row(i)[y], 1e-300))
	}
	return sum / float64(len(labels))
}

// uncalibrated returns the softmax of the logits, by the definition.
func uncalibrated(set *data.Set) data.Probs {
	q := data.NewProbs(set.Logits.Rows, set.Logits.Cols)
	for i := range q.Rows {
		row, sum := set.Logits.Row(i), 0.0
		for j, l := range row {
			q.Row(i)[j] = math.Exp(float64(l) - float64(row[top(row)]))
			sum += q.Row(i)[j]
		}
		for j := range row {
			q.Row(i)[j] /= sum
		}
	}
	return q
}
