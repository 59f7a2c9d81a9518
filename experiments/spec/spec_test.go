package spec_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/qats-bench/qats/experiments"
	"github.com/qats-bench/qats/experiments/spec"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// known are the names that the specs of the tests may use.
var known = experiments.Registry()

// TestMistakesInSpecsHaveTheirPlace reads every file of testdata/bad and compares the error with the
// lines of testdata/bad.golden that begin with its name.
func TestMistakesInSpecsHaveTheirPlace(t *testing.T) {
	files, err := filepath.Glob("testdata/bad/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	var got strings.Builder
	for _, file := range files {
		src, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if _, err = spec.Parse(filepath.Base(file), src, known); err == nil {
			t.Errorf("%s: read without an error", file)
			continue
		}
		got.WriteString(err.Error() + "\n")
	}
	compareGolden(t, "testdata/bad.golden", got.String())
}

func compareGolden(t *testing.T, file, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		gotLines, wantLines := strings.Split(got, "\n"), strings.Split(string(want), "\n")
		for i := range gotLines {
			if i >= len(wantLines) || gotLines[i] != wantLines[i] {
				t.Fatalf("%s:%d:\n got %q\nwant %q", file, i+1, gotLines[i], append(wantLines, "")[min(i, len(wantLines))])
			}
		}
		t.Fatalf("%s has more lines than there are", file)
	}
}

// TestTextsAreLines: titles and labels have no control characters and an end, and line
// breaks of YAML in them are spaces.
func TestTextsAreLines(t *testing.T) {
	parse := func(text string) (*spec.Spec, error) {
		return spec.Parse("s.yaml", []byte("name: s\nsettings: {dataset: cifar10, backbone: b}\n"+text), known)
	}
	s, err := parse("title: >\n  One title\n  of two lines\nmethods: [{name: mine, method: ts, label: \"a\\nb\"}]\n")
	if err != nil || s.Title != "One title of two lines" || s.Methods[0].Label != "a b" {
		t.Errorf("%+v, %v", s, err)
	}
	long := strings.Repeat("x", 1001)
	for text, want := range map[string]string{
		"title: \"a\\eb\"\nmethods: [ts]\n":                                                    `s.yaml:3:8: title "a\x1bb" has a control character: leave it out`,
		"title: \"a\\x85 \\u009bb\"\nmethods: [ts]\n":                                          `s.yaml:3:8: title "a \u009bb" has a control character: leave it out`,
		"title: " + long + "\nmethods: [ts]\n":                                                 "s.yaml:3:8: title has 1001 bytes: at most 1000",
		"methods: [{name: mine, method: ts, label: " + long + "}]\n":                           "s.yaml:3:43: label has 1001 bytes: at most 1000",
		"methods: [ts]\ntables: [{metric: ece, title: \"\\a\"}]\n":                             `s.yaml:4:31: title "\a" has a control character: leave it out`,
		"methods: [ts]\ntables: [{metric: ece, labels: {ts: \"\\0\"}}]\n":                      `s.yaml:4:37: label of ts "\x00" has a control character: leave it out`,
		"methods: [ts]\nfigures: [{kind: reliability, title: \"\\b\"}]\n":                      `s.yaml:4:38: title "\b" has a control character: leave it out`,
		"methods: [" + strings.Repeat("x", 1<<20) + "]\n":                                      "s.yaml:3:11: unknown method ",
		"methods: [ts]\nmetrics: [" + strings.Repeat("x", 1<<20) + "]\n":                       "s.yaml:4:11: unknown metric ",
		"methods: [ts]\ntables: [{metric: ece, rows: [" + strings.Repeat("x", 1<<20) + "]}]\n": "s.yaml:4:",
	} {
		if _, err := parse(text); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%.100q: %.200v, want %s", text, err, want)
		}
	}
}

