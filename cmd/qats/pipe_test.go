package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// TestAReaderThatIsGoneEndsNoCommand: compare, whose output head may have had enough of, has
// written its files and succeeds; so does a command that writes bytes.
func TestAReaderThatIsGoneEndsNoCommand(t *testing.T) {
	out := t.TempDir()
	if err := os.CopyFS(out, os.DirFS(exampleResults(t))); err != nil {
		t.Fatal(err)
	}
	model := filepath.Join(out, "model.json")
	set := filepath.Join("..", "..", "data", "example", "example", "unsure-overscaled")
	fit := []string{"fit", "ts", "--logits", filepath.Join(set, "cal", "logits.npy"), "--labels", filepath.Join(set, "cal", "labels.npy"), "-o", model}
	for _, args := range [][]string{
		{"compare", "--out", out},
		{"compare", "--out", out, "--json"},
		fit,
		{"apply", model, "--logits", filepath.Join(set, "test", "logits.npy"), "-o", "-"},
		{"doc", "methods"},
	} {
		r, w, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		cmd := child(args...)
		var stderr bytes.Buffer
		cmd.Stdout, cmd.Stderr = w, &stderr
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		w.Close()
		r.Close()
		if err := cmd.Wait(); err != nil || strings.Contains(stderr.String(), "pipe") {
			t.Errorf("%s: %v\n%s", args[0], err, stderr.String())
		}
	}
	for _, name := range []string{"ece-simulated.txt", "nll-simulated.tex", "index.html"} {
		if _, err := os.Stat(filepath.Join(out, "compare", name)); err != nil {
			t.Errorf("compare has not written %s", name)
		}
	}
}

// TestOutputTellsAGoneReaderFromAFullDisk.
func TestOutputTellsAGoneReaderFromAFullDisk(t *testing.T) {
	for _, c := range []struct {
		err  error
		want error
	}{{nil, nil}, {&os.PathError{Op: "write", Path: "/dev/stdout", Err: syscall.EPIPE}, nil}, {syscall.ENOSPC, syscall.ENOSPC}} {
		writes := 0
		o := &output{w: writerFunc(func(b []byte) (int, error) {
			if writes++; c.err != nil {
				return 0, c.err
			}
			return len(b), nil
		})}
		for range 2 {
			if n, err := io.WriteString(o, "text"); !errors.Is(err, c.want) || err == nil && n != 4 {
				t.Errorf("%v: %d bytes, %v", c.err, n, err)
			}
		}
		if !errors.Is(o.err, c.want) || o.gone != (c.err != nil && c.want == nil) || o.gone && writes != 1 {
			t.Errorf("%v: %s after %d writes", c.err, fmt.Sprint(o.err, o.gone), writes)
		}
	}
}

type writerFunc func([]byte) (int, error)

func (f writerFunc) Write(b []byte) (int, error) { return f(b) }
