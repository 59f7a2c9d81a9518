package experiments

import (
	"context"
	"fmt"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/qats-bench/qats/data"
	"github.com/qats-bench/qats/metrics"
	"github.com/qats-bench/qats/results"
	"golang.org/x/sync/errgroup"
)

// State says what a run would do about a cell.
type State string

// Hit: all is in the store. Score: fitted and applied, but not scored by
// these metrics. Miss: to be fitted or applied. A Skip cannot be done, for a
// declared reason; a Broken one failed already at the plan.
const (
	Hit    State = "hit"
	Score  State = "score"
	Miss   State = "miss"
	Skip   State = "skip"
	Broken State = "fail"
)

// Cell is one method on one setting.
type Cell struct {
	Method *Method
	State  State
	Why    string // why it is no hit

	fit, facts, scores string // texts of the keys
	seed               uint64 // of the fit
	pair               string // text of the pairing with the baseline, empty where there is none
	scored, paired     bool   // the scores and the pairing are in the store
	damaged            bool   // something of it in the store cannot be read
}

// Unit is a setting with its cells: what one worker does at a time.
type Unit struct {
	Spec       *Spec
	Setting    *Setting
	Provenance data.Provenance
	Cells      []Cell

	source data.Source
	test   data.Source // of the test set: source, or a rescaled view of it
	seed   uint64      // identity of the test set
	inputs string      // text of the notes on its arrays; empty where nobody needs to look
}

// Plan is all cells of some specs in order, with their state in a store.
type Plan struct {
	Units []Unit
	store *results.Store
	roots []string // absolute folders of sources, which no output shows

	// Of the options, what outside methods ask for when the plan is run.
	data      []string
	first     int
	allowExec bool
	interval  metrics.Interval
}

// PlanOptions says where a plan looks.
type PlanOptions struct {
	Data    []string       // folders put in front of the sources of the specs
	Store   *results.Store // what is already done; not asked under Fresh
	Digests *data.Digests  // digests remembered from earlier plans
	Fresh   bool           // nothing in the store counts as done
	First   int            // only the first rows of each set, for a quick look; 0 for all

	AllowExec bool // programs that specs name may be run

	Interval metrics.Interval // of the pairings; metrics.BC if empty
}

// MakePlan lists the cells of specs. It hashes files that it does not know
// yet, on all processors, and parses no array.
func MakePlan(ctx context.Context, specs []*Spec, o PlanOptions) (*Plan, error) {
	p := &Plan{store: o.Store, data: o.Data, first: o.First, allowExec: o.AllowExec, interval: o.Interval}
	open := openSources{options: o, opened: map[string]data.Source{}}
	for _, spec := range specs {
		sources, err := open.of(spec)
		if err != nil {
			return nil, err
		}
		for i := range spec.Settings {
			p.Units = append(p.Units, newUnit(spec, &spec.Settings[i], sources))
		}
	}
	digests := planDigests{seen: map[string]*digest{}}
	var g errgroup.Group
	g.SetLimit(runtime.GOMAXPROCS(0))
	for i := range p.Units {
		if u := &p.Units[i]; u.source != nil {
			g.Go(func() error {
				u.plan(ctx, &digests, o, p.whereabouts(u))
				return nil
			})
		}
	}
	g.Wait() // errors are in their cells
	if err := ctx.Err(); err != nil {
		return nil, err // which the last cells took for their own
	}
	for _, path := range keys(open.opened) {
		if dir, _, _ := strings.Cut(path, "\n"); filepath.IsAbs(dir) {
			p.roots = append(p.roots, dir)
		}
	}
	return p, o.Digests.Close()
}

// newUnit returns a setting with the source that serves it, as yet without
// cells but where no source does.
func newUnit(spec *Spec, setting *Setting, sources []data.Source) Unit {
	u := Unit{Spec: spec, Setting: setting, source: source(sources, setting)}
	if u.source == nil {
		u.skipAll(fmt.Sprintf("no source has %s of %s", scored, u.Setting))
		return u
	}
	if draw := u.Setting.Draw; draw > 0 {
		u.source = data.Redrawn(u.source, draw)
	}
	u.Provenance = provenance(u.source, u.Setting)
	u.test = u.source
	if c := u.Setting.Rescale; c > 0 {
		u.test = data.Scaled(u.source, float32(c))
	}
	return u
}

