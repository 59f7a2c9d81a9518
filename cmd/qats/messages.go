package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/qats-bench/qats/calib/report"
	"github.com/qats-bench/qats/data/folder"
	"github.com/qats-bench/qats/data/problem"
	"github.com/qats-bench/qats/experiments/inspect"
	"github.com/qats-bench/qats/experiments/spec"
	"github.com/qats-bench/qats/internal/called"
	"github.com/qats-bench/qats/internal/terminal"
	"github.com/qats-bench/qats/results/table"
)

// errorForm is how errors and warnings are printed on standard error.
type errorForm string

// The forms.
const (
	errorText errorForm = "text" // NAME: MESSAGE, with the name that the program was called by
	errorJSON errorForm = "json" // one object a line: {"error": {...}}, {"warning": {...}}
)

// errorsVariable is the variable of the environment that has the value of --errors.
const errorsVariable = "QATS_ERRORS"

// errorFormOf returns the value of --errors in the arguments of a command or, without it, of the
// environment. It reads the arguments itself, since one that cannot be read is an error too.
func errorFormOf(args []string, getenv func(string) string) errorForm {
	value := getenv(errorsVariable)
	for i, arg := range args {
		if arg == "--" {
			break
		}
		if given, ok := strings.CutPrefix(arg, "--errors="); ok {
			value = given
		} else if arg == "--errors" && i+1 < len(args) {
			value = args[i+1]
		}
	}
	if strings.EqualFold(value, string(errorJSON)) {
		return errorJSON
	}
	return errorText
}

// messages is standard error, to which warnings and errors are written in a form.
type messages struct {
	*terminal.Writer
	form errorForm

	began time.Time // the command

	mu   sync.Mutex
	last time.Time // a line of progress was printed
}

func newMessages(stderr io.Writer, args []string) *messages {
	return &messages{Writer: terminal.NewWriter(stderr), form: errorFormOf(args, os.Getenv), began: time.Now()}
}

// asJSON returns standard error if it has the form of JSON.
func asJSON(w io.Writer) (m *messages, ok bool) {
	m, ok = w.(*messages)
	return m, ok && m.form == errorJSON
}

// progressEach is the least time between two lines of progress in JSON, but for the last one.
const progressEach = 100 * time.Millisecond

// progress prints how much is done, as JSON. finished and left are the parts of the work from which the time that
// is left is estimated.
func (m *messages) progress(done, total int, what string, finished, left int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	now := time.Now()
	if now.Sub(m.last) < progressEach && done < total {
		return
	}
	m.last = now
	type progress struct {
		Done  int    `json:"done"`
		Total int    `json:"total"`
		What  string `json:"what"` // was done last

		Left *float64 `json:"seconds_left,omitempty"` // estimated
	}
	p := progress{Done: done, Total: total, What: what}
	if rest, ok := timeLeft(finished, left, now.Sub(m.began)); ok {
		seconds := math.Round(10*rest.Seconds()) / 10
		p.Left = &seconds
	}
	m.json(struct {
		Progress progress `json:"progress"`
	}{p})
}

// warning is something that a command says beside its result. As JSON it has a kind, a text,
// and the value that the text is made of.
type warning interface {
	line() string // the text with its place
}

// warn prints a warning as one line.
func warn(w io.Writer, x warning) {
	if m, ok := asJSON(w); ok {
		m.json(struct {
			Warning warning `json:"warning"`
		}{x})
		return
	}
	terminal.Fprintf(w, "%s: %s\n", called.Name(), x.line())
}

// json writes a value as one line.
func (m *messages) json(v any) {
	if err := table.WriteJSON(m, []any{v}); err != nil {
		terminal.Fprintf(m, "%s: %s\n", called.Name(), err)
	}
}

// textWarning is a warning that has a text alone.
type textWarning struct {
	Kind string `json:"kind"` // remark
	Text string `json:"text"`
}

// teller returns what takes warnings: it prints them or, if they are part of a result, keeps
// them in the list.
func teller(cmd *cobra.Command, keep bool, list *[]warning) func(warning) {
	return func(x warning) {
		if keep {
			*list = append(*list, x)
			return
		}
		warn(cmd.ErrOrStderr(), x)
	}
}

func newTextWarning(text string) textWarning { return textWarning{"remark", text} }

func (w textWarning) line() string { return w.Text }

// newTaken is the warning that a manifest above arrays says how they are read.
func newTaken(t folder.FromManifest) fileWarning {
	return fileWarning{Kind: "file", Text: t.String(), Place: t.File}
}

// fileWarning is a warning of how an array is read.
type fileWarning struct {
	Kind  string `json:"kind"` // file or weights
	Text  string `json:"text"`
	Place string `json:"place"`

	serious bool // a line says "warning"; in JSON all of these are warnings

	problem.Remedy
}

func (w fileWarning) line() string {
	if w.serious {
		return w.Place + ": warning: " + w.Text
	}
	return w.Place + ": " + w.Text
}

