package data

import (
	"bytes"
	"runtime"
	"slices"
	"testing"
	"testing/fstest"

	"github.com/qats-bench/qats/data/formats"
	"github.com/qats-bench/qats/data/npytest"
)

// FuzzInput reads arbitrary streams. A stream is accepted if the same file is, with the same
// bytes, and takes little more memory than its limit and its header.
func FuzzInput(f *testing.F) {
	f.Add([]byte{}, uint16(100))
	f.Add(npytest.Tensors(`{"a":{"dtype":"F32","shape":[1,2],"data_offsets":[0,8]}}`, make([]byte, 8)...), uint16(1<<15))
	f.Add(npytest.Tensors(`{"a":{"dtype":"F32","shape":[1,2],"data_offsets":[0,8]}}`, make([]byte, 8)...), uint16(70))
	f.Add(npytest.Tensors(`{"a":{"dtype":"F99","shape":[1],"data_offsets":[0,9223372036854775807]}}`), uint16(1<<15))
	f.Fuzz(func(t *testing.T, b []byte, limit uint16) {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		got, err := formats.ReadTensors(bytes.NewReader(b), int64(limit))
		runtime.ReadMemStats(&after)
		if got := after.TotalAlloc - before.TotalAlloc; got > 2*uint64(limit)+512*uint64(len(b))+1<<20 {
			t.Fatalf("%d bytes allocated for %d with a limit of %d", got, len(b), limit)
		}
		file, fileErr := OpenArray(fstest.MapFS{"x.safetensors": {Data: b}}, "x.safetensors#a")
		switch {
		case err == nil && !bytes.Equal(got, b):
			t.Fatalf("%d bytes of %d", len(got), len(b))
		case err == nil && len(b) > int(limit):
			t.Fatalf("%d bytes with a limit of %d", len(b), limit)
		case err != nil && fileErr == nil && len(b) <= int(limit):
			t.Fatalf("only the file is read: %v", err)
		case err != nil || fileErr != nil:
			return
		}
		a, err := OpenArray(NewInput(bytes.NewReader(b), "s", int64(limit)), "-#a")
		if err != nil || !slices.Equal(a.Shape(), file.Shape()) || a.DType() != file.DType() {
			t.Fatalf("%v: %v", a, err)
		}
	})
}