// TestRejectsValuesThatWouldChangeTheSpec without an error.
func TestRejectsValuesThatWouldChangeTheSpec(t *testing.T) {
	const one = "settings: {dataset: d, backbone: b}\n"
	for src, want := range map[string]string{
		"methods: [uncal]\nsettings: {dataset: d, backbone: b, rescale: 1e-50}\n":                       "s.yaml:3:46: rescale \"1e-50\": a factor is 1e-6 to 1e6",
		"methods: [uncal]\nsettings: {dataset: d, backbone: b, rescale: [2, 1e7]}\n":                    "s.yaml:3:50: rescale \"1e7\": a factor is 1e-6 to 1e6",
		"methods: [uncal]\nsettings: {dataset: d, backbone: b, rescale: -1}\n":                          "s.yaml:3:46: rescale \"-1\": a factor is 1e-6 to 1e6",
		"methods: [uncal]\nsettings: {dataset: d, backbone: b, rescale: .nan}\n":                        `s.yaml:3:46: rescale ".nan": a factor is 1e-6 to 1e6`,
		"methods: [uncal]\nsettings: {dataset: d, backbone: b, test_shares: flat}\n":                    `s.yaml:3:50: test_shares "flat": want calibration, or leave the key out`,
		"methods: [uncal]\nsettings: {dataset: d, backbone: b, seeds: [0, 1], splits: 2}\n":             "s.yaml:3:11: a setting has one variant; leave out seeds, or rescale, splits and test_shares",
		"methods: [uncal]\nsettings: {dataset: d, backbone: b, seeds: [-1]}\n":                          `s.yaml:3:45: seeds "-1": a seed is 0 to 1000000`,
		"methods: [uncal]\nsettings: {dataset: d, backbone: b, test_shares: calibration, rescale: 2}\n": "s.yaml:3:11: test_shares changes clean test sets with their own calibration set; leave out corruption, severity, rescale, splits and calibrate_on",
		"methods: [uncal]\nsettings: {dataset: d, backbone: b, rescale: []}\n":                          "s.yaml:3:46: rescale: the list is empty",
		"methods: [uncal]\nsettings: {dataset: d, backbone: b, corruption: c, severity: []}\n":          "s.yaml:3:62: severity: the list is empty",
		"methods: [uncal]\nsettings: {dataset: d, backbone: b, splits: 0}\n":                            `s.yaml:3:45: splits "0": give a number of draws from 1 to 1000`,
		"methods: [uncal]\nsettings: {dataset: d, backbone: b, splits: 2, rescale: 3}\n":                "s.yaml:3:11: splits redraws clean images and their own calibration set; leave out corruption, severity, rescale and calibrate_on",
		"methods: [uncal]\nsettings: {dataset: d, backbone: b, splits: 2, calibrate_on: e}\n":           "s.yaml:3:11: splits redraws clean images and their own calibration set; leave out corruption, severity, rescale and calibrate_on",
		"methods: [uncal]\nsettings: {dataset: d, backbone: b, positive: 2}\n":                          `s.yaml:3:47: positive "2": of two classes the positive one is 0 or 1`,
		"methods: [uncal]\nmetrics: []\n" + one:                                                         "s.yaml:3:10: metrics: the list is empty",
		"methods: [{name: ts, options: 3}]\n" + one:                                                     "s.yaml:2:31: ts takes no options",
		"methods: [{name: ts, options: [a]}]\n" + one:                                                   "s.yaml:2:31: ts takes no options",
		"methods: [{name: qats-pw, options: {segments: }}]\n" + one:                                     "s.yaml:2:47: option segments of qats-pw has no value",
		"methods: [{name: qats-pw, options: {segments: ~}}]\n" + one:                                    "s.yaml:2:47: option segments of qats-pw has no value",
		"methods: [{name: qats, method: ts}]\n" + one:                                                   `s.yaml:2:11: method "ts" has the name of another registered method, "qats"; give it a name of its own`,
	} {
		if _, err := spec.Parse("s.yaml", []byte("name: s\n"+src), known); err == nil || err.Error() != want {
			t.Errorf("%s got %v\nwant %s", src, err, want)
		}
	}
	if _, err := spec.NewMethod(known, "qats-pw", []string{"segments="}); err == nil || err.Error() != "-p:1:12: option segments of qats-pw has no value" {
		t.Errorf("-p segments=: %v", err)
	}
}

// TestSpecsOfTheProjectAreRead without a mistake.
func TestSpecsOfTheProjectAreRead(t *testing.T) {
	var files []string
	for _, pattern := range []string{"../*.yaml", "../paper/*.yaml"} {
		found, err := filepath.Glob(pattern)
		if err != nil || len(found) == 0 {
			t.Fatal(pattern, found, err)
		}
		files = append(files, found...)
	}
	for _, file := range files {
		if _, err := spec.Read(file, known); err != nil {
			t.Error(err)
		}
	}
}

