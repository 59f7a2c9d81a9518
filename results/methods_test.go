package results

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

// TestMethodsAreWrittenAndReadBack: with labels that have commas and quotes, and without
// any options.
func TestMethodsAreWrittenAndReadBack(t *testing.T) {
	path := filepath.Join(t.TempDir(), MethodsFile)
	want := []MethodInfo{
		{Experiment: "e", Method: "hfe-target", Label: "HFE, \"target\"", Registered: "hfe-target", Version: 3, Source: OfQats, Sees: []string{"features", "ood", Target}, Predicts: Changes},
		{Experiment: "e", Method: "mine", Label: "Mine", Registered: "served", Version: 1, Options: `{"a":[1,2],"b":"x"}`, Source: OfProgram, Sees: []string{}},
	}
	if err := methodsFormat.WriteFile(path, want); err != nil {
		t.Fatal(err)
	}
	got, err := ReadMethods(path)
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, %v, want %+v", got, err, want)
	}
	if got := Targets(want); !reflect.DeepEqual(got, []string{"hfe-target"}) {
		t.Errorf("targets %v", got)
	}
}

// TestMethodsAreChecked: an error names the line and the column.
func TestMethodsAreChecked(t *testing.T) {
	const head = "experiment,method,label,registered,version,options,source,sees,predicts\n"
	for row, want := range map[string]string{
		"e,ts,TS,ts,1,{a: 1},qats,,\n":                 "options",
		"e,ts,TS,ts,1,,published,,\n":                  "neither qats nor external",
		"e,ts,TS,ts,1,,qats,,\ne,ts,TS,ts,1,,qats,,\n": "3",
		"e,ts,TS,ts,1,,qats,,all\n":                    "predicts",
		"e,,TS,ts,1,,qats,,\n":                         "method",
	} {
		path := filepath.Join(t.TempDir(), MethodsFile)
		if err := os.WriteFile(path, []byte(head+row), 0o666); err != nil {
			t.Fatal(err)
		}
		if _, err := ReadMethods(path); err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), path+":") {
			t.Errorf("%q: %v", row, err)
		}
	}
}

// TestTheFirstExperimentDecidesALabel where two give one.
func TestTheFirstExperimentDecidesALabel(t *testing.T) {
	got := Labels([]MethodInfo{{Experiment: "a", Method: "ts"}, {Experiment: "b", Method: "ts", Label: "TS"}, {Experiment: "c", Method: "ts", Label: "Other"}})
	if want := map[string]string{"ts": "TS"}; !reflect.DeepEqual(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

// TestAMissingFileOfARunIsNamed with what makes it again.
func TestAMissingFileOfARunIsNamed(t *testing.T) {
	dir := Folder(t.TempDir())
	rows := &Rows{Records: sampleRecords(), Methods: []MethodInfo{{Experiment: "e", Method: "ts", Label: "TS", Registered: "ts", Version: 1, Source: OfQats}}}
	if err := dir.Write(rows); err != nil {
		t.Fatal(err)
	}
	if err := dir.WriteRun(Run{Keys: KeysDigest(rows.Records), Rows: rows.Count()}); err != nil {
		t.Fatal(err)
	}
	if _, err := dir.Read(); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(dir.Path(MethodsFile)); err != nil {
		t.Fatal(err)
	}
	if _, err := dir.Read(); err == nil || !strings.Contains(err.Error(), "no methods.csv in ") || !strings.Contains(err.Error(), "qats run SPEC --out ") {
		t.Error(err)
	}
	if err := os.Remove(dir.Path(PairsFile)); err != nil {
		t.Fatal(err)
	}
	if _, err := dir.Read(PairsFile); err == nil || !strings.Contains(err.Error(), "no pairs.csv in ") {
		t.Error(err)
	}
}
