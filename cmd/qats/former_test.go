package main

import (
	"bytes"
	"cmp"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

// typedWords returns the status and what is printed for words.
func typedWords(t *testing.T, words ...string) (status int, out, said string) {
	t.Helper()
	var o, e bytes.Buffer
	status = run(t.Context(), words, &o, &e)
	return status, o.String(), e.String()
}

// TestGoneNamesAreAnsweredWithCommands: the words that take the place of a name are a
// command with its flags, and the answer is one line.
func TestGoneNamesAreAnsweredWithCommands(t *testing.T) {
	for _, f := range formers() {
		if f.command != "" {
			continue
		}
		if status, out, said := typedWords(t, f.old, "x", "--y"); f.gone && (status != exitUsage || out != "" || said != "qats: "+f.old+" is now: qats "+f.now+"\n") {
			t.Errorf("%s: status %d, %q, %q", f.old, status, out, said)
		}
		words := strings.Fields(f.now)
		cmd, rest, err := newRoot().Find(words)
		if err != nil || cmd.Hidden || cmd.HasSubCommands() && words[0] != "--version" {
			t.Errorf("%s is now %s, which is no command (%v)", f.old, f.now, err)
			continue
		}
		if err := cmd.ParseFlags(rest); err != nil {
			t.Errorf("%s is now %s: %v", f.old, f.now, err)
		}
	}
}

// TestFormerCommandsAreTheNewOnes: a former command has the help and the errors of the new one, also
// behind the flags of every command, and one line says what it is now.
func TestFormerCommandsAreTheNewOnes(t *testing.T) {
	for _, f := range formers() {
		if f.command != "" || f.gone {
			continue
		}
		now := strings.Fields(f.now)
		_, want, _ := typedWords(t, append([]string{"help"}, now...)...)
		line := "qats: " + f.old + " is now " + f.now + "; the old words are errors after this release\n"
		for _, words := range [][]string{{"help", f.old}, {f.old, "--help"}, {"--errors", "json", "-q", f.old, "--help"}} {
			if status, out, said := typedWords(t, words...); status != exitOK || out != want || said != "" && said != line {
				t.Errorf("%q: status %d, %q, %q", words, status, out, said)
			}
		}
		_, _, want = typedWords(t, append(now, "--nosuch")...)
		if status, _, said := typedWords(t, f.old, "--nosuch"); status != exitUsage || said != want {
			t.Errorf("%s: status %d, %q, want %q", f.old, status, said, want)
		}
	}
	status, _, said := typedWords(t, "leaderboard", "--protocol", "v9")
	if !strings.HasPrefix(said, "qats: leaderboard is now board page; ") || strings.Count(said, "\n") != 2 || status != exitUsage {
		t.Errorf("status %d, %q", status, said)
	}
	if _, _, said := typedWords(t, "--errors=json", "leaderboard", "--protocol", "v9"); !strings.HasPrefix(said, `{"warning":{"kind":"remark","text":"leaderboard is now board page; `) {
		t.Errorf("%q", said)
	}
}

// formerValues are values that former flags accept, where another than "x" is one.
var formerValues = map[string]string{"--latex": "full", "--setting": "a,b", "--variant": "rescale=2", "--parameter": "a=1"}

// written is the value that the new flag has for a value of the old one.
func written(f former, value string) string {
	if f.value != nil {
		value, _ = f.value(value)
	}
	return value
}

// TestFormerFlagsSetTheNewOnes: the command has what it has from the words that take the place of the flag. The
// flag is hidden, and several are told in one line.
func TestFormerFlagsSetTheNewOnes(t *testing.T) {
	for _, f := range formers() {
		if f.command == "" || f.bare {
			continue
		}
		find := func() *cobra.Command {
			cmd, rest, err := newRoot().Find(strings.Fields(f.command))
			if err != nil || len(rest) > 0 {
				t.Fatalf("%s: %v", f.command, err)
			}
			return cmd
		}
		name, _ := f.target()
		old, now, value := find(), find(), cmp.Or(formerValues[f.old], "x")
		flag := old.Flags().Lookup(strings.TrimPrefix(f.old, "--"))
		if !flag.Hidden || now.Flags().Lookup(name) == nil || now.Flags().Lookup(name).Hidden {
			t.Errorf("%s %s: hidden %v, and %s is its place", f.command, f.old, flag.Hidden, name)
			continue
		}
		words := []string{f.old + "=" + value}
		if flag.NoOptDefVal != "" {
			words = []string{f.old}
		}
		if err := old.ParseFlags(words); err != nil {
			t.Errorf("%q: %v", words, err)
		}
		if err := now.ParseFlags(strings.Fields(strings.ReplaceAll(f.now, "VALUE", written(f, value)))); err != nil {
			t.Errorf("%s: %v", f.now, err)
		}
		if got, want := old.Flags().Lookup(name), now.Flags().Lookup(name); got.Value.String() != want.Value.String() || !got.Changed {
			t.Errorf("%s: %s is %q, want %q", f.old, name, got.Value, want.Value)
		}
	}
	_, _, said := typedWords(t, "compare", "--explain", "--all", "--out", t.TempDir())
	if line, _, _ := strings.Cut(said, "\n"); line != "qats: --all is now --full and --explain is now --full; the old words are errors after this release" || strings.Count(said, "\n") != 2 {
		t.Errorf("%q", said)
	}
}

// TestNoTextNamesAGoneCommand: documents, messages and scripts name commands that there are.
func TestNoTextNamesAGoneCommand(t *testing.T) {
	names := datasetsNames()
	var old []string // that still work
	for _, f := range formers() {
		switch {
		case f.gone:
			names = append(names, f.old)
		case f.command == "":
			old = append(old, f.old)
		}
	}
	named := func(names []string) *regexp.Regexp {
		return regexp.MustCompile(`\b(?:qats|called\.Command\(\) ?\+ ?["\x60]) (?:` + strings.Join(names, "|") + `)\b(?:[^"]|$)`) // "qats spec" is the title of the schema
	}
	gone, former := named(names), named(old)
	root := project(t)
	answers := []string{"CHANGELOG.md", "cmd/qats/testdata/script/usage.txtar", "cmd/qats/testdata/script/datasets.txtar", "results/out", "bin", "data/bundle", "data/real", "data/wild"}
	err := fs.WalkDir(os.DirFS(root), ".", func(file string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case slices.Contains(answers, file), d.IsDir() && (d.Name() == ".git" || d.Name() == "node_modules"):
			if d.IsDir() {
				return fs.SkipDir
			}
			return nil
		case !d.Type().IsRegular() || !slices.Contains([]string{"", ".go", ".md", ".py", ".yaml", ".json", ".txtar", ".golden", ".html", ".js", ".ipynb", ".txt"}, filepath.Ext(file)):
			return nil
		}
		text, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(file)))
		for i, line := range bytes.Split(text, []byte("\n")) {
			found := gone.Find(line)
			if found == nil && filepath.Ext(file) != ".md" && !strings.HasPrefix(file, "experiments/protocol/") { // whose bytes are a digest
				found = former.Find(line)
			}
			if found != nil && !bytes.Contains(line, []byte("from qatsbench import")) {
				t.Errorf("%s:%d: %s", file, i+1, found)
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestAFlagThatNeedsAValueNowHasIt: score --interval without one.
func TestAFlagThatNeedsAValueNowHasIt(t *testing.T) {
	for _, c := range []struct{ args, want []string }{
		{[]string{"score", "--interval"}, []string{"score", "--interval", "standard"}},
		{[]string{"-q", "score", "--interval", "--json"}, []string{"-q", "score", "--interval", "standard", "--json"}},
		{[]string{"score", "--interval", "bc"}, nil},
		{[]string{"score", "--interval bc", "--", "--interval"}, nil},
		{[]string{"compare", "--interval"}, nil},
	} {
		got, typed := renewed(c.args)
		want := c.want
		if want == nil {
			want = c.args
		}
		if !slices.Equal(got, want) || (len(typed) == 1) != (c.want != nil) {
			t.Errorf("%q: %q, %v", c.args, got, typed)
		}
	}
}
