package claims

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/qats-bench/qats/internal/lists"
	"github.com/qats-bench/qats/results"
	"github.com/qats-bench/qats/results/paper"
)

// State states whether a printed number is reproduced.
type State string

// Only a cell that is OK has a reproduced value.
const (
	OK      State = "ok"
	Missing State = "missing" // no record
	Skip    State = "skip"
	Fail    State = "fail"
	Mixed   State = "mixed" // a mean over records of several kinds
)

// Cell is a printed number and the reproduced one.
type Cell struct {
	paper.Number
	State   State
	Reason  string       // why there is no reproduced value
	Here    paper.Points // the reproduced value, rounded as the paper prints
	Source  string       // measured (the paper's own network), stand-in (measured on another) or simulated
	StandIn string       // how the network of a stand-in differs from the paper's, if its note says so
	HasBand bool
	// BandLo and BandHi are the consistency band: the range of scores that a
	// perfectly calibrated model with the same confidences gets on as many rows. A
	// mean has no band.
	BandLo, BandHi paper.Points
}

// Difference is the reproduced minus the published number.
func (c Cell) Difference() paper.Points { return c.Here - c.Value }

// StandsIn reports whether the reproduced value is measured, but not on the paper's
// own network.
func (c Cell) StandsIn() bool { return c.State == OK && c.Source == standIn }

// Kinds of reproduced values. [results.Record.StandsIn] decides which record is a stand-in.
// A stand-in is shown but enters no verdict.
const (
	measured  = "measured"
	standIn   = "stand-in"
	simulated = "simulated"
)

func sourceOf(r results.Record) string {
	if r.StandsIn() {
		return standIn
	}
	return r.Source
}

// Row is a row of a printed table, reproduced.
type Row struct {
	paper.Setting
	Cells   []Cell // in the order of the table
	Gap     *Gap   // nil in rows that print none
	Ranking Ranking
}

// Comparison is the paper's numbers and claims beside reproduced records.
type Comparison struct {
	Rows      []Row     // in the order of the tables
	Summaries []Summary // by table: measured, stand-ins where there are any, simulated
	Claims    []Judged
}

// Found counts the printed numbers that have a reproduced value, of whatever source.
func (c *Comparison) Found() int { return c.count(func(cell Cell) bool { return cell.State == OK }) }

// Measured counts the printed numbers that are reproduced on the paper's own networks.
func (c *Comparison) Measured() int {
	return c.count(func(cell Cell) bool { return cell.State == OK && cell.Source == measured })
}

// StandIns counts those that are reproduced on networks that stand in for the paper's.
func (c *Comparison) StandIns() int { return c.count(Cell.StandsIn) }

func (c *Comparison) count(is func(Cell) bool) int {
	n := 0
	for _, r := range c.Rows {
		n += len(lists.Where(r.Cells, is))
	}
	return n
}

// OfPaper reports whether some record is of an experiment that the paper has. Without such
// a record Compare reproduces nothing.
func OfPaper(records []results.Record) bool {
	ofPaper := slices.Collect(maps.Values(experiments()))
	return slices.ContainsFunc(records, func(r results.Record) bool { return slices.Contains(ofPaper, r.Experiment) })
}

// Compare sets records beside the printed numbers, and judges the claims on both. It ignores
// records of experiments that the paper does not have.
func Compare(f *results.Rows) (*Comparison, error) {
	numbers, err := paper.Read()
	if err != nil {
		return nil, err
	}
	return compare(numbers, f), nil
}

func compare(numbers []paper.Number, f *results.Rows) *Comparison {
	r := newReproduction(numbers, f.Records)
	c := &Comparison{}
	for _, printed := range r.publication.Rows {
		row := Row{Setting: printed.Setting, Cells: lists.Values(printed.Numbers, r.cell)}
		row.Gap, row.Ranking = gapOf(row.Cells), rank(row.Cells)
		c.Rows = append(c.Rows, row)
	}
	c.Summaries = summarise(c.Rows)
	c.Claims = judgeAll(r.publication, measuredBook(c.Rows, r.records, f.Bins))
	return c
}

// reproduction finds the record that reproduces a printed number.
type reproduction struct {
	publication *paper.Publication
	experiment  map[string]string // by id of the table
	records     map[results.Place]results.Record
}

func newReproduction(numbers []paper.Number, records []results.Record) *reproduction {
	return &reproduction{
		publication: paper.NewPublication(numbers),
		experiment:  experiments(),
		records:     results.Index(records),
	}
}

// experiments returns the experiment that reproduces each table, by its id.
func experiments() map[string]string {
	m := map[string]string{}
	for _, t := range paper.Tables() {
		m[t.ID] = t.Experiment
	}
	return m
}

// id identifies the record that reproduces a number of a table.
func (r *reproduction) id(table string, s paper.Setting, method, metric string) results.Place {
	return results.PlaceOf(results.Setting{
		Experiment: r.experiment[table], Dataset: s.Dataset, Backbone: s.Backbone, Loss: "ce",
		Corruption: s.Corruption, Severity: s.Severity,
	}, method, metric)
}

// cell reproduces one printed number.
func (r *reproduction) cell(n paper.Number) Cell {
	cell := Cell{Number: n}
	if n.IsAverage() {
		r.mean(&cell)
		return cell
	}
	record, ok := r.records[r.id(n.Table, n.Setting, n.Method, n.Metric)]
	if !ok {
		cell.State, cell.Reason = Missing, "no record"
		return cell
	}
	if record.Status != results.OK {
		cell.State, cell.Reason = State(record.Status), record.Note.String()
		return cell
	}
	cell.State, cell.Source, cell.Here = OK, sourceOf(record), paper.PointsOf(record.Value)
	cell.StandIn = record.StandIn()
	lo := r.records[r.id(n.Table, n.Setting, n.Method, n.Metric+"_null_lo")]
	hi := r.records[r.id(n.Table, n.Setting, n.Method, n.Metric+"_null_hi")]
	if lo.Status == results.OK && hi.Status == results.OK {
		cell.HasBand, cell.BandLo, cell.BandHi = true, paper.PointsOf(lo.Value), paper.PointsOf(hi.Value)
	}
	return cell
}

// mean reproduces a printed mean by the mean over the same members.
func (r *reproduction) mean(cell *Cell) {
	members := r.publication.Averaged(cell.Setting)
	sum, absent, reason := 0.0, 0, "no record"
	sources := map[string]int{}
	for _, s := range members {
		record, ok := r.records[r.id(cell.Table, s, cell.Method, cell.Metric)]
		if !ok || record.Status != results.OK {
			if absent++; ok && absent == 1 {
				reason = string(record.Status) + ": " + record.Note.String()
			}
			continue
		}
		sum += record.Value
		cell.Source = sourceOf(record)
		sources[cell.Source]++
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
		var parts []string
		for _, source := range []string{measured, standIn, simulated} {
			if sources[source] > 0 {
				parts = append(parts, fmt.Sprintf("%d %s", sources[source], source))
			}
		}
		cell.Reason = strings.Join(parts, " and ") + " values have no mean"
	default:
		cell.State, cell.Here = OK, paper.PointsOf(sum/float64(len(members)))
	}
}
