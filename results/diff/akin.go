package diff

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/qats-bench/qats/results"
)

// Likeness is the paper's claims, asked of other data sets that are like its
// own. In Claims, Measured is what holds of these networks: it neither confirms
// nor refutes what the paper says of its own.
type Likeness struct {
	Like   map[string]string // the paper's data set that each is like
	Absent []string          // of these, the ones without a measured record, by name
	Claims []Judged
}

// Akin asks the claims of other networks, on data sets that are like the
// paper's or the same: like says which each stands for. Measured records alone
// answer, whatever their experiment.
//
// A row is a data set and network of the records; it stands where the paper's
// data set stands, and "all" means all there are. A mean over corruptions needs
// those of the paper, a mean over data sets those that are like one of them.
// Of records with the same data set, network, loss, corruption and severity the
// first counts.
func Akin(published []results.Published, records []results.Record, like map[string]string) (*Likeness, error) {
	paper := results.NewPublication(published)
	home, err := homes(paper, like)
	if err != nil {
		return nil, err
	}
	k := &kin{paper: paper, like: like, home: home, found: map[recordID]results.Record{}, losses: map[network]bool{}}
	k.collect(records)
	if len(k.found) == 0 {
		return nil, fmt.Errorf("no measured record is of a dataset that is like one of the paper's")
	}
	l := &Likeness{Like: like, Claims: judgeBoth(publishedBook(paper), k.book())}
	measured := map[string]bool{}
	for id := range k.found {
		measured[id.Dataset] = true
	}
	for _, dataset := range slices.Sorted(maps.Keys(like)) {
		if !measured[dataset] {
			l.Absent = append(l.Absent, dataset)
		}
	}
	return l, nil
}

// homes returns the experiment of each of the paper's data sets: that of the
// first table that has it.
func homes(paper *results.Publication, like map[string]string) (map[string]string, error) {
	experiment, home := experimentOf(), map[string]string{}
	for _, r := range paper.Rows {
		if _, ok := home[r.Dataset]; !ok && r.Dataset != results.Average {
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

// kin turns records of other data sets into a book.
type kin struct {
	paper    *results.Publication
	like     map[string]string
	home     map[string]string
	found    map[recordID]results.Record // Experiment is empty
	networks []network                   // trained with cross-entropy, in the order of the records
	losses   map[network]bool            // trained with others too
}

// network is a data set with a network trained on it.
type network struct{ dataset, backbone string }

func (k *kin) collect(records []results.Record) {
	seen := map[network]bool{}
	for _, r := range records {
		if k.like[r.Dataset] == "" || r.Source != "measured" || r.Status != results.OK {
			continue
		}
		r.Experiment = ""
		id := recordID{r.Cell, r.Method, r.Metric}
		if _, ok := k.found[id]; ok {
			continue
		}
		k.found[id] = r
		n := network{r.Dataset, r.Backbone}
		if r.Loss != "ce" {
			k.losses[n] = true
		} else if !seen[n] {
			seen[n] = true
			k.networks = append(k.networks, n)
		}
	}
}

// book arranges the records as the paper's tables and experiments are.
func (k *kin) book() *book {
	b := &book{like: k.like, values: map[valueID]results.Points{}, records: map[recordID]results.Record{}}
	var rows []results.Published
	done := map[results.PublishedSetting]bool{}
	for _, r := range k.paper.Rows {
		for _, n := range k.networks {
			s := r.PublishedSetting
			if s.Backbone = n.backbone; k.stands(n.dataset, r) {
				s.Dataset = n.dataset
			} else if s.Dataset != results.Average || !k.averaged(r, n.dataset) {
				continue
			}
			if done[s] || !k.tested(r, s) {
				continue
			}
			done[s] = true
			for _, p := range r.Numbers {
				p.PublishedSetting = s
				if v, ok := k.value(r, s, p.Method); ok {
					p.Value = results.PointsOf(v)
					b.values[valueID{s, p.Label}] = p.Value
				}
				rows = append(rows, p)
			}
		}
	}
	b.paper = results.NewPublication(rows)
	for id, r := range k.found {
		for _, e := range k.experiments(id.Cell) {
			id.Experiment = e
			b.records[id] = r
		}
	}
	return b
}

// stands reports whether a dataset stands where that of a row does. In the
// ablation, which has one clean, one long-tailed and one shifted set, it stands
// for all of its experiment.
func (k *kin) stands(dataset string, r results.PublishedRow) bool {
	of := k.like[dataset]
	return of == r.Dataset || r.Table == "ablation" && k.home[of] == k.home[r.Dataset]
}

// averaged reports whether a mean of the paper over data sets is over one that
// the dataset is like.
func (k *kin) averaged(r results.PublishedRow, dataset string) bool {
	return slices.ContainsFunc(k.paper.Averaged(r.PublishedSetting), func(m results.PublishedSetting) bool {
		return m.Dataset == k.like[dataset]
	})
}

// tested reports whether the row s, which stands for r, has a number of QaTS,
// and in the ablation one of another form.
func (k *kin) tested(r results.PublishedRow, s results.PublishedSetting) bool {
	_, ok := k.value(r, s, "qats")
	if ok && r.Table == "ablation" {
		_, ok = k.value(r, s, "qats-pw2")
	}
	return ok
}

// value is the number of a method in the row s, which stands for r.
func (k *kin) value(r results.PublishedRow, s results.PublishedSetting, method string) (float64, bool) {
	sum, n := 0.0, 0
	for _, c := range k.members(r, s) {
		x, ok := k.found[recordID{c, method, s.Metric}]
		if !ok {
			return 0, false
		}
		sum, n = sum+x.Value, n+1
	}
	return sum / float64(n), n > 0
}

// members are the cells whose mean the row s shows; one if it shows no mean.
func (k *kin) members(r results.PublishedRow, s results.PublishedSetting) []results.Cell {
	cell := results.Cell{Dataset: s.Dataset, Backbone: s.Backbone, Loss: "ce", Corruption: s.Corruption, Severity: s.Severity}
	if !r.IsAverage() {
		return []results.Cell{cell}
	}
	var list []results.Cell
	if r.Dataset != results.Average {
		for _, m := range k.paper.Averaged(r.PublishedSetting) {
			cell.Corruption = m.Corruption
			list = append(list, cell)
		}
		return list
	}
	for _, n := range k.networks {
		if cell.Dataset = n.dataset; n.backbone == s.Backbone && k.averaged(r, n.dataset) {
			list = append(list, cell)
		}
	}
	return list
}

// experiments returns those of the paper in which a cell stands.
func (k *kin) experiments(c results.Cell) []string {
	home := k.home[k.like[c.Dataset]]
	switch {
	case strings.HasPrefix(c.Corruption, rescaled):
		return []string{"rescale"}
	case c.Loss != "ce":
		return []string{"losses"}
	case (c.Corruption != "") != (home == "shift"): // redrawn rows
		return nil
	case k.losses[network{c.Dataset, c.Backbone}]:
		return []string{home, "losses"}
	}
	return []string{home}
}
