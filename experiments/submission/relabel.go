package submission

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"math/bits"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/qats-bench/qats/calib"
	"github.com/qats-bench/qats/calib/all"
	"github.com/qats-bench/qats/data"
	"github.com/qats-bench/qats/data/folder"
	"github.com/qats-bench/qats/data/npy"
	"github.com/qats-bench/qats/experiments"
	"github.com/qats-bench/qats/experiments/engine"
	"github.com/qats-bench/qats/experiments/spec"
	"github.com/qats-bench/qats/internal/lists"
	"github.com/qats-bench/qats/internal/pool"
	"github.com/qats-bench/qats/internal/splitmix"
	"github.com/qats-bench/qats/metrics"
	"github.com/qats-bench/qats/results/compare"
)

// References are the methods whose probabilities labels are drawn from: three kinds, since each favours methods of its own family.
func References() []string { return []string{"svs", "dirichlet", "irova"} }

// quantum is the step of the probabilities that labels are drawn from: 2^-20. The last bit of a fit moves no label, unless a probability
// lies within that bit of the middle between two steps.
const quantum = 1 << 20

// Relabelled are the clean settings of a tier with labels drawn anew, below a folder:
//
//	DIR/REFERENCE/arrays    the sets, as a folder of arrays: the public logits, and drawn labels
//	DIR/REFERENCE/truth     n x k numbers for each test set: the probabilities that its labels are drawn from, times 2^20 and
//	                        rounded; rows sum to about 2^20
//
// Every label is drawn from its row alone: word i of SplitMix64 decides row i, with a seed that is the first bits of SHA-256 of the
// seed of the round, the reference and the set. So labels depend neither on the order of the work nor on the number of workers.
type Relabelled struct{ Dir string }

// Arrays is the folder of the sets of a reference.
func (r Relabelled) Arrays(reference string) string {
	return filepath.Join(r.Dir, reference, "arrays")
}

// truth is the file of the probabilities of a test set.
func (r Relabelled) truth(reference string, test data.Ref) string {
	return filepath.Join(r.Dir, reference, "truth", filepath.Join(test.Segments()...)+".npy")
}

// Clean returns the tier with its clean settings alone, whose calibration sets are their own.
func (t *Tier) Clean() *Tier {
	s := *t.Spec
	s.Settings = slices.DeleteFunc(slices.Clone(s.Settings), func(x spec.Setting) bool { return x.Corruption != "" || x.CalibrateOn != "" })
	return t.with(s)
}

// Relabel draws the labels of the clean settings of a tier that are not drawn below dir yet, by the seed of a round, from each of the
// References, and writes them. A setting without arrays is left out.
func (t *Tier) Relabel(ctx context.Context, dataFolders []string, seed, dir string, workers int) (Relabelled, error) {
	r := Relabelled{dir}
	plan, err := experiments.MakePlan(ctx, []*spec.Spec{t.Clean().Spec}, experiments.PlanOptions{Data: dataFolders, Digests: &folder.Digests{}, NoDigests: true})
	if err != nil {
		return r, err
	}
	for _, reference := range References() {
		manifest := &folder.Manifest{}
		for i := range plan.Units {
			u := &plan.Units[i]
			if u.Plain() == nil {
				continue
			}
			p := u.Provenance
			manifest.Sets = append(manifest.Sets, folder.ManifestSet{Set: strings.Join(u.Setting.Test().In("").Segments(), "/"), Kind: p.Kind, Origin: data.Simulated,
				Note: "labels drawn from probabilities by " + reference, Domain: p.Domain, Samples: p.Samples, RowIDs: p.RowIDs})
		}
		if err := os.MkdirAll(r.Arrays(reference), 0o777); err != nil {
			return r, err
		}
		if err := manifest.Write(r.Arrays(reference)); err != nil {
			return r, err
		}
	}
	n := len(References())
	return r, pool.Each(ctx, n*len(plan.Units), workers, func(_, i int) error {
		u, reference := &plan.Units[i/n], References()[i%n]
		if u.Plain() == nil {
			return nil
		}
		if err := r.relabel(ctx, u.Plain(), u.Setting.Test(), reference, seed); err != nil {
			return fmt.Errorf("labels of %s by %s: %w", u.Setting, reference, err)
		}
		return nil
	})
}

// relabel draws the labels of a setting from a reference. The truth is written last, and says that the setting is done.
func (r Relabelled) relabel(ctx context.Context, src data.Source, test data.Ref, reference, seed string) error {
	done := r.truth(reference, test)
	if _, err := os.Stat(done); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	var sets [2]*data.Set
	refs := []data.Ref{test.In(data.Cal), test}
	for i, ref := range refs {
		set, err := data.Load(ctx, src, ref, data.Logits|data.Labels)
		if err != nil {
			return err
		}
		sets[i] = &data.Set{Logits: set.Logits, Labels: set.Labels}
	}
	e, ok := all.Lookup(reference)
	if !ok {
		return fmt.Errorf("%s is no method", reference)
	}
	probs, err := crossFitted(ctx, e.Method, sets[0], sets[1])
	if err != nil {
		return err
	}
	first := 0
	for i, ref := range refs {
		p := probs.Slice(first, first+sets[i].Len())
		first += sets[i].Len()
		weights := quantised(p)
		drawn := &data.Set{Logits: sets[i].Logits, Labels: drawLabels(weights, p.Cols, seedOf(seed, reference, ref))}
		if err := folder.WriteSet(drawn, r.Arrays(reference), folder.Layout{}, ref); err != nil {
			return err
		}
		if ref.Split == data.Test {
			if err := os.MkdirAll(filepath.Dir(done), 0o777); err != nil {
				return err
			}
			if err := npy.WriteFloat32(done, weights, p.Rows, p.Cols); err != nil {
				return err
			}
		}
	}
	return nil
}

