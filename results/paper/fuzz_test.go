package paper

import (
	"bytes"
	"strings"
	"testing"
)

// FuzzPublished hands arbitrary bytes to the reader of published numbers. An error names
// the file and is one line.
func FuzzPublished(f *testing.F) {
	lines := bytes.SplitAfterN(published, []byte("\n"), 30)
	f.Add(bytes.Join(lines[:29], nil))
	f.Add(bytes.Join(lines[:2], nil))
	f.Add(bytes.ReplaceAll(bytes.Join(lines[:3], nil), []byte("."), []byte("e")))
	f.Fuzz(func(t *testing.T, file []byte) {
		list, err := Decode(bytes.NewReader(file), "fuzz")
		if err != nil && (!strings.HasPrefix(err.Error(), "fuzz:") || strings.Contains(err.Error(), "\n")) {
			t.Fatalf("an error of several lines, or without a place: %v", err)
		}
		for _, n := range list {
			if err := check(n); err != nil {
				t.Fatal(err)
			}
		}
	})
}
