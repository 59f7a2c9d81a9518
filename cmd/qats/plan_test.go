package main

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/qats-bench/qats/data/npy"
)

// TestPlanChangesNothing: it makes no folder and no file, reads no large file, and
// says which arrays cannot be read.
func TestPlanChangesNothing(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, filepath.FromSlash(name)) }
	small, labels := make([]float32, 60), make([]int32, 30)
	var errs []error
	for _, set := range []string{"d/small/cal", "d/small/test", "d/large/cal", "d/large/test", "d/cut/cal", "d/cut/test"} {
		errs = append(errs, os.MkdirAll(at(set), 0o777), npy.WriteFloat32(at(set+"/logits.npy"), small, 30, 2), npy.WriteInt32(at(set+"/labels.npy"), labels, 30))
	}
	const rows = 13_000_000 // 104 MB; the file has no blocks on the disk
	header := npyOf(dict("<f4", "(13000000, 2)"))
	errs = append(errs, os.WriteFile(at("d/large/cal/logits.npy"), header, 0o666), os.Truncate(at("d/large/cal/logits.npy"), int64(len(header))+8*rows),
		os.WriteFile(at("d/large/cal/labels.npy"), npyOf(dict("|i1", "(13000000,)")), 0o666), os.Truncate(at("d/large/cal/labels.npy"), int64(len(npyOf(dict("|i1", "(13000000,)"))))+rows),
		os.Truncate(at("d/cut/cal/logits.npy"), 200),
		os.WriteFile(at("s.yaml"), []byte("name: s\nmethods: [uncal, ts, qats]\nmetrics: [ece]\nsettings: {dataset: d, backbone: [small, large, cut]}\n"), 0o666))
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
	var stdout, stderr strings.Builder
	if status := run(context.Background(), []string{"run", "-n", at("s.yaml"), "--data", dir, "--out", at("out")}, &stdout, &stderr); status != exitOK {
		t.Fatalf("status %d: %s", status, stderr.String())
	}
	for _, want := range []string{
		"s d/small (measured): 3 miss\n",
		"s d/large (measured): 1 miss 2 unknown\n",
		"    unknown ts and qats: " + filepath.ToSlash(dir) + "/d/large/cal/logits.npy: not hashed yet (0.1 GB)\n",
		"s d/cut (measured): 1 miss 2 fail\n",
		"    fail  ts and qats: " + filepath.ToSlash(dir) + "/d/cut/cal/logits.npy: truncated: 72 of the 240 bytes that (30, 2) float32 needs\n",
		"3 settings: 3 measured, 0 simulated, 0 without arrays; cells: 5 miss 2 unknown 2 fail\nnot hashed yet: 1 file, 0.1 GB\n",
	} {
		if !strings.Contains(stdout.String(), want) {
			t.Errorf("lacks %q:\n%s", want, stdout.String())
		}
	}
	if _, err := os.Stat(at("out")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the output folder was made: %v", err)
	}
}
