package spec

import (
	"cmp"
	"maps"
	"reflect"
	"slices"

	"github.com/qats-bench/qats/data"
	"github.com/qats-bench/qats/data/keyed"
	"github.com/qats-bench/qats/data/simulate"
	"github.com/qats-bench/qats/results"
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
	uncal  map[results.Setting]float64 // of real networks: see ParseNetworks
	groups map[networkKey]networkGroup // by dataset and loss, for like
}

// declaration is a declaration of networks as it stands in its file: values for all
// networks, and groups.
type declaration struct {
	Width    int                   `key:"width"`
	OOD      int                   `key:"ood"`
	Tilt     keyed.ByName[float64] `key:"tilt" brief:"" one:"tilt of"` // by backbone
	Networks []networkGroup        `key:"networks"`
}

func (declaration) About() (name, text string) { return "declaration of networks", "" }

// networkGroup is one item: the networks of one dataset and loss.
type networkGroup struct {
	Dataset     string                `key:"dataset"`
	Loss        string                `key:"loss"`
	Like        string                `key:"like"`
	ShiftOf     string                `key:"shift_of"`
	Classes     int                   `key:"classes"`
	Cal         int                   `key:"cal"`
	Test        int                   `key:"test"`
	Imbalance   float64               `key:"imbalance"`
	Background  float64               `key:"background"`
	BalancedCal bool                  `key:"balanced_cal"`
	Accuracy    keyed.ByName[float64] `key:"accuracy" brief:"" one:"accuracy of"` // by backbone; "" for all
	ECE         keyed.ByName[float64] `key:"ece" brief:"" one:"ece of"`
}

func (networkGroup) About() (name, text string) { return "network", "" }

// ParseNetworks reads a declaration; file is for messages, which are as in specs. uncal has the
// uncalibrated ECE of real networks, as a fraction, by data set, backbone, corruption and
// severity: a network without an ece has that of its name, and a corrupted set is declared by it.
func ParseNetworks(file string, src []byte, uncal map[results.Setting]float64) (*Networks, error) {
	r := newReader(file)
	root := r.root(src)
	if root == nil {
		return nil, r.Err()
	}
	all := &Networks{
		plain: map[networkKey]simulate.Network{}, shifts: map[string]string{},
		uncal: uncal, groups: map[networkKey]networkGroup{},
	}
	var d declaration
	r.Decode(root, reflect.ValueOf(&d), "", keyed.Key{})
	if !r.Given(&d.Networks) {
		r.Errorf(root, "no networks are declared")
	}
	for i := range d.Networks {
		switch g := &d.Networks[i]; {
		case !r.Sound(g):
		case g.Dataset == "":
			r.Errorf(g, "a network needs its dataset")
		default:
			r.add(g, all, &d)
		}
	}
	return all, r.Err()
}

// add declares the networks of a group.
func (r *reader) add(item *networkGroup, all *Networks, d *declaration) {
	g := *item
	g.Loss = cmp.Or(g.Loss, "ce")
	if g.ShiftOf != "" {
		all.shifts[g.Dataset] = g.ShiftOf
		return
	}
	published := g.Dataset
	if g.Like != "" {
		base, ok := all.groups[networkKey{dataset: g.Like, loss: "ce"}]
		if !ok {
			r.Errorf(item, "like %q: it is not declared above", g.Like)
			return
		}
		if g.Classes != 0 || g.Cal != 0 || g.Test != 0 || g.Accuracy != nil || g.Imbalance != 0 || g.Background != 0 {
			r.Errorf(item, "a network that is like another one can give only dataset, loss, ece and balanced_cal")
			return
		}
		base.Dataset, base.Loss, base.BalancedCal = g.Dataset, g.Loss, g.BalancedCal
		if g.ECE != nil {
			base.ECE = g.ECE
		}
		g, published = base, g.Like
	}
	key := networkKey{dataset: g.Dataset, loss: g.Loss}
	if _, twice := all.groups[key]; twice {
		r.Errorf(item, "the networks of %s with loss %s are declared twice", g.Dataset, g.Loss)
		return
	}
	all.groups[key] = g
	for _, backbone := range all.backbones(g, published) {
		w := simulate.Network{
			Name: published + "/" + backbone, Classes: g.Classes, Width: d.Width, CalRows: g.Cal, TestRows: g.Test, OODRows: d.OOD,
			Imbalance: g.Imbalance, BalancedCal: g.BalancedCal, Tilt: valueFor(d.Tilt, backbone),
			Accuracy: valueFor(g.Accuracy, backbone), ECE: valueFor(g.ECE, backbone) / 100,
		}
		if g.Loss != "ce" {
			w.Name += "/" + g.Loss
		}
		if g.Background > 0 {
			w.Prior = simulate.Background(g.Classes, g.Background)
		}
		if g.ECE == nil {
			w.ECE = all.uncal[results.Setting{Dataset: published, Backbone: backbone}]
		}
		if err := w.Check(); err != nil {
			r.Errorf(item, "%v", err)
			return
		}
		all.plain[networkKey{g.Dataset, backbone, g.Loss}] = w
	}
}

// backbones returns the backbones of a group in a fixed order: the named ones or,
// if one accuracy is for all, those with a published number.
func (all *Networks) backbones(g networkGroup, published string) []string {
	found := map[string]bool{}
	for _, x := range g.Accuracy {
		found[x.Name] = true
	}
	if !found[""] {
		return slices.Sorted(maps.Keys(found))
	}
	clear(found)
	for cell := range all.uncal {
		if cell.Dataset == published && cell.Corruption == "" {
			found[cell.Backbone] = true
		}
	}
	return slices.Sorted(maps.Keys(found))
}

// valueFor returns the value of a backbone. If it has none, it is the value of all backbones, and else 0.
func valueFor(values keyed.ByName[float64], backbone string) float64 {
	all := 0.0
	for _, x := range values {
		switch x.Name {
		case backbone:
			return x.Value
		case "":
			all = x.Value
		}
	}
	return all
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
