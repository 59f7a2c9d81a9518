package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/qats-bench/qats/internal/lists"
	"github.com/qats-bench/qats/internal/terminal"
)

// evil is a name that renames the window of a terminal, turns the rest of the line
// around, and begins a line that looks like one of qats.
const evil = "e\x1b]0;x\a\u202e\x9b\nSPOOF: y"

// harm returns what is wrong with a text that a command has printed: characters that are
// not graphic, a line that a name has made, a line without an end.
func harm(said string) error {
	for line := range strings.Lines(said) {
		line = strings.TrimSuffix(line, "\n")
		i := strings.IndexFunc(line, func(r rune) bool { return !unicode.IsGraphic(r) && r != '\t' })
		switch {
		case i >= 0 || !utf8.ValidString(line):
			return fmt.Errorf("raw: %.200q", line[max(i, 0):])
		case strings.HasPrefix(strings.TrimPrefix(line, "qats: "), "SPOOF"):
			return fmt.Errorf("a line of a name: %.200q", said)
		case len(line) > terminal.MaxLine+1000:
			return fmt.Errorf("a line of %d bytes", len(line))
		}
	}
	return nil
}

// shown checks that what a command has printed is harmless.
func shown(t *testing.T, what, said string) {
	t.Helper()
	if err := harm(said); err != nil {
		t.Errorf("%s: %v", what, err)
	}
}

