package submission

import (
	"math"
	"slices"

	"github.com/qats-bench/qats/internal/lists"
	"github.com/qats-bench/qats/results"
)

// Verdict says what a verification found of a number, or of an entry.
type Verdict string

// The verdicts, from the best to the worst.
const (
	Equal   Verdict = "equal"   // the same nine digits
	Agrees  Verdict = "agrees"  // within Agreement
	Differs Verdict = "differs" // by more
	NotRun  Verdict = "not run" // there is no number to compare with: arrays are absent, or the code failed
)

// Agreement is the largest difference of two numbers that agree, relative to the larger one or, below 1, absolute: a
// thousandth of a point. An entry that is not Go gets at best Agrees: its libraries may sum in another order on another
// machine.
const Agreement = 1e-5

// Cell is a number of an entry: claimed, and measured by the verification.
type Cell struct {
	Setting  results.Setting
	Metric   string
	Claimed  float64 // NaN where there is none
	Measured float64 // NaN where there is none
	Verdict  Verdict
}

// Compared is the outcome of a verification.
type Compared struct {
	Cells  []Cell // in the order of the tier
	Counts Counts
	Fits   int // fits whose saved model differs from the one of the entry; not judged, because different models can give the same probabilities
}

// Counts are the numbers by verdict.
type Counts struct {
	Equal   int `yaml:"equal"`
	Agrees  int `yaml:"agrees"`
	Differs int `yaml:"differs"`
	NotRun  int `yaml:"not_run"`
}

// Verdict returns the verdict on an entry: the worst verdict of its numbers; for other languages than Go at best Agrees.
func (c Counts) Verdict(language Language) Verdict {
	switch {
	case c.Differs > 0:
		return Differs
	case c.NotRun > 0 || c.Equal+c.Agrees == 0:
		return NotRun
	case c.Agrees > 0 || language != Go:
		return Agrees
	}
	return Equal
}

// all returns how many numbers there are.
func (c Counts) all() int { return c.Equal + c.Agrees + c.Differs + c.NotRun }

// add counts a number of a verdict.
func (c *Counts) add(v Verdict) {
	switch v {
	case Equal:
		c.Equal++
	case Agrees:
		c.Agrees++
	case Differs:
		c.Differs++
	case NotRun:
		c.NotRun++
	}
}

// place is where a number of one method stands.
type place struct {
	setting results.Setting
	metric  string
}

func placeOf(r results.Record) place { return place{r.Setting, r.Metric} }

// ofMethod returns the records of a method.
func ofMethod(method string, records []results.Record) []results.Record {
	return lists.Where(records, func(r results.Record) bool { return r.Method == method })
}

// byPlace returns the records of a method by their places.
func byPlace(method string, records []results.Record) map[place]results.Record {
	of := map[place]results.Record{}
	for _, r := range ofMethod(method, records) {
		of[placeOf(r)] = r
	}
	return of
}

// Compare compares the claimed numbers of an entry with those of a run of its code.
func Compare(e *Entry, measured []results.Record, fits []results.EntryFit) Compared {
	found, claimed := byPlace(e.Card.Name, measured), byPlace(e.Card.Name, e.Records)
	var c Compared
	add := func(at place, claimed, measured results.Record) {
		if claimed.Status != results.OK && measured.Status != results.OK {
			return
		}
		v := verdictOf(claimed, measured)
		c.Counts.add(v)
		c.Cells = append(c.Cells, Cell{Setting: at.setting, Metric: at.metric, Claimed: number(claimed), Measured: number(measured), Verdict: v})
	}
	for _, r := range e.Records {
		add(placeOf(r), r, found[placeOf(r)])
	}
	for _, r := range ofMethod(e.Card.Name, measured) {
		if _, has := claimed[placeOf(r)]; !has { // of a setting that the entry has no row of
			add(placeOf(r), results.Record{}, r)
		}
	}
	for _, f := range fits {
		if !slices.Contains(e.Fits, f) {
			c.Fits++
		}
	}
	return c
}

// verdictOf judges a number, of which one of the two records has a value.
func verdictOf(claimed, measured results.Record) Verdict {
	switch {
	case claimed.Status != results.OK: // a number that the entry left out
		return Differs
	case measured.Status != results.OK:
		return NotRun
	case results.Same(claimed.Value, measured.Value):
		return Equal
	case math.Abs(claimed.Value-measured.Value) <= Agreement*max(1, math.Abs(claimed.Value), math.Abs(measured.Value)):
		return Agrees
	}
	return Differs
}

// number returns the value of a record; NaN where it has none.
func number(r results.Record) float64 {
	if r.Status != results.OK {
		return math.NaN()
	}
	return r.Value
}

// Of returns the cells of a verdict.
func (c Compared) Of(v Verdict) []Cell {
	return lists.Where(c.Cells, func(cell Cell) bool { return cell.Verdict == v })
}
