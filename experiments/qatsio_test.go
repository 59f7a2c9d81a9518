package experiments

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/qats-bench/qats/data"
	"github.com/qats-bench/qats/results"
)

// TestQatsIOSavesWhatQatsReads, and reads what it writes. It needs python3 with
// numpy.
func TestQatsIOSavesWhatQatsReads(t *testing.T) {
	python := ""
	for _, name := range []string{"python3", "/usr/bin/python3"} {
		if exec.Command(name, "-c", "import numpy").Run() == nil {
			python = name
			break
		}
	}
	if python == "" {
		t.Skip("no python3 with numpy")
	}
	dir := t.TempDir()
	cell := results.Setting{Experiment: "e", Dataset: "d", Backbone: "b", Loss: "ce"}
	wide := filepath.Join(dir, "results-wide.csv")
	if err := results.Folder(dir).Write(&results.Rows{Records: []results.Record{
		{Setting: cell, Method: "ts", Metric: "ece", Value: .25, N: 2, Source: "measured", Status: results.OK},
		{Setting: cell, Method: "gc", Metric: "ece", Status: results.Skip, Note: results.Because("no features")},
	}}); err != nil {
		t.Fatal(err)
	}
	script := `
import sys
sys.path.insert(0, "external")
import qats_io
qats_io.save(sys.argv[1] + "/set", "cal", [[0, 1.5, 2], [3, 4, -5]], [2, 1])
try:
    qats_io.save(sys.argv[1], "bad", [[1, 2]], [1, 2, 3])
except ValueError as e:
    print(e)
for hide in False, True:
    if hide:
        sys.modules["pandas"] = None
    t = qats_io.read(sys.argv[2])
    print(list(t["method"]), float(t["ece"][0]), t["ece"][1] != t["ece"][1])
`
	out, err := exec.Command(python, "-B", "-c", script, dir, wide).CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	if len(lines) != 3 || lines[0] != "logits are n x k and labels n, these are (1, 2) and (3,)" {
		t.Errorf("%s", out)
	}
	for _, l := range lines[1:] {
		if strings.ReplaceAll(strings.ReplaceAll(l, "np.str_(", ""), ")", "") != "['ts', 'gc'] 0.25 True" {
			t.Errorf("read: %s", l)
		}
	}
	set, err := data.ReadSet(filepath.Join(dir, "set", "cal", "logits.npy"), filepath.Join(dir, "set", "cal", "labels.npy"))
	if err != nil {
		t.Fatal(err)
	}
	if set.Logits.Rows != 2 || set.Logits.Cols != 3 || set.Logits.Row(1)[2] != -5 || set.Labels[0] != 2 {
		t.Errorf("%+v", set)
	}
}
