//go:build unix

package main

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/spf13/cobra"

	"github.com/qats-bench/qats/experiments/cluster"
)

// TestSlurmScripts: both scripts are what a shell reads, whatever characters the
// paths have, and the array has throttle, requeue and a log that is appended to.
func TestSlurmScripts(t *testing.T) {
	spec := filepath.Join("..", "..", "experiments", "example.yaml")
	var stdout, stderr strings.Builder
	out := filepath.Join(t.TempDir(), "it's here")
	args := []string{"cluster", "script", spec, "--tasks", "16", "--at-once", "4", "--cpus", "2", "--out", out, "--quick", "--max-memory", "256MiB", "--time", "90"}
	if status := run(context.Background(), args, &stdout, &stderr); status != exitOK {
		t.Fatal(stderr.String())
	}
	text := stdout.String()
	for _, want := range []string{"#SBATCH --array=0-15%4\n", "#SBATCH --requeue\n", "#SBATCH --open-mode=append\n", "#SBATCH --cpus-per-task=2\n",
		` --task "$SLURM_ARRAY_TASK_ID"/16 &` + "\n", "afterany", "--quick", `it'\''s here' --max-memory 256MiB --quick`, "#SBATCH --signal=B:USR1@30\n",
		"#SBATCH --time=90\n", "#SBATCH --mem=768M\n", "--assemble 16;", `[ "${SLURM_RESTART_COUNT:-0}" -lt 10 ]`} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	check := exec.Command("sh", "-n")
	check.Stdin = strings.NewReader(text)
	if b, err := check.CombinedOutput(); err != nil {
		t.Errorf("%v: %s\n%s", err, b, text)
	}
	for _, bad := range [][]string{
		{"--tasks", "-1"}, {"--tasks", "10001"}, {"--cpus", "0"}, {"--at-once", "-1"}, {"--requeue", "-1"}, {"--fresh", "--requeue", "3"},
		{"--max-memory", "lots"}, {"--mem", "lots"}, {"--time", "an hour"}, {"--time", "1:2:3:4"}, {"--for", "make"}, {"--out", "a{b", "--for", "parallel"}, {"--out", "a}b", "--for", "snakemake"}, {"nowhere.yaml"},
	} {
		stderr.Reset()
		if status := run(context.Background(), append([]string{"cluster", "script", spec}, bad...), &stdout, &stderr); status != exitUsage || strings.Count(stderr.String(), "\n") != 1 {
			t.Errorf("%v: status %d, %s", bad, status, stderr.String())
		}
	}
}

// TestTasksOfTheScript: without --tasks there are as many as the specs have parts, and --tests
// divides these.
func TestTasksOfTheScript(t *testing.T) {
	for args, want := range map[string]string{"": "0-1", "--tests 1": "0-4", "--tests 2": "0-2", "--tasks 3 --tests 1": "0-2", "--tasks 1": "0-0"} {
		var stdout, stderr strings.Builder
		words := append([]string{"cluster", "script", filepath.Join("..", "..", "experiments", "example.yaml"), "--out", t.TempDir()}, strings.Fields(args)...)
		if status := run(t.Context(), words, &stdout, &stderr); status != exitOK || !strings.Contains(stdout.String(), "#SBATCH --array="+want+"\n") ||
			strings.Contains(args, "tests") != strings.Contains(stdout.String(), "--tests") {
			t.Errorf("%q: status %d, no array %s in %s%s", args, status, want, stdout.String(), stderr.String())
		}
	}
}