// crossFitted returns the probabilities of the rows of two sets, calibration before test: those of each fold of their union by a fit
// on the rows of all other folds.
func crossFitted(ctx context.Context, m calib.Method, cal, test *data.Set) (data.Probs, error) {
	rows := make([]int, cal.Len()+test.Len())
	for i := range rows {
		rows[i] = i
	}
	union := data.Gather(rows, cal, test)
	folded, err := engine.Fold(union)
	if err != nil {
		return data.Probs{}, err
	}
	probs := data.NewProbs(union.Len(), union.K())
	for k := range folded.Count() {
		fitted, err := calib.FitInput(ctx, m, engine.Input(m.Contract(), folded.Without(k), nil))
		if err != nil {
			return data.Probs{}, err
		}
		p, err := fitted.Probabilities(folded.Only(k))
		if err != nil {
			return data.Probs{}, err
		}
		lo, hi := folded.Edges(k)
		for i, row := range folded.Order()[lo:hi] {
			copy(probs.Row(row), p.Row(i))
		}
	}
	return probs, nil
}

// quantised returns probabilities times 2^20, rounded to the nearest whole number, the even one of two: exact in float32.
func quantised(p data.Probs) []float32 {
	weights := make([]float32, len(p.Data))
	for i, x := range p.Data {
		weights[i] = float32(math.RoundToEven(x * quantum))
	}
	return weights
}

// drawLabels draws a label for each row of n x k whole numbers, with chances in proportion to them.
func drawLabels(weights []float32, k int, seed uint64) []int32 {
	labels := make([]int32, len(weights)/k)
	for i := range labels {
		row := weights[i*k : (i+1)*k]
		var total uint64
		for _, w := range row {
			total += uint64(w)
		}
		at, _ := bits.Mul64(splitmix.Mix(seed+uint64(i+1)*splitmix.Golden), total) // 0 to total-1
		for j, w := range row {
			if at < uint64(w) {
				labels[i] = int32(j)
				break
			}
			at -= uint64(w)
		}
	}
	return labels
}

// seedOf returns the seed of the labels of a set.
func seedOf(round, reference string, ref data.Ref) uint64 {
	sum := sha256.Sum256(fmt.Appendf(nil, "labels\n%s\n%s\n%s\n", round, reference, ref))
	return binary.BigEndian.Uint64(sum[:])
}

// Digest returns the digest of the drawn labels of all settings, in the order of the tier: equal on every machine.
func (r Relabelled) Digest(t *Tier) (string, error) {
	h := sha256.New()
	for _, reference := range References() {
		for _, s := range t.Clean().Spec.Settings {
			for _, split := range []data.Split{data.Cal, data.Test} {
				files, err := folder.Layout{}.Files(s.Test().In(split))
				if err != nil {
					return "", err
				}
				digest, err := fileDigest(filepath.Join(r.Arrays(reference), files.Labels))
				if errors.Is(err, fs.ErrNotExist) {
					continue
				}
				if err != nil {
					return "", err
				}
				fmt.Fprintf(h, "%s %s %s\n", reference, s.Test().In(split), digest)
			}
		}
	}
	return fmt.Sprintf("%x", h.Sum(nil)), nil
}

// Scored returns the tier with its clean settings and some methods, scored by NLL and Brier score alone.
func (t *Tier) Scored(methods []spec.Method) *Tier {
	c := t.Clean()
	c.Spec.Metrics = slices.DeleteFunc(slices.Clone(c.Spec.Metrics), func(m metrics.Entry) bool {
		return !slices.Contains(slices.Concat(compare.Scores(), compare.TopScores()), m.Name)
	})
	c.Spec.Methods, c.Spec.Baseline = methods, ""
	return c
}

// From returns the tier with other sources. With none, settings are searched in the folders of arrays that a run names, and nowhere
// else: no public label stands in for a drawn one that is absent.
func (t *Tier) From(sources []string) *Tier {
	s := *t.Spec
	s.Data = sources
	return t.with(s)
}

// OfLogitsAlone returns methods of the registry that read logits alone, TS first: ids and groups, or all that the leaderboard has if
// names is nil. Labels that are drawn anew depend on the logits alone, so they judge no other methods.
func (t *Tier) OfLogitsAlone(names []string) ([]spec.Method, error) {
	with, err := t.Registered(names)
	if err != nil {
		return nil, err
	}
	methods := lists.Where(with.Spec.Methods, func(m spec.Method) bool { return len(m.Info(t.Spec.Name).Sees) == 0 })
	of := func(baseline bool) []spec.Method {
		return lists.Where(methods, func(m spec.Method) bool { return (m.Name == t.Spec.Baseline) == baseline })
	}
	return slices.Concat(of(true), of(false)), nil
}
