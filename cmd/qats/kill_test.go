package main

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/qats-bench/qats/internal/leftover"
)

// TestKilledRunResumes kills a run of the example in another process as soon as some
// objects are in its store. The next run does the rest and writes the same bytes as
// an undisturbed run.
func TestKilledRunResumes(t *testing.T) {
	if testing.Short() {
		t.Skip("starts and kills runs; experiments tests runs that go on")
	}
	spec := filepath.Join("..", "..", "experiments", "example.yaml")
	alone, killed := exampleResults(t), t.TempDir()
	qats := func(out string) string {
		t.Helper()
		var stdout, stderr strings.Builder
		if status := run(context.Background(), []string{"run", spec, "--out", out}, &stdout, &stderr); status != exitOK {
			t.Fatalf("status %d: %s", status, stderr.String())
		}
		return stdout.String()
	}
	for _, objects := range []int{1, 15, 40} {
		cmd := childOfExample(killed, 1)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		ended := make(chan struct{})
		go func() { cmd.Wait(); close(ended) }()
		for running := true; running && stored(killed) < objects; {
			select {
			case <-ended:
				running = false
			default:
			}
		}
		cmd.Process.Kill()
		<-ended
		if objects == 1 && stored(killed) == 0 {
			t.Fatal("the run was killed before it stored anything")
		}
	}
	if _, err := os.Stat(filepath.Join(killed, "results.csv")); err == nil {
		t.Log("the run ended before it was killed") // the bytes must still agree
	}
	if said := qats(killed); strings.Contains(said, "25 scored now") {
		t.Errorf("nothing was kept: %s", said)
	}
	for _, name := range []string{"results.csv", "bins.csv", "pairs.csv"} {
		want, err := os.ReadFile(filepath.Join(alone, name))
		if err != nil {
			t.Fatal(err)
		}
		got, err := os.ReadFile(filepath.Join(killed, name))
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, want) {
			t.Errorf("%s differs after the kill", name)
		}
	}
}

// child returns a process that runs the program with the arguments, and is not a test: it
// leaves nothing behind when it ends or is killed.
func child(args ...string) *exec.Cmd {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), childArgs+"="+strings.Join(args, "\n"))
	return cmd
}

// childOfExample returns a child that runs the example into a folder.
func childOfExample(out string, workers int) *exec.Cmd {
	spec := filepath.Join("..", "..", "experiments", "example.yaml")
	return child("run", spec, "--out", out, "--workers", strconv.Itoa(workers))
}

// TestInterruptedRunSaysWhatItKeeps interrupts another process: it prints how many
// cells are kept, and ends with the status of the signal.
func TestInterruptedRunSaysWhatItKeeps(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("there is no Ctrl-C to send to one process")
	}
	for signal, want := range map[os.Signal]int{os.Interrupt: exitInterrupted, syscall.SIGTERM: exitTerminated} {
		t.Run(signal.String(), func(t *testing.T) { interrupts(t, signal, want) })
	}
}

func interrupts(t *testing.T, signal os.Signal, want int) {
	out := t.TempDir()
	cmd := childOfExample(out, 1)
	var stdout, stderr strings.Builder
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	for end := time.Now().Add(time.Minute); stored(out) == 0 && time.Now().Before(end); {
		time.Sleep(time.Millisecond)
	}
	cmd.Process.Signal(signal)
	cmd.Wait()
	said := regexp.MustCompile(`^qats: interrupted: (\d+) of 25 cells are done and kept; run again to go on\n$`).FindStringSubmatch(stderr.String())
	if status := cmd.ProcessState.ExitCode(); status != want || said == nil || said[1] == "25" || stdout.String() != "" {
		t.Fatalf("status %d, standard error %q, standard output %q", status, stderr.String(), stdout.String())
	}
	if _, err := os.Stat(filepath.Join(out, "results.csv")); err == nil {
		t.Error("results of a part were written")
	}
}

// stored counts the objects of a store, the unfinished ones too.
func stored(out string) int {
	n := 0
	filepath.WalkDir(filepath.Join(out, "store"), func(_ string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			n++
		}
		return nil
	})
	return n
}

// TestFilesOfKilledWritersAreRemoved by run, report and page.
// Those of a living writer stay.
func TestFilesOfKilledWritersAreRemoved(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("processes are not looked up")
	}
	out, spec := t.TempDir(), filepath.Join(project(t), "experiments", "example.yaml")
	if err := os.CopyFS(out, os.DirFS(exampleResults(t))); err != nil {
		t.Fatal(err)
	}
	living := leftover.Suffix()
	_, pid, _ := leftover.Owner(living)
	gone := strings.Replace(living, "-"+strconv.Itoa(pid)+"-", "-"+strconv.Itoa(1<<22+1)+"-", 1) // Linux has no process above 2^22
	if _, _, ok := leftover.Owner(gone); !ok || gone == living {
		t.Fatal(pid, living, gone)
	}
	for _, args := range [][]string{{"report", out}, {"run", spec, "--out", out}, {"report", spec, "--out", out}} {
		dead, alive := filepath.Join(out, ".index.html.tmp-"+gone), filepath.Join(out, ".index.html.tmp-"+living)
		if err := errors.Join(os.WriteFile(dead, nil, 0o666), os.WriteFile(alive, nil, 0o666)); err != nil {
			t.Fatal(err)
		}
		var stdout, stderr strings.Builder
		if status := run(t.Context(), args, &stdout, &stderr); status != exitOK {
			t.Fatalf("%v: %s", args, stderr.String())
		}
		if _, err := os.Stat(dead); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s leaves the file of a killed writer (%v)", args[0], err)
		}
		if _, err := os.Stat(alive); err != nil {
			t.Errorf("%s: %v", args[0], err)
		}
	}
}
