package folder

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/qats-bench/qats/data"
	"github.com/qats-bench/qats/data/npy"
	"github.com/qats-bench/qats/data/npytest"
)

// writeSet writes a small set of every part below root and returns its ref.
func writeSet(t *testing.T, root string) data.Ref {
	t.Helper()
	ref := data.Ref{Dataset: "toy", Backbone: "net", Loss: "ce", Split: data.Test}
	f, err := Layout{}.Files(ref)
	if err != nil {
		t.Fatal(err)
	}
	seq := func(n int) []float32 {
		v := make([]float32, n)
		for i := range v {
			v[i] = float32(i) / 4
		}
		return v
	}
	at := func(name string) string {
		path := filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		return path
	}
	err = errors.Join(
		npy.WriteFloat32(at(f.Logits), seq(15), 5, 3),
		npy.WriteInt32(at(f.Labels), []int32{0, 1, 2, 1, 0}, 5),
		npy.WriteFloat32(at(f.Features), seq(10), 5, 2),
		npy.WriteFloat32(at(f.Augmented), seq(30), 2, 5, 3),
		npy.WriteFloat32(at(f.HeadWeight), seq(6), 3, 2),
		npy.WriteFloat32(at(f.HeadBias), seq(3), 3),
		npy.WriteFloat32(at(f.OOD), seq(12), 4, 3),
	)
	if err != nil {
		t.Fatal(err)
	}
	return ref
}

const allParts = data.Logits | data.Labels | data.Features | data.Augmented | data.Head | data.OOD