// TestNeedOfTasks: twice the time of the largest task that was measured and 5 minutes, and one and
// a half times its memory; flags replace each. Of tasks that are not measured the memory is
// that for arrays and 512 MiB.
func TestNeedOfTasks(t *testing.T) {
	const MiB = 1 << 20
	measured := []cluster.Record{{Done: true, Seconds: 300, Bytes: 100 * MiB}, {Done: true, Seconds: 3590, Bytes: 90 * MiB}, {Seconds: 9999, Bytes: 999 * MiB}}
	for _, c := range []struct {
		flags   string
		records []cluster.Record
		time    string
		memory  int64 // MiB
		comment string
	}{
		{"", nil, "", 4608, "No task was measured yet."},
		{"", measured[2:], "", 4608, "No task was measured yet."},
		{"--max-memory 256MiB", nil, "", 768, "No task"},
		{"--mem 700MiB --time 1-00:00:00", nil, "1-00:00:00", 704, "No task"},
		{"", measured, "125", 192, "took 59.8 minutes and 100 MiB"},
		{"--max-memory 256MiB --time 30", measured, "30", 192, "took 59.8 minutes"},
		{"--mem 1GiB", measured, "125", 1024, "took 59.8 minutes"},
	} {
		f := clusterFlags{system: slurm}
		cmd := &cobra.Command{}
		f.flags(cmd)
		if err := cmd.ParseFlags(strings.Fields(c.flags)); err != nil {
			t.Fatal(err)
		}
		n := f.needOf(cmd, c.records)
		if n.time != c.time || n.memory != c.memory*MiB || !strings.Contains(n.comment, c.comment) {
			t.Errorf("%q: time %q, %d MiB, %q; want %q, %d MiB, %q", c.flags, n.time, n.memory/MiB, n.comment, c.time, c.memory, c.comment)
		}
	}
}

// TestScriptTakesTheMeasuredTask: a task that was run gives the others their time and memory.
func TestScriptTakesTheMeasuredTask(t *testing.T) {
	spec, out := filepath.Join("..", "..", "experiments", "example.yaml"), t.TempDir()
	said := func(args ...string) string {
		t.Helper()
		var stdout, stderr strings.Builder
		if status := run(t.Context(), append(args, spec, "--out", out), &stdout, &stderr); status != exitOK {
			t.Fatal(stderr.String())
		}
		return stdout.String()
	}
	if text := said("cluster", "script"); strings.Contains(text, "--time=") || !strings.Contains(text, "\n# No task was measured yet. ") {
		t.Errorf("%s", text)
	}
	said("run", "--task", "0")
	form := regexp.MustCompile(`\n# The largest of the tasks that were measured took [0-9.]+ minutes and [0-9]+ MiB\.\n(#SBATCH .*\n)*#SBATCH --time=[0-9]+\n`)
	if text := said("cluster", "script"); !form.MatchString(text) {
		t.Errorf("%s", text)
	}
	if text := said("cluster", "script", "--tests", "1"); form.MatchString(text) {
		t.Errorf("a task of another division counts: %s", text)
	}
}

// TestTaskScript: a task asks for another start only if the time limit has ended it, it has
// stored something, and it was not started too often. Its status is that of the program, also
// of one that has ended before its shell waits for it again, as the slow shell's has.
func TestTaskScript(t *testing.T) {
	const ask = "kill -TERM $child;"
	script := taskScript("qats", 3)
	slow := strings.Replace(script, ask, ask+" sleep .3;", 1)
	if slow == script {
		t.Fatalf("no %q in\n%s", ask, script)
	}
	for _, shell := range []string{"sh", "bash --posix"} {
		words := strings.Fields(shell)
		if _, err := exec.LookPath(words[0]); err != nil {
			t.Logf("skipped: %s: %v", shell, err)
			continue
		}
		t.Run(shell, func(t *testing.T) { testTaskScript(t, words, script) })
		t.Run("slow "+shell, func(t *testing.T) { testTaskScript(t, words, slow) })
	}
}

