package report

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/qats-bench/qats/data"
	"github.com/qats-bench/qats/data/folder"
	"github.com/qats-bench/qats/experiments"
	"github.com/qats-bench/qats/experiments/report/page"
	"github.com/qats-bench/qats/experiments/spec"
	"github.com/qats-bench/qats/internal/lists"
	"github.com/qats-bench/qats/results"
	"github.com/qats-bench/qats/results/figure"
	"github.com/qats-bench/qats/results/table/latextest"
)

// cleanSets are the data sets of the specs below.
var cleanSets = []string{"a", "b", "c", "e", "f", "g"}

// drawSet writes the sets of a network, of 60 rows of 3 classes, into a folder of arrays.
func drawSet(t *testing.T, dir string, ref data.Ref) {
	t.Helper()
	rng := rand.New(rand.NewPCG(uint64(len(ref.Dataset+ref.Backbone+ref.Loss+ref.Corruption)), uint64(ref.Severity)+uint64(ref.Dataset[0])))
	for _, split := range []data.Split{data.Cal, data.Test} {
		if split == data.Cal && ref.Corruption != "" {
			continue
		}
		set := &data.Set{Logits: data.NewMatrix(60, 3), Labels: make([]int32, 60)}
		for i := range set.Labels {
			set.Labels[i] = int32(i % 3)
			for j := range 3 {
				set.Logits.Row(i)[j] = float32(2 * rng.NormFloat64())
			}
			set.Logits.Row(i)[i%3] += float32(rng.IntN(3))
		}
		if err := folder.WriteSet(set, dir, folder.Layout{}, ref.In(split)); err != nil {
			t.Fatal(err)
		}
	}
}

// drawSets writes the arrays of all networks of the specs below.
func drawSets(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for _, backbone := range []string{"net", "net-seed0", "net-seed1", "net-seed2", "other"} {
		for _, d := range cleanSets {
			for _, loss := range []string{"ce", "focal"} {
				drawSet(t, dir, data.Ref{Dataset: d, Backbone: backbone, Loss: loss})
			}
		}
		for _, c := range []string{"fog", "snow"} {
			for severity := range 3 {
				drawSet(t, dir, data.Ref{Dataset: "a-c", Backbone: backbone, Loss: "ce", Corruption: c, Severity: severity + 1})
			}
		}
	}
	return dir
}

// specOf returns a spec with a figure of every kind. variant is the key of a setting that makes variants; beside says that
// the networks are there as they are, too.
func specOf(name, variant string, beside bool) string {
	sets := strings.Join(cleanSets, ", ")
	corrupted := variant
	if !strings.HasPrefix(variant, "seeds") {
		corrupted = "loss: ce"
	}
	text := "name: " + name + "\nbaseline: ts\nmethods: [uncal, ts, ir, qats]\nmetrics: [\"@default\", ece_bins]\nsettings:\n" +
		"  - {dataset: [" + sets + "], backbone: net, loss: [ce, focal], " + variant + "}\n" +
		"  - {dataset: a-c, backbone: net, corruption: [fog, snow], severity: [1, 2, 3], calibrate_on: a, " + corrupted + "}\n"
	if beside {
		text += "  - {dataset: [" + sets + "], backbone: " + besideOf(variant) + ", loss: [ce, focal]}\n"
	}
	text += "figures:\n"
	for _, k := range figure.Kinds() {
		text += "  - {kind: " + k.Name
		switch {
		case k.Two:
			text += ", methods: [qats, ts]"
		case k.PerSetting:
			text += ", methods: [uncal, ts]"
		}
		switch k.Example.Of {
		case figure.SomeSeverities:
			text += ", dataset: a-c, corruption: [fog, snow]"
		case figure.OneSeverity:
			text += ", dataset: a-c, severity: 3"
		case figure.OneSetting, figure.SomeNetworks: // of which a page holds few settings
			text += ", dataset: a, loss: ce"
		case figure.SomeLosses:
			text += ", dataset: a"
		default:
			text += ", dataset: [" + sets + "]"
		}
		text += "}\n"
	}
	return text
}

// besideOf returns the network that stands beside those of a variant: the same as it is, or another one beside trainings.
func besideOf(variant string) string {
	if strings.HasPrefix(variant, "seeds") {
		return "other"
	}
	return "net"
}

// Every kind of figure of every kind of variant, with the networks as they are beside it and without, is drawn, and has a
// place in the page and in a LaTeX document that compiles.
func TestEveryFigureOfEveryVariant(t *testing.T) {
	arrays := drawSets(t)
	variants := map[string]string{"seeds": "seeds: [0, 1, 2]", "splits": "splits: 2", "rescale": "rescale: [0.5, 2, 1e-6]", "test-shares": "test_shares: calibration"}
	if testing.Short() {
		variants = map[string]string{"seeds": variants["seeds"]}
	}
	latex := latextest.Find()
	for name, variant := range variants {
		for _, beside := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s beside %v", name, beside), func(t *testing.T) {
				out := t.TempDir()
				s, err := spec.Parse("v.yaml", []byte(specOf("v", variant, beside)), experiments.Registry())
				if err != nil {
					t.Fatal(err)
				}
				runInto(t, s, arrays, out)
				if err := WriteViews(io.Discard, []*spec.Spec{s}, out, ViewOptions{}); err != nil {
					t.Fatal(err)
				}
				document, err := os.ReadFile(filepath.Join(out, "report.tex"))
				if err != nil {
					t.Fatal(err)
				}
				for _, k := range figure.Kinds() {
					want, pattern := 1, "measured" // of many settings
					if k.PerSetting {
						want, pattern = len(lists.Where(s.Settings, func(x spec.Setting) bool { return x.Dataset == "a" && x.Loss == "ce" })), "a-*"
					}
					own, err := filepath.Glob(filepath.Join(out, "figures", "v-"+k.Name+"-"+pattern+".pdf"))
					if err != nil {
						t.Fatal(err)
					}
					if len(own) != want {
						t.Errorf("%s: %d files, want %d", k.Name, len(own), want)
					}
					for _, f := range own {
						if !strings.Contains(string(document), "{figures/"+filepath.Base(f)+"}") {
							t.Errorf("report.tex lacks %s", filepath.Base(f))
						}
					}
				}
				if err := WritePage(io.Discard, out, page.Options{}); err != nil {
					t.Fatal(err)
				}
				if latex == "" {
					return
				}
				cmd := exec.Command(latex, "-interaction=nonstopmode", "-halt-on-error", "report.tex")
				cmd.Dir = out
				if message, err := cmd.CombinedOutput(); err != nil {
					t.Errorf("%v\n%s", err, message)
				}
			})
		}
	}
}

// runInto runs a spec on a folder of arrays and writes its CSV files into out.
func runInto(t *testing.T, s *spec.Spec, arrays, out string) {
	t.Helper()
	store, err := results.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	p, err := experiments.MakePlan(context.Background(), []*spec.Spec{s}, experiments.PlanOptions{Data: []string{arrays}, Store: store, Digests: &folder.Digests{}})
	if err != nil {
		t.Fatal(err)
	}
	o, err := p.Run(context.Background(), experiments.RunOptions{Workers: 2})
	if err != nil {
		t.Fatal(err)
	}
	if o.Failed > 0 {
		t.Fatal(o.Reasons)
	}
	if err := results.Folder(out).Write(&o.Rows); err != nil {
		t.Fatal(err)
	}
}
