package submission

import (
	"math"

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
// thousandth of a point. Code in Python, and of any program, never does better than to agree, since its libraries sum in
// another order elsewhere.
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
	Fits   int // fits of other content than those of the entry, which are not judged: two contents may give one map
}

// Counts are the numbers by verdict.
type Counts struct {
	Equal   int `yaml:"equal"`
	Agrees  int `yaml:"agrees"`
	Differs int `yaml:"differs"`
	NotRun  int `yaml:"not_run"`
}

// Verdict returns the verdict on an entry in a language: the worst of its numbers, and at best that it agrees if it is no Go.
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

// Compare compares the claimed numbers of an entry with those of a run of its code.
func Compare(e *Entry, measured []results.Record, fits []results.EntryFit) Compared {
	type place struct {
		setting results.Setting
		metric  string
	}
	found, claimed := map[place]results.Record{}, map[place]bool{}
	for _, r := range measured {
		if r.Method == e.Card.Name {
			found[place{r.Setting, r.Metric}] = r
		}
	}
	var c Compared
	add := func(at place, claimed, measured results.Record) {
		cell := Cell{Setting: at.setting, Metric: at.metric, Claimed: number(claimed), Measured: number(measured)}
		if claimed.Status != results.OK && measured.Status != results.OK {
			return
		}
		switch {
		case claimed.Status != results.OK: // a number that the entry left out
			cell.Verdict = Differs
			c.Counts.Differs++
		case measured.Status != results.OK:
			cell.Verdict = NotRun
			c.Counts.NotRun++
		case results.Same(claimed.Value, measured.Value):
			cell.Verdict = Equal
			c.Counts.Equal++
		case math.Abs(claimed.Value-measured.Value) <= Agreement*max(1, math.Abs(claimed.Value), math.Abs(measured.Value)):
			cell.Verdict = Agrees
			c.Counts.Agrees++
		default:
			cell.Verdict = Differs
			c.Counts.Differs++
		}
		c.Cells = append(c.Cells, cell)
	}
	for _, r := range e.Records {
		at := place{r.Setting, r.Metric}
		claimed[at] = true
		add(at, r, found[at])
	}
	for _, r := range measured { // of settings that the entry has no row of
		at := place{r.Setting, r.Metric}
		if r.Method == e.Card.Name && !claimed[at] {
			add(at, results.Record{}, r)
		}
	}
	had := map[results.EntryFit]bool{}
	for _, f := range e.Fits {
		had[f] = true
	}
	for _, f := range fits {
		if !had[f] {
			c.Fits++
		}
	}
	return c
}

func number(r results.Record) float64 {
	if r.Status != results.OK {
		return math.NaN()
	}
	return r.Value
}

// Of returns the cells of a verdict.
func (c Compared) Of(v Verdict) []Cell {
	var list []Cell
	for _, cell := range c.Cells {
		if cell.Verdict == v {
			list = append(list, cell)
		}
	}
	return list
}
