package main

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
)

// tables writes the three tables of the study into a folder.
func (s *study) tables(dir string) error {
	for name, write := range map[string]func(io.Writer){"advice-kinds.csv": s.kinds, "advice-candidates.csv": s.candidates, "advice-families.csv": s.byFamily} {
		f, err := os.Create(filepath.Join(dir, name))
		if err != nil {
			return err
		}
		write(f)
		if err := f.Close(); err != nil {
			return err
		}
	}
	return nil
}

// ratio prints a share.
func ratio(a, b float64) string {
	if b == 0 {
		return ""
	}
	return fmt.Sprintf("%.4f", a/b)
}

// kinds has today's rule and the shipped one by kind of model and size, on all sets of data and on
// the half that chose no threshold; each is the number of draws of a model.
func (s *study) kinds(w io.Writer) {
	fmt.Fprintln(w, "kind,rows,rule,sets_of,draws,models,each,data_sets,tested,test_rows,worse_uncal,worse_uncal_hi,worse_ts,worse_ts_hi,above_uncal,above_ts,harm_uncal,harm_ts,nll,brier")
	for _, kind := range []string{several, probs, two, zeros} {
		half := s.halves(kind)
		for _, part := range []string{"all", "judging"} {
			of := func(data string) bool { return part == "all" || half[data] == 1 }
			for _, n := range sizes {
				for _, r := range []struct {
					name string
					rule
				}{{"before", today}, {"now", shipped[kind]}} {
					c := s.cell(kind, n, r.rule, of)
					if c.draws == 0 {
						continue
					}
					models, each := s.each(kind, n, of)
					fmt.Fprintf(w, "%s,%d,%s,%s,%.0f,%d,%s,%d,%.0f,%.0f,%s,%.4f,%s,%.4f,%s,%s,%.5f,%.5f,%.5f,%.5f\n", kind, n, r.name, part, c.draws, models, each, c.sets, c.tested, c.rows/max(1, c.tested),
						ratio(c.worseUncal, c.tested), c.highUncal, ratio(c.worseTS, c.tested), c.highTS, ratio(c.aboveUncal, c.draws), ratio(c.aboveTS, c.draws),
						c.harmUncal/c.draws, c.harmTS/c.draws, c.nll/c.draws, c.brier/c.draws)
				}
			}
		}
	}
}

// scored is a candidate with its thresholds chosen.
type scored struct {
	rule
	chose, failed     int
	worst, nllOfChose float64
	nll, brier        float64
}

// rank returns the candidates of a kind, each with the threshold that fails the fewest conditions on the first
// half (of equal ones that of the lowest mean NLL there), the best of the second half first: those whose mean NLL and Brier score are not above
// today's there, then by the number of conditions that fail there, then by the NLL of the first half.
func (s *study) rank(kind string) []scored {
	half := s.halves(kind)
	first, second := func(d string) bool { return half[d] == 0 }, func(d string) bool { return half[d] == 1 }
	best := map[rule]scored{}
	for _, x := range candidates(kind) {
		c := scored{rule: x}
		c.chose, c.worst, c.nllOfChose, _ = s.failed(kind, x, first)
		key := x
		key.Least = 0
		if old, ok := best[key]; !ok || cmp.Or(cmp.Compare(c.chose, old.chose), cmp.Compare(c.nllOfChose, old.nllOfChose)) < 0 {
			best[key] = c
		}
	}
	list := slices.Collect(maps.Values(best))
	for i := range list {
		c := &list[i]
		c.failed, _, c.nll, c.brier = s.failed(kind, c.rule, second)
	}
	above := func(c scored) int {
		if c.nll <= 0 && c.brier <= 0 {
			return 0
		}
		return 1
	}
	slices.SortFunc(list, func(a, b scored) int {
		return cmp.Or(cmp.Compare(above(a), above(b)), cmp.Compare(a.failed, b.failed), cmp.Compare(a.nllOfChose, b.nllOfChose), cmp.Compare(a.String(), b.String()))
	})
	return list
}

// candidates has the candidates of each kind, in the order of rank.
func (s *study) candidates(w io.Writer) {
	fmt.Fprintln(w, "kind,begins,threshold,by,test,methods,failed_choosing,failed_judging,nll_judging,brier_judging,eligible")
	for _, kind := range []string{several, probs, two, zeros} {
		for _, c := range s.rank(kind) {
			test := "holm"
			if c.Max {
				test = "max"
			}
			fmt.Fprintf(w, "%s,%s,%g,%s,%s,%s,%d,%d,%.5f,%.5f,%t\n", kind, c.Reference, c.Least, c.By, test, c.List, c.chose, c.failed, c.nll, c.brier, c.nll <= 0 && c.brier <= 0)
		}
	}
	for _, kind := range []string{several, two} { // the other thresholds of the shipped rules
		half := s.halves(kind)
		for _, least := range thresholds {
			x := shipped[kind]
			x.Least = least
			chose, _, _, _ := s.failed(kind, x, func(d string) bool { return half[d] == 0 })
			failed, _, nll, brier := s.failed(kind, x, func(d string) bool { return half[d] == 1 })
			fmt.Fprintf(os.Stderr, "%s, %s: %d fail where thresholds are chosen, %d where they are judged; NLL %+.5f, Brier %+.5f\n", kind, x, chose, failed, nll, brier)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(s.added)) {
		d := s.added[name]
		fmt.Fprintf(os.Stderr, "more candidates, %s: worse in %d of %d draws (%.2f %%)\n", name, d.worse, d.draws, 100*float64(d.worse)/float64(d.draws))
	}
}

// byFamily has both rules by family of models, number of classes and size.
func (s *study) byFamily(w io.Writer) {
	fmt.Fprintln(w, "family,weights,classes,rows,draws,tested,nll_before,nll_now,brier_before,brier_now,worse_uncal_before,worse_uncal_now,worse_ts_now")
	keys := slices.SortedFunc(maps.Keys(s.families), func(a, b family) int {
		return cmp.Or(cmp.Compare(a.name, b.name), cmp.Compare(a.weights, b.weights), cmp.Compare(a.classes, b.classes), cmp.Compare(a.n, b.n), cmp.Compare(b.rule, a.rule))
	})
	for _, k := range keys {
		if k.rule != "today" {
			continue
		}
		before := s.families[k]
		k.rule = "shipped"
		now := s.families[k]
		fmt.Fprintf(w, "%s,%s,%s,%d,%.0f,%.0f,%.5f,%.5f,%.5f,%.5f,%s,%s,%s\n", k.name, k.weights, k.classes, k.n, now.draws, now.tested,
			before.nll/before.draws, now.nll/now.draws, before.brier/before.draws, now.brier/now.draws,
			ratio(before.worseUncal, before.tested), ratio(now.worseUncal, now.tested), ratio(now.worseTS, now.tested))
	}
}
