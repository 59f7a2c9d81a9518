// Command tables puts tables into the documents, in the place of those between the markers:
//
//	<!-- table: full-width/networks.csv %2
//	dataset, backbone, full-width/accuracy.csv:uncal %1 = accuracy, ts, qats
//	-->
//	...
//	<!-- end -->
//
// The file is one of results/shown: a CSV file with a header, or the JSON lines of qats compare; or it is
// sources.yaml of the Python package (published.go). The rows of several files follow each other. In brackets after a name stand the values that rows must
// have, as in [method=ts|qats, metric=ece]; [turned] makes a row of each number of a file with one
// row, and [summed] makes one row of all.
//
// After the files stands how the numbers of columns with a decimal point are printed: %2 in per cent with two
// decimals, .3 with three decimals, +%2 and +.3 with a sign, p as a p-value. Columns are separated by
// commas or lines, and may have a format and a heading of their own. FILE:COLUMN is a column of
// another file. Its row has the same texts in those columns before it that the other file has too.
// Without a list all columns are shown.
//
//	<!-- text: try.txt -->
//	...
//	<!-- end -->
//
// is a text as it is; with a number after the name its first lines.
//
//	<!-- words: answer/ts.json[kind=statement] -->
//	...
//	<!-- end -->
//
// are the sentences that a command concludes: the column text of the rows, a paragraph each. `make docs` runs the
// commands. The test of this package fails where a document and a file differ.
package main

import (
	"flag"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/qats-bench/qats/internal/atomicfile"
	"github.com/qats-bench/qats/internal/english"
)

func main() {
	log.SetFlags(0)
	log.SetPrefix("tables: ")
	top := flag.String("C", ".", "root of the project")
	flag.Parse()
	pages, err := documents(*top)
	if err != nil {
		log.Fatal(err)
	}
	for _, page := range pages {
		before, after, err := filled(*top, page)
		if err != nil {
			log.Fatal(err)
		}
		if before == after {
			continue
		}
		if err := atomicfile.WriteBytes(page, []byte(after)); err != nil {
			log.Fatal(err)
		}
	}
}

// documents returns the paths of README.md and of the pages of docs.
func documents(top string) ([]string, error) {
	pages, err := filepath.Glob(filepath.Join(top, "docs", "*.md"))
	return append(pages, filepath.Join(top, "README.md")), err
}

// marked is a part of a document: its first marker, what stands there, and the last one.
var marked = regexp.MustCompile(`(?s)<!-- (table|text|words): (.*?)-->\n(.*?)<!-- end -->\n`)

// filled returns a document as it is, and as it should be by the files of results/shown.
func filled(top, page string) (before, after string, err error) {
	text, err := os.ReadFile(page)
	if err != nil {
		return "", "", err
	}
	shown := filepath.Join(top, "results", "shown")
	after = marked.ReplaceAllStringFunc(string(text), func(part string) string {
		m := marked.FindStringSubmatch(part)
		body, e := map[string]func(shown, marker string) (string, error){"table": tableOf, "text": textOf, "words": wordsOf}[m[1]](shown, strings.TrimSpace(m[2]))
		if e != nil && err == nil {
			err = fmt.Errorf("%s: %s: %w", page, strings.TrimSpace(strings.SplitN(m[2], "\n", 2)[0]), e)
		}
		return part[:strings.Index(part, "-->\n")] + "-->\n\n" + body + "\n<!-- end -->\n"
	})
	if open := strings.Count(after, "<!-- table:") + strings.Count(after, "<!-- text:") + strings.Count(after, "<!-- words:"); err == nil && open != len(marked.FindAllString(after, -1)) {
		err = fmt.Errorf("%s: a marker has no <!-- end -->", page)
	}
	return string(text), after, err
}

// textOf returns a file, or its first lines, as code.
func textOf(shown, name string) (string, error) {
	name, count, some := strings.Cut(name, " ")
	text, err := os.ReadFile(filepath.Join(shown, filepath.FromSlash(name)))
	if err != nil {
		return "", err
	}
	lines := strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
	if some {
		n, err := strconv.Atoi(count)
		if err != nil || n < 1 || n > len(lines) {
			return "", fmt.Errorf("%q is no number of lines; it has %d", count, len(lines))
		}
		lines = append(lines[:n:n], "...")
	}
	var b strings.Builder
	for _, line := range lines {
		if line != "" { // an empty line would end the code
			b.WriteString("    " + line + "\n")
		}
	}
	return b.String(), nil
}

// lineWidth is that of a paragraph in the documents.
const lineWidth = 140

// wordsOf returns the texts of rows as paragraphs.
func wordsOf(shown, file string) (string, error) {
	rows, columns, err := read(shown, file)
	if err != nil {
		return "", err
	}
	if !slices.Contains(columns, "text") {
		return "", fmt.Errorf("%s has no column text", file)
	}
	var b strings.Builder
	for i, r := range rows {
		if i > 0 {
			b.WriteByte('\n')
		}
		english.Wrap(&b, "", r["text"], lineWidth)
	}
	return b.String(), nil
}
