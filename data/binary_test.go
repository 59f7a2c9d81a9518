package data_test

import (
	"context"
	"fmt"
	"math"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/qats-bench/qats/data"
	"github.com/qats-bench/qats/data/folder"
	"github.com/qats-bench/qats/data/npytest"
)

// binaryFolder returns a folder with a binary set of three rows: logits of the given
// shape, and labels 0, 1, 1.
func binaryFolder(t *testing.T, kind data.Kind, shape string, values ...float64) *folder.Folder {
	t.Helper()
	fsys := fstest.MapFS{
		"s/n/test/logits.npy": {Data: npytest.File(1, npytest.Header("<f8", false, shape), npytest.F8(values...))},
		"s/n/test/labels.npy": {Data: npytest.File(1, npytest.Header("|u1", false, fmt.Sprintf("(%d,)", len(values))), []byte{0, 1, 1}[:len(values)])},
	}
	if kind != data.AnyKind {
		fsys[data.ManifestName] = &fstest.MapFile{Data: []byte("sets: [{set: s/n, kind: " + string(kind) + "}]\n")}
	}
	src, err := folder.New(fsys, "d", folder.Layout{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return src
}

// p becomes [log(1-p), log p] and z becomes [0, z], whether stored as n x 1 or n.
func TestOneColumnBecomesTwoClasses(t *testing.T) {
	ref := data.Ref{Dataset: "s", Backbone: "n", Split: data.Test}
	for _, shape := range []string{"(3, 1)", "(3,)"} {
		for _, c := range []struct {
			kind   data.Kind
			values []float64
			want   []float32
		}{
			{data.KindProbs, []float64{0.25, 1, 1e-9}, []float32{float32(math.Log(.75)), float32(math.Log(.25)), float32(math.Log(0x1p-126)), 0, -1e-9, float32(math.Log(1e-9))}},
			{data.KindProbs, []float64{0, .5, .5}, []float32{float32(math.Copysign(0, -1)), float32(math.Log(0x1p-126)), -math.Ln2, -math.Ln2, -math.Ln2, -math.Ln2}},
			{data.KindProbs, []float64{1e-60, 1e-310, .5}, []float32{float32(math.Copysign(0, -1)), float32(math.Log(1e-60)), float32(math.Copysign(0, -1)), float32(math.Log(1e-300)), -math.Ln2, -math.Ln2}},
			{data.KindLogits, []float64{-2.5, 0, 40}, []float32{0, -2.5, 0, 0, 0, 40}},
		} {
			src := binaryFolder(t, c.kind, shape, c.values...)
			set, err := data.Load(context.Background(), src, ref, data.Logits|data.Labels)
			if err != nil {
				t.Fatalf("%s %s: %v", c.kind, shape, err)
			}
			if fmt.Sprint(set.Logits) != fmt.Sprint(data.Matrix{Rows: 3, Cols: 2, Data: c.want}) || fmt.Sprint(set.Labels) != "[0 1 1]" {
				t.Errorf("%s %s: %v, labels %v; want %v", c.kind, shape, set.Logits, set.Labels, c.want)
			}
			rows, classes, err := src.Shape(context.Background(), ref)
			if rows != 3 || classes != 2 || err != nil {
				t.Errorf("%s %s: shape %d x %d, %v", c.kind, shape, rows, classes, err)
			}
			if _, err := folder.Headers(context.Background(), src, ref, data.Logits|data.Labels); err != nil {
				t.Error(err)
			}
			r, err := src.Open(context.Background(), ref, data.Logits)
			if err != nil {
				t.Fatal(err)
			}
			form, err := r.Form()
			if err != nil || r.Classes() != 2 || form.OffsetLost != (c.kind == data.KindProbs) {
				t.Errorf("%s %s: %d classes, form %+v, %v", c.kind, shape, r.Classes(), form, err)
			}
			if part, err := data.Read(context.Background(), r, 1, 2); err != nil || fmt.Sprint(part.Logits.Data) != fmt.Sprint(c.want[2:4]) {
				t.Errorf("%s %s: row 1 is %v, %v", c.kind, shape, part, err)
			}
			r.Close()
		}
	}
}

// Values and kinds that cannot be read are errors with the place and the remedy.
func TestOneColumnErrors(t *testing.T) {
	for _, c := range []struct {
		kind   data.Kind
		shape  string
		values []float64
		want   string
	}{
		{data.AnyKind, "(3, 1)", []float64{.1, .2, .3}, "d/s/n/test/logits.npy: one column; state kind: probs in manifest.yaml, or --kind probs, if it holds the probability of class 1, and kind: logits if it holds its log odds"},
		{data.KindLogProbs, "(3, 1)", []float64{-.1, -.2, -.3}, "d/s/n/test/logits.npy: one column; state kind: probs"},
		{data.AnyKind, "(3,)", []float64{.1, .2, .3}, "d/s/n/test/logits.npy: shape (3,); want n x k; if they are binary scores, state kind: probs or kind: logits (as a flag --kind probs or --kind logits)"},
		{data.KindProbs, "(3, 1)", []float64{.1, 1.5, .3}, "d/s/n/test/logits.npy: row 1: 1.5 is not a probability"},
		{data.KindProbs, "(3, 1)", []float64{.1, math.NaN(), .3}, "d/s/n/test/logits.npy: row 1: NaN"},
		{data.KindLogits, "(3, 1)", []float64{.1, .2, math.Inf(1)}, "d/s/n/test/logits.npy: row 2: +Inf"},
	} {
		_, err := data.Load(context.Background(), binaryFolder(t, c.kind, c.shape, c.values...), data.Ref{Dataset: "s", Backbone: "n", Split: data.Test}, data.Logits|data.Labels)
		if err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("kind %q: %v\nwant %s", c.kind, err, c.want)
		}
	}
}

// Log odds that look like probabilities get a warning, and probabilities of exactly 0 are
// counted, of either class. Other numbers need no note.
func TestNotesOnOneColumn(t *testing.T) {
	const unit, tiny = "warning: all log odds are in [0, 1] (probabilities? then state kind: probs)", " probabilities of exactly 0 count as 2^-126"
	for _, c := range []struct {
		kind   data.Kind
		values []float64
		want   string
	}{
		{data.KindLogits, []float64{.1, .9, .5}, unit},
		{data.KindLogits, []float64{0, .5, 1}, unit},
		{data.KindLogits, []float64{.2, 3, .1}, ""},
		{data.KindLogits, []float64{-.5, .2, .3}, ""},
		{data.KindLogits, []float64{.2, .3, -.5}, ""},
		{data.KindProbs, []float64{.25, .5, .75}, ""},
		{data.KindProbs, []float64{0, .5, 1}, "2" + tiny},
		{data.KindProbs, []float64{.5, 0x1p-126, 1e-60}, ""},
	} {
		r, err := binaryFolder(t, c.kind, "(3, 1)", c.values...).Open(context.Background(), data.Ref{Dataset: "s", Backbone: "n", Split: data.Test}, data.Logits)
		if err != nil {
			t.Fatal(err)
		}
		defer r.Close()
		if form, err := r.Form(); err != nil || notes(form) != c.want {
			t.Errorf("%s %v: %q, %v", c.kind, c.values, form.Notes, err)
		}
	}
}

// A last layer cannot have one class, and an array of one axis besides the logits has
// no hint about binary scores.
func TestPartsOfABinarySetAreChecked(t *testing.T) {
	floats := func(shape string, n int) *fstest.MapFile {
		return &fstest.MapFile{Data: npytest.File(1, npytest.Header("<f8", false, shape), npytest.F8(make([]float64, n)...))}
	}
	for name, c := range map[string]struct {
		file  string
		array *fstest.MapFile
		parts data.Parts
		want  string
	}{
		"weight":   {"s/n/head_weight.npy", floats("(1, 2)", 2), data.Logits | data.Head, "d/s/n/head_weight.npy: a last layer of one class; store a row of zeros before it"},
		"features": {"s/n/test/features.npy", floats("(3,)", 3), data.Logits | data.Features, "d/s/n/test/features.npy: shape (3,); want n x d"},
		"no axis":  {"s/n/test/features.npy", floats("(3,)", 3), data.Features, "d/s/n/test/features.npy: shape (3,); want n x d"},
	} {
		fsys := fstest.MapFS{
			data.ManifestName:       {Data: []byte("sets: [{set: s/n, kind: probs}]\n")},
			"s/n/test/logits.npy":   floats("(3, 1)", 3),
			"s/n/test/labels.npy":   {Data: npytest.File(1, npytest.Header("|u1", false, "(3,)"), []byte{0, 1, 1})},
			"s/n/head_bias.npy":     floats("(1,)", 1),
			"s/n/test/features.npy": floats("(3, 2)", 6),
			c.file:                  c.array,
		}
		src, err := folder.New(fsys, "d", folder.Layout{}, nil)
		if err != nil {
			t.Fatal(err)
		}
		r, err := src.Open(context.Background(), data.Ref{Dataset: "s", Backbone: "n", Split: data.Test}, c.parts)
		if err == nil {
			r.Close()
		}
		if fmt.Sprint(err) != c.want {
			t.Errorf("%s: %v, want %s", name, err, c.want)
		}
	}
}
