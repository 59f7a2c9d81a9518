package folder

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/qats-bench/qats/data"
	"github.com/qats-bench/qats/data/derive"
)

// fileSum returns the SHA-256 of a file, without the memory of digests.
func fileSum(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	h := sha256.Sum256(b)
	return hex.EncodeToString(h[:])
}

// TestNewContentBehindOldSizeAndTimeIsHashed: the change time and the inode, which no
// program can set back, tell it from the old one.
func TestNewContentBehindOldSizeAndTimeIsHashed(t *testing.T) {
	for name, write := range map[string]func(path, content string) error{
		"in place": func(path, content string) error { return os.WriteFile(path, []byte(content), 0o666) },
		"replaced": func(path, content string) error {
			if err := os.WriteFile(path+".new", []byte(content), 0o666); err != nil {
				return err
			}
			return os.Rename(path+".new", path)
		},
	} {
		dir := t.TempDir()
		path, cache := filepath.Join(dir, "file"), filepath.Join(dir, "digests")
		old := time.Now().Add(-time.Hour)
		for _, content := range []string{"one", "two"} {
			if err := write(path, content); err != nil {
				t.Fatal(err)
			}
			if err := os.Chtimes(path, old, old); err != nil {
				t.Fatal(err)
			}
			info, err := os.Stat(path)
			if err != nil {
				t.Fatal(err)
			}
			if s := stampOf(info); s.ctime == 0 {
				t.Skip("this system has no change times")
			}
			d, err := OpenDigests(cache)
			if err != nil {
				t.Fatal(err)
			}
			d.now = func() time.Time { return time.Now().Add(time.Hour) }
			got, err := d.Pinned(false).File(path, "file")
			if err != nil || got != fileSum(t, path) {
				t.Errorf("%s: %q: %s, %v", name, content, got, err)
			}
			if err := d.Close(); err != nil || len(d.known) != 1 {
				t.Errorf("%s: %v, remembered %v", name, err, d.known)
			}
		}
	}
}

// TestPinnedAnewDoesNotBelieveTheMemory and corrects it.
func TestPinnedAnewDoesNotBelieveTheMemory(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(path, []byte("one"), 0o666); err != nil {
		t.Fatal(err)
	}
	d := &Digests{now: func() time.Time { return time.Now().Add(time.Hour) }}
	if _, err := d.File(path, "file"); err != nil {
		t.Fatal(err)
	}
	wrong := strings.Repeat("0", 64)
	for id, r := range d.known {
		r.sum = wrong
		d.known[id] = r
	}
	if got, err := d.Pinned(false).File(path, "file"); err != nil || got != wrong {
		t.Errorf("remembered: %s, %v", got, err)
	}
	for range 2 { // afterwards the memory is right too
		if got, err := d.Pinned(true).File(path, "file"); err != nil || got != fileSum(t, path) {
			t.Errorf("anew: %s, %v", got, err)
		}
	}
	if got, err := d.Pinned(false).File(path, "file"); err != nil || got != fileSum(t, path) {
		t.Errorf("remembered: %s, %v", got, err)
	}
}

// TestPinnedFilesAreHeldToOneVersion by every door, also behind sources that change
// what they serve.
func TestPinnedFilesAreHeldToOneVersion(t *testing.T) {
	dir, ctx := t.TempDir(), context.Background()
	ref := writeSet(t, dir)
	if err := os.CopyFS(filepath.Join(dir, "toy/net/cal"), os.DirFS(filepath.Join(dir, "toy/net/test"))); err != nil {
		t.Fatal(err)
	}
	memory := &Digests{}
	folder, err := Open(dir, Layout{}, memory.Pinned(false))
	if err != nil {
		t.Fatal(err)
	}
	cal := ref
	cal.Split = data.Cal
	for _, r := range []data.Ref{ref, cal} {
		if _, err := folder.Digest(ctx, r, data.Logits|data.Labels); err != nil {
			t.Fatal(err)
		}
	}
	sources := []data.Source{folder, derive.First(folder, 2), derive.Scaled(folder, 2)}
	for _, src := range sources {
		if err := Unchanged(src, ref, data.Logits|data.Labels); err != nil {
			t.Error(err)
		}
	}
	path := filepath.Join(dir, "toy/net/test/labels.npy")
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Chtimes(path, info.ModTime(), info.ModTime().Add(time.Second)); err != nil {
		t.Fatal(err)
	}
	want := filepath.ToSlash(path) + ": changed while being read"
	for i, src := range sources {
		_, opened := src.Open(ctx, ref, data.Logits|data.Labels)
		_, digested := src.Digest(ctx, ref, data.Labels)
		for what, err := range map[string]error{"Open": opened, "Digest": digested, "Unchanged": Unchanged(src, ref, data.Labels)} {
			if fmt.Sprint(err) != want {
				t.Errorf("source %d, %s: %v, want %s", i, what, err, want)
			}
		}
		if err := Unchanged(src, ref, data.Logits); err != nil {
			t.Error(err)
		}
	}
	// These read the labels of both sets whatever they are asked for.
	for i, src := range []data.Source{derive.Redrawn(folder, 1), derive.Skewed(folder)} {
		if err := Unchanged(src, ref, data.Logits); fmt.Sprint(err) != want {
			t.Errorf("rows of both sets, source %d: %v, want %s", i, err, want)
		}
	}
	if got, err := memory.Pinned(false).File(path, "labels"); err != nil || got != fileSum(t, path) {
		t.Errorf("the next plan: %s, %v", got, err)
	}
}

