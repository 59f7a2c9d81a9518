package arrays

import (
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/qats-bench/qats/calib"
	"github.com/qats-bench/qats/calib/all"
	"github.com/qats-bench/qats/calib/report"
	"github.com/qats-bench/qats/data"
	"github.com/qats-bench/qats/data/npy"
	"github.com/qats-bench/qats/experiments/engine"
	"github.com/qats-bench/qats/metrics"
	"github.com/qats-bench/qats/metrics/scoring"
)

const (
	rows    = 400
	classes = 3
)

// files writes a set of logits, three of four rows right, and returns it with its files.
func files(t *testing.T) (*data.Set, data.Files) {
	t.Helper()
	set := &data.Set{Logits: data.NewMatrix(rows, classes), Labels: make([]int32, rows)}
	for i := range set.Labels {
		for j := range classes {
			set.Logits.Row(i)[j] = float32((i*7+j*5)%11) / 2
		}
		set.Logits.Row(i)[i%classes] = 6
		set.Labels[i] = int32(i % classes)
		if i%4 == 0 {
			set.Labels[i] = int32((i + 1) % classes)
		}
	}
	dir := t.TempDir()
	f := data.Files{Logits: filepath.Join(dir, "logits.npy"), Labels: filepath.Join(dir, "labels.npy")}
	must(t, npy.WriteFloat32(f.Logits, set.Logits.Data, rows, classes))
	must(t, npy.WriteInt32(f.Labels, set.Labels, rows))
	return set, f
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// model fits a method of the registry.
func model(t *testing.T, name string, set *data.Set) (*calib.Model, calib.Contract) {
	t.Helper()
	e, ok := all.Lookup(name)
	if !ok {
		t.Fatalf("no method %s", name)
	}
	m, err := e.New().Method()
	must(t, err)
	fitted, err := calib.FitInput(t.Context(), m, calib.Input{Cal: set})
	must(t, err)
	return &calib.Model{Method: name, Version: e.Version, Classes: classes, Fitted: *fitted}, m.Contract()
}

// entries returns metrics by name.
func entries(t *testing.T, names ...string) (list []metrics.Entry) {
	t.Helper()
	for _, name := range names {
		e, ok := metrics.Lookup(name)
		if !ok {
			t.Fatalf("no metric %s", name)
		}
		list = append(list, e)
	}
	return list
}

// values scores files and returns the values of all metrics.
func values(t *testing.T, s *Score) (list []float64) {
	t.Helper()
	samples, err := s.Samples(t.Context())
	must(t, err)
	for _, e := range s.Metrics {
		v, err := s.Compute(samples, e)
		must(t, err)
		list = append(list, v...)
	}
	return list
}

func near(got, want []float64) bool {
	return slices.EqualFunc(got, want, func(a, b float64) bool { return math.Abs(a-b) <= 1e-12 })
}

// The probabilities that a model writes are those of its map, and they have the scores of
// the set after the fit.
func TestAppliedProbabilitiesHaveTheScoresOfTheFit(t *testing.T) {
	set, f := files(t)
	m, contract := model(t, "ts", set)
	output := filepath.Join(t.TempDir(), "probs.npy")
	apply := Apply{Model: m, Contract: contract, Files: data.Files{Logits: f.Logits}, Warn: func(n Problem) { t.Error(n) }}
	_, err := apply.Write(t.Context(), output, nil)
	must(t, err)
	a, err := data.OpenArray(nil, output)
	must(t, err)
	defer a.Close()
	got := make([]float64, rows*classes)
	must(t, a.ReadFloat64(got, 0, rows))
	want, err := m.Probabilities(set)
	must(t, err)
	if !slices.Equal(got, want.Data) {
		t.Errorf("%v, want %v", got[:classes], want.Data[:classes])
	}

	e, _ := all.Lookup(m.Method)
	change, err := BeforeAfter(t.Context(), e.Method, &m.Fitted, set)
	must(t, err)
	list := entries(t, "ece", "nll", "accuracy")
	for _, c := range []struct {
		score   Score
		samples *metrics.Samples
	}{{Score{Probs: output}, change.After}, {Score{Logits: f.Logits}, change.Before}} {
		c.score.Labels, c.score.Metrics, c.score.Memory = f.Labels, list, 1<<30
		var want []float64
		for _, e := range list {
			v, err := e.Compute(c.samples, seed)
			must(t, err)
			want = append(want, v...)
		}
		if got := values(t, &c.score); !near(got, want) || math.Abs(got[2]-.75) > 1e-12 {
			t.Errorf("%+v: %v, want %v", c.score, got, want)
		}
	}
	m.Classes = classes + 1
	_, err = apply.Write(t.Context(), output, nil)
	if want := f.Logits + " has 3 classes, the model is for 4"; fmt.Sprint(err) != want {
		t.Errorf("%v, want %s", err, want)
	}
}

// A fit keeps the shares of its rows, and says where its mean probabilities are others. Then no other
// shares can be put in their place.
func TestFitsKnowTheSharesOfTheirRows(t *testing.T) {
	set := &data.Set{Logits: data.NewMatrix(600, 2)}
	for i := range 600 { // P(1) is 1/(1+e^-1) = .73 or 1/(1+e) = .27, and one row in four is of class 1
		set.Logits.Row(i)[1] = float32(1 - 2*(i%2))
		set.Labels = append(set.Labels, int32(min(1, max(0, i%8-5))))
	}
	output := filepath.Join(t.TempDir(), "probs.npy")
	logits := filepath.Join(t.TempDir(), "logits.npy")
	must(t, npy.WriteFloat32(logits, set.Logits.Data, 600, 2))
	for method, off := range map[string]bool{"ts": true, "platt-logits": false} {
		e, _ := all.Lookup(method)
		fitted, err := calib.Fit(t.Context(), e.Method, set)
		must(t, err)
		c, err := BeforeAfter(t.Context(), e.Method, fitted, set)
		must(t, err)
		must(t, c.TestShares(t.Context(), e.Method, fitted, calib.Input{}, set, ""))
		if c.Source == nil || !slices.Equal(c.Source.Shares, []float64{.75, .25}) || (len(c.Source.Off) > 0) != off {
			t.Errorf("%s: %+v", method, c.Source)
		}
		warned := slices.ContainsFunc(c.Warnings, func(w calib.Warning) bool { return w.Kind == report.Shares })
		if warned != off {
			t.Errorf("%s: %+v", method, c.Warnings)
		}
		m := &calib.Model{Method: method, Version: e.Version, Classes: 2, Fitted: *fitted, Source: c.Source}
		apply := Apply{Model: m, Contract: e.Method.Contract(), Files: data.Files{Logits: logits}, Shares: []float64{.5, .5}, Warn: func(n Problem) { t.Error(n) }}
		_, err = apply.Write(t.Context(), output, nil)
		if off {
			if err == nil || !strings.Contains(err.Error(), "shares: the mean probabilities") {
				t.Errorf("%s: %v", method, err)
			}
			continue
		}
		must(t, err)
		a, err := data.OpenArray(nil, output)
		must(t, err)
		got := make([]float64, 1200)
		must(t, a.ReadFloat64(got, 0, 600))
		a.Close()
		want, err := m.Probabilities(set)
		must(t, err)
		for i := range 600 {
			p := want.Row(i)[1] * 2 // .5 / .25
			p /= p + want.Row(i)[0]*2/3
			if math.Abs(got[2*i+1]-p) > 1e-12 {
				t.Fatalf("row %d: %g, want %g", i, got[2*i+1], p)
			}
		}
	}
}

// learner counts its fits. It gives rows that it has seen the share of class 1 among them as the probability of class 1,
// and .9 to others; or divides all rows by a temperature.
type learner struct {
	fits     *atomic.Int32
	contract calib.Contract
}

func (learner) String() string             { return "learner" }
func (l learner) Contract() calib.Contract { return l.contract }

func (l learner) Fit(_ context.Context, in calib.Input) (*calib.Fitted, error) {
	l.fits.Add(1)
	if l.contract.KeepsTop1 {
		return &calib.Fitted{Map: calib.Temperature{T: 1}}, nil
	}
	m := learnt{seen: map[float32]bool{}}
	for i, y := range in.Cal.Labels {
		m.seen[in.Cal.Logits.Row(i)[0]] = true
		m.share += float64(y) / float64(len(in.Cal.Labels))
	}
	return &calib.Fitted{Map: m}, nil
}

type learnt struct {
	seen  map[float32]bool
	share float64
}

func (learnt) Check() error { return nil }

func (m learnt) Apply(dst data.Probs, set *data.Set) {
	for i := range dst.Rows {
		p := .9
		if m.seen[set.Logits.Row(i)[0]] {
			p = m.share
		}
		dst.Row(i)[0], dst.Row(i)[1] = 1-p, p
	}
}

// Shares are tested on rows that the fit has not seen, unless it cannot bend to the shares of its rows. Where
// that cannot be, a warning says so.
func TestSharesAreTestedOnUnseenRows(t *testing.T) {
	set := &data.Set{Logits: data.NewMatrix(200, 2)}
	for i := range 200 {
		set.Logits.Row(i)[0] = float32(i) / 100
		set.Labels = append(set.Labels, int32(i%2))
	}
	labelled := calib.Contract{Cal: data.Logits | data.Labels, Test: data.Logits}
	temperature := labelled
	temperature.KeepsTop1 = true
	streams := temperature
	streams.Streams = true
	for name, c := range map[string]struct {
		contract calib.Contract
		rows     int
		seen     string
		fits     int32
		off      bool
		warning  string
	}{
		"by folds":      {labelled, 200, "", 1 + engine.Folds, true, ""},
		"slow":          {labelled, 200, "it would be slow", 1, false, "shares of classes are compared on rows that the fit has seen: it would be slow"},
		"few rows":      {labelled, 9, "", 1, false, "shares of classes are compared on rows that the fit has seen: 9 rows are too few for 5 folds"},
		"a temperature": {temperature, 200, "", 1, true, ""},
		"streams":       {streams, 200, "", 1, true, ""},
		"no labels":     {calib.Contract{Cal: data.Logits, Test: data.Logits, KeepsTop1: true}, 200, "", 1, true, ""},
	} {
		cal := set.Rows(0, c.rows)
		m := learner{new(atomic.Int32), c.contract}
		fitted, err := calib.FitInput(t.Context(), m, calib.Input{Cal: cal})
		must(t, err)
		change, err := BeforeAfter(t.Context(), m, fitted, cal)
		must(t, err)
		change.Warnings = nil
		must(t, change.TestShares(t.Context(), m, fitted, calib.Input{}, cal, c.seen))
		if m.fits.Load() != c.fits {
			t.Errorf("%s: %d fits", name, m.fits.Load())
		}
		if got := len(change.Source.Off) > 0; got != c.off || math.Abs(change.Source.Shares[1]-.5) > .06 {
			t.Errorf("%s: %+v", name, change.Source)
		}
		if got := fmt.Sprint(change.Warnings); !c.off && got != "["+c.warning+"]" || c.off && !strings.Contains(got, "mean probability") {
			t.Errorf("%s: %s", name, got)
		}
	}
}

// A fit by NLL that five broken rows decide, as five rows of 600 do here, makes the others
// worse: it is named by what it minimised, and both are warned of.
func TestFitsThatMakeTheirRowsWorse(t *testing.T) {
	set := &data.Set{Logits: data.NewMatrix(600, 3)}
	for i := range set.Logits.Rows {
		row, label := set.Logits.Row(i), i%3
		row[label] = 2
		if i%7 == 3 {
			label = (label + 1) % 3
		}
		if i%120 == 3 {
			row[(label+1)%3] = 4000
		}
		set.Labels = append(set.Labels, int32(label))
	}
	fitted, err := calib.Fit(t.Context(), calib.TemperatureScaling{}, set)
	must(t, err)
	c, err := BeforeAfter(t.Context(), calib.TemperatureScaling{}, fitted, set)
	must(t, err)
	nll, err := metrics.NLL(c.Before)
	must(t, err)
	if c.Objective != calib.ByNLL || c.To != fitted.Report.NLL || c.Floored != 5 || math.Abs(c.From-nll-5*(4000-floorNLL)/600) > 0.1 {
		t.Errorf("%s from %v to %v, %d rows above the floor; the score is %v", c.Objective, c.From, c.To, c.Floored, nll)
	}
	var kinds []report.Kind
	for _, w := range c.Warnings {
		kinds = append(kinds, w.Kind)
	}
	if !slices.Equal(kinds, []report.Kind{report.FewDecide, report.Worse}) || c.Warnings[0].Count != 5 || c.Warnings[1].Parameter != "ECE" {
		t.Errorf("warnings %+v", c.Warnings)
	}
}

// The pairs of a top-label method stand beside its probabilities and have their scores.
func TestPairsOfATopLabelMethodAreScored(t *testing.T) {
	set, f := files(t)
	m, contract := model(t, "hb-top", set)
	output := filepath.Join(t.TempDir(), "probs.npy")
	var notes []Problem
	apply := Apply{Model: m, Contract: contract, Files: data.Files{Logits: f.Logits}, Warn: func(n Problem) { notes = append(notes, n) }}
	applied, err := apply.Write(t.Context(), output, nil)
	must(t, err)
	top := filepath.Join(filepath.Dir(output), "top.npz")
	if want := (Applied{Rows: rows, Classes: classes, Pairs: top}); *applied != want {
		t.Errorf("%+v, want %+v", *applied, want)
	}
	if len(notes) != 1 || notes[0].Place != top || !strings.Contains(notes[0].Text, "score this file by qats score --top") {
		t.Errorf("%+v", notes)
	}
	e, _ := all.Lookup(m.Method)
	change, err := BeforeAfter(t.Context(), e.Method, &m.Fitted, set)
	must(t, err)
	ece := entries(t, "ece")
	want, err := ece[0].Compute(change.After, seed)
	must(t, err)
	s := Score{Top: top, Labels: f.Labels, Metrics: ece, Memory: 1 << 30, Warn: apply.Warn}
	if got := values(t, &s); !near(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	_, err = apply.Write(t.Context(), os.DevNull, nil) // no folder for pairs
	must(t, err)
	if len(notes) != 1 {
		t.Errorf("%+v", notes)
	}
}

// Rows of few decimals are divided by their sum, and the user hears how many.
func TestLooseRowsAreDividedAndCounted(t *testing.T) {
	_, f := files(t)
	probs := make([]float64, 0, rows*classes)
	for range rows {
		probs = append(probs, .5, .3, .2)
	}
	probs[0] = .5004
	path := filepath.Join(t.TempDir(), "probs.npy")
	must(t, npy.WriteFloat64(path, probs, rows, classes))
	var notes []Problem
	s := Score{Probs: path, Labels: f.Labels, Metrics: entries(t, "nll"), Memory: 1 << 30, Warn: func(n Problem) { notes = append(notes, n) }}
	values(t, &s)
	if len(notes) != 1 || notes[0].Place != path || !strings.HasPrefix(notes[0].Text, "1 of 400 rows of probabilities sum to 1 only within ") {
		t.Errorf("%+v", notes)
	}
}

// A file of probabilities has one NLL, whether it is named as probabilities or as logits of kind
// probs: an exact 0 counts as 2^-126, every other number as it is down to 1e-300, and both
// doors say how many zeros there are. The sums of rows are judged by one limit.
func TestProbabilitiesAreReadAlikeThroughBothDoors(t *testing.T) {
	dir := t.TempDir()
	path, labels := filepath.Join(dir, "p.npy"), filepath.Join(dir, "y.npy")
	y := make([]int32, 100)
	must(t, npy.WriteInt32(labels, y, 100))
	for _, c := range []struct {
		last []float64
		want float64 // of the last row
	}{
		{[]float64{0, 1, 0}, 126 * math.Ln2}, {[]float64{1e-40, 1, 0}, 40 * math.Ln10}, {[]float64{1e-200, 1, 0}, 200 * math.Ln10},
		{[]float64{1e-310, 1, 0}, 300 * math.Ln10}, {[]float64{math.SmallestNonzeroFloat64, 1, 0}, 300 * math.Ln10},
		{[]float64{0, 1 + 0x1p-52, 0}, 126 * math.Ln2}, {[]float64{0, .996, 0}, 126 * math.Ln2}, {[]float64{0, 1.0099, 0}, 126 * math.Ln2},
	} {
		p := slices.Concat(slices.Repeat([]float64{1, 0, 0}, 99), c.last)
		must(t, npy.WriteFloat64(path, p, 100, 3))
		for _, s := range []Score{{Probs: path}, {Logits: path, Kind: data.KindProbs}} {
			var notes []Problem
			s.Labels, s.Memory, s.Metrics, s.Warn = labels, 1<<30, entries(t, "nll"), func(n Problem) { notes = append(notes, n) }
			zeros := 198
			for _, v := range c.last {
				if v == 0 {
					zeros++
				}
			}
			if got := values(t, &s)[0]; math.Abs(got-c.want/100) > 1e-12 {
				t.Errorf("%v, %+v: NLL %v, want %v", c.last, s, got, c.want/100)
			}
			if want := (Problem{Place: path, Text: fmt.Sprintf("%d probabilities of exactly 0 count as 2^-126", zeros)}); len(notes) == 0 || notes[len(notes)-1] != want {
				t.Errorf("%v: notes %+v, want %+v", c.last, notes, want)
			}
		}
	}
	must(t, npy.WriteFloat64(path, slices.Repeat([]float64{1, .02, 0}, 100), 100, 3))
	for _, s := range []Score{{Probs: path}, {Logits: path, Kind: data.KindProbs}} {
		s.Labels, s.Memory = labels, 1<<30
		if _, err := s.Samples(t.Context()); fmt.Sprint(err) != path+": row 0: probabilities sum to 1.02, which is not 1 within 0.015" {
			t.Error(err)
		}
	}
}

// One column of kind probs is the probability of class 1. Its rows are the predictions of the
// network, with which metrics compare.
func TestOneColumnOfProbabilitiesIsScored(t *testing.T) {
	dir := t.TempDir()
	path, labels := filepath.Join(dir, "p.npy"), filepath.Join(dir, "y.npy")
	must(t, npy.WriteInt32(labels, []int32{1, 0, 1, 1}, 4))
	for i, shape := range [][]int{{4}, {4, 1}} {
		certain := []float64{1, 1 + 0x1p-52}[i] // which is 1 but for rounding
		must(t, npy.WriteFloat64(path, []float64{.25, .5, certain, 0}, shape...))
		var notes []Problem
		s := Score{Logits: path, Labels: labels, Kind: data.KindProbs, Memory: 1 << 30, Metrics: entries(t, "nll", "accuracy", "argmax_change"), Warn: func(n Problem) { notes = append(notes, n) }}
		got := values(t, &s)
		want := (3 + 126) * math.Ln2 / 4
		if math.Abs(got[0]-want) > 1e-12 || got[1] != .5 || got[2] != 0 || len(notes) != 1 {
			t.Errorf("shape %v: %v, want %v; notes %+v", shape, got, want, notes)
		}
		one := Problem{Place: path, Text: "2 probabilities of exactly 0 count as 2^-126"}
		s = Score{Probs: path, Labels: labels, Memory: 1 << 30, Metrics: entries(t, "nll"), Warn: s.Warn}
		if got := values(t, &s); math.Abs(got[0]-want) > 1e-12 || len(notes) != 2 || notes[0] != one || notes[1] != one {
			t.Errorf("shape %v as probabilities: %v, want %v; notes %+v", shape, got, want, notes)
		}
	}
}

// A probability of 0 of a fitted map is written as 1e-300, so that the file has the NLL of the
// map. A class whose logit is -Inf keeps its 0.
func TestAppliedZerosKeepTheirNLL(t *testing.T) {
	set, f := files(t)
	for i := range set.Labels {
		row := set.Logits.Row(i)
		row[2] = -2000
		set.Labels[i] = 0
		if row[1] > row[0] != (i%10 == 0) {
			set.Labels[i] = 1
		}
	}
	model, contract := model(t, "ts", set)
	set.Labels[7] = 2
	must(t, npy.WriteFloat32(f.Logits, set.Logits.Data, rows, classes))
	must(t, npy.WriteInt32(f.Labels, set.Labels, rows))
	probs, err := model.Fitted.Probabilities(set)
	must(t, err)
	if probs.Row(7)[2] != 0 {
		t.Fatalf("row 7: %v, want a 0", probs.Row(7))
	}
	samples, err := metrics.FromProbs(probs, set)
	must(t, err)
	want, err := metrics.NLL(samples)
	must(t, err)
	silent := func(n Problem) { t.Errorf("%+v", n) }
	path := filepath.Join(t.TempDir(), "probs.npy")
	apply := Apply{Model: model, Contract: contract, Files: data.Files{Logits: f.Logits}, Warn: silent}
	_, err = apply.Write(t.Context(), path, nil)
	must(t, err)
	s := Score{Probs: path, Labels: f.Labels, Metrics: entries(t, "nll"), Memory: 1 << 30, Warn: silent}
	if got := values(t, &s)[0]; !(math.Abs(got-want) <= 1e-9*want) || !(want > 300*math.Ln10/rows) {
		t.Errorf("NLL %v of the file, %v of the map", got, want)
	}
	p := data.Probs{Rows: 1, Cols: 3, Data: []float64{0, 1, 0}}
	keepZeros(p, data.Matrix{Rows: 1, Cols: 3, Data: []float32{-900, 0, data.Masked}})
	if !slices.Equal(p.Data, []float64{1e-300, 1, 0}) {
		t.Errorf("masked: %v", p.Data)
	}
}

// Arrays of other shapes, and sets that take too much memory, are errors that name the file.
func TestUnfitArraysAreErrors(t *testing.T) {
	set, f := files(t)
	dir := t.TempDir()
	short, vector := filepath.Join(dir, "short.npy"), filepath.Join(dir, "vector.npy")
	must(t, npy.WriteFloat32(short, set.Logits.Data[:6], 2, 3))
	must(t, npy.WriteFloat32(vector, set.Logits.Data, rows*classes))
	for want, s := range map[string]Score{
		short + ": 2 rows; the set has 400":                              {Probs: short, Memory: 1 << 30},
		vector + ": 1200 rows; the set has 400":                          {Probs: vector, Memory: 1 << 30},
		f.Logits + ": scoring 400 rows takes 1 MiB; raise --max-memory":  {Logits: f.Logits, Memory: 1 << 10},
		f.Logits + ": scoring 400 rows takes 1 MiB; raise --max-memory ": {Probs: f.Logits, Memory: rows*(scoring.RowBytes+metrics.ScoreBytes) - 1},
	} {
		s.Labels = f.Labels
		if _, err := s.Samples(t.Context()); fmt.Sprint(err) != strings.TrimSpace(want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

// Intervals are of the metrics whose rows can be drawn again, and contain the values; without
// a kind of interval there are none.
func TestIntervalsContainTheValues(t *testing.T) {
	_, f := files(t)
	s := Score{Logits: f.Logits, Labels: f.Labels, Metrics: entries(t, "nll", "accuracy"), Memory: 1 << 30}
	samples, err := s.Samples(t.Context())
	must(t, err)
	if list, err := s.Intervals(t.Context(), samples); list != nil || err != nil {
		t.Errorf("%v, %v", list, err)
	}
	s.Interval = metrics.Percentile
	list, err := s.Intervals(t.Context(), samples)
	must(t, err)
	for i, v := range values(t, &s) {
		if e, ok := list[s.Metrics[i].Name]; !ok || !(e.Lo <= v && v <= e.Hi) || e.Lo == e.Hi {
			t.Errorf("%s %v: %+v", s.Metrics[i].Name, v, e)
		}
	}
}

// A fit that ends at the least temperature says how many calibration rows it makes certain. One
// that does not end there says nothing.
func TestCertainRowsAreCounted(t *testing.T) {
	set := &data.Set{Logits: data.NewMatrix(rows, 2), Labels: make([]int32, rows)}
	for i := range set.Labels {
		set.Logits.Row(i)[1] = 4 * float32(i) / rows // the less certain rows are the more wrong
		set.Labels[i] = 1
		if i < rows/4 && i%2 == 0 {
			set.Labels[i] = 0
		}
	}
	m, _ := model(t, "qats", set)
	if len(m.Fitted.Report.AtBound) != 1 || m.Fitted.Report.AtBound[0] != report.AtLeast("b", 0, 1e-3) {
		t.Fatalf("bounds %v, want b", m.Fitted.Report.AtBound)
	}
	c, err := BeforeAfter(t.Context(), calib.QaTS{}, &m.Fitted, set)
	must(t, err)
	ones := 0
	probs, err := m.Fitted.Probabilities(set)
	must(t, err)
	for i := range rows {
		if slices.Max(probs.Row(i)) == 1 {
			ones++
		}
	}
	want := report.CertainAt(report.AtLeast("b", 0, 1e-3), ones, rows)
	if c.OnesBefore != 0 || c.OnesAfter != ones || ones == 0 || !slices.Contains(c.Warnings, want) {
		t.Errorf("%d and %d rows, warnings %q, want %q", c.OnesBefore, c.OnesAfter, c.Warnings, want)
	}
	for i := range set.Labels { // logits of a small spread have a lower bound, and every row is right
		set.Logits.Row(i)[1] = 1e-3 * float32(1+i)
		set.Labels[i] = 1
	}
	m, _ = model(t, "ts", set)
	if c, err = BeforeAfter(t.Context(), calib.TemperatureScaling{}, &m.Fitted, set); err != nil || c.OnesAfter == 0 || !(m.Fitted.Report.AtBound[0].Limit < 1e-3) {
		t.Errorf("small logits: %d certain rows, bounds %v (%v)", c.OnesAfter, m.Fitted.Report.AtBound, err)
	}
	set, _ = files(t)
	m, _ = model(t, "qats", set)
	c, err = BeforeAfter(t.Context(), calib.QaTS{}, &m.Fitted, set)
	must(t, err)
	if c.OnesAfter != 0 || len(m.Fitted.Report.AtBound) > 1 {
		t.Errorf("%d rows at %v", c.OnesAfter, m.Fitted.Report.AtBound)
	}
}
