package folder

import (
	"context"
	"testing"
	"testing/fstest"

	"github.com/qats-bench/qats/data"
	"github.com/qats-bench/qats/data/npy"
	"github.com/qats-bench/qats/data/npytest"
)

// TestDigestOfATensorIsThatOfItsNPY: the same array has one digest in both formats, so
// results in the store belong to both.
func TestDigestOfATensorIsThatOfItsNPY(t *testing.T) {
	body := npytest.Bytes([]float32{1, 2, 3, 4, 5, 6})
	file := npytest.Tensors(`{"pad":{"dtype":"U8","shape":[3],"data_offsets":[0,3]},"logits":{"dtype":"F32","shape":[2,3],"data_offsets":[3,27]},"tail":{"dtype":"U8","shape":[1],"data_offsets":[27,28]}}`,
		append(append([]byte{7, 7, 7}, body...), 9)...)
	fsys := fstest.MapFS{
		"d/n/test/logits.npy":   {Data: append(npy.HeaderBytes(npy.Float32, []int{2, 3}), body...)},
		"d/m/test.safetensors":  {Data: file},
		"d/o/test.safetensors":  {Data: append(file[:len(file)-2:len(file)-2], 0x41, 9)},
		"d/p.safetensors":       {Data: npytest.Tensors(`{"test_logits":{"dtype":"F32","shape":[3,2],"data_offsets":[0,24]}}`, body...)},
		"d/n/test/.DS_Store":    {},
		"d/m/test/unrelated.md": {},
	}
	folder, err := New(fsys, "a", Layout{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	digest := map[string]string{}
	for _, backbone := range []string{"n", "m", "o", "p"} {
		ref := data.Ref{Dataset: "d", Backbone: backbone, Split: data.Test}
		if digest[backbone], err = folder.Digest(context.Background(), ref, data.Logits); err != nil {
			t.Fatal(err)
		}
	}
	if digest["n"] != digest["m"] || digest["m"] == digest["o"] || digest["m"] == digest["p"] {
		t.Errorf("digests %q", digest)
	}
}
