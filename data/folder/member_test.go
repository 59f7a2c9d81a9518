package folder

import (
	"archive/zip"
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/qats-bench/qats/data"
	"github.com/qats-bench/qats/data/npy"
	"github.com/qats-bench/qats/internal/inputfile"
)

// archive writes an .npz with one member of n zero bytes after a header.
func archive(t *testing.T, header []byte, n int, change func(*zip.FileHeader)) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "z.npz")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z := zip.NewWriter(f)
	h := &zip.FileHeader{Name: "logits.npy", Method: zip.Deflate}
	if change != nil {
		change(h)
	}
	w, err := z.CreateHeader(h)
	if err != nil {
		t.Fatal(err)
	}
	w.Write(header)
	for zeros := make([]byte, 1<<20); n > 0; n -= len(zeros) {
		w.Write(zeros[:min(n, len(zeros))])
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return path + "#logits"
}

// allocated returns the bytes that f allocates.
func allocated(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// TestMemberTakesNoMoreMemoryThanItsArray, and none where it is rejected: 16 MiB of
// zeros are 16 KiB in an archive.
func TestMemberTakesNoMoreMemoryThanItsArray(t *testing.T) {
	const n = 16 << 20
	good := npy.HeaderBytes(npy.Float32, []int{n / 4 / 4, 4})
	for _, x := range []struct {
		name, path string
		limit      int64
		most       uint64
		want       string
	}{
		{"whole", archive(t, good, n, nil), 0, n + 4<<20, ""},
		{"above the limit", archive(t, good, n, nil), 8 << 20, 4 << 20,
			"unpacks to 16 MiB, more than the limit of 8 MiB: store it as .npy, which is read in blocks, or raise --max-memory"},
		{"longer than its header says", archive(t, npy.HeaderBytes(npy.Float32, []int{10, 4}), n, nil), 0, 4 << 20, "too long"},
		{"no array", archive(t, []byte("zeros"), n, nil), 0, 4 << 20, "not a .npy file"},
		{"encrypted", archive(t, good, n, func(h *zip.FileHeader) { h.Flags |= 1 }), 0, 4 << 20, "is encrypted; store it without a password"},
	} {
		got := ""
		bytes := allocated(func() {
			r, err := data.Files{Logits: x.path, MemberLimit: x.limit}.Open()
			if err != nil {
				got = err.Error()
				return
			}
			if r.Bytes() < 2*n {
				t.Errorf("%s: %d bytes; the unpacked member counts too", x.name, r.Bytes())
			}
			r.Close()
		})
		if want := x.path + ": " + x.want; bytes > x.most || (x.want != "" || got != "") && !strings.HasPrefix(got, want) {
			t.Errorf("%s: %d MiB allocated, %q", x.name, bytes>>20, got)
		}
	}
}

// TestMemberIsHashedInConstantMemory, and its digest is that of the bytes unpacked.
func TestMemberIsHashedInConstantMemory(t *testing.T) {
	const n = 16 << 20
	good := npy.HeaderBytes(npy.Float32, []int{n / 4 / 4, 4})
	l := data.Forms().Locate(inputfile.System{}, archive(t, good, n, nil))
	npy := filepath.Join(t.TempDir(), "a.npy")
	if err := os.WriteFile(npy, append(bytes.Clone(good), make([]byte, n)...), 0o666); err != nil {
		t.Fatal(err)
	}
	var got record
	var err error
	if bytes := allocated(func() { got, err = hash(l) }); bytes > 4<<20 || err != nil || got.sum != fileSum(t, npy) {
		t.Errorf("%d MiB allocated, %v", bytes>>20, fmt.Sprint(got.sum, err))
	}
}
