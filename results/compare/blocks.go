package compare

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/qats-bench/qats/internal/called"
	"github.com/qats-bench/qats/internal/english"
	"github.com/qats-bench/qats/internal/lists"
	"github.com/qats-bench/qats/results"
)

// Extent counts the settings and blocks that numbers are over.
type Extent struct {
	Settings, Blocks int
	Unit             string // of a block, in plain words

	// Corrupted counts the settings with a corruption, and CorruptedOf their networks.
	Corrupted, CorruptedOf int
}

// blockUnit is the unit of blocks that no plainer word names: of data sets that may share test samples.
const blockUnit = "independent data set"

// unitOf returns what one block is, in plain words.
func unitOf(b Block) string {
	switch b {
	case ByDataset:
		return "data set"
	case ByNetwork:
		return "network"
	case BySetting:
		return "setting"
	}
	return blockUnit
}

// extent returns the extent of some settings.
func (v values) extent(places []int) Extent {
	settings, blocks := v.at(places), v.blocksOf(places)
	corrupted := lists.Where(settings, func(s results.Setting) bool { return s.Corruption != "" })
	e := Extent{len(settings), len(blocks), blockUnit, len(corrupted), len(lists.Distinct(corrupted, results.Setting.Network))}
	switch {
	case v.by == ByNetwork:
		e.Unit = "network"
	case v.by == BySetting:
		e.Unit = "setting"
	case v.by == ByDataset || e.Settings == e.Blocks:
		e.Unit = "data set"
	}
	return e
}

// BlockTerm stands in a text for data sets that count once together.
const BlockTerm english.Term = "block"

// String returns "120 settings in 9 independent data sets (75 are corruptions of one network)", for
// example, or "6 data sets".
func (e Extent) String() string { return e.Text().String() }

// Text is String with its terms.
func (e Extent) Text() english.Text {
	text := e.count()
	switch {
	case e.Settings == e.Blocks:
	case e.Unit == blockUnit:
		text = english.Of(english.Count(e.Settings, "setting"), " in ", text)
	default:
		text = english.Of(english.Count(e.Settings, "setting"), " of ", text)
	}
	if note := e.corruptions(); note != "" {
		text = english.Of(text, " (", note, ")")
	}
	return text
}

// count counts the blocks by their unit.
func (e Extent) count() english.Text {
	if e.Unit == blockUnit {
		return english.CountOf(e.Blocks, e.Unit, BlockTerm)
	}
	return english.Of(english.Count(e.Blocks, e.Unit))
}

// corruptions says how many settings are corruptions, if there are any.
func (e Extent) corruptions() string {
	are, of := "are corruptions", "one network"
	if e.Corrupted == 1 {
		are = "is a corruption"
	}
	if e.CorruptedOf > 1 {
		of = english.Count(e.CorruptedOf, "network")
	}
	if e.Corrupted == 0 {
		return ""
	}
	return fmt.Sprintf("%d %s of %s", e.Corrupted, are, of)
}

// inRow returns the extent of a row. It does not count corruptions if the row lacks some of
// the settings.
func (e Extent) inRow(r Row) Extent {
	if r.Settings != e.Settings {
		e.Corrupted = 0
	}
	e.Settings, e.Blocks = r.Settings, r.Blocks
	return e
}

// BlockNotes say how many settings and blocks there are, what tells the blocks apart, and
// whether they are too few for a significant result.
func (v View) BlockNotes() []string { return append(v.blockNotes(), v.powerNotes()...) }

// blockNotes say how many settings and blocks there are, which settings do not count, what a
// block is, and what tells the blocks apart.
func (v View) blockNotes() []string {
	if aside := v.aside(); aside != "" {
		return append(v.ofBlocks(), aside)
	}
	return v.ofBlocks()
}

// aside says which settings do not count, and how they would.
func (v View) aside() string {
	if v.Variants != nil {
		return "Only settings with the variant " + strings.Join(lists.Values(v.Variants, strconv.Quote), " or ") + ", as asked for."
	}
	var list []string
	if n := v.Counted.Rescaled; n > 0 {
		list = append(list, english.Count(n, "setting")+" with rescaled logits")
	}
	if n := v.Counted.Redrawn; n > 0 && len(v.Splits) == 0 {
		list = append(list, english.Count(n, "setting")+" with redrawn rows")
	}
	if list == nil {
		return ""
	}
	return "Not counted: " + english.List(list) + "; " + called.Command() + " compare --only variant=NAME counts those that it names."
}

// ofBlocks is blockNotes of the settings that count.
func (v View) ofBlocks() []string {
	text := english.Count(v.Settings, "setting") + " in " + english.Count(len(v.Blocks), unitOf(v.Block))
	if v.Block == BySamples && len(v.Blocks) > 1 {
		text += ", which share no known test samples"
	}
	if note := v.Extent.corruptions(); note != "" {
		text += "; " + note
	}
	switch v.Block {
	case BySetting:
		return []string{text + ". Settings that share test samples count several times."}
	case ByNetwork:
		return []string{text + ". Corruptions of a network are averaged first, and count once; networks that share test samples count several times."}
	case ByDataset:
		return []string{text + ". Settings of a data set are averaged first, and count once; data sets that share test samples count several times."}
	}
	text += ". Settings of a data set share test samples: they are averaged first"
	if shared := v.sharedBlocks(); shared != "" {
		text += ", then the data sets that share some: " + shared
	}
	return []string{text + ". An independent data set counts once.", v.basisNote()}
}

// sharedBlocks lists the blocks of several data sets with these: "cifar10 (cifar10-jpeg,
// cifar10-jpeg-c)".
func (v View) sharedBlocks() string {
	var list []string
	for _, b := range v.Blocks {
		if d := v.Datasets[b]; len(d) > 1 {
			list = append(list, fmt.Sprintf("%s (%s)", b, strings.Join(d, ", ")))
		}
	}
	return strings.Join(list, ", ")
}

// basisNote says which blocks rest on names, which on manifests or the spec, and which on
// digests of row ids.
func (v View) basisNote() string {
	bases, blocks := lists.Group(v.Blocks, func(b string) string {
		return english.List(lists.Values(v.Bases[b], func(basis results.Basis) string { return basisText[basis] }))
	})
	if len(bases) == 1 {
		return "All independent data sets rest on " + bases[0] + "."
	}
	list := lists.Values(bases, func(of string) string { return fmt.Sprintf("%s (%s)", of, strings.Join(blocks[of], ", ")) })
	return "The independent data sets rest on " + strings.Join(list, ", on ") + "."
}

// basisText names the bases in sentences.
var basisText = map[results.Basis]string{
	results.ByName:      "names of data sets",
	results.ByStatement: "a manifest or the spec",
	results.ByRowIDs:    "digests of row ids",
}
