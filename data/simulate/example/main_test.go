package main

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

// TestCommittedArraysAreTheDrawnOnes draws them again and compares.
func TestCommittedArraysAreTheDrawnOnes(t *testing.T) {
	drawn, committed := t.TempDir(), filepath.Join("..", "..", "example")
	if err := write(drawn); err != nil {
		t.Fatal(err)
	}
	files := 0
	err := fs.WalkDir(os.DirFS(drawn), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		files++
		want, err := os.ReadFile(filepath.Join(drawn, name))
		if err != nil {
			return err
		}
		got, err := os.ReadFile(filepath.Join(committed, name))
		if err != nil {
			return err
		}
		if !bytes.Equal(got, want) {
			t.Errorf("%s differs from what is drawn; make draw", name)
		}
		return nil
	})
	if err != nil || files == 0 {
		t.Fatal(files, err)
	}
}