// provenance returns what is known of the numbers of a setting: they are
// measured only where both the test set and the calibration set are.
func provenance(src data.Source, s *Setting) data.Provenance {
	p := src.Describe(s.Test())
	if src.Has(s.Cal()) == 0 {
		return p
	}
	cal := src.Describe(s.Cal())
	if cal.Origin == data.Simulated && p.Origin != data.Simulated {
		p.Origin = data.Simulated
		p.Note = joinNotes(p.Note, "the calibration set is simulated", cal.Note)
	}
	if cal.Kind.OffsetLost() {
		p.Kind = cal.Kind
	}
	return p
}

func (u *Unit) skipAll(why string) {
	for i := range u.Spec.Methods {
		u.Cells = append(u.Cells, Cell{Method: &u.Spec.Methods[i], State: Skip, Why: why})
	}
}

// plan finds the state of each method on the setting.
func (u *Unit) plan(ctx context.Context, digests *planDigests, o PlanOptions, at whereabouts) {
	test, testErr := digests.of(ctx, u.test, u.Setting.Test(), scored)
	u.seed = seed("test set\n" + test)
	if testErr == nil && u.Provenance.Origin == data.Measured {
		cal, err := digests.of(ctx, u.source, u.Setting.Cal(), scored&u.source.Has(u.Setting.Cal()))
		if err == nil {
			u.inputs = inputsText(cal, test)
		}
	}
	for i := range u.Spec.Methods {
		c := Cell{Method: &u.Spec.Methods[i]}
		if c.Why = u.lacks(c.Method, at); c.Why != "" {
			c.State = Skip
		} else {
			err := testErr
			if err == nil {
				err = u.texts(ctx, digests, &c, o, at)
			}
			if err != nil {
				c.State, c.Why = Broken, err.Error()
			} else if c.forbidden(o) {
				c = Cell{Method: c.Method, State: Skip, Why: notAllowed(c.Method.Name)}
			}
		}
		u.Cells = append(u.Cells, c)
	}
	u.pairing(o.Interval)
	for i := range u.Cells {
		c := &u.Cells[i]
		if c.State == "" {
			c.scored = !o.Fresh && o.Store.Has(results.Scores, results.Key(c.scores))
			c.State, c.Why = c.inStore(o)
		}
		c.paired = c.pair == "" || !o.Fresh && o.Store.Has(results.Pairs, results.Key(c.pair))
		if c.State == Hit && !c.paired {
			c.State, c.Why = Score, "not yet paired with "+u.Spec.Baseline
		}
	}
}

// classes reports whether a metric of the spec reads class bins.
func (u *Unit) classes() bool {
	return slices.ContainsFunc(u.Spec.Metrics, func(e metrics.Entry) bool { return e.Classes })
}

// texts fills the key texts of c.
func (u *Unit) texts(ctx context.Context, digests *planDigests, c *Cell, o PlanOptions, at whereabouts) error {
	contract := c.Method.Contract()
	var cal, target string
	var err error
	if contract.Cal != 0 {
		if cal, err = digests.of(ctx, u.source, u.Setting.Cal(), contract.Cal); err != nil {
			return err
		}
	}
	if contract.Target != 0 {
		if target, err = digests.of(ctx, u.test, u.Setting.Test(), contract.Target); err != nil {
			return err
		}
	}
	test, err := digests.of(ctx, u.test, u.Setting.Test(), contract.Test|scored)
	if err != nil {
		return err
	}
	c.fit, c.seed = fitText(c.Method, cal, target), fitSeed(c.Method, cal, target)
	c.facts = factsText(c.fit, test, u.classes())
	if c.Method.outside != nil {
		if err := u.outsideTexts(at, o.Digests, c, test); err != nil {
			return err
		}
	}
	c.scores = scoresText(c.facts, u.Spec.Metrics)
	return nil
}

