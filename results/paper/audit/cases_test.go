package audit

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/qats-bench/qats/results/paper"
)

// found returns the findings of a kind in printed numbers, given as lines
// "table,metric,dataset,corruption,severity,backbone,method,value,mark,delta".
func found(t *testing.T, kind Kind, lines ...string) []Problem {
	t.Helper()
	const header = "table,metric,dataset,corruption,severity,backbone,method,value,mark,delta\n"
	list, err := paper.Decode(strings.NewReader(header+strings.Join(lines, "\n")+"\n"), "test")
	if err != nil {
		t.Fatal(err)
	}
	return ofKind(kind, Run(list))
}

// expect compares "row, column: printed" of the findings of a kind.
func expect(t *testing.T, name string, got []Problem, want ...string) {
	t.Helper()
	var list []string
	for _, f := range got {
		list = append(list, f.Row+", "+f.Column+": "+f.Printed)
	}
	if !slices.Equal(list, want) {
		t.Errorf("%s: %q, want %q", name, list, want)
	}
}

// A mean is compared if all its entries are printed, up to a difference of 0.01.
func TestMeansOfPrintedEntries(t *testing.T) {
	entries := []string{
		"medical-full,ece,ham10000,,,resnet50,TS,2.00,,", "medical-full,ece,ham10000,,,resnet50,QaTS,1.00,bold,",
		"medical-full,ece,pathmnist,,,resnet50,TS,3.00,,", "medical-full,ece,pathmnist,,,resnet50,QaTS,1.00,bold,",
	}
	average := func(ts, qats string) []string {
		return []string{"medical,ece,average,,,resnet50,TS," + ts + ",,", "medical,ece,average,,,resnet50,QaTS," + qats + ",bold,"}
	}
	for _, ts := range []string{"2.49", "2.51"} {
		expect(t, "a mean off by 0.01", found(t, Mean, append(average(ts, "1.00"), entries...)...))
	}
	if got := found(t, Mean, append(average("2.52", "1.02"), entries...)...); len(got) != 2 || got[0].Printed != "2.52" || got[1].Printed != "1.02" {
		t.Errorf("means off by 0.02: %+v", got)
	}
	if got := found(t, Mean, append(average("2.52", "1.02"), slices.Delete(entries, 2, 3)...)...); len(got) != 1 || got[0].Printed != "1.02" {
		t.Errorf("an entry less: %+v", got)
	}
}

// ECE and AECE are compared in every row that has both.
func TestEveryRowWithAECEIsCompared(t *testing.T) {
	got := found(t, OneFit,
		"standard,ece,cifar10,,,resnet18,TS,9.00,,", // has no AECE
		"standard,ece,cifar10,,,resnet50,TS,9.00,,", "standard,ece,cifar10,,,resnet50,IR,4.99,,",
		"standard-aece,aece,cifar10,,,resnet50,TS,2.00,,", "standard-aece,aece,cifar10,,,resnet50,IR,9.00,,")
	if len(got) != 2 || got[0].Note != "" || !strings.HasPrefix(got[1].Note, "AECE is the larger one") {
		t.Errorf("%+v", got)
	}
}

// A clean set is compared with the first of the nearest corrupted sets, above 3 points.
func TestNearestCorruptedSet(t *testing.T) {
	lines := func(snow string) []string {
		return []string{
			"standard,ece,cifar100,,,vit-b16,Uncal,5.00,,", "standard,ece,cifar100,,,vit-b16,TS,1.00,,",
			"shift-full,ece,cifar100-c,fog,1,vit-b16,TS,9.00,,", // without Uncal
			"shift-full,ece,cifar100-c,average,1,vit-b16,Uncal,5.00,,", "shift-full,ece,cifar100-c,average,1,vit-b16,TS,9.00,,",
			"shift-full,ece,cifar100-c,frost,1,vit-b16,Uncal,5.20,,", "shift-full,ece,cifar100-c,frost,1,vit-b16,TS,9.00,,",
			"shift-full,ece,cifar100-c,snow,1,vit-b16,Uncal,5.10,,", "shift-full,ece,cifar100-c,snow,1,vit-b16,TS," + snow + ",,",
			"shift-full,ece,cifar100-c,brightness,1,vit-b16,Uncal,4.90,,", "shift-full,ece,cifar100-c,brightness,1,vit-b16,TS,9.00,,",
		}
	}
	if got := found(t, TwoFits, lines("4.00")...); len(got) != 0 {
		t.Errorf("3 points: %+v", got)
	}
	if got := found(t, TwoFits, lines("4.01")...); len(got) != 1 || got[0].Printed != "4.01, clean 1.00" {
		t.Errorf("above 3 points: %+v", got)
	}
}

// Captions are compared with tables that are there.
func TestCaptionsOfAbsentTables(t *testing.T) {
	if got := found(t, Caption, "standard,ece,cifar10,,,resnet50,TS,2.00,,"); len(got) != 0 {
		t.Errorf("without the tables: %+v", got)
	}
	var ten []string
	for i := range 10 {
		ten = append(ten, fmt.Sprintf("medical-full,ece,set%d,,,resnet50,TS,2.00,,", i))
	}
	ten = append(ten, "shift-full,ece,cifar100-c,gaussian_blur,1,vit-b16,TS,9.00,,")
	if got := found(t, Caption, ten...); len(got) != 0 {
		t.Errorf("tables as the captions say: %+v", got)
	}
	if got := found(t, Caption, ten[:9]...); len(got) != 1 || got[0].Recomputed != "9" {
		t.Errorf("9 datasets: %+v", got)
	}
}

