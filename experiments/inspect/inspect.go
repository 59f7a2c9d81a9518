package inspect

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"

	"github.com/qats-bench/qats/calib/all"
	"github.com/qats-bench/qats/data"
	"github.com/qats-bench/qats/data/folder"
	"github.com/qats-bench/qats/data/problem"
	"github.com/qats-bench/qats/experiments"
	"github.com/qats-bench/qats/experiments/look"
	"github.com/qats-bench/qats/experiments/spec"
	"github.com/qats-bench/qats/internal/pool"
	"github.com/qats-bench/qats/results"
)

// Severity says how bad a finding is.
type Severity string

// An Error means that a run fails or that its numbers are meaningless. A Warning is likely
// a mistake. A Note says what is good to know. What is Known would be a warning if the
// manifest did not give the reason for it.
const (
	Error   Severity = "error"
	Warning Severity = "warning"
	Note    Severity = "note"
	Known   Severity = "known"
)

// Problem is what an inspection has found: where, the likely cause, and what to do.
type Problem struct {
	Severity Severity      `json:"severity"`
	Place    string        `json:"place"`
	Oddity   folder.Oddity `json:"oddity,omitempty"` // of a warning that a manifest can answer, and of the note on classes of few rows
	Cause    string        `json:"cause"`
	Fix      string        `json:"fix,omitempty"`
	Reason   string        `json:"reason,omitempty"` // of the manifest, for what is known

	problem.Remedy // what can be stated; its words are a part of Fix

	AlwaysShown bool `json:"-"` // printed even by commands that hide notes
}

// Set describes a set that was read completely. Accuracy and ECE are
// fractions, of the uncalibrated softmax.
type Set struct {
	Set            string  `json:"set"`
	Rows           int     `json:"rows"`
	Classes        int     `json:"classes"`
	Source         string  `json:"source"`
	DType          string  `json:"dtype,omitempty"` // of the logits in the file; empty without a file
	Least          float64 `json:"least"`           // logit
	Largest        float64 `json:"largest"`
	Labels         string  `json:"labels,omitempty"`           // type of the labels in the file
	Masked         int     `json:"masked,omitempty"`           // logits of masked classes, which the least does not count
	ConfidenceOnly bool    `json:"confidence_alone,omitempty"` // there are no logits: Least and Largest are those of the confidence, and Classes is 0 if it is not stated
	Accuracy       float64 `json:"accuracy"`
	ECE            float64 `json:"ece"`

	Also []string `json:"also,omitempty"` // other arrays, such as "features 5000 x 64 float32"
}

// MaskedNote says how many logits are masked.
func (s *Set) MaskedNote() data.Note { return data.MaskedNote(s.Masked, s.Rows*s.Classes) }

// Inspection is the result of looking at arrays.
type Inspection struct {
	Sets     []Set
	Problems []Problem // errors first, then warnings, notes and what is known
}

// Count returns the number of findings of a severity.
func (in *Inspection) Count(s Severity) int {
	n := 0
	for _, f := range in.Problems {
		if f.Severity == s {
			n++
		}
	}
	return n
}

// add adds a finding, unless it is there already: an array may belong to several
// settings.
func (in *Inspection) add(f Problem) {
	if !slices.Contains(in.Problems, f) {
		in.Problems = append(in.Problems, f)
	}
}

// fail adds an error. Its place is that of a data.Problem, or else the given one.
func (in *Inspection) fail(place string, err error) {
	p := &problem.Problem{Place: place, Cause: err.Error()}
	errors.As(err, &p)
	in.add(Problem{Severity: Error, Place: p.Place, Cause: p.Cause, Fix: p.Fix, Remedy: p.Remedy})
}

// Specs reads every array that the settings of specs name, once, and judges what
// it finds: the checks of a fit and of a run, with the same words, and more that a
// person would want to know before a run. The error is that of ctx; arrays that
// cannot be read are findings. progress is called after each setting.
func Specs(ctx context.Context, specs []*spec.Spec, o experiments.PlanOptions, progress Progress) (*Inspection, error) {
	o.NoDigests = true
	if o.Digests == nil {
		o.Digests = &folder.Digests{}
	}
	p, err := experiments.MakePlan(ctx, specs, o) // its cells tell which methods are skipped
	if err != nil {
		return nil, err
	}
	in := &inspector{plan: p, sets: map[setKey]*inspected{}, pairs: map[[2]setKey]bool{}, found: map[Problem]bool{}}
	for lo := 0; lo < len(p.Units); lo += unitsAtOnce {
		hi := min(lo+unitsAtOnce, len(p.Units))
		if err := in.units(ctx, p.Units[lo:hi]); err != nil {
			return nil, err
		}
		progress(hi, len(p.Units), p.Units[hi-1].Setting.String())
	}
	in.missing()
	in.Sort()
	return &in.Inspection, nil
}

