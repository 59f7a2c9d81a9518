package experiments

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/qats-bench/qats/data"
	"github.com/qats-bench/qats/data/folder"
	"github.com/qats-bench/qats/experiments/engine"
	"github.com/qats-bench/qats/experiments/spec"
	"github.com/qats-bench/qats/metrics"
	"github.com/qats-bench/qats/results"
)

// State is what a run would do about a cell.
type State string

const (
	Hit    State = "hit"   // everything is in the store
	Score  State = "score" // fitted and applied, but not scored by these metrics or not paired
	Miss   State = "miss"  // to be fitted or applied
	Skip   State = "skip"  // cannot be done, for a declared reason
	Broken State = "fail"  // failed during planning

	Unknown State = "unknown" // only with run -n: some array has no digest yet
)

// Cell is one method on one setting.
type Cell struct {
	Method *spec.Method
	State  State
	Why    results.Note // reason for any state but Hit

	external             externalMethod // the method, if it is external; else nil
	files                []namedFile    // that the external method reads
	fit, samples, scores string         // key texts
	seed                 uint64         // of the fit
	pair                 string         // key text of the pairing with the baseline; empty if there is none
	scored, paired       bool           // the scores and the pairing are in the store
}

// namedFile is a file that an external method reads, and its name in errors.
type namedFile struct{ path, name string }

// Unit is a setting with its cells: the work that one worker does at a time.
type Unit struct {
	Spec       *spec.Spec
	Setting    *spec.Setting
	Provenance data.Provenance
	Cells      []Cell

	source data.Source
	plain  data.Source // source before rows are redrawn
	test   data.Source // of the test set: source, or a rescaled view of it
	seed   uint64      // derived from the content of the test set
	inputs string      // key text of the notes on its arrays; empty if none are needed

	sources []data.Source // that were searched; nil if one has the test set

	testArrays, calArrays string // digests of the arrays that its cells read
}

// Plain returns the source of the arrays of the setting, before rows are redrawn, thinned
// out or rescaled; nil if no source has its test set.
func (u *Unit) Plain() data.Source { return u.plain }

// digests returns the digest of parts of a set for a plan, "" for no parts.
type digests func(src data.Source, ref data.Ref, parts data.Parts) (string, error)

// plan makes the cells of the unit, with the states that need no look at the store. An error of
// a cell becomes its state. plan returns only errors of the machine.
func (u *Unit) plan(digest digests, o PlanOptions, at location) error {
	calHas, testHas := u.source.Has(u.Setting.Cal()), u.test.Has(u.Setting.Test())
	test, testErr := digest(u.test, u.Setting.Test(), scored)
	u.seed = seed("test set\n" + test)
	if testErr == nil && u.Provenance.Origin == data.Measured {
		cal, err := digest(u.source, u.Setting.Cal(), scored&calHas)
		if err == nil {
			u.inputs = inputsText(cal, test, slices.Concat(folder.IgnoredOf(u.source, u.Setting.Cal()), folder.IgnoredOf(u.test, u.Setting.Test())))
		}
	}
	for i := range u.Spec.Methods {
		c := Cell{Method: &u.Spec.Methods[i]}
		c.external, _ = c.Method.Method.(externalMethod)
		if c.Why = u.lacks(&c, calHas, testHas, at); c.Why != (results.Note{}) {
			c.State = Skip
		} else {
			err := testErr
			if err == nil && !o.NoDigests {
				err = u.texts(digest, &c, o, at)
			}
			if isFatal(err) {
				return fmt.Errorf("%s: %w", u.Setting, err)
			}
			var unknown *folder.NotHashed
			if errors.As(err, &unknown) {
				c.State, c.Why = Unknown, because(err.Error())
			} else if err != nil {
				c.State, c.Why = Broken, because(err.Error())
			} else if c.forbidden(o) {
				c = Cell{Method: c.Method, State: Skip, Why: because(notAllowed)}
			}
		}
		u.Cells = append(u.Cells, c)
	}
	if !o.NoDigests {
		u.compareTexts(o.Interval)
		u.describeArrays(digest)
	}
	return nil
}

// lookUp finds the states of the cells in the store.
func (u *Unit) lookUp(o PlanOptions) {
	for i := range u.Cells {
		if c := &u.Cells[i]; c.State == "" {
			c.State, c.Why = c.inStore(u.Spec.Baseline, o.has)
			if o.Fresh {
				c.Why = because("asked to start afresh")
			}
		}
	}
}

// lacks returns the reason why the method of a cell cannot be run on the setting,
// and no note if it can. cal and test are the arrays that the two sets have.
func (u *Unit) lacks(c *Cell, cal, test data.Parts, at location) results.Note {
	contract := c.Method.Contract()
	held := func(ref data.Ref, parts data.Parts) engine.Held {
		return engine.Held{Network: ref.Dataset + "/" + ref.Backbone, Parts: parts}
	}
	if missing := engine.Missing(contract, held(u.Setting.Cal(), cal), held(u.Setting.Test(), test)); missing != (results.Note{}) {
		return missing
	}
	if err := (engine.Form{LogProbs: u.Provenance.Kind.OffsetLost(), Confidence: u.Provenance.Kind == data.KindConfidence}).Suits(contract); err != nil {
		return because(err.Error())
	}
	if c.external != nil {
		if text := c.external.lacks(at); text != "" {
			return because(text)
		}
	}
	return results.Note{}
}