// Equal second numbers are all underlined; of equal other numbers a gap names the first; a
// row of QaTS alone has no gap.
func TestMarksAndGapsOfTies(t *testing.T) {
	lines := []string{
		"standard,ece,cifar10,,,resnet18,QaTS,1.20,bold,-9.00",
		"standard,ece,cifar10,,,resnet50,TS,1.50,underline,", "standard,ece,cifar10,,,resnet50,IR,1.50,underline,", "standard,ece,cifar10,,,resnet50,QaTS,1.20,bold,-0.40",
	}
	for _, order := range [][]string{lines, {lines[0], lines[3], lines[1], lines[2]}} {
		if got := found(t, SecondMark, order...); len(got) != 0 {
			t.Errorf("marks: %+v", got)
		}
	}
	if got := found(t, Gap, lines...); len(got) != 1 || got[0].Recomputed != "-0.30" || !strings.HasSuffix(got[0].Note, "lowest other TS 1.50") {
		t.Errorf("gaps: %+v", got)
	}
}

// Columns of one method are equal in three networks or more, on two datasets. Two networks
// are equal in both metrics. Equal networks have one AECE.
func TestRepeatedColumnsAndNetworks(t *testing.T) {
	column := func(table, metric, dataset, label string, values ...string) (lines []string) {
		for i, v := range values {
			lines = append(lines, fmt.Sprintf("%s,%s,%s,,,%s,%s,%s,,", table, metric, dataset, []string{"resnet50", "resnet18", "vit-b16", "densenet121"}[i], label, v))
		}
		return lines
	}
	ece := func(dataset, label string, values ...string) []string {
		return column("standard", "ece", dataset, label, values...)
	}
	aece := func(dataset, label string, values ...string) []string {
		return column("standard-aece", "aece", dataset, label, values...)
	}
	skipped := "standard,ece,average,,,resnet50,TS,1.00,,"
	first := ece("cifar10", "TS", "1.00", "2.00", "3.00", "4.00")
	for _, c := range []struct {
		name   string
		second []string
		want   int
	}{
		{"three equal", ece("cifar100", "TS", "1.00", "2.00", "3.00", "5.00"), 1},
		{"two equal", ece("cifar100", "TS", "1.00", "2.00", "3.50", "5.00"), 0},
		{"another method", ece("cifar100", "IR", "1.00", "2.00", "3.00", "4.00"), 0},
		{"the same dataset", column("longtail", "ece", "cifar10", "TS", "1.00", "2.00", "3.00", "4.00"), 0},
		{"two networks without AECE", ece("cifar100", "TS", "7.00", "7.00"), 0},
		{"two networks with other AECE", append(ece("cifar100", "TS", "7.00", "7.00"), aece("cifar100", "TS", "6.00", "6.50")...), 0},
		{"two networks, one without AECE", append(ece("cifar100", "TS", "7.00", "7.00"), append(aece("cifar100", "TS", "0.00"), aece("cifar100", "IR", "1.00", "1.00")...)...), 0},
		{"two networks with other ECE", append(ece("cifar100", "TS", "7.00", "7.50"), aece("cifar100", "TS", "6.00", "6.00")...), 0},
		{"two networks", append(ece("cifar100", "TS", "7.00", "7.00"), aece("cifar100", "TS", "6.00", "6.00")...), 1},
	} {
		if got := found(t, Repeat, slices.Concat([]string{skipped}, first, c.second)...); len(got) != c.want {
			t.Errorf("%s: %+v", c.name, got)
		}
	}
	equal := append(first, ece("cifar100", "TS", "1.00", "2.00", "3.00", "5.00")...)
	for _, c := range []struct {
		name string
		aece []string
		want int
	}{
		{"no AECE", nil, 0}, {"AECE of one", aece("cifar10", "TS", "1.00", "2.00", "3.00"), 0}, {"AECE of the other", aece("cifar100", "TS", "1.00", "2.00", "3.00"), 0},
		{"AECE of another method", append(aece("cifar10", "TS", "1.00", "2.00", "3.00"), aece("cifar100", "IR", "1.00", "2.00", "3.00")...), 0},
		{"AECE of another method first", append(aece("cifar10", "IR", "1.00", "2.00", "3.00"), aece("cifar100", "TS", "1.00", "2.00", "3.00")...), 0},
		{"equal AECE", append(aece("cifar10", "TS", "1.00", "2.00", "3.00"), aece("cifar100", "TS", "1.00", "2.00", "3.00")...), 0},
		{"one differs", append(aece("cifar10", "TS", "1.00", "2.00", "3.00"), aece("cifar100", "TS", "1.00", "2.50", "3.00")...), 1},
	} {
		if got := found(t, SameNetwork, append(slices.Clone(equal), c.aece...)...); len(got) != c.want {
			t.Errorf("%s: %+v", c.name, got)
		}
	}
}

// Kinds without findings are counted, and have no section.
func TestTextHasSectionsOfFindings(t *testing.T) {
	var b bytes.Buffer
	if err := Text(&b, 3, []Problem{{Kind: Gap, Row: "a", Column: "b", Printed: "1.00", Recomputed: "2.00"}}, 100); err != nil {
		t.Fatal(err)
	}
	for _, g := range Groups() {
		if got := strings.Count(b.String(), g.Title); got != 1 && g.Kind != Gap || g.Kind == Gap && got != 2 {
			t.Errorf("%s: its title is there %d times", g.Kind, got)
		}
	}
}