// Progress says how many settings of all are inspected, and which is the last.
type Progress func(done, all int, setting string)

// Folder inspects a folder as the spec of a look.Starter would name it, with all methods.
func Folder(ctx context.Context, dir string, progress Progress) (*Inspection, error) {
	s, err := look.NewStarter(dir)
	if err != nil {
		return nil, err
	}
	in := &Inspection{}
	severity := Error
	if len(s.Sets) > 0 {
		for _, e := range all.Registry() {
			s.Methods = append(s.Methods, e.Name)
		}
		read, err := spec.Parse(dir, []byte(s.Spec()), experiments.Registry())
		if err != nil {
			return nil, err
		}
		read.Data = nil
		if in, err = Specs(ctx, []*spec.Spec{read}, experiments.PlanOptions{Data: []string{dir}}, progress); err != nil {
			return nil, err
		}
		severity = Warning
	} else if len(s.Problems)+len(s.Unusable) == 0 {
		s.Problems = append(s.Problems, s.NoSets())
	}
	var before []Problem
	for _, p := range s.Unusable {
		before = append(before, Problem{Severity: Error, Place: p.Place, Cause: p.Cause, Fix: p.Fix, Remedy: p.Remedy})
	}
	for _, p := range s.Problems {
		before = append(before, Problem{Severity: severity, Place: p.Place, Cause: p.Cause, Fix: p.Fix, Remedy: p.Remedy})
	}
	in.Problems = append(before, in.Problems...)
	in.Sort()
	return in, nil
}

// Sort puts errors first, then warnings, notes and what is known.
func (in *Inspection) Sort() {
	slices.SortStableFunc(in.Problems, func(a, b Problem) int { return cmp.Compare(a.Severity.rank(), b.Severity.rank()) })
}

func (s Severity) rank() int { return slices.Index([]Severity{Error, Warning, Note, Known}, s) }

// inspector is an inspection of the sets of a plan.
type inspector struct {
	Inspection
	plan  *experiments.Plan
	sets  map[setKey]*inspected
	pairs map[[2]setKey]bool // compared already
	found map[Problem]bool   // the findings: of thousands of sets there are many
}

// add is that of Inspection.
func (in *inspector) add(f Problem) {
	if !in.found[f] {
		in.found[f] = true
		in.Problems = append(in.Problems, f)
	}
}

type setKey struct {
	source data.Source
	ref    data.Ref
}

// open opens the rows that an inspection reads.
func (k setKey) open(ctx context.Context) (data.Reader, error) {
	return k.source.Open(ctx, k.ref, scored)
}

// unitsAtOnce is the number of settings whose sets are read at a time, on all processors: a
// set of a few rows takes less time to read than its files to open.
const unitsAtOnce = 64

// job is one independent part of an inspection.
type job struct {
	of Inspection
	do func(ctx context.Context, of *Inspection) error
}

// units inspects the sets of some settings: each set, and each pair of sets, once. The
// findings are in the order of the settings, for any number of processors.
func (in *inspector) units(ctx context.Context, units []experiments.Unit) error {
	var sets, pairs, order []*job
	begin := func(list *[]*job, do func(context.Context, *Inspection) error) {
		j := &job{do: do}
		*list = append(*list, j)
		order = append(order, j)
	}
	for i := range units {
		u := &units[i]
		source := u.Plain()
		test, cal := setKey{source, u.Setting.Test()}, setKey{source, u.Setting.Cal()}
		var keys []setKey
		switch {
		case source == nil:
			begin(&sets, func(_ context.Context, of *Inspection) error { in.absent(of, u); return nil })
			continue
		case source.Has(cal.ref)&scored == scored:
			keys = []setKey{cal, test}
		default:
			begin(&sets, func(_ context.Context, of *Inspection) error { of.noCalibration(u, cal); return nil })
			keys = []setKey{test}
		}
		for _, key := range keys {
			if in.sets[key] == nil {
				x := newInspected(key)
				in.sets[key] = x
				begin(&sets, func(ctx context.Context, of *Inspection) error { return of.read(ctx, key, x) })
			}
		}
		a, b := in.sets[cal], in.sets[test]
		if pair := [2]setKey{cal, test}; a != nil && !in.pairs[pair] {
			in.pairs[pair] = true
			sameKind := test.ref.Corruption == "" && test.ref.Dataset == cal.ref.Dataset
			begin(&pairs, func(ctx context.Context, of *Inspection) error { return of.pair(ctx, a, b, sameKind) })
		}
	}
	for _, list := range [][]*job{sets, pairs} {
		err := pool.Each(ctx, len(list), runtime.GOMAXPROCS(0), func(_, i int) error { return list[i].do(ctx, &list[i].of) })
		if err != nil {
			return err
		}
	}
	for _, j := range order {
		in.Sets = append(in.Sets, j.of.Sets...)
		for _, f := range j.of.Problems {
			in.add(f)
		}
	}
	return nil
}

