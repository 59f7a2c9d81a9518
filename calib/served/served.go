// Package served makes a program of a calibrator in Go: [Main] answers the calls of a run as programs in any
// language do (docs/calibrator.md), so that a method which is in no registry runs beside those that are.
//
//	func main() { served.Main(mine.Entry) }
//
// The numbers of such a program come from the probabilities that it writes, in float64.
package served

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/qats-bench/qats/calib"
	"github.com/qats-bench/qats/calib/external"
	"github.com/qats-bench/qats/data"
	"github.com/qats-bench/qats/data/folder"
	"github.com/qats-bench/qats/data/npy"
)

// Main is the main function of a program: ARGV... [OPTION=VALUE...] serve, which answers calls until its
// standard input ends, and ARGV... about, which prints what the method says of itself. An error ends it with status 1.
func Main(e calib.Entry) {
	if err := run(e, os.Args[1:], os.Stdin, os.Stdout); err != nil {
		fmt.Fprintf(os.Stderr, "%s: %v\n", e.Name, err)
		os.Exit(1)
	}
}

func run(e calib.Entry, args []string, in io.Reader, out io.Writer) error {
	if len(args) == 1 && args[0] == "about" {
		return json.NewEncoder(out).Encode(aboutOf(e))
	}
	if len(args) == 0 || args[len(args)-1] != "serve" {
		return fmt.Errorf("want serve after the options, got %q", args)
	}
	if why := problem(e); why != "" {
		return errors.New(why)
	}
	m, err := method(e, args[:len(args)-1])
	if err != nil {
		return err
	}
	answer := json.NewEncoder(out)
	if err := answer.Encode(map[string]any{"methods": []any{map[string]string{"name": e.Name}}}); err != nil {
		return err
	}
	lines := bufio.NewReader(in)
	for {
		line, err := lines.ReadBytes('\n')
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		var r request
		if err := json.Unmarshal(line, &r); err != nil {
			return err
		}
		a := reply{ID: r.ID}
		if err := guarded(func() error { return r.do(e, m) }); err != nil {
			a.Error = err.Error()
		}
		if err := answer.Encode(a); err != nil {
			return err
		}
	}
}

// request is a call of the run, and reply its answer.
type request struct {
	ID   int    `json:"id"`
	Call string `json:"call"` // fit or apply
	Dir  string `json:"dir"`
	Seed uint64 `json:"seed"`
}

type reply struct {
	ID    int    `json:"id"`
	Error string `json:"error,omitempty"`
}

// about is what a method says of itself.
type about struct {
	Label    string   `json:"label"`
	Contract contract `json:"contract"`
	Options  []string `json:"options"`
	Problem  string   `json:"problem"`
	Go       string   `json:"go_version"`
}

// contract is a contract in the words of programs.
type contract struct {
	Needs     []string `json:"needs"`
	KeepsTop1 bool     `json:"keeps_top1"`
}

func aboutOf(e calib.Entry) about {
	c := e.Method.Contract()
	a := about{Label: e.Label, Contract: contract{Needs: []string{}, KeepsTop1: c.KeepsTop1}, Problem: problem(e), Go: runtime.Version()}
	for _, part := range ((c.Cal | c.Test) &^ (data.Logits | data.Labels)).List() {
		name := part.String()
		switch {
		case c.Cal&part == 0:
			name = "test/" + name
		case c.Test&part == 0:
			name = "cal/" + name
		}
		a.Contract.Needs = append(a.Contract.Needs, name)
	}
	for _, o := range e.New().Options() {
		a.Options = append(a.Options, o.Name)
	}
	return a
}

// problem returns why a method cannot be a program: it needs rows of the domain that it is tested on, which no
// program gets, or it gives the predicted class alone a new confidence, and a program writes probabilities.
func problem(e calib.Entry) string {
	switch {
	case e.Method.Contract().Target != 0:
		return "it reads rows of the domain that it is tested on, which no program gets: add it to the registry"
	case e.TopLabelOnly():
		return "it gives the predicted class alone a new confidence, and a program writes probabilities of all classes: add it to the registry"
	}
	return ""
}

// method returns the method with options, each NAME=VALUE.
func method(e calib.Entry, options []string) (calib.Method, error) {
	draft := e.New()
	for _, text := range options {
		name, value, ok := strings.Cut(text, "=")
		if !ok {
			return nil, fmt.Errorf("%q is not OPTION=VALUE", text)
		}
		var known []string
		set := false
		for _, o := range draft.Options() {
			known = append(known, o.Name)
			if o.Name != name {
				continue
			}
			var v any = value
			if json.Unmarshal([]byte(value), &v) != nil {
				v = value
			}
			if err := o.Set(v); err != nil {
				return nil, fmt.Errorf("option %s: %w", name, err)
			}
			set = true
		}
		if !set {
			return nil, fmt.Errorf("no option %q; there are %s", name, strings.Join(known, ", "))
		}
	}
	return draft.Method()
}

// do makes a call.
func (r request) do(e calib.Entry, m calib.Method) error {
	layout, err := folder.ParseLayout(external.Layout)
	if err != nil {
		return err
	}
	source, err := folder.Open(r.Dir, layout, &folder.Digests{})
	if err != nil {
		return err
	}
	contract, saved := m.Contract(), filepath.Join(r.Dir, "model", "model.json")
	switch r.Call {
	case "fit":
		cal, err := data.Load(context.Background(), source, data.Ref{Split: data.Cal}, contract.Cal)
		if err != nil {
			return err
		}
		fitted, err := calib.FitInput(context.Background(), m, calib.Input{Cal: cal, Seed: r.Seed})
		if err != nil {
			return err
		}
		f, err := os.Create(saved)
		if err != nil {
			return err
		}
		model := calib.Model{Method: e.Name, Version: e.Version, Classes: cal.Logits.Cols, Fitted: *fitted}
		return errors.Join(model.Save(f), f.Close())
	case "apply":
		f, err := os.Open(saved)
		if err != nil {
			return err
		}
		defer f.Close()
		model, err := calib.LoadModel(f, []calib.Entry{e})
		if err != nil {
			return err
		}
		test, err := data.Load(context.Background(), source, data.Ref{Split: data.Test}, contract.Test|data.Logits)
		if err != nil {
			return err
		}
		probs, err := model.Probabilities(test)
		if err != nil {
			return err
		}
		return npy.WriteFloat64(filepath.Join(r.Dir, "probs.npy"), probs.Data, probs.Rows, probs.Cols)
	}
	return fmt.Errorf("unknown call %q", r.Call)
}

// guarded returns a panic of f as an error, so that a method that panics on one set goes on with the next one.
func guarded(f func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v", p)
		}
	}()
	return f()
}
