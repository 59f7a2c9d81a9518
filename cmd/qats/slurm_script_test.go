//go:build unix

package main

import (
	"context"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/qats-bench/qats/experiments"
)

// TestSlurmScripts: both scripts are what a shell reads, whatever characters the
// paths have, and the array has throttle, requeue and a log that is appended to.
func TestSlurmScripts(t *testing.T) {
	spec := filepath.Join("..", "..", "experiments", "example.yaml")
	var stdout, stderr strings.Builder
	out := filepath.Join(t.TempDir(), "it's here")
	args := []string{"cluster", "script", spec, "--shards", "16", "--at-once", "4", "--cpus", "2", "--out", out, "--quick"}
	if status := run(context.Background(), args, &stdout, &stderr); status != exitOK {
		t.Fatal(stderr.String())
	}
	text := stdout.String()
	for _, want := range []string{"#SBATCH --array=1-16%4\n", "#SBATCH --requeue\n", "#SBATCH --open-mode=append\n", "#SBATCH --cpus-per-task=2\n",
		"--shard auto &\n", "afterany", "--quick", `it'\''s here' --max-memory 256MiB --quick`, "#SBATCH --signal=B:USR1@30\n",
		"#SBATCH --time=", "#SBATCH --mem=", "\n# longest of 16 tasks: ", "--assemble 16;", `[ "${SLURM_RESTART_COUNT:-0}" -lt 10 ]`} {
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
		{"cluster", "script", spec}, {"cluster", "script", spec, "--shards", "0"}, {"cluster", "script", spec, "--shards", "10001"}, {"cluster", "script", spec, "--shards", "4", "--cpus", "0"},
		{"cluster", "script", "--shards", "4"}, {"cluster", "script", spec, "--shards", "4", "--requeue", "-1"},
		{"cluster", "script", spec, "--shards", "4", "--fresh", "--requeue", "3"}, {"cluster", "script", spec, "--shards", "4", "--max-memory", "lots"}, {"cluster", "script", "nowhere.yaml", "--shards", "4"},
	} {
		stderr.Reset()
		if status := run(context.Background(), bad, &stdout, &stderr); status != exitUsage || strings.Count(stderr.String(), "\n") != 1 {
			t.Errorf("%v: status %d, %s", bad, status, stderr.String())
		}
	}
}

// TestNeedOfTasks: the time is 3 times that of the longest shard on this machine and 5 minutes,
// and the memory is that for arrays, the plan twice, and 192 MiB.
func TestNeedOfTasks(t *testing.T) {
	for _, c := range []struct {
		of          experiments.Needs
		pace        float64
		given, held int64
		minutes     int
		arrays      string
		task        int64 // MiB
	}{
		{experiments.Needs{}, 1, 0, 0, 5, "256MiB", 448},
		{experiments.Needs{Longest: time.Hour}, 1, 0, 0, 185, "256MiB", 448},
		{experiments.Needs{Longest: time.Hour}, 2.5, 0, 0, 455, "256MiB", 448},
		{experiments.Needs{Longest: time.Second, Memory: 1<<30 + 1}, 1, 0, 10 << 20, 6, "1088MiB", 1344},
		{experiments.Needs{Memory: 1 << 30}, 1, 3 << 30, 100 << 20, 5, "3072MiB", 3072 + 448},
	} {
		n := needOf(c.of, c.pace, 4, 1, c.given, c.held)
		if n.minutes != c.minutes || n.arrays() != c.arrays || n.task != c.task<<20 {
			t.Errorf("%+v: %d minutes, %s, %d MiB", c, n.minutes, n.arrays(), n.task>>20)
		}
	}
}

