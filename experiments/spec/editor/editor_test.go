package editor

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

const program = "node_modules/yaml-language-server/bin/yaml-language-server"

// project is the root of the project.
var project = filepath.Join("..", "..", "..")

// TestCompletionOffersKeysAndNames where the cursor | is.
func TestCompletionOffersKeysAndNames(t *testing.T) {
	s := start(t)
	for name, c := range map[string]struct {
		text string
		want []string
	}{
		"keys of a spec":    {"name: a\n|\n", []string{"methods", "settings", "baseline", "metrics", "layout", "tables", "figures"}},
		"keys of a setting": {"name: a\nmethods: [ts]\nsettings:\n  - dataset: d\n    |\n", []string{"backbone", "loss", "corruption", "severity", "splits"}},
		"keys of a table":   {"name: a\nmethods: [ts]\nsettings: [{dataset: d, backbone: b}]\ntables:\n  - metric: ece\n    |\n", []string{"rows", "highlight", "consistency_band"}},
		"keys of a method":  {"name: a\nmethods:\n  - name: q\n    |\nsettings: [{dataset: d, backbone: b}]\n", []string{"method", "options", "label"}},
		"names of metrics":  {"name: a\nmetrics:\n  - |\n", []string{"ece", "aece", "nll"}},
		"names of methods":  {"name: a\nmethods:\n  - |\n", []string{"qats", "ts", "ir"}},
		"kinds of figures":  {"name: a\nmethods: [ts]\nsettings: [{dataset: d, backbone: b}]\nfigures:\n  - kind: |\n", []string{"reliability", "quantile-gap"}},
	} {
		before, after, _ := strings.Cut(modeline+c.text, "|")
		uri := s.open(before + after)
		line := strings.Count(before, "\n")
		column := len(before) - strings.LastIndex(before, "\n") - 1
		var answer struct {
			Items []struct{ Label string }
		}
		s.call("textDocument/completion", map[string]any{
			"textDocument": map[string]any{"uri": uri}, "position": map[string]any{"line": line, "character": column},
		}, &answer)
		var labels []string
		for _, i := range answer.Items {
			labels = append(labels, i.Label)
		}
		for _, want := range c.want {
			if !slices.Contains(labels, want) {
				t.Errorf("%s: no %s among %q", name, want, labels)
			}
		}
	}
}

// TestMistakesAreMarkedAtTheirLine, counted from 1 after the modeline.
func TestMistakesAreMarkedAtTheirLine(t *testing.T) {
	s := start(t)
	for _, c := range []struct {
		text string
		line int // 0 for none
		want string
	}{
		{"name: a\nmethods: [ts]\nsettings: {dataset: d, backbone: b}\n", 0, ""},
		{"name: a\nmethodz: [ts]\nmethods: [ts]\nsettings: {dataset: d, backbone: b}\n", 2, "methodz"},
		{"name: a\nmethods:\n  - ts\n  - qat\nsettings: {dataset: d, backbone: b}\n", 4, ""},
		{"name: a\nmethods: [ts]\nsettings:\n  - dataset: d\n    backbone: b\n    severety: 3\n", 6, "severety"},
		{"name: a\nmethods:\n  - name: p\n    method: qats-pw\n    options: {segment: 2}\nsettings: {dataset: d, backbone: b}\n", 5, "segment"},
		{"name: a\nmethods: [ts]\nmetrics: [ece, ecce]\nsettings: {dataset: d, backbone: b}\n", 3, ""},
		{"name: a\nmethods:\n\t- ts\nsettings: {dataset: d, backbone: b}\n", 3, "ab"},
	} {
		found := s.diagnostics(s.open(modeline + c.text))
		ok := c.line == 0 && len(found) == 0
		for _, d := range found {
			ok = ok || d.Range.Start.Line == c.line && strings.Contains(d.Message, c.want) // the modeline is line 0
		}
		if !ok {
			t.Errorf("%q\n%+v, want line %d with %q", c.text, found, c.line, c.want)
		}
	}
}

// TestSpecsOfTheProjectHaveNoMarks, read where they are, with their own modelines.
func TestSpecsOfTheProjectHaveNoMarks(t *testing.T) {
	s := start(t)
	specs, err := filepath.Glob(filepath.Join(project, "experiments", "*.yaml"))
	if err != nil || len(specs) < 5 {
		t.Fatalf("%d specs, %v", len(specs), err)
	}
	paper, err := filepath.Glob(filepath.Join(project, "experiments", "paper", "*.yaml"))
	if err != nil || len(paper) < 8 {
		t.Fatalf("%d specs of the paper, %v", len(paper), err)
	}
	for _, file := range append(specs, paper...) {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.HasPrefix(string(text), "# yaml-language-server: $schema=") {
			t.Errorf("%s: no modeline", file)
		}
		if found := s.diagnostics(s.openFile(file, string(text))); len(found) > 0 {
			t.Errorf("%s: %+v", file, found)
		}
	}
}

const modeline = "# yaml-language-server: $schema=spec.schema.json\n"

// server is a running yaml-language-server. Its messages are JSON objects, each
// behind a line with its length.
type server struct {
	t     *testing.T
	in    io.Writer
	dir   string
	last  int
	files int

	answers chan message
	marks   map[string][]diagnostic // by file, as they come
}

