package results

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

func TestParametersAreWrittenAndReadBack(t *testing.T) {
	c := cell("cifar10", "resnet50")
	list := []Parameter{
		{Setting: c, Method: "qats", Name: "a", Value: 0, Bound: "a >= 0", Source: "measured"},
		{Setting: c, Method: "qats", Name: "b", Value: 1.25, Source: "simulated"},
		{Setting: c, Method: "hfe", Bound: "T <= 1000", Source: "measured"},
		{Setting: c, Method: "gc", Warning: `not converged, "after" 100 steps`, Source: "measured"},
	}
	want := `experiment,dataset,backbone,loss,corruption,severity,variant,method,parameter,value,bound,warning,source
standard,cifar10,resnet50,ce,,,,qats,a,0,a >= 0,,measured
standard,cifar10,resnet50,ce,,,,qats,b,1.25,,,simulated
standard,cifar10,resnet50,ce,,,,hfe,,,T <= 1000,,measured
standard,cifar10,resnet50,ce,,,,gc,,,,"not converged, ""after"" 100 steps",measured
`
	path := filepath.Join(t.TempDir(), "fits.csv")
	if err := WriteParameters(path, list); err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(path)
	if err != nil || string(got) != want {
		t.Errorf("%v, got\n%s\nwant\n%s", err, got, want)
	}
	back, err := ReadParameters(path)
	if err != nil || !reflect.DeepEqual(back, list) {
		t.Errorf("read back %v, %v", back, err)
	}
}

func TestParametersThatSayNothingAreRejected(t *testing.T) {
	c := cell("cifar10", "resnet50")
	for _, p := range []Parameter{
		{Setting: c, Method: "ts", Source: "measured"},
		{Setting: c, Method: "ts", Name: "T", Warning: "w", Source: "measured"},
		{Setting: c, Method: "ts", Bound: "T <= 10", Warning: "w", Source: "measured"},
		{Setting: c, Name: "T", Source: "measured"},
		{Setting: c, Method: "ts", Name: "T"},
	} {
		if err := WriteParameters(filepath.Join(t.TempDir(), "fits.csv"), []Parameter{p}); err == nil {
			t.Errorf("%+v is written", p)
		}
	}
	path := filepath.Join(t.TempDir(), "fits.csv")
	text := "experiment,dataset,backbone,loss,corruption,severity,variant,method,parameter,value,bound,warning,source\ne,d,b,ce,,,,ts,T,,,,measured\n"
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := ReadParameters(path); err == nil || !strings.Contains(err.Error(), "fits.csv:2") {
		t.Errorf("a parameter without a value: %v", err)
	}
}

// A fits.csv without the source, as earlier versions wrote it, is refused: a parameter of
// simulated arrays would read as a measured one.
func TestParametersWithoutTheirSourceAreRejected(t *testing.T) {
	path := filepath.Join(t.TempDir(), "fits.csv")
	text := "experiment,dataset,backbone,loss,corruption,severity,variant,method,parameter,value,bound,warning\ne,d,b,ce,,,,ts,T,2,,\n"
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	_, err := ReadParameters(path)
	if want := path + ":1: column source is missing: an earlier version of qats wrote this file; qats run SPEC --out OUT writes it again"; err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
}

