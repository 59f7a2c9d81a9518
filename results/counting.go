package results

import (
	"fmt"
	"slices"
	"strings"

	"github.com/qats-bench/qats/internal/english"
	"github.com/qats-bench/qats/internal/lists"
)

// Counts reports whether a setting counts in statements over settings: in counts of settings,
// means, ranks, verdicts and tests. It is the one place that decides so.
//
// variants are the texts of the variants that a view asks for by name, "" for sets as they
// are; then the settings with one of them count, and no others. Where a view names none, all
// settings count but these two kinds:
//   - Settings with rescaled test logits are no networks of their own: they show what one
//     change of the logits does, and rescale=1 is a copy of the setting as it is.
//   - Redrawn splits are replicates of one setting.
//
// Trainings of a network with several seeds count, as one: see [OverSeeds].
func Counts(s Setting, variants []string) bool {
	if variants != nil {
		return slices.Contains(variants, s.Variant.String())
	}
	return s.Variant.Rescale == 0 && s.Variant.Split == 0
}

// SettingCounts counts the settings of rows. A setting that several experiments have is one,
// and so are several trainings of a network.
type SettingCounts struct {
	// Settings that count, by where their numbers come from: measured, simulated, or no row
	// with a value.
	Measured, Simulated, None int

	Repeats   int // how often an experiment has a setting that counts and that an earlier one has
	Trainings int // trainings beyond the first of their network
	Rescaled  int // settings with rescaled logits that do not count
	Redrawn   int // settings with redrawn rows that do not count, without the number of the draw

	// Are says what the settings are, such as "the paper's 162 settings; 30 rescaled copies", where
	// somebody knows. Note then has it in the place of the numbers Repeats and Rescaled.
	Are string
}

// All is the number of settings that count.
func (c SettingCounts) All() int { return c.Measured + c.Simulated + c.None }

// Note says in sentences what the settings are, if that is known, and which settings of the rows are
// not in All, and why. It is empty if there is nothing to say.
func (c SettingCounts) Note() string {
	var list []string
	if c.Are != "" {
		list = append(list, strings.ToUpper(c.Are[:1])+c.Are[1:]+".")
	}
	switch once := "A setting of several experiments counts once"; {
	case c.Repeats > 0 && c.Are != "":
		list = append(list, once+".")
	case c.Repeats > 0:
		list = append(list, fmt.Sprintf("%s: %s, %d without duplicates.", once, english.Count(c.All()+c.Repeats, "setting"), c.All()))
	}
	if c.Are != "" {
		c.Rescaled = 0
	}
	if c.Trainings > 0 {
		list = append(list, "Several trainings of a network count once: "+english.Count(c.Trainings, "more training")+".")
	}
	for _, aside := range []struct {
		n    int
		what string
	}{{c.Rescaled, "rescaled logits"}, {c.Redrawn, "redrawn rows"}} {
		if aside.n > 0 {
			list = append(list, "Not counted: "+english.Count(aside.n, "setting")+" with "+aside.what+".")
		}
	}
	return strings.Join(list, " ")
}

// CountSettings counts the settings of records; variants are as in [Counts].
func CountSettings(records []Record, variants []string) SettingCounts {
	var c SettingCounts
	source := map[Setting]string{}    // of each setting that counts, without its experiment
	experiments := map[Setting]bool{} // of each of them, with its experiment
	trainings := map[Setting]bool{}   // of networks with seeds
	networks := map[Setting]bool{}    // with seeds
	aside := map[Setting]bool{}       // that do not count
	for _, r := range records {
		s := r.WithoutTraining()
		if !Counts(r.Setting, variants) {
			s.Experiment, s.Variant.Split = "", min(s.Variant.Split, 1)
			aside[s] = true
			continue
		}
		experiments[s] = true
		s.Experiment = ""
		if training := r.Setting; training.Variant.Training > 0 {
			training.Experiment = ""
			trainings[training], networks[s] = true, true
		}
		if of, has := source[s]; !has || of == "" {
			source[s] = ""
			if r.Status == OK {
				source[s] = r.Source
			}
		}
	}
	for _, from := range source {
		switch from {
		case "measured":
			c.Measured++
		case "simulated":
			c.Simulated++
		default:
			c.None++
		}
	}
	c.Repeats, c.Trainings = len(experiments)-len(source), len(trainings)-len(networks)
	for s := range aside {
		switch {
		case s.Variant.Split > 0:
			c.Redrawn++
		case s.Variant.Rescale > 0:
			c.Rescaled++
		}
	}
	return c
}

// Counted returns the records and the pairs of the settings that count; variants are as in
// [Counts].
func Counted(records []Record, pairs []Pair, variants []string) ([]Record, []Pair) {
	return lists.Where(records, func(r Record) bool { return Counts(r.Setting, variants) }),
		lists.Where(pairs, func(p Pair) bool { return Counts(p.Setting, variants) })
}
