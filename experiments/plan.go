package experiments

import (
	"cmp"
	"context"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/qats-bench/qats/data"
	"github.com/qats-bench/qats/experiments/spec"
	"github.com/qats-bench/qats/internal/pool"
	"github.com/qats-bench/qats/metrics"
	"github.com/qats-bench/qats/results"
)

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
	needs  *memory     // of a run; nil until it is known

	sources []data.Source // that were searched; nil if one has the test set

	testArrays, calArrays string // digests of the arrays that its cells read
}

// Plan is all cells of some specs in order, with their state in a store.
type Plan struct {
	Units    []Unit
	Unhashed map[string]int64 // of a plan made with Look: the sizes of the files that are not hashed yet

	options PlanOptions             // with digests that hold every file to one version
	missing map[*spec.Spec][]string // folders that specs name by a word and that do not exist
	roots   []string                // absolute folders of sources, which no output shows
}

// PlanOptions configures a plan.
type PlanOptions struct {
	Data    []string       // folders put in front of the sources of the specs
	Store   *results.Store // results that exist already; not read under Fresh
	Digests *data.Digests  // digests remembered from earlier plans
	Fresh   bool           // nothing in the store counts as done, and every file is hashed again
	First   int            // only the first rows of each set, for a quick look; 0 for all

	// Memory is the number of bytes that arrays may take at one time, and the most that a
	// member of an archive may unpack to; DefaultMemory if 0. A unit that needs more runs
	// alone. A calibration set that is larger is read again in every pass by the fits that
	// can do so.
	Memory int64

	AllowExec bool     // whether programs that specs name may be run
	Env       []string // variables of the environment that these programs get, beside those of external.Passed

	Interval metrics.Interval // of the pairings; metrics.Percentile if empty

	// Look makes a plan that is quick, writes nothing and cannot be run: headers of
	// arrays are checked, and files of more than LookBytes that Digests does not
	// remember are not hashed. The states of their cells are Unknown.
	Look bool

	// NoDigests makes a plan in which no array is hashed. Only the states Skip and Broken
	// of its cells mean something.
	NoDigests bool
}

// LookBytes is the size of the largest file that a look hashes, so that a look is quick.
const LookBytes = 100e6

// MakePlan lists the cells of specs. It computes the digests of files that it does
// not know yet, on all processors, and decodes no array. Until the plan has run, a
// file that changes fails the cells that read it.
func MakePlan(ctx context.Context, specs []*spec.Spec, o PlanOptions) (*Plan, error) {
	if o.Look {
		o.Digests = o.Digests.Looking(LookBytes)
	} else {
		o.Digests = o.Digests.Pinned(o.Fresh)
	}
	o.Memory = cmp.Or(o.Memory, DefaultMemory)
	p := &Plan{options: o}
	open := openSources{options: o, opened: map[string]data.Source{}, missing: map[*spec.Spec][]string{}}
	for _, s := range specs {
		sources, err := open.of(s)
		if err != nil {
			return nil, err
		}
		for i := range s.Settings {
			p.Units = append(p.Units, newUnit(s, &s.Settings[i], sources))
		}
		found := func(u Unit) bool { return u.source != nil }
		if of := p.Units[len(p.Units)-len(s.Settings):]; bundleMissing(s) && !slices.ContainsFunc(of, found) {
			return nil, missingArrays(s, Bundle)
		}
	}
	digest := o.digests(ctx)
	err := pool.Each(ctx, len(p.Units), runtime.GOMAXPROCS(0), func(_, i int) error {
		if p.Units[i].source == nil {
			return nil
		}
		return p.Units[i].plan(digest, o, p.location(&p.Units[i]))
	})
	if err != nil { // also of ctx, which is not a failure of the cells that it stopped
		o.Digests.Close()
		return nil, err
	}
	p.Unhashed, p.missing, p.roots = o.Digests.Unhashed(), open.missing, open.roots
	return p, o.Digests.Close()
}