// texts fills the key texts of c.
func (u *Unit) texts(digest digests, c *Cell, o PlanOptions, at location) error {
	contract := c.Method.Contract()
	cal, errCal := digest(u.source, u.Setting.Cal(), contract.Cal)
	target, errTarget := digest(u.test, u.Setting.Test(), contract.Target)
	test, errTest := digest(u.test, u.Setting.Test(), contract.Test|scored)
	if err := cmp.Or(errCal, errTarget, errTest); err != nil {
		return err
	}
	c.fit, c.seed = fitText(c.Method, cal, target), fitSeed(c.Method, cal, target)
	if c.external != nil {
		test += tableVersion
		text, err := c.external.digests(at, func(path, name string) (string, error) {
			c.files = append(c.files, namedFile{path, name})
			return o.Digests.File(path, name)
		})
		if err != nil {
			return fmt.Errorf("%s: %w", c.Method.Name, err)
		}
		if c.external.fits() {
			c.fit += text
		} else {
			test += text
		}
	}
	reads := u.reads()
	c.samples = samplesText(c.fit, test, reads.Classes, reads.Vectors)
	return nil
}

// compareTexts sets the texts that depend on other cells: the scores of all cells,
// and the pair texts of those that are compared with the baseline.
func (u *Unit) compareTexts(interval metrics.Interval) {
	b := u.baseline()
	for i := range u.Cells {
		c := &u.Cells[i]
		if c.samples == "" {
			continue
		}
		c.scores = scoresText(c.samples, u.uncalText(), u.Spec.Metrics, u.Spec.PerClass, u.Setting.FirstPositive)
		if b >= 0 && i != b && u.Cells[b].samples != "" {
			c.pair = pairText(c.samples, u.Cells[b].samples, u.uncalText(), interval, u.Spec.Intervals, u.Setting.FirstPositive)
		}
	}
}

// forbidden reports whether c would start a program that may not be started. A
// program whose probabilities are in the store is not started.
func (c *Cell) forbidden(o PlanOptions) bool {
	if c.external == nil || !c.external.runs() || o.AllowExec {
		return false
	}
	return !(o.has(results.SampleScores, c.samples) && o.has(results.Fit, c.fit))
}

// inStore returns the state of a cell by the objects that the store has, and notes
// whether its scores and its pairing with the baseline are among them.
func (c *Cell) inStore(baseline string, has func(kind results.Kind, text string) bool) (State, results.Note) {
	c.scored = has(results.Scores, c.scores)
	c.paired = c.pair == "" || has(results.Pairs, c.pair)
	if c.scored && c.paired {
		return Hit, results.Note{}
	}
	switch {
	case !has(results.Fit, c.fit):
		return Miss, because("not yet fitted on this calibration set with these options")
	case !has(results.SampleScores, c.samples):
		return Miss, because("fitted, not yet applied to this test set")
	case c.scored:
		return Score, because("not yet paired with " + baseline)
	}
	return Score, because("not yet scored by these metrics")
}

// reads returns what scores of the spec read of the test set.
func (u *Unit) reads() engine.Reads {
	reads := engine.ReadsOf(u.Spec.Metrics)
	reads.Classes = reads.Classes || u.Spec.PerClass
	return reads
}

// baseline returns the index of the cell that the others are paired with, -1 if
// there is none.
func (u *Unit) baseline() int {
	return slices.IndexFunc(u.Cells, func(c Cell) bool { return c.Method.Name == u.Spec.Baseline })
}

// uncal returns the index of the cell of the uncalibrated network, -1 if there is
// none.
func (u *Unit) uncal() int {
	return slices.IndexFunc(u.Cells, func(c Cell) bool { return c.Method.Entry.Name == spec.Uncalibrated })
}

// uncalText returns the text of the sample scores of the uncalibrated network, "" if
// there are none.
func (u *Unit) uncalText() string {
	if i := u.uncal(); i >= 0 {
		return u.Cells[i].samples
	}
	return ""
}

// describeArrays sets the digests of the arrays that the cells of the unit read.
// The plan has computed them for the keys of the cells.
func (u *Unit) describeArrays(digest digests) {
	var cal, test data.Parts
	for i := range u.Cells {
		if c := &u.Cells[i]; c.State != Skip && c.State != Broken {
			contract := c.Method.Contract()
			cal |= contract.Cal
			test |= contract.Test | contract.Target | scored
		}
	}
	u.testArrays, _ = digest(u.test, u.Setting.Test(), test) // an error is the state of a cell
	u.calArrays, _ = digest(u.source, u.Setting.Cal(), cal)
}

// unchangedArrays returns an error if a file of these parts of the calibration set and
// of the test set has changed since the plan.
func (u *Unit) unchangedArrays(cal, test data.Parts) error {
	if cal != 0 {
		if err := folder.Unchanged(u.source, u.Setting.Cal(), cal); err != nil {
			return err
		}
	}
	if test == 0 {
		return nil
	}
	return folder.Unchanged(u.test, u.Setting.Test(), test)
}

// unchanged returns an error if a file that the fit of c reads has changed since
// the plan or, with applied, one that scoring it reads.
func (u *Unit) unchanged(digests *folder.Digests, c *Cell, applied bool) error {
	contract := c.Method.Contract()
	test := contract.Target
	if applied {
		test |= contract.Test | scored
	}
	if err := u.unchangedArrays(contract.Cal, test); err != nil {
		return err
	}
	for _, f := range c.files {
		if err := digests.Unchanged(f.path, f.name); err != nil {
			return err
		}
	}
	return nil
}

// because returns the note of a reason in words.
func because(why string) results.Note { return results.Note{Kind: results.Words, Text: why} }
