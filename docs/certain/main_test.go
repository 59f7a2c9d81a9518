package main

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/qats-bench/qats/data"
)

// Rows of probability 1 and near it are counted, and those of them that are wrong.
func TestCertainRowsAreCounted(t *testing.T) {
	fits, networks := t.TempDir(), t.TempDir()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	for name, report := range map[string]string{
		"a": `{"at_bound":[{"parameter":"b","side":"lower","limit":0.001}]}`, "b": `{"at_bound":[{"parameter":"a","side":"lower"}]}`,
	} {
		must(os.WriteFile(filepath.Join(fits, name+".json"), []byte(`{"report":`+report+`}`), 0o666))
		must(data.WriteFloat64(filepath.Join(fits, name+".npy"), []float64{1, 0, 1, 0, 1e-7, 1 - 1e-7, .5, .5}, 4, 2))
		must(os.MkdirAll(filepath.Join(networks, name, "test"), 0o777))
		must(data.WriteInt32(filepath.Join(networks, name, "test", "labels.npy"), []int32{0, 1, 0, 1}, 4))
	}
	var out bytes.Buffer
	must(write(&out, fits, networks))
	if want := "network,bound,rows,ones,near,wrong\na,true,4,2,3,2\nb,false,4,2,3,2\n"; out.String() != want {
		t.Errorf("%s, want %s", &out, want)
	}
}
