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
	of := func(pairs ...string) map[string]string { // names and values
		env := map[string]string{}
		for i := 0; i < len(pairs); i += 2 {
			env[pairs[i]] = pairs[i+1]
		}
		return env
	}
	sge := func(id, first, last, step string) map[string]string {
		return of("SGE_TASK_ID", id, "SGE_TASK_FIRST", first, "SGE_TASK_LAST", last, "SGE_TASK_STEPSIZE", step)
	}
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
		{"auto/8", of("AWS_BATCH_JOB_ARRAY_INDEX", "7"), 7, 8, ""},
		{"auto/8", of("BATCH_TASK_INDEX", "0"), 0, 8, ""},
		{"auto/8", of("LSB_JOBINDEX", "1"), 0, 8, ""},
		{"auto/8", of("LSB_JOBINDEX", "8"), 7, 8, ""},
		{"auto/8", of("PBS_ARRAY_INDEX", "3"), 3, 8, ""},
		{"auto/8", of("PBS_ARRAYID", "3"), 3, 8, ""},
		{"auto/8", sge("1", "1", "8", "1"), 0, 8, ""},
		{"auto/8", sge("8", "1", "8", "1"), 7, 8, ""},
		{"auto/5", sge("10", "2", "11", "2"), 4, 5, ""},
		{"4/4", nil, 0, 0, "--task 4/4: tasks are counted from 0: want 0 to 3"},
		{"-1/4", nil, 0, 0, "want 0 to 3"},
		{"12", nil, 0, 0, "want 0 to 11"},
		{"1.5/4", nil, 0, 0, "want 0 to 3"},
		{"/4", nil, 0, 0, "want 0 to 3"},
		{"0/", nil, 0, 0, "the number of tasks is 1 to 10000"},
		{"0/0", nil, 0, 0, "the number of tasks is 1 to 10000"},
		{"0/10001", nil, 0, 0, "the number of tasks is 1 to 10000"},
		{"1/2/3", nil, 0, 0, "the number of tasks is 1 to 10000"},
		{"auto/4", slurm, 0, 0, "--task auto/4, SLURM_ARRAY_TASK_ID 5: that is task 5, and tasks are 0 to 3; if task 0 has another index, give it by --first"},
		{"auto", map[string]string{"SLURM_ARRAY_TASK_ID": "x"}, 0, 0, `SLURM_ARRAY_TASK_ID "x" is no integer`},
		{"auto", nil, 0, 0, "--task auto: none of SLURM_ARRAY_TASK_ID, JOB_COMPLETION_INDEX, AWS_BATCH_JOB_ARRAY_INDEX, BATCH_TASK_INDEX, SGE_TASK_ID, LSB_JOBINDEX, PBS_ARRAY_INDEX, PBS_ARRAYID is set"},
		{"auto", of("SLURM_ARRAY_TASK_ID", "2", "JOB_COMPLETION_INDEX", "1"), 0, 0, "--task auto, SLURM_ARRAY_TASK_ID 2, JOB_COMPLETION_INDEX 1: two batch systems number this task"},
		{"auto/8", of("LSB_JOBINDEX", "0", "BATCH_TASK_INDEX", "1"), 0, 0, "BATCH_TASK_INDEX 1, LSB_JOBINDEX 0: two batch systems"},
		{"auto/8", of("LSB_JOBINDEX", "0"), 0, 0, "LSB_JOBINDEX 0: this job is no task of an array"},
		{"auto/8", of("LSB_JOBINDEX", "9"), 0, 0, "LSB_JOBINDEX 9: that is task 8, and tasks are 0 to 7"},
		{"auto/8", of("LSB_JOBINDEX", "-3"), 0, 0, "LSB_JOBINDEX -3: the index is below that of task 0, 1"},
		{"auto/8", of("PBS_ARRAYID", "8"), 0, 0, "PBS_ARRAYID 8: that is task 8"},
		{"auto/8", of("AWS_BATCH_JOB_ARRAY_INDEX", "-1"), 0, 0, "below that of task 0, 0"},
		{"auto/8", sge("undefined", "undefined", "undefined", "undefined"), 0, 0, "SGE_TASK_ID undefined: this job is no task of an array"},
		{"auto/8", of("SGE_TASK_ID", "2"), 0, 0, `SGE_TASK_STEPSIZE "" is no integer`},
		{"auto/8", sge("2", "1", "8", "undefined"), 0, 0, `SGE_TASK_STEPSIZE "undefined" is no integer`},
		{"auto/8", sge("3", "1", "8", "0"), 0, 0, "SGE_TASK_ID 3, SGE_TASK_STEPSIZE 0, SGE_TASK_FIRST 1, SGE_TASK_LAST 8: the index is not 1 and a multiple of the step"},
		{"auto/8", sge("4", "1", "16", "2"), 0, 0, "the index is not 1 and a multiple"},
		{"auto/4", sge("9", "1", "9", "2"), 0, 0, "the array has 5 tasks, not 4"},
		{"auto/8", sge("3", "3", "3", "1"), 0, 0, "the array has 1 tasks, not 8; of a part of an array give the index of task 0 by --first"},
	} {
		i, n, err := parseTask(c.text, 12, -1, func(name string) string { return c.env[name] })
		if i != c.i || n != c.n || (err == nil) != (c.err == "") || err != nil && !strings.Contains(err.Error(), c.err) {
			t.Errorf("%s, %v: %d of %d, %v; want %d of %d, %s", c.text, c.env, i, n, err, c.i, c.n, c.err)
		}
	}
}

// TestFirstIsTheIndexOfTask0: of an array that begins elsewhere, whatever its system says.
func TestFirstIsTheIndexOfTask0(t *testing.T) {
	for _, c := range []struct {
		first int
		env   map[string]string
		i     int
		err   string
	}{
		{1, map[string]string{"SLURM_ARRAY_TASK_ID": "1"}, 0, ""},
		{1, map[string]string{"PBS_ARRAY_INDEX": "8"}, 7, ""},
		{100, map[string]string{"PBS_ARRAYID": "103"}, 3, ""},
		{0, map[string]string{"LSB_JOBINDEX": "3"}, 3, ""},
		{1, map[string]string{"SGE_TASK_ID": "3", "SGE_TASK_FIRST": "3", "SGE_TASK_LAST": "3", "SGE_TASK_STEPSIZE": "1"}, 2, ""}, // one task again
		{1, map[string]string{"SLURM_ARRAY_TASK_ID": "0"}, 0, "SLURM_ARRAY_TASK_ID 0: the index is below that of task 0, 1"},
		{1, map[string]string{"SLURM_ARRAY_TASK_ID": "9"}, 0, "that is task 8"},
		{0, map[string]string{"LSB_JOBINDEX": "0"}, 0, "no task of an array"},
	} {
		i, _, err := parseTask("auto/8", 12, c.first, func(name string) string { return c.env[name] })
		if i != c.i || (err == nil) != (c.err == "") || err != nil && !strings.Contains(err.Error(), c.err) {
			t.Errorf("--first %d, %v: %d, %v; want %d, %s", c.first, c.env, i, err, c.i, c.err)
		}
	}
	for _, words := range []string{"--first 1", "--first 1 --task 0/4", "--first -2 --task auto/4"} {
		status, _, said := typedWords(t, append([]string{"run", filepath.Join(project(t), "experiments", "example.yaml"), "-n", "--out", t.TempDir()}, strings.Fields(words)...)...)
		if status != exitUsage || !strings.Contains(said, "index of task 0 in an array") {
			t.Errorf("%s: status %d, %s", words, status, said)
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
