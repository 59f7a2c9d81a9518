package folder

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/qats-bench/qats/data"
	"github.com/qats-bench/qats/data/derive"
	"github.com/qats-bench/qats/data/npy"
	"github.com/qats-bench/qats/data/npytest"
)

// TestLastMatchingEntryOfTheManifestDecides, and defaults fill the rest.
func TestLastMatchingEntryOfTheManifestDecides(t *testing.T) {
	const text = `# what is here
sets:
  - set: "medical*/*"
    kind: log-probs
    note: published probabilities
  - {set: medical-a/resnet50, source: simulated}
  - {set: medical-a/resnet50/test, kind: logits, note: ours}
  - {set: "*/*/fog/[3-5]", source: simulated}
  - {set: "medical-b/*", domain: images, samples: ham10000, row-ids: 0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef}
  - {set: paper/resnet50, paper: true, licence: MIT}
  - {set: paper/resnet18, stand-in: "another training, run 1"}
labels: {medical-a: Medical A, vit: "ViT (p4, d96)"}
sources:
  a.csv: {sha256: 0000000000000000000000000000000000000000000000000000000000000000, bytes: 3, licence: MIT, url: "https://example.com/a.csv"}
`
	folder, err := New(fstest.MapFS{"manifest.yaml": {Data: []byte(text)}}, "arrays", Layout{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		ref  data.Ref
		want data.Provenance
	}{
		{data.Ref{Dataset: "cifar10", Backbone: "resnet50", Split: data.Test}, data.Provenance{Origin: data.Measured}},
		{data.Ref{Dataset: "medical-b", Backbone: "vit", Split: data.Cal}, data.Provenance{Origin: data.Measured, Kind: data.KindLogProbs, BackboneLabel: "ViT (p4, d96)", Note: "published probabilities", Domain: "images", Samples: "ham10000", RowIDs: strings.Repeat("0123456789abcdef", 4)}},
		{data.Ref{Dataset: "medical-a", Backbone: "resnet50", Split: data.Cal}, data.Provenance{Origin: data.Simulated, Kind: data.KindLogProbs, DatasetLabel: "Medical A", Note: "published probabilities"}},
		{data.Ref{Dataset: "medical-a", Backbone: "resnet50", Loss: "ce", Split: data.Test}, data.Provenance{Origin: data.Simulated, Kind: data.KindLogits, DatasetLabel: "Medical A", Note: "ours"}},
		{data.Ref{Dataset: "medical-a", Backbone: "resnet50", Loss: "focal", Split: data.Test}, data.Provenance{Origin: data.Simulated, Kind: data.KindLogProbs, DatasetLabel: "Medical A", Note: "published probabilities"}},
		{data.Ref{Dataset: "paper", Backbone: "resnet50", Split: data.Test}, data.Provenance{Origin: data.Measured, Paper: true}},
		{data.Ref{Dataset: "paper", Backbone: "resnet18", Split: data.Test}, data.Provenance{Origin: data.Measured, StandIn: "another training, run 1"}},
		{data.Ref{Dataset: "c", Backbone: "v", Corruption: "fog", Severity: 2, Split: data.Test}, data.Provenance{Origin: data.Measured}},
		{data.Ref{Dataset: "c", Backbone: "v", Corruption: "fog", Severity: 4, Split: data.Test}, data.Provenance{Origin: data.Simulated}},
	} {
		if got := folder.Describe(c.ref); got != c.want {
			t.Errorf("%s: %+v, want %+v", c.ref, got, c.want)
		}
	}
}

// The last entry that matches a set and names an oddity gives its reason, also of the first
// rows of the set.
func TestKnownOdditiesHaveTheirReasons(t *testing.T) {
	const text = `sets:
  - {set: "*/*", known: {chance: all, few-rows: few}}
  - {set: a/b, known: {chance: this one}}
`
	folder, err := New(fstest.MapFS{"manifest.yaml": {Data: []byte(text)}}, "arrays", Layout{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, src := range []data.Source{folder, derive.First(folder, 3)} {
		for _, c := range []struct {
			backbone string
			oddity   Oddity
			want     string
		}{{"b", OddChance, "this one"}, {"b", OddFewRows, "few"}, {"c", OddChance, "all"}, {"c", OddAccuracyGap, ""}} {
			reason, ok := KnownOf(src, data.Ref{Dataset: "a", Backbone: c.backbone, Split: data.Cal}, c.oddity)
			if reason != c.want || ok != (c.want != "") {
				t.Errorf("%s of %s: %q, %v; want %q", c.oddity, c.backbone, reason, ok, c.want)
			}
		}
	}
}

func TestRejectsBadManifests(t *testing.T) {
	for text, want := range map[string]string{
		"":                                       "arrays/manifest.yaml:1:1: the manifest is empty; remove it or list sets",
		"# nothing\n":                            "arrays/manifest.yaml:1:1: the manifest is empty; remove it or list sets",
		"- a\n":                                  "arrays/manifest.yaml:1:1: a manifest must be a mapping (key: value)",
		"sets: x\n":                              "arrays/manifest.yaml:1:7: a set must be a mapping (key: value)",
		"set: []\n":                              `arrays/manifest.yaml:1:1: unknown key "set" in a manifest (did you mean sets?)`,
		"sets: []\n---\na:\n":                    "arrays/manifest.yaml:2:1: the file has a second document; a manifest is one document",
		"sets:\n  - set: a/b\n    kin: logits\n": `arrays/manifest.yaml:3:5: unknown key "kin" in a set (did you mean kind?)`,
		"sets:\n  - set: a/b\n    row-ids: 12AB\n":                            "arrays/manifest.yaml:3:14: row-ids must be 64 hexadecimal digits in lower case",
		"sets:\n  - set: a/b\n    kind: logit\n":                              `arrays/manifest.yaml:3:11: kind "logit"; want one of logits, log-probs, probs, confidence`,
		"sets:\n  - {set: a, ignore: void}\n":                                 `arrays/manifest.yaml:2:22: ignore "void"; want a label, such as 255, or a list of labels`,
		"sets:\n  - set: a\n    ignore: [11,\n      x]\n":                     `arrays/manifest.yaml:4:7: ignore "x"; want a label, such as 255, or a list of labels`,
		"sets:\n  - {set: a, classes: sky}\n":                                 "arrays/manifest.yaml:2:23: classes must be a list of at least two names, as in classes: [sky, road], or their number, as in classes: 1000",
		"sets:\n  - {set: a, classes: [sky, 1]}\n":                            `arrays/manifest.yaml:2:29: class "1": a number is no name, since classes are numbered already`,
		"sets:\n  - set: a\n    classes: [sky,\n      sky]\n":                 `arrays/manifest.yaml:4:7: class "sky" is listed twice`,
		"sets:\n  - {set: a, classes: [sky, \" \"]}\n":                        "arrays/manifest.yaml:2:29: a class has no name",
		"sets:\n  - {set: a, ignore: []}\n":                                   "arrays/manifest.yaml:2:22: ignore is an empty list; name a label, such as ignore: 255",
		"sets:\n  - {set: a, ignore: [1, 1]}\n":                               "arrays/manifest.yaml:2:26: ignore: 1 stands twice",
		"sets:\n  - set: a/b\n    source: real\n":                             `arrays/manifest.yaml:3:13: source "real"; want one of measured, simulated`,
		"sets:\n  - {set: a/b, paper: true, stand-in: x}\n":                   "arrays/manifest.yaml:2:39: paper and stand-in exclude each other",
		"sets:\n  - {set: a/b, stand-in: x;y}\n":                              "arrays/manifest.yaml:2:26: stand-in must not contain a semicolon",
		"sources:\n  a: {sha256: 12}\n":                                       "arrays/manifest.yaml:2:15: sha256 must be 64 hexadecimal digits in lower case",
		"sets:\n  - kind: logits\n":                                           "arrays/manifest.yaml:2:5: the entry has no set",
		"sets:\n  - set: /a\n":                                                `arrays/manifest.yaml:2:10: set "/a"; want dataset/backbone, or patterns for them`,
		"sets:\n  - set: \"[a\"\n":                                            `arrays/manifest.yaml:2:10: set "[a" is not a pattern: syntax error in pattern`,
		"sets:\n  - set: a\n    set: b\n":                                     `arrays/manifest.yaml:3:5: key "set" is given twice (first at line 2)`,
		"sets:\n  - set: a\n    note: \"b\\nc\"\n":                            "arrays/manifest.yaml:3:11: note must be one line, without control characters",
		"sets:\n  - set: a\n    from: \"b\\ec\"\n":                            "arrays/manifest.yaml:3:11: from must be one line, without control characters",
		"sets:\n  - set: a\n    licence: " + strings.Repeat("x", 1001) + "\n": "arrays/manifest.yaml:3:14: licence has 1001 bytes: at most 1000",
		"sets:\n  - {set: a, known: [few-rows]}\n":                            `arrays/manifest.yaml:2:21: known needs a reason for each name, as in known: {few-rows: "why this is right"}`,
		"sets:\n  - {set: a, known: {few: x}}\n":                              `arrays/manifest.yaml:2:22: unknown key "few" in known (known: few-rows, chance, equal-logits, extreme-logits, accuracy-gap, shared-rows, form)`,
		"sets:\n  - {set: a, known: {chance: \" \"}}\n":                       "arrays/manifest.yaml:2:30: chance has no reason: write why it is right, in one line",
		"sets:\n  - {set: a, known: {chance: \"b\\nc\"}}\n":                   "arrays/manifest.yaml:2:30: the reason of chance must be one line, without control characters",
		"sets: []\nlabels: [a]\n":                                             "arrays/manifest.yaml:2:9: labels must be a mapping (key: value)",
		"sets: []\nlabels:\n  a: {b: c}\n":                                    "arrays/manifest.yaml:3:6: label of a must be a single value",
		"sets: []\nlabels:\n  a: \"\"\n":                                      "arrays/manifest.yaml:3:6: label of a: want a text",
		"sets: []\nlabels:\n  a: \"b\\nc\"\n":                                 "arrays/manifest.yaml:3:6: label of a must be one line, without control characters",
		"files:\n  ../a.npy: {shape: [1]}\n":                                  `arrays/manifest.yaml:2:3: file "../a.npy" is not a path below the root`,
		"files:\n  a.npy: {shape: [x]}\n":                                     `arrays/manifest.yaml:2:19: shape "x": must be a whole number of at least 0`,
		"files:\n  a.npy: {sha256: abc}\n":                                    "arrays/manifest.yaml:2:19: sha256 must be 64 hexadecimal digits in lower case",
		"files:\n  a.npy: {size: 4}\n":                                        `arrays/manifest.yaml:2:11: unknown key "size" in a file (known: sha256, shape)`,
		"sets:\n\t- set: a\n":                                                 "arrays/manifest.yaml:2:1: a tab in the indentation; YAML allows spaces only: replace the tab by spaces",
		"sets: &a [*a]\n":                                                     "arrays/manifest.yaml:1:11: aliases are not supported here; write the value",
	} {
		_, err := New(fstest.MapFS{"manifest.yaml": {Data: []byte(text)}}, "arrays", Layout{}, nil)
		if fmt.Sprint(err) != want {
			t.Errorf("%q\ngot  %v\nwant %s", text, err, want)
		}
	}
}

// TestManifestChecksShapesAndDigests when a file is opened.
func TestManifestChecksShapesAndDigests(t *testing.T) {
	logits := npytest.File(1, npytest.Header("<f4", false, "(1, 2)"), npytest.F4(1, 2))
	ref := data.Ref{Dataset: "a", Backbone: "b", Split: data.Test}
	right := fmt.Sprintf("%x", sha256.Sum256(logits))
	wrong := strings.Repeat("0", 64)
	for entry, want := range map[string]string{
		"{shape: [1, 2], sha256: " + right + "}": "<nil>",
		"{shape: [2, 1]}":                        "arrays/a/b/test/logits.npy: shape (1, 2); manifest.yaml says (2, 1)",
		"{sha256: '" + wrong + "'}":              "arrays/a/b/test/logits.npy: sha256 " + right + "; manifest.yaml says " + wrong,
	} {
		folder, err := New(fstest.MapFS{
			"manifest.yaml":       {Data: []byte("files:\n  a/b/test/logits.npy: " + entry + "\n")},
			"a/b/test/logits.npy": {Data: logits},
		}, "arrays", Layout{}, nil)
		if err != nil {
			t.Error(err)
			continue
		}
		if _, err := data.Load(context.Background(), folder, ref, data.Logits); fmt.Sprint(err) != want {
			t.Errorf("got  %v\nwant %s", err, want)
		}
	}
}

// TestManifestIsReadAsItWasWritten, field by field.
func TestManifestIsReadAsItWasWritten(t *testing.T) {
	dir := t.TempDir()
	m := Manifest{
		Sets:  []ManifestSet{{Set: "*", Origin: data.Simulated, Note: "generator 1, seed 7: a toy"}, {Set: "a/b", Kind: "log-probs"}},
		Files: map[string]ManifestFile{"z/b.npy": {Shape: []int{3, 2}}, "a/b.npy": {SHA256: strings.Repeat("1", 64)}},
	}
	if err := m.Write(dir); err != nil {
		t.Fatal(err)
	}
	back, err := readManifest(os.DirFS(dir), dir)
	if err != nil || fmt.Sprint(back) != fmt.Sprint(m) {
		t.Errorf("%+v, %v; want %+v", back, err, m)
	}
}

// from, samples and stand-in are parts of a note, which semicolons separate; licence
// and note are not.
func TestPartsOfANoteHaveNoSemicolon(t *testing.T) {
	for key, ok := range map[string]bool{"from": false, "samples": false, "stand-in": false, "note": true} {
		fsys := fstest.MapFS{data.ManifestName: {Data: []byte("sets: [{set: a, " + key + ": \"one; two\"}]\n")}}
		if _, err := New(fsys, "d", Layout{}, nil); (err == nil) != ok {
			t.Errorf("%s: %v", key, err)
		}
	}
}

// An entry that does not say where a set is from leaves what an earlier entry says.
func TestLaterEntriesKeepWhatTheyDoNotSay(t *testing.T) {
	m := Manifest{Sets: []ManifestSet{{Set: "a", From: "the site", Note: "first"}, {Set: "a/*", Note: "second"}}}
	if p := m.merged(setNamesIn{data.Ref{Dataset: "a", Backbone: "b", Split: data.Test}.Segments()}); p.From != "the site" || p.Note != "second" {
		t.Errorf("%+v", p)
	}
}

// Aliases are rejected, since errors name the line of a value.
func TestManifestsHaveNoAliases(t *testing.T) {
	for _, text := range []string{"sets: [{set: &x a, note: *x}]\n", "sets: &x [{set: a}]\nfiles: *x\n"} {
		if _, err := New(fstest.MapFS{data.ManifestName: {Data: []byte(text)}}, "d", Layout{}, nil); err == nil || !strings.Contains(err.Error(), "aliases are not supported here") {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// The error of an alias names its own line.
func TestAliasIsNamedByItsLine(t *testing.T) {
	text := "sets:\n- set: &x a\n  from: b\n  note: *x\n"
	if _, err := New(fstest.MapFS{data.ManifestName: {Data: []byte(text)}}, "d", Layout{}, nil); err == nil || !strings.Contains(err.Error(), ":4:") {
		t.Errorf("%v, want line 4", err)
	}
}

// TestManifestsAreWrittenAsTheyAreRead: what the reader would reject is an error, and the
// file stays.
func TestManifestsAreWrittenAsTheyAreRead(t *testing.T) {
	dir := t.TempDir()
	good := Manifest{Sets: []ManifestSet{{Set: "a/b", Note: "c"}}}
	if err := good.Write(dir); err != nil {
		t.Fatal(err)
	}
	for _, s := range []ManifestSet{{Set: "a/b", Note: "c\x1b"}, {Set: "a/b", Licence: strings.Repeat("x", 1001)}, {Set: ""}} {
		if err := (Manifest{Sets: []ManifestSet{s}}).Write(dir); err == nil {
			t.Errorf("%+v was written", s)
		}
	}
	if _, err := New(os.DirFS(dir), dir, Layout{}, nil); err != nil {
		t.Error(err)
	}
}

// The manifest of a folder above describes the sets of a folder that has none: at most four levels up,
// and not beyond a folder with .git or that of the spec.
func TestManifestsOfFoldersAbove(t *testing.T) {
	for _, c := range []struct {
		name     string
		files    map[string]string
		root     string
		below    string
		kind     data.Kind
		manifest string
	}{
		{"four levels up", map[string]string{"manifest.yaml": "sets: [{set: a/b/c/d, kind: probs}]"}, "a/b/c/d", "", data.KindProbs, "manifest.yaml"},
		{"five levels up", map[string]string{"manifest.yaml": "sets: [{set: a, kind: probs}]"}, "a/b/c/d/e", "", data.AnyKind, ""},
		{"the nearest", map[string]string{"manifest.yaml": "sets: [{set: a, kind: probs}]", "a/manifest.yaml": "sets: [{set: b, kind: log-probs}]"}, "a/b", "", data.KindLogProbs, "a/manifest.yaml"},
		{"its own", map[string]string{"manifest.yaml": "sets: [{set: a, kind: probs}]", "a/manifest.yaml": "sets: [{set: d, kind: log-probs}]"}, "a", "", data.KindLogProbs, ""},
		{"the set of another", map[string]string{"manifest.yaml": "sets: [{set: b, kind: probs}]"}, "a", "", data.AnyKind, "manifest.yaml"},
		{"one split", map[string]string{"manifest.yaml": "sets: [{set: a/d/n/cal, kind: probs}]"}, "a", "", data.KindProbs, "manifest.yaml"},
		{"below .git", map[string]string{"manifest.yaml": "sets: [{set: a, kind: probs}]", "a/.git": ""}, "a/b", "", data.AnyKind, ""},
		{"beside .git", map[string]string{"a/manifest.yaml": "sets: [{set: b, kind: probs}]", "a/.git": ""}, "a/b", "", data.KindProbs, "a/manifest.yaml"},
		{"above the spec", map[string]string{"manifest.yaml": "sets: [{set: a, kind: probs}]"}, "a/b/c", "a/b", data.AnyKind, ""},
		{"beside the spec", map[string]string{"a/manifest.yaml": "sets: [{set: b, kind: probs}]"}, "a/b/c", "a", data.KindProbs, "a/manifest.yaml"},
		{"of Kubernetes above", map[string]string{"manifest.yaml": "sets: [{set: a, kind: probs}]", "a/manifest.yaml": "apiVersion: v1\nkind: Pod\n---\nkind: Service\n"}, "a/b", "", data.KindProbs, "manifest.yaml"},
		{"of Kubernetes here", map[string]string{"manifest.yaml": "sets: [{set: a, kind: probs}]", "a/manifest.yaml": "apiVersion: v1\nkind: Pod\n---\nkind: Service\n"}, "a", "", data.KindProbs, "manifest.yaml"},
		{"a template", map[string]string{"a/manifest.yaml": "{{- if .Values.x }}\nkind: Pod\n"}, "a", "", data.AnyKind, ""},
		{"without sets", map[string]string{"manifest.yaml": "layout: \"{split}/{array}.npy\""}, "a", "", data.AnyKind, ""},
	} {
		top := t.TempDir()
		write := func(name, text string) {
			path := filepath.Join(top, filepath.FromSlash(name))
			if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o777), os.WriteFile(path, []byte(text), 0o666)); err != nil {
				t.Fatal(err)
			}
		}
		for name, text := range c.files {
			write(name, text)
		}
		write(c.root+"/d/n/val/logits.npy", string(npy.HeaderBytes(npy.Float32, []int{0, 2})))
		f, err := Open(filepath.Join(top, c.root), Layout{}, nil)
		if err == nil && c.below != "" {
			err = f.Below(filepath.Join(top, c.below))
		}
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if kind := f.Describe(data.Ref{Dataset: "d", Backbone: "n", Split: data.Cal}).Kind; kind != c.kind {
			t.Errorf("%s: kind %q, want %q", c.name, kind, c.kind)
		}
		got := ManifestAbove(f)
		if got != "" {
			got, _ = filepath.Rel(top, got)
		}
		if filepath.ToSlash(got) != c.manifest {
			t.Errorf("%s: manifest %q, want %q", c.name, got, c.manifest)
		}
	}
}
