package results

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestEntryIsReadAsWritten: the numbers are those of the records to nine digits, an absent one is a
// skip, and the same records give the same bytes.
func TestEntryIsReadAsWritten(t *testing.T) {
	at := Setting{Experiment: "v1-lite", Dataset: "letter", Backbone: "mlp", Loss: "ce"}
	other := at
	other.Backbone = "lightgbm"
	records := []Record{
		{Setting: at, Method: "mine", Metric: "ece", Value: 1. / 3, N: 5000, Source: "measured", Status: OK},
		{Setting: at, Method: "mine", Metric: "nll", Status: Skip, Note: Because("a top-label method")},
		{Setting: at, Method: "ts", Metric: "ece", Value: .5, N: 5000, Source: "measured", Status: OK},
		{Setting: at, Method: "mine", Metric: "phi", Value: .5, N: 5000, Source: "measured", Status: OK},
		{Setting: other, Method: "mine", Metric: "ece", Status: Fail, Note: Because("it ended")},
	}
	path := filepath.Join(t.TempDir(), "results.csv")
	if err := WriteEntry(path, []string{"ece", "nll"}, records); err != nil {
		t.Fatal(err)
	}
	const want = "experiment,dataset,backbone,loss,corruption,severity,variant,method,n,ece,nll\n" +
		"v1-lite,letter,mlp,ce,,,,mine,5000,0.333333333,\n" +
		"v1-lite,letter,mlp,ce,,,,ts,5000,0.5,\n" +
		"v1-lite,letter,lightgbm,ce,,,,mine,,,\n"
	if got, _ := os.ReadFile(path); string(got) != want {
		t.Errorf("%s", got)
	}
	got, err := ReadEntry(path, []string{"ece", "nll"})
	if err != nil || len(got) != 6 || got[0].Value != .333333333 || got[0].N != 5000 || got[1].Status != Skip || got[2].Method != "ts" || got[4].Status != Skip || got[5].Setting != other {
		t.Errorf("%v %v", got, err)
	}
}

// TestEntryRejects what no run writes, with file, line and column.
func TestEntryRejects(t *testing.T) {
	const head = "experiment,dataset,backbone,loss,corruption,severity,variant,method,n,ece,nll\n"
	for text, want := range map[string]string{
		"": ":1: empty file",
		"experiment,dataset,backbone,loss,corruption,severity,variant,method,n,ece\n": ":1: column nll is missing",
		head + "v1-lite,letter,mlp,ce,,,,mine,5000,3.2,1\n":                           ":2: column ece",
		head + "v1-lite,letter,mlp,ce,,,,mine,5000,1e999,1\n":                         ":2: column ece",
		head + "v1-lite,letter,mlp,ce,,,,mine,5000,.1,NaN\n":                          ":2: column nll",
		head + "v1-lite,letter,mlp,ce,,,,mine,,.1,\n":                                 ":2: column n: a value over no rows",
		head + strings.Repeat("v1-lite,letter,mlp,ce,,,,mine,5000,.1,1\n", 2):         ":3: the same identifiers as line 2",
	} {
		path := filepath.Join(t.TempDir(), "results.csv")
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		if _, err := ReadEntry(path, []string{"ece", "nll"}); err == nil || !strings.Contains(err.Error(), path+want) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}
