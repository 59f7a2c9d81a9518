package data_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"github.com/qats-bench/qats/data"
	"github.com/qats-bench/qats/data/derive"
	"github.com/qats-bench/qats/data/npy"
)

// zeros writes n rows of 4 zeros and opens them.
func zeros(t *testing.T, n int) (path string, r data.Reader) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "logits.npy")
	if err := npy.WriteFloat32(path, make([]float32, 4*n), n, 4); err != nil {
		t.Fatal(err)
	}
	r, err := data.Files{Logits: path}.Open()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() })
	return path, r
}

func TestValuesOfAWholeSetAreChecked(t *testing.T) {
	path := filepath.Join(t.TempDir(), "bad.npy")
	logits := make([]float32, 3000)
	logits[1501], logits[2000] = float32(math.Inf(1)), float32(math.NaN())
	if err := npy.WriteFloat32(path, logits, 1000, 3); err != nil {
		t.Fatal(err)
	}
	r, err := data.Files{Logits: path}.Open()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	_, err = data.Read(t.Context(), r, 0, 1000)
	if want := path + ": row 500, class 1: +Inf"; fmt.Sprint(err) != want {
		t.Errorf("%v, want %s", err, want)
	}
}

func TestWriterLeavesAnOpenSetAsItWas(t *testing.T) {
	path, r := zeros(t, 1000)
	if err := npy.WriteFloat32(path, []float32{1, 2, 3, 4}, 1, 4); err != nil {
		t.Fatal(err)
	}
	s, err := data.Read(t.Context(), r, 0, 1000)
	if err != nil {
		t.Fatal(err)
	}
	if s.Logits.Data[0] != 0 || s.Logits.Data[4*999] != 0 {
		t.Error("the set has changed")
	}
}

// A file that is truncated, before it is read or in between, is named in an error
// of one line.
func TestCutFilesAreNamed(t *testing.T) {
	const n = 100_000
	ctx := context.Background()
	for name, c := range map[string]struct {
		read func(r data.Reader, cut func()) error
		want string
	}{
		"read": {func(r data.Reader, cut func()) error {
			cut()
			_, err := data.Read(ctx, r, 0, n)
			return err
		}, "truncated to 800000 bytes while being read"},
		"scan": {func(r data.Reader, cut func()) error {
			return data.Scan(ctx, r, 500, 1, func(lo int, _ *data.Set) error {
				if lo == 40_000 {
					cut()
				}
				return nil
			})
		}, "truncated to 800000 bytes while being read"},
		"scan on two goroutines": {func(r data.Reader, cut func()) error {
			var once sync.Once
			return data.Scan(ctx, r, 500, 2, func(lo int, _ *data.Set) error {
				once.Do(cut)
				return nil
			})
		}, "truncated to 800000 bytes while being read"},
		"derived": {func(r data.Reader, cut func()) error {
			cut()
			_, err := data.Read(ctx, doubled(t, opened(t, derive.First(served{open: func() data.Reader { return r }}, n))), 0, n)
			return err
		}, "truncated to 800000 bytes while being read"},
	} {
		t.Run(name, func(t *testing.T) {
			path, r := zeros(t, n)
			err := c.read(r, func() {
				if err := os.Truncate(path, 800_000); err != nil {
					t.Fatal(err)
				}
			})
			if want := path + ": " + c.want; fmt.Sprint(err) != want {
				t.Errorf("%v, want %s", err, want)
			}
		})
	}
}

