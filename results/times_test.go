package results

import (
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
)

func fitted(method string, seconds float64, known bool) Time {
	return Time{Setting: Setting{Experiment: "e", Dataset: "d", Backbone: "b", Loss: "ce"}, Method: method, Source: "measured",
		Seconds: seconds, Known: known, Instructions: "avx2"}
}

// TestTimesAreReadAsTheyAreWritten: also the ones that were not measured, and 0.
func TestTimesAreReadAsTheyAreWritten(t *testing.T) {
	path := filepath.Join(t.TempDir(), "times.csv")
	ts := fitted("ts", 0.000349, true)
	ts.Rows, ts.Classes, ts.Processor, ts.Instructions = 5000, 10, "Some CPU, 3 GHz", "avx2"
	list := []Time{ts, fitted("uncal", 0, true), fitted("vs", 0, false)}
	if err := WriteTimes(path, list); err != nil {
		t.Fatal(err)
	}
	text, _ := os.ReadFile(path)
	const want = `experiment,dataset,backbone,loss,corruption,severity,variant,method,source,seconds,rows,classes,processor,instructions
e,d,b,ce,,,,ts,measured,0.000349,5000,10,"Some CPU, 3 GHz",avx2
e,d,b,ce,,,,uncal,measured,0,,,,avx2
e,d,b,ce,,,,vs,measured,,,,,avx2
`
	if string(text) != want {
		t.Errorf("%s, want %s", text, want)
	}
	if got, err := ReadTimes(path); err != nil || !slices.Equal(got, list) {
		t.Errorf("%+v, %v", got, err)
	}
	if err := WriteTimes(path, []Time{fitted("ts", -1, true)}); err == nil || !strings.Contains(err.Error(), "column seconds: -1 is outside [0, ") {
		t.Errorf("a time below 0: %v", err)
	}
}

// TestTimesOfExternalPrograms say in a note that they include the start of a program.
func TestTimesOfExternalPrograms(t *testing.T) {
	at := fitted("mine", 2, true)
	at.Instructions = ""
	record := Record{Setting: at.Setting, Method: "mine", Metric: "ece", Value: .5, N: 7, Source: "measured", Status: OK, Note: noted(`[{"kind":"from","text":"a"}]`)}
	got := TimeRecords([]Time{at}, []Record{record})
	if text := got[0].Note.String(); text != "from: a; the time includes the start of an external program" {
		t.Error(text)
	}
	if len(record.Note) != 1 {
		t.Error("the record of the metric has the note too")
	}
}

// TestTimesAsRecords: one for each cell, with the note of its first value; a skip without
// a time; the reason of a cell without values.
func TestTimesAsRecords(t *testing.T) {
	at := fitted("ts", 0, true).Setting
	record := func(method, metric string, status Status) Record {
		return Record{Setting: at, Method: method, Metric: metric, Value: .5, N: 7, Source: "measured", Status: status, Note: noted(`[{"kind":"from","text":"a"}]`), Key: "k"}
	}
	records := []Record{record("ts", "ece", OK), record("ts", "nll", OK), record("vs", "ece", OK), record("gc", "ece", Skip),
		record("ir-top", "nll", Skip), record("ir-top", "ece", OK), record("ir-top", "aece", OK)}
	got := TimeRecords([]Time{fitted("ts", .25, true), fitted("vs", 0, false), fitted("gc", 1, true), fitted("ir-top", .5, true)}, records)
	want := []Record{
		{Setting: at, Method: "ts", Metric: "time", Value: .25, N: 7, Source: "measured", Status: OK, Note: noted(`[{"kind":"from","text":"a"}]`)},
		{Setting: at, Method: "vs", Metric: "time", Source: "measured", Status: Skip, Note: noted(`[{"kind":"no-time"}]`)},
		{Setting: at, Method: "gc", Metric: "time", Value: .5, N: 7, Source: "measured", Status: Skip, Note: noted(`[{"kind":"from","text":"a"}]`)},
		{Setting: at, Method: "ir-top", Metric: "time", Value: .5, N: 7, Source: "measured", Status: OK, Note: noted(`[{"kind":"from","text":"a"}]`)},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, want %+v", got, want)
	}
}

func TestSignificantHasThreeDigits(t *testing.T) {
	for x, want := range map[float64]string{0.000349: "0.000349", 0.31: "0.310", 1: "1.00", 9.996: "10.00", 12.34: "12.3", 1234.5: "1234", 1e-15: "0.000000000000", 0: "0.00"} {
		if got := Significant(x); got != want {
			t.Errorf("Significant(%v) = %s, want %s", x, got, want)
		}
	}
}

// A cell keeps source, rows and note of its first value or, without a value, of its first
// record; later cells are kept too.
func TestTimesKeepTheFirstValueOfACell(t *testing.T) {
	at := fitted("ts", 0, true).Setting
	record := func(method, note string, status Status) Record {
		return Record{Setting: at, Method: method, Metric: "ece", Source: "measured", Status: status, Note: Because(note)}
	}
	got := TimeRecords([]Time{fitted("a", 1, true), fitted("c", 3, true)}, []Record{
		record("a", "first", Fail), record("a", "second", OK), record("a", "third", OK), record("a", "fourth", Fail),
		record("b", "first", Fail), record("b", "second", Skip), record("c", "first", OK),
	})
	var notes []string
	for _, r := range got {
		notes = append(notes, r.Method+" "+r.Note.String())
	}
	if want := []string{"a second", "b first", "c first"}; !slices.Equal(notes, want) {
		t.Errorf("%q, want %q", notes, want)
	}
}