func testTaskScript(t *testing.T, shell []string, script string) {
	for _, c := range []struct {
		name     string
		work     string // of the program; its last line says that it is ready for signals
		signal   os.Signal
		restarts string
		status   int
		requeued bool
		said     string
	}{
		{"done before the limit", "exit 0", nil, "", 0, false, ""},
		{"failed cells", "exit 1", nil, "", 1, false, ""},
		{"killed", "kill -KILL $$", nil, "", 137, false, ""},
		{"ended by itself with the status of a stopped task", "exit 75", nil, "", 75, false, ""},
		{"limit", "", syscall.SIGUSR1, "", 75, true, ""},
		{"limit, the last start", "", syscall.SIGUSR1, "2", 75, true, ""},
		{"limit, started too often", "", syscall.SIGUSR1, "3", 75, false, "started again 3 times, of at most 3"},
		{"limit, nothing new", "trap 'exit 143' TERM", syscall.SIGUSR1, "1", 143, false, "nothing was stored"},
		{"limit, but the work was done", "trap 'exit 0' TERM", syscall.SIGUSR1, "", 0, false, ""},
		{"limit, but a mistake", "trap 'exit 2' TERM", syscall.SIGUSR1, "", 2, false, ""},
		{"cancelled", "", syscall.SIGTERM, "", 75, false, ""},
		{"cancelled, nothing new", "trap 'exit 143' TERM", syscall.SIGTERM, "", 143, false, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			write := func(name, text string) {
				if err := os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\n"+text+"\n"), 0o777); err != nil {
					t.Fatal(err)
				}
			}
			ready := filepath.Join(dir, "ready")
			write("qats", "trap 'exit 75' TERM\n"+c.work+"\ntouch "+ready+"\nwhile :; do sleep .05; done")
			write("scontrol", `echo "$@" >> `+filepath.Join(dir, "scontrol.log"))
			cmd := exec.Command(shell[0], append(shell[1:], "-c", script)...)
			cmd.Env = append(os.Environ(), "PATH="+dir+string(os.PathListSeparator)+os.Getenv("PATH"), "SLURM_ARRAY_JOB_ID=7", "SLURM_ARRAY_TASK_ID=5", "SLURM_RESTART_COUNT="+c.restarts)
			if c.restarts == "" {
				cmd.Env = cmd.Env[:len(cmd.Env)-1] // as Slurm has it at the first start
			}
			var said strings.Builder
			cmd.Stdout, cmd.Stderr = &said, &said
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			if c.signal != nil {
				for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
					if _, err := os.Stat(ready); err == nil {
						break
					}
				}
				cmd.Process.Signal(c.signal)
			}
			cmd.Wait()
			log, _ := os.ReadFile(filepath.Join(dir, "scontrol.log"))
			if status := cmd.ProcessState.ExitCode(); status != c.status || (string(log) == "requeue 7_5\n") != c.requeued || !c.requeued && len(log) > 0 ||
				!strings.Contains(said.String(), c.said) || c.said == "" && said.String() != "" && c.name != "killed" {
				t.Errorf("status %d, scontrol %q, said %q", status, log, said.String())
			}
		})
	}
}

// TestAssemblyWaitsForAllTasks: it names those with missing cells and does none of their work; when
// all cells are done it writes the files.
func TestAssemblyWaitsForAllTasks(t *testing.T) {
	spec, out := filepath.Join("..", "..", "experiments", "example.yaml"), t.TempDir()
	qats := func(args ...string) (int, string) {
		var stdout, stderr strings.Builder
		status := run(t.Context(), args, &stdout, &stderr)
		return status, stdout.String() + stderr.String()
	}
	check := func(want int, text string) {
		t.Helper()
		if status, said := qats("run", spec, "--out", out, "--assemble", "2"); status != want || !strings.Contains(said, text) {
			t.Errorf("status %d, %s; want %d, %s", status, said, want, text)
		}
	}
	check(exitTerminated, "25 of 25 cells are missing, of task 0 (20) and 1 (5); submit the array again")
	if status, said := qats("run", spec, "--out", out, "--task", "0/2", "--quick"); status != exitOK { // another run
		t.Fatal(said)
	}
	check(exitTerminated, "25 of 25 cells are missing")
	if status, said := qats("run", spec, "--out", out, "--task", "0/2"); status != exitOK {
		t.Fatal(said)
	}
	check(exitTerminated, "5 of 25 cells are missing, of task 1 (5); submit")
	if _, err := os.Stat(filepath.Join(out, "results.csv")); err == nil {
		t.Error("results of a part were written")
	}
	if status, said := qats("run", spec, "--out", out, "--task", "1/2"); status != exitOK {
		t.Fatal(said)
	}
	check(exitOK, "; 0 fitted and 0 scored now")
	sameCSV(t, "assembled", exampleResults(t), out)
	if err := os.RemoveAll(filepath.Join(out, "store", "scores")); err != nil {
		t.Fatal(err)
	}
	check(exitTerminated, "25 of 25 cells are missing, of task 0 (20) and 1 (5)") // although both tasks have ended
}

