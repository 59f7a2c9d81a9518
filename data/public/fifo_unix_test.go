//go:build unix

package public

import (
	"path/filepath"
	"syscall"
	"testing"
)

// TestPipesAreRejected by every format; opening one would wait for ever.
func TestPipesAreRejected(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for format, name := range map[string]string{"nncal": "probs_net_c10_logits.p", "calarena": "a.h5", "groupcal": "cifar10_net_val.pkl",
		"medmnist": "a.zip", "csv": "a.csv"} {
		pipe := filepath.Join(dir, name)
		if err := syscall.Mkfifo(pipe, 0o666); err != nil {
			t.Skip(err)
		}
		_, o := fixtures(t, format)
		says(t, format, []string{pipe}, o, "not a")
	}
}
