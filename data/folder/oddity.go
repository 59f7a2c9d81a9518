package folder

import (
	"fmt"
	"strings"

	"github.com/qats-bench/qats/data"
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

// checkKnown checks the oddities that a set is known to have, each with a reason.
func checkKnown(v *yaml.Node) (*yaml.Node, error) {
	var names []string
	for _, o := range Oddities() {
		names = append(names, string(o))
	}
	if v.Kind == yaml.SequenceNode || v.Kind == yaml.ScalarNode {
		return v, fmt.Errorf(`known needs a reason for each name, as in known: {%s: "why this is right"}`, names[0])
	}
	return eachKey(v, names, func(name string, reason *yaml.Node) (*yaml.Node, error) {
		if reason.Kind != yaml.ScalarNode || strings.TrimSpace(reason.Value) == "" {
			return reason, fmt.Errorf("%s has no reason: write why it is right, in one line", name)
		}
		return reason, checkLine("the reason of "+name, reason.Value)
	})
}
