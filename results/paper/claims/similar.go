package claims

import (
	"fmt"
	"maps"
	"slices"

	"github.com/qats-bench/qats/internal/lists"
	"github.com/qats-bench/qats/results"
	"github.com/qats-bench/qats/results/paper"
)

// Similar holds the claims judged on data sets that are similar to the paper's. In
// Claims, Measured is about these networks: it neither confirms nor refutes the
// paper's statements about its own.
type Similar struct {
	Like     map[string]string // the paper's data set that each data set is similar to
	Absent   []string          // data sets of Like without a measured record, by name
	Names    results.Names     // in print, of data sets and networks
	Networks int               // measured, each on its data set, trained with cross-entropy
	Claims   []Judged
}

// JudgeSimilar judges the claims on data sets that are similar to the paper's, or
// are the same: like maps each to the paper's data set that it stands for. Only
// measured records count, whatever their experiment.
//
// A network on such a data set takes the place of the paper's row, and a sentence
// about all settings is about all settings in the records. A mean over corruptions
// needs the paper's corruptions; a mean over data sets is over those that are
// similar to one of the paper's. Of several records of the same data set, network,
// loss, corruption, severity, method and metric the first counts.
//
// It returns an error if like names a data set that the paper does not have, or if
// no measured record is of one of the data sets.
func JudgeSimilar(f *results.Rows, like map[string]string) (*Similar, error) {
	numbers, err := paper.Read()
	if err != nil {
		return nil, err
	}
	return judgeSimilar(numbers, f, like)
}

// LikeOf returns the data sets that the specs of a run declare similar to the paper's, with the
// paper's data set of each. It is empty without a run.json.
func LikeOf(run *results.Run) map[string]string {
	like := map[string]string{}
	if run != nil {
		for _, s := range run.Specs {
			maps.Copy(like, s.Like)
		}
	}
	return like
}

// judgeSimilar names the networks as settings.csv does and, where it has no name, as the paper does.
func judgeSimilar(numbers []paper.Number, f *results.Rows, like map[string]string) (*Similar, error) {
	publication := paper.NewPublication(numbers)
	home, err := homes(publication, like)
	if err != nil {
		return nil, err
	}
	a := &analogues{publication: publication, like: like, names: maps.Clone(paper.Names()), home: home, found: map[results.Place]results.Record{}, losses: map[network]bool{}}
	a.collect(f.Records)
	maps.Copy(a.names, results.SettingLabels(f.Settings))
	if len(a.found) == 0 {
		return nil, fmt.Errorf("no measured record is of a dataset that is like one of the paper's")
	}
	s := &Similar{Like: like, Names: a.names, Networks: len(a.networks), Claims: judgeAll(publication, a.book(f.Bins))}
	measured := map[string]bool{}
	for id := range a.found {
		measured[id.Dataset] = true
	}
	s.Absent = lists.Where(slices.Sorted(maps.Keys(like)), func(dataset string) bool { return !measured[dataset] })
	return s, nil
}

// homes returns the experiment of each of the paper's data sets: that of the first
// table that has it.
func homes(publication *paper.Publication, like map[string]string) (map[string]string, error) {
	experiment, home := experiments(), map[string]string{}
	for _, r := range publication.Rows {
		if _, ok := home[r.Dataset]; !ok && r.Dataset != paper.Average {
			home[r.Dataset] = experiment[r.Table]
		}
	}
	for _, dataset := range slices.Sorted(maps.Keys(like)) {
		if home[like[dataset]] == "" {
			return nil, fmt.Errorf("%s is like %q, which the paper does not have", dataset, like[dataset])
		}
	}
	return home, nil
}

// network is a data set with a network trained on it.
type network struct{ dataset, backbone string }

// analogues arranges the records of similar data sets in a book.
type analogues struct {
	publication *paper.Publication
	like        map[string]string
	names       results.Names
	home        map[string]string                // experiment of each of the paper's data sets
	found       map[results.Place]results.Record // with an empty Experiment
	networks    []network                        // trained with cross-entropy, in the order of the records
	losses      map[network]bool                 // also trained with other losses
}

func (a *analogues) collect(records []results.Record) {
	for _, r := range results.OverSeeds(records) {
		if a.like[r.Dataset] == "" || r.Source != "measured" || r.Status != results.OK {
			continue
		}
		rescaled := r.Variant.Rescale != 0                                        // which a claim is about
		if !results.Counts(r.Setting, nil) && !rescaled || r.Variant.TestShares { // the paper has no such sets
			continue
		}
		r.Experiment = ""
		id := results.PlaceOf(r.Setting, r.Method, r.Metric)
		if _, ok := a.found[id]; ok {
			continue
		}
		a.found[id] = r
		if rescaled {
			continue // no network of its own
		}
		n := network{r.Dataset, r.Backbone}
		if r.Loss != "ce" {
			a.losses[n] = true
		} else if !slices.Contains(a.networks, n) {
			a.networks = append(a.networks, n)
		}
	}
}

