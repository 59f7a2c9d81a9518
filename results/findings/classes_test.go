package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/qats-bench/qats/results"
)

// TestClassesAreTakenAndShown: the table has a row for each class, and their mean.
func TestClassesAreTakenAndShown(t *testing.T) {
	from, top := t.TempDir(), t.TempDir()
	if taken, err := takeClasses(from, filepath.Join(top, "results", "shown")); taken || err != nil {
		t.Errorf("without a run: %v, %v", taken, err)
	}
	at := results.Setting{Experiment: segmentation, Dataset: "d", Backbone: "b", Loss: "ce"}
	var list []results.Class
	for i, m := range []string{"uncal", "ts"} {
		for j, name := range []string{"sky", "road"} {
			list = append(list, results.Class{Setting: at, Method: m, Class: j, Name: name, N: 5, Freq: .5, Conf: .25, ECE: .01 * float64(1+i+2*j), Source: "measured"})
		}
	}
	folder := filepath.Join(from, segmentation)
	for _, dir := range []string{folder, filepath.Join(top, "results", "shown")} {
		if err := os.MkdirAll(dir, 0o777); err != nil {
			t.Fatal(err)
		}
	}
	if err := results.WriteClasses(filepath.Join(folder, results.ClassesFile), list); err != nil {
		t.Fatal(err)
	}
	if taken, err := takeClasses(from, filepath.Join(top, "results", "shown")); !taken || err != nil {
		t.Fatalf("%v, %v", taken, err)
	}
	w := words{top: top}
	want := "| class | rows | share, % | Uncal | TS |\n|---|---:|---:|---:|---:|\n| sky | 5 | 50.00 | 1.00 | 2.00 |\n| road | 5 | 50.00 | 3.00 | 4.00 |\n| mean |  |  | 2.00 | 3.00 |"
	if got, err := w.classTable("uncal=Uncal,ts=TS"); got != want || err != nil {
		t.Errorf("%s, %v; want %s", got, err, want)
	}
	if _, err := w.classTable("ir=IR"); err == nil || !strings.Contains(err.Error(), "has no class sky of ir") {
		t.Error(err)
	}
}
