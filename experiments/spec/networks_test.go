package spec

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/qats-bench/qats/data"
	"github.com/qats-bench/qats/data/simulate"
	"github.com/qats-bench/qats/results/paper"
)

// declared returns the declared networks of the project.
func declared(t *testing.T) *Networks {
	t.Helper()
	src, err := os.ReadFile(filepath.Join("..", "..", filepath.FromSlash(NetworksFile)))
	if err != nil {
		t.Fatal(err)
	}
	uncal, err := paper.UncalibratedECE()
	if err != nil {
		t.Fatal(err)
	}
	all, err := ParseNetworks("networks.yaml", src, uncal)
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// TestNetworksHaveThePublishedECE: an ECE that is not declared comes from the paper.
func TestNetworksHaveThePublishedECE(t *testing.T) {
	all := declared(t)
	for _, c := range []struct {
		ref  data.Ref
		ece  float64
		name string
	}{
		{data.Ref{Dataset: "cifar10", Backbone: "resnet50", Loss: "ce"}, 0.0171, "cifar10/resnet50"},
		{data.Ref{Dataset: "ham10000", Backbone: "vit-s16", Loss: "ce"}, 0.0977, "ham10000/vit-s16"},
		{data.Ref{Dataset: "cifar100", Backbone: "resnet50", Loss: "brier"}, 0.0554, "cifar100/resnet50/brier"},
		{data.Ref{Dataset: "cifar100-lt-r100-balanced", Backbone: "vit-b16", Loss: "ce"}, 0.5251, "cifar100-lt-r100/vit-b16"},
	} {
		w, ok := all.Lookup(c.ref)
		if !ok || w.ECE != c.ece || w.Name != c.name {
			t.Errorf("%v: %q with ECE %v, want %q with %v", c.ref, w.Name, w.ECE, c.name, c.ece)
		}
	}
	clean, _ := all.Lookup(data.Ref{Dataset: "cifar100", Backbone: "vit-b16", Loss: "ce"})
	last := clean.Accuracy
	for severity := 1; severity <= 5; severity++ {
		w, ok := all.Lookup(data.Ref{Dataset: "cifar100-c", Backbone: "vit-b16", Loss: "ce", Corruption: "gaussian_noise", Severity: severity})
		if !ok || w.Name != clean.Name || w.ECE != clean.ECE || !(w.Shift.Accuracy < last) {
			t.Errorf("severity %d: %+v", severity, w)
		}
		last = w.Shift.Accuracy
	}
	for _, ref := range []data.Ref{
		{Dataset: "cifar100-c", Backbone: "vit-b16", Loss: "ce", Corruption: "rain", Severity: 1},
		{Dataset: "cifar100", Backbone: "resnet99", Loss: "ce"},
		{Dataset: "cifar10", Backbone: "resnet50", Loss: "focal"},
	} {
		if w, ok := all.Lookup(ref); ok {
			t.Errorf("%v is %+v", ref, w)
		}
	}
}

// TestEveryNetworkHasItsConstants: no set of a declared network is without them.
func TestEveryNetworkHasItsConstants(t *testing.T) {
	all := declared(t)
	src := simulate.New(all.Lookup, simulate.Known)
	open := func(ref data.Ref) {
		t.Helper()
		r, err := src.Open(t.Context(), ref, data.Labels)
		if err != nil {
			t.Error(err)
			return
		}
		r.Close()
	}
	for k := range all.plain {
		open(data.Ref{Dataset: k.dataset, Backbone: k.backbone, Loss: k.loss, Split: data.Test})
	}
	for s := range all.uncal {
		ref := data.Ref{Dataset: s.Dataset, Backbone: s.Backbone, Loss: "ce", Corruption: s.Corruption, Severity: s.Severity, Split: data.Test}
		if _, ok := all.Lookup(ref); ok {
			open(ref)
		}
	}
}

// TestMistakesInNetworksHaveTheirPlace are reported at file:line:column.
func TestMistakesInNetworksHaveTheirPlace(t *testing.T) {
	for src, want := range map[string]string{
		"width: 8\n": "n.yaml:1:1: no networks are declared",
		"networks:\n  - {dataset: a, klasses: 3}\n":          `n.yaml:2:18: unknown key "klasses" in a network (did you mean classes?)`,
		"networks:\n  - {classes: 3}\n":                      "n.yaml:2:5: a network needs its dataset",
		"networks:\n  - {dataset: a, classes: few}\n":        `n.yaml:2:27: classes "few": must be a whole number of at least 0`,
		"networks:\n  - {dataset: a, like: b}\n":             `n.yaml:2:5: like "b": it is not declared above`,
		"networks:\n  - {dataset: a, accuracy: {r: high}}\n": `n.yaml:2:32: accuracy of r "high": must be a number`,
		"width: 4\nnetworks:\n  - {dataset: a, classes: 2, accuracy: {r: 0.9}, ece: 3}\n  - {dataset: b, like: a, cal: 7}": "n.yaml:4:5: a network that is like another one can give only dataset, loss, ece and balanced_cal",
		"width: 4\nnetworks:\n  - {dataset: a, classes: 1, accuracy: {r: 0.5}, ece: 3}\n":                                  "n.yaml:3:5: simulated network a/r: 1 classes: must be at least 2",
		"width: 4\nnetworks:\n  - {dataset: a, classes: 2, accuracy: {r: 0.9}, ece: {r: 15}}":                              "n.yaml:3:5: simulated network a/r: ece 0.15: must be a fraction, and below 1 with the accuracy 0.9",
	} {
		_, err := ParseNetworks("n.yaml", []byte(src), nil)
		if err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q:\n got %v\nwant %s", src, err, want)
		}
	}
}
