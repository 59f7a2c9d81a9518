package inspect

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/qats-bench/qats/data/npy"
)

// The findings of many settings, whose sets are read together, are in the order of the
// settings, each once, whether there are more of them than are read at a time or fewer.
func TestFindingsAreInTheOrderOfTheSettings(t *testing.T) {
	const networks = unitsAtOnce + 3
	dir := t.TempDir()
	logits, labels := []float32{1, 0, 0, 0, 1, 0, 0, 0, 1}, []int32{0, 1, 2}
	for i := range networks {
		for _, split := range []string{"cal", "test"} {
			at := filepath.Join(dir, "d", fmt.Sprintf("n%03d", i), split)
			if err := errors.Join(os.MkdirAll(at, 0o777), npy.WriteFloat32(filepath.Join(at, "logits.npy"), logits, 3, 3),
				npy.WriteInt32(filepath.Join(at, "labels.npy"), labels, 3)); err != nil {
				t.Fatal(err)
			}
		}
	}
	last := 0
	in, err := Folder(t.Context(), dir, func(done, all int, _ string) {
		if done <= last || all != networks {
			t.Errorf("%d of %d settings after %d", done, all, last)
		}
		last = done
	})
	if err != nil || len(in.Sets) != 2*networks || last != networks {
		t.Fatalf("%d sets, %d done (%v)", len(in.Sets), last, err)
	}
	for i := range networks {
		cal, test := fmt.Sprintf("d/n%03d/cal", i), fmt.Sprintf("d/n%03d/test", i)
		if in.Sets[2*i].Set != cal || in.Sets[2*i+1].Set != test {
			t.Errorf("sets %d: %s, %s", i, in.Sets[2*i].Set, in.Sets[2*i+1].Set)
		}
		if f := in.Problems[i]; f.Severity != Error || f.Place != cal+" and "+test {
			t.Errorf("finding %d: %+v", i, f)
		}
	}
}