// A file that is written to in place while it is read would give numbers of two
// versions.
func TestChangedFilesAreNamed(t *testing.T) {
	const n = 1000
	ctx := context.Background()
	for name, read := range map[string]func(r data.Reader, change func()) error{
		"read": func(r data.Reader, change func()) error {
			change()
			_, err := data.Read(ctx, r, 0, n)
			return err
		},
		"scan": func(r data.Reader, change func()) error {
			return data.Scan(ctx, r, 100, 2, func(lo int, _ *data.Set) error {
				if lo == 500 {
					change()
				}
				return nil
			})
		},
		"stream": func(r data.Reader, change func()) error {
			s := data.NewStream(r)
			if err := s.Read(ctx, 0, 500, make([]float32, 2000), make([]int32, 500)); err != nil {
				return err
			}
			change()
			return s.Read(ctx, 500, n, make([]float32, 2000), make([]int32, 500))
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			path, labels := filepath.Join(dir, "logits.npy"), filepath.Join(dir, "labels.npy")
			if err := npy.WriteFloat32(path, make([]float32, 4*n), n, 4); err != nil {
				t.Fatal(err)
			}
			if err := npy.WriteInt32(labels, make([]int32, n), n); err != nil {
				t.Fatal(err)
			}
			before, err := os.Stat(path)
			if err != nil {
				t.Fatal(err)
			}
			r, err := data.Files{Logits: path, Labels: labels}.Open()
			if err != nil {
				t.Fatal(err)
			}
			defer r.Close()
			err = read(r, func() {
				f, err := os.OpenFile(path, os.O_WRONLY, 0)
				if err != nil {
					t.Fatal(err)
				}
				defer f.Close()
				if _, err := f.WriteAt(bytes.Repeat([]byte{1}, 8), 128); err != nil {
					t.Fatal(err)
				}
				// The clock of the file system may be too coarse to show the
				// change.
				if err := os.Chtimes(path, before.ModTime(), before.ModTime().Add(1)); err != nil {
					t.Fatal(err)
				}
			})
			if want := path + ": changed while being read"; fmt.Sprint(err) != want {
				t.Errorf("%v, want %s", err, want)
			}
		})
	}
}

// TestReusedMemoryShowsNoPartOfAnotherSet: one block of memory serves
// several sets, each of which has the parts of its own files alone.
func TestReusedMemoryShowsNoPartOfAnotherSet(t *testing.T) {
	ctx, dir := t.Context(), t.TempDir()
	path := func(name string) string { return filepath.Join(dir, name+".npy") }
	for name, shape := range map[string][]int{"logits": {3, 2}, "features": {3, 4}, "augmented": {2, 3, 2}} {
		v := make([]float32, 24)[:shape[0]*shape[1]*append(shape, 1)[2]]
		if err := npy.WriteFloat32(path(name), v, shape...); err != nil {
			t.Fatal(err)
		}
	}
	if err := npy.WriteInt32(path("labels"), []int32{1, 0, 1}, 3); err != nil {
		t.Fatal(err)
	}
	full := data.Files{Logits: path("logits"), Labels: path("labels"), Features: path("features"), Augmented: path("augmented")}
	memory := new(data.Block)
	for _, scaled := range []bool{false, true} {
		for _, files := range []data.Files{full, {Logits: path("logits")}, full} {
			r, err := files.Open()
			if err != nil {
				t.Fatal(err)
			}
			if scaled {
				r = doubled(t, r)
			}
			s, err := r.ReadInto(ctx, memory, 0, 3)
			if err != nil {
				t.Fatal(err)
			}
			all := files.Labels != ""
			if s.Features.Present() != (all && !scaled) || (s.Labels != nil) != all || (s.Augmented != nil) != all {
				t.Errorf("scaled %t, all parts %t: features %v, labels %v, views %v", scaled, all, s.Features, s.Labels, s.Augmented)
			}
			if err := r.Close(); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// TestScaledRowsLeaveTheMemoryOfTheirSetAlone: a block that was used for them holds no part of
// the set, which the next reader would write into.
func TestScaledRowsLeaveTheMemoryOfTheirSetAlone(t *testing.T) {
	dir, memory := t.TempDir(), new(data.Block)
	set := &data.Set{Logits: data.Matrix{Rows: 2, Cols: 2, Data: []float32{1, 2, 3, 4}}, Labels: []int32{1, 1}}
	if _, err := doubled(t, data.ReadRows(set)).ReadInto(t.Context(), memory, 0, 2); err != nil {
		t.Fatal(err)
	}
	files := data.Files{Logits: filepath.Join(dir, "l.npy"), Labels: filepath.Join(dir, "y.npy")}
	if err := errors.Join(npy.WriteFloat32(files.Logits, make([]float32, 4), 2, 2), npy.WriteInt32(files.Labels, []int32{0, 0}, 2)); err != nil {
		t.Fatal(err)
	}
	r, err := files.Open()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if _, err := r.ReadInto(t.Context(), memory, 0, 2); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(set.Labels, []int32{1, 1}) || !slices.Equal(set.Logits.Data, []float32{1, 2, 3, 4}) {
		t.Errorf("the set became %+v", set)
	}
}
