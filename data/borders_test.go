package data

import (
	"errors"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/qats-bench/qats/data/npy"
	"github.com/qats-bench/qats/internal/inputfile"
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

// TestDigestsWithoutRoomForATemporaryFileAreAnError: the name of the file is allowed,
// and a longer one beside it is not.
func TestDigestsWithoutRoomForATemporaryFileAreAnError(t *testing.T) {
	d := &Digests{path: filepath.Join(t.TempDir(), strings.Repeat("x", 255)), dirty: true}
	if err := d.Close(); err == nil || !d.dirty {
		t.Errorf("%v; to be written again: %t", err, d.dirty)
	}
}

// A memory without a file, or without news, writes nothing.
func TestDigestsWithoutNewsAreNotWritten(t *testing.T) {
	if err := (&Digests{dirty: true}).Close(); err != nil {
		t.Errorf("digests without a file: %v", err)
	}
	path := filepath.Join(t.TempDir(), "digests.txt")
	if err := (&Digests{path: path}).Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(path); err == nil {
		t.Error("digests without news are written")
	}
}

// Lines that are cut, changed or of another form are left out, and so are those of earlier
// versions, which had no checksum.
func TestChangedLinesOfDigestsAreIgnored(t *testing.T) {
	sum := strings.Repeat("0f", 32)
	path := filepath.Join(t.TempDir(), "digests.txt")
	read := func(text string) *Digests {
		t.Helper()
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		d, err := OpenDigests(path)
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	good := digestLine("/good", record{stamp{1, 2, 3, 4}, sum})
	d := read("8\n" + sum + "\n\n" + good + "0f 1 2 3 4 \"/short\"\n" + digestLine("/cut", record{stamp{}, sum})[:80])
	if len(d.known) != 1 || d.known["/good"] != (record{stamp{1, 2, 3, 4}, sum}) {
		t.Errorf("%v", d.known)
	}
	for i := range good {
		changed := []byte(good)
		changed[i] ^= 1
		if d := read(string(changed)); len(d.known) != 0 {
			t.Errorf("byte %d changed: %v", i, d.known)
		}
	}
	if d := read(good); d.Older() {
		t.Error("a file with checksums is older")
	}
	if d := read(sum + " 1 2 3 4 \"/old\"\n"); len(d.known) != 0 || !d.Older() {
		t.Errorf("without a checksum: %v, older: %t", d.known, d.Older())
	}
}

func TestFilesThatAreNotHashedAreNamedWithTheirSize(t *testing.T) {
	if got := (&NotHashed{"a.npy", 2_500_000_000}).Error(); got != "a.npy: not hashed yet (2.5 GB)" {
		t.Error(got)
	}
}

// A file of just the limit is hashed, and one above it is not.
func TestLargeFilesAreNotHashed(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(path, make([]byte, 10), 0o666); err != nil {
		t.Fatal(err)
	}
	for most, ok := range map[int64]bool{0: true, 9: false, 10: true} {
		if _, err := new(Digests).sum(npy.Location{FS: inputfile.System{}, Path: path, Name: path}, path, false, most); (err == nil) != ok {
			t.Errorf("at most %d bytes: %v", most, err)
		}
	}
}

// Probabilities are read as FromProbs reads them.
func TestFromProbsHasTheBitsOfASet(t *testing.T) {
	rows := [][]float64{{.5, .3, .2}, {1, 0, 0}, {.504, .3, .2}, {1.008, 0x1p-126 * 1.004, 0}, {.5, .5, 0x1p-126}, {0, 1, 1e-310}}
	zeros := []int{0, 2, 0, 1, 0, 1}
	set, form, err := formOf(t, KindProbs, len(rows), 3, func(i, j int) float64 { return rows[i][j] })
	if err != nil {
		t.Fatal(err)
	}
	if want := "2 of 6 rows of probabilities sum to 1 only within 0.01 and are divided by their sum; 4 probabilities of exactly 0 count as 2^-126"; remarks(form) != want {
		t.Errorf("notes %q", form.Notes)
	}
	for i, row := range rows {
		got := make([]float32, 3)
		n, err := FromProbs(got, row)
		if err != nil || n != zeros[i] || !slices.Equal(got, set.Logits.Row(i)) {
			t.Errorf("row %v: %v, %d zeros (%v); as a set %v", row, got, n, err, set.Logits.Row(i))
		}
	}
	for want, row := range map[string][]float64{
		"class 1: -0.005 is not a probability":                  {1.005, -.005},
		"class 0: 1.5 is not a probability":                     {1.5, 0},
		"probabilities sum to 1.02, which is not 1 within 0.01": {.52, .5},
		"probabilities sum to 0.98, which is not 1 within 0.01": {.48, .5},
		"class 0: NaN is not a probability":                     {math.NaN(), 1},
	} {
		if _, err := FromProbs(make([]float32, 2), row); err == nil || err.Error() != want {
			t.Errorf("%v: %v, want %s", row, err, want)
		}
	}
}

func TestPartsOfATableShareItsMemory(t *testing.T) {
	p := NewProbs(4, 2)
	part := p.Slice(1, 3)
	part.Row(0)[0], part.Row(1)[1] = 5, 6
	if part.Rows != 2 || part.Cols != 2 || p.Row(1)[0] != 5 || p.Row(2)[1] != 6 {
		t.Errorf("%+v of %+v", part, p)
	}
	if got := (Logits | Features | OOD).List(); !slices.Equal(got, []Parts{Logits, Features, OOD}) {
		t.Errorf("parts %v", got)
	}
}