// lacks says why the method cannot be run on the setting, empty if it can.
func (u *Unit) lacks(m *Method, at whereabouts) string {
	contract := m.Contract()
	for _, need := range []struct {
		source data.Source
		ref    data.Ref
		parts  data.Parts
		set    string
	}{
		{u.source, u.Setting.Cal(), contract.Cal, "calibration set"},
		{u.test, u.Setting.Test(), contract.Test | contract.Target, "test set"},
	} {
		if missing := need.parts &^ need.source.Has(need.ref); missing != 0 {
			return fmt.Sprintf("%s needs %s of the %s, absent for %s/%s", m.Name, strings.ReplaceAll(missing.String(), "+", " and "),
				need.set, need.ref.Dataset, need.ref.Backbone)
		}
	}
	if contract.TrueLogits && u.Provenance.Kind.OffsetLost() {
		return NeedsTrueLogits(m.Name)
	}
	if m.outside != nil {
		return m.outside.lacks(at)
	}
	return ""
}

// forbidden reports whether c starts a program that may not be started: what
// the store has needs none.
func (c *Cell) forbidden(o PlanOptions) bool {
	if c.Method.outside == nil || !c.Method.outside.runs() || o.AllowExec {
		return false
	}
	state, _ := c.inStore(o)
	return state == Miss
}

// NeedsTrueLogits says why a method refuses log-probabilities.
func NeedsTrueLogits(method string) string {
	return method + " needs true logits; these are log-probabilities, whose offset is lost"
}

// OffsetLost says why a method refuses logits that are read relative to the
// largest of their row.
func OffsetLost(method string) string {
	return method + " needs true logits; float32 does not hold the offset of these"
}

// pairing sets the pair texts of the cells that are compared with the
// baseline.
func (u *Unit) pairing(interval metrics.Interval) {
	for i := range u.Cells {
		b := &u.Cells[i]
		if b.Method.Name != u.Spec.Baseline || b.facts == "" {
			continue
		}
		for j := range u.Cells {
			if c := &u.Cells[j]; j != i && c.facts != "" {
				c.pair = pairText(c.facts, b.facts, interval)
			}
		}
	}
}

// inStore looks a cell up.
func (c *Cell) inStore(o PlanOptions) (State, string) {
	switch {
	case o.Fresh:
		return Miss, "asked to start afresh"
	case c.scored:
		return Hit, ""
	case o.Store.Has(results.SampleScores, results.Key(c.facts)) && o.Store.Has(results.Fit, results.Key(c.fit)):
		return Score, "not yet scored by these metrics"
	case o.Store.Has(results.Fit, results.Key(c.fit)):
		return Miss, "fitted, not yet applied to this test set"
	}
	return Miss, "not yet fitted on this calibration set with these options"
}

// local returns a note without the absolute folders of sources: the same arrays
// elsewhere give the same results.csv.
func (p *Plan) local(note string) string {
	for _, dir := range p.roots {
		note = strings.ReplaceAll(note, filepath.Clean(dir)+string(filepath.Separator), "")
	}
	return note
}

// intact reports whether the object of a key text is in the store, undamaged.
func (p *Plan) intact(kind results.Kind, text string) bool {
	_, err := p.store.Get(kind, results.Key(text))
	return err == nil
}

// verify reads the objects that a run is going to rely on. What was damaged on
// disk counts as absent and is made anew.
func (p *Plan) verify(u *Unit) {
	pairing := false
	for i := range u.Cells {
		c := &u.Cells[i]
		if c.State != Hit && c.State != Score {
			pairing = pairing || c.State == Miss && c.pair != ""
			continue
		}
		if c.pair != "" && !(c.paired && p.intact(results.Pairs, c.pair)) {
			c.paired, pairing = false, true
			c.State = Score
		}
		if c.scored && !p.intact(results.Scores, c.scores) {
			c.scored = false
			c.State = Score
		}
	}
	for i := range u.Cells {
		c := &u.Cells[i]
		base := pairing && c.Method.Name == u.Spec.Baseline
		if (c.State == Score || c.State == Hit && base) && !(p.intact(results.SampleScores, c.facts) && p.intact(results.Fit, c.fit)) {
			c.State, c.damaged = Miss, true
		}
	}
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

// Measured returns how many of the settings that some source has are real
// outputs, and how many simulated.
func (p *Plan) Measured() (measured, simulated, absent int) {
	for i := range p.Units {
		switch u := &p.Units[i]; {
		case u.source == nil:
			absent++
		case u.Provenance.Origin == data.Simulated:
			simulated++
		default:
			measured++
		}
	}
	return
}