type message struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
	Result json.RawMessage `json:"result"`
}

type diagnostic struct {
	Message string
	Range   struct{ Start struct{ Line, Character int } }
}

// start runs the server in a folder that has the schema.
func start(t *testing.T) *server {
	t.Helper()
	if _, err := os.Stat(program); err != nil {
		t.Skip("no yaml-language-server: make editor installs it by npm")
	}
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("no node")
	}
	s := &server{t: t, dir: t.TempDir(), answers: make(chan message, 1000), marks: map[string][]diagnostic{}}
	schema, err := os.ReadFile(filepath.Join(project, "experiments", "spec.schema.json"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(s.dir, "spec.schema.json"), schema, 0o666); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(node, program, "--stdio")
	cmd.Stderr = os.Stderr
	if s.in, err = cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cmd.Process.Kill(); cmd.Wait() })
	go s.listen(bufio.NewReader(out))
	s.call("initialize", map[string]any{
		"processId": os.Getpid(), "rootUri": uriOf(s.dir),
		"capabilities": map[string]any{"workspace": map[string]any{"configuration": true}},
	}, nil)
	s.send(map[string]any{"jsonrpc": "2.0", "method": "initialized", "params": map[string]any{}})
	return s
}

// listen passes the messages of the server on.
func (s *server) listen(r *bufio.Reader) {
	defer close(s.answers)
	for {
		length := 0
		for {
			line, err := r.ReadString('\n')
			if err != nil {
				return
			}
			if line = strings.TrimSpace(line); line == "" {
				break
			}
			if value, ok := strings.CutPrefix(line, "Content-Length: "); ok {
				length, _ = strconv.Atoi(value)
			}
		}
		body := make([]byte, length)
		if _, err := io.ReadFull(r, body); err != nil {
			return
		}
		var m message
		if json.Unmarshal(body, &m) == nil {
			s.answers <- m
		}
	}
}

func (s *server) send(m map[string]any) {
	s.t.Helper()
	body, err := json.Marshal(m)
	if err == nil {
		_, err = fmt.Fprintf(s.in, "Content-Length: %d\r\n\r\n%s", len(body), body)
	}
	if err != nil {
		s.t.Fatal(err)
	}
}

// patience is the longest wait for a message: node starts slowly on a busy machine.
const patience = time.Minute

// next returns the next message, and answers what the server asks for.
func (s *server) next() message {
	s.t.Helper()
	for {
		var m message
		var ok bool
		select {
		case m, ok = <-s.answers:
		case <-time.After(patience):
			s.t.Fatal("the server is silent")
		}
		if !ok {
			s.t.Fatal("the server has ended")
		}
		switch {
		case m.Method == "workspace/configuration":
			var asked struct{ Items []struct{ Section string } }
			json.Unmarshal(m.Params, &asked)
			list := make([]any, len(asked.Items))
			for i, item := range asked.Items {
				if item.Section == "yaml" {
					list[i] = map[string]any{"validate": true, "completion": true, "schemaStore": map[string]any{"enable": false}}
				}
			}
			s.send(map[string]any{"jsonrpc": "2.0", "id": m.ID, "result": list})
		case m.Method != "" && m.ID != nil:
			s.send(map[string]any{"jsonrpc": "2.0", "id": m.ID, "result": nil})
		case m.Method == "textDocument/publishDiagnostics":
			var p struct {
				URI         string
				Diagnostics []diagnostic
			}
			json.Unmarshal(m.Params, &p)
			s.marks[p.URI] = append([]diagnostic{}, p.Diagnostics...)
			return m
		default:
			return m
		}
	}
}

// call asks the server and waits for the answer.
func (s *server) call(method string, params, result any) {
	s.t.Helper()
	s.last++
	s.send(map[string]any{"jsonrpc": "2.0", "id": s.last, "method": method, "params": params})
	for {
		m := s.next()
		if m.Method != "" || string(m.ID) != strconv.Itoa(s.last) {
			continue
		}
		if result != nil {
			if err := json.Unmarshal(m.Result, result); err != nil {
				s.t.Fatalf("%s: %v: %s", method, err, m.Result)
			}
		}
		return
	}
}

// open opens a new spec in the folder of the schema.
func (s *server) open(text string) string {
	s.files++
	return s.openFile(filepath.Join(s.dir, fmt.Sprintf("spec%d.yaml", s.files)), text)
}

func (s *server) openFile(file, text string) string {
	s.t.Helper()
	abs, err := filepath.Abs(file)
	if err != nil {
		s.t.Fatal(err)
	}
	uri := uriOf(abs)
	s.send(map[string]any{"jsonrpc": "2.0", "method": "textDocument/didOpen", "params": map[string]any{
		"textDocument": map[string]any{"uri": uri, "languageId": "yaml", "version": 1, "text": text},
	}})
	return uri
}

// diagnostics waits for what the server marks in a file.
func (s *server) diagnostics(uri string) []diagnostic {
	s.t.Helper()
	for {
		if found, ok := s.marks[uri]; ok {
			return found
		}
		s.next()
	}
}

func uriOf(path string) string {
	return (&url.URL{Scheme: "file", Path: filepath.ToSlash(path)}).String()
}
