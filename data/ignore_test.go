package data_test

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/qats-bench/qats/data"
	"github.com/qats-bench/qats/data/derive"
	"github.com/qats-bench/qats/data/folder"
	"github.com/qats-bench/qats/data/npy"
	"github.com/qats-bench/qats/data/npytest"
)

// voidFolder returns a folder of a calibration set d/b whose logits have k classes, with the
// number of the row of the file as the logit of class 0. sets are lines of its manifest.
func voidFolder(t *testing.T, k int, sets string, labels ...int32) *folder.Folder {
	t.Helper()
	f, err := folder.New(voidFiles(k, sets, labels...), "f", folder.Layout{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// voidFiles are the files of voidFolder.
func voidFiles(k int, sets string, labels ...int32) fstest.MapFS {
	n := len(labels)
	logits, features := make([]float32, n*k), make([]float32, n)
	for i := range n {
		logits[i*k], features[i] = float32(i), float32(-i)
	}
	fsys := fstest.MapFS{
		"d/b/cal/logits.npy":   {Data: npytest.File(1, npytest.Header("<f4", false, fmt.Sprintf("(%d, %d)", n, k)), npytest.Bytes(logits))},
		"d/b/cal/features.npy": {Data: npytest.File(1, npytest.Header("<f4", false, fmt.Sprintf("(%d, 1)", n)), npytest.Bytes(features))},
		"d/b/cal/labels.npy":   {Data: npytest.File(1, npytest.Header("<i4", false, fmt.Sprintf("(%d,)", n)), npytest.Bytes(labels))},
	}
	if sets != "" {
		fsys[data.ManifestName] = &fstest.MapFile{Data: []byte("sets:\n" + sets)}
	}
	return fsys
}

var voidRef = data.Ref{Dataset: "d", Backbone: "b", Split: data.Cal}

// first returns the first number of each row.
func firstOf(m data.Matrix) (list []float32) {
	for i := range m.Rows {
		list = append(list, m.Row(i)[0])
	}
	return list
}

// TestIgnoredRowsAreLeftOutOfEveryPart: logits, features and labels have the same rows, also
// where only one of them is asked for.
func TestIgnoredRowsAreLeftOutOfEveryPart(t *testing.T) {
	for _, c := range []struct {
		k       int
		sets    string
		labels  []int32
		want    []float32 // the rows of the file
		note    string
		warning bool
	}{
		{3, "", []int32{0, 255, 2, 1, 255}, []float32{0, 2, 3}, "warning: 2 of 5 rows have the label 255 and are left out", true},
		{255, "", []int32{255, 254}, []float32{1}, "warning: 1 of 2 rows have the label 255 and are left out", true},
		{256, "", []int32{255, 254}, []float32{0, 1}, "", false},
		{3, "", []int32{0, 1}, []float32{0, 1}, "", false},
		{3, "- {set: d, ignore: 255}\n", []int32{0, 255}, []float32{0}, "1 of 2 rows have the label 255 and are left out", false},
		{300, "- {set: d, ignore: 255}\n", []int32{255, 299}, []float32{1}, "1 of 2 rows have the label 255 and are left out", false},
		{3, "- {set: d, ignore: [-1, 3]}\n", []int32{-1, 2, 3, 0}, []float32{1, 3}, "2 of 4 rows have one of the labels -1, 3 and are left out", false},
		{3, "- {set: d, ignore: 0}\n", []int32{0, 1, 0, 2}, []float32{1, 3}, "2 of 4 rows have the label 0 and are left out", false},
		{3, "- {set: d, ignore: 9}\n- {set: d/b, ignore: 7}\n", []int32{7, 1}, []float32{1}, "1 of 2 rows have the label 7 and are left out", false},
	} {
		f := voidFolder(t, c.k, c.sets, c.labels...)
		var want data.Set
		for _, v := range c.want {
			want.Labels = append(want.Labels, c.labels[int(v)])
		}
		for _, parts := range []data.Parts{data.Logits | data.Labels | data.Features, data.Logits, data.Labels, data.Features} {
			set, err := data.Load(t.Context(), f, voidRef, parts)
			if err != nil {
				t.Errorf("%v of %v: %v", parts, c.labels, err)
				continue
			}
			features := firstOf(set.Features)
			for i := range features {
				features[i] = -features[i]
			}
			if parts&data.Logits != 0 && !slices.Equal(firstOf(set.Logits), c.want) || parts&data.Features != 0 && !slices.Equal(features, c.want) ||
				parts&data.Labels != 0 && !slices.Equal(set.Labels, want.Labels) || set.Parts() != parts {
				t.Errorf("%v of %v: %v", parts, c.labels, *set)
			}
		}
		r, err := f.Open(t.Context(), voidRef, data.Logits|data.Labels)
		if err != nil {
			t.Fatal(err)
		}
		form, err := r.Form()
		r.Close()
		if got := notes(form); err != nil || !strings.HasPrefix(got, c.note) || c.note == "" && got != "" || c.warning != (len(form.Notes) > 0 && form.Notes[0].Warning) {
			t.Errorf("%v: note %q, %v", c.labels, got, err)
		}
		if n, k, err := f.Shape(t.Context(), voidRef); n != len(c.want) || k != c.k || err != nil {
			t.Errorf("%v: shape %d x %d, %v", c.labels, n, k, err)
		}
	}
}

// TestFilesIgnoreLikeFolders: a command that names files states the labels itself.
func TestFilesIgnoreLikeFolders(t *testing.T) {
	fsys := voidFiles(3, "", 0, 255, 2, 11)
	files := data.Files{FS: fsys, Logits: "d/b/cal/logits.npy", Labels: "d/b/cal/labels.npy", Ignore: data.Ignore{255, 11}}
	for _, open := range []data.Files{files, {FS: fsys, Labels: files.Labels, Ignore: files.Ignore}} {
		r, err := open.Open()
		if err != nil {
			t.Fatal(err)
		}
		set, err := data.Read(t.Context(), r, 0, r.Rows())
		if err != nil || !slices.Equal(set.Labels, []int32{0, 2}) {
			t.Errorf("%v, %v", set, err)
		}
	}
	fsys = voidFiles(3, "", 0, 255)
	for k, want := range map[int]int{0: 2, 255: 1, 256: 2} { // without logits the number of classes decides
		r, err := data.Files{FS: fsys, Labels: files.Labels, Classes: k}.Open()
		if err != nil || r.Rows() != want {
			t.Errorf("%d classes: %d rows, %v", k, r.Rows(), err)
		}
	}
}

// TestSpecsIgnoreInPlaceOfTheManifest.
func TestSpecsIgnoreInPlaceOfTheManifest(t *testing.T) {
	f := voidFolder(t, 3, "- {set: d, ignore: 0}\n", 0, 1, 2)
	f.IgnoreLabels(data.Ignore{2})
	set, err := data.Load(t.Context(), f, voidRef, data.Labels)
	if err != nil || !slices.Equal(set.Labels, []int32{0, 1}) {
		t.Errorf("%v, %v", set, err)
	}
}

// TestDigestsNameTheRowsThatAreLeftOut, in every part that has rows, and only where there are
// such rows: the keys of other sets do not change.
func TestDigestsNameTheRowsThatAreLeftOut(t *testing.T) {
	digest := func(f *folder.Folder, parts data.Parts) string {
		t.Helper()
		text, err := f.Digest(t.Context(), voidRef, parts)
		if err != nil {
			t.Fatal(err)
		}
		return text
	}
	void := voidFolder(t, 3, "", 0, 255, 2)
	line := "1 rows left out, version 1, by the labels 255 of sha256:"
	for _, parts := range []data.Parts{data.Logits, data.Features, data.Labels, data.Logits | data.Labels} {
		if got := digest(void, parts); strings.Count(got, line) != 1 || !strings.HasSuffix(got, "\n") {
			t.Errorf("%v: %q", parts, got)
		}
	}
	stated := voidFolder(t, 3, "- {set: d, ignore: 255}\n", 0, 255, 2)
	if a, b := digest(void, data.Logits), digest(stated, data.Logits); a != b {
		t.Errorf("the same rows have two digests: %q, %q", a, b)
	}
	two := voidFolder(t, 3, "- {set: d, ignore: [2, 255]}\n", 0, 255, 2)
	if a, b := digest(void, data.Logits), digest(two, data.Logits); a == b {
		t.Errorf("other rows have one digest: %q", a)
	}
	elsewhere := voidFolder(t, 3, "", 255, 0, 2)
	if a, b := digest(void, data.Logits), digest(elsewhere, data.Logits); a == b {
		t.Errorf("other labels leave out other rows: %q", a)
	}
	for _, f := range []*folder.Folder{voidFolder(t, 3, "", 0, 1, 2), voidFolder(t, 3, "- {set: d, ignore: 255}\n", 0, 1, 2), voidFolder(t, 256, "", 0, 255, 2)} {
		if got := digest(f, data.Logits); strings.Count(got, "\n") != 1 || !strings.HasPrefix(got, "logits sha256:") {
			t.Errorf("no row is left out: %q", got)
		}
	}
}

// TestErrorsNameTheRowOfTheFile where rows before it are left out.
func TestErrorsNameTheRowOfTheFile(t *testing.T) {
	load := func(src data.Source) error {
		_, err := data.Load(t.Context(), src, voidRef, data.Logits|data.Labels)
		return err
	}
	for _, c := range []struct {
		labels []int32
		sets   string
		want   string
	}{
		{[]int32{255, 0, 3}, "", "f/d/b/cal/labels.npy: row 2: label 3 is outside 0..2; labels start at 0, and the largest of this file is 3; if such rows have no class, state ignore: 3 in manifest.yaml or the spec, or --ignore 3; otherwise give the logits of all classes"},
		{[]int32{11, 255, 0}, "- {set: d, ignore: 11}\n", "f/d/b/cal/labels.npy: row 1: label 255 is outside 0..2; labels start at 0, and the largest of this file is 255; if such rows have no class, state ignore: [11, 255] in manifest.yaml or the spec, or --ignore 11,255; otherwise give the logits of all classes"},
		{[]int32{255, 255}, "", "f/d/b/cal/labels.npy: all 2 rows have the label 255, which is ignored: no row is left; correct ignore, or the labels"},
		{[]int32{11, 12}, "- {set: d, ignore: [12, 11]}\n", "f/d/b/cal/labels.npy: all 2 rows have one of the labels 12, 11, which is ignored: no row is left; correct ignore, or the labels"},
	} {
		if err := load(voidFolder(t, 3, c.sets, c.labels...)); fmt.Sprint(err) != c.want {
			t.Errorf("got  %v\nwant %s", err, c.want)
		}
	}
	fsys := voidFiles(3, "", 255, 0, 255, 1, 2)
	f, err := folder.New(fsys, "f", folder.Layout{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	fsys["d/b/cal/logits.npy"] = &fstest.MapFile{Data: npytest.File(1, npytest.Header("<f4", false, "(5, 3)"), npytest.F4(0, 0, 0, 1, 0, 0, 0, 0, 0, 3e38, 0, 0, 0, 0, 0))}
	if err := load(derive.Scaled(f, 2)); fmt.Sprint(err) != "row 3, class 0: logit 3e+38 times 2 is too large for float32" {
		t.Error(err)
	}
	fsys["d/b/cal/logits.npy"] = &fstest.MapFile{Data: npytest.File(1, npytest.Header("<f8", false, "(5, 3)"), npytest.F8(9, 9, 9, .2, .3, .5, 9, 9, 9, .2, .3, .5, .2, .2, .2))}
	f.StateKind(data.KindProbs)
	if err := load(f); fmt.Sprint(err) != "f/d/b/cal/logits.npy: row 4: probabilities sum to 0.6, which is not 1 within 0.1" {
		t.Error(err)
	}
}

// TestDerivedSetsAreOfTheKeptRows: the first rows, draws and halves are of the rows that are
// kept, as if the others had never been in the files.
func TestDerivedSetsAreOfTheKeptRows(t *testing.T) {
	sets := func(void bool) *folder.Folder {
		fsys := fstest.MapFS{}
		for split, labels := range map[data.Split][]int32{data.Cal: {0, 0, 1, 0, 1, 2, 0}, data.Test: {2, 1, 0, 1, 0, 2}} {
			var logits []float32
			var all []int32
			add := func(y int32, v float32) {
				all, logits = append(all, y), append(logits, v, 0, 0)
			}
			for i, y := range labels {
				if void {
					add(255, -1)
				}
				add(y, float32(i))
			}
			dir := "d/b/" + string(split) + "/"
			fsys[dir+"logits.npy"] = &fstest.MapFile{Data: npytest.File(1, npytest.Header("<f4", false, fmt.Sprintf("(%d, 3)", len(all))), npytest.Bytes(logits))}
			fsys[dir+"labels.npy"] = &fstest.MapFile{Data: npytest.File(1, npytest.Header("<i4", false, fmt.Sprintf("(%d,)", len(all))), npytest.Bytes(all))}
		}
		f, err := folder.New(fsys, "f", folder.Layout{}, nil)
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	plain, void := sets(false), sets(true)
	for name, of := range map[string]func(data.Source) data.Source{
		"first":   func(s data.Source) data.Source { return derive.First(s, 4) },
		"redrawn": func(s data.Source) data.Source { return derive.Redrawn(s, 3) },
		"skewed":  derive.Skewed,
		"scaled":  func(s data.Source) data.Source { return derive.Scaled(s, 3) },
	} {
		for _, split := range []data.Split{data.Cal, data.Test} {
			ref := voidRef.In(split)
			want, err1 := data.Load(t.Context(), of(plain), ref, data.Logits|data.Labels)
			got, err2 := data.Load(t.Context(), of(void), ref, data.Logits|data.Labels)
			if err1 != nil || err2 != nil || !reflect.DeepEqual(got, want) {
				t.Errorf("%s, %s: %+v, %v; want %+v, %v", name, split, got, err2, want, err1)
			}
			n, k, err := of(void).Shape(t.Context(), ref)
			if n != want.Logits.Rows || k != 3 || err != nil {
				t.Errorf("%s, %s: shape %d x %d, %v", name, split, n, k, err)
			}
		}
	}
}

// TestStreamsLeaveOutTheSameRows as a set in memory.
func TestStreamsLeaveOutTheSameRows(t *testing.T) {
	var labels []int32
	for i := range 3000 {
		labels = append(labels, []int32{0, 1, 255, 2, 255}[i*i%5])
	}
	f := voidFolder(t, 3, "", labels...)
	want, err := data.Load(t.Context(), f, voidRef, data.Logits|data.Labels)
	if err != nil {
		t.Fatal(err)
	}
	r, err := f.Open(t.Context(), voidRef, data.Logits|data.Labels)
	if err != nil {
		t.Fatal(err)
	}
	s := data.NewStream(r)
	defer s.Close()
	if s.Rows() != want.Logits.Rows || s.Rows() == len(labels) {
		t.Fatalf("%d rows, want %d", s.Rows(), want.Logits.Rows)
	}
	for _, at := range [][2]int{{0, s.Rows()}, {17, 900}, {s.Rows() - 1, s.Rows()}, {5, 5}} {
		lo, hi := at[0], at[1]
		logits, classes := make([]float32, 3*(hi-lo)), make([]int32, hi-lo)
		if err := s.Read(context.Background(), lo, hi, logits, classes); err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(logits, want.Logits.Slice(lo, hi).Data) || !slices.Equal(classes, want.Labels[lo:hi]) {
			t.Errorf("rows %d..%d differ", lo, hi)
		}
	}
}

// TestFollowedArraysHaveTheRowsOfTheSet, such as probabilities that stand beside its labels.
func TestFollowedArraysHaveTheRowsOfTheSet(t *testing.T) {
	f := voidFolder(t, 3, "", 0, 255, 2)
	r, err := f.Open(t.Context(), voidRef, data.Logits|data.Labels)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	a, err := npy.NewArray(npy.Float64, false, false, []int{3, 2}, npytest.F8(1, 2, 3, 4, 5, 6))
	if err != nil {
		t.Fatal(err)
	}
	if err := data.Follow(a, r); err != nil || a.Rows() != 2 {
		t.Fatalf("%d rows, %v", a.Rows(), err)
	}
	got := make([]float64, 4)
	if err := a.ReadFloat64(got, 0, 2); err != nil || !slices.Equal(got, []float64{1, 2, 5, 6}) {
		t.Errorf("%v, %v", got, err)
	}
	short, err := npy.NewArray(npy.Float64, false, false, []int{2, 1}, npytest.F8(1, 2))
	if err != nil {
		t.Fatal(err)
	}
	if err := data.Follow(short, r); fmt.Sprint(err) != "array of shape (2, 1): 2 rows; the set has 3" {
		t.Error(err)
	}
}

// TestIgnoreIsWrittenAsItIsRead in manifests and flags.
func TestIgnoreIsWrittenAsItIsRead(t *testing.T) {
	for text, want := range map[string]data.Ignore{"255": {255}, "-1": {-1}, "11, 255": {11, 255}} {
		got, err := data.ParseIgnore(text)
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("%q: %v, %v", text, got, err)
		}
		dir := t.TempDir()
		if err := (folder.Manifest{Sets: []folder.ManifestSet{{Set: "d", Ignore: want}, {Set: "e"}}}).Write(dir); err != nil {
			t.Fatal(err)
		}
		m, err := folder.ReadManifest(dir)
		if err != nil || !slices.Equal(m.Sets[0].Ignore, want) || m.Sets[1].Ignore != nil {
			t.Errorf("%v: %+v, %v", want, m, err)
		}
	}
	for _, text := range []string{"", "void", "1.5", "1,1", "2147483648"} {
		if list, err := data.ParseIgnore(text); err == nil {
			t.Errorf("%q: %v", text, list)
		}
	}
}
