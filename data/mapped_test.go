package data

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"runtime/debug"
	"strings"
	"sync"
	"testing"
)

// zeros writes n rows of 4 zeros and opens them.
func zeros(t *testing.T, n int) (path string, r Reader) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "logits.npy")
	if err := WriteFloat32(path, make([]float32, 4*n), n, 4); err != nil {
		t.Fatal(err)
	}
	r, err := Files{Logits: path}.Open()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() })
	return path, r
}

// mapped returns the set of r, whose logits are mapped; it skips where the system
// does not map files.
func mapped(t *testing.T, r Reader) *Mapped {
	t.Helper()
	m, err := mapSet(context.Background(), r, 1)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { m.Close() })
	if len(m.maps) == 0 {
		t.Skip("files are not mapped on this system")
	}
	return m
}

func TestMappedSetIsTheSetThatIsRead(t *testing.T) {
	ctx := context.Background()
	const n = 900
	for name, open := range readers(t, n) {
		want, err := open().Read(ctx, 0, n)
		if err != nil {
			t.Fatal(err)
		}
		for _, least := range []int{1, mapAtLeast} {
			m, err := mapSet(ctx, open(), least)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			err = m.Use(func(got *Set) error {
				if !reflect.DeepEqual(got, want) {
					t.Errorf("%s, maps from %d bytes on: other values", name, least)
				}
				return nil
			})
			if err != nil {
				t.Errorf("%s: %v", name, err)
			}
			if mapsAll := least == 1 && name == "f4.npy"; mapsAll && len(m.maps) == 0 || least == mapAtLeast && len(m.maps) > 0 {
				t.Errorf("%s, maps from %d bytes on: %d maps", name, least, len(m.maps))
			}
			if err := m.Close(); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
}

func TestMappedValuesAreChecked(t *testing.T) {
	path := filepath.Join(t.TempDir(), "bad.npy")
	logits := make([]float32, 3000)
	logits[1501], logits[2000] = float32(math.Inf(1)), float32(math.NaN())
	if err := WriteFloat32(path, logits, 1000, 3); err != nil {
		t.Fatal(err)
	}
	r, err := Files{Logits: path}.Open()
	if err != nil {
		t.Fatal(err)
	}
	_, err = mapSet(context.Background(), r, 1)
	if want := path + ": row 500, class 1: +Inf"; fmt.Sprint(err) != want {
		t.Errorf("%v, want %s", err, want)
	}
}

func TestMappedSetCannotBeWrittenTo(t *testing.T) {
	_, r := zeros(t, 1000)
	m := mapped(t, r)
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if recover() == nil {
			t.Error("a mapped set was written to")
		}
	}()
	m.set.Logits.Data[0] = 1
}

func TestWriterLeavesAMappedSetAsItWas(t *testing.T) {
	path, r := zeros(t, 1000)
	m := mapped(t, r)
	if err := WriteFloat32(path, []float32{1, 2, 3, 4}, 1, 4); err != nil {
		t.Fatal(err)
	}
	err := m.Use(func(s *Set) error {
		if s.Logits.Data[0] != 0 || s.Logits.Data[4*999] != 0 {
			t.Error("the set has changed")
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

// A file that is truncated, before it is read or in between, is named in an error
// of one line.
func TestCutFilesAreNamed(t *testing.T) {
	const n = 100_000
	ctx := context.Background()
	sum := float32(0) // kept, so that the compiler keeps the reads
	read := func(rows []float32) {
		for _, v := range rows {
			sum += v
		}
	}
	for name, c := range map[string]struct {
		read func(r Reader, cut func()) error
		want string
	}{
		"read": {func(r Reader, cut func()) error {
			cut()
			_, err := r.Read(ctx, 0, n)
			return err
		}, "truncated to 800000 bytes while being read"},
		"scan": {func(r Reader, cut func()) error {
			return Scan(ctx, r, 500, 1, func(lo int, _ *Set) error {
				if lo == 40_000 {
					cut()
				}
				return nil
			})
		}, "truncated to 800000 bytes while being read"},
		"scan on two goroutines": {func(r Reader, cut func()) error {
			var once sync.Once
			return Scan(ctx, r, 500, 2, func(lo int, _ *Set) error {
				once.Do(cut)
				return nil
			})
		}, "truncated to 800000 bytes while being read"},
		"derived": {func(r Reader, cut func()) error {
			cut()
			_, err := scaledReader{firstReader{r, n}, 2}.Read(ctx, 0, n)
			return err
		}, "truncated to 800000 bytes while being read"},
		"map": {func(r Reader, cut func()) error {
			cut()
			_, err := mapSet(ctx, r, 1)
			return err
		}, "truncated while being read"},
		"use": {func(r Reader, cut func()) error {
			return mapped(t, r).Use(func(s *Set) error {
				cut()
				read(s.Logits.Data)
				return nil
			})
		}, "truncated while being read"},
		"use on another goroutine": {func(r Reader, cut func()) error {
			return mapped(t, r).Use(func(s *Set) error {
				cut()
				var fault any
				var wait sync.WaitGroup
				wait.Go(func() {
					defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
					defer func() { fault = recover() }()
					read(s.Logits.Data)
				})
				wait.Wait()
				if fault != nil {
					panic(fault)
				}
				return nil
			})
		}, "truncated while being read"},
		"use of the rows that are left": {func(r Reader, cut func()) error {
			return mapped(t, r).Use(func(s *Set) error {
				cut()
				read(s.Logits.Row(0))
				return nil
			})
		}, "changed while being read"},
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
	if sum != 0 {
		t.Errorf("zeros sum to %g", sum)
	}
}

// A file that is written to in place while it is read would give numbers of two
// versions.
func TestChangedFilesAreNamed(t *testing.T) {
	const n = 1000
	ctx := context.Background()
	for name, read := range map[string]func(r Reader, change func()) error{
		"read": func(r Reader, change func()) error {
			change()
			_, err := r.Read(ctx, 0, n)
			return err
		},
		"scan": func(r Reader, change func()) error {
			return Scan(ctx, r, 100, 2, func(lo int, _ *Set) error {
				if lo == 500 {
					change()
				}
				return nil
			})
		},
		"stream": func(r Reader, change func()) error {
			s := NewStream(r)
			if err := s.Read(ctx, 0, 500, make([]float32, 2000), make([]int32, 500)); err != nil {
				return err
			}
			change()
			return s.Read(ctx, 500, n, make([]float32, 2000), make([]int32, 500))
		},
		"use": func(r Reader, change func()) error {
			return mapped(t, r).Use(func(*Set) error { change(); return nil })
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			path, labels := filepath.Join(dir, "logits.npy"), filepath.Join(dir, "labels.npy")
			if err := WriteFloat32(path, make([]float32, 4*n), n, 4); err != nil {
				t.Fatal(err)
			}
			if err := WriteInt32(labels, make([]int32, n), n); err != nil {
				t.Fatal(err)
			}
			before, err := os.Stat(path)
			if err != nil {
				t.Fatal(err)
			}
			r, err := Files{Logits: path, Labels: labels}.Open()
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

func TestOtherPanicsPassThroughUse(t *testing.T) {
	_, r := zeros(t, 1000)
	m := mapped(t, r)
	defer func() {
		if p := recover(); p == nil || !strings.Contains(fmt.Sprint(p), "index out of range") {
			t.Errorf("panic %v", p)
		}
	}()
	m.Use(func(s *Set) error { s.Logits.Data[0] = s.Logits.Data[:1][s.Logits.Rows]; return nil })
}

func TestNilMappedHasNoSet(t *testing.T) {
	var m *Mapped
	called := false
	if err := m.Use(func(s *Set) error { called = s == nil; return nil }); err != nil || !called {
		t.Errorf("%v, called %t", err, called)
	}
}

// TestReusedMemoryShowsNoPartOfAnotherSet: the memory of a closed set serves the next
// one, which has the parts of its own files alone.
func TestReusedMemoryShowsNoPartOfAnotherSet(t *testing.T) {
	ctx, dir := t.Context(), t.TempDir()
	path := func(name string) string { return filepath.Join(dir, name+".npy") }
	for name, shape := range map[string][]int{"logits": {3, 2}, "features": {3, 4}, "augmented": {2, 3, 2}} {
		v := make([]float32, 24)[:shape[0]*shape[1]*append(shape, 1)[2]]
		if err := WriteFloat32(path(name), v, shape...); err != nil {
			t.Fatal(err)
		}
	}
	if err := WriteInt32(path("labels"), []int32{1, 0, 1}, 3); err != nil {
		t.Fatal(err)
	}
	full := Files{Logits: path("logits"), Labels: path("labels"), Features: path("features"), Augmented: path("augmented")}
	for _, scaled := range []bool{false, true} {
		for _, files := range []Files{full, {Logits: path("logits")}, full} {
			r, err := files.Open()
			if err != nil {
				t.Fatal(err)
			}
			if scaled {
				r = scaledReader{r, 2}
			}
			m, err := Map(ctx, r)
			if err != nil {
				t.Fatal(err)
			}
			all := files.Labels != ""
			if s := m.set; s.Features.Present() != (all && !scaled) || (s.Labels != nil) != all || (s.Augmented != nil) != all {
				t.Errorf("scaled %t, all parts %t: features %v, labels %v, views %v", scaled, all, s.Features, s.Labels, s.Augmented)
			}
			if err := m.Close(); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// sizedReader says that its set takes the given memory.
type sizedReader struct {
	Reader
	bytes int64
}

func (r sizedReader) Bytes() int64 { return r.bytes }

// The memory of a large set is not kept for others, nor that of a set with mapped parts.
// A set is closed once.
func TestMemoryOfSmallSetsIsReused(t *testing.T) {
	path := filepath.Join(t.TempDir(), "logits.npy")
	if err := WriteFloat32(path, make([]float32, 6), 3, 2); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		bytes    int64
		reusable bool
	}{{24, true}, {mostReused, true}, {mostReused + 1, false}} {
		r, err := Files{Logits: path}.Open()
		if err != nil {
			t.Fatal(err)
		}
		m, err := Map(t.Context(), sizedReader{r, c.bytes})
		if err != nil {
			t.Fatal(err)
		}
		if got := m.reusable(); got != c.reusable {
			t.Errorf("%d bytes: reusable is %v", c.bytes, got)
		}
		m.maps = make([]mapping, 1)
		if m.reusable() {
			t.Errorf("%d bytes: memory is reusable beside mapped parts", c.bytes)
		}
		m.maps = nil
		if err := m.Close(); err != nil || m.reusable() {
			t.Errorf("%d bytes: after Close reusable is %v (%v)", c.bytes, m.reusable(), err)
		}
	}
}
