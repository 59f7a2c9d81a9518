package page

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/qats-bench/qats/results"
)

// TestClassesHaveATableOfEachSetting: a row is a class, a column a method, the last row their mean.
// Names of classes stay text, and a page without classes has no such section.
func TestClassesHaveATableOfEachSetting(t *testing.T) {
	f := folder()
	if strings.Contains(write(t, f), `id="classes"`) {
		t.Error("a folder without classes.csv has a section of classes")
	}
	at := f.Records[0].Setting
	for i, m := range []string{"uncal", "ts"} {
		for j, name := range []string{"sky", hostile, ""} {
			f.Classes = append(f.Classes, results.Class{Setting: at, Method: m, Class: 4 + j, Name: name, N: 100 * j, Freq: .25 * float64(j), Conf: .5, ECE: .01 * float64(1+i+j), Source: "measured"})
		}
	}
	f.Classes = f.Classes[:5] // ts lacks the last class
	page := write(t, f)
	if strings.Contains(page, hostile) || !strings.Contains(page, `<a href="#classes">Classes</a>`) || !strings.Contains(page, "pairs.csv, classes.csv") {
		t.Error("the section of classes is not as it should be")
	}
	list, left := classesOf(f, complete(f, Options{}))
	want := []classRow{
		{"sky", "0", "0.00", []string{"1.00", "2.00"}},
		{hostile, "100", "25.00", []string{"2.00", "3.00"}},
		{"6", "200", "50.00", []string{"3.00", "–"}},
		{"mean", "", "", []string{"2.00", "2.50"}},
	}
	if len(list) != 1 || left != 0 || !slices.EqualFunc(list[0].Rows, want, func(a, b classRow) bool { return fmt.Sprint(a) == fmt.Sprint(b) }) || !slices.Equal(list[0].Methods, []string{"Uncal", "TS"}) {
		t.Errorf("%+v", list)
	}
}

// TestManyClassesAreNotAllOnThePage: those with most rows are, and the mean is over all; so are
// the first settings.
func TestManyClassesAreNotAllOnThePage(t *testing.T) {
	f := folder()
	for s := range mostClassTables + 2 {
		at := f.Records[0].Setting
		at.Backbone = fmt.Sprintf("net%d", s)
		classes := 3
		if s == 0 {
			classes = mostClasses + 20
		}
		for j := range classes {
			f.Classes = append(f.Classes, results.Class{Setting: at, Method: "ts", Class: j, N: j, Freq: .001 * float64(j), ECE: .5 * float64(j%2), Source: "measured"})
		}
	}
	list, left := classesOf(f, complete(f, Options{}))
	if len(list) != mostClassTables || left != 2 {
		t.Fatalf("%d tables and %d left", len(list), left)
	}
	rows := list[0].Rows
	if len(rows) != mostClasses+1 || rows[0].Class != fmt.Sprint(mostClasses+19) || rows[mostClasses].ECE[0] != "25.00" || !strings.Contains(list[0].Note, "100 classes with most rows, of 120") {
		t.Errorf("%d rows, the first of %s, mean %s; %s", len(rows), rows[0].Class, rows[len(rows)-1].ECE, list[0].Note)
	}
	if !strings.Contains(write(t, f), "2 more settings are in classes.csv.") {
		t.Error("the page does not say how many settings it leaves out")
	}
}

// TestSettingsHaveTheNamesOfSettingsCSV: in lists and above tables of classes.
func TestSettingsHaveTheNamesOfSettingsCSV(t *testing.T) {
	f := rankings()
	f.Settings = []results.SettingInfo{{Setting: f.Records[0].Setting, DatasetLabel: "Set A", BackboneLabel: "Net (w8)"}}
	f.Classes = []results.Class{{Setting: f.Records[0].Setting, Method: "m0", N: 5, Source: "measured"}}
	if got := pack(f, func(m string) string { return m }).Settings[0].Print; got != "Set A, Net (w8)" {
		t.Errorf("%q", got)
	}
	if list, _ := classesOf(f, Options{}); len(list) != 1 || list[0].Title != "Set A, Net (w8)" {
		t.Errorf("%+v", list)
	}
}
