package formats

import (
	"strings"
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

// Labels and targets of torch are integers.
func TestRemedyForTorchFilesKeepsIntegers(t *testing.T) {
	for name, want := range map[string]string{"a/test_labels.pt": "t.cpu()", "targets.pth": "t.cpu()", "labels/logits.pt": "t.float().cpu()"} {
		if got := TorchProblem(name).Error(); !strings.Contains(got, want+".numpy())") {
			t.Errorf("%s: %s", name, got)
		}
	}
}
