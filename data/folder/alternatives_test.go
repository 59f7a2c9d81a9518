package folder

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"testing"
	"testing/fstest"

	"github.com/qats-bench/qats/data"
	"github.com/qats-bench/qats/data/npy"
	"github.com/qats-bench/qats/data/npytest"
)

// members is an .npz of a head (2 x 3 and 2), logits 1 x 2 of value v and one label,
// under the given names.
func members(v float32, logits, labels string, more ...any) []byte {
	return npytest.Zip(0, append([]any{
		logits + ".npy", append(npy.HeaderBytes(npy.Float32, []int{1, 2}), npytest.Bytes([]float32{v, 0})...),
		labels + ".npy", append(npy.HeaderBytes(npy.Int32, []int{1}), npytest.Bytes([]int32{0})...),
	}, more...)...)
}

// TestSetsAreFoundInTheirPlaces: in the default layout a set is an array a file, a set
// a file or a network a file, and a calibration set has one of several names.
func TestSetsAreFoundInTheirPlaces(t *testing.T) {
	head := []any{
		"head_weight.npy", append(npy.HeaderBytes(npy.Float32, []int{2, 3}), make([]byte, 24)...),
		"head_bias.npy", append(npy.HeaderBytes(npy.Float32, []int{2}), make([]byte, 8)...),
		"ood_logits.npy", append(npy.HeaderBytes(npy.Float32, []int{1, 2}), make([]byte, 8)...),
	}
	oneRow := func(v float32) []byte {
		return append(npy.HeaderBytes(npy.Float32, []int{1, 2}), npytest.Bytes([]float32{v, 0})...)
	}
	label := append(npy.HeaderBytes(npy.Int32, []int{1}), make([]byte, 4)...)
	tensors := npytest.Tensors(`{"logits":{"dtype":"F32","shape":[1,2],"data_offsets":[0,8]},"labels":{"dtype":"I32","shape":[1],"data_offsets":[8,12]}}`,
		append(npytest.Bytes([]float32{9, 0}), 0, 0, 0, 0)...)
	both := npytest.Zip(0,
		"val_logits.npy", oneRow(1), "val_labels.npy", label, "test_logits.npy", oneRow(2), "test_labels.npy", label,
		head[0], head[1], head[2], head[3], head[4], head[5])
	for name, c := range map[string]struct {
		files  fstest.MapFS
		layout string
		ref    data.Ref
		first  float32 // the first logit read
		has    data.Parts
	}{
		"a set a file":       {fstest.MapFS{"d/b/cal.npz": {Data: members(3, "logits", "labels")}}, "", data.Ref{Split: data.Cal}, 3, data.Logits | data.Labels},
		"a network a file":   {fstest.MapFS{"d/b.npz": {Data: both}}, "", data.Ref{Split: data.Test}, 2, data.Logits | data.Labels | data.Head | data.OOD},
		"its validation set": {fstest.MapFS{"d/b.npz": {Data: both}}, "", data.Ref{Split: data.Cal}, 1, data.Logits | data.Labels | data.Head | data.OOD},
		"safetensors":        {fstest.MapFS{"d/b/val.safetensors": {Data: tensors}}, "", data.Ref{Split: data.Cal}, 9, data.Logits | data.Labels},
		"a loss":             {fstest.MapFS{"d/b/focal/test.npz": {Data: members(4, "logits", "labels")}}, "", data.Ref{Loss: "focal", Split: data.Test}, 4, data.Logits | data.Labels},
		"a corruption": {fstest.MapFS{"d/b/fog/3.npz": {Data: members(5, "logits", "labels")}, "d/b.npz": {Data: both}}, "",
			data.Ref{Corruption: "fog", Severity: 3, Split: data.Test}, 5, data.Logits | data.Labels | data.Head | data.OOD},
		"cal comes before val": {fstest.MapFS{"d/b/cal.npz": {Data: members(6, "logits", "labels")}, "d/b/val/logits.npy": {Data: oneRow(7)}, "d/b/val/labels.npy": {Data: label}},
			"", data.Ref{Split: data.Cal}, 6, data.Logits | data.Labels},
		"files before members": {fstest.MapFS{"d/b/test.npz": {Data: members(6, "logits", "labels")}, "d/b/test/logits.npy": {Data: oneRow(7)}},
			"", data.Ref{Split: data.Test}, 7, data.Logits},
		"a stated layout":        {fstest.MapFS{"val.npz": {Data: members(8, "logits", "labels")}}, "{split}.npz#{array}", data.Ref{Split: data.Cal}, 8, data.Logits | data.Labels},
		"it has no alternatives": {fstest.MapFS{"d/b/test.npz": {Data: members(8, "logits", "labels")}}, "{dataset}/{split}.npz#{array}", data.Ref{Split: data.Test}, 0, 0},
		"separators":             {fstest.MapFS{"test_logits.npy": {Data: oneRow(1)}, "head_weight.npy": {Data: head[1].([]byte)}, "head_bias.npy": {Data: head[3].([]byte)}}, "{split}_{array}.npy", data.Ref{Split: data.Test}, 1, data.Logits | data.Head},
	} {
		layout := Layout{c.layout}
		folder, err := New(c.files, "a", layout, nil)
		if err != nil {
			t.Fatal(err)
		}
		ref := c.ref
		ref.Dataset, ref.Backbone = "d", "b"
		if got := folder.Has(ref); got != c.has {
			t.Errorf("%s: has %s, want %s", name, got, c.has)
		}
		if c.has == 0 {
			continue
		}
		s, err := data.Load(context.Background(), folder, ref, c.has)
		if err != nil || s.Logits.Data[0] != c.first {
			t.Errorf("%s: %v, %v", name, s, err)
		}
		if _, err := folder.Digest(context.Background(), ref, c.has); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestManifestStatesTheLayoutOfItsFolder, whatever the layout of the spec.
func TestManifestStatesTheLayoutOfItsFolder(t *testing.T) {
	fsys := fstest.MapFS{
		"manifest.yaml": {Data: []byte("layout: \"{backbone}-{split}.npz#{array}\"\n")},
		"net-test.npz":  {Data: members(3, "logits", "labels")},
	}
	spec, err := ParseLayout("{split}.npz#{array}")
	if err != nil {
		t.Fatal(err)
	}
	folder, err := New(fsys, "a", spec, nil)
	if err != nil {
		t.Fatal(err)
	}
	if got := folder.Has(data.Ref{Dataset: "d", Backbone: "net", Split: data.Test}); got != data.Logits|data.Labels {
		t.Errorf("has %s", got)
	}
	fsys["manifest.yaml"].Data = []byte("sets: []\nlayout: \"{array}.npy\"\n")
	_, err = New(fsys, "a", spec, nil)
	if want := `a/manifest.yaml:2:9: layout "{array}.npy": has no {split}: different arrays would be the same file`; fmt.Sprint(err) != want {
		t.Errorf("got  %v\nwant %s", err, want)
	}
}

// TestAlternativesBeginWithTheLayout, and no two of a set are the same file.
func TestAlternativesBeginWithTheLayout(t *testing.T) {
	for _, ref := range []data.Ref{{Dataset: "d", Backbone: "b", Split: data.Cal}, {Dataset: "d", Backbone: "b", Loss: "focal", Split: data.Test}} {
		all, err := Layout{}.alternatives(ref)
		if err != nil {
			t.Fatal(err)
		}
		first, err := Layout{}.Files(ref)
		if err != nil || !reflect.DeepEqual(all[0], first) {
			t.Errorf("%+v, %v; want %+v", all[0], err, first)
		}
		var seen []string
		for _, f := range all {
			if slices.Contains(seen, f.Logits) {
				t.Errorf("%s twice", f.Logits)
			}
			seen = append(seen, f.Logits)
		}
	}
}

// The head and the OOD rows may lie in another place than the logits, also in the
// first one.
func TestHeadsAreLookedForOnTheirOwn(t *testing.T) {
	zeros := func(shape string, n int) *fstest.MapFile {
		return &fstest.MapFile{Data: npytest.File(1, npytest.Header("<f4", false, shape), make([]byte, 4*n))}
	}
	folder, err := New(fstest.MapFS{
		"s/n/test.npz":        {Data: members(3, "logits", "labels")},
		"s/n/head_weight.npy": zeros("(2, 3)", 6),
		"s/n/head_bias.npy":   zeros("(2,)", 2),
		"s/n/ood/logits.npy":  zeros("(5, 2)", 10),
	}, "d", Layout{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if got := folder.Has(data.Ref{Dataset: "s", Backbone: "n", Split: data.Test}); got != data.Logits|data.Labels|data.Head|data.OOD {
		t.Errorf("has %s", got)
	}
}
