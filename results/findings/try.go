package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/qats-bench/qats/internal/atomicfile"
)

// tryFile is the answer of qats try on a network of data/bundle: its first lines without the
// last column, the times of fits, which differ from run to run.
const tryFile = "try.txt"

// answerLines is the number of lines of an answer.
const answerLines = 13

// lastColumn is the heading of the times, or a time.
var lastColumn = regexp.MustCompile(` +(fit|<?[0-9.]+ m?s)$`)

// takeTry writes the answer in a file, the output of qats try, to results/shown. It reports whether
// there is such a file.
func takeTry(path, shown string) (bool, error) {
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	answer, err := answerOf(string(text))
	if err != nil {
		return false, fmt.Errorf("%s: %w", path, err)
	}
	return true, atomicfile.WriteBytes(filepath.Join(shown, tryFile), []byte(answer))
}

// answerOf returns the answer in an output of qats try.
func answerOf(output string) (string, error) {
	lines := strings.Split(output, "\n")
	if !strings.HasPrefix(output, "Use ") || len(lines) <= answerLines {
		return "", errors.New("not the output of qats try")
	}
	var b strings.Builder
	for _, line := range lines[:answerLines] {
		b.WriteString(lastColumn.ReplaceAllString(line, "") + "\n")
	}
	return b.String(), nil
}

// try has the first lines of the answer, as code, with three dots for the others.
func (w *words) try(n int) (string, error) {
	text, err := os.ReadFile(filepath.Join(w.top, "results", "shown", tryFile))
	if err != nil {
		return "", err
	}
	lines := strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
	if len(lines) != answerLines || n > len(lines) {
		return "", fmt.Errorf("%s has %d lines, want %d", tryFile, len(lines), answerLines)
	}
	var out []string
	for _, line := range append(lines[:n:n], "    ...") {
		if line == "" {
			continue // a part of a page has no empty line within code
		}
		out = append(out, "    "+line)
	}
	return strings.Join(out, "\n"), nil
}
