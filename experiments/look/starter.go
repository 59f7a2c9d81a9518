package look

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/qats-bench/qats/calib/all"
	"github.com/qats-bench/qats/data"
	"github.com/qats-bench/qats/data/folder"
	"github.com/qats-bench/qats/data/keyed"
	"github.com/qats-bench/qats/data/problem"
	"github.com/qats-bench/qats/data/simulate"
	"github.com/qats-bench/qats/experiments"
	"github.com/qats-bench/qats/experiments/spec"
	"github.com/qats-bench/qats/internal/called"
	"github.com/qats-bench/qats/internal/english"
	"github.com/qats-bench/qats/internal/lists"
	"github.com/qats-bench/qats/results"
)

// Starter is what qats init puts into a spec for a folder of arrays.
type Starter struct {
	Name    string   // of the spec
	Dir     string   // the folder of arrays, as the spec names it; empty if --data names it
	Schema  string   // the JSON Schema of the modeline; empty for no modeline
	Methods []string // the group @recommended if nil

	Layout    folder.Layout
	Sets      []data.Ref
	Simulated bool // the arrays are simulated

	// Unusable are the names of sets that a spec cannot have, each once. Their sets are
	// left out.
	Unusable []*problem.Problem
	Problems []*problem.Problem // files that are no part of a set

	dir    string // as the user names it
	folder *folder.Folder
}

// NewStarter looks at a folder of arrays for a spec, which has the name of the folder. Sets
// whose paths name no dataset have it as their dataset, and the backbone "network".
func NewStarter(dir string) (*Starter, error) {
	survey, err := surveyFolder(dir)
	if err != nil {
		return nil, err
	}
	s := &Starter{Name: NameOf(dir), Layout: survey.Layout, Problems: survey.Problems, dir: dir}
	folder, err := folder.Open(dir, survey.Layout, nil)
	if err != nil {
		return nil, err
	}
	s.folder = folder
	unusable := map[string]bool{}
	for _, ref := range survey.Sets {
		path := ref.String()
		ref.Dataset = cmp.Or(ref.Dataset, s.Name)
		ref.Backbone = cmp.Or(ref.Backbone, "network")
		bad := lists.Where([]string{ref.Dataset, ref.Backbone, ref.Loss, ref.Corruption}, func(name string) bool { return name != "" && !keyed.IsID(name) })
		for _, name := range bad {
			if !unusable[name] {
				unusable[name] = true
				s.Unusable = append(s.Unusable, &problem.Problem{Place: filepath.ToSlash(filepath.Join(dir, path)), Cause: fmt.Sprintf("%q cannot be a name in a spec", name),
					Fix: "rename the file or folder: letters, digits and . _ + - only, beginning with a letter or digit"})
			}
		}
		if len(bad) > 0 {
			continue
		}
		s.Sets = append(s.Sets, ref)
		s.Simulated = s.Simulated || folder.Describe(ref).Origin == data.Simulated
	}
	s.withoutAlone()
	return s, nil
}

// withoutAlone leaves out sets with a confidence alone where others have logits: the two are tables of their own.
func (s *Starter) withoutAlone() {
	alone := func(r data.Ref) bool { return s.folder.Describe(r).Kind == data.KindConfidence }
	of := lists.Where(s.Sets, alone)
	if len(of) == 0 || len(of) == len(s.Sets) {
		return
	}
	s.Sets = slices.DeleteFunc(s.Sets, alone)
	s.Problems = append(s.Problems, &problem.Problem{Place: filepath.ToSlash(filepath.Join(s.dir, of[0].String())),
		Cause: fmt.Sprintf("%s with a confidence alone, and others have logits: methods of the two are compared apart", english.Count(len(of), "set")),
		Fix:   "keep sets with a confidence alone in a folder and a spec of their own"})
}

// NameOf returns the name of a folder as that of a spec, or "mine".
func NameOf(dir string) string {
	abs, err := filepath.Abs(dir)
	if name := filepath.Base(abs); err == nil && keyed.IsID(name) {
		return name
	}
	return "mine"
}

// Folder returns the folder of the arrays, as the user names it.
func (s *Starter) Folder() string { return s.dir }

// Check returns why a spec of the sets could not be run: names that a spec cannot have, no
// set, or no test set.
func (s *Starter) Check() error {
	problems := s.Unusable
	switch {
	case len(problems) > 0:
	case len(s.Sets) == 0 && len(s.Problems) > 0:
		problems = s.Problems
	case len(s.Sets) == 0:
		return s.NoSets()
	case s.HasTest() && !slices.ContainsFunc(s.Sets, func(r data.Ref) bool { return r.Split == data.Cal }):
		return &problem.Problem{Place: s.dir, Cause: "there is a test set and no calibration set: nothing can be fitted", Fix: "save the logits and labels of held-out rows in the same way, under the name cal"}
	case !s.HasTest():
		return &problem.Problem{Place: s.dir, Cause: "there is a calibration set and no test set", Fix: "save the logits and labels of the test rows in the same way, under the name test"}
	}
	var all []error
	for _, p := range problems {
		all = append(all, p)
	}
	return errors.Join(all...)
}

