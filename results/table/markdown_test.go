package table

import (
	"strings"
	"testing"
)

func markdownOf(t *testing.T, table *Table) string {
	t.Helper()
	var b strings.Builder
	if err := table.Markdown(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestMarkdown(t *testing.T) {
	const want = `Errors

All numbers are invented.

| Set | Method | ECE (test) | shift | alike |
|---|---|---:|---:|---|
| a | QaTS | **1.23** (-3.33) | -0.10 | 1–2, 4 |
|  | TS | *4.56*‡<br>[4.10, 5.00] | +0.20 | 1 |
| b | TS | 10.00<sup>1,2</sup> | NaN | 1, 3 |
| Average |  | 5.00 | - |  |

ECE in per cent. Best **bold**, second *italic*; equal ones share it. ‡: classes change.

<sup>1</sup> first

<sup>2</sup> second
`
	if got := markdownOf(t, example()); got != want {
		t.Errorf("got\n%s", got)
	}
}

// Texts of files are plain in a page: they end no cell, and open no link, no tag and no emphasis.
func TestMarkdownIsEscaped(t *testing.T) {
	for text, want := range map[string]string{
		"a|b": `a\|b`, "a\nb": "a b", "*a*": `\*a\*`, "a_b": "a_b", "_a_": `\_a\_`, "by _a_": `by \_a\_`, "<b>": `\<b>`,
		"[a](http://b)": `[a]\(http://b)`, "`a`": "\\`a\\`", `a\`: `a\\`, "[4.10, 5.00]": "[4.10, 5.00]", "&lt;": `\&lt;`, " a ": "a",
	} {
		table := Table{Columns: []Column{{Head: "a"}}, Rows: []Row{{Cells: []Cell{Words(text)}}}}
		if got := markdownOf(t, &table); got != "| a |\n|---|\n| "+want+" |\n" {
			t.Errorf("%q: %q", text, got)
		}
	}
	table := Table{Caption: "# not a heading"}
	if got := markdownOf(t, &table); got != "\\# not a heading\n" {
		t.Errorf("%q", got)
	}
}

// A wide row has its text in the first column, and a line above the headings joins them.
func TestMarkdownHasOneLineOfHeadings(t *testing.T) {
	table := Table{Columns: []Column{{Head: "method"}, {Head: "ECE\nin %", Align: Numbers, Notes: []int{0}}, {Key: "n", Data: true}},
		Over: []Cell{{}, Words("clean"), {}},
		Rows: []Row{{Wide: true, Cells: []Cell{Words("a set"), {}, {}}}, {Cells: []Cell{Words("TS"), Words("1.0"), Int(3)}}},
	}
	if got, want := markdownOf(t, &table), "| method | clean ECE in %<sup>1</sup> |\n|---|---:|\n| a set |  |\n| TS | 1.0 |\n"; got != want {
		t.Errorf("got\n%s", got)
	}
}
