// Package bundletest finds data/bundle, the arrays of real networks, for tests.
package bundletest

import (
	"os"
	"path/filepath"
	"testing"
)

// Folder returns the path of data/bundle, for a test of any package of the project. It skips the test where there is
// none: data/bundle is a module of its own, so the project's module in the module cache lacks it.
func Folder(t testing.TB) string {
	t.Helper()
	root := "."
	for range 8 {
		if _, err := os.Stat(filepath.Join(root, "go.mod")); err == nil {
			folder := filepath.Join(root, "data", "bundle")
			if _, err := os.Stat(folder); err != nil {
				t.Skip("data/bundle is not here: it is a module of its own, and in every checkout")
			}
			return folder
		}
		root = filepath.Join(root, "..")
	}
	t.Fatal("no go.mod above the folder of the test")
	return ""
}