// TestSlurmPrint prints the estimate and no script, and hashes the files for the tasks.
func TestSlurmPrint(t *testing.T) {
	spec, out := filepath.Join("..", "..", "experiments", "example.yaml"), t.TempDir()
	said := func(args ...string) string {
		t.Helper()
		var stdout, stderr strings.Builder
		if status := run(t.Context(), append([]string{"cluster", "script", spec, "--shards", "2", "--out", out, "--estimate"}, args...), &stdout, &stderr); status != exitOK {
			t.Fatal(stderr.String())
		}
		return stdout.String()
	}
	form := regexp.MustCompile(`^estimated work: [0-9.e-]+ processor hours on this machine, where .*\nlongest of 2 tasks: [0-9.e-]+ hours on 1 processor; each gets (\d+) minutes, .*\nmemory: 256MiB for arrays, \d+ MiB for a task\n$`)
	if text := said(); !form.MatchString(text) {
		t.Errorf("%q", text)
	}
	if text := said("--max-memory", "1GiB"); !strings.Contains(text, "\nmemory: 1024MiB for arrays, ") {
		t.Errorf("%q", text)
	}
	if status := run(t.Context(), []string{"run", spec, "--out", out}, io.Discard, io.Discard); status != exitOK {
		t.Fatal(status)
	}
	if text := said(); !strings.HasPrefix(text, "estimated work: 0 processor hours") { // all is done
		t.Errorf("%q", text)
	}
}

