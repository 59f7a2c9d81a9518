package data

import (
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// TestFileChangedAMomentAgoSettles: the wait ends 20 ms after the later of the two
// times of the file; older files and times in the future need none.
func TestFileChangedAMomentAgoSettles(t *testing.T) {
	now := time.Unix(1000, 0)
	for _, c := range []struct{ mtime, ctime, want time.Duration }{
		{-time.Hour, -5 * time.Millisecond, 15 * time.Millisecond},
		{-5 * time.Millisecond, -time.Hour, 15 * time.Millisecond},
		{-time.Hour, 0, 20 * time.Millisecond},
		{-time.Hour, -20 * time.Millisecond, 0},
		{-time.Hour, -time.Minute, 0},
		{-time.Hour, time.Second, 0},
	} {
		s := stamp{mtime: now.Add(c.mtime).UnixNano(), ctime: now.Add(c.ctime).UnixNano()}
		if got := s.settling(now); got != c.want {
			t.Errorf("changed at %v and %v: wait %v, want %v", c.mtime, c.ctime, got, c.want)
		}
	}
}

// TestViewHoldsTheNamedPartsAlone.
func TestViewHoldsTheNamedPartsAlone(t *testing.T) {
	m := NewMatrix(2, 2)
	whole := &Set{Logits: m, Labels: []int32{0, 1}, Features: m, Augmented: []Matrix{m}, OOD: m, Head: Linear{W: m, B: []float32{0, 0}}}
	all := whole.Parts()
	for _, part := range []Parts{Logits, Labels, Features, Augmented, OOD, Head} {
		if all&part == 0 {
			t.Fatalf("the set has no %s", part)
		}
		if got := whole.View(part).Parts(); got != part {
			t.Errorf("the view of %s has %s", part, got)
		}
		if got := whole.View(all &^ part).Parts(); got != all&^part {
			t.Errorf("the view without %s has %s", part, got)
		}
	}
}

// TestLargestExactIntegersAreRead, of both signs, and the next ones are not.
func TestLargestExactIntegersAreRead(t *testing.T) {
	for v, want := range map[int64]int{1 << 24: -1, -1 << 24: -1, 1<<24 + 1: 0, -1<<24 - 1: 0} {
		dst := make([]float32, 1)
		if bad := decodeFloats(dst, binary.LittleEndian.AppendUint64(nil, uint64(v)), Int64); bad != want || want < 0 && dst[0] != float32(v) {
			t.Errorf("%d: %v, problem at %d, want %d", v, dst[0], bad, want)
		}
	}
}

// TestReadErrorsAreNotTruncations.
func TestReadErrorsAreNotTruncations(t *testing.T) {
	broken := errors.New("the disk is broken")
	if err := readFull(readFrom(func(p []byte) (int, error) { return 1, broken }), make([]byte, 3), 5); !errors.Is(err, broken) {
		t.Errorf("an error of the disk: %v", err)
	}
	err := readFull(readFrom(func(p []byte) (int, error) { return 1, nil }), make([]byte, 3), 5)
	if err == nil || err.Error() != "truncated to 6 bytes while being read" {
		t.Errorf("a short read: %v", err)
	}
}

type readFrom func(p []byte) (int, error)

func (r readFrom) ReadAt(p []byte, _ int64) (int, error) { return r(p) }

func TestEndLineAddsAMissingNewline(t *testing.T) {
	for text, want := range map[string]string{"": "", "a": "a\n", "a\n": "a\n"} {
		if got := endLine(text); got != want {
			t.Errorf("%q: %q", text, got)
		}
	}
}

func TestRowsOfProbabilitiesShareTheTable(t *testing.T) {
	p := Probs{Rows: 3, Cols: 2, Data: []float64{0, 1, 2, 3, 4, 5}}
	for i, want := range [][]float64{{0, 1}, {2, 3}, {4, 5}} {
		if row := p.Row(i); !slices.Equal(row, want) || cap(row) != 2 {
			t.Errorf("row %d: %v of capacity %d", i, row, cap(row))
		}
	}
}

// TestDigestsThatCannotBeWrittenAreAnError.
func TestDigestsThatCannotBeWrittenAreAnError(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "digests.txt")
	d := &Digests{path: path, dirty: true}
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(os.Remove(path), os.Mkdir(path, 0o777)); err != nil {
		t.Fatal(err)
	}
	d = &Digests{path: path, dirty: true}
	if err := d.Close(); err == nil || !strings.Contains(err.Error(), "digests.txt") {
		t.Errorf("a folder in the place of the file: %v", err)
	}
}

// TestStreamPanicsOnRowsThatItDoesNotHave, and on slices of another length.
func TestStreamPanicsOnRowsThatItDoesNotHave(t *testing.T) {
	s := NewStream(readers(t, 4)["plain"]())
	defer s.Close()
	for _, c := range []struct{ lo, hi, logits, labels int }{{-1, 1, 6, 2}, {2, 1, 0, 0}, {3, 5, 6, 2}, {0, 2, 5, 2}, {0, 2, 6, 1}} {
		func() {
			defer func() {
				if p, _ := recover().(string); !strings.HasPrefix(p, "data: rows ") {
					t.Errorf("rows %d..%d into %d and %d: %v", c.lo, c.hi, c.logits, c.labels, p)
				}
			}()
			s.Read(t.Context(), c.lo, c.hi, make([]float32, c.logits), make([]int32, c.labels))
		}()
	}
}

// TestArraysPanicOnRowsThatTheyDoNotHave, and on slices of another length.
func TestArraysPanicOnRowsThatTheyDoNotHave(t *testing.T) {
	a, err := OpenArray(fileSystem("a.npy", npyFile(1, npyHeader("<f4", false, "(4, 3)"), appendLittle(nil, make([]float32, 12)))), "a.npy")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ lo, hi, n int }{{-1, 1, 6}, {2, 1, 0}, {3, 2, -3}, {3, 5, 6}, {5, 5, 0}, {0, 2, 5}} {
		func() {
			defer func() {
				if p, _ := recover().(string); !strings.HasPrefix(p, "data: rows ") {
					t.Errorf("rows %d..%d into %d numbers: %v", c.lo, c.hi, c.n, p)
				}
			}()
			a.ReadFloat32(make([]float32, max(0, c.n)), c.lo, c.hi)
		}()
	}
}

// TestDigestsWithoutRoomForATemporaryFileAreAnError: the name of the file is allowed,
// and a longer one beside it is not.
func TestDigestsWithoutRoomForATemporaryFileAreAnError(t *testing.T) {
	d := &Digests{path: filepath.Join(t.TempDir(), strings.Repeat("x", 255)), dirty: true}
	if err := d.Close(); err == nil || !d.dirty {
		t.Errorf("%v; to be written again: %t", err, d.dirty)
	}
}
