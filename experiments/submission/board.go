package submission

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/qats-bench/qats/experiments"
	"github.com/qats-bench/qats/experiments/spec"
	"github.com/qats-bench/qats/internal/called"
	"github.com/qats-bench/qats/internal/lists"
	"github.com/qats-bench/qats/results"
	"github.com/qats-bench/qats/results/leaderboard"
	v1 "github.com/qats-bench/qats/results/leaderboard/v1"
)

// Methods returns the methods of the registry that the leaderboard of a version has. Those of version 1 are frozen like its
// tiers: a method that is registered later has no row and no rank there. Version 2 has all methods but base-rate-top, whose
// confidence is that of base-rate.
func Methods(version string) []string {
	if version != V1 {
		var names []string
		for _, e := range experiments.Registry().Methods {
			if e.Name != results.BaseRateTop {
				names = append(names, e.Name)
			}
		}
		return names
	}
	return []string{
		"uncal", "ts", "ts-guo50", "ts-ecegrid", "ec", "cts", "ets", "ir", "ir-top", "irova", "cir", "ivap", "cvap", "hb",
		"hb-mass", "hb-top", "bbq", "scaling-binning", "scaling-binning-top", "spline", "platt-top", "beta-top", "ts-top",
		"qats-top", "smoothing-spline", "kernel", "platt", "platt-logits", "quadratic", "beta", "vs", "svs", "sms",
		"dirichlet", "ms-odir", "tta-ts", "adats", "hts", "bts", "cbt", "pts", "smart", "h-calibration", "gc", "gc-split",
		"featclip", "dac", "procal", "procal-bins", "hfe", "hfe-noood", "hfe-target", "label-shift", "qats", "qats-pw",
		"qats-free", "qats-pw-free", "qats-transductive", "qats-reading", "t-conf", "t-entropy", "t-gap",
	}
}

// Registered returns the tier with methods of the registry in place of its own: ids and groups, or those of Methods if names
// is nil. The baseline of the tier is always among them. Its runs make no pairs, since a file of the leaderboard has none.
func (t *Tier) Registered(names []string) (*Tier, error) {
	if names == nil {
		names = Methods(t.Version)
	}
	items := lists.Values(names, func(name string) any { return name })
	methods, err := parseMethods(items)
	if err != nil {
		return nil, err
	}
	if !slices.ContainsFunc(methods, func(m spec.Method) bool { return m.Name == t.Spec.Baseline }) {
		if methods, err = parseMethods(append([]any{t.Spec.Baseline}, items...)); err != nil {
			return nil, err
		}
	}
	s := *t.Spec
	s.Methods, s.Baseline = methods, ""
	return t.with(s), nil
}

// Board returns the leaderboard of a version: of the registry, whose numbers are in a folder, and of the entries in another one, with
// the records of their verifications.
// Version 2 has entries of version 1 too, as far as their numbers go. What cannot be read is left out, and refused says
// why: an entry that Read refuses, or a method without a file.
func Board(ctx context.Context, version string, registry leaderboard.Folder, entries string, records Records) (b *leaderboard.Printed, refused []error, err error) {
	tier, err := ReadTier(version, Lite)
	if err != nil {
		return nil, nil, err
	}
	settings, err := registry.ReadSettings()
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil, fmt.Errorf("no %s in %s: "+called.Command()+" board page --run makes it", results.SettingsFile, string(registry))
	}
	if err != nil {
		return nil, nil, err
	}
	members, refused, err := registered(tier, registry)
	if err != nil {
		return nil, nil, err
	}
	checks, err := checksOf(tier, registry, members)
	if err != nil {
		return nil, nil, err
	}
	handedIn, more, err := entriesOf(ctx, tier, entries, records, checks)
	if err != nil {
		return nil, nil, err
	}
	members, refused = append(members, handedIn...), append(refused, more...)
	of := printed
	if version == V1 {
		of = printedV1
	}
	if b, err = of(tier.Spec.Title, members, settings); err != nil {
		return nil, nil, err
	}
	for _, n := range checks.numbers() {
		b.Rounds = append(b.Rounds, leaderboard.FreshTable(n, checks.rounds[n]))
	}
	b.Folder = path.Join("results", "leaderboard", FolderOf(version))
	return b, refused, nil
}

// FolderOf returns the folder of the numbers of a version below that of the leaderboard, which has those of version 1 itself.
func FolderOf(version string) string {
	if version == V1 {
		return ""
	}
	return version
}

func printed(title string, members []leaderboard.Member, settings []results.SettingInfo) (*leaderboard.Printed, error) {
	b, err := leaderboard.Of(title, members, settings)
	if err != nil {
		return nil, err
	}
	return b.Printed(), nil
}

func printedV1(title string, members []leaderboard.Member, settings []results.SettingInfo) (*leaderboard.Printed, error) {
	b, err := v1.Of(title, members, settings)
	if err != nil {
		return nil, err
	}
	return b.Printed(), nil
}

