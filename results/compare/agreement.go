package compare

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/qats-bench/qats/internal/english"
	"github.com/qats-bench/qats/internal/lists"
	"github.com/qats-bench/qats/results"
	"github.com/qats-bench/qats/results/compare/significance"
	"github.com/qats-bench/qats/results/table"
)

// Agreement tells how far the rankings by several metrics agree: the same methods on
// the settings of one source, ranked by each metric.
type Agreement struct {
	Source  string      `json:"source"`
	Block   Block       `json:"block"`
	Metrics []string    `json:"metrics"`
	Names   []string    `json:"-"`       // of the metrics in print
	Methods []string    `json:"methods"` // in every ranking, in the order of their mean ranks by the first metric
	Ranks   [][]float64 `json:"-"`

	// Settings counts the settings on which all Methods have all Metrics. Every ranking
	// is over these. Lost counts the others: some Method has some Metric on them.
	Settings int      `json:"settings"`
	Lost     int      `json:"-"`
	Blocks   []string `json:"blocks"` // of each of the rankings
	Extent   Extent   `json:"-"`      // of these settings and blocks

	// Tau is Kendall's rank correlation of the mean ranks, by pairs of metrics. It is 0
	// where a metric ranks all methods equally.
	Tau [][]float64 `json:"-"`

	Without []string `json:"-"` // metrics that have no ranking, with the reason
	Sparse  []string `json:"-"` // metrics that Rankable left out, if it chose the others
}

