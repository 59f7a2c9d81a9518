package main

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"gopkg.in/yaml.v3"

	"github.com/qats-bench/qats/experiments"
	"github.com/qats-bench/qats/experiments/spec"
)

// tensors is a .safetensors file of .npy files, by name.
func tensors(t *testing.T, files map[string][]byte) []byte {
	t.Helper()
	header, body := map[string]any{}, []byte{}
	for _, name := range []string{"logits", "labels", "cal_logits", "cal_labels", "test_logits", "test_labels"} {
		file, ok := files[name]
		if !ok {
			continue
		}
		kind := "F32"
		if strings.HasSuffix(name, "labels") {
			kind = "I32"
		}
		numbers := file[10+int(binary.LittleEndian.Uint16(file[8:])):]
		shape := []int{len(numbers) / 4}
		if kind == "F32" {
			shape = []int{len(numbers) / 4 / layoutClasses, layoutClasses}
		}
		header[name] = map[string]any{"dtype": kind, "shape": shape, "data_offsets": []int{len(body), len(body) + len(numbers)}}
		body = append(body, numbers...)
	}
	text, err := json.Marshal(header)
	if err != nil {
		t.Fatal(err)
	}
	return append(append(binary.LittleEndian.AppendUint64(nil, uint64(len(text))), text...), body...)
}

const layoutClasses = 4

// setFiles returns the .npy files of logits and labels of a set, as the script command
// array writes them.
func setFiles(n int) (logits, labels []byte) {
	var a, b []byte
	for _, v := range numbers("logits", n, layoutClasses) {
		a = binary.LittleEndian.AppendUint32(a, math.Float32bits(float32(v)))
	}
	for _, v := range numbers("labels", n, layoutClasses) {
		b = binary.LittleEndian.AppendUint32(b, uint32(v))
	}
	shape := func(s string) string { return strings.ReplaceAll(s, "N", strconv.Itoa(n)) }
	return npyOf(dict("<f4", shape("(N, 4)")), a...), npyOf(dict("<i4", shape("(N,)")), b...)
}

