package results

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
)

// TestClassesAreCheckedAsTheyAreRead, with the line and the column of a fault.
func TestClassesAreCheckedAsTheyAreRead(t *testing.T) {
	at := Setting{Experiment: "e", Dataset: "d", Backbone: "b", Loss: "ce"}
	list := []Class{
		{Setting: at, Method: "ts", Class: 0, Name: `a, "b"`, N: 3, Freq: .25, Conf: .2, ECE: .0625, Source: "measured"},
		{Setting: at, Method: "ts", Class: 12, Conf: .5, ECE: .5, Source: "simulated"},
	}
	var b bytes.Buffer
	if err := classesFormat.Write(&b, list); err != nil {
		t.Fatal(err)
	}
	text := b.String()
	if want := "experiment,dataset,backbone,loss,corruption,severity,variant,method,class,name,n,freq,conf,ece,source\n" +
		"e,d,b,ce,,,,ts,0,\"a, \"\"b\"\"\",3,0.25,0.2,0.0625,measured\ne,d,b,ce,,,,ts,12,,0,0,0.5,0.5,simulated\n"; text != want {
		t.Errorf("%s, want %s", text, want)
	}
	back, err := classesFormat.Read(strings.NewReader(text), "classes.csv")
	if err != nil || fmt.Sprint(back) != fmt.Sprint(list) || back[0].Label() != `a, "b"` || back[1].Label() != "12" {
		t.Errorf("%v, %v", back, err)
	}
	for _, c := range [][3]string{
		{",0.0625,", ",6.25,", "classes.csv:2: column ece: "},
		{",3,0.25", ",3,0", "classes.csv:2: column freq: 0, and n is 3"},
		{",12,,", ",-1,,", "classes.csv:3: column class: "},
		{"ts,12", "ts,0", "classes.csv:3: "},
		{"simulated", "guessed", "classes.csv:3: column source: "},
		{"conf", "mean", "classes.csv:1: "},
	} {
		if _, err := classesFormat.Read(strings.NewReader(strings.Replace(text, c[0], c[1], 1)), "classes.csv"); err == nil || !strings.HasPrefix(err.Error(), c[2]) {
			t.Errorf("%s for %s: %v, want %s", c[1], c[0], err, c[2])
		}
	}
}

// TestRowsOfClassesAreCountedInTheRun: a file that lost rows is an error.
func TestRowsOfClassesAreCountedInTheRun(t *testing.T) {
	dir := Folder(t.TempDir())
	records := sampleRecords()
	class := Class{Setting: records[0].Setting, Method: "ts", N: 1, Freq: 1, Conf: 1, Source: "measured"}
	if err := dir.Write(&Rows{Records: records, Classes: []Class{class}}); err != nil {
		t.Fatal(err)
	}
	if err := dir.WriteRun(Run{Keys: KeysDigest(records), Rows: RunRows{Results: len(records), Classes: 1}}); err != nil {
		t.Fatal(err)
	}
	rows, err := dir.Read(ClassesFile)
	if err != nil || len(rows.Classes) != 1 || rows.Classes[0] != class {
		t.Fatalf("%v, %v", rows, err)
	}
	if err := classesFormat.WriteFile(dir.Path(ClassesFile), nil); err != nil {
		t.Fatal(err)
	}
	if _, err := dir.Read(); err == nil || !strings.Contains(err.Error(), "classes.csv: 0 rows, but the run that ") {
		t.Error(err)
	}
}