// TestLastListOfAGridVariesFastest, and the first one slowest.
func TestLastListOfAGridVariesFastest(t *testing.T) {
	s, err := spec.Parse("grid.yaml", []byte(`
name: g
methods: [uncal]
settings:
  - {dataset: [a, b], backbone: x, corruption: [fog, snow], severity: [1, 5], calibrate_on: c}
  - {dataset: a, backbone: x, loss: [ce, focal]}
`), known)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, s := range s.Settings {
		got = append(got, s.String())
	}
	want := "a/x/fog/1 a/x/fog/5 a/x/snow/1 a/x/snow/5 b/x/fog/1 b/x/fog/5 b/x/snow/1 b/x/snow/5 a/x a/x/focal"
	if strings.Join(got, " ") != want {
		t.Errorf("got  %s\nwant %s", strings.Join(got, " "), want)
	}
	if cal := s.Settings[0].Cal(); cal.Dataset != "c" || cal.Corruption != "" || cal.Severity != 0 {
		t.Errorf("calibrates on %+v", cal)
	}
}

// TestOptionsIncludeDefaults, so that a changed default changes the key of a method.
func TestOptionsIncludeDefaults(t *testing.T) {
	s, err := spec.Parse("o.yaml", []byte(`
name: o
methods: [qats-pw, {name: two, method: qats-pw, options: {segments: 2}}]
settings: {dataset: d, backbone: b}
`), known)
	if err != nil {
		t.Fatal(err)
	}
	if got := s.Methods[0].Options; got != "segments: 4\n" {
		t.Errorf("defaults: %q", got)
	}
	if got := s.Methods[1].Options; got != "segments: 2\n" {
		t.Errorf("given: %q", got)
	}
	m, err := spec.NewMethod(known, "qats-pw", []string{"segments=2"})
	if err != nil || m.Options != s.Methods[1].Options {
		t.Errorf("from the command line: %q, %v", m.Options, err)
	}
	for param, want := range map[string]string{
		"segment=2":    `-p:1:1: unknown key "segment" in the options of qats-pw (did you mean segments?)`,
		"segments=x":   `-p:1:13: option segments of qats-pw: "x": want a whole number`,
		"segments=2.9": `-p:1:13: option segments of qats-pw: "2.9": want a whole number`,
		"segments=101": `-p:1:13: option segments of qats-pw: 101: want 1 to 100`,
		"segments":     `-p segments: write key=value`,
	} {
		if _, err := spec.NewMethod(known, "qats-pw", []string{param}); err == nil || err.Error() != want {
			t.Errorf("%s: %v", param, err)
		}
	}
}

// FuzzParse: any bytes give a spec, or an error with a position.
func FuzzParse(f *testing.F) {
	files, _ := filepath.Glob("testdata/bad/*.yaml")
	more, _ := filepath.Glob("../*.yaml")
	paper, _ := filepath.Glob("../paper/*.yaml")
	for _, file := range slices.Concat(files, more, paper) {
		src, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(src)
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		s, err := spec.Parse("f.yaml", src, known)
		if err != nil {
			for _, line := range strings.Split(err.Error(), "\n") {
				if !strings.HasPrefix(line, "f.yaml:") {
					t.Errorf("no position: %q", line)
				}
			}
			return
		}
		if s.Name == "" || len(s.Methods) == 0 || len(s.Settings) == 0 {
			t.Errorf("an empty spec was accepted: %+v", s)
		}
	})
}

// TestTooManyMethodsAreAnErrorWithItsPlace.
func TestTooManyMethodsAreAnErrorWithItsPlace(t *testing.T) {
	var b strings.Builder
	b.WriteString("name: t\nsettings: {dataset: d, backbone: b}\nmethods:\n")
	for i := range spec.MaxMethods + 1 {
		fmt.Fprintf(&b, "  - {name: m%d, method: ts}\n", i)
	}
	_, err := spec.Parse("t.yaml", []byte(b.String()), known)
	if err == nil || !strings.HasPrefix(err.Error(), "t.yaml:1004:5: 1001 methods; a spec has at most 1000") {
		t.Errorf("%v", err)
	}
}
