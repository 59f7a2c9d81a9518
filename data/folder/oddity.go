package folder

import (
	"fmt"
	"slices"
	"strings"

	"github.com/qats-bench/qats/data"
	"github.com/qats-bench/qats/data/keyed"
	"github.com/qats-bench/qats/internal/lists"
	"gopkg.in/yaml.v3"
)

// Oddity is a sort of thing that is likely a mistake in a set. qats check warns of it, unless
// the manifest of the folder says why the set has it.
type Oddity string

// The oddities.
const (
	OddFewRows       Oddity = "few-rows"       // fewer calibration rows than classes, or all of one class
	OddChance        Oddity = "chance"         // accuracy by chance
	OddEqualLogits   Oddity = "equal-logits"   // rows with the same logit for every class
	OddExtremeLogits Oddity = "extreme-logits" // rows whose logits are far wider apart than those of most
	OddAccuracyGap   Oddity = "accuracy-gap"   // the calibration rows are predicted better than the test rows
	OddSharedRows    Oddity = "shared-rows"    // test rows that are calibration rows too
	OddForm          Oddity = "form"           // logits or labels in an unusual form, such as labels as floats
)

// Oddities returns all oddities.
func Oddities() []Oddity {
	return []Oddity{OddFewRows, OddChance, OddEqualLogits, OddExtremeLogits, OddAccuracyGap, OddSharedRows, OddForm}
}

// KnownOf returns the reason that the manifest of src gives for an oddity of the set at ref;
// ok is false if it gives none.
func KnownOf(src data.Source, ref data.Ref, o Oddity) (reason string, ok bool) {
	for f, in := range data.Beneath[*Folder](src, ref, data.Logits) {
		reason, ok = f.stated(in.Ref).Known[o]
		return reason, ok
	}
	return "", false
}

// KnownNear is KnownOf for a file of arrays that is named by its path: the manifest of its folder, or of
// the nearest folder above, gives the reason.
func KnownNear(file string, o Oddity) (reason string, ok bool) {
	n, err := near(file)
	if err != nil {
		return "", false
	}
	reason, ok = n.Known[o]
	return reason, ok
}

// Reasons say why a set has oddities that are no mistakes.
type Reasons map[Oddity]string

// ReadNode reads a reason for each oddity, and returns the node that is wrong.
func (known *Reasons) ReadNode(n *yaml.Node) (wrong *yaml.Node, err error) {
	if n.Kind != yaml.MappingNode {
		return n, fmt.Errorf(`known needs a reason for each name, as in known: {%s: "why this is right"}`, Oddities()[0])
	}
	*known = Reasons{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		name, reason := n.Content[i], n.Content[i+1]
		_, twice := (*known)[Oddity(name.Value)]
		switch {
		case !slices.Contains(Oddities(), Oddity(name.Value)):
			names := lists.Values(Oddities(), func(o Oddity) string { return string(o) })
			return name, fmt.Errorf("unknown key %q in known%s", name.Value, keyed.Suggest(name.Value, names))
		case twice:
			return name, fmt.Errorf("%s is given twice", name.Value)
		case reason.Kind != yaml.ScalarNode || strings.TrimSpace(reason.Value) == "":
			return reason, fmt.Errorf("%s has no reason: write why it is right, in one line", name.Value)
		}
		if err := keyed.CheckPhrase("the reason of "+name.Value, reason.Value); err != nil {
			return reason, err
		}
		(*known)[Oddity(name.Value)] = reason.Value
	}
	return nil, nil
}
