package formats

import (
	"io/fs"
	"testing"

	"github.com/qats-bench/qats/data/npy"
)

// forms are the forms of these tests.
var forms = List{NPY{}, NPZ{}, Safetensors{}, Table{Names: []string{".csv", ".tsv", ".csv.gz"}}}

func open(fsys fs.FS, name string) (*npy.Array, error) { return forms.Locate(fsys, name).Array() }

// TestFormsOfNames: the ending says the form, in any case. A member is cut off where the form has some.
func TestFormsOfNames(t *testing.T) {
	for _, c := range []struct {
		name, path, member, ending, stem string
		content                          Content
	}{
		{"d/logits.npy", "d/logits.npy", "", ".npy", "logits", One},
		{"d/a.NPZ#logits.npy", "d/a.NPZ", "logits", ".NPZ", "a", Several},
		{"a.safetensors#x.npy", "a.safetensors", "x.npy", ".safetensors", "a", Several},
		{"a.v2.csv.gz#logits", "a.v2.csv.gz", "logits", ".csv.gz", "a.v2", Rows},
		{"a.tsv", "a.tsv", "", ".tsv", "a", Rows},
		{"-#logits", "-", "logits", "", "-", Several},
		{"a.gz", "a.gz", "", "", "a", One},
		{"a#b.npy", "a#b.npy", "", ".npy", "a#b", One},
		{"a.npy#b", "a.npy#b", "", "", "a", One},
		{"#a.npz", "#a.npz", "", ".npz", "#a", Several},
		{"npy", "npy", "", "", "npy", One},
	} {
		l := forms.Locate(nil, c.name)
		_, ending := forms.Match(l.Path)
		if l.Path != c.path || l.Member != c.member || ending != c.ending || forms.Stem(l.Path) != c.stem || l.named().Content() != c.content {
			t.Errorf("%s: %q, member %q, ending %q, stem %q, content %d", c.name, l.Path, l.Member, ending, forms.Stem(l.Path), l.named().Content())
		}
	}
}
