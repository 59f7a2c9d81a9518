package main

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// The blocks of docs/formats.md that apply a model without the program give the probabilities
// of qats apply, on a network of data/demo. Without numpy there is nothing to compare with.
func TestModelsInNumpy(t *testing.T) {
	if testing.Short() {
		t.Skip("fits and applies fourteen models")
	}
	if exec.Command("python3", "-c", "import numpy").Run() != nil {
		t.Skip("python3 has no numpy")
	}
	text, err := os.ReadFile("../../docs/formats.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(text), "### A model without the program")
	section, _, _ = strings.Cut(section, "\n### ")
	blocks := regexp.MustCompile("(?s)```python\n(.*?)```").FindAllStringSubmatch(section, -1)
	if len(blocks) < 2 {
		t.Fatal("docs/formats.md has no blocks")
	}
	network, err := filepath.Abs("../../data/demo/20newsgroups-body/transformer-d64-l2")
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	logits, err := os.ReadFile(filepath.Join(network, "test", "logits.npy"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile("logits.npy", logits, 0o666); err != nil {
		t.Fatal(err)
	}
	qats := func(args ...string) {
		t.Helper()
		var stderr strings.Builder
		if status := run(context.Background(), args, &strings.Builder{}, &stderr); status != exitOK {
			t.Fatalf("qats %s: %s", strings.Join(args, " "), stderr.String())
		}
	}
	for _, block := range blocks[1:] {
		head, code, _ := strings.Cut(block[1], "\n")
		if lines := strings.Count(code, "\n"); lines > 6 {
			t.Errorf("%s: %d lines", head, lines)
		}
		for _, method := range strings.Fields(strings.TrimPrefix(head, "#")) {
			qats("fit", method, "--logits", filepath.Join(network, "cal", "logits.npy"), "--labels", filepath.Join(network, "cal", "labels.npy"), "-o", "model.json")
			qats("apply", "model.json", "--logits", "logits.npy", "-o", "probs.npy")
			script := blocks[0][1] + code + "\nprint(abs(p - np.load('probs.npy')).max())"
			out, err := exec.Command("python3", "-c", script).CombinedOutput()
			if err != nil {
				t.Errorf("%s: %v: %s", method, err, out)
				continue
			}
			if off, err := strconv.ParseFloat(strings.TrimSpace(string(out)), 64); err != nil || !(off < 1e-9) {
				t.Errorf("%s: probabilities differ by %s", method, out)
			}
		}
	}
}