// absent reports a setting without arrays.
func (in *inspector) absent(of *Inspection, u *experiments.Unit) {
	of.add(Problem{Severity: Error, Place: u.Setting.String(), Cause: strings.Join(append([]string{experiments.NoArrays().String()}, in.plan.Searched(u)...), "; "),
		Fix: "correct dataset and backbone in the spec, or name the folder by --data"})
}

// noCalibration reports a setting whose calibration set is absent or incomplete.
func (in *Inspection) noCalibration(u *experiments.Unit, cal setKey) {
	f := Problem{Severity: Error, Place: cal.ref.String(), Cause: "there is no calibration set: logits and labels of held-out rows", Fix: "save them as you saved the test set"}
	if s, ok := folder.SearchOf(cal.source, cal.ref); ok {
		if len(s.Tried) > 0 {
			f.Cause += "; looked for " + experiments.Few(s.Tried, 3)
		}
		if s.Note != "" {
			f.Cause += "; " + s.Note
		}
	}
	if u.Setting.Corruption != "" {
		f.Fix = "name the data set of the clean images in the spec, as calibrate_on"
	}
	in.add(f)
}

// newInspected returns the set of a key, which is not read yet.
func newInspected(key setKey) *inspected {
	return &inspected{
		name: key.ref.String(), split: key.ref.Split, open: key.open,
		known:  func(o folder.Oddity) (string, bool) { return folder.KnownOf(key.source, key.ref, o) },
		source: string(key.source.Describe(key.ref).Origin),
	}
}

// read inspects one set of a plan.
func (in *Inspection) read(ctx context.Context, key setKey, x *inspected) error {
	x.arrays, x.err = folder.Headers(ctx, key.source, key.ref, key.source.Has(key.ref))
	if file := folder.ManifestAbove(key.source); file != "" {
		in.add(Problem{Severity: Note, Place: file, Cause: "describes the sets: it is the manifest of a folder above them"})
	}
	if taken := folder.OtherNames(x.arrays); taken != "" {
		in.add(Problem{Severity: Note, Place: x.name, Cause: taken})
	}
	if err := in.set(ctx, x); err != nil {
		return err
	}
	if names := folder.ClassNames(key.source, key.ref); names != nil && x.ok && len(names) != x.row.Classes {
		in.add(Problem{Severity: Error, Place: x.name, Cause: fmt.Sprintf("%s names %d classes, and the logits have %d", data.ManifestName, len(names), x.row.Classes), Fix: "name every column of the logits, in their order"})
	}
	return nil
}

// set reads a set and adds its row and its findings. The error is that of ctx.
func (in *Inspection) set(ctx context.Context, x *inspected) error {
	if err := x.read(ctx, in); err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		in.fail(x.name, err)
		return nil
	}
	in.Sets = append(in.Sets, x.row)
	x.judge(in)
	return nil
}

// mostCompared is the largest number of calibration rows whose hashes are held in
// memory to find them among the test rows.
const mostCompared = 4 << 20

