package experiments

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/qats-bench/qats/data"
	"github.com/qats-bench/qats/data/derive"
	"github.com/qats-bench/qats/data/folder"
	"github.com/qats-bench/qats/experiments/spec"
	"github.com/qats-bench/qats/internal/pool"
	"github.com/qats-bench/qats/results"
)

// Plan is all cells of some specs in order, with their state in a store.
type Plan struct {
	Units    []Unit
	Part     []int            // numbers of the units of the task, or of all
	Unhashed map[string]int64 // of a plan made with Look: the sizes of the files that are not hashed yet

	options PlanOptions             // with digests that hold every file to one version
	missing map[*spec.Spec][]string // folders that specs name by a word and that do not exist
	roots   []string                // absolute folders of sources, which no output shows
}

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
		sources, err := open.sources(s)
		if err != nil {
			return nil, err
		}
		of := make([]Unit, len(s.Settings))
		if err := pool.Each(ctx, len(of), runtime.GOMAXPROCS(0), func(_, i int) error {
			of[i] = newUnit(s, &s.Settings[i], sources)
			return nil
		}); err != nil {
			o.Digests.Close()
			return nil, err
		}
		p.Units = append(p.Units, of...)
		found := func(u Unit) bool { return u.source != nil }
		if bundleMissing(s) && !slices.ContainsFunc(of, found) {
			return nil, missingArrays(s, Bundle)
		}
	}
	p.Part = p.all()
	if !o.Task.All() {
		p.Part = Tasks(specs, o.Task.Tests, o.Task.N)[o.Task.I]
	}
	if err := cmp.Or(p.checkKinds(), p.checkClasses(ctx)); err != nil {
		o.Digests.Close()
		return nil, err
	}
	digest := o.digests(ctx)
	err := pool.Each(ctx, len(p.Units), runtime.GOMAXPROCS(0), func(_, i int) error {
		if p.Units[i].source == nil {
			return nil
		}
		return p.Units[i].plan(digest, o, p.location(&p.Units[i]))
	})
	if err == nil {
		err = pool.Each(ctx, len(p.Part), runtime.GOMAXPROCS(0), func(_, i int) error {
			p.Units[p.Part[i]].lookUp(o)
			return nil
		})
	}
	if err != nil { // also of ctx, which is not a failure of the cells that it stopped
		o.Digests.Close()
		return nil, err
	}
	p.Unhashed, p.missing, p.roots = o.Digests.Unhashed(), open.missing, open.roots
	return p, o.Digests.Close()
}

// checkKinds returns an error if there are settings with logits and settings with a confidence alone, also of several
// specs: their methods are other ones, so a mean over both in a table or on a page would be of neither.
func (p *Plan) checkKinds() error {
	var of [2]*Unit // the first with logits, and the first with a confidence alone
	for i := range p.Units {
		u := &p.Units[i]
		if u.source == nil {
			continue
		}
		sort := 0
		if u.Provenance.Kind == data.KindConfidence {
			sort = 1
		}
		if of[sort] == nil {
			of[sort] = u
		}
		if of[0] != nil && of[1] != nil {
			return fmt.Errorf("%s: %s has a confidence alone, and %s has logits: give the two sorts a spec and an output folder each, since their methods are compared apart", of[1].Spec.File, of[1].Setting.Name(), of[0].Setting.Name())
		}
	}
	return nil
}

// digests returns the digests for one plan. Its cells share their sets, and each set of
// a source is asked for once: otherwise every cell would look up the same files again,
// which is slow on a network. Sources are pointers; a redrawn or scaled source is another
// one for each setting. A look first reads the headers of the arrays.
func (o PlanOptions) digests(ctx context.Context) digests {
	type set struct {
		source data.Source
		ref    data.Ref
		parts  data.Parts
	}
	var asked sync.Map // functions of type func() (string, error), by set
	return func(src data.Source, ref data.Ref, parts data.Parts) (string, error) {
		if o.NoDigests || parts == 0 {
			return "", nil
		}
		digest, _ := asked.LoadOrStore(set{src, ref, parts}, sync.OnceValues(func() (string, error) {
			if o.Look {
				if _, err := folder.Headers(ctx, src, ref, parts); err != nil {
					return "", err
				}
			}
			return src.Digest(ctx, ref, parts)
		}))
		return digest.(func() (string, error))()
	}
}

// ConfidenceAlone is the domain of settings whose sets have a confidence alone, whatever the inputs are: their methods
// are other ones, so that they are counted and compared among themselves.
const ConfidenceAlone = "confidence alone"

// newUnit returns a setting with the source that serves it. Without such a source
// its cells are skips; otherwise it has no cells yet.
func newUnit(s *spec.Spec, setting *spec.Setting, sources []data.Source) Unit {
	u := Unit{Spec: s, Setting: setting, source: sourceOf(setting, sources)}
	if u.source == nil {
		u.sources = sources
		for i := range s.Methods {
			u.Cells = append(u.Cells, Cell{Method: &s.Methods[i], State: Skip, Why: NoArrays()})
		}
		return u
	}
	u.plain = u.source
	if setting.Variant.Split > 0 {
		u.source = derive.Redrawn(u.source, setting.Variant.Split)
	}
	u.Provenance = provenance(u.source, setting)
	u.test = u.source
	if setting.Variant.TestShares {
		u.test = derive.Skewed(u.source)
		u.Provenance = provenance(u.test, setting)
	}
	u.Provenance.Domain = cmp.Or(s.Domains[setting.Dataset], u.Provenance.Domain)
	if u.Provenance.Kind == data.KindConfidence {
		u.Provenance.Domain = ConfidenceAlone
	}
	u.Provenance.Samples = cmp.Or(s.Samples[setting.Dataset], u.Provenance.Samples)
	if c := setting.Variant.Rescale; c > 0 {
		u.test = derive.Scaled(u.source, float32(c))
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
	if cal.Kind.OffsetLost() || cal.Kind == data.KindConfidence {
		p.Kind = cal.Kind
	}
	p.Paper = p.Paper && cal.Paper
	p.StandIn = cmp.Or(p.StandIn, cal.StandIn)
	return p
}

// location returns the location of a unit.
func (p *Plan) location(u *Unit) location {
	root, start := projectRoot(u.Spec.File), p.options.Programs
	start.Dir = cmp.Or(start.Dir, root)
	return location{root: root, folders: p.options.Data, test: u.test, setting: u.Setting, first: p.options.First > 0, env: p.options.Env, start: start}
}

// local returns a note without the absolute folders of sources: the same arrays
// elsewhere give the same results.csv.
func (p *Plan) local(note string) string {
	for _, dir := range p.roots {
		note = strings.ReplaceAll(note, filepath.Clean(dir)+string(filepath.Separator), "")
	}
	return note
}

// all returns the numbers of all units.
func (p *Plan) all() []int {
	units := make([]int, len(p.Units))
	for i := range units {
		units[i] = i
	}
	return units
}

// Counts returns the number of cells of the part in each state.
func (p *Plan) Counts() map[State]int {
	n := map[State]int{}
	for _, i := range p.Part {
		for j := range p.Units[i].Cells {
			n[p.Units[i].Cells[j].State]++
		}
	}
	return n
}

// CountSettings counts the settings of the part: those with real outputs of a network, with simulated
// ones, and with no arrays at all. It counts no cells.
func (p *Plan) CountSettings() results.RunCounts {
	n := results.RunCounts{Settings: len(p.Part)}
	for _, i := range p.Part {
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

// localNote is local for the text of a note.
func (p *Plan) localNote(f results.Note) results.Note {
	f.Text = p.local(f.Text)
	return f
}