// Agree ranks methods by each of the metrics, as Of does, and compares the rankings: of the
// measured settings, then of the simulated ones. Methods that some metric does not rank are
// left out of all rankings, and so are settings on which a method lacks a metric, since
// otherwise two rankings could differ because of their settings. A metric that ranks
// nothing is left out. It is an error if a source has rankings by fewer than two metrics,
// fewer than three methods in all of them, or fewer than two blocks.
func Agree(records []results.Record, names []string, o Options) ([]*Agreement, error) {
	var list []*Agreement
	for _, source := range sources {
		rows := lists.Where(records, func(r results.Record) bool { return r.Source == source || r.Source == "" })
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
	a := &Agreement{Block: cmp.Or(o.Block, BySamples)}
	for _, name := range names {
		c, err := rankBy(records, o, name, o.Methods)
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
		return nil, fmt.Errorf("%s with a ranking; an agreement takes two or more", english.Count(len(a.Metrics), "metric"))
	}
	if len(a.Methods) < 3 {
		return nil, fmt.Errorf("%s in the rankings by all metrics; an agreement takes three or more", english.Count(len(a.Methods), "method"))
	}
	common, lost, err := onCommonSettings(records, a.Methods, a.Metrics, o.Variants)
	if err != nil {
		return nil, err
	}
	if len(common) == 0 {
		return nil, fmt.Errorf("no setting on which %s have all of %s", english.Count(len(a.Methods), "method"), strings.Join(a.Metrics, ", "))
	}
	records, a.Lost, o.Variants = common, lost, variantsOf(common)
	for i, name := range a.Metrics {
		c, err := rankBy(records, o, name, a.Methods)
		if err != nil {
			return nil, fmt.Errorf("%s, on the settings on which all methods have all metrics: %w", name, err)
		}
		if i == 0 {
			a.Methods, a.Blocks, a.Settings, a.Extent = c.Ranking.Methods, c.Ranking.Blocks, c.Ranking.Settings, c.Ranking.Extent
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

// rankBy compares by a metric, without tests. It is an error if there is no ranking.
func rankBy(records []results.Record, o Options, metric string, methods []string) (*Comparison, error) {
	o.Metric, o.Methods = metric, methods
	list, err := Untested(records, nil, o)
	if err != nil {
		return nil, err
	}
	if list[0].Ranking.Methods == nil {
		return nil, errors.New(list[0].Ranking.None)
	}
	return list[0], nil
}

// onCommonSettings returns the records of the settings on which all methods have values
// of all metrics, none if there is no such setting. lost counts the settings on which
// some of the methods have some of the metrics. Experiments that ran one setting share
// its values, several trainings of a network are one, and settings count as
// [results.Counts] says. The records are without seeds then.
func onCommonSettings(records []results.Record, methods, metrics, variants []string) (common []results.Record, lost int, err error) {
	records, _ = results.Counted(records, nil, variants)
	records = results.OverSeeds(records)
	counted := func(results.Setting) bool { return true } // already
	cube, err := results.NewCube(records, nil, results.View{Metrics: metrics, Single: counted})
	if err != nil {
		return nil, 0, err
	}
	settings, lost := cube.Complete(methods, metrics)
	complete := make(map[results.Setting]bool, len(settings))
	for _, s := range settings {
		complete[s] = true
	}
	return lists.Where(records, func(r results.Record) bool { return complete[r.Setting.WithoutExperiment()] }), lost, nil
}

// variantsOf returns the variants of records, so that all of them count.
func variantsOf(records []results.Record) []string {
	return lists.Distinct(records, func(r results.Record) string { return r.Variant.String() })
}

// Text prints the agreement for a terminal: mean ranks by each metric, then the
// correlations.
func (a *Agreement) Text(w io.Writer, label func(method string) string) error {
	ranks := a.matrix("Mean rank by", lists.Values(a.Methods, label), a.Ranks)
	ranks.Caption = fmt.Sprintf("Agreement of rankings (%s)", a.Source)
	if err := ranks.Text(w, width); err != nil {
		return err
	}
	tau := a.matrix("Kendall's tau", a.Names, a.Tau) // is symmetric
	tau.Remarks = a.Notes()
	if _, err := io.WriteString(w, "\n"); err != nil {
		return err
	}
	return tau.Text(w, width)
}

// matrix returns a table with a column of numbers for each metric.
func (a *Agreement) matrix(heading string, labels []string, columns [][]float64) *table.Table {
	t := &table.Table{Columns: []table.Column{{Head: heading}}}
	for _, name := range a.Names {
		t.Columns = append(t.Columns, table.Column{Head: name, Align: table.Right, Digits: 2})
	}
	for i, label := range labels {
		cells := []table.Cell{table.Words(label)}
		for j, column := range columns {
			cells = append(cells, t.Columns[j+1].Number(column[i]))
		}
		t.Rows = append(t.Rows, table.Row{Cells: cells})
	}
	return t
}

// Notes explain the correlations.
func (a *Agreement) Notes() []string {
	list := []string{fmt.Sprintf("Kendall's tau-b of the mean ranks of %s over %s, the same for all metrics: 1 where two metrics rank alike, 0 where their rankings have nothing in common, -1 where one is the other upside down. It describes these settings and is no test.",
		english.Count(len(a.Methods), "method"), a.Extent)}
	if a.Lost > 0 {
		list = append(list, fmt.Sprintf("Left out, because a method lacks a metric: %s.", english.Count(a.Lost, "setting")))
	}
	if len(a.Sparse) > 0 {
		names := lists.Values(a.Sparse, func(name string) string { return results.Name("metric", name) })
		list = append(list, fmt.Sprintf("Left out, without a value on more than a fifth of the settings: %s.", english.List(names)))
	}
	if a.Without != nil {
		list = append(list, "Metrics without a ranking: "+strings.Join(a.Without, "; ")+".")
	}
	return list
}

// JSON prints one object.
func (a *Agreement) JSON(w io.Writer) error {
	type object struct {
		Kind string `json:"kind"` // agreement
		*Agreement
		Ranks [][]digits `json:"ranks"` // by metric
		Tau   [][]digits `json:"kendall_tau"`
	}
	all := func(rows [][]float64) (out [][]digits) {
		for _, row := range rows {
			out = append(out, digitsOf(row))
		}
		return out
	}
	return json.NewEncoder(w).Encode(object{"agreement", a, all(a.Ranks), all(a.Tau)})
}