// fitWarning is a warning of a fit.
type fitWarning struct {
	Kind   report.Kind `json:"kind"` // remark for report.Other
	Text   string      `json:"text"`
	Method string      `json:"method"`
	report.Warning
}

func newFitWarning(method string, w report.Warning) fitWarning {
	f := fitWarning{w.Kind, w.String(), method, w}
	if w.Kind == report.Other {
		f.Kind = "remark"
	}
	return f
}

func (w fitWarning) line() string { return w.Method + ": " + w.Text }

// rowsWarning is a problem that an inspection of rows has found.
type rowsWarning struct {
	Kind string `json:"kind"` // rows
	Text string `json:"text"`
	inspect.Problem
}

func newRowsWarning(f inspect.Problem) rowsWarning {
	text := f.Cause
	if f.Fix != "" {
		text += "; " + f.Fix
	}
	return rowsWarning{"rows", text, f}
}

func (w rowsWarning) line() string { return w.Place + ": " + string(w.Severity) + ": " + w.Text }

// errorCode tells errors that programs treat apart.
type errorCode string

// The codes.
const (
	codeUsage       errorCode = "usage"       // a mistake in the command
	codeMethod      errorCode = "method"      // no method of this name
	codeMetric      errorCode = "metric"      // no metric of this name
	codeGroup       errorCode = "group"       // no group of this name
	codeName        errorCode = "name"        // no method, metric, kind of figure or topic of this name
	codeInput       errorCode = "input"       // an array, a model or a spec cannot be read, or has a wrong value
	codeMachine     errorCode = "machine"     // the system refuses something, such as to write a file
	codeInterrupted errorCode = "interrupted" // by a signal
	codeFailed      errorCode = "failed"      // some cells of a run failed; the output says which
	codeOther       errorCode = "error"       // any other
)

// usageError is a mistake in a command.
type usageError struct {
	error
	hint string // in brackets after the error; may be empty
}

func usage(format string, args ...any) error { return usageError{error: fmt.Errorf(format, args...)} }

func (u usageError) Unwrap() error { return u.error }

func (u usageError) Error() string {
	if u.hint == "" {
		return u.error.Error()
	}
	return u.error.Error() + " (" + u.hint + ")"
}

// errorObject is an error as JSON.
type errorObject struct {
	Code  errorCode `json:"code"`
	What  string    `json:"what"`  // without Where and Hint, where these are known apart
	Where string    `json:"where"` // file:line:column, or array: row, class; may be empty
	Hint  string    `json:"hint"`  // what to do; may be empty

	problem.Remedy // what can be stated, such as kind for --kind; its words are a part of Hint

	Also []errorObject `json:"also,omitempty"` // further errors
}

// newErrorObject returns the first error that err joins, with the others in Also.
func newErrorObject(err error) errorObject {
	var failed failedFor
	if errors.As(err, &failed) {
		err = errors.Join(failed.why...)
	}
	all := errorsIn(err)
	first := objectOf(all[0])
	for _, e := range all[1:] {
		first.Also = append(first.Also, objectOf(e))
	}
	return first
}

// objectOf returns one error as an object.
func objectOf(err error) errorObject {
	var (
		place   *problem.Problem
		unknown *spec.UnknownName
		mistake usageError
		errno   syscall.Errno
	)
	o := errorObject{Code: codeOther, What: err.Error()}
	switch {
	case errors.Is(err, context.Canceled):
		o.Code = codeInterrupted
	case errors.Is(err, errFailed):
		o.Code = codeFailed
	case errors.As(err, &place):
		o.Code = codeInput
		if err == error(place) { // else the text around it says more
			o.What, o.Where, o.Hint, o.Remedy = place.Cause, place.Place, place.Fix, place.Remedy
		}
	case errors.As(err, &unknown):
		o.Code = errorCode(unknown.What)
		if err == error(unknown) {
			o.What, o.Hint = fmt.Sprintf("unknown %s %q", unknown.What, unknown.Name), unknown.Hint()
		}
	case errors.As(err, &mistake):
		o.Code = codeUsage
		if e, ok := err.(usageError); ok {
			o.What, o.Hint = e.error.Error(), e.hint
		}
	case errors.As(err, &errno), errors.Is(err, os.ErrPermission):
		o.Code = codeMachine
	}
	return o
}

// errorsIn returns the errors that err joins, or err.
func errorsIn(err error) []error {
	several, ok := err.(interface{ Unwrap() []error })
	if !ok {
		return []error{err}
	}
	var list []error
	var texts []string
	for _, e := range several.Unwrap() {
		list = append(list, errorsIn(e)...)
		texts = append(texts, e.Error())
	}
	if strings.Join(texts, "\n") != err.Error() { // it wraps several errors in a text of its own
		return []error{err}
	}
	return list
}

// fail prints an error.
func (m *messages) fail(err error) {
	if m.form == errorJSON {
		m.json(struct {
			Error errorObject `json:"error"`
		}{newErrorObject(err)})
		return
	}
	for _, e := range errorsIn(err) {
		terminal.Fprintf(m, "%s: %s\n", called.Name(), e)
	}
}
