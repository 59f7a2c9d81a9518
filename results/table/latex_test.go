package table

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/qats-bench/qats/results/table/latextest"
)

func typesetOf(t *testing.T, table *Table) string {
	t.Helper()
	var b strings.Builder
	if err := table.Typeset(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// rows returns what LaTeX has between the headings and the notes.
func rowsOf(latex string) string {
	_, rows, _ := strings.Cut(latex, "\\def\\qatsrows{%\n")
	rows, _, _ = strings.Cut(rows, "}\n\\def\\qatsnotes")
	return rows
}

func TestLaTeXRows(t *testing.T) {
	const want = `\qatsgroup{3}{a} & QaTS & \phantom{0}\textbf{1.23}${}_{\textcolor{Better}{\mathbf{-3.33}}}$ & $-$0.10 & 1--2, 4 \\*
 & TS & \phantom{0}\underline{4.56}\rlap{$^{\mathrm{\ddagger}}$}\hphantom{${}_{\textcolor{Better}{\mathbf{-3.33}}}$} & +0.20 & 1 \\*
 &  & {\scriptsize\textcolor{Worse}{[4.10, 5.00]}} &  &  \\[1.5pt]
\midrule
b & TS & 10.00\rlap{$^{\mathrm{1,2}}$}\hphantom{${}_{\textcolor{Better}{\mathbf{-3.33}}}$} & NaN & 1, 3 \\
\midrule
Average &  & \phantom{0}5.00\hphantom{${}_{\textcolor{Better}{\mathbf{-3.33}}}$} & -- &  \\
`
	if got := rowsOf(typesetOf(t, example())); got != want {
		t.Errorf("got\n%s", got)
	}
}

// sized returns a table of so many rows in groups of nine, columns and notes.
func sized(rows, columns, notes int) *Table {
	t := &Table{Name: fmt.Sprintf("t-%d-%d-%d", rows, columns, notes), Caption: "A table", Origin: "Of nothing.", Labels: 2, Grouped: true,
		Columns: []Column{{Head: "Set"}, {Head: "Network"}}}
	for j := range columns {
		t.Columns = append(t.Columns, Column{Head: fmt.Sprint("Method ", j), Align: Numbers, Digits: 2})
	}
	for i := range rows {
		row := Row{Cells: []Cell{Words(fmt.Sprint("set ", i/9)), Words(fmt.Sprint("network ", i))}}
		for _, c := range t.Columns[2:] {
			row.Cells = append(row.Cells, c.Number(float64(i)))
		}
		t.Rows = append(t.Rows, row)
	}
	for range notes {
		t.Notes = append(t.Notes, strings.Repeat("a note of many words ", 30))
	}
	return t
}

// TestTeXFitsTablesToThePage: a high table is divided, a wide one is turned, a wider one
// scaled down, and nothing leaves the page. The test needs pdflatex.
func TestTeXFitsTablesToThePage(t *testing.T) {
	latex := latextest.Want(t)
	for _, c := range []struct {
		options               string
		table                 *Table
		pages, turned, scaled int
	}{
		{"", sized(20, 5, 0), 1, 0, 0},
		{"", sized(60, 5, 0), 1, 0, 0},  // in small text
		{"", sized(120, 5, 0), 3, 0, 0}, // a longtable
		{"", sized(120, 5, 20), 4, 0, 0},
		{"", sized(40, 5, 20), 2, 0, 0}, // its notes follow on the next page
		{"", sized(10, 15, 0), 1, 1, 0},
		{"", sized(80, 15, 0), 2, 2, 0},
		{"", sized(10, 25, 0), 1, 1, 1},
		{"twocolumn", sized(20, 3, 0), 1, 0, 0},
		{"twocolumn", sized(20, 9, 0), 1, 0, 1},
	} {
		dir := t.TempDir()
		text := "\\pdfobjcompresslevel=0\n\\documentclass[10pt,a4paper," + c.options + "]{article}\n\\usepackage[margin=2cm]{geometry}\n" +
			"\\usepackage{amssymb,booktabs,graphicx,longtable,multirow,pdflscape,xcolor}\n" + Preamble + "\\begin{document}\n" + typesetOf(t, c.table) + "\\end{document}\n"
		if err := os.WriteFile(filepath.Join(dir, "t.tex"), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command(latex, "-interaction=nonstopmode", "-halt-on-error", "t.tex")
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "max_print_line=1000")
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%s: %v\n%s", c.table.Name, err, out)
		}
		pdf, err := os.ReadFile(filepath.Join(dir, "t.pdf"))
		if err != nil {
			t.Fatal(err)
		}
		log := string(out)
		pages := len(regexp.MustCompile(`/Type /Page\b`).FindAll(pdf, -1))
		turned := strings.Count(string(pdf), "/Rotate 90")
		scaled := strings.Count(log, "is wider than the page and scaled down")
		if pages != c.pages || turned != c.turned || scaled != c.scaled {
			t.Errorf("%s %s: %d pages, %d turned, %d scaled; want %d, %d, %d", c.table.Name, c.options, pages, turned, scaled, c.pages, c.turned, c.scaled)
		}
		for _, m := range regexp.MustCompile(`Overfull \\[hv]box \(([0-9.]+)pt too (wide|high)\)[^\n]*`).FindAllStringSubmatch(log, -1) {
			if by, _ := strconv.ParseFloat(m[1], 64); by > 0.5 {
				t.Errorf("%s: %s", c.table.Name, m[0])
			}
		}
		if strings.Contains(log, "Float too large") {
			t.Errorf("%s: a float is too large", c.table.Name)
		}
	}
}

// TestAPlainTableStandsAlone: it has no macro of the full form, its caption is sentences, and
// it takes both columns where it is too wide for one.
func TestAPlainTableStandsAlone(t *testing.T) {
	got := plainOf(t, example())
	for _, want := range []string{"\\begin{table}[t]", "\\caption{Errors. All numbers are invented.}", "\na & QaTS &"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
	if strings.Contains(got, "\\qats") {
		t.Errorf("a macro of the full form in\n%s", got)
	}
	if got := plainOf(t, sized(3, 8, 0)); !strings.Contains(got, "\\begin{table*}[t]") || !strings.Contains(got, "\\end{table*}") {
		t.Errorf("not across both columns:\n%s", got)
	}
}

func plainOf(t *testing.T, table *Table) string {
	t.Helper()
	var b strings.Builder
	if err := table.LaTeX(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}