// A look names every large file that it does not know, and a file that is held to a version
// must keep it.
func TestLookNamesEveryLargeFile(t *testing.T) {
	dir, ctx := t.TempDir(), context.Background()
	ref := writeSet(t, dir)
	look := (&Digests{}).Looking(1)
	folder, err := Open(dir, Layout{}, look)
	if err != nil {
		t.Fatal(err)
	}
	var unknown *NotHashed
	if text, err := folder.Digest(ctx, ref, data.Logits|data.Labels|data.Features); !errors.As(err, &unknown) || text != "" {
		t.Errorf("digest %q, error %v", text, err)
	}
	var names []string
	for name, size := range look.Unhashed() {
		if info, err := os.Stat(name); err != nil || info.Size() != size {
			t.Errorf("%s: %d bytes (%v)", name, size, err)
		}
		names = append(names, filepath.Base(name))
	}
	slices.Sort(names)
	if !slices.Equal(names, []string{"features.npy", "labels.npy", "logits.npy"}) {
		t.Errorf("not hashed: %v", names)
	}

	path := filepath.Join(dir, "toy/net/test/labels.npy")
	pins := (&Digests{}).Pinned(false)
	if err := pins.Unchanged(path, "labels"); err != nil {
		t.Errorf("a file that is not held: %v", err)
	}
	if _, err := pins.File(path, "labels"); err != nil {
		t.Fatal(err)
	}
	if err := pins.Unchanged(path, "labels"); err != nil {
		t.Errorf("the same file: %v", err)
	}
	if err := os.WriteFile(path, []byte("other"), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := pins.Unchanged(path, "labels"); fmt.Sprint(err) != "labels: changed while being read" {
		t.Errorf("another file: %v", err)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if err := pins.Unchanged(path, "labels"); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("no file: %v", err)
	}
}

// Logits that are read as probabilities have other digests than the same bytes read as
// logits; their labels do not.
func TestKindIsPartOfTheDigestOfLogits(t *testing.T) {
	dir, ctx := t.TempDir(), context.Background()
	ref := writeSet(t, dir)
	digest := func(parts data.Parts) string {
		folder, err := Open(dir, Layout{}, nil)
		if err != nil {
			t.Fatal(err)
		}
		text, err := folder.Digest(ctx, ref, parts)
		if err != nil {
			t.Fatal(err)
		}
		return text
	}
	logits, labels := digest(data.Logits), digest(data.Labels)
	if err := os.WriteFile(filepath.Join(dir, data.ManifestName), []byte("sets: [{set: toy, kind: probs}]\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	if got := digest(data.Logits); got != logits+"kind probs, version 2\n" {
		t.Errorf("digest %q of probabilities, %q of logits", got, logits)
	}
	if got := digest(data.Labels); got != labels {
		t.Errorf("digest %q of labels, want %q", got, labels)
	}
}

// TestChangedOrExchangedDigestsAreComputedAgain: a digest that was changed on disk, or that
// is in the line of another file, does not count, and the file of digests is mended.
func TestChangedOrExchangedDigestsAreComputedAgain(t *testing.T) {
	dir := t.TempDir()
	cache := filepath.Join(dir, "digests")
	paths := []string{filepath.Join(dir, "a"), filepath.Join(dir, "b")}
	for _, path := range paths {
		if err := os.WriteFile(path, []byte("of "+filepath.Base(path)), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	look := func() (sums []string) {
		t.Helper()
		d, err := OpenDigests(cache)
		if err != nil {
			t.Fatal(err)
		}
		d.now = func() time.Time { return time.Now().Add(time.Minute) }
		for _, path := range paths {
			sum, err := d.File(path, path)
			if err != nil {
				t.Fatal(err)
			}
			sums = append(sums, sum)
		}
		if err := d.Close(); err != nil {
			t.Fatal(err)
		}
		return sums
	}
	want := look()
	whole, err := os.ReadFile(cache)
	if err != nil || !strings.Contains(string(whole), want[0]) {
		t.Fatalf("%s (%v)", whole, err)
	}
	digit := strings.Replace(string(whole), want[0], strings.Repeat("0", len(want[0])), 1)
	exchanged := strings.NewReplacer(want[0], want[1], want[1], want[0]).Replace(string(whole))
	names := strings.NewReplacer(paths[0], paths[1], paths[1], paths[0]).Replace(string(whole))
	for _, text := range []string{digit, exchanged, names} {
		if err := os.WriteFile(cache, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		if got := look(); !slices.Equal(got, want) {
			t.Errorf("from\n%sthe digests %v, want %v", text, got, want)
		}
		if mended, err := os.ReadFile(cache); err != nil || string(mended) != string(whole) {
			t.Errorf("mended to\n%swant\n%s(%v)", mended, whole, err)
		}
	}
}