// pair compares a calibration set with a test set. sameKind says that both are of one data
// set, without corruption.
func (in *Inspection) pair(ctx context.Context, a, b *inspected, sameKind bool) error {
	if !a.ok || !b.ok {
		return nil
	}
	names := a.name + " and " + b.name
	if a.row.ConfidenceOnly != b.row.ConfidenceOnly {
		in.add(Problem{Severity: Error, Place: names, Cause: "one of the two has a confidence alone, and the other has logits", Fix: "give both sets the same arrays"})
		return nil
	}
	if a.row.Classes != b.row.Classes {
		in.add(Problem{Severity: Error, Place: names, Cause: fmt.Sprintf("the calibration set has %d classes, the test set %d", a.row.Classes, b.row.Classes),
			Fix: "give both sets the same columns, in the same order"})
		return nil
	}
	if gap := a.row.Accuracy - b.row.Accuracy; gap > 0.1 && !b.disordered && sameKind {
		in.warn(Problem{Place: names, Oddity: folder.OddAccuracyGap, Cause: fmt.Sprintf("accuracy %.1f %% on the calibration rows and %.1f %% on the test rows: the network may have seen the calibration rows in training, or the test rows are of another kind", 100*a.row.Accuracy, 100*b.row.Accuracy),
			Fix: "calibrate on rows that were held out"}, a, b)
	}
	if a.row.Rows > mostCompared {
		in.add(Problem{Severity: Note, Place: names, Cause: fmt.Sprintf("rows of both sets were not searched for: more than %d", mostCompared)})
		return nil
	}
	shared, err := sharedRows(ctx, a, b)
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil:
		in.fail(names, err)
	case shared.All():
		in.add(Problem{Severity: Error, Place: names, Cause: experiments.SameRows, Fix: "save the logits of two different parts of the data"})
	case shared.Likely():
		in.warn(Problem{Place: names, Oddity: folder.OddSharedRows, Cause: fmt.Sprintf("%d of %d test rows have the logits of a calibration row%s: they may be rows of both sets", shared.Rows, shared.Test, equalRows(shared)),
			Fix: "leave them out of one of the two sets (or are they duplicate images?)"}, a, b)
	}
	return nil
}

// warn adds a warning on sets or, if a manifest of one of them has the reason, what is known.
func (in *Inspection) warn(f Problem, sets ...*inspected) {
	f.Severity = Warning
	for _, x := range sets {
		if x.known == nil {
			continue
		}
		if reason, ok := x.known(f.Oddity); ok {
			f.Severity, f.Reason, f.Fix, f.Remedy = Known, reason, "", problem.Remedy{}
		}
	}
	in.add(f)
}

// equalRows says how many calibration rows are equal to each other, if some are.
func equalRows(s data.Shared) string {
	if s.Equal == 0 {
		return ""
	}
	return fmt.Sprintf(" (and %d of %d calibration rows those of another)", s.Equal, s.Cal)
}

// sharedRows counts the test rows that have the logits of a calibration row.
func sharedRows(ctx context.Context, cal, test *inspected) (data.Shared, error) {
	a, err := cal.open(ctx)
	if err != nil {
		return data.Shared{}, err
	}
	defer a.Close()
	b, err := test.open(ctx)
	if err != nil {
		return data.Shared{}, err
	}
	defer b.Close()
	return data.SharedRows(ctx, a, b)
}

// missing adds a note for each reason why methods are skipped.
func (in *inspector) missing() {
	var all experiments.Absences
	for i := range in.plan.Units {
		u := &in.plan.Units[i]
		if u.Plain() == nil || u.Plain().Has(u.Setting.Cal())&scored != scored {
			continue
		}
		for _, c := range u.Cells {
			if c.State == experiments.Skip {
				all.Add(results.Skip, u.Setting, c.Method.Name, c.Why)
			}
		}
	}
	for _, r := range all {
		in.add(Problem{Severity: Note, Place: experiments.Few(r.Settings, 3), Cause: fmt.Sprintf("%s: %s", experiments.Few(r.Methods, 8), r.Text)})
	}
	var offset []string
	lost := func(x *inspected) bool { return x.ok && (x.logProbs || x.offsetLost) }
	for _, x := range in.sets {
		if lost(x) {
			offset = append(offset, x.name)
		}
	}
	if len(offset) == 0 {
		return
	}
	slices.Sort(offset)
	var need []string
	for i := range in.plan.Units {
		for _, c := range in.plan.Units[i].Cells {
			if c.State != experiments.Skip && c.Method.Contract().TrueLogits && !slices.Contains(need, c.Method.Name) {
				need = append(need, c.Method.Name)
			}
		}
	}
	f := Problem{Severity: Note, Place: experiments.Few(offset, 3), Cause: "log-probabilities, not logits: the offset of each row is lost", Fix: "save the output of the last layer, before log_softmax, if you can"}
	if len(need) > 0 {
		f.Cause += "; " + experiments.Few(need, 8) + " will be skipped"
	}
	in.add(f)
}
