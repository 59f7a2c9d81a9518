package derive

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/qats-bench/qats/data"
	"github.com/qats-bench/qats/data/folder"
	"github.com/qats-bench/qats/data/npytest"
)

// pairOfSets is a network s/n with three calibration rows and four test rows of two
// classes, without the files that are named, and with further ones.
func pairOfSets(t *testing.T, more fstest.MapFS, without ...string) *folder.Folder {
	t.Helper()
	table := func(shape string, body []byte) *fstest.MapFile {
		return &fstest.MapFile{Data: npytest.File(1, npytest.Header("<f4", false, shape), body)}
	}
	labels := func(y ...byte) *fstest.MapFile {
		return &fstest.MapFile{Data: npytest.File(1, npytest.Header("|u1", false, fmt.Sprintf("(%d,)", len(y))), y)}
	}
	fsys := fstest.MapFS{
		"s/n/cal/logits.npy":  table("(3, 2)", npytest.F4(1, 2, 3, 4, 5, 6)),
		"s/n/cal/labels.npy":  labels(0, 0, 1),
		"s/n/test/logits.npy": table("(4, 2)", npytest.F4(1, 2, 3, 4, 5, 6, 7, 8)),
		"s/n/test/labels.npy": labels(1, 1, 0, 0),
	}
	for name, file := range more {
		fsys[name] = file
	}
	for _, name := range without {
		delete(fsys, name)
	}
	src, err := folder.New(fsys, "d", folder.Layout{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return src
}

var clean = data.Ref{Dataset: "s", Backbone: "n", Split: data.Test}

func calibrationOf(ref data.Ref) data.Ref {
	ref.Split = data.Cal
	return ref
}

// Sources made of both sets of a network need the labels of both, and have no
// corrupted sets. Calibration sets are left as they are by Skewed.
func TestSourcesOfBothSetsNeedTheLabelsOfBoth(t *testing.T) {
	fog := clean
	fog.Corruption, fog.Severity = "fog", 1
	corrupted := fstest.MapFS{"s/n/fog/1/logits.npy": {Data: npytest.File(1, npytest.Header("<f4", false, "(1, 2)"), npytest.F4(1, 2))},
		"s/n/fog/1/labels.npy": {Data: npytest.File(1, npytest.Header("|u1", false, "(1,)"), []byte{0})}}
	for without, want := range map[string][3]data.Parts{ // of Redrawn, of Skewed, and of the calibration set of Skewed
		"":                   {data.Logits | data.Labels, data.Logits | data.Labels, data.Logits | data.Labels},
		"s/n/cal/labels.npy": {0, 0, data.Logits}, "s/n/test/labels.npy": {0, 0, data.Logits | data.Labels},
		"s/n/cal/logits.npy": {0: data.Labels, 1: data.Logits | data.Labels, 2: data.Labels},
	} {
		src := pairOfSets(t, corrupted, without)
		got := [3]data.Parts{Redrawn(src, 1).Has(clean), Skewed(src).Has(clean), Skewed(src).Has(calibrationOf(clean))}
		if got != want {
			t.Errorf("without %q: %v, want %v", without, got, want)
		}
		if src.Has(fog) == 0 || Redrawn(src, 1).Has(fog) != 0 || Skewed(src).Has(fog) != 0 {
			t.Errorf("corrupted sets: %v of the folder", src.Has(fog))
		}
	}
}

// Redrawn rows are measured, or the paper's, only if both sets are.
func TestRedrawnRowsHaveTheOriginOfBothSets(t *testing.T) {
	for _, c := range []struct {
		cal, test string
		origin    data.Origin
		paper     bool
	}{
		{"paper: true", "paper: true", data.Measured, true},
		{"paper: false", "paper: true", data.Measured, false},
		{"paper: true", "paper: false", data.Measured, false},
		{"source: simulated", "source: measured", data.Simulated, false},
		{"source: measured", "source: simulated", data.Simulated, false},
	} {
		manifest := "sets:\n- {set: s/n/cal, " + c.cal + "}\n- {set: s/n/test, " + c.test + "}\n"
		p := Redrawn(pairOfSets(t, fstest.MapFS{data.ManifestName: {Data: []byte(manifest)}}), 3).Describe(clean)
		if p.Origin != c.origin || p.Paper != c.paper {
			t.Errorf("%s and %s: %+v", c.cal, c.test, p)
		}
	}
}

// The digest of thinned-out rows depends on the content of both sets, and a set that
// cannot be read is an error.
func TestDigestOfSkewedRowsHasBothSets(t *testing.T) {
	ctx := context.Background()
	src := pairOfSets(t, nil)
	got, err := Skewed(src).Digest(ctx, clean, data.Logits)
	if err != nil {
		t.Fatal(err)
	}
	cal, _ := src.Digest(ctx, calibrationOf(clean), data.Labels)
	test, _ := src.Digest(ctx, clean, data.Logits|data.Labels)
	if !strings.Contains(got, cal) || !strings.Contains(got, test) || cal == "" || test == "" {
		t.Errorf("digest %q of %q and %q", got, cal, test)
	}
	if got, err := Skewed(src).Digest(ctx, calibrationOf(clean), data.Labels); got != cal || err != nil {
		t.Errorf("digest of the calibration set %q, %v", got, err)
	}
	for _, name := range []string{"s/n/cal/labels.npy", "s/n/test/labels.npy"} {
		if got, err := Skewed(pairOfSets(t, nil, name)).Digest(ctx, clean, data.Logits); err == nil {
			t.Errorf("without %s: %q", name, got)
		}
		if got, err := folder.Headers(ctx, Skewed(pairOfSets(t, nil, name)), clean, data.Logits); err == nil {
			t.Errorf("without %s: headers %v", name, got)
		}
	}
}

// Headers name the arrays that were looked at, and their shapes.
func TestHeadersHaveTheShapes(t *testing.T) {
	ctx := context.Background()
	src := pairOfSets(t, nil)
	for name, src := range map[string]data.Source{"folder": src, "skewed": Skewed(src), "redrawn": Redrawn(src, 1), "first": First(src, 2)} {
		all, err := folder.Headers(ctx, src, clean, data.Logits|data.Labels)
		if err != nil || len(all) != 2 || all[0].Name != "d/s/n/test/logits.npy" || !slices.Equal(all[0].Shape, []int{4, 2}) || !slices.Equal(all[1].Shape, []int{4}) {
			t.Errorf("%s: %+v, %v", name, all, err)
		}
	}
	if all, err := folder.Headers(ctx, src, data.Ref{Dataset: "s", Backbone: "none", Split: data.Test}, data.Logits); err == nil {
		t.Errorf("of no set: %v", all)
	}
	if all, err := folder.Headers(ctx, Skewed(src), calibrationOf(clean), data.Logits); err != nil || len(all) != 1 {
		t.Errorf("of a calibration set without its labels: %v, %v", all, err)
	}
}

// The shape of a set is that of its logits, which have one axis or two.
func TestShapeNeedsOneAxisOrTwo(t *testing.T) {
	ctx := context.Background()
	cube := fstest.MapFS{"s/n/test/logits.npy": {Data: npytest.File(1, npytest.Header("<f4", false, "(1, 2, 2)"), npytest.F4(1, 2, 3, 4))}}
	if _, _, err := pairOfSets(t, cube).Shape(ctx, clean); err == nil || !strings.Contains(err.Error(), "shape (1, 2, 2); want n x k") {
		t.Errorf("three axes: %v", err)
	}
	if _, _, err := pairOfSets(t, nil, "s/n/test/logits.npy").Shape(ctx, clean); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("without logits: %v", err)
	}
	opened := struct{ data.Source }{pairOfSets(t, nil)} // a source that cannot look at headers
	if n, k, err := opened.Shape(ctx, clean); n != 4 || k != 2 || err != nil {
		t.Errorf("shape %d x %d, %v", n, k, err)
	}
	if _, _, err := opened.Shape(ctx, data.Ref{Dataset: "s", Backbone: "none", Split: data.Test}); err == nil {
		t.Error("no set has a shape")
	}
}

// fileless is a source of its own, of no sort that anybody looks for.
type fileless struct{ data.Source }

func (fileless) Inputs(data.Ref, data.Parts) []data.Input { return nil }

// A search names the files that were looked for, the last folder that is there, and
// its entries.
func TestSearchNamesWhatIsThere(t *testing.T) {
	empty := &fstest.MapFile{}
	src := pairOfSets(t, fstest.MapFS{"s/m/test/logits.npy": {Data: npytest.F4(1)}, "s/m/.hidden": empty, "s/m/readme": empty, "s/m/weights.pt": empty}, "s/n/cal/labels.npy")
	s, ok := folder.SearchOf(First(src, 3), data.Ref{Dataset: "s", Backbone: "m", Split: data.Cal})
	if !ok || s.Dir != "d/s/m" || s.Missing != "cal" || !slices.Equal(s.Entries, []string{"readme", "test/", "weights.pt"}) || !strings.Contains(s.Note, "d/s/m/weights.pt: a file of torch.save") {
		t.Errorf("%+v, %v", s, ok)
	}
	if !slices.Contains(s.Tried, "d/s/m/cal/logits.npy") || !slices.Contains(s.Tried, "d/s/m/cal.npz") || strings.Contains(strings.Join(s.Tried, " "), "safetensors") {
		t.Errorf("tried %q", s.Tried)
	}
	if s, _ = folder.SearchOf(src, data.Ref{Dataset: "s", Backbone: "n", Split: data.Cal}); s.Note != "d/s/n/cal/logits.npy is there, labels.npy is not" {
		t.Errorf("note %q", s.Note)
	}
	if s, _ = folder.SearchOf(src, clean); s.Note != "" {
		t.Errorf("note %q of a complete set", s.Note)
	}
	if s, _ = folder.SearchOf(src, data.Ref{Dataset: "other", Backbone: "m", Split: data.Cal}); s.Dir != "d" || s.Missing != "other" || !slices.Equal(s.Entries, []string{"s/"}) {
		t.Errorf("%+v", s)
	}
	if s, ok := folder.SearchOf(Skewed(src), clean); !ok || s.Note != "d/s/n/cal/logits.npy is there, labels.npy is not" {
		t.Errorf("of test rows that need the labels of the calibration set: %+v, %v", s, ok)
	}
	if s, ok := folder.SearchOf(fileless{src}, clean); ok {
		t.Errorf("a source without files: %+v", s)
	}
	layout, err := folder.ParseLayout("{dataset}.safetensors#{split}_{array}")
	if err != nil {
		t.Fatal(err)
	}
	stated, err := folder.New(fstest.MapFS{"a.safetensors": empty}, "d", layout, nil)
	if err != nil {
		t.Fatal(err)
	}
	if s, _ = folder.SearchOf(stated, clean); !slices.Equal(s.Tried, []string{"d/s.safetensors#test_logits"}) || s.Dir != "d" || s.Missing != "s.safetensors" {
		t.Errorf("%+v", s)
	}
}

// Scaled logits without views have none.
func TestScaledSetsHaveThePartsOfTheirSource(t *testing.T) {
	set, err := data.Load(context.Background(), Scaled(pairOfSets(t, nil), 2), clean, data.Logits|data.Labels)
	if err != nil || set.Augmented != nil || set.Logits.Data[7] != 16 {
		t.Errorf("%+v, %v", set, err)
	}
}

// The bytes of a derived set are those that its reader reads: a share of the rows, or
// both sets.
func TestBytesOfDerivedSets(t *testing.T) {
	src := pairOfSets(t, nil)
	for name, c := range map[string]struct {
		src  data.Source
		want int64
	}{"first": {First(src, 2), 24}, "first of all": {First(src, 9), 48}, "redrawn": {Redrawn(src, 1), 36 + 48}} {
		r, err := c.src.Open(context.Background(), clean, data.Logits|data.Labels)
		if err != nil {
			t.Fatal(err)
		}
		defer r.Close()
		if got := r.Bytes(); got != c.want {
			t.Errorf("%s: %d bytes, want %d", name, got, c.want)
		}
	}
}

// Sets of other classes, or with logits that cannot be read, cannot be redrawn.
func TestRedrawnSetsFitEachOther(t *testing.T) {
	ctx := context.Background()
	three := &fstest.MapFile{Data: npytest.File(1, npytest.Header("<f4", false, "(3, 3)"), npytest.F4(1, 2, 3, 4, 5, 6, 7, 8, 9))}
	r, err := Redrawn(pairOfSets(t, fstest.MapFS{"s/n/cal/logits.npy": three}), 1).Open(ctx, clean, data.Logits|data.Labels)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if _, err := data.Read(ctx, r, 0, 1); err == nil || err.Error() != "redrawn rows: the calibration set has 3 classes, the test set 2" {
		t.Errorf("classes of two kinds: %v", err)
	}
	if r, err = Redrawn(pairOfSets(t, nil), 1).Open(ctx, clean, data.Labels); err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if set, err := data.Read(ctx, r, 0, 4); err != nil || len(set.Labels) != 4 {
		t.Errorf("labels alone: %+v, %v", set, err)
	}
	table := make([]float64, 2*30)
	for i := range table {
		table[i] = .5
	}
	labels := make([]byte, 30)
	looksLikeProbs := fstest.MapFS{"s/n/cal/logits.npy": {Data: npytest.File(1, npytest.Header("<f8", false, "(30, 2)"), npytest.F8(table...))},
		"s/n/cal/labels.npy": {Data: npytest.File(1, npytest.Header("|u1", false, "(30,)"), labels)}}
	if r, err = Redrawn(pairOfSets(t, looksLikeProbs), 1).Open(ctx, clean, data.Logits|data.Labels); err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if form, err := r.Form(); err == nil {
		t.Errorf("probabilities of the calibration set: %+v", form)
	}
}

func TestSkewedRowsSayWhatTheyAre(t *testing.T) {
	const note = "test rows thinned out to the class shares of the calibration set"
	for manifest, want := range map[string]string{"{}\n": note, "sets: [{set: s/n, note: mine}]\n": "mine; " + note} {
		src := Skewed(pairOfSets(t, fstest.MapFS{data.ManifestName: {Data: []byte(manifest)}}))
		if got := src.Describe(clean).Note; got != want {
			t.Errorf("note %q, want %q", got, want)
		}
		if got := src.Describe(calibrationOf(clean)).Note; strings.Contains(got, note) {
			t.Errorf("note of the calibration set %q", got)
		}
	}
}