// TestInitWritesASpecForEveryLayout: run and report accept it unchanged, every setting
// has arrays, and the schema beside it agrees.
func TestInitWritesASpecForEveryLayout(t *testing.T) {
	if testing.Short() {
		t.Skip("starts the program for each layout; data tests the survey of layouts")
	}
	const cal, test = 90, 110
	for name, c := range map[string]struct {
		cal, test string   // files of the sets; {} is the array, #MEMBER a member
		want      []string // in the spec
		not       string
	}{
		"default":               {"d/net/cal/{}.npy", "d/net/test/{}.npy", []string{"{dataset: d, backbone: net}"}, "layout:"},
		"default with a loss":   {"d/net/focal/cal/{}.npy", "d/net/focal/test/{}.npy", []string{"{dataset: d, backbone: net, loss: focal}"}, "layout:"},
		"default, validation":   {"d/net/val/{}.npy", "d/net/test/{}.npy", []string{"{dataset: d, backbone: net}"}, "layout:"},
		"default, sets":         {"d/net/cal.npz#{}", "d/net/test.npz#{}", []string{"{dataset: d, backbone: net}"}, "layout:"},
		"default, networks":     {"d/net.npz#cal_{}", "d/net.npz#test_{}", []string{"{dataset: d, backbone: net}"}, "layout:"},
		"default, tensors":      {"d/net/cal.safetensors#{}", "d/net/test.safetensors#{}", []string{"{dataset: d, backbone: net}"}, "layout:"},
		"networks":              {"net/cal/{}.npy", "net/test/{}.npy", []string{"{dataset: arrays, backbone: net}", `layout: "{backbone}/{split}/{array}.npy"`}, "loss"},
		"archives of networks":  {"net.npz#cal_{}", "net.npz#test_{}", []string{"{dataset: arrays, backbone: net}", `layout: "{backbone}.npz#{split}_{array}"`}, "loss"},
		"archives below":        {"net/val.npz#{}", "net/test.npz#{}", []string{`layout: "{backbone}/{split}.npz#{array}"`}, "loss"},
		"flat sets":             {"cal.npz#{}", "test.npz#{}", []string{"{dataset: arrays, backbone: network}", `layout: "{split}.npz#{array}"`}, "loss"},
		"flat, validation":      {"val.npz#{}", "test.npz#{}", []string{`layout: "{split}.npz#{array}"`}, "loss"},
		"flat files":            {"cal_{}.npy", "test_{}.npy", []string{`layout: "{split}_{array}.npy"`}, "loss"},
		"flat, split last":      {"{}-validation.npy", "{}-test.npy", []string{`layout: "{array}-{split}.npy"`}, "loss"},
		"flat folders":          {"cal/{}.npy", "test/{}.npy", []string{`layout: "{split}/{array}.npy"`}, "loss"},
		"flat tensors":          {"cal.safetensors#{}", "test.safetensors#{}", []string{`layout: "{split}.safetensors#{array}"`}, "loss"},
		"one tensor file":       {"net.safetensors#cal_{}", "net.safetensors#test_{}", []string{`layout: "{backbone}.safetensors#{split}_{array}"`}, "loss"},
		"flat files of dataset": {"d/net/cal_{}.npy", "d/net/test_{}.npy", []string{`layout: "{dataset}/{backbone}/{split}_{array}.npy"`, "{dataset: d, backbone: net}"}, "loss"},
		"a folder named data":   {"d/net/cal/{}.npy", "d/net/test/{}.npy", []string{`data: ["data/arrays"]`}, "layout:"},
		"synthetic":             {"", "", []string{"{dataset: toy, backbone: [sure-overconfident, unsure-overconfident]}"}, "layout:"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Chdir(t.TempDir())
			dir := "arrays"
			if name == "a folder named data" {
				dir = "data/arrays"
			}
			files := map[string]map[string][]byte{}
			for pattern, n := range map[string]int{c.cal: cal, c.test: test} {
				logits, labels := setFiles(n)
				for array, b := range map[string][]byte{"logits": logits, "labels": labels} {
					if pattern == "" {
						continue
					}
					file, member, _ := strings.Cut(filepath.Join(dir, strings.ReplaceAll(pattern, "{}", array)), "#")
					if files[file] == nil {
						files[file] = map[string][]byte{}
					}
					files[file][member] = b
				}
			}
			for file, members := range files {
				if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
					t.Fatal(err)
				}
				for member, b := range members {
					var err error
					switch {
					case member == "":
						err = os.WriteFile(file, b, 0o666)
					case strings.HasSuffix(file, ".npz"):
						err = addMember(file, member, b)
					default:
						err = os.WriteFile(file, tensors(t, members), 0o666)
					}
					if err != nil {
						t.Fatal(err)
					}
				}
			}
			start := []string{"init", dir}
			if c.cal == "" {
				start = []string{"init", "-o", "arrays.yaml"}
			}
			for _, args := range [][]string{start, {"check", "arrays.yaml"}, {"run", "arrays.yaml"}, {"report", "arrays.yaml"}, {"compare"}} {
				if testing.Short() && name != "flat sets" && args[0] != "init" && args[0] != "check" {
					continue // check reads all arrays of the spec, and takes little time
				}
				var stdout, stderr strings.Builder
				if status := run(context.Background(), args, &stdout, &stderr); status != exitOK {
					t.Fatalf("%v: status %d\n%s%s", args, status, stdout.String(), stderr.String())
				}
				if said := stdout.String(); args[0] == "run" && !strings.Contains(said, ", 0 skipped, 0 failed;") {
					t.Errorf("%s", said)
				}
			}
			text, err := os.ReadFile("arrays.yaml")
			if err != nil {
				t.Fatal(err)
			}
			for _, want := range c.want {
				if !strings.Contains(string(text), want) {
					t.Errorf("no %s in\n%s", want, text)
				}
			}
			if strings.Contains(string(text), c.not) {
				t.Errorf("%s in\n%s", c.not, text)
			}
			validate(t, text)
		})
	}
}

// validate compares a spec with the schema that its first line names.
func validate(t *testing.T, text []byte) {
	t.Helper()
	first, _, _ := strings.Cut(string(text), "\n")
	name, ok := strings.CutPrefix(first, "# yaml-language-server: $schema=")
	if !ok {
		t.Fatalf("the first line is %q", first)
	}
	compiled, err := jsonschema.NewCompiler().Compile(name)
	if err != nil {
		t.Fatal(err)
	}
	var want bytes.Buffer
	if err := spec.WriteSchema(&want, experiments.Registry()); err != nil {
		t.Fatal(err)
	}
	if got, err := os.ReadFile(name); err != nil || !bytes.Equal(got, want.Bytes()) {
		t.Errorf("%s is not the schema of this program: %v", name, err)
	}
	var doc any
	if err := yaml.Unmarshal(text, &doc); err != nil {
		t.Fatal(err)
	}
	asJSON, err := json.Marshal(doc)
	if err != nil {
		t.Fatal(err)
	}
	if doc, err = jsonschema.UnmarshalJSON(bytes.NewReader(asJSON)); err != nil {
		t.Fatal(err)
	}
	if err := compiled.Validate(doc); err != nil {
		t.Error(err)
	}
}