// NoSets says that the folder has no set, and no file that is meant as one.
func (s *Starter) NoSets() *problem.Problem {
	return &problem.Problem{Place: s.dir, Cause: "no logits of a calibration or test set", Fix: called.Command() + " init --help lists the names that are recognised"}
}

// HasTest reports whether there is a test set.
func (s *Starter) HasTest() bool {
	return slices.ContainsFunc(s.Sets, func(r data.Ref) bool { return r.Split == data.Test })
}

// Uncalibrated returns the networks with a test set for which no set of calibration rows was
// found.
func (s *Starter) Uncalibrated() []string {
	var names []string
	calibrated := s.calibrated()
	for _, r := range s.Sets {
		if r.Split == data.Test && calibrateOn(r, calibrated) == "" && !slices.Contains(calibrated[data.Ref{Backbone: r.Backbone, Loss: r.Loss}], r.Dataset) {
			names = append(names, strings.TrimSuffix(strings.Join([]string{r.Dataset, r.Backbone, r.Loss}, "/"), "/"))
		}
	}
	return lists.Distinct(names, func(name string) string { return name })
}

// Spec returns the spec as YAML with comments. Without a test set the settings name
// the calibration sets, so that an inspection says what is missing.
func (s *Starter) Spec() string {
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	if s.Schema != "" {
		line("# yaml-language-server: $schema=%s", s.Schema)
	}
	key := func(text, comment string) { line("%-30s # %s", text, comment) }
	line("# Written by " + called.Command() + " init, and yours to edit: " + called.Command() + " doc spec explains every key.")
	line("name: %s", yamlName(s.Name))
	if s.Simulated {
		line("title: Calibration on simulated arrays")
	} else {
		line("title: Calibration of %s", s.Name)
	}
	if s.Dir != "" {
		key(fmt.Sprintf("data: [%q]", s.Dir), "folder of the arrays")
	}
	if s.Layout != (folder.Layout{}) {
		key(fmt.Sprintf("layout: %q", s.Layout), "where the arrays are in it")
	}
	mine := s.style()
	key("baseline: "+mine.baseline, "pairs.csv and "+called.Command()+" compare compare the other methods with it")
	line("")
	key("methods:", called.Command()+" doc methods lists all of them, and the groups")
	for _, m := range s.Methods {
		line("  - %s", m)
	}
	if s.Methods == nil {
		key(fmt.Sprintf("  - %q", mine.methods), groupMembers(mine.methods))
		key("  - "+mine.floor, "knows nothing but the share of right predictions: what every method should be better than")
	}
	if s.Methods == nil && mine.metrics == "" {
		line("  # - {name: qats-pw2, method: qats-pw, options: {segments: 2}}")
		for _, m := range s.more() {
			line("  # - %s", m)
		}
	}
	if mine.metrics != "" {
		line("")
		key("metrics: "+mine.metrics, "NLL and Brier score of all classes need logits")
	}
	line("")
	key("settings:", "one line is a grid: its lists are multiplied")
	for _, setting := range s.settings() {
		line("  - %s", setting)
	}
	first := s.first()
	line("")
	key("tables:", "of "+called.Command()+" report; all metrics are in results.csv anyway")
	line("  - {metric: ece, consistency_band: true}")
	line("  - {metric: %s}", mine.score)
	shifted, corruptions := s.corrupted()
	if corruptions != "" {
		line("  - {metric: ece, name: severities, rows: [dataset, backbone, severity], average: [corruption], corruption: [%s]}", corruptions)
	}
	line("")
	line("figures:")
	for _, kind := range []string{"reliability", "quantile-gap"} {
		line("  - {kind: %s, methods: [%s], dataset: %s, backbone: %s}", kind, mine.drawn, yamlName(first.Dataset), yamlName(s.trained().training(first.Backbone).name))
	}
	for _, network := range shifted { // a figure shows one
		loss := ""
		if slices.ContainsFunc(s.Sets, func(r data.Ref) bool { return r.Loss != network.Loss }) {
			loss = ", loss: " + yamlName(cmp.Or(network.Loss, "ce"))
		}
		line("  - {kind: severity, methods: [%s], dataset: %s, backbone: %s%s, corruption: [%s]}", mine.drawn, yamlName(network.Dataset), yamlName(s.trained().training(network.Backbone).name), loss, corruptions)
	}
	return b.String()
}

