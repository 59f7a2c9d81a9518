package paper

import (
	"fmt"
	"slices"
	"strings"

	"github.com/qats-bench/qats/internal/lists"
	"github.com/qats-bench/qats/results"
)

// The experiments that reproduce no table of the paper.
const (
	lossFigure = "losses"
	rescaling  = "rescale"
)

// Extent counts settings by what the paper has of them. A setting that several experiments have
// counts once, and so do the trainings of a network.
type Extent struct {
	All      int   // settings of which the paper prints an ECE
	Found    []int // of these, by the experiment of their table, in the order of the tables; without those that have none
	Losses   int   // more of the figure on training losses
	Rescaled int   // copies with rescaled test logits
	Others   int   // the rest, but for redrawn rows
}

// ExtentOf counts settings. Those of an experiment that the paper does not have are others: a
// network of the same name is another network there.
func ExtentOf(settings []results.Setting) (Extent, error) {
	numbers, err := Read()
	if err != nil {
		return Extent{}, err
	}
	experiment, order := map[string]string{}, []string{} // by table
	for _, t := range Tables() {
		experiment[t.ID], order = t.Experiment, append(order, t.Experiment)
	}
	home := map[results.Setting]string{} // experiment of the table that prints the setting first
	for _, n := range numbers {
		s := results.Setting{Dataset: n.Dataset, Backbone: n.Backbone, Loss: "ce", Corruption: n.Corruption, Severity: n.Severity}
		if home[s] == "" && !n.IsAverage() {
			home[s] = experiment[n.Table]
		}
	}
	found, losses, rescaled, others := map[string]int{}, 0, 0, 0
	done := map[results.Setting]bool{}
	for _, s := range settings {
		s = s.WithoutTraining()
		known := slices.Contains(order, s.Experiment) || s.Experiment == lossFigure || s.Experiment == rescaling
		of := s.Experiment
		if s.Experiment = ""; !known {
			s.Experiment = "other"
		}
		if done[s] || s.Variant.Split > 0 {
			continue
		}
		done[s] = true
		switch {
		case !known:
			others++
		case home[s] != "":
			found[home[s]]++
		case of == lossFigure:
			losses++
		case s.Variant.Rescale > 0:
			rescaled++
		default:
			others++
		}
	}
	e := Extent{All: len(home), Losses: losses, Rescaled: rescaled, Others: others}
	for _, name := range lists.Distinct(order, func(name string) string { return name }) {
		if found[name] > 0 {
			e.Found = append(e.Found, found[name])
		}
	}
	return e, nil
}

// String says in words how many settings there are: "the paper's 162 settings (15 + 15 + 75 + 55 + 2);
// 20 more of its loss figure; 30 rescaled copies". It is empty if none is the paper's.
func (e Extent) String() string {
	if len(e.Found) == 0 {
		return ""
	}
	sum := 0
	for _, n := range e.Found {
		sum += n
	}
	text := fmt.Sprintf("the paper's %d settings", e.All)
	if sum < e.All {
		text = fmt.Sprintf("%d of %s", sum, text)
	}
	if len(e.Found) > 1 {
		text += " (" + strings.Join(lists.Values(e.Found, func(n int) string { return fmt.Sprint(n) }), " + ") + ")"
	}
	for _, c := range []struct {
		n         int
		one, many string
	}{{e.Losses, "more of its loss figure", "more of its loss figure"}, {e.Rescaled, "rescaled copy", "rescaled copies"}, {e.Others, "other setting", "other settings"}} {
		switch {
		case c.n == 1:
			text += "; 1 " + c.one
		case c.n > 1:
			text += fmt.Sprintf("; %d %s", c.n, c.many)
		}
	}
	return text
}
