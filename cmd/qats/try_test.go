package main

import (
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/rogpeppe/go-internal/testscript"
)

// answer checks the standard output of the last try: what the data are, what to use, and the
// command that saves the model are in the first twelve lines, with the head of the table and
// the chosen method, and no line is wider than lineWidth. "answer none" checks an output that
// recommends nothing.
func answer(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) > 1 {
		ts.Fatalf("usage: answer [none]")
	}
	text := ts.ReadFile("stdout")
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	for _, line := range lines {
		if n := utf8.RuneCountInString(line); n > lineWidth || strings.HasSuffix(line, " ") {
			ts.Fatalf("%d characters: %q", n, line)
		}
	}
	first := strings.Join(lines[:min(answerLines, len(lines))], "\n")
	wants := []string{`(?m)^.*(measured|SIMULATED): \d+ classes, .*\d+ .*rows.*, accuracy [\d.]+ %$`, `(?m)^(Use|Leave) [^.]+`,
		`(?m)^(  qats fit \S+ |For your own arrays:  qats try )`, `(?m)^ +method .*NLL +.*ECE +band +accuracy +fit$`, `(?m)^->  \S+ `}
	if len(args) > 0 {
		wants = []string{`(?m)^No method can be recommended`}
	}
	for _, want := range wants {
		if !regexp.MustCompile(want).MatchString(first) {
			ts.Fatalf("no %s in the first lines:\n%s", want, first)
		}
	}
	if len(args) > 0 && regexp.MustCompile(`(?m)^(->|  qats fit)`).MatchString(text) {
		ts.Fatalf("something is recommended:\n%s", first)
	}
}