// TestInitGroupsSettings of several networks, losses and corrupted sets.
func TestInitGroupsSettings(t *testing.T) {
	t.Chdir(t.TempDir())
	logits, labels := setFiles(60)
	for _, set := range []string{"c/a/cal", "c/a/test", "c/b/cal", "c/b/test", "c/b/focal/cal", "c/b/focal/test",
		"c-c/a/fog/1", "c-c/a/fog/3", "c-c/b/fog/1", "c-c/b/fog/3", "c-c/a/snow/5"} {
		dir := filepath.Join("arrays", filepath.FromSlash(set))
		if err := os.MkdirAll(dir, 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, "logits.npy"), logits, 0o666); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, "labels.npy"), labels, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	var stdout, stderr strings.Builder
	if status := run(context.Background(), []string{"init", "arrays", "-o", "many.yaml"}, &stdout, &stderr); status != exitOK {
		t.Fatal(stderr.String())
	}
	text, err := os.ReadFile("many.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var grids []string
	for line := range strings.Lines(string(text)) {
		if strings.HasPrefix(line, "  - {dataset") {
			grids = append(grids, strings.TrimSpace(line)[2:])
		}
	}
	want := []string{
		"{dataset: c, backbone: [a, b]}",
		"{dataset: c, backbone: b, loss: focal}",
		"{dataset: c-c, backbone: [a, b], corruption: fog, severity: [1, 3], calibrate_on: c}",
		"{dataset: c-c, backbone: a, corruption: snow, severity: [5], calibrate_on: c}",
	}
	if slices.Sort(grids); !slices.Equal(grids, slices.Sorted(slices.Values(want))) {
		t.Errorf("got  %q\nwant %q", grids, want)
	}
	if got := stdout.String(); got != "wrote many.yaml: 8 settings, 10 methods\n" {
		t.Error(got)
	}
}

// TestInitFoldsSeeds: NAME-seedN folders of one network are its seeds, and severities have a table and a figure, which
// report makes. A single seed, and a number that a spec would write in another way, are networks of their own.
func TestInitFoldsSeeds(t *testing.T) {
	t.Chdir(t.TempDir())
	logits, labels := setFiles(60)
	var sets []string
	for _, network := range []string{"a-seed1", "a-seed2", "a-seed10", "b-seed1", "b-seed2", "b-seed10", "b", "c-seed1", "d-seed01", "d-seed02", "e-seed0", "e-seed7"} {
		sets = append(sets, "x/"+network+"/cal", "x/"+network+"/test")
	}
	for _, network := range []string{"a-seed1", "a-seed2"} {
		sets = append(sets, "x-c/"+network+"/fog/1", "x-c/"+network+"/fog/2")
	}
	for _, set := range sets {
		dir := filepath.Join("arrays", filepath.FromSlash(set))
		mustDo(t, errors.Join(os.MkdirAll(dir, 0o777), os.WriteFile(filepath.Join(dir, "logits.npy"), logits, 0o666), os.WriteFile(filepath.Join(dir, "labels.npy"), labels, 0o666)))
	}
	if status, _, said := typedWords(t, "init", "arrays", "-o", "seeds.yaml"); status != exitOK {
		t.Fatal(said)
	}
	text, err := os.ReadFile("seeds.yaml")
	mustDo(t, err)
	for _, want := range []string{
		"  - {dataset: x, backbone: [a, b], seeds: [1, 2, 10]}\n",
		"  - {dataset: x, backbone: [b, c-seed1, d-seed01, d-seed02]}\n",
		"  - {dataset: x, backbone: e, seeds: [0, 7]}\n",
		"  - {dataset: x-c, backbone: a, seeds: [1, 2], corruption: fog, severity: [1, 2], calibrate_on: x}\n",
		"  - {metric: ece, name: severities, rows: [dataset, backbone, severity], average: [corruption], corruption: [fog]}\n",
		"  - {kind: severity, methods: [uncal, ts], dataset: x-c, backbone: a, corruption: [fog]}\n",
		"\nbaseline: ts ",
	} {
		if !strings.Contains(string(text), want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	if strings.Contains(string(text), "highlight") {
		t.Errorf("a method is highlighted in\n%s", text)
	}
	for _, command := range []string{"run", "report"} {
		if status, _, said := typedWords(t, command, "seeds.yaml"); status != exitOK {
			t.Fatalf("%s: %s", command, said)
		}
	}
	for _, file := range []string{"tables/seeds-severities.txt", "figures/seeds-severity-measured.svg", "report.tex"} {
		if _, err := os.Stat(filepath.Join("results", "out", filepath.FromSlash(file))); err != nil {
			t.Error(err)
		}
	}
}

// TestInitQuotesNamesThatYAMLReadsAsNothing: a folder may be named null.
func TestInitQuotesNamesThatYAMLReadsAsNothing(t *testing.T) {
	t.Chdir(t.TempDir())
	logits, labels := setFiles(60)
	for _, set := range []string{"null/NULL/cal", "null/NULL/test", "null/b/cal", "null/b/test"} {
		dir := filepath.Join("arrays", filepath.FromSlash(set))
		if err := errors.Join(os.MkdirAll(dir, 0o777), os.WriteFile(filepath.Join(dir, "logits.npy"), logits, 0o666),
			os.WriteFile(filepath.Join(dir, "labels.npy"), labels, 0o666)); err != nil {
			t.Fatal(err)
		}
	}
	var stdout, stderr strings.Builder
	if status := run(context.Background(), []string{"init", "arrays", "-o", "null.yaml"}, &stdout, &stderr); status != exitOK {
		t.Fatal(stderr.String())
	}
	if got := stdout.String(); got != "wrote null.yaml: 2 settings, 10 methods\n" {
		t.Error(got)
	}
}
