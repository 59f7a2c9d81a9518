package claims

import (
	"slices"

	"github.com/qats-bench/qats/results/paper"
)

// Verdict states whether the paper's best method of a row is also the best
// reproduced one.
type Verdict string

// Only rows measured on the paper's own networks get Agrees or Differs.
const (
	Agrees    Verdict = "agrees"
	Differs   Verdict = "differs"
	NotRun    Verdict = "not run"
	NoWinner  Verdict = "no verdict: the paper's best has no value here"
	TooFew    Verdict = "no verdict: fewer than two ranked methods have a value"
	Both      Verdict = "no verdict: measured and simulated in one row"
	StandIn   Verdict = "not the paper's network: no verdict"
	Simulated Verdict = "simulated: no verdict"
)

// Ranking compares the order of the ranked methods of a row, as printed and as
// reproduced. A place is 1 plus the number of compared methods strictly below.
type Ranking struct {
	Verdict   Verdict  `json:"verdict"`
	PaperBest []string `json:"paper_best"` // lowest of all ranked methods, as printed
	HereBest  []string `json:"here_best"`  // lowest of the compared methods, as reproduced
	// PaperPlace and HerePlace are the places of QaTS; 0 if it has no reproduced value.
	PaperPlace int      `json:"qats_paper_place,omitempty"`
	HerePlace  int      `json:"qats_here_place,omitempty"`
	Compared   []string `json:"compared"` // labels with both numbers
	Absent     []string `json:"absent"`   // ranked labels without a reproduced value
}

// Complete reports whether every ranked method has a reproduced value.
func (r Ranking) Complete() bool { return len(r.Absent) == 0 }

// rank sets places only if the row gets a verdict.
func rank(cells []Cell) Ranking {
	have, sources, compared, absent := reproducedOf(cells)
	ranked := slices.DeleteFunc(slices.Clone(cells), func(c Cell) bool { return !c.Ranked() })
	r := Ranking{PaperBest: lowest(ranked, printed), HereBest: []string{}, Compared: compared, Absent: absent}
	switch {
	case len(have) == 0:
		r.Verdict = NotRun
		return r
	case len(sources) > 1:
		r.Verdict = Both
		return r
	case sources[simulated]:
		r.Verdict = Simulated
		return r
	case sources[standIn]:
		r.Verdict = StandIn
		return r
	case len(have) < 2:
		r.Verdict = TooFew
		return r
	}
	r.HereBest = lowest(have, reproduced)
	r.PaperPlace, r.HerePlace = placeOf("QaTS", have, printed), placeOf("QaTS", have, reproduced)
	shared := func(labels []string, with []string) bool {
		return slices.ContainsFunc(labels, func(l string) bool { return slices.Contains(with, l) })
	}
	switch {
	case !shared(r.PaperBest, r.Compared):
		r.Verdict = NoWinner
	case shared(r.PaperBest, r.HereBest):
		r.Verdict = Agrees
	default:
		r.Verdict = Differs
	}
	return r
}

// reproducedOf returns the ranked cells that have a reproduced value, with their sources and
// labels, and the labels of the other ranked cells. No list of labels is nil, since JSON has
// null for it.
func reproducedOf(cells []Cell) (have []Cell, sources map[string]bool, compared, absent []string) {
	sources, compared, absent = map[string]bool{}, []string{}, []string{}
	for _, c := range cells {
		switch {
		case !c.Ranked():
		case c.State == OK:
			have, compared = append(have, c), append(compared, c.Label)
			sources[c.Source] = true
		default:
			absent = append(absent, c.Label)
		}
	}
	return have, sources, compared, absent
}

func printed(c Cell) paper.Points    { return c.Value }
func reproduced(c Cell) paper.Points { return c.Here }

// lowest returns the labels with the lowest value.
func lowest(cells []Cell, value func(Cell) paper.Points) []string {
	var labels []string
	var best paper.Points
	for _, c := range cells {
		switch v := value(c); {
		case labels == nil || v < best:
			labels, best = []string{c.Label}, v
		case v == best:
			labels = append(labels, c.Label)
		}
	}
	return labels
}

func placeOf(label string, cells []Cell, value func(Cell) paper.Points) int {
	i := slices.IndexFunc(cells, func(c Cell) bool { return c.Label == label })
	if i < 0 {
		return 0
	}
	place := 1
	for _, c := range cells {
		if value(c) < value(cells[i]) {
			place++
		}
	}
	return place
}

// rankedNumbers returns the printed and the reproduced numbers of the ranked cells that have
// both.
func rankedNumbers(cells []Cell) (printed, here []float64) {
	for _, c := range cells {
		if c.Ranked() && c.State == OK {
			printed, here = append(printed, float64(c.Value)), append(here, float64(c.Here))
		}
	}
	return printed, here
}
