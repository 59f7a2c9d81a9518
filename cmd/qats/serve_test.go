package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/qats-bench/qats/data"
	"github.com/qats-bench/qats/data/npy"
)

// servedSpec writes a spec of two settings of the example and returns it with its arguments.
func servedSpec(t *testing.T, out string) []string {
	t.Helper()
	root, err := filepath.Abs(filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	spec := filepath.Join(t.TempDir(), "served.yaml")
	text := "name: served\nmethods: [uncal, ts]\nmetrics: [nll, ece]\nsettings:\n  - {dataset: example, backbone: [unsure-overscaled, sure-overscaled]}\n"
	if err := os.WriteFile(spec, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	return []string{"run", spec, "--data", filepath.Join(root, "data", "example"), "--out", out, "--quick"}
}

// rowsOf returns "method: status", with the reason of a failure, of the rows of NLL of one
// network.
func rowsOf(t *testing.T, out string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(out, "results.csv"))
	if err != nil {
		t.Fatal(err)
	}
	var rows []string
	for line := range strings.Lines(string(b)) {
		f := strings.SplitN(strings.TrimSpace(line), ",", 14)
		if len(f) > 13 && f[2] == "unsure-overscaled" && f[8] == "nll" {
			reason, _, _ := strings.Cut(strings.TrimPrefix(f[13], `"[{""kind"":""reason"",""text"":""`), `""}]"`)
			if f[12] == "ok" {
				reason = ""
			}
			rows = append(rows, strings.TrimSpace(f[7]+": "+f[12]+" "+reason))
		}
	}
	return strings.Join(rows, "\n")
}

// A process that has started the program serves methods on its standard input and output: here
// the test, which counts the calls. All text is on standard error. Methods need no permission, a later run takes fits from the store, and
// another source is another method.
func TestMethodsOfTheProcessThatStartsTheProgram(t *testing.T) {
	out := t.TempDir()
	serve := func(source string) (calls []string) {
		t.Helper()
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), childArgs+"="+strings.Join(append(servedSpec(t, out), "--serve"), "\n"))
		answers, err := cmd.StdinPipe()
		if err != nil {
			t.Fatal(err)
		}
		requests, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		var said strings.Builder
		cmd.Stderr = &said
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(answers, `{"methods": [{"name": "even", "label": "Even", "source": %q}]}`+"\n", source)
		for lines := bufio.NewScanner(requests); lines.Scan(); {
			var r struct {
				ID                int
				Method, Call, Dir string
			}
			if err := json.Unmarshal(lines.Bytes(), &r); err != nil {
				t.Fatalf("%s: %v", lines.Text(), err)
			}
			calls = append(calls, r.Method+" "+r.Call)
			text := ""
			if err := evenly(r.Call, r.Dir); err != nil {
				text = err.Error()
			}
			fmt.Fprintf(answers, `{"id": %d, "error": %q}`+"\n", r.ID, text)
		}
		if err := cmd.Wait(); err != nil {
			t.Fatalf("%v\n%s", err, said.String())
		}
		if !strings.Contains(said.String(), "2 settings: ") {
			t.Errorf("standard error is %s", said.String())
		}
		return calls
	}
	if got := fmt.Sprint(len(serve("a")), len(serve("a")), len(serve("b"))); got != "4 0 4" {
		t.Errorf("%s calls, want 4 for two networks, none from the store, 4 for another source", got)
	}
	if got, want := rowsOf(t, out), "uncal: ok\nts: ok\neven: ok"; got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
}

// evenly is a method whose probabilities are equal.
func evenly(call, dir string) error {
	if call == "fit" {
		return os.WriteFile(filepath.Join(dir, "model", "none"), nil, 0o666)
	}
	a, err := data.OpenArray(nil, filepath.Join(dir, "test", "logits.npy"))
	if err != nil {
		return err
	}
	defer a.Close()
	p := make([]float64, a.Rows()*a.Cols())
	for i := range p {
		p[i] = 1 / float64(a.Cols())
	}
	return npy.WriteFloat64(filepath.Join(dir, "probs.npy"), p, a.Rows(), a.Cols())
}

// A Python process serves methods. An exception is a row with its last line, and so is a call
// beyond its limit; the calls after them succeed.
func TestMethodsOfAPythonProcess(t *testing.T) {
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip(err)
	}
	out := t.TempDir()
	cmd := exec.Command(python, filepath.Join("testdata", "serve.py"), buildQats(t))
	cmd.Args = append(cmd.Args, servedSpec(t, out)...)
	said, err := cmd.CombinedOutput()
	if cmd.ProcessState.ExitCode() != exitFailed {
		t.Fatalf("%v\n%s", err, said)
	}
	const want = `uncal: ok
ts: ok
prior: ok
raises: fail fit raised ValueError: no rows are good enough (serve.py:53)
hangs: fail fit ran longer than its limit of 200ms and was cancelled`
	if got := rowsOf(t, out); got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
}

// Standard input that lists no methods is an error, and no other output can go to standard output.
func TestServeWantsMethods(t *testing.T) {
	for input, want := range map[string]string{
		"":        "qats: --serve: no line that lists methods came: the process that serves the method has ended\n",
		"hello\n": `qats: --serve: "hello", which the process that serves the method wrote for its list {"methods": [{"name": ...}]}, is no line of the protocol` + "\n",
		`{"methods": [{"name": "ts", "version": "1"}]}`: `qats: served method "ts": served has a method of this name: give it another one` + "\n",
	} {
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), childArgs+"="+strings.Join(append(servedSpec(t, t.TempDir()), "--serve"), "\n"))
		cmd.Stdin = strings.NewReader(input)
		var out, said strings.Builder
		cmd.Stdout, cmd.Stderr = &out, &said
		if err := cmd.Run(); cmd.ProcessState.ExitCode() != exitUsage || said.String() != want || out.String() != "" {
			t.Errorf("%q: %v, %s%s, want %s", input, err, out.String(), said.String(), want)
		}
	}
	var said strings.Builder
	if status := run(t.Context(), append(servedSpec(t, t.TempDir()), "--serve", "--json"), &said, &said); status != exitUsage || !strings.Contains(said.String(), "[serve json]") {
		t.Errorf("%d %s", status, said.String())
	}
}