func TestRunIsWrittenAndReadBack(t *testing.T) {
	dir := Folder(t.TempDir())
	path := dir.Path(RunFile)
	want := Run{Format: 3, Version: "v1", Command: "qats run <a>.yaml --out OUT", Keys: KeysDigest(sampleRecords()), Counts: RunCounts{Settings: 1, Cells: 2},
		Specs: []RunSpec{{Name: "standard", File: "a.yaml", Text: "name: standard\n", Data: []string{"arrays"}, Metrics: []string{"ece"}}}}
	if err := dir.WriteRun(want); err != nil {
		t.Fatal(err)
	}
	got, err := dir.ReadRun()
	if err != nil || !reflect.DeepEqual(*got, want) {
		t.Errorf("%+v, %v, want %+v", got, err, want)
	}
	text, _ := os.ReadFile(path)
	if err := os.WriteFile(path, []byte(strings.Replace(string(text), `"qats_run": 3`, `"qats_run": 2`, 1)), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := dir.ReadRun(); err == nil || !strings.Contains(err.Error(), "qats run SPEC --out OUT writes the folder again, from the store without a fit") {
		t.Errorf("another format: %v", err)
	}
}

// TestKeysDigestDependsOnKeysAndOrder: and on nothing else of the records.
func TestKeysDigestDependsOnKeysAndOrder(t *testing.T) {
	a, b := Record{Key: "a", Value: 1}, Record{Key: "b"}
	digest := KeysDigest([]Record{a, b})
	if digest == KeysDigest([]Record{b, a}) || digest == KeysDigest([]Record{a}) || digest == KeysDigest([]Record{{Key: "ab"}, {}}) {
		t.Error("other keys have the same digest")
	}
	a.Value, a.Note = 2, Because("note")
	if digest != KeysDigest([]Record{a, b}) {
		t.Error("the digest depends on more than the keys")
	}
}

// TestRowsThatAreNotOfTheRunAreNamed: a file that lost or gained rows, and a
// results.csv of another run. Without run.json the CSV files are enough, and a
// run.json that does not count rows is compared by its keys.
func TestRowsThatAreNotOfTheRunAreNamed(t *testing.T) {
	records := []Record{{Key: "a"}, {Key: "b"}, {Key: "c"}}
	bins, pairs := make([]Bin, 5), make([]Pair, 2)
	dir := t.TempDir()
	if err := Folder(dir).check(nil, KeysDigest(records[:1]), RunRows{Results: 1, Bins: 5, Pairs: 2}); err != nil {
		t.Errorf("no run.json: %v", err)
	}
	run := Run{Keys: KeysDigest(records), Rows: RunRows{Results: 3, Bins: 5, Pairs: 2}}
	path := filepath.Join(dir, "run.json")
	other := []Record{{Key: "a"}, {Key: "b"}, {Key: "d"}}
	for _, c := range []struct {
		counted bool
		records []Record
		bins    []Bin
		pairs   []Pair
		want    string // no error if empty
	}{
		{true, records, bins, pairs, ""},
		{true, records, nil, pairs, "bins.csv: 0 rows, but"},
		{true, records, bins, nil, "pairs.csv: 0 rows, but"},
		{true, records[:2], bins, pairs, "results.csv: 2 rows, but the run that " + path + " describes wrote 3; run again, or remove run.json"},
		{true, nil, bins, pairs, "results.csv: 0 rows"},
		{true, records, bins[:4], pairs, "bins.csv: 4 rows, but"},
		{true, records, bins, append(pairs, Pair{}), "pairs.csv: 3 rows, but"},
		{true, other, bins, pairs, "results.csv: does not belong to the run that " + path + " describes"},
		{false, records, bins[:4], pairs, ""},
		{false, records[:2], bins, pairs, "results.csv: does not belong"},
	} {
		r := run
		if !c.counted {
			r.Rows = RunRows{}
		}
		err := Folder(dir).check(&r, KeysDigest(c.records), RunRows{Results: len(c.records), Bins: len(c.bins), Pairs: len(c.pairs)})
		switch {
		case c.want == "" && err != nil:
			t.Errorf("%d, %d and %d rows: %v", len(c.records), len(c.bins), len(c.pairs), err)
		case c.want != "" && (err == nil || !strings.HasPrefix(err.Error(), dir) || !strings.Contains(err.Error(), c.want)):
			t.Errorf("%d, %d and %d rows: %v, want %s", len(c.records), len(c.bins), len(c.pairs), err, c.want)
		}
	}
	if err := os.WriteFile(path, []byte("{"), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := Folder(dir).ReadRun(); err == nil || !strings.Contains(err.Error(), "run.json: ") {
		t.Errorf("half a run.json: %v", err)
	}
}