// newUnit returns a setting with the source that serves it. Without such a source
// its cells are skips; otherwise it has no cells yet.
func newUnit(s *spec.Spec, setting *spec.Setting, sources []data.Source) Unit {
	u := Unit{Spec: s, Setting: setting, source: sourceOf(setting, sources)}
	if u.source == nil {
		why := results.Fact{Kind: results.NoSource, Lack: results.Lack{Arrays: scored.String()}}
		u.sources = sources
		for i := range s.Methods {
			u.Cells = append(u.Cells, Cell{Method: &s.Methods[i], State: Skip, Why: why})
		}
		return u
	}
	u.plain = u.source
	if setting.Variant.Split > 0 {
		u.source = data.Redrawn(u.source, setting.Variant.Split)
	}
	u.Provenance = provenance(u.source, setting)
	u.test = u.source
	if setting.Variant.TestShares {
		u.test = data.Skewed(u.source)
		u.Provenance = provenance(u.test, setting)
	}
	u.Provenance.Samples = cmp.Or(s.Samples[setting.Dataset], u.Provenance.Samples)
	if c := setting.Variant.Rescale; c > 0 {
		u.test = data.Scaled(u.source, float32(c))
	}
	return u
}

// provenance returns the provenance of the numbers of a setting: they are measured
// only if both the test set and the calibration set are.
func provenance(src data.Source, s *spec.Setting) data.Provenance {
	p := src.Describe(s.Test())
	if src.Has(s.Cal()) == 0 {
		return p
	}
	cal := src.Describe(s.Cal())
	if cal.Origin == data.Simulated && p.Origin != data.Simulated {
		p.Origin = data.Simulated
		p.Note = strings.Join(slices.DeleteFunc([]string{p.Note, "the calibration set is simulated", cal.Note}, func(s string) bool { return s == "" }), "; ")
	}
	if cal.Kind.OffsetLost() {
		p.Kind = cal.Kind
	}
	p.Paper = p.Paper && cal.Paper
	p.StandIn = cmp.Or(p.StandIn, cal.StandIn)
	return p
}

// Plain returns the source of the arrays of the setting, before rows are redrawn, thinned
// out or rescaled; nil if no source has its test set.
func (u *Unit) Plain() data.Source { return u.plain }

// classes reports whether a metric of the spec reads class bins.
func (u *Unit) classes() bool {
	return slices.ContainsFunc(u.Spec.Metrics, func(e metrics.Entry) bool { return e.Classes })
}

// vectors reports whether a metric of the spec recalibrates whole vectors.
func (u *Unit) vectors() bool {
	return slices.ContainsFunc(u.Spec.Metrics, func(e metrics.Entry) bool { return e.CrossFit })
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

// local returns a note without the absolute folders of sources: the same arrays
// elsewhere give the same results.csv.
func (p *Plan) local(note string) string {
	for _, dir := range p.roots {
		note = strings.ReplaceAll(note, filepath.Clean(dir)+string(filepath.Separator), "")
	}
	return note
}

// localFact is local for the text of a fact.
func (p *Plan) localFact(f results.Fact) results.Fact {
	f.Text = p.local(f.Text)
	return f
}

// Counts returns the number of cells in each state.
func (p *Plan) Counts() map[State]int {
	n := map[State]int{}
	for i := range p.Units {
		for j := range p.Units[i].Cells {
			n[p.Units[i].Cells[j].State]++
		}
	}
	return n
}

// CountSettings counts the settings with real outputs of a network, with simulated
// ones, and with no arrays at all. It counts no cells.
func (p *Plan) CountSettings() results.RunCounts {
	n := results.RunCounts{Settings: len(p.Units)}
	for i := range p.Units {
		switch u := &p.Units[i]; {
		case u.source == nil:
			n.Absent++
		case u.Provenance.Origin == data.Simulated:
			n.Simulated++
		default:
			n.Measured++
		}
	}
	return n
}
