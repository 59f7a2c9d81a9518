package compare

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/qats-bench/qats/results"
	"github.com/qats-bench/qats/results/compare/significance"
	"github.com/qats-bench/qats/results/table"
)

// Agreement tells how far the rankings by several metrics agree: the same methods on
// the settings of one source, ranked by each metric.
type Agreement struct {
	Source  string
	Block   Block
	Metrics []string
	Names   []string // of the metrics in print
	Methods []string // in every ranking, in the order of their mean ranks by the first metric
	Ranks   [][]float64
	Blocks  []string // of the ranking by the first metric

	// Tau is Kendall's rank correlation of the mean ranks, by pairs of metrics. It is 0
	// where a metric ranks all methods equally.
	Tau [][]float64

	Without []string // metrics that have no ranking, with the reason
}

// Agree ranks methods by each of the metrics, as Of does, and compares the rankings:
// of the measured settings, then of the simulated ones. Methods that some metric does
// not rank are left out of all rankings. A metric that ranks nothing is left out. It is
// an error if a source has rankings by fewer than two metrics, or fewer than three
// methods in all of them.
func Agree(records []results.Record, names []string, o Options) ([]*Agreement, error) {
	var list []*Agreement
	for _, source := range []string{"measured", "simulated"} {
		rows := slices.DeleteFunc(slices.Clone(records), func(r results.Record) bool { return r.Source != source && r.Source != "" })
		if !slices.ContainsFunc(rows, func(r results.Record) bool { return r.Source == source && r.Status == results.OK }) {
			continue
		}
		a, err := agree(rows, names, o)
		if err != nil {
			return nil, fmt.Errorf("%s rows: %w", source, err)
		}
		a.Source = source
		list = append(list, a)
	}
	if list == nil {
		return nil, fmt.Errorf("no row with a value")
	}
	return list, nil
}

// agree is Agree of rows of one source.
func agree(records []results.Record, names []string, o Options) (*Agreement, error) {
	a := &Agreement{Block: o.Block}
	if a.Block == "" {
		a.Block = BySamples
	}
	rank := func(metric string, methods []string) (*Comparison, error) {
		of := o
		of.Metric, of.Methods = metric, methods
		list, err := Of(records, nil, of)
		if err != nil {
			return nil, err
		}
		if list[0].Ranking.Methods == nil {
			return nil, fmt.Errorf("%s", list[0].Ranking.None)
		}
		return list[0], nil
	}
	for _, name := range names {
		c, err := rank(name, o.Methods)
		if err != nil {
			a.Without = append(a.Without, fmt.Sprintf("%s (%v)", name, err))
			continue
		}
		a.Metrics, a.Names = append(a.Metrics, name), append(a.Names, c.MetricLabel)
		if a.Methods == nil {
			a.Methods = slices.Clone(c.Ranking.Methods)
		}
		a.Methods = slices.DeleteFunc(a.Methods, func(m string) bool { return !slices.Contains(c.Ranking.Methods, m) })
	}
	if len(a.Metrics) < 2 {
		return nil, fmt.Errorf("%s with a ranking; an agreement takes two or more", table.Count(len(a.Metrics), "metric"))
	}
	if len(a.Methods) < 3 {
		return nil, fmt.Errorf("%s in the rankings by all metrics; an agreement takes three or more", table.Count(len(a.Methods), "method"))
	}
	for i, name := range a.Metrics {
		c, err := rank(name, a.Methods)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		if i == 0 {
			a.Methods, a.Blocks = c.Ranking.Methods, c.Ranking.Blocks
		}
		ranks := make([]float64, len(a.Methods))
		for j, m := range a.Methods {
			ranks[j] = c.Ranking.Ranks[slices.Index(c.Ranking.Methods, m)]
		}
		a.Ranks = append(a.Ranks, ranks)
	}
	for i := range a.Metrics {
		a.Tau = append(a.Tau, make([]float64, len(a.Metrics)))
		for j := range a.Metrics {
			a.Tau[i][j], _ = significance.Kendall(a.Ranks[i], a.Ranks[j])
		}
	}
	return a, nil
}

// Text prints the agreement for a terminal: mean ranks by each metric, then the
// correlations.
func (a *Agreement) Text(w io.Writer, label func(method string) string) error {
	var b strings.Builder
	fmt.Fprintf(&b, "Agreement of rankings (%s)\n\n", a.Source)
	grid := [][]string{append([]string{"Mean rank by"}, a.Names...)}
	for j, m := range a.Methods {
		row := []string{label(m)}
		for i := range a.Metrics {
			row = append(row, strconv.FormatFloat(a.Ranks[i][j], 'f', 2, 64))
		}
		grid = append(grid, row)
	}
	writeTable(&b, align(grid, 1))
	b.WriteByte('\n')
	grid = [][]string{append([]string{"Kendall's tau"}, a.Names...)}
	for i, name := range a.Names {
		row := []string{name}
		for j := range a.Metrics {
			row = append(row, strconv.FormatFloat(a.Tau[i][j], 'f', 2, 64))
		}
		grid = append(grid, row)
	}
	writeTable(&b, align(grid, 1))
	b.WriteByte('\n')
	for _, s := range a.Notes() {
		table.Wrap(&b, "", s, 100)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// Notes explain the correlations.
func (a *Agreement) Notes() []string {
	list := []string{fmt.Sprintf("Kendall's tau-b of the mean ranks of %s over %s: 1 where two metrics rank alike, 0 where their rankings have nothing in common, -1 where one is the other upside down. It describes these settings and is no test.",
		table.Count(len(a.Methods), "method"), table.Count(len(a.Blocks), "block"))}
	if a.Without != nil {
		list = append(list, "Left out: "+strings.Join(a.Without, "; ")+".")
	}
	return list
}

// JSON prints one object.
func (a *Agreement) JSON(w io.Writer) error {
	type object struct {
		Kind    string     `json:"kind"` // agreement
		Source  string     `json:"source"`
		Block   Block      `json:"block"`
		Metrics []string   `json:"metrics"`
		Methods []string   `json:"methods"`
		Ranks   [][]digits `json:"ranks"` // by metric
		Tau     [][]digits `json:"kendall_tau"`
	}
	all := func(rows [][]float64) (out [][]digits) {
		for _, row := range rows {
			var list []digits
			for _, x := range row {
				list = append(list, digits(x))
			}
			out = append(out, list)
		}
		return out
	}
	return json.NewEncoder(w).Encode(object{"agreement", a.Source, a.Block, a.Metrics, a.Methods, all(a.Ranks), all(a.Tau)})
}
