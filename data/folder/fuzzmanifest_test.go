package folder

import (
	"bytes"
	"reflect"
	"strings"
	"testing"

	"github.com/qats-bench/qats/data"
	"github.com/qats-bench/qats/data/npytest"
)

// FuzzManifest hands arbitrary texts to the reader of manifest.yaml. An error names the
// file and is one line; what is accepted survives being written and read again, and
// describes any set.
func FuzzManifest(f *testing.F) {
	f.Add("layout: \"{dataset}/{backbone}/{split}_{array}.npy\"\nsets:\n  - {set: a/*, kind: probs, source: simulated, note: n, from: f, samples: s, licence: l}\n  - {set: a/b, paper: true}\n")
	f.Add("files:\n  a/b.npz#c: {shape: [2, 3], sha256: " + strings.Repeat("0", 64) + "}\nsources:\n  x: {sha256: " + strings.Repeat("f", 64) + ", bytes: 12, url: u}\n")
	f.Add("sets:\n  - {set: a, kind: confidence, classes: 10}\n  - {set: b, classes: 1}\n")
	f.Add("sets: &a [*a]\n")
	f.Add("sets:\n  - set: \"[a\"\n    stand-in: |\n      x\n")
	f.Add("---\n---\n")
	f.Fuzz(func(t *testing.T, text string) {
		read := func(text []byte) (Manifest, error) { return readManifest(npytest.FS(data.ManifestName, text), "d") }
		first, err := read([]byte(text))
		if err != nil {
			if !strings.HasPrefix(err.Error(), "d/"+data.ManifestName+":") || strings.Contains(err.Error(), "\n") {
				t.Fatalf("an error of several lines, or without a place: %q", err)
			}
			return
		}
		first.merged(setNamesIn{data.Ref{Dataset: "a", Backbone: "b", Corruption: "fog", Severity: 1, Split: data.Test}.Segments()})
		var b bytes.Buffer
		if err := first.encode(&b); err != nil {
			t.Fatal(err)
		}
		second, err := read(b.Bytes())
		if err != nil || len(first.Sets)+len(second.Sets) > 0 && !reflect.DeepEqual(first.Sets, second.Sets) {
			t.Fatalf("%+v\nwas written as\n%s\nand read as %+v (%v)", first, &b, second, err)
		}
	})
}
