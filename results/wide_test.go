package results

import (
	"os"
	"path/filepath"
	"testing"
)

func TestWideHasARowForEachSettingAndMethod(t *testing.T) {
	cell := func(backbone string) Setting {
		return Setting{Experiment: "e", Dataset: "d", Backbone: backbone, Loss: "ce"}
	}
	record := func(backbone, method, metric string, value float64) Record {
		return Record{Setting: cell(backbone), Method: method, Metric: metric, Value: value, N: 10, Source: "measured", Status: OK}
	}
	shifted := record("y", "ts", "ece", .25)
	shifted.Corruption, shifted.Severity = "fog", 3
	skipped := Record{Setting: cell("x"), Method: "gc, or \"so\"", Metric: "ece", Status: Skip, Note: "no features"}
	path := filepath.Join(t.TempDir(), "wide.csv")
	if err := WriteWide(path, []Record{record("x", "ts", "ece", .1), record("x", "ts", "nll", 1.5), skipped, record("x", "qats", "nll", 2), shifted}); err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	want := `experiment,dataset,backbone,loss,corruption,severity,method,source,ece,nll
e,d,x,ce,,,ts,measured,0.1,1.5
e,d,x,ce,,,"gc, or ""so""",,,
e,d,x,ce,,,qats,measured,,2
e,d,y,ce,fog,3,ts,measured,0.25,
`
	if string(got) != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
}
