package main

import (
	"io"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/qats-bench/qats/experiments/look"
)

// answer checks the standard output of the last try: what to use, the command that saves the
// model, the head of the table and the chosen method are in the first lines, what the
// data are follows, and no line is wider than lineWidth. "answer whole" checks that the whole
// table is in these lines too, "answer kept" that the network is to be kept, and "answer none" an
// output that recommends nothing.
func answer(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) > 1 {
		ts.Fatalf("usage: answer [whole | kept | none]")
	}
	whole, none, kept := slices.Contains(args, "whole"), slices.Contains(args, "none"), slices.Contains(args, "kept")
	text := ts.ReadFile("stdout")
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	for _, line := range lines {
		if n := utf8.RuneCountInString(line); n > lineWidth || strings.HasSuffix(line, " ") {
			ts.Fatalf("%d characters: %q", n, line)
		}
	}
	first := strings.Join(lines[:min(answerLines, len(lines))], "\n")
	wants := []string{`\A(Use|The calibration rows choose) [^.]+`, `(?m)^(  qats fit \S+ |For your own arrays:  qats try )`,
		`(?m)^ +method .*NLL +.*ECE +band +accuracy +fit$`, `(?m)^->  \S+ `}
	if kept {
		wants = []string{`\AKeep the network as it is: `, wants[2], `(?m)^->  uncal `}
	}
	if none {
		wants = []string{`(?m)^No method can be recommended`}
	}
	for _, want := range wants {
		if !regexp.MustCompile(want).MatchString(first) {
			ts.Fatalf("no %s in the first lines:\n%s", want, first)
		}
	}
	if want := `(?m)^.*(measured|SIMULATED): \d+ classes, .*\d+ .*rows.*, accuracy [\d.]+ %$`; !regexp.MustCompile(want).MatchString(text) {
		ts.Fatalf("no %s in:\n%s", want, text)
	}
	if whole && (len(lines) <= answerLines || lines[answerLines] != "") {
		ts.Fatalf("the table does not end at line %d:\n%s", answerLines, text)
	}
	if (none || kept) && regexp.MustCompile(`(?m)^(->  [^u]|  qats fit)`).MatchString(text) {
		ts.Fatalf("something is recommended:\n%s", first)
	}
}

// TestTryIsShort: of a network with all notes the answer, the table and the notes have 25 lines, and the diagrams follow after an empty line.
func TestTryIsShort(t *testing.T) {
	for _, network := range look.Networks() {
		var out strings.Builder
		if status := run(t.Context(), []string{"try", network}, &out, io.Discard); status != exitOK {
			t.Fatalf("status %d", status)
		}
		before, diagrams, ok := strings.Cut(out.String(), "\n\n      ")
		if n := strings.Count(before, "\n") + 1; !ok || n > 26 {
			t.Errorf("%s: %d lines before the diagrams:\n%s", network, n, before)
		}
		if !strings.HasPrefix(diagrams, "Uncal, ECE ") || !strings.HasSuffix(diagrams, "inside it underconfident.\n") {
			t.Errorf("%s: after the diagrams stands more:\n%s", network, diagrams)
		}
	}
}
