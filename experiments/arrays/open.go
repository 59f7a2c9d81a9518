package arrays

import (
	"cmp"

	"github.com/qats-bench/qats/calib"
	"github.com/qats-bench/qats/data"
	"github.com/qats-bench/qats/data/problem"
	"github.com/qats-bench/qats/experiments/engine"
)

// Problem is something unusual about a file.
type Problem struct {
	Kind        string // in JSON; empty for one on a file
	Place, Text string
	Warning     bool           // it may spoil the numbers; else it is a note
	Remedy      problem.Remedy // what can be stated; its words are a part of Text
}

// Open opens files and calls warn with each note on how they are read. It is an error if the
// logits are read in a form that the method of the contract does not take.
func Open(files data.Files, method string, c calib.Contract, warn func(Problem)) (data.Reader, error) {
	r, err := files.Open()
	if err != nil {
		return nil, err
	}
	form, err := r.Form()
	if err == nil {
		err = unsuited(files.Logits, method, engine.Form{OffsetLost: form.OffsetLost, Confidence: form.Confidence}.Suits(c))
	}
	for _, note := range form.Notes {
		warn(problemOf(cmp.Or(files.Logits, files.Labels), note))
	}
	if err != nil {
		r.Close()
		return nil, err
	}
	return r, nil
}

// Suits returns an error that names the file of the logits if the method does not take the set.
func Suits(file, method string, c calib.Contract, set *data.Set) error {
	return unsuited(file, method, engine.FormOf(c, set, data.Form{}).Suits(c))
}

// unsuited returns why a method does not take the logits of a file; nil for nil.
func unsuited(file, method string, why error) error {
	if why == nil {
		return nil
	}
	return &problem.Problem{Place: file, Cause: method + " " + why.Error()}
}

// problemOf returns a note on a file with its place.
func problemOf(file string, n data.Note) Problem {
	return Problem{n.Kind, file, textOf(n), n.Warning, n.Remedy}
}

// textOf is the line of a note.
func textOf(n data.Note) string {
	text := n.String()
	if n.Fix != "" {
		text += "; " + n.Fix
	}
	return text
}