// corrupted returns the first network of each data set with corrupted sets of several severities, and all corruptions as a list of YAML.
func (s *Starter) corrupted() (networks []data.Ref, corruptions string) {
	sets := lists.Where(s.Sets, func(r data.Ref) bool { return r.Split == data.Test && r.Corruption != "" })
	names, of := lists.Group(sets, func(r data.Ref) string { return r.Dataset })
	for _, name := range names {
		if len(lists.Distinct(of[name], func(r data.Ref) int { return r.Severity })) > 1 {
			networks = append(networks, of[name][0])
		}
	}
	if networks == nil {
		return nil, ""
	}
	list := lists.Distinct(lists.Values(sets, func(r data.Ref) string { return yamlName(r.Corruption) }), func(name string) string { return name })
	return networks, strings.Join(list, ", ")
}

// training is a network of a folder: one of several trainings of a backbone, or a backbone of its own.
type training struct {
	name string
	seed string // empty for a backbone of its own
}

// trainings are the networks whose names are those of several trainings: NAME-seedN with several N.
type trainings map[string]training

// training returns the training that the name of a network stands for.
func (t trainings) training(backbone string) training {
	if of, ok := t[backbone]; ok {
		return of
	}
	return training{name: backbone}
}

// trained returns the networks of the folder that are trainings, as the key seeds of a spec names them.
func (s *Starter) trained() trainings {
	all := trainings{}
	backbones := lists.Distinct(lists.Values(s.Sets, func(r data.Ref) string { return r.Backbone }), func(name string) string { return name })
	names, of := lists.Group(backbones, func(backbone string) string {
		name, seed, ok := strings.Cut(backbone, "-seed")
		if n, err := strconv.Atoi(seed); ok && err == nil && strconv.Itoa(n) == seed && n >= 0 && n <= mostSeed && name != "" {
			return name
		}
		return ""
	})
	for _, name := range names {
		if name == "" || len(of[name]) < 2 {
			continue
		}
		for _, backbone := range of[name] {
			all[backbone] = training{name, strings.TrimPrefix(backbone, name+"-seed")}
		}
	}
	return all
}

// mostSeed is the largest seed that a spec can name.
const mostSeed = 1_000_000

// style is what a spec of logits and one of predictions with a confidence alone have different.
type style struct{ baseline, methods, floor, metrics, score, drawn string }

// style returns that of the sets: of a confidence alone where none has logits.
func (s *Starter) style() style {
	if slices.ContainsFunc(s.Sets, func(r data.Ref) bool { return s.folder.Describe(r).Kind != data.KindConfidence }) {
		return style{"ts", "@recommended", results.BaseRate, "", "nll", "uncal, ts"}
	}
	return style{"ts-top", "@confidence", results.BaseRateTop, "[accuracy, ece, aece, nll_top, brier_top, auroc, aurc]", "nll_top", "uncal, ts-top"}
}

// groupMembers lists the methods of a group.
func groupMembers(group string) string {
	g, _ := spec.MatchGroup(experiments.Registry().MethodGroups, group) // it is registered
	return strings.Join(g.Members(), ", ")
}

// scored are the arrays that every set needs.
const scored = data.Logits | data.Labels

// arrayNames are the files of the arrays besides logits and labels.
var arrayNames = map[data.Parts]string{
	data.Features: "features", data.Augmented: "logits_aug", data.Head: "head_weight and head_bias", data.OOD: "logits of ood",
}

// more lists the methods that use arrays besides logits and labels, with the arrays
// that they lack.
func (s *Starter) more() []string {
	var list []string
	var have data.Parts // arrays that some set has
	for _, ref := range s.Sets {
		have |= s.folder.Has(ref)
	}
	for _, e := range all.Registry() {
		c := e.Method.Contract()
		need := (c.Cal | c.Test | c.Target) &^ scored
		if need == 0 {
			continue
		}
		verb, parts := "uses", need
		if lacking := need &^ have; lacking != 0 {
			verb, parts = "needs", lacking
		}
		names := lists.Values(parts.List(), func(p data.Parts) string { return arrayNames[p] })
		list = append(list, fmt.Sprintf("%-25s # %s %s", e.Name, verb, strings.Join(names, ", ")))
	}
	return list
}

// calibrated returns the datasets of the calibration sets of each network, a Ref of backbone
// and loss, in the order of the sets.
func (s *Starter) calibrated() map[data.Ref][]string {
	of := map[data.Ref][]string{}
	for _, r := range s.Sets {
		if r.Split == data.Cal {
			network := data.Ref{Backbone: r.Backbone, Loss: r.Loss}
			of[network] = append(of[network], r.Dataset)
		}
	}
	return of
}