// registered returns the methods of the registry.
func registered(tier *Tier, folder leaderboard.Folder) (members []leaderboard.Member, refused []error, err error) {
	all, err := tier.Registered(nil)
	if err != nil {
		return nil, nil, err
	}
	var lacking []string
	for _, m := range all.Spec.Methods {
		info := m.Info(tier.Spec.Name)
		records, ok, err := folder.Read(m.Name, tier.Metrics())
		switch {
		case err != nil:
			return nil, nil, err
		case !ok:
			lacking = append(lacking, m.Name)
			continue
		}
		members = append(members, leaderboard.Member{Method: m.Name, Label: m.Label, Predicts: info.Predicts, Status: leaderboard.Verified, Records: tier.lite(records),
			Contract: leaderboard.ContractOf(info.Sees, m.Contract().KeepsTop1, m.Entry.TopLabelOnly())})
	}
	if lacking != nil {
		refused = append(refused, fmt.Errorf("%s has no file of %s: "+called.Command()+" board page --run makes it", string(folder), strings.Join(lacking, ", ")))
	}
	return members, refused, nil
}

// entriesOf returns the entries in a folder, by name: those of the version of the tier and of earlier ones. There is none
// without the folder.
func entriesOf(ctx context.Context, tier *Tier, dir string, records Records, checks *checks) (members []leaderboard.Member, refused []error, err error) {
	list, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, nil, err
	}
	for _, d := range list {
		if !d.IsDir() || strings.HasPrefix(d.Name(), ".") {
			continue
		}
		e, err := Read(filepath.Join(dir, d.Name()))
		if err != nil {
			refused = append(refused, err)
			continue
		}
		if tier.Version == V1 && e.Card.Protocol != V1 {
			continue
		}
		record, err := records.Read(ctx, e)
		if err != nil { // the entry is a claim
			refused = append(refused, err)
		}
		m, err := e.member(tier, record, records.Means(e.Card.Name))
		if err == nil && checks != nil {
			m.Look, err = checks.look(e, m)
		}
		if err != nil {
			refused = append(refused, err)
			continue
		}
		members = append(members, *m)
	}
	return members, refused, nil
}

// member returns an entry as a method of the leaderboard. Its record is nil without a verification, and means are of its draws.
func (e *Entry) member(tier *Tier, record *Record, means string) (*leaderboard.Member, error) {
	c := e.Card
	m := &leaderboard.Member{Method: c.Name, Label: c.Label, Authors: c.Authors, Reference: c.Reference, Protocol: c.Protocol, Status: record.status(), Records: tier.lite(e.Records)}
	sees := lists.Values(c.Contract.Needs, func(array string) string {
		_, name, of := strings.Cut(array, "/")
		if of {
			return name
		}
		return array
	})
	valued := func(metric string) bool {
		return slices.ContainsFunc(m.Records, func(r results.Record) bool { return r.Metric == metric && r.Status == results.OK })
	}
	// Code of others that gives no probabilities of the other classes has a calibration error and no NLL.
	topLabel := valued("ece") && !valued("nll")
	m.Contract = leaderboard.ContractOf(sees, c.Contract.KeepsTop1, topLabel)
	switch {
	case topLabel:
		m.Predicts = results.TopLabel
	case c.Contract.KeepsTop1:
		m.Predicts = results.Keeps
	default:
		m.Predicts = results.Changes
	}
	if m.Status != leaderboard.Verified {
		return m, nil
	}
	own, err := ReadTier(c.Protocol, c.Tier)
	if err != nil {
		return nil, err
	}
	drawn, err := results.ReadEntry(means, own.Metrics())
	if err != nil {
		return nil, err
	}
	m.Drawn, m.Draws = tier.lite(drawn), record.Draws.N
	for _, method := range []string{m.Method, leaderboard.TS} {
		if !slices.ContainsFunc(m.Drawn, func(r results.Record) bool {
			return r.Method == method && r.Metric == "ece" && r.Status == results.OK && r.Corruption == ""
		}) {
			return nil, fmt.Errorf("%s: no ece of %s", means, method)
		}
	}
	return m, nil
}

// status is that of an entry with this record.
func (r *Record) status() leaderboard.Status {
	switch {
	case r == nil:
		return leaderboard.Claimed
	case r.Verdict == Differs:
		return leaderboard.Differs
	case r.Verdict == NotRun:
		return leaderboard.Claimed
	case r.Draws != nil:
		return leaderboard.Verified
	}
	return leaderboard.Agrees
}

// lite returns the records on the settings of the tier, under its name: those of another tier and of drawn splits have the
// same settings under another one.
func (t *Tier) lite(records []results.Record) (kept []results.Record) {
	has := map[results.Setting]bool{}
	for at := range t.has() {
		has[at.WithoutExperiment()] = true
	}
	for _, r := range records {
		if has[r.Setting.WithoutExperiment()] {
			r.Experiment = t.Spec.Name
			kept = append(kept, r)
		}
	}
	return kept
}
