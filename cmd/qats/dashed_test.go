package main

import (
	"bytes"
	"os"
	"strings"
	"testing"
)

// A shell puts the names of files in the place of *. None of them is taken for a flag.
func TestNamesOfFilesAreNoFlags(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, name := range []string{"--allow-exec=1", "-q", "-", "--", "-mine.yaml"} {
		if err := os.WriteFile(name, []byte("name: mine\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		args    []string
		refused string // the argument; "" if the command is read
	}{
		{[]string{"run", "--allow-exec=1", "mine.yaml"}, "--allow-exec=1"},
		{[]string{"--allow-exec=1"}, "--allow-exec=1"},
		{[]string{"doc", "-q"}, "-q"}, // a flag that exists is refused too
		{[]string{"apply", "m.json", "--logits", "-mine.yaml"}, "-mine.yaml"},
		{[]string{"doc", "--quiet"}, ""},
		{[]string{"check", "./--allow-exec=1"}, ""},
		{[]string{"run", "--", "-mine.yaml"}, ""},
		{[]string{"try", "-"}, ""},
	} {
		var stdout, stderr bytes.Buffer
		status := run(t.Context(), c.args, &stdout, &stderr)
		said := stderr.String()
		if c.refused == "" {
			if strings.Contains(said, "the file of this name") {
				t.Errorf("%q: %s", c.args, said)
			}
			continue
		}
		if status != exitUsage || !strings.Contains(said, c.refused+" may be a flag, or the file of this name in this folder") || !strings.Contains(said, "./"+c.refused) {
			t.Errorf("%q: status %d, %s", c.args, status, said)
		}
	}
}
