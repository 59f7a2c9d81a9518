package claims

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/qats-bench/qats/internal/lists"
	"github.com/qats-bench/qats/metrics"
	"github.com/qats-bench/qats/results"
	"github.com/qats-bench/qats/results/table"
)

// binned is an uncalibrated network with its confidences in 15 bins of equal mass, the least
// confident first. The experiment of the setting is the paper's.
type binned struct {
	results.Setting
	bins []results.Bin // without empty ones
}

// uncalibrated returns the networks whose bins are among the rows: those on clean test sets as they
// are, trained with cross-entropy. experiment returns the experiment of the paper that a setting
// belongs to, empty for none. Of several experiments with the same network the first counts.
func uncalibrated(rows []results.Bin, experiment func(results.Setting) string) (list []binned) {
	rows = lists.Where(rows, func(b results.Bin) bool {
		return b.Method == "uncal" && b.Binning == metrics.Mass15 && b.Source == measured && b.Loss == "ce" && b.Corruption == ""
	})
	settings, bins := lists.Group(results.BinsOverSeeds(rows), func(b results.Bin) results.Setting { return b.Setting })
	done := map[results.Setting]bool{}
	for _, s := range settings {
		at := s
		at.Experiment = experiment(s)
		if at.Experiment == "" || s.Variant != (results.Variant{}) || done[at] {
			continue
		}
		done[at] = true
		list = append(list, binned{at, lists.Where(bins[s], func(b results.Bin) bool { return b.N > 0 })})
	}
	return list
}

// widest returns the bin whose confidence and accuracy are furthest apart. clear is false where
// chance alone may have put them apart: Wilson's 95 % interval of the accuracy of the bin contains the
// confidence. It is also false where another bin is as wide.
func (n binned) widest() (b results.Bin, clear bool) {
	gap := func(b results.Bin) float64 { return math.Abs(b.Acc - b.Conf) }
	b = slices.MaxFunc(n.bins, func(x, y results.Bin) int { return cmp.Compare(gap(x), gap(y)) })
	level := lists.Where(n.bins, func(x results.Bin) bool { return gap(x) == gap(b) })
	of, _ := b.AccInterval()
	return b, len(level) == 1 && (b.Conf < of.Lo || b.Conf > of.Hi)
}

// quantiles asks in which of 15 bins of equal mass, counted from 0, the confidence of an
// uncalibrated network is furthest from its accuracy. A network counts if that bin is clear.
type quantiles struct {
	Table string `yaml:"table"` // of the networks
	From  int    `yaml:"from"`  // the first bin of the sentence
	To    int    `yaml:"to"`    // the last one
	Most  bool   `yaml:"most"`  // more than half of the networks have to answer yes, in place of all
}

func (q *quantiles) check() error {
	if q.From < 0 || q.To < q.From || q.To > 14 {
		return fmt.Errorf("quantiles: bins %d to %d are not within 0 and 14", q.From, q.To)
	}
	return checkTables(q.Table)
}

func (q *quantiles) judge(b *book) Judgement {
	var t tally
	unclear := 0
	var datasets []string
	of := map[string]*tally{}
	found := map[string][]int{} // bins
	for _, n := range b.bins {
		if n.Experiment != experiments()[q.Table] || len(n.bins) == 0 {
			continue
		}
		bin, clear := n.widest()
		if !clear {
			unclear++
			continue
		}
		if of[n.Dataset] == nil {
			of[n.Dataset], datasets = &tally{}, append(datasets, n.Dataset)
		}
		a := when(q.From <= bin.Bin && bin.Bin <= q.To)
		t.add(a, fmt.Sprintf("%s (bin %d: confidence %s, accuracy %s)", b.cell(n.Setting), bin.Bin, table.Fixed(100*bin.Conf, 2), table.Fixed(100*bin.Acc, 2)))
		of[n.Dataset].add(a, "")
		found[n.Dataset] = append(found[n.Dataset], bin.Bin)
	}
	t.open = b.missing(len(b.rowsOf(selection{Tables: []string{q.Table}})), t.yes+t.no+unclear)
	if t.yes+t.no == 0 && unclear > 0 {
		return Judgement{Unjudged, fmt.Sprintf("0 of %d networks: %s", unclear, chance)}
	}
	what := "networks"
	if len(datasets) > 0 {
		shares := lists.Values(datasets, func(d string) string {
			return fmt.Sprintf("%s %d of %d, bins %s", b.names.Name("dataset", d), of[d].yes, of[d].yes+of[d].no, span(found[d]))
		})
		what += " (" + strings.Join(shares, "; ") + ")"
	}
	j := t.all(what, 0)
	if q.Most {
		j = t.most(what)
	}
	if unclear > 0 {
		j.Figures += fmt.Sprintf("; %d more cannot be judged: %s", unclear, chance)
	}
	return j
}

// chance is why a network is not judged.
const chance = "the widest gap is within the 95 % interval of its bin's accuracy"

// span is the least and the largest number of a list.
func span(list []int) string {
	lo, hi := slices.Min(list), slices.Max(list)
	if lo == hi {
		return fmt.Sprint(lo)
	}
	return fmt.Sprintf("%d to %d", lo, hi)
}
