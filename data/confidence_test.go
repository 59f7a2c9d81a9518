package data_test

import (
	"context"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/qats-bench/qats/data"
	"github.com/qats-bench/qats/data/derive"
	"github.com/qats-bench/qats/data/folder"
	"github.com/qats-bench/qats/data/npy"
)

// writeAlone writes arrays of predictions with a confidence alone, by name.
func writeAlone(t *testing.T, dir string, floats map[string][]float64, ints map[string][]int32) {
	t.Helper()
	if err := os.MkdirAll(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	for name, v := range floats {
		if err := npy.WriteFloat64(filepath.Join(dir, name+".npy"), v, len(v)); err != nil {
			t.Fatal(err)
		}
	}
	for name, v := range ints {
		if err := npy.WriteInt32(filepath.Join(dir, name+".npy"), v, len(v)); err != nil {
			t.Fatal(err)
		}
	}
}

// Flags of correctness and predicted classes beside labels give the same set.
func TestAConfidenceAloneIsReadEitherWay(t *testing.T) {
	dir := t.TempDir()
	conf := []float64{0.9, 0, 1, 0.25, 0.5}
	writeAlone(t, dir, map[string][]float64{"c": conf, "flags": {1, 0, 1, 0, 1}},
		map[string][]int32{"correct": {1, 0, 1, 0, 1}, "predicted": {7, 300, 2, 3, 4}, "labels": {7, 255, 2, 0, 4}})
	in := func(name string) string { return filepath.Join(dir, name+".npy") }
	for _, files := range []data.Files{
		{Logits: in("c"), Labels: in("correct")},
		{Logits: in("c"), Labels: in("flags")},
		{Logits: in("c"), Labels: in("labels"), Predicted: in("predicted")}, // 255 is a class, not a void label
		{Logits: in("c"), Labels: in("labels"), Predicted: in("predicted"), Classes: 1000},
	} {
		files.Kind = data.KindConfidence
		r, err := files.Open()
		if err != nil {
			t.Fatal(err)
		}
		set, err := data.Read(t.Context(), r, 0, r.Rows())
		if err != nil {
			t.Fatal(err)
		}
		form, err := r.Form()
		if err != nil || !form.Confidence || len(form.Notes) != 1 || form.Notes[0].Count != 2 {
			t.Errorf("%+v, %v: want a note on two confidences of exactly 0 or 1", form, err)
		}
		if !slices.Equal(set.Confidence, conf) || !slices.Equal(set.Labels, []int32{0, 1, 0, 1, 0}) || set.Logits.Present() || set.Classes != files.Classes {
			t.Errorf("%+v", set)
		}
		if set.Parts() != data.Logits|data.Labels || set.Len() != 5 || set.K() != files.Classes || r.Classes() != files.Classes || r.Rows() != 5 || set.Check() != nil {
			t.Errorf("parts %v, %d rows, %d classes, %v", set.Parts(), set.Len(), set.K(), set.Check())
		}
		if part := set.View(data.Logits).Rows(1, 3); !slices.Equal(part.Confidence, conf[1:3]) || part.Labels != nil || part.Classes != files.Classes {
			t.Errorf("a view of two rows: %+v", part)
		}
		if two := data.Gather([]int{4, 5}, set, set); !slices.Equal(two.Confidence, []float64{0.5, 0.9}) || !slices.Equal(two.Labels, []int32{0, 0}) || two.Classes != files.Classes {
			t.Errorf("gathered: %+v", two)
		}
		r.Close()
	}
}

// What is no confidence and no outcome is an error that names the place and the remedy.
func TestBadConfidences(t *testing.T) {
	dir := t.TempDir()
	for name, x := range map[string]struct {
		conf             []float64
		correct, predict []int32
		classes          int
		want             string
	}{
		"percent":   {[]float64{90, 100}, []int32{1, 0}, nil, 0, "c.npy: row 0: 90 is not a confidence in [0, 1]; the largest is 100: if these are per cent, divide them by 100"},
		"above":     {[]float64{0.5, 1.01}, []int32{1, 0}, nil, 0, "c.npy: row 1: 1.01 is not a confidence in [0, 1]"},
		"logs":      {[]float64{-0.5, -2}, []int32{1, 0}, nil, 0, "c.npy: row 0: -0.5 is not a confidence in [0, 1]; none is above 0: if these are logarithms, store their exponentials"},
		"nan":       {[]float64{0.5, math.NaN()}, []int32{1, 0}, nil, 0, "c.npy: row 1: NaN"},
		"lengths":   {[]float64{0.5, 0.6}, []int32{1}, nil, 0, "c.npy has 2 rows but labels.npy has 1"},
		"two":       {[]float64{0.5, 0.6}, []int32{1, 2}, nil, 0, "labels.npy: row 1: 2 is neither 0 nor 1; with a confidence alone, labels are 1 where the prediction is right and 0 where it is wrong; labels that are classes need the predicted classes, too"},
		"negative":  {[]float64{0.5, 0.6}, []int32{1, -1}, []int32{1, 1}, 0, "labels.npy: row 1: -1 is no class; classes are whole numbers from 0 on"},
		"predicted": {[]float64{0.5, 0.6}, []int32{1, 1}, []int32{1, 5}, 3, "predicted.npy: row 1: 5 is no class; the set has the classes 0 to 2, as is stated"},
		"many":      {[]float64{0.5, 0.6}, []int32{1, 1}, []int32{1, 5, 6}, 0, "c.npy has 2 rows but predicted.npy has 3"},
	} {
		sub := filepath.Join(dir, name)
		ints := map[string][]int32{"labels": x.correct}
		files := data.Files{Logits: filepath.Join(sub, "c.npy"), Labels: filepath.Join(sub, "labels.npy"), Kind: data.KindConfidence, Classes: x.classes}
		if x.predict != nil {
			ints["predicted"], files.Predicted = x.predict, filepath.Join(sub, "predicted.npy")
		}
		writeAlone(t, sub, map[string][]float64{"c": x.conf}, ints)
		r, err := files.Open()
		if err == nil {
			_, err = data.Read(t.Context(), r, 0, r.Rows())
			r.Close()
		}
		if err == nil || !strings.HasSuffix(strings.ReplaceAll(err.Error(), sub+string(filepath.Separator), ""), x.want) && !strings.HasPrefix(strings.ReplaceAll(err.Error(), sub+string(filepath.Separator), ""), x.want) {
			t.Errorf("%s: %v, want %s", name, err, x.want)
		}
	}
	for _, x := range []struct {
		set  data.Set
		want string
	}{
		{data.Set{Confidence: []float64{0.5, 1.5}}, "confidence: row 1: 1.5 is not in [0, 1]"},
		{data.Set{Confidence: []float64{80}}, "confidence: row 0: 80 is not in [0, 1]; if these are per cent, divide them by 100"},
		{data.Set{Confidence: []float64{math.NaN()}}, "confidence: row 0: NaN is not in [0, 1]"},
		{data.Set{Confidence: []float64{0.5}, Labels: []int32{2}}, "labels: row 0: label 2; with a confidence alone a label is 0 where the prediction is right and 1 where it is wrong"},
		{data.Set{Confidence: []float64{0.5}, Labels: []int32{1, 0}}, "labels: 2 for 1 confidences"},
		{data.Set{Confidence: []float64{0.5}, Classes: 1}, "confidence: 1 classes; want 2 or more, or 0 for a number that is not known"},
		{data.Set{Confidence: []float64{0.5}, Logits: data.NewMatrix(1, 2)}, "confidence: the set has logits, too; give one of the two"},
	} {
		if err := x.set.Check(); err == nil || err.Error() != x.want {
			t.Errorf("%v, want %s", err, x.want)
		}
	}
	if _, err := data.FromConfidences([]float64{0.5}, []bool{true, false}, 0); err == nil {
		t.Error("lengths that differ are no error")
	}
}

// A folder finds such sets by the names of their arrays, and the manifest states the number of classes, which is a
// part of the digest: a fit may depend on it.
func TestFoldersHaveSetsWithAConfidenceAlone(t *testing.T) {
	dir := t.TempDir()
	ref := data.Ref{Dataset: "d", Backbone: "net", Split: data.Test}
	cal := ref.In(data.Cal)
	writeAlone(t, filepath.Join(dir, "d", "net", "test"), map[string][]float64{"confidence": {0.9, 0.4, 0.6}}, map[string][]int32{"correct": {1, 0, 1}})
	writeAlone(t, filepath.Join(dir, "d", "net", "cal"), map[string][]float64{"confidence": {0.7, 0.3}}, map[string][]int32{"predicted": {3, 4}, "labels": {3, 2}})
	digests := map[string]string{}
	for _, x := range []struct {
		manifest string
		classes  int
	}{
		{"", 0}, {"sets:\n  - {set: d, classes: 10}\n", 10}, {"sets:\n  - {set: d, classes: [a, b, c, e, f]}\n", 5}, {"sets:\n  - {set: d, kind: confidence, classes: 12}\n", 12},
	} {
		manifest, classes := x.manifest, x.classes
		if manifest != "" {
			if err := os.WriteFile(filepath.Join(dir, data.ManifestName), []byte(manifest), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		src, err := folder.Open(dir, folder.Layout{}, nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range []data.Ref{ref, cal} {
			if src.Has(r) != data.Logits|data.Labels || src.Describe(r).Kind != data.KindConfidence {
				t.Fatalf("%s: %v, %v", r, src.Has(r), src.Describe(r).Kind)
			}
		}
		rows, k, err := src.Shape(t.Context(), ref)
		if err != nil || rows != 3 || k != classes {
			t.Errorf("%d rows, %d classes, %v; want 3 and %d", rows, k, err, classes)
		}
		set, err := data.Load(t.Context(), src, cal, data.Logits|data.Labels)
		if err != nil || !slices.Equal(set.Labels, []int32{0, 1}) || set.Classes != classes {
			t.Errorf("%+v, %v", set, err)
		}
		digest, err := src.Digest(t.Context(), cal, data.Logits|data.Labels)
		if err != nil || !strings.Contains(digest, "predicted sha256:") {
			t.Errorf("digest %s, %v", digest, err)
		}
		if other, ok := digests[digest]; ok {
			t.Errorf("the digest is that of %q and of %q", other, manifest)
		}
		digests[digest] = manifest
		drawn, err := data.Load(context.Background(), derive.Redrawn(src, 1), ref, data.Logits|data.Labels)
		if err != nil || len(drawn.Confidence) != 3 || len(drawn.Labels) != 3 || drawn.Classes != classes {
			t.Errorf("redrawn rows: %+v, %v", drawn, err)
		}
		if derive.Scaled(src, 2).Has(ref)&data.Logits != 0 {
			t.Error("a confidence alone has no logits to rescale")
		}
	}
}

// The names of arrays say what a set is: logits are preferred, and classes are never taken for flags.
func TestChosenConfidences(t *testing.T) {
	floats := func(name string) npy.Named { return npy.Named{Name: name, DType: npy.Float64, Shape: []int{9}} }
	table := npy.Named{Name: "logits", DType: npy.Float32, Shape: []int{9, 3}}
	ints := func(name string) npy.Named { return npy.Named{Name: name, DType: npy.Int32, Shape: []int{9}} }
	for want, arrays := range map[string][]npy.Named{
		"confidence with the outcomes correct":                               {floats("confidence"), ints("correct"), ints("labels")},
		"conf with the predictions pred_label and the labels y_true":         {floats("conf"), ints("pred_label"), ints("y_true")},
		"logits with the labels labels":                                      {floats("confidence"), ints("correct"), ints("labels"), table},
		"cal_confidence with the outcomes cal_correct":                       {floats("cal_confidence"), ints("cal_correct")},
		"error confidence is a confidence alone, and labels has classes":     {floats("confidence"), ints("labels")},
		"error several arrays can be the predictions: pred ((9,) int32), y_": {floats("confidence"), ints("pred"), ints("y_hat"), ints("labels")},
	} {
		sets, err := data.Choose(arrays)
		got := ""
		switch {
		case err != nil:
			got = "error " + err.Error()
		case len(sets) > 0:
			got = sets[0].String()
		}
		if !strings.HasPrefix(got, want) {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
