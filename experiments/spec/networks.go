package spec

import (
	"fmt"
	"maps"
	"slices"

	"gopkg.in/yaml.v3"

	"github.com/qats-bench/qats/data"
	"github.com/qats-bench/qats/data/simulate"
	"github.com/qats-bench/qats/results"
	"github.com/qats-bench/qats/results/paper"
)

// NetworksFile declares the virtual networks of the source "simulate", below
// the root of the project. All specs share this declaration, so that a network
// is the same, and is fitted once, wherever it appears.
const NetworksFile = "data/simulate/networks.yaml"

// networkKey names a virtual network.
type networkKey struct{ dataset, backbone, loss string }

// Networks are the declared virtual networks.
type Networks struct {
	plain  map[networkKey]simulate.Network
	shifts map[string]string           // dataset of corrupted images -> clean dataset
	uncal  map[results.Setting]float64 // the paper's uncalibrated ECE, a fraction
	groups map[networkKey]networkGroup // by dataset and loss, for like
}

// networkGroup is one declaration: the networks of one dataset and loss.
type networkGroup struct {
	dataset, loss, like, shiftOf string
	classes, cal, test           int
	imbalance, background        float64
	balancedCal                  bool
	accuracy, ece                map[string]float64 // by backbone; "" for all
}

// defaults are the values that a declaration of networks gives once for all
// networks.
type defaults struct {
	width, ood int
	tilt       map[string]float64
}

// ParseNetworks reads a declaration; file is for messages, which are as in
// specs.
func ParseNetworks(file string, src []byte) (*Networks, error) {
	r := &reader{file: file}
	root := r.root(src)
	if root == nil {
		return nil, r.err()
	}
	uncal, err := publishedUncal()
	if err != nil {
		return nil, err
	}
	all := &Networks{
		plain: map[networkKey]simulate.Network{}, shifts: map[string]string{},
		uncal: uncal, groups: map[networkKey]networkGroup{},
	}
	var d defaults
	var list *yaml.Node
	r.object(root, "a declaration of networks", map[string]func(*yaml.Node){
		"width":    r.integer(&d.width, "width"),
		"ood":      r.integer(&d.ood, "ood"),
		"tilt":     r.byBackbone(&d.tilt, "tilt"),
		"networks": func(n *yaml.Node) { list = n },
	})
	if list == nil {
		r.errorf(root, "no networks are declared")
		return nil, r.err()
	}
	r.list(list, func(n *yaml.Node) {
		if g, ok := r.networkGroup(n); ok {
			r.add(n, all, g, d)
		}
	})
	return all, r.err()
}

func (r *reader) networkGroup(n *yaml.Node) (networkGroup, bool) {
	g := networkGroup{loss: "ce"}
	before := len(r.errs)
	r.object(n, "a network", map[string]func(*yaml.Node){
		"dataset":      r.text(&g.dataset, "dataset"),
		"loss":         r.text(&g.loss, "loss"),
		"like":         r.text(&g.like, "like"),
		"shift_of":     r.text(&g.shiftOf, "shift_of"),
		"classes":      r.integer(&g.classes, "classes"),
		"cal":          r.integer(&g.cal, "cal"),
		"test":         r.integer(&g.test, "test"),
		"imbalance":    r.number(&g.imbalance, "imbalance"),
		"background":   r.number(&g.background, "background"),
		"balanced_cal": r.boolean(&g.balancedCal, "balanced_cal"),
		"accuracy":     r.byBackbone(&g.accuracy, "accuracy"),
		"ece":          r.byBackbone(&g.ece, "ece"),
	})
	if g.dataset == "" && len(r.errs) == before {
		r.errorf(n, "a network needs its dataset")
	}
	return g, len(r.errs) == before
}

