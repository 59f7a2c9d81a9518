package main

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// TestFilesOfDifferentRunsAreNamed: every command that reads an output folder names
// the file that lost rows or is of another run, with status 2. Without run.json it
// takes the CSV files as they are, and unknown files do not matter.
func TestFilesOfDifferentRunsAreNamed(t *testing.T) {
	arrays, dir, other := filepath.Join(project(t), "data", "example"), t.TempDir(), t.TempDir()
	spec := filepath.Join(t.TempDir(), "two.yaml")
	text := "name: two\nmethods: [uncal, ts, qats]\nsettings: {dataset: example, backbone: [unsure-overscaled, sure-overscaled]}\n"
	if err := os.WriteFile(spec, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	qats := func(args ...string) (int, string) {
		var stdout, stderr strings.Builder
		return run(context.Background(), args, &stdout, &stderr), stderr.String()
	}
	for _, args := range [][]string{{"run", spec, "--data", arrays, "--out", dir}, {"run", spec, "--data", arrays, "--out", other, "--quick"}} {
		if status, said := qats(args...); status != exitOK {
			t.Fatalf("status %d: %s", status, said)
		}
	}
	read := func(dir, name string) string {
		b, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	cut := func(name string) string { // without the last row
		text := read(dir, name)
		return text[:strings.LastIndex(strings.TrimSuffix(text, "\n"), "\n")+1]
	}
	rowsLess := func(name string) string { return strconv.Itoa(strings.Count(read(dir, name), "\n") - 2) } // nor the header
	report, compare := []string{"report", spec, "--out", dir}, []string{"compare", "--out", dir}
	page, diff := []string{"report", dir}, []string{"paper", "diff", "--out", dir}
	all := [][]string{report, compare, page, diff} // diff reads results.csv alone
	for _, c := range []struct {
		file, text string
		commands   [][]string
		want       string
	}{
		{"results.csv", cut("results.csv"), all, "results.csv: " + rowsLess("results.csv") + " rows, but the run that"},
		{"results.csv", read(other, "results.csv"), all, "results.csv: does not belong to the run that"},
		{"bins.csv", cut("bins.csv"), all[:3], "bins.csv: " + rowsLess("bins.csv") + " rows, but the run that"},
		{"pairs.csv", cut("pairs.csv"), all[:3], "pairs.csv: " + rowsLess("pairs.csv") + " rows, but the run that"},
		{"times.csv", cut("times.csv"), nil, ""}, // no part of what a run is identified by
	} {
		whole, _ := os.ReadFile(filepath.Join(dir, c.file))
		if err := os.WriteFile(filepath.Join(dir, c.file), []byte(c.text), 0o666); err != nil {
			t.Fatal(err)
		}
		for _, args := range c.commands {
			status, said := qats(args...)
			if status != exitUsage || !strings.HasPrefix(said, "qats: "+filepath.Join(dir, c.want)) ||
				!strings.HasSuffix(said, "; run again, or remove run.json if you changed the rows yourself\n") || strings.Count(said, "\n") != 1 {
				t.Errorf("%v: status %d, %q, want %s", args, status, said, c.want)
			}
		}
		file := filepath.Join(dir, "run.json")
		if err := os.Rename(file, file+".away"); err != nil {
			t.Fatal(err)
		}
		for _, args := range all[2:] { // the fast ones
			if status, said := qats(args...); status != exitOK {
				t.Errorf("%v with another %s and no run.json: status %d, %s", args, c.file, status, said)
			}
		}
		if err := errors.Join(os.Rename(file+".away", file), os.WriteFile(filepath.Join(dir, c.file), whole, 0o666)); err != nil {
			t.Fatal(err)
		}
	}
	for _, args := range all {
		if status, said := qats(args...); status != exitOK {
			t.Errorf("%v with all files of the run: status %d, %s", args, status, said)
		}
	}
}