// TestFolderReadsSetsWholeAndByRows reads a set whole and by rows, through a folder and by the names
// of its files.
func TestFolderReadsSetsWholeAndByRows(t *testing.T) {
	root, ctx := t.TempDir(), context.Background()
	ref := writeSet(t, root)
	folder, err := Open(root, Layout{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if got := folder.Has(ref); got != allParts {
		t.Errorf("Has = %s", got)
	}
	if got, want := folder.Describe(ref), (data.Provenance{Origin: data.Measured}); got != want {
		t.Errorf("Describe = %+v", got)
	}
	names, _ := Layout{}.Files(ref)
	for _, p := range []*string{&names.Logits, &names.Labels, &names.Features, &names.Augmented, &names.HeadWeight, &names.HeadBias, &names.OOD} {
		*p = filepath.Join(root, *p)
	}
	for _, open := range []func() (data.Reader, error){
		func() (data.Reader, error) { return folder.Open(ctx, ref, allParts) },
		names.Open,
	} {
		r, err := open()
		if err != nil {
			t.Fatal(err)
		}
		if r.Rows() != 5 || r.Classes() != 3 || r.Bytes() != 4*(15+5+10+30+6+3+12) {
			t.Errorf("%d rows, %d classes, %d bytes", r.Rows(), r.Classes(), r.Bytes())
		}
		whole, err := data.Read(ctx, r, 0, 5)
		if err != nil {
			t.Fatal(err)
		}
		if v := whole.Augmented[1].Row(4)[2]; v != 29.0/4 || len(whole.Augmented) != 2 {
			t.Errorf("view 1, row 4, class 2: %g", v)
		}
		if v := whole.Head.W.Row(2)[1]; v != 5.0/4 || whole.Head.B[2] != 0.5 || whole.OOD.Rows != 4 {
			t.Errorf("head %v, ood %v", whole.Head, whole.OOD)
		}
		rows := 0
		err = data.Blocks(ctx, r, r.Bytes()/2, func(lo int, block *data.Set) error {
			n := block.Logits.Rows
			if n > 2 {
				t.Errorf("a block of half the size has %d of 5 rows", n)
			}
			if lo != rows || fmt.Sprint(block) != fmt.Sprint(whole.Rows(lo, lo+n)) {
				t.Errorf("rows %d..%d differ from those of the whole", lo, lo+n)
			}
			rows += n
			return nil
		})
		if err != nil || rows != 5 {
			t.Errorf("%d rows in blocks, %v", rows, err)
		}
		for budget, want := range map[int64]int{r.Bytes(): 1, 1: 5} {
			blocks := 0
			_ = data.Blocks(ctx, r, budget, func(int, *data.Set) error { blocks++; return nil })
			if blocks != want {
				t.Errorf("budget %d: %d blocks, want %d", budget, blocks, want)
			}
		}
		stop, cancel := context.WithCancel(ctx)
		cancel()
		if _, err := data.Read(stop, r, 0, 5); !errors.Is(err, context.Canceled) {
			t.Errorf("a cancelled read: %v", err)
		}
		r.Close()
	}
}

// TestAbsentPartsAreNamed: absent parts are absent from Has and named by Open.
func TestAbsentPartsAreNamed(t *testing.T) {
	root, ctx := t.TempDir(), context.Background()
	ref := writeSet(t, root)
	for _, name := range []string{"head_bias.npy", "test/features.npy"} {
		if err := os.Remove(filepath.Join(root, "toy/net", name)); err != nil {
			t.Fatal(err)
		}
	}
	folder, err := Open(root, Layout{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := folder.Has(ref), data.Logits|data.Labels|data.Augmented|data.OOD; got != want {
		t.Errorf("Has = %s, want %s", got, want)
	}
	if got := folder.Has(data.Ref{Dataset: "..", Backbone: "x", Split: data.Test}); got != 0 {
		t.Errorf("outside of the root: %s", got)
	}
	_, err = folder.Open(ctx, ref, data.Logits|data.Features)
	if want := filepath.Join(root, "toy/net/test/features.npy") + ": no such file or directory"; fmt.Sprint(err) != want || !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("got %v, want %s", err, want)
	}
	only, err := data.Load(ctx, folder, ref, data.OOD)
	if err != nil || only.OOD.Rows != 4 || only.Logits.Present() {
		t.Errorf("OOD alone: %+v, %v", only, err)
	}
	if _, err := (data.Files{Logits: "l.npy", HeadBias: "b.npy"}).Open(); fmt.Sprint(err) != "b.npy: a head needs both a weight and a bias" {
		t.Error(err)
	}
	if _, err := Open(filepath.Join(root, "none"), Layout{}, nil); !strings.HasSuffix(fmt.Sprint(err), "none: no such file or directory") {
		t.Error(err)
	}
	if _, err := Open(filepath.Join(root, "toy/net/head_weight.npy"), Layout{}, nil); !strings.HasSuffix(fmt.Sprint(err), "head_weight.npy: not a folder") {
		t.Error(err)
	}
	// A folder in the place of a file counts as present, and Open names it.
	if err := os.Mkdir(filepath.Join(root, "toy/net/test/features.npy"), 0o777); err != nil {
		t.Fatal(err)
	}
	if folder.Has(ref)&data.Features == 0 {
		t.Error("a folder in the place of a file counts as absent")
	}
}

// TestDigestsOfMembersDoNotDependOnTheArchive reads a set from members of an .npz, whose digests do not
// depend on the archive around them.
func TestDigestsOfMembersDoNotDependOnTheArchive(t *testing.T) {
	layout, err := ParseLayout("{dataset}.npz#{split}_{array}")
	if err != nil {
		t.Fatal(err)
	}
	logits := npytest.File(1, npytest.Header("<f4", false, "(1, 2)"), npytest.F4(1, 2))
	labels := npytest.File(1, npytest.Header("<i8", false, "(1,)"), make([]byte, 8))
	ref, ctx := data.Ref{Dataset: "toy", Backbone: "net", Split: data.Test}, context.Background()
	var digests []string
	for method := range []int{0, 1} {
		fsys := fstest.MapFS{"toy.npz": {Data: npytest.Zip(uint16(8*method), "test_logits.npy", logits, "test_labels.npy", labels)}}
		folder, err := New(fsys, "arrays", layout, nil)
		if err != nil {
			t.Fatal(err)
		}
		if got := folder.Has(ref); got != data.Logits|data.Labels {
			t.Errorf("Has = %s", got)
		}
		s, err := data.Load(ctx, folder, ref, data.Logits|data.Labels)
		if err != nil || s.Logits.Data[1] != 2 {
			t.Errorf("%+v, %v", s, err)
		}
		d, err := folder.Digest(ctx, ref, data.Logits|data.Labels)
		if err != nil {
			t.Error(err)
		}
		digests = append(digests, d)
	}
	want := fmt.Sprintf("logits sha256:%x\nlabels sha256:%x\n", sha256.Sum256(logits), sha256.Sum256(labels))
	if !slices.Equal(digests, []string{want, want}) {
		t.Errorf("digests %q, want %q", digests, want)
	}
}

// TestDigestsAreRememberedUntilAFileChanges, also after the file of digests was
// closed.
func TestDigestsAreRememberedUntilAFileChanges(t *testing.T) {
	dir, ctx := t.TempDir(), context.Background()
	ref := writeSet(t, dir)
	cache := filepath.Join(dir, "digests")
	logits := filepath.Join(dir, "toy/net/test/logits.npy")
	old := time.Now().Add(-time.Hour).Truncate(time.Second)
	later := time.Duration(0) // than now
	digest := func() (string, map[string]record) {
		t.Helper()
		d, err := OpenDigests(cache)
		if err != nil {
			t.Fatal(err)
		}
		d.now = func() time.Time { return time.Now().Add(later) }
		folder, err := Open(dir, Layout{}, d)
		if err != nil {
			t.Fatal(err)
		}
		s, err := folder.Digest(ctx, ref, data.Logits)
		if err != nil {
			t.Fatal(err)
		}
		if err := d.Close(); err != nil {
			t.Fatal(err)
		}
		return s, d.known
	}
	content := func() string {
		b, err := os.ReadFile(logits)
		if err != nil {
			t.Fatal(err)
		}
		h := sha256.Sum256(b)
		return "logits sha256:" + hex.EncodeToString(h[:]) + "\n"
	}
	if got, known := digest(); got != content() || len(known) != 0 {
		t.Errorf("a file just written: %q, remembered %v", got, known)
	}
	if err := os.Chtimes(logits, old, old); err != nil {
		t.Fatal(err)
	}
	later = time.Hour
	if got, known := digest(); got != content() || len(known) != 1 {
		t.Errorf("an old file: %q, remembered %v", got, known)
	}
	// A remembered digest is believed: a false one whose line is whole comes back.
	false64 := strings.Repeat("0", 64)
	_, known := digest()
	lines := "garbage\n"
	for name, r := range known {
		lines += digestLine(name, record{r.stamp, false64})
	}
	lines += false64 + " 1 2"
	if err := os.WriteFile(cache, []byte(lines), 0o666); err != nil {
		t.Fatal(err)
	}
	if got, _ := digest(); got != "logits sha256:"+false64+"\n" {
		t.Errorf("the remembered digest was not used: %q", got)
	}
	// Another modification time, and another size, are another file.
	if err := os.Chtimes(logits, old, old.Add(time.Nanosecond)); err != nil {
		t.Fatal(err)
	}
	if got, _ := digest(); got != content() {
		t.Errorf("a touched file: %q", got)
	}
	if err := npy.WriteFloat32(logits, []float32{1, 2, 3}, 1, 3); err != nil {
		t.Fatal(err)
	}
	if err := os.Chtimes(logits, old, old); err != nil {
		t.Fatal(err)
	}
	if got, _ := digest(); got != content() {
		t.Errorf("a changed file: %q", got)
	}
}

// TestDigestsOfTwoProcessesMerge: two processes that share a file keep the digests
// of both, and many goroutines get the same one.
func TestDigestsOfTwoProcessesMerge(t *testing.T) {
	dir, ctx := t.TempDir(), context.Background()
	ref := writeSet(t, dir)
	cache := filepath.Join(dir, "digests")
	a, _ := OpenDigests(cache)
	b, _ := OpenDigests(cache)
	later := func() time.Time { return time.Now().Add(time.Hour) }
	a.now, b.now = later, later
	for d, part := range map[*Digests]data.Parts{a: data.Logits, b: data.Labels} {
		folder, err := Open(dir, Layout{}, d)
		if err != nil {
			t.Fatal(err)
		}
		results := make(chan string, 8)
		for range cap(results) {
			go func() {
				s, err := folder.Digest(ctx, ref, part)
				results <- fmt.Sprint(s, err)
			}()
		}
		first := <-results
		for range cap(results) - 1 {
			if s := <-results; s != first {
				t.Errorf("%q and %q", first, s)
			}
		}
		if !strings.HasPrefix(first, part.String()+" sha256:") || !strings.HasSuffix(first, "\n<nil>") {
			t.Errorf("digest %q", first)
		}
	}
	if err := errors.Join(a.Close(), b.Close()); err != nil {
		t.Fatal(err)
	}
	both, err := OpenDigests(cache)
	if err != nil || len(both.known) != 2 {
		t.Errorf("remembered %v, %v", both.known, err)
	}
}

// The shape of a set is read from a file or from a member of an archive; a missing member
// is an error.
func TestShapeOfASetInAnArchive(t *testing.T) {
	for name, ok := range map[string]bool{"logits": true, "hidden": false} {
		folder, err := New(fstest.MapFS{"a/test.npz": {Data: members(1, name, "labels")}}, "d", Layout{"{backbone}/{split}.npz#{array}"}, nil)
		if err != nil {
			t.Fatal(err)
		}
		n, k, err := folder.Shape(t.Context(), data.Ref{Backbone: "a", Split: data.Test})
		if ok && (err != nil || n != 1 || k != 2) || !ok && err == nil {
			t.Errorf("member %s: %d x %d (%v)", name, n, k, err)
		}
	}
}
