package results

import (
	"bytes"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

// withFacts are rows of two settings: the facts of one are in every value of it.
func withFacts() *Rows {
	a, b := Setting{Experiment: "e", Dataset: "a", Backbone: "x", Loss: "ce"}, Setting{Experiment: "e", Dataset: "b", Backbone: "x", Loss: "ce"}
	facts := Notes{{Kind: From, Text: "networks"}, {Kind: Samples, Text: "cifar10"}, {Kind: RowIDs, Text: "7b01"}, {Kind: Paper}, {Kind: Arrays, Text: "kept"}}
	warned := append(facts[:len(facts):len(facts)], Note{Kind: Program})
	return &Rows{
		Settings: []SettingInfo{
			{Setting: a, DatasetLabel: "A, as in \"a\"", BackboneLabel: "X", Domain: "tables and signals", CalibrateOn: "c", Source: "measured", Kind: "probs", N: 7, K: 3, Notes: facts, Test: "logits sha256:1; labels sha256:2", Cal: "logits sha256:3"},
			{Setting: b}, // without arrays
		},
		Records: []Record{
			{Setting: a, Method: "ts", Metric: "ece", Value: .5, N: 7, Source: "measured", Status: OK, Note: facts, Key: "k1"},
			{Setting: a, Method: "ts", Metric: "nll", Value: .5, N: 7, Source: "measured", Status: OK, Note: facts},
			{Setting: a, Method: "vs", Metric: "ece", Value: .5, N: 7, Source: "measured", Status: OK, Note: warned, Key: "k2"},
			{Setting: a, Method: "gc", Metric: "ece", Source: "measured", Status: Skip, Note: Notes{{Kind: Missing, Lack: Lack{Arrays: "features"}}}},
			{Setting: b, Method: "ts", Metric: "ece", Status: Skip, Note: Because("no arrays")},
		},
	}
}

// What is known of a setting stands once in settings.csv, and the reader puts it back into the
// note of every value.
func TestFactsOfASettingStandOnce(t *testing.T) {
	dir, want := Folder(t.TempDir()), withFacts()
	if err := dir.Write(want); err != nil {
		t.Fatal(err)
	}
	got, err := dir.Read()
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(got.Settings, want.Settings) || !reflect.DeepEqual(got.Records, want.Records) {
		t.Errorf("%+v\nwant %+v", got, want)
	}
	text, err := os.ReadFile(dir.Path(ResultsFile))
	if err != nil {
		t.Fatal(err)
	}
	for line, note := range map[string]string{",ts,ece,0.5,": `,ok,,k1`, ",vs,ece,": `,ok,"[{""kind"":""program""}]",k2`, ",gc,ece,": `,skip,"[{""arrays"":""features"",""kind"":""missing""}]",`} {
		if at := strings.Index(string(text), line); at < 0 || !strings.HasSuffix(strings.SplitN(string(text)[at:], "\n", 2)[0], note) {
			t.Errorf("the line with %s does not end in %s:\n%s", line, note, text)
		}
	}
	text, err = os.ReadFile(dir.Path(SettingsFile))
	if err != nil {
		t.Fatal(err)
	}
	if want := `e,a,x,ce,,,,"A, as in ""a""",X,tables and signals,c,measured,probs,7,3,networks,cifar10,7b01,yes,,"[{""kind"":""arrays"",""text"":""kept""}]",logits sha256:1; labels sha256:2,logits sha256:3`; !strings.Contains(string(text), want+"\n") {
		t.Errorf("%s\nlacks %s", text, want)
	}
}

// A record whose note does not begin with the facts of its setting keeps all of it.
func TestNotesWithoutTheFactsStayAsTheyAre(t *testing.T) {
	dir, rows := Folder(t.TempDir()), withFacts()
	own := Notes{{Kind: From, Text: "others"}}
	rows.Records[0].Note = own
	if err := dir.Write(rows); err != nil {
		t.Fatal(err)
	}
	list, err := ReadResults(dir.Path(ResultsFile))
	if err != nil || !list[0].Note.Equal(own) || len(list[1].Note) != 0 {
		t.Errorf("%v, %v (%v)", list[0].Note, list[1].Note, err)
	}
}

func TestSettingsThatNoRunWrites(t *testing.T) {
	var b bytes.Buffer
	if err := settingsFormat.Write(&b, withFacts().Settings); err != nil {
		t.Fatal(err)
	}
	for old, c := range map[string][2]string{
		",yes,":      {",no,", `column paper: "no" is neither yes nor empty`},
		",measured,": {",made,", `column source: "made" is neither measured nor simulated`},
		",7,3,":      {",-7,3,", `column n: "-7" is not a whole number of at least 1`},
		"e,b,x":      {"e,a,x", "same identifiers"},
	} {
		path := filepath.Join(t.TempDir(), SettingsFile)
		if err := os.WriteFile(path, []byte(strings.Replace(b.String(), old, c[0], 1)), 0o666); err != nil {
			t.Fatal(err)
		}
		if _, err := ReadSettings(path); err == nil || !strings.Contains(err.Error(), c[1]) {
			t.Errorf("%s: %v, want %s", c[0], err, c[1])
		}
	}
}

// Of two names of one id the first counts, and an id without a name has none.
func TestSettingLabels(t *testing.T) {
	at := func(dataset, backbone string) Setting {
		return Setting{Experiment: "e", Dataset: dataset, Backbone: backbone, Loss: "ce"}
	}
	got := SettingLabels([]SettingInfo{{Setting: at("a", "x")}, {Setting: at("a", "x"), DatasetLabel: "A"}, {Setting: at("a", "y"), DatasetLabel: "Other", BackboneLabel: "Y"}})
	if len(got) != 2 || got["a"] != "A" || got["y"] != "Y" {
		t.Errorf("%v", got)
	}
}

// TestSettingsOfAnEarlierVersionSayHowToMakeThemAgain, where the file has no labels yet.
func TestSettingsOfAnEarlierVersionSayHowToMakeThemAgain(t *testing.T) {
	path := filepath.Join(t.TempDir(), SettingsFile)
	if err := os.WriteFile(path, []byte("experiment,dataset,backbone,loss,corruption,severity,variant,calibrate_on,source,kind,n,k,from,samples,row_ids,paper,stand_in,note,test,cal\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := ReadSettings(path); err == nil || !strings.Contains(err.Error(), "column dataset_label is missing: an earlier version of qats wrote this file; qats run SPEC --out OUT writes it again") {
		t.Error(err)
	}
}
