package main

import (
	"encoding/csv"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/qats-bench/qats/internal/atomicfile"
)

// ID names a number. Against is empty for what is said of one method, and Method for what is
// said of the settings.
type ID struct {
	Run      string // name in runs
	Part     string // of the settings of the run, by its name in runs, or one network
	Method   string
	Against  string
	Metric   string
	Quantity string // such as mean, win, p
}

func (id ID) fields() []string {
	return []string{id.Run, id.Part, id.Method, id.Against, id.Metric, id.Quantity}
}

func (id ID) String() string { return strings.Join(id.fields(), ",") }

// Facts are the measured numbers of the documents. Values are in the unit of the metric; counts
// are whole numbers. A number that does not exist, such as an interval over four blocks, is absent.
type Facts map[ID]float64

var factsHeader = []string{"run", "part", "method", "against", "metric", "quantity", "value"}

func factsPath(top string) string { return filepath.Join(top, "results", "shown", "facts.csv") }

// readFacts reads facts.csv.
func readFacts(path string) (Facts, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	r := csv.NewReader(f)
	facts := Facts{}
	for {
		row, err := r.Read()
		line, _ := r.FieldPos(0)
		switch {
		case err == io.EOF:
			return facts, nil
		case err != nil:
			return nil, fmt.Errorf("%s: %w", path, err)
		case line == 1:
			if !slices.Equal(row, factsHeader) {
				return nil, fmt.Errorf("%s:1: the columns are %v, want %v", path, row, factsHeader)
			}
			continue
		}
		id := ID{row[0], row[1], row[2], row[3], row[4], row[5]}
		value, err := strconv.ParseFloat(row[6], 64)
		if err != nil {
			return nil, fmt.Errorf("%s:%d: %w", path, line, err)
		}
		if _, twice := facts[id]; twice {
			return nil, fmt.Errorf("%s:%d: %s stands twice", path, line, id)
		}
		facts[id] = value
	}
}

// write writes facts.csv, sorted by its columns.
func (f Facts) write(path string) error {
	ids := make([]ID, 0, len(f))
	for id := range f {
		ids = append(ids, id)
	}
	slices.SortFunc(ids, func(a, b ID) int { return slices.Compare(a.fields(), b.fields()) })
	var b strings.Builder
	w := csv.NewWriter(&b)
	w.Write(factsHeader)
	for _, id := range ids {
		w.Write(append(id.fields(), strconv.FormatFloat(f[id], 'g', 6, 64)))
	}
	w.Flush()
	return atomicfile.WriteBytes(path, []byte(b.String()))
}

// drop removes the facts of a run.
func (f Facts) drop(run string) {
	for id := range f {
		if id.Run == run {
			delete(f, id)
		}
	}
}
