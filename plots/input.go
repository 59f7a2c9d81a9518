package plots

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/qats-bench/qats/results"
)

// Input is what figures are drawn from: rows of the tidy files, and what to
// show of them. A figure reads the rows that it needs.
type Input struct {
	Bins    []results.Bin
	Records []results.Record
	Pairs   []results.Pair

	Methods []string          // ids to show, in this order; nil: all, in the order of their first row
	Labels  map[string]string // method id -> its name in print, ASCII; the id itself where absent

	// Interval is the name of the intervals of Pairs; "BC bootstrap" if empty.
	Interval string

	// Name returns the name in print, ASCII, of an id in one of the columns
	// dataset, backbone, loss and corruption; nil prints the ids.
	Name func(column, id string) string
}

// The two values of the source column.
const (
	measured  = "measured"
	simulated = "simulated"
)

// table is the bins of one cell under one binning, by method.
type table struct {
	title     string // name of the cell
	simulated bool
	series    []series // at least one
}

// series is the bins of one method, by index, the empty ones left out.
type series struct {
	method
	bins []results.Bin // at least one
	n    int           // rows in all bins, > 0
}

// method is a method and its name in print.
type method struct{ id, label string }

// ece returns sum_b n_b/n |acc_b - conf_b|, the calibration error of the bins
// that are shown. With width15 bins it is the ECE-15 of results.csv.
func (s series) ece() float64 {
	var sum float64
	for _, b := range s.bins {
		sum += float64(float64(b.N) / float64(s.n) * max(b.Acc-b.Conf, b.Conf-b.Acc))
	}
	return sum
}

// table checks the rows of one binning and arranges them by method.
func (in Input) table(binning string) (table, error) {
	if len(in.Bins) == 0 {
		return table{}, fmt.Errorf("no rows of bins.csv")
	}
	cell := in.Bins[0].Cell
	for _, b := range in.Bins {
		if b.Cell != cell {
			return table{}, fmt.Errorf("rows of two cells, %s and %s: a figure shows one", cellName(cell), cellName(b.Cell))
		}
	}
	methods, err := in.methods(methodsOf(in.Bins))
	if err != nil {
		return table{}, err
	}
	t := table{title: in.cellName(cell)}
	source := ""
	for _, m := range methods {
		s, err := in.series(m, binning)
		if err != nil {
			return table{}, err
		}
		if err := s.from(&source); err != nil {
			return table{}, err
		}
		t.series = append(t.series, s)
	}
	t.simulated = source == simulated
	return t, ascii("name of the cell", t.title)
}

// methods returns the methods to show, of those that have rows, with their
// names in print.
func (in Input) methods(present []string) ([]method, error) {
	ids := in.Methods
	if ids == nil {
		ids = present
	}
	if len(ids) == 0 {
		return nil, fmt.Errorf("no methods to show")
	}
	list := make([]method, len(ids))
	for i, id := range ids {
		if slices.Contains(ids[:i], id) {
			return nil, fmt.Errorf("method %q is asked for twice", id)
		}
		list[i] = method{id, id}
		if l, ok := in.Labels[id]; ok {
			list[i].label = l
		}
		if err := ascii("label of method "+id, list[i].label); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// from refuses bins of another source than *source, and sets it if empty.
func (s series) from(source *string) error {
	for _, b := range s.bins {
		if *source == "" {
			*source = b.Source
		}
		if b.Source != *source {
			return fmt.Errorf("method %q: %s rows beside %s ones: one figure never mixes them", s.id, b.Source, *source)
		}
	}
	return nil
}

// series returns the bins of one method, checked and in order.
func (in Input) series(m method, binning string) (series, error) {
	s := series{method: m}
	seen := map[int]bool{}
	var others []string
	for _, b := range in.Bins {
		if b.Method != m.id {
			continue
		}
		if b.Binning != binning {
			if !slices.Contains(others, b.Binning) {
				others = append(others, b.Binning)
			}
			continue
		}
		if seen[b.Bin] {
			return s, fmt.Errorf("method %q, %s bin %d: two rows", m.id, binning, b.Bin)
		}
		seen[b.Bin] = true
		if err := checkBin(b); err != nil {
			return s, fmt.Errorf("method %q, %s bin %d: %w", m.id, binning, b.Bin, err)
		}
		if b.N > 0 {
			s.bins = append(s.bins, b)
			s.n += b.N
		}
	}
	switch {
	case len(seen) == 0 && others == nil:
		return s, fmt.Errorf("no rows of method %q in %s", m.id, cellName(in.Bins[0].Cell))
	case len(seen) == 0:
		return s, fmt.Errorf("method %q has no %s bins, only %s", m.id, binning, strings.Join(others, ", "))
	case s.n == 0:
		return s, fmt.Errorf("method %q: every %s bin is empty", m.id, binning)
	}
	slices.SortFunc(s.bins, func(a, b results.Bin) int { return cmp.Compare(a.Bin, b.Bin) })
	return s, nil
}

// unit is false for NaN, which fails every comparison.
func unit(x float64) bool { return x >= 0 && x <= 1 }

// checkBin refuses what cannot be drawn.
func checkBin(b results.Bin) error {
	switch {
	case b.Source != measured && b.Source != simulated:
		return fmt.Errorf("source %q is neither %s nor %s", b.Source, measured, simulated)
	case b.N < 0:
		return fmt.Errorf("%d rows", b.N)
	case b.N == 0:
		return nil
	case !unit(b.Conf):
		return fmt.Errorf("confidence %v is not in [0, 1]", b.Conf)
	case !unit(b.Acc):
		return fmt.Errorf("accuracy %v is not in [0, 1]", b.Acc)
	case !unit(b.Lo) || !unit(b.Hi) || b.Lo > b.Hi:
		return fmt.Errorf("range %v to %v is not within [0, 1]", b.Lo, b.Hi)
	}
	return nil
}

// methodsOf returns the methods of bins in the order of their first row.
func methodsOf(bins []results.Bin) []string {
	var ids []string
	seen := map[string]bool{}
	for _, b := range bins {
		if !seen[b.Method] {
			seen[b.Method] = true
			ids = append(ids, b.Method)
		}
	}
	return ids
}

// cellName is the cell in errors, by its ids; the loss only where it is not ce.
func cellName(c results.Cell) string { return Input{}.cellName(c) }

// cellName is the cell as figures print it.
func (in Input) cellName(c results.Cell) string {
	name := in.name("dataset", c.Dataset) + " / " + in.name("backbone", c.Backbone)
	if c.Loss != "" && c.Loss != "ce" {
		name += " / " + in.name("loss", c.Loss)
	}
	if c.Corruption != "" {
		name += fmt.Sprintf(" / %s %d", in.name("corruption", c.Corruption), c.Severity)
	}
	return name
}

func (in Input) name(column, id string) string {
	if in.Name == nil {
		return id
	}
	return in.Name(column, id)
}

// ascii refuses text that the PDF font would garble.
func ascii(what, s string) error {
	for _, r := range s {
		if r < ' ' || r > '~' {
			return fmt.Errorf("%s, %q: figures hold printable ASCII only, %q would be garbled", what, s, r)
		}
	}
	return nil
}