// book arranges the records and the bins like the paper's tables and experiments. A ranking is over
// the methods that have a number.
func (a *analogues) book(bins []results.Bin) *book {
	b := &book{like: a.like, names: a.names, records: map[results.Place]results.Record{}}
	done := map[paper.Setting]bool{}
	for _, r := range a.publication.Rows {
		for _, n := range a.networks {
			s := r.Setting
			if s.Backbone = n.backbone; a.standsFor(n.dataset, r) {
				s.Dataset = n.dataset
			} else if s.Dataset != paper.Average || !a.averaged(r, n.dataset) {
				continue
			}
			if done[s] || !a.tested(r, s) {
				continue
			}
			done[s] = true
			b.rows = append(b.rows, newRow(s, r.Numbers, false, func(number paper.Number) (paper.Points, bool) {
				v, ok := a.value(r, s, number.Method)
				if !ok {
					return 0, false
				}
				return paper.PointsOf(v), true
			}))
		}
	}
	measured := map[results.Setting]bool{}
	for id, r := range a.found {
		measured[id.Setting] = true
		for _, e := range a.experiments(id.Setting) {
			id.Experiment = e
			b.records[id] = r
		}
	}
	b.bins = uncalibrated(bins, func(s results.Setting) string {
		s.Experiment = ""
		if !measured[s] {
			return ""
		}
		return a.home[a.like[s.Dataset]]
	})
	return b
}

// standsFor reports whether a data set takes the place of the row's. The ablation
// has one clean, one long-tailed and one shifted set; there a data set stands for
// all sets of its experiment.
func (a *analogues) standsFor(dataset string, r paper.Row) bool {
	of := a.like[dataset]
	return of == r.Dataset || r.Table == "ablation" && a.home[of] == a.home[r.Dataset]
}

// averaged reports whether the row is a mean over data sets, one of which the data
// set is similar to.
func (a *analogues) averaged(r paper.Row, dataset string) bool {
	return slices.ContainsFunc(a.publication.Averaged(r.Setting), func(m paper.Setting) bool {
		return m.Dataset == a.like[dataset]
	})
}

// tested reports whether the row s, which stands for r, has a number of QaTS and,
// in the ablation, one of another form.
func (a *analogues) tested(r paper.Row, s paper.Setting) bool {
	_, ok := a.value(r, s, "qats")
	if ok && r.Table == "ablation" {
		_, ok = a.value(r, s, "qats-pw2")
	}
	return ok
}

// value returns the number of a method in the row s, which stands for r.
func (a *analogues) value(r paper.Row, s paper.Setting, method string) (float64, bool) {
	sum, n := 0.0, 0
	for _, c := range a.members(r, s) {
		x, ok := a.found[results.PlaceOf(c, method, s.Metric)]
		if !ok {
			return 0, false
		}
		sum, n = sum+x.Value, n+1
	}
	return sum / float64(n), n > 0
}

// members returns the cells whose mean the row s shows; a single one if it shows no
// mean.
func (a *analogues) members(r paper.Row, s paper.Setting) []results.Setting {
	cell := results.Setting{Dataset: s.Dataset, Backbone: s.Backbone, Loss: "ce", Corruption: s.Corruption, Severity: s.Severity}
	if !r.IsAverage() {
		return []results.Setting{cell}
	}
	var list []results.Setting
	if r.Dataset != paper.Average {
		for _, m := range a.publication.Averaged(r.Setting) {
			cell.Corruption = m.Corruption
			list = append(list, cell)
		}
		return list
	}
	for _, n := range a.networks {
		if cell.Dataset = n.dataset; n.backbone == s.Backbone && a.averaged(r, n.dataset) {
			list = append(list, cell)
		}
	}
	return list
}

// experiments returns the paper's experiments to which a cell belongs.
func (a *analogues) experiments(c results.Setting) []string {
	home := a.home[a.like[c.Dataset]]
	switch {
	case c.Variant.Rescale != 0:
		return []string{"rescale"}
	case c.Loss != "ce":
		return []string{"losses"}
	case (c.Corruption != "") != (home == "shift"):
		return nil
	case a.losses[network{c.Dataset, c.Backbone}]:
		return []string{home, "losses"}
	}
	return []string{home}
}