// settings returns the grids of the sets, one line each. Test sets of one dataset,
// loss and corruption whose backbones have the same severities, and the same seeds, are one grid.
func (s *Starter) settings() []string {
	split := data.Test
	if !s.HasTest() {
		split = data.Cal
	}
	ofSplit := lists.Where(s.Sets, func(r data.Ref) bool { return r.Split == split })
	networks, sets := lists.Group(ofSplit, func(r data.Ref) data.Ref { r.Severity = 0; return r })
	calibrated := s.calibrated()
	trained := s.trained()
	type grid struct{ dataset, loss, corruption, severities, cal, seeds string }
	type backbone struct {
		grid
		name string
	}
	names, several := lists.Group(networks, func(n data.Ref) backbone {
		severities := lists.Values(sets[n], func(r data.Ref) string { return strconv.Itoa(r.Severity) })
		of := trained.training(n.Backbone)
		g := grid{dataset: n.Dataset, loss: n.Loss, corruption: n.Corruption, severities: strings.Join(severities, ", "), cal: calibrateOn(n, calibrated)}
		if of.seed != "" {
			g.seeds = "+" // which are told below
		}
		return backbone{g, of.name}
	})
	grids, members := lists.Group(names, func(b backbone) grid {
		if b.seeds != "" {
			b.seeds = seedList(lists.Values(several[b], func(n data.Ref) string { return trained.training(n.Backbone).seed }))
		}
		return b.grid
	})
	var lines []string
	for _, g := range grids {
		backbones := lists.Values(members[g], func(b backbone) string { return yamlName(b.name) })
		backbone := strings.Join(backbones, ", ")
		if len(backbones) > 1 {
			backbone = "[" + backbone + "]"
		}
		text := fmt.Sprintf("{dataset: %s, backbone: %s", yamlName(g.dataset), backbone)
		if g.seeds != "" {
			text += ", seeds: [" + g.seeds + "]"
		}
		if g.loss != "" {
			text += ", loss: " + yamlName(g.loss)
		}
		if g.corruption != "" {
			text += fmt.Sprintf(", corruption: %s, severity: [%s]", yamlName(g.corruption), g.severities)
		}
		if g.cal != "" {
			text += ", calibrate_on: " + yamlName(g.cal)
		}
		lines = append(lines, text+"}")
	}
	return lines
}

// seedList is a list of seeds in their order.
func seedList(seeds []string) string {
	slices.SortFunc(seeds, func(a, b string) int { return cmp.Or(cmp.Compare(len(a), len(b)), cmp.Compare(a, b)) })
	return strings.Join(seeds, ", ")
}

// calibrateOn returns the dataset whose calibration set a network of a dataset without
// one can use: that of the longest name that the name of the dataset begins with, as
// cifar10 for cifar10-c. There is none if the dataset itself has one. calibrated are the
// datasets of the calibration sets.
func calibrateOn(network data.Ref, calibrated map[data.Ref][]string) string {
	best := ""
	for _, dataset := range calibrated[data.Ref{Backbone: network.Backbone, Loss: network.Loss}] {
		if dataset == network.Dataset {
			return ""
		}
		if strings.HasPrefix(network.Dataset, dataset) && len(dataset) > len(best) {
			best = dataset
		}
	}
	return best
}

// first returns the first clean test set, or the first set.
func (s *Starter) first() data.Ref {
	i := max(0, slices.IndexFunc(s.Sets, func(r data.Ref) bool { return r.Split == data.Test && r.Corruption == "" }))
	return s.Sets[i]
}

// yamlName returns a name as a spec writes it. YAML reads null without quotes as an empty
// value.
func yamlName(name string) string {
	if strings.EqualFold(name, "null") {
		return `"` + name + `"`
	}
	return name
}

// starterRows is the number of rows of each synthetic set: 15 bins of over a hundred.
const starterRows = 2000

// WriteSynthetic writes the arrays of two virtual networks below dir, in the default
// layout, with a manifest that says that they are simulated.
func WriteSynthetic(ctx context.Context, dir string) error {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	// The manifest is first, so that an interrupted init leaves nothing that looks
	// measured.
	manifest := folder.Manifest{Sets: []folder.ManifestSet{{Set: "toy", Origin: data.Simulated, Note: "written by qats init"}}}
	if err := manifest.Write(dir); err != nil {
		return err
	}
	for _, n := range []simulate.Network{{Name: "unsure-overconfident", Tilt: 1}, {Name: "sure-overconfident", Tilt: -1}} {
		n.Classes, n.Width, n.CalRows, n.TestRows, n.Accuracy, n.ECE = 10, 32, starterRows, starterRows, 0.8, 0.1
		src := simulate.New(func(data.Ref) (simulate.Network, bool) { return n, true }, simulate.Known)
		for _, split := range []data.Split{data.Cal, data.Test} {
			ref := data.Ref{Dataset: "toy", Backbone: n.Name, Split: split}
			set, err := data.Load(ctx, src, ref, scored)
			if err == nil {
				err = folder.WriteSet(set, dir, folder.Layout{}, ref)
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}
