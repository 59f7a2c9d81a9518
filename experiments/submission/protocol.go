package submission

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/qats-bench/qats"
	"github.com/qats-bench/qats/data/keyed"
	"github.com/qats-bench/qats/experiments"
	"github.com/qats-bench/qats/experiments/spec"
	"github.com/qats-bench/qats/results"
)

// The versions of the protocol. Each is frozen: its specs are in a folder of its name.
const (
	V1 = "v1" // ranks by ECE
	V2 = "v2" // ranks by NLL and Brier score, and has base-rate among its methods
)

// Version is the version under which calibrators are handed in.
const Version = V2

// Versions lists the versions, the newest first.
func Versions() []string { return []string{V2, V1} }

// The tiers of the protocol.
const (
	Lite = "lite" // the networks that come with the project
	Full = "full" // these, and networks of others, which the user fetches
)

// Tiers lists the tiers.
func Tiers() []string { return []string{Lite, Full} }

// text returns the path and the text of the spec of a tier of a version, as the program carries it.
func text(version, tier string) (file string, b []byte, err error) {
	file = path.Join("experiments", "protocol", version, tier+".yaml")
	b, err = fs.ReadFile(qats.Files, file)
	return file, b, err
}

// Tier is a spec of the protocol.
type Tier struct {
	Version string
	Name    string
	Spec    *spec.Spec
}

// ReadTier returns a tier of a version, as the program carries it. A file of the same path that was edited has no effect.
func ReadTier(version, name string) (*Tier, error) {
	if !slices.Contains(Versions(), version) {
		return nil, fmt.Errorf("protocol: %.80q is none of %s, the versions of this program", version, strings.Join(Versions(), ", "))
	}
	if !slices.Contains(Tiers(), name) {
		return nil, fmt.Errorf("tier %q%s; there are lite and full", name, keyed.Suggest(name, Tiers()))
	}
	file, b, err := text(version, name)
	if err != nil {
		return nil, err
	}
	s, err := spec.Parse(file, b, experiments.Registry())
	if err != nil {
		return nil, err
	}
	s.Builtin = true
	return &Tier{version, name, s}, nil
}

// with returns the tier with another spec.
func (t *Tier) with(s spec.Spec) *Tier { return &Tier{t.Version, t.Name, &s} }

// Digest is the digest of a version of the protocol: of the specs of all tiers, in their order.
func Digest(version string) (string, error) {
	h := sha256.New()
	for _, name := range Tiers() {
		_, b, err := text(version, name)
		if err != nil {
			return "", err
		}
		fmt.Fprintf(h, "%s %d\n", name, len(b))
		h.Write(b)
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// Metrics returns the ids of the numbers of an entry: the outputs of the metrics of the tier.
func (t *Tier) Metrics() []string {
	var ids []string
	for _, m := range t.Spec.Metrics {
		ids = append(ids, m.Names()...)
	}
	return ids
}

// has returns the settings of the tier.
func (t *Tier) has() map[results.Setting]bool {
	of := map[results.Setting]bool{}
	for _, s := range t.Spec.Settings {
		of[s.Setting] = true
	}
	return of
}

// InputsDigest is the digest of the content of the arrays of some settings, in their order.
func InputsDigest(settings []results.SettingInfo) string {
	h := sha256.New()
	for _, s := range settings {
		fmt.Fprintf(h, "%s\n%s\n%s\n", s.Setting.Name(), s.Cal, s.Test)
	}
	return hex.EncodeToString(h.Sum(nil))
}

// Draws returns the tier with n draws of calibration and test rows in the place of each setting of clean test sets. The numbers
// of the draws, from 1 to 2^31, are the first bits of SHA-256 of "draw J COMMIT", J from 1: they follow
// from a commit, so whoever draws does not choose, and nobody knows them before the commit exists.
func (t *Tier) Draws(commit string, n int) *Tier {
	drawn := *t.Spec
	drawn.Name = t.Spec.Name + "-drawn"
	drawn.Settings = nil
	for _, s := range t.Spec.Settings {
		if s.Corruption != "" || s.CalibrateOn != "" {
			continue
		}
		s.Experiment = drawn.Name
		for j := range n {
			sum := sha256.Sum256(fmt.Appendf(nil, "draw %d %s", j+1, commit))
			s.Variant = results.Variant{Split: 1 + int(binary.BigEndian.Uint32(sum[:])>>1)}
			drawn.Settings = append(drawn.Settings, s)
		}
	}
	return t.with(drawn)
}

// Means returns the means over the draws of each setting, method and metric, with the variant of sets as they are. A
// method without a value of some draw has a skip.
func Means(records []results.Record) []results.Record {
	type place struct {
		setting        results.Setting
		method, metric string
	}
	var list []results.Record
	at, n := map[place]int{}, map[place]int{}
	for _, r := range records {
		r.Variant = results.Variant{}
		p := place{r.Setting, r.Method, r.Metric}
		i, known := at[p]
		if !known {
			at[p] = len(list)
			r.Key = ""
			list = append(list, r)
			n[p] = 1
			continue
		}
		switch {
		case list[i].Status != results.OK:
		case r.Status != results.OK:
			list[i] = r
		default:
			list[i].Value += r.Value
			n[p]++
		}
	}
	for p, i := range at {
		if list[i].Status == results.OK {
			list[i].Value /= float64(n[p])
		}
	}
	return list
}