// add declares the networks of a group.
func (r *reader) add(n *yaml.Node, all *Networks, g networkGroup, d defaults) {
	if g.shiftOf != "" {
		all.shifts[g.dataset] = g.shiftOf
		return
	}
	published := g.dataset
	if g.like != "" {
		base, ok := all.groups[networkKey{dataset: g.like, loss: "ce"}]
		if !ok {
			r.errorf(n, "like %q: it is not declared above", g.like)
			return
		}
		if g.classes != 0 || g.cal != 0 || g.test != 0 || g.accuracy != nil || g.imbalance != 0 || g.background != 0 {
			r.errorf(n, "a network that is like another one can give only dataset, loss, ece and balanced_cal")
			return
		}
		base.dataset, base.loss, base.balancedCal = g.dataset, g.loss, g.balancedCal
		if g.ece != nil {
			base.ece = g.ece
		}
		g, published = base, g.like
	}
	key := networkKey{dataset: g.dataset, loss: g.loss}
	if _, twice := all.groups[key]; twice {
		r.errorf(n, "the networks of %s with loss %s are declared twice", g.dataset, g.loss)
		return
	}
	all.groups[key] = g
	for _, backbone := range all.backbones(g, published) {
		w := simulate.Network{
			Name: published + "/" + backbone, Classes: g.classes, Width: d.width, CalRows: g.cal, TestRows: g.test, OODRows: d.ood,
			Imbalance: g.imbalance, BalancedCal: g.balancedCal, Tilt: d.tilt[backbone],
			Accuracy: of(g.accuracy, backbone), ECE: of(g.ece, backbone) / 100,
		}
		if g.loss != "ce" {
			w.Name += "/" + g.loss
		}
		if g.background > 0 {
			w.Prior = simulate.Background(g.classes, g.background)
		}
		if g.ece == nil {
			w.ECE = all.uncal[results.Setting{Dataset: published, Backbone: backbone}]
		}
		if err := w.Check(); err != nil {
			r.errorf(n, "%v", err)
			return
		}
		all.plain[networkKey{g.dataset, backbone, g.loss}] = w
	}
}

// backbones returns the backbones of a group in a fixed order: the named ones or,
// if one accuracy is for all, those with a published number.
func (all *Networks) backbones(g networkGroup, published string) []string {
	if _, same := g.accuracy[""]; !same {
		return slices.Sorted(maps.Keys(g.accuracy))
	}
	found := map[string]bool{}
	for cell := range all.uncal {
		if cell.Dataset == published && cell.Corruption == "" {
			found[cell.Backbone] = true
		}
	}
	return slices.Sorted(maps.Keys(found))
}

// of returns the value of a backbone.
func of(values map[string]float64, backbone string) float64 {
	if v, ok := values[backbone]; ok {
		return v
	}
	return values[""]
}

// Lookup returns the network that simulates a set, and whether one is declared.
func (all *Networks) Lookup(ref data.Ref) (simulate.Network, bool) {
	if ref.Corruption == "" {
		w, ok := all.plain[networkKey{ref.Dataset, ref.Backbone, ref.Loss}]
		return w, ok
	}
	w, ok := all.plain[networkKey{all.shifts[ref.Dataset], ref.Backbone, ref.Loss}]
	ece, published := all.uncal[results.Setting{Dataset: ref.Dataset, Backbone: ref.Backbone, Corruption: ref.Corruption, Severity: ref.Severity}]
	if !ok || !published {
		return simulate.Network{}, false
	}
	w.Shift = simulate.Shift{Corruption: ref.Corruption, Severity: ref.Severity, Accuracy: w.ShiftedAccuracy(ece), ECE: ece}
	return w, true
}

// publishedUncal returns the paper's uncalibrated ECE by dataset, backbone,
// corruption and severity.
func publishedUncal() (map[results.Setting]float64, error) {
	numbers, err := paper.Read()
	if err != nil {
		return nil, err
	}
	uncal := map[results.Setting]float64{}
	for _, p := range numbers {
		if p.Method == "uncal" && p.Metric == "ece" {
			cell := results.Setting{Dataset: p.Dataset, Backbone: p.Backbone, Corruption: p.Corruption, Severity: p.Severity}
			if _, known := uncal[cell]; !known { // the first table that has it counts
				uncal[cell] = float64(p.Value) / 10000
			}
		}
	}
	return uncal, nil
}

// byBackbone reads a number for each backbone, or one number for all under "".
func (r *reader) byBackbone(dst *map[string]float64, what string) func(*yaml.Node) {
	return func(n *yaml.Node) {
		*dst = map[string]float64{}
		m := resolve(n)
		if m.Kind != yaml.MappingNode {
			var v float64
			r.number(&v, what)(n)
			(*dst)[""] = v
			return
		}
		for i := 0; i+1 < len(m.Content); i += 2 {
			var v float64
			r.number(&v, fmt.Sprintf("%s of %s", what, m.Content[i].Value))(m.Content[i+1])
			(*dst)[m.Content[i].Value] = v
		}
	}
}
