package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestTaskOfTheEnvironment: every array and job gives each of its tasks another number, or an
// error that says what to do.
func TestTaskOfTheEnvironment(t *testing.T) {
	slurm, job := map[string]string{"SLURM_ARRAY_TASK_ID": "5"}, map[string]string{"JOB_COMPLETION_INDEX": "0"}
	for _, c := range []struct {
		text string
		env  map[string]string
		i, n int
		err  string
	}{
		{"0/4", nil, 0, 4, ""},
		{"3/4", slurm, 3, 4, ""},
		{"7", nil, 7, 12, ""}, // of the parts
		{"auto/16", slurm, 5, 16, ""},
		{"auto", slurm, 5, 12, ""},
		{"auto/4", job, 0, 4, ""},
		{"auto", map[string]string{"SLURM_ARRAY_TASK_ID": "2", "JOB_COMPLETION_INDEX": "1"}, 2, 12, ""},
		{"4/4", nil, 0, 0, "--task 4/4: tasks are counted from 0: want 0 to 3"},
		{"-1/4", nil, 0, 0, "want 0 to 3"},
		{"12", nil, 0, 0, "want 0 to 11"},
		{"1.5/4", nil, 0, 0, "want 0 to 3"},
		{"/4", nil, 0, 0, "want 0 to 3"},
		{"0/", nil, 0, 0, "the number of tasks is 1 to 10000"},
		{"0/0", nil, 0, 0, "the number of tasks is 1 to 10000"},
		{"0/10001", nil, 0, 0, "the number of tasks is 1 to 10000"},
		{"1/2/3", nil, 0, 0, "the number of tasks is 1 to 10000"},
		{"auto/4", slurm, 0, 0, "--task auto/4, SLURM_ARRAY_TASK_ID 5: tasks are counted from 0: want 0 to 3"},
		{"auto", map[string]string{"SLURM_ARRAY_TASK_ID": "x"}, 0, 0, "SLURM_ARRAY_TASK_ID x: tasks are counted"},
		{"auto", nil, 0, 0, "neither SLURM_ARRAY_TASK_ID nor JOB_COMPLETION_INDEX is set"},
	} {
		i, n, err := parseTask(c.text, 12, func(name string) string { return c.env[name] })
		if i != c.i || n != c.n || (err == nil) != (c.err == "") || err != nil && !strings.Contains(err.Error(), c.err) {
			t.Errorf("%s, %v: %d of %d, %v; want %d of %d, %s", c.text, c.env, i, n, err, c.i, c.n, c.err)
		}
	}
}

// TestSkippedCellsAreNotDone: in an empty folder no cell is done, and those that a reason skips are counted apart.
func TestSkippedCellsAreNotDone(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "skips.yaml")
	mustDo(t, os.WriteFile(file, []byte("name: skips\nmethods: [ts, featclip]\nmetrics: [ece]\nsettings: {dataset: example, backbone: unsure-overscaled}\n"), 0o666))
	_, out, said := typedWords(t, "cluster", "status", file, "--out", filepath.Join(dir, "none"), "--data", filepath.Join(project(t), "data", "example"))
	if want := "task 0 of 1: 0 cells done, 0 failed, 1 missing\nmissing: --array=0\n0 of 1 cells done, 1 skipped, 0 failed, 1 missing\n"; out != want {
		t.Errorf("%q (%s), want %q", out, said, want)
	}
}
