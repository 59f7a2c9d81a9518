package main

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/qats-bench/qats/data/npy"
)

// TestTruncatedArraysAreNamed: an array that is cut while a command reads it, large
// enough to be mapped, ends the command with one line that names the file, or the
// command was done with it. Nothing crashes.
func TestTruncatedArraysAreNamed(t *testing.T) {
	if testing.Short() {
		t.Skip("writes 35 MB and starts processes")
	}
	const n, k = 440_000, 10 // 17 MB of logits
	dir := t.TempDir()
	logits, labels := filepath.Join(dir, "logits.npy"), filepath.Join(dir, "labels.npy")
	values, classes := make([]float32, n*k), make([]int32, n)
	for i := range classes {
		classes[i] = int32(i * 7 % k)
		values[i*k+i%k] = float32(i%97) / 10
		values[i*k+i*7%k] += float32(i%89) / 10
	}
	write := func() {
		t.Helper()
		if err := errors.Join(npy.WriteFloat32(logits, values, n, k), npy.WriteInt32(labels, classes, n)); err != nil {
			t.Fatal(err)
		}
	}
	write()
	commands := [][]string{{"score", "--logits", logits, "--labels", labels}}
	for _, method := range []string{"ts", "ir", "vs"} {
		commands = append(commands, []string{"fit", method, "--logits", logits, "--labels", labels, "-o", os.DevNull})
	}
	named := 0
	for i, args := range commands {
		for j, path := range []string{logits, labels} {
			cmd := child(args...)
			var stderr strings.Builder
			cmd.Stderr = &stderr
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			time.Sleep(time.Duration(10+(37*i+23*j)%60) * time.Millisecond)
			info, err := os.Stat(path)
			if err != nil {
				t.Fatal(err)
			}
			if err := os.Truncate(path, info.Size()/3); err != nil {
				t.Fatal(err)
			}
			cmd.Wait()
			said := stderr.String()
			switch status := cmd.ProcessState.ExitCode(); {
			case status == exitOK:
			case status == exitUsage && strings.Count(said, "\n") == 1 && strings.Contains(said, path):
				named++
			default:
				t.Errorf("qats %v, %s cut: status %d, %.300s", args, filepath.Base(path), status, said)
			}
			write()
		}
	}
	if named == 0 {
		t.Error("every command was faster than the cut")
	}
}
