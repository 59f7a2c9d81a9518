package main

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestTheAnswerInTheReadme: results/shown/try.txt, which README.md shows, has the answer of
// the program on a network of the project, without the times of fits.
func TestTheAnswerInTheReadme(t *testing.T) {
	want, err := os.ReadFile(filepath.Join("..", "..", "results", "shown", "try.txt"))
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(filepath.Join("..", "..")) // the answer has the paths that it was given
	var out strings.Builder
	if status := run(context.Background(), []string{"try", "data/bundle/20newsgroups-body/transformer-d64-l2", "--quiet"}, &out, io.Discard); status != exitOK {
		t.Fatalf("status %d: %s", status, out.String())
	}
	got := strings.Split(out.String(), "\n")
	shown := strings.Split(strings.TrimSuffix(string(want), "\n"), "\n")
	if len(shown) != answerLines {
		t.Errorf("results/shown/try.txt has %d lines, an answer %d", len(shown), answerLines)
	}
	for i, line := range shown {
		if rest, ok := strings.CutPrefix(got[i], line); !ok || len(rest) > len("      0.01 s") {
			t.Errorf("line %d of the answer is\n%s\nand results/shown/try.txt has\n%s\n(make findings)", i+1, got[i], line)
		}
	}
}
