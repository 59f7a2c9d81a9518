package main

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/qats-bench/qats/plots"
)

// TestFigureFormatsAdd: the first --figure-format replaces the default, and others add
// to it.
func TestFigureFormatsAdd(t *testing.T) {
	for _, c := range []struct{ args, want []string }{
		{nil, []string{"svg", "pdf"}},
		{[]string{"--figure-format", "png"}, []string{"png"}},
		{[]string{"--figure-format", "png,svg", "--figure-format=pgf"}, []string{"png", "svg", "pgf"}},
	} {
		var f []plots.Format
		cmd := &cobra.Command{}
		figureFormats(cmd, &f)
		if err := cmd.ParseFlags(c.args); err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, format := range []plots.Format(f) {
			got = append(got, string(format))
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%q: %q, want %q", c.args, got, c.want)
		}
	}
}

// TestEmptyArguments: an empty --figure, as of an unset variable, draws nothing, and an
// empty folder is not a folder.
func TestEmptyArguments(t *testing.T) {
	var f figureFile
	if err := f.Set(""); err != nil || f != "" {
		t.Errorf("%q, %v", f, err)
	}
	if initCommand().Args(nil, []string{""}) == nil {
		t.Error("init took an empty folder")
	}
}

func TestGivenFlagsKeepTheirValues(t *testing.T) {
	cmd := &cobra.Command{}
	f := cmd.Flags()
	f.String("out", "results", "")
	f.StringSlice("dataset", nil, "")
	f.StringArray("data", nil, "")
	f.Bool("quick", false, "")
	f.Int("workers", 1, "")
	args := []string{"--out", "res[1]", "--dataset", "a,[b]", "--data", "x", "--data", "[y]", "--quick"}
	if err := cmd.ParseFlags(args); err != nil {
		t.Fatal(err)
	}
	if got := given(cmd, "out", "dataset", "data", "quick", "workers"); !slices.Equal(got, args) {
		t.Errorf("%q, want %q", got, args)
	}
}

// flagLine is the beginning of the help of a flag.
var flagLine = regexp.MustCompile(`(?m)^ +(?:-., )?--([^ ]+)`)

// leaves are the commands that do something: those below a command that have none below them.
func leaves(cmd *cobra.Command) []*cobra.Command {
	if !cmd.HasSubCommands() {
		return []*cobra.Command{cmd}
	}
	var list []*cobra.Command
	for _, c := range cmd.Commands() {
		list = append(list, leaves(c)...)
	}
	return list
}

// TestBooleanFlagsArePassedOnWithTheirValues: another command that is given what given
// returns has the value of the first, for every boolean flag of every command. A flag
// with its default is not passed on.
func TestBooleanFlagsArePassedOnWithTheirValues(t *testing.T) {
	tried := map[string]bool{}
	for i, c := range leaves(newRoot()) {
		for _, m := range flagLine.FindAllStringSubmatch(c.Flags().FlagUsages(), -1) {
			f := c.Flags().Lookup(m[1])
			if f.Value.Type() != "bool" {
				continue
			}
			for _, value := range []string{"true", "false"} {
				first, second := leaves(newRoot())[i], leaves(newRoot())[i]
				if err := first.ParseFlags([]string{"--" + f.Name + "=" + value}); err != nil {
					t.Fatal(err)
				}
				words := given(first, f.Name)
				if err := second.ParseFlags(words); err != nil {
					t.Fatal(err)
				}
				if got := second.Flags().Lookup(f.Name).Value.String(); got != value || (len(words) == 0) != (value == f.DefValue) {
					t.Errorf("%s --%s=%s is passed on as %q", c.Name(), f.Name, value, words)
				}
			}
			tried[f.Name] = true
		}
	}
	for _, name := range []string{"allow-exec", "quick", "fresh", "report"} {
		if !tried[name] {
			t.Errorf("no command has --%s", name)
		}
	}
}

// TestFlagsSetToFalseStayFalse: in the scripts of a cluster and in run.json.
func TestFlagsSetToFalseStayFalse(t *testing.T) {
	var stdout, stderr strings.Builder
	out, spec := t.TempDir(), filepath.Join(project(t), "experiments", "example.yaml")
	off := []string{"--allow-exec=false", "--quick=false", "--fresh=false"}
	for _, args := range [][]string{{"cluster", "script", spec, "--tasks", "2", "--out", out}, {"run", spec, "--out", out}} {
		if status := run(t.Context(), append(args, off...), &stdout, &stderr); status != exitOK {
			t.Fatal(stderr.String())
		}
	}
	b, err := os.ReadFile(filepath.Join(out, "run.json"))
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(b), `"command": "qats run example.yaml --out OUT"`) {
		t.Errorf("%.300s", b)
	}
	for _, flag := range []string{"--allow-exec", "--quick", "--fresh"} {
		if strings.Contains(stdout.String(), flag) {
			t.Errorf("%s in\n%s", flag, stdout.String())
		}
	}
}

// TestVariablesAreForPrograms: --env needs programs that may be run.
func TestVariablesAreForPrograms(t *testing.T) {
	set := func(name string) (string, bool) { return "", name == "HOME" }
	for _, c := range []struct {
		names []string
		exec  bool
		want  string
	}{
		{nil, false, ""},
		{[]string{"HOME"}, true, ""},
		{[]string{"HOME"}, false, "--env is for programs, which only --allow-exec runs; give both or neither"},
		{[]string{"HOME", "LC_*"}, true, "--env LC_*: no such variable is set"},
		{[]string{"HOME=x"}, true, "--env HOME=x: give only the name; the program gets the value that the variable has here"},
	} {
		p := places{}
		p.Env, p.AllowExec = c.names, c.exec
		if err := p.checkEnv(set); (err == nil) != (c.want == "") || err != nil && err.Error() != c.want {
			t.Errorf("%v: %v, want %q", c.names, err, c.want)
		}
	}
}
