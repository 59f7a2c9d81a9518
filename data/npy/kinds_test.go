package npy

import (
	"testing"
)

// A file is of torch.save by its ending, in any case; an ending alone is no file of it.
func TestFilesOfTorch(t *testing.T) {
	for name, want := range map[string]bool{"a.pt": true, "a.PTH": true, "d/a.pth": true, ".pt": false, "a.ptx": false, "a": false} {
		if got := IsTorch(name); got != want {
			t.Errorf("%s: %v", name, got)
		}
	}
}
