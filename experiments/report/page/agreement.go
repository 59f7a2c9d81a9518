package page

import (
	"github.com/qats-bench/qats/internal/lists"
	"github.com/qats-bench/qats/plots"
	"github.com/qats-bench/qats/results"
	"github.com/qats-bench/qats/results/compare"
)

// agreement shows how far the rankings of a source by different metrics agree.
type agreement struct {
	ID, Source string
	Chart      chart
}

// agreementsOf compares the rankings by the metrics of [compare.Rankable], measured
// before simulated. A source with fewer than two such metrics has none.
func agreementsOf(f *results.Rows, o Options) (list []agreement) {
	for _, source := range []string{"measured", "simulated"} {
		of := lists.Where(f.Records, func(r record) bool { return r.Source == source })
		names, sparse, err := compare.Rankable(of, o.Variants)
		if err != nil || len(names) < 2 { // of experiments that differ the page has notes
			continue
		}
		a := agreementOf(f, o, names, source)
		if a == nil {
			continue
		}
		a.Sparse = sparse
		list = append(list, agreement{"agreement-" + source, source, agreementChart(a, o, "Kendall's rank correlation of the mean ranks", drawn(plots.AgreementOf(a)))})
	}
	return list
}
