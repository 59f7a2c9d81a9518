package data

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// realRoot returns the folder of predictions of trained networks, which is not
// part of the project, or skips.
func realRoot(t *testing.T) string {
	t.Helper()
	shared := os.Getenv("QATS_SHARED")
	if shared == "" {
		shared = filepath.Join("..", "..", "shared")
	}
	root := filepath.Join(shared, "real")
	if _, err := os.Stat(root); err != nil {
		t.Skip("no predictions of trained networks here")
	}
	return root
}

// TestRealLogProbs reads every set and compares LogProbs with the table in the
// folder's README, which says of each network whether logits were published.
func TestRealLogProbs(t *testing.T) {
	root := realRoot(t)
	readme, err := os.ReadFile(filepath.Join(root, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	folder, err := OpenFolder(root, Layout{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	sets := 0
	for line := range strings.Lines(string(readme)) {
		cells := strings.Split(line, "|")
		if len(cells) < 5 {
			continue
		}
		kind := strings.TrimSpace(cells[3])
		if kind != "log-probs" && !strings.HasPrefix(kind, "logits") {
			continue
		}
		for _, split := range []Split{Cal, Test} {
			ref := Ref{Dataset: strings.TrimSpace(cells[1]), Backbone: strings.TrimSpace(cells[2]), Split: split}
			parts := folder.Has(ref)
			if parts&Logits == 0 {
				continue // corrupted sets
			}
			s, err := Load(context.Background(), folder, ref, parts)
			if err != nil {
				t.Error(err)
				continue
			}
			sets++
			if got, want := LogProbs(s.Logits), kind == "log-probs"; got != want {
				t.Errorf("%s: LogProbs = %v; the README says %s", ref, got, kind)
			}
		}
	}
	if sets < 80 {
		t.Errorf("read %d sets; the README lists about 90", sets)
	}
}

// TestRealCorrupted reads a corrupted set, which lies two folders deeper and
// takes its head from the network.
func TestRealCorrupted(t *testing.T) {
	folder, err := OpenFolder(realRoot(t), Layout{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	ref := Ref{Dataset: "cifar10-jpeg-c", Backbone: "resnet56", Corruption: "fog", Severity: 3, Split: Test}
	want := Logits | Labels | Features | Head
	if got := folder.Has(ref); got != want {
		t.Fatalf("Has = %s, want %s", got, want)
	}
	s, err := Load(context.Background(), folder, ref, want)
	if err != nil {
		t.Fatal(err)
	}
	if s.Logits.Rows != 2500 || s.Logits.Cols != 10 || s.Head.W.Rows != 10 || len(s.Head.B) != 10 {
		t.Errorf("read logits %d x %d, head %d x %d", s.Logits.Rows, s.Logits.Cols, s.Head.W.Rows, s.Head.W.Cols)
	}
}
