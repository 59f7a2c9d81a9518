package diff

import (
	"fmt"

	"github.com/qats-bench/qats/results"
)

// State says what is known of a published number here.
type State string

// Only a cell that is OK has a value.
const (
	OK      State = "ok"
	Missing State = "missing" // no record
	Skip    State = "skip"
	Fail    State = "fail"
	Mixed   State = "mixed" // a mean over measured and simulated records
)

// Cell is a published number and what became of it here.
type Cell struct {
	results.Published
	State   State
	Reason  string         // why there is no value
	Here    results.Points // reproduced, as printed
	Source  string         // measured | simulated
	HasBand bool
	// NullLo and NullHi bound what a perfectly calibrated model with the same
	// confidences scores here. A mean has no band.
	NullLo, NullHi results.Points
}

// Difference is the reproduced less the published number.
func (c Cell) Difference() results.Points { return c.Here - c.Value }

// Setting is a row of a published table.
type Setting struct {
	results.PublishedSetting
	Cells   []Cell // in the order of the table
	Ranking Ranking
}

// Diff is everything that there is to say.
type Diff struct {
	Settings  []Setting // in the order of the tables
	Summaries []Summary // by table, measured before simulated
	Claims    []Judged
}

// Of compares published numbers with records. Records of experiments that the
// paper does not have are ignored.
func Of(published []results.Published, records []results.Record) *Diff {
	c := newComparison(published, records)
	d := &Diff{}
	for _, row := range c.paper.Rows {
		s := Setting{PublishedSetting: row.PublishedSetting}
		for _, p := range row.Numbers {
			s.Cells = append(s.Cells, c.cell(p))
		}
		s.Ranking = rank(s.Cells)
		d.Settings = append(d.Settings, s)
	}
	d.Summaries = summarise(d.Settings)
	d.Claims = judge(c.paper, d.Settings, records)
	return d
}

// comparison finds records.
type comparison struct {
	paper      *results.Publication
	experiment map[string]string // of a table
	records    map[recordID]results.Record
}

type recordID struct {
	results.Cell
	method, metric string
}

func newComparison(published []results.Published, records []results.Record) *comparison {
	return &comparison{
		paper:      results.NewPublication(published),
		experiment: experimentOf(),
		records:    index(records),
	}
}

// experimentOf returns the experiment that reproduces each table.
func experimentOf() map[string]string {
	m := map[string]string{}
	for _, t := range results.PublishedTables() {
		m[t.ID] = t.Experiment
	}
	return m
}

func index(records []results.Record) map[recordID]results.Record {
	m := make(map[recordID]results.Record, len(records))
	for _, r := range records {
		m[recordID{r.Cell, r.Method, r.Metric}] = r
	}
	return m
}

// id names the record that answers a published number of a setting.
func (c *comparison) id(table string, s results.PublishedSetting, method, metric string) recordID {
	return recordID{results.Cell{
		Experiment: c.experiment[table], Dataset: s.Dataset, Backbone: s.Backbone, Loss: "ce",
		Corruption: s.Corruption, Severity: s.Severity,
	}, method, metric}
}

// cell answers one published number.
func (c *comparison) cell(p results.Published) Cell {
	cell := Cell{Published: p}
	if p.IsAverage() {
		c.mean(&cell)
		return cell
	}
	r, ok := c.records[c.id(p.Table, p.PublishedSetting, p.Method, p.Metric)]
	if !ok {
		cell.State, cell.Reason = Missing, "no record"
		return cell
	}
	if r.Status != results.OK {
		cell.State, cell.Reason = State(r.Status), r.Note
		return cell
	}
	cell.State, cell.Source, cell.Here = OK, r.Source, results.PointsOf(r.Value)
	lo, ok := c.records[c.id(p.Table, p.PublishedSetting, p.Method, p.Metric+"_null_lo")]
	hi, also := c.records[c.id(p.Table, p.PublishedSetting, p.Method, p.Metric+"_null_hi")]
	if ok && also && lo.Status == results.OK && hi.Status == results.OK {
		cell.HasBand, cell.NullLo, cell.NullHi = true, results.PointsOf(lo.Value), results.PointsOf(hi.Value)
	}
	return cell
}

// mean answers a published mean by the mean over the same members.
func (c *comparison) mean(cell *Cell) {
	members := c.paper.Averaged(cell.PublishedSetting)
	sum, absent, reason := 0.0, 0, "no record"
	sources := map[string]int{}
	for _, s := range members {
		r, ok := c.records[c.id(cell.Table, s, cell.Method, cell.Metric)]
		if !ok || r.Status != results.OK {
			if absent++; ok && absent == 1 {
				reason = string(r.Status) + ": " + r.Note
			}
			continue
		}
		sum += r.Value
		sources[r.Source]++
		cell.Source = r.Source
	}
	switch {
	case absent > 0 || len(members) == 0:
		cell.State, cell.Source = Missing, ""
		cell.Reason = fmt.Sprintf("no value in %d of %d (%s)", absent, len(members), reason)
		if absent == len(members) {
			cell.Reason = "no record"
		}
	case len(sources) > 1:
		cell.State, cell.Source = Mixed, ""
		cell.Reason = fmt.Sprintf("%d measured and %d simulated have no mean", sources["measured"], sources["simulated"])
	default:
		cell.State, cell.Here = OK, results.PointsOf(sum/float64(len(members)))
	}
}
