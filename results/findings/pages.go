package main

import (
	"embed"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"text/template"

	"github.com/qats-bench/qats/internal/atomicfile"
)

//go:embed pages
var templates embed.FS

// pages are the documents with generated parts, by the file of their templates.
var pages = []struct{ template, page string }{
	{"readme.md", "README.md"},
	{"findings.md", "docs/findings.md"},
	{"speed.md", "docs/speed.md"},
	{"paper.md", "docs/paper.md"},
	{"public-data.md", "docs/public-data.md"},
	{"peers.md", "docs/peers.md"},
	{"language.md", "docs/language.md"},
	{"segmentation.md", "docs/segmentation.md"},
	{"advice.md", "docs/advice.md"},
}

// writePages writes the parts of all pages.
func writePages(top string) error {
	for _, p := range pages {
		path := filepath.Join(top, filepath.FromSlash(p.page))
		before, after, err := filled(top, p.template, p.page)
		if err != nil {
			return err
		}
		if before == after {
			continue
		}
		if err := atomicfile.WriteBytes(path, []byte(after)); err != nil {
			return err
		}
	}
	return nil
}

// filled returns a page as it is and as it should be.
func filled(top, name, page string) (before, after string, err error) {
	text, err := os.ReadFile(filepath.Join(top, filepath.FromSlash(page)))
	if err != nil {
		return "", "", err
	}
	facts, err := readFacts(factsPath(top))
	if err != nil {
		return "", "", err
	}
	t, err := parse(name, &words{facts: facts, top: top})
	if err != nil {
		return "", "", err
	}
	after = string(text)
	for _, part := range parts(t, name) {
		var b strings.Builder
		if err := t.ExecuteTemplate(&b, part, nil); err != nil {
			return "", "", err
		}
		if after, err = replaced(after, part, wrapped(b.String())); err != nil {
			return "", "", fmt.Errorf("%s: %w", page, err)
		}
	}
	return string(text), after, nil
}

func parse(name string, w *words) (*template.Template, error) {
	return template.New(name).Funcs(w.functions()).Option("missingkey=error").ParseFS(templates, "pages/"+name)
}

// parts returns the names of the parts that a file of templates defines.
func parts(t *template.Template, name string) (list []string) {
	for _, d := range t.Templates() {
		if d.Name() != name {
			list = append(list, d.Name())
		}
	}
	slices.Sort(list)
	return list
}

// markers returns the lines around a part of a page.
func markers(part string) (begin, end string) {
	return "<!-- " + part + " -->\n", "<!-- end of " + part + " -->\n"
}

// replaced puts text between the markers of a part.
func replaced(page, part, text string) (string, error) {
	begin, end := markers(part)
	before, rest, ok1 := strings.Cut(page, begin)
	_, after, ok2 := strings.Cut(rest, end)
	if !ok1 || !ok2 {
		return "", fmt.Errorf("no markers %q and %q", strings.TrimSpace(begin), strings.TrimSpace(end))
	}
	return before + begin + "\n" + text + "\n" + end + after, nil
}

// width is that of lines of text in the documents.
const width = 118

// wrapped breaks the paragraphs and list items of a part into lines. Lines of tables, code and
// pictures stay.
func wrapped(text string) string {
	var out []string
	for _, block := range strings.Split(strings.Trim(text, "\n"), "\n\n") {
		if strings.HasPrefix(block, "    ") || strings.HasPrefix(block, "![") {
			out = append(out, strings.TrimRight(block, " \n"))
			continue
		}
		var lines []string
		list := starts(block)
		for line := range strings.Lines(block) {
			line = strings.TrimRight(line, " \n")
			if strings.HasPrefix(line, "|") || list && starts(line) || len(lines) == 0 || strings.HasPrefix(lines[len(lines)-1], "|") {
				lines = append(lines, line)
			} else {
				lines[len(lines)-1] += " " + strings.TrimSpace(line)
			}
		}
		for i, line := range lines {
			if !strings.HasPrefix(line, "|") {
				lines[i] = broken(line, list)
			}
		}
		out = append(out, strings.Join(lines, "\n"))
	}
	return strings.Join(out, "\n\n") + "\n"
}

// starts reports whether a line begins an item of a list.
func starts(line string) bool {
	if strings.HasPrefix(line, "* ") {
		return true
	}
	number, _, ok := strings.Cut(line, ". ")
	return ok && len(number) == 1 && number[0] >= '0' && number[0] <= '9'
}

// broken breaks a line; those after the first of an item are indented.
func broken(line string, list bool) string {
	indent := ""
	switch {
	case !list:
	case strings.HasPrefix(line, "* "):
		indent = "  "
	case starts(line):
		indent = "   "
	}
	var b strings.Builder
	at := 0
	for i, word := range strings.Fields(line) {
		switch {
		case i == 0:
		case at+1+len(word) > width:
			b.WriteString("\n" + indent)
			at = len(indent)
		default:
			b.WriteByte(' ')
			at++
		}
		b.WriteString(word)
		at += len(word)
	}
	return b.String()
}