// TestTextOfOthersIsHarmless: whatever file names, specs, manifests, CSV files, models and
// servers hold, what commands print of it moves no cursor and has an end.
func TestTextOfOthersIsHarmless(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("other systems have no such file names")
	}
	arrays, dir := filepath.Join(project(t), "data", "example", "example", "unsure-overscaled"), t.TempDir()
	t.Chdir(dir)
	write := func(path, text string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	copyTo := func(path, from string) {
		t.Helper()
		if err := os.CopyFS(path, os.DirFS(from)); err != nil {
			t.Fatal(err)
		}
	}
	qats := func(args ...string) string {
		var stdout, stderr strings.Builder
		run(t.Context(), args, &stdout, &stderr)
		return stdout.String() + stderr.String()
	}
	replaced := func(path, old, text string) {
		t.Helper()
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(b), old) {
			t.Fatalf("%s has no %q", path, old)
		}
		write(path, strings.Replace(string(b), old, text, 1))
	}
	quoted := func(text string) string { // as JSON, which is YAML
		b, err := json.Marshal(text)
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	csv := `"` + evil + `"`
	huge := strings.Repeat("n", 9<<20)
	const settings = "settings: {dataset: example, backbone: unsure-overscaled}\n"

	copyTo(filepath.Join("folder", evil), arrays)
	copyTo(filepath.Join("folder", "net"), arrays)
	write(filepath.Join("folder", evil+".pt"), "")
	write(filepath.Join("folder", evil+".npz"), "no archive")
	copyTo(filepath.Join("arrays", "example", "unsure-overscaled"), arrays)
	logits, labels := filepath.Join(arrays, "cal", "logits.npy"), filepath.Join(arrays, "cal", "labels.npy")
	write("plain.yaml", "name: plain\nbaseline: ts\nmethods: [uncal, ts]\n"+settings+"tables: [{metric: ece}]\n")
	write(evil+".yaml", "name: plain\nbaseline: ts\nmethods: [uncal, ts]\n"+settings+"tables: [{metric: ece, title: \"a \\u202e b\"}]\ntitle: \"a \\u202e b\"\n")
	for name, text := range map[string]string{
		"title":  "name: t\ntitle: " + quoted(evil) + "\nmethods: [ts]\n" + settings,
		"key":    "name: t\n" + quoted(evil) + ": 1\n",
		"name":   "name: " + quoted(evil) + "\nmethods: [ts]\n" + settings,
		"method": "name: t\nmethods: [" + quoted(evil) + "]\n" + settings,
		"long":   "name: t\nmethods: [" + huge + "]\n" + settings,
		"longer": "name: " + huge + "\n",
		"syntax": "name: t\n *x\u202e: [\n",
		"data":   "name: t\ndata: [" + quoted(evil) + "]\nmethods: [ts]\n" + settings,
	} {
		write("bad-"+name+".yaml", text)
		shown(t, "plan "+name, qats("run", "-n", "bad-"+name+".yaml"))
	}
	for _, args := range [][]string{
		{"check", "folder"}, {"check", evil}, {"init", "folder"}, {"init", evil}, {"run", "-n", evil}, {"run", "-n", evil + ".yaml", "--data", "arrays"},
		{"run", evil + ".yaml", "--data", "arrays", "--out", evil, "--verbose"}, {"report", evil + ".yaml", "--out", evil}, {"report", evil},
		{"compare", "--against", evil, "--out", evil}, {"cluster", "status", evil}, {"cluster", "status", "plain.yaml", "--out", evil}, {"cluster", "script", "plain.yaml", "--out", evil},
		{"paper", "simulate", "plain.yaml", "--out", evil}, {"fit", "ts", "--logits", evil, "--labels", labels}, {"fit", evil, "--logits", logits, "--labels", labels},
		{"fit", "ts", "--logits", logits, "--labels", labels, "-o", "model.json", "-p", evil + "=1"}, {"apply", evil, "--logits", logits, "-o", "p.npy"},
		{"score", "--probs", evil, "--labels", labels}, {"doc", evil}, {"doc", "methods", evil}, {"doc", "metrics", evil}, {"doc", evil, "x"}, {evil}, {"run", "--" + evil}, {"run", "plain.yaml", "--workers", evil},
		{"fetch", evil}, {"import", evil, "x"}, {"paper", "diff", "plain.yaml", "--out", evil},
	} {
		shown(t, fmt.Sprintf("%.40q", args), qats(args...))
	}

	for name, text := range map[string]string{
		"note": "sets:\n  - {set: example, note: " + quoted(evil) + "}\n",
		"from": "sets:\n  - {set: example, from: \"a \\u202e b\", stand-in: \"c \\u2066\"}\n",
		"huge": "sets:\n  - {set: example, note: " + huge + "}\n",
		"key":  quoted(evil) + ": 1\n",
	} {
		write(filepath.Join("arrays", "manifest.yaml"), text)
		for _, args := range [][]string{{"run", "plain.yaml", "--data", "arrays", "--out", "m-" + name}, {"report", "plain.yaml", "--out", "m-" + name}, {"check", "arrays"}} {
			shown(t, "manifest "+name, qats(args...))
		}
	}
	if err := os.Remove(filepath.Join("arrays", "manifest.yaml")); err != nil {
		t.Fatal(err)
	}

	if said := qats("run", "plain.yaml", "--data", "arrays", "--out", "good"); !strings.Contains(said, "2 ok") {
		t.Fatal(said)
	}
	for i, c := range []struct{ file, old, text string }{
		{"results.csv", "plain,example", csv + ",example"}, {"results.csv", ",unsure-overscaled", "," + csv},
		{"results.csv", ",measured,ok,", ",measured,ok,\"[{\"\"kind\"\":\"\"warning\"\",\"\"text\"\":\"\"a \u202e b\\u001b\\nSPOOF\"\"}]\""}, {"results.csv", ",uncal,", "," + huge + ","},
		{"results.csv", ",value,", "," + csv + ","}, {"bins.csv", ",uncal,", "," + csv + ","}, {"pairs.csv", ",uncal,", "," + csv + ","},
		{"fits.csv", ",ts,", ",ts" + csv + ","}, {"times.csv", "fits,", "x,"}, {"run.json", `"file": "`, `"file": "e\u001b\nSPOOF`},
		{"run.json", `"qats_run": 3`, `"qats_run": "e\u001b\nSPOOF"`},
	} {
		out := fmt.Sprintf("out%d", i)
		copyTo(out, "good")
		if c.file == "times.csv" {
			write(filepath.Join(out, c.file), csv+"\n")
		} else {
			replaced(filepath.Join(out, c.file), c.old, c.text)
		}
		if c.file != "run.json" {
			if err := os.Remove(filepath.Join(out, "run.json")); err != nil {
				t.Fatal(err)
			}
		}
		for _, args := range [][]string{{"report", "plain.yaml"}, {"compare", "ts", "--against", "uncal"}, {"compare", "--against", evil}, {"paper", "diff"}} {
			shown(t, fmt.Sprintf("%s %.40q: %v", c.file, c.text, args), qats(append(args, "--out", out)...))
		}
		shown(t, c.file+": page", qats("report", out))
	}
	write("others.csv", "d,m,v\n"+csv+",a,0.1\n"+csv+",b,0.2\n")
	shown(t, "a table of others", qats("compare", "--from", "others.csv", "--columns", "setting=d,value=v,method=m", "--metric", "brier", "--against", "a"))

	if said := qats("fit", "ts", "--logits", logits, "--labels", labels, "-o", "model.json"); said != "" {
		t.Fatal(said)
	}
	for _, old := range []string{`"T"`, `"ts"`} {
		text, _ := os.ReadFile("model.json")
		write("evil.json", strings.Replace(string(text), old, quoted(evil), 1))
		shown(t, "a model with another "+old, qats("apply", "evil.json", "--logits", logits, "-o", "p.npy"))
	}

}

// TestErrorsAreLines: an error that joins others is a line for each of them, and a line
// break in a name is none.
func TestErrorsAreLines(t *testing.T) {
	one, two := fmt.Errorf("a\nb"), fmt.Errorf("c")
	for _, c := range []struct {
		err  error
		want []string
	}{
		{one, []string{"a\nb"}},
		{errors.Join(one, two), []string{"a\nb", "c"}},
		{errors.Join(errors.Join(one, two), two), []string{"a\nb", "c", "c"}},
		{fmt.Errorf("%w, and %w", one, two), []string{"a\nb, and c"}},
		{fmt.Errorf("x: %w", errors.Join(one, two)), []string{"x: a\nb\nc"}},
	} {
		if got := lists.Values(errorsIn(c.err), error.Error); fmt.Sprint(got) != fmt.Sprint(c.want) || len(got) != len(c.want) {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}