// TestTaskScript: a task asks for another start only if the time limit has ended it, it has
// stored something, and it was not started too often. Its status is that of the program.
func TestTaskScript(t *testing.T) {
	for _, c := range []struct {
		name           string
		work           string // of the program; its last line says that it is ready for signals
		signal         os.Signal
		gain, restarts string
		status         int
		requeued       bool
		said           string
	}{
		{"done before the limit", "exit 0", nil, "true", "", 0, false, ""},
		{"failed cells", "exit 1", nil, "true", "", 1, false, ""},
		{"killed", "kill -KILL $$", nil, "true", "", 137, false, ""},
		{"limit", "", syscall.SIGUSR1, "true", "", 75, true, ""},
		{"limit, the last start", "", syscall.SIGUSR1, "true", "2", 75, true, ""},
		{"limit, started too often", "", syscall.SIGUSR1, "true", "3", 75, false, "started again 3 times, of at most 3"},
		{"limit, nothing new", "", syscall.SIGUSR1, "false", "1", 75, false, "nothing new was stored"},
		{"limit, but the work was done", "trap 'exit 0' TERM", syscall.SIGUSR1, "true", "", 0, false, ""},
		{"limit, but a mistake", "trap 'exit 2' TERM", syscall.SIGUSR1, "true", "", 2, false, ""},
		{"cancelled", "", syscall.SIGTERM, "true", "", 75, false, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			write := func(name, text string) string {
				file := filepath.Join(dir, name)
				if err := os.WriteFile(file, []byte("#!/bin/sh\n"+text+"\n"), 0o777); err != nil {
					t.Fatal(err)
				}
				return file
			}
			ready := filepath.Join(dir, "ready")
			qats := write("qats", "trap 'exit 75' TERM\n"+c.work+"\ntouch "+ready+"\nwhile :; do sleep .05; done")
			write("scontrol", `echo "$@" >> `+filepath.Join(dir, "scontrol.log"))
			cmd := exec.Command("sh", "-c", taskScript(qats, c.gain, 3))
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

// TestAssemblyWaitsForAllShards: it names those that are out and does none of their work; when
// all are in it writes the files.
func TestAssemblyWaitsForAllShards(t *testing.T) {
	spec, out := filepath.Join("..", "..", "experiments", "example.yaml"), t.TempDir()
	qats := func(args ...string) (int, string) {
		var stdout, stderr strings.Builder
		status := run(t.Context(), args, &stdout, &stderr)
		return status, stdout.String() + stderr.String()
	}
	assemble := []string{"run", spec, "--out", out, "--assemble", "2"}
	check := func(want int, text string) {
		t.Helper()
		if status, said := qats(assemble...); status != want || !strings.Contains(said, text) {
			t.Errorf("status %d, %s; want %d, %s", status, said, want, text)
		}
	}
	check(exitTerminated, "2 of 2 shards are out: 1 (not started) and 2 (not started); submit the array again")
	if status, said := qats("run", spec, "--out", out, "--shard", "1/2", "--quick"); status != exitOK { // another run
		t.Fatal(said)
	}
	check(exitTerminated, "2 of 2 shards are out")
	if status, said := qats("cluster", "status", out, "--shard", "1/2"); status != exitOK || !strings.Contains(said, " objects stored since the last start") {
		t.Errorf("status %d, %s", status, said)
	}
	if status, said := qats("cluster", "status", out, "--shard", "2/2"); status != exitUsage || !strings.Contains(said, "no sign of life") {
		t.Errorf("status %d, %s", status, said)
	}
	for range 2 { // the second finds all in the store
		if status, said := qats("run", spec, "--out", out, "--shard", "1/2"); status != exitOK {
			t.Fatal(said)
		}
	}
	if status, said := qats("cluster", "status", out, "--shard", "1/2"); status != exitFailed || !strings.Contains(said, "0 objects stored since the last start") {
		t.Errorf("status %d, %s", status, said)
	}
	check(exitTerminated, "1 of 2 shards are out: 2 (not started); submit")
	if _, err := os.Stat(filepath.Join(out, "results.csv")); err == nil {
		t.Error("results of a part were written")
	}
	if status, said := qats("run", spec, "--out", out, "--shard", "2/2"); status != exitOK {
		t.Fatal(said)
	}
	check(exitOK, "; 0 fitted and 0 scored now")
	sameCSV(t, "assembled", exampleResults(t), out)
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
		status := run(t.Context(), []string{"cluster", "script", spec, "--shards", "2", "--out", filepath.Join(top, c.name)}, &stdout, &stderr)
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
		if status := run(t.Context(), append([]string{"cluster", "script", spec, "--shards", "2"}, args...), &stdout, &stderr); status != exitUsage || !strings.Contains(stderr.String(), "has a control character") {
			t.Errorf("%q: status %d, %s", args, status, stderr.String())
		}
	}
	if left, _ := os.ReadDir(top); len(left) > 0 {
		t.Errorf("written: %v", left)
	}
}

// TestStatusOfShards prints a line for each shard that has run, names the others, and
// counts the cells of all. Cells whose objects are gone from the store are missing.
func TestStatusOfShards(t *testing.T) {
	spec, out := filepath.Join("..", "..", "experiments", "example.yaml"), t.TempDir()
	qats := func(args ...string) (int, string) {
		var stdout, stderr strings.Builder
		status := run(t.Context(), args, &stdout, &stderr)
		return status, stdout.String() + stderr.String()
	}
	if status, said := qats("cluster", "status", out); status != exitUsage || !strings.Contains(said, "no shard has run here") {
		t.Errorf("status %d, %s", status, said)
	}
	for _, shard := range []string{"1/3", "3/3"} {
		if status, said := qats("run", spec, "--out", out, "--shard", shard); status != exitOK {
			t.Fatal(said)
		}
	}
	check := func(wants ...string) {
		t.Helper()
		status, said := qats("cluster", "status", out)
		if status != exitOK {
			t.Fatal(said)
		}
		for _, want := range wants {
			if !strings.Contains(said, want) {
				t.Errorf("no %q in\n%s", want, said)
			}
		}
	}
	check("shard 1 of 3: done; 10 cells done, 0 of them failed, 0 missing; last sign of life ",
		"shard 3 of 3: done; 5 cells done, 0 of them failed, 0 missing; last ",
		"not started: 1 of 3 (2)\n", "together: 15 of 25 cells done, 0 failed\n")
	for kind, wants := range map[string][]string{
		"pairs": {"shard 1 of 3: incomplete; 2 cells done, 0 of them failed, 8 missing (8 no longer in the store); ", "together: 3 of 25 cells done, 0 failed\n"},
		"facts": {"shard 1 of 3: done; 10 cells done, 0 of them failed, 0 missing; ", "together: 15 of 25 cells done, 0 failed\n"}, // no row needs them
	} {
		folder := filepath.Join(out, "store", kind)
		if err := os.Rename(folder, folder+".away"); err != nil {
			t.Fatal(err)
		}
		check(wants...)
		if err := os.Rename(folder+".away", folder); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.RemoveAll(filepath.Join(out, "store", "scores")); err != nil {
		t.Fatal(err)
	}
	check("shard 1 of 3: incomplete; 0 cells done", "together: 0 of 25 cells done")
}
