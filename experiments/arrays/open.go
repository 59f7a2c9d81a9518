package arrays

import (
	"cmp"

	"github.com/qats-bench/qats/data"
	"github.com/qats-bench/qats/experiments/engine"
)

// Note is something unusual about a file.
type Note struct {
	Place, Text string
	Remedy      data.Remedy // what can be stated; its words are a part of Text
}

// Open opens files and calls warn with each note on how they are read. Logits whose offset is
// lost are an error for a method that needs it.
func Open(files data.Files, method string, trueLogits bool, warn func(Note)) (data.Reader, error) {
	r, err := files.Open()
	if err != nil {
		return nil, err
	}
	form, err := r.Form()
	if err == nil && trueLogits && form.OffsetLost {
		err = &data.Problem{Place: files.Logits, Cause: method + " " + engine.OffsetLost}
	}
	for _, note := range form.Notes {
		warn(noteOf(cmp.Or(files.Logits, files.Labels), note))
	}
	if err != nil {
		r.Close()
		return nil, err
	}
	return r, nil
}

// noteOf returns a remark on a file as a note.
func noteOf(file string, r data.Remark) Note { return Note{file, noteText(r), r.Remedy} }

// noteText is the line of a note.
func noteText(note data.Remark) string {
	text := note.String()
	if note.Warning {
		text = "warning: " + text
	}
	if note.Fix != "" {
		text += "; " + note.Fix
	}
	return text
}