// TestAssemblyTakesFailedCells: a cell that failed is not missing once its task has ended, and the
// row says why.
func TestAssemblyTakesFailedCells(t *testing.T) {
	dir := t.TempDir()
	spec := filepath.Join(dir, "fails.yaml")
	text := "name: fails\nmethods: [ts, {name: none, method: external, options: {command: [\"false\"]}}]\nmetrics: [ece]\nbaseline: ts\nsettings:\n  - {dataset: example, backbone: unsure-overscaled}\n"
	if err := os.WriteFile(spec, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	qats := func(want int, args ...string) string {
		t.Helper()
		var stdout, stderr strings.Builder
		words := append(args, spec, "--out", filepath.Join(dir, "out"), "--data", filepath.Join(project(t), "data", "example"), "--allow-exec")
		if status := run(t.Context(), words, &stdout, &stderr); status != want {
			t.Errorf("%v: status %d, want %d: %s", args, status, want, stderr.String())
		}
		return stdout.String() + stderr.String()
	}
	if said := qats(exitOK, "cluster", "status"); !strings.Contains(said, "\n0 of 2 cells done, 0 failed, 2 missing\n") {
		t.Errorf("%s", said)
	}
	qats(exitFailed, "run", "--task", "0")
	if said := qats(exitOK, "cluster", "status"); !strings.Contains(said, "task 0 of 1: 1 cells done, 1 failed, 0 missing\n1 of 2 cells done, 1 failed, 0 missing\n") {
		t.Errorf("%s", said)
	}
	qats(exitFailed, "run", "--assemble", "1")
}

// TestSlurmPaths: the name of a log is a pattern of sbatch, with its own escapes. Names
// that a batch script or such a pattern cannot hold are rejected, and nothing is written.
func TestSlurmPaths(t *testing.T) {
	spec, top := filepath.Join(project(t), "experiments", "example.yaml"), t.TempDir()
	for _, c := range []struct{ name, want string }{
		{"100%j", "#SBATCH --output=" + top + "/100%%j/slurm/%A_%a.log\n"},
		{"100%%", "#SBATCH --output=" + top + "/100%%%%/slurm/%A_%a.log\n"},
		{`a "b" 'c' #d`, `#SBATCH "--output=` + top + `/a \"b\" 'c' #d/slurm/%A_%a.log"` + "\n"},
		{`a\b`, "qats: --out " + top + `/a\b: Slurm writes no log into a folder with a backslash`},
		{"a\n#SBATCH --account=other", "has a control character"},
		{"a\tb", "has a control character"},
		{"a\x1b[2J", "has a control character"},
		{"a\u0085b", "has a control character"},
	} {
		var stdout, stderr strings.Builder
		status := run(t.Context(), []string{"cluster", "script", spec, "--tasks", "2", "--out", filepath.Join(top, c.name)}, &stdout, &stderr)
		rejected := strings.HasPrefix(c.want, "#") == (status != exitOK)
		if strings.HasPrefix(c.want, "#") { // the plan is kept, which the tasks read
			if err := os.RemoveAll(filepath.Join(top, c.name)); err != nil {
				t.Error(err)
			}
		}
		if !strings.Contains(stdout.String()+stderr.String(), c.want) || rejected || status != exitOK && strings.Count(stderr.String(), "\n") != 1 {
			t.Errorf("%q: status %d, %s%s; want %s", c.name, status, stdout.String(), stderr.String(), c.want)
		}
	}
	t.Chdir(top)
	for _, args := range [][]string{{"--data", "a\nb"}, {"--store", "a\nb"}} {
		var stdout, stderr strings.Builder
		if status := run(t.Context(), append([]string{"cluster", "script", spec, "--tasks", "2"}, args...), &stdout, &stderr); status != exitUsage || !strings.Contains(stderr.String(), "has a control character") {
			t.Errorf("%q: status %d, %s", args, status, stderr.String())
		}
	}
	if left, _ := os.ReadDir(top); len(left) > 0 {
		t.Errorf("written: %v", left)
	}
}

// TestStatusOfTasks counts the cells of all tasks, and names those that are not done. Cells whose
// objects are gone from the store are missing.
func TestStatusOfTasks(t *testing.T) {
	spec, out := filepath.Join("..", "..", "experiments", "example.yaml"), t.TempDir()
	qats := func(args ...string) (int, string) {
		var stdout, stderr strings.Builder
		status := run(t.Context(), args, &stdout, &stderr)
		return status, stdout.String() + stderr.String()
	}
	check := func(want string, args ...string) {
		t.Helper()
		if status, said := qats(append([]string{"cluster", "status", spec, "--out", out, "--tasks", "3", "--tests", "1"}, args...)...); status != exitOK || said != want {
			t.Errorf("status %d,\n%s\nwant\n%s", status, said, want)
		}
	}
	check("task 0 of 3: 0 cells done, 0 failed, 10 missing\ntask 1 of 3: 0 cells done, 0 failed, 10 missing\ntask 2 of 3: 0 cells done, 0 failed, 5 missing\n" +
		"missing: --array=0-2\n0 of 25 cells done, 0 failed, 25 missing\n")
	if left, _ := os.ReadDir(out); len(left) > 0 {
		t.Errorf("written: %v", left)
	}
	for _, task := range []string{"0/3", "2/3"} {
		if status, said := qats("run", spec, "--out", out, "--task", task, "--tests", "1"); status != exitOK {
			t.Fatal(said)
		}
	}
	const one = "task 1 of 3: 0 cells done, 0 failed, 10 missing\nmissing: --array=1\n15 of 25 cells done, 0 failed, 10 missing\n"
	check(one)
	check("task 0 of 3: 10 cells done, 0 failed, 0 missing\ntask 1 of 3: 0 cells done, 0 failed, 10 missing\ntask 2 of 3: 5 cells done, 0 failed, 0 missing\n"+
		"missing: --array=1\n15 of 25 cells done, 0 failed, 10 missing\n", "--verbose")
	for kind, want := range map[string]string{
		"pairs": "task 0 of 3: 2 cells done, 0 failed, 8 missing\ntask 1 of 3: 0 cells done, 0 failed, 10 missing\ntask 2 of 3: 1 cells done, 0 failed, 4 missing\n" +
			"missing: --array=0-2\n3 of 25 cells done, 0 failed, 22 missing\n",
		"samples": one, // no row needs them
	} {
		folder := filepath.Join(out, "store", kind)
		if err := os.Rename(folder, folder+".away"); err != nil {
			t.Fatal(err)
		}
		check(want)
		if err := os.Rename(folder+".away", folder); err != nil {
			t.Fatal(err)
		}
	}
	if status, said := qats("run", spec, "--out", out); status != exitOK { // a run without tasks counts too
		t.Fatal(said)
	}
	check("25 of 25 cells done, 0 failed, 0 missing\n")
}

// TestRangesOfTasks: as sbatch takes them.
func TestRangesOfTasks(t *testing.T) {
	for missing, want := range map[string]string{"": "", "...": "", "x": "0", "x.x": "0,2", "xx.xxx.x": "0-1,3-5,7", ".xx": "1-2"} {
		var tasks []taskCells
		for i, c := range missing {
			tasks = append(tasks, taskCells{task: i, missing: strings.Count(string(c), "x")})
		}
		if got := ranges(tasks); got != want {
			t.Errorf("%q: %q, want %q", missing, got, want)
		}
	}
}
