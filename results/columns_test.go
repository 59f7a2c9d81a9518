package results_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/qats-bench/qats/results"
	"github.com/qats-bench/qats/results/resultstest"
)

// TestSettingColumnsAreThoseOfTheFiles: they follow the experiment in the header, and
// Column returns the text of each field.
func TestSettingColumnsAreThoseOfTheFiles(t *testing.T) {
	cell := resultstest.Shifted(resultstest.Setting("e", "d", "b"), "fog", 3)
	path := filepath.Join(t.TempDir(), "results.csv")
	if err := results.WriteResults(path, []results.Record{resultstest.Value(cell, "ts", "ece", 0.5)}); err != nil {
		t.Fatal(err)
	}
	file, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	header, row, _ := bytes.Cut(file, []byte("\n"))
	columns := append([]string{"experiment"}, results.SettingColumns()...)
	var fields []string
	for _, name := range columns {
		fields = append(fields, cell.Column(name))
	}
	if !strings.HasPrefix(string(header), strings.Join(columns, ",")+",method,") {
		t.Errorf("columns %v, header %s", columns, header)
	}
	if !strings.HasPrefix(string(row), strings.Join(fields, ",")+",ts,") {
		t.Errorf("fields %v, row %s", fields, row)
	}
}

// TestFilterKeeps the rows that have a listed value in every named column.
func TestFilterKeeps(t *testing.T) {
	clean := results.Setting{Dataset: "d", Backbone: "b", Loss: "ce"}
	fog := results.Setting{Dataset: "d-c", Backbone: "b", Loss: "ce", Corruption: "fog", Severity: 3}
	for _, c := range []struct {
		filter results.Filter
		clean  bool
		fog    bool
	}{
		{nil, true, true},
		{results.Filter{"dataset": {"d", "e"}}, true, false},
		{results.Filter{"corruption": {""}}, true, false},
		{results.Filter{"severity": {"3"}, "method": {"ts"}}, false, true},
		{results.Filter{"method": {"qats"}}, false, false},
		{results.Filter{"loss": {}}, false, false},
	} {
		if got := c.filter.Keeps(clean, "ts"); got != c.clean {
			t.Errorf("%v keeps the clean setting: %v", c.filter, got)
		}
		if got := c.filter.Keeps(fog, "ts"); got != c.fog {
			t.Errorf("%v keeps the corrupted setting: %v", c.filter, got)
		}
	}
}
