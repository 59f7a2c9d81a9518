package pivot

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/qats-bench/qats/internal/atomicfile"
	"github.com/qats-bench/qats/results"
	"github.com/qats-bench/qats/results/crosstab"
	"github.com/qats-bench/qats/results/paper"
	"github.com/qats-bench/qats/results/table/latextest"
)

// onePage is a PDF without content, 200 x 100 pt large.
const onePage = `%PDF-1.4
1 0 obj
<< /Type /Catalog /Pages 2 0 R >>
endobj
2 0 obj
<< /Type /Pages /Kids [3 0 R] /Count 1 >>
endobj
3 0 obj
<< /Type /Page /Parent 2 0 R /MediaBox [0 0 200 100] >>
endobj
xref
0 4
0000000000 65535 f 
0000000009 00000 n 
0000000058 00000 n 
0000000115 00000 n 
trailer
<< /Size 4 /Root 1 0 R >>
startxref
187
%%EOF
`

func notOfPaper(string) bool { return false }

// TestCountSettings counts each setting once, whatever number of methods has a
// value.
func TestCountSettings(t *testing.T) {
	list := standard() // 3 networks measured, 1 simulated, 1 with two methods of four
	list = append(list, skip("cifar100", "resnet18", "ts", "ece", "no logits"))
	if got, want := CountSettings(list, notOfPaper), (Settings{SettingCounts: results.SettingCounts{Measured: 4, Simulated: 1, None: 1}}); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

// TestDocumentOrder: the counts come first, then the tables of the paper under
// their numbers.
func TestDocumentOrder(t *testing.T) {
	pivot := func(number int) *Pivot {
		spec := standardSpec()
		spec.Number = number
		table, err := Of(standard(), spec)
		if err != nil {
			t.Fatal(err)
		}
		return table
	}
	d := Document{Title: "Tables & figures", Settings: Settings{SettingCounts: results.SettingCounts{Measured: 3, Simulated: 13, None: 1}}, Parts: []Part{
		{Title: "Standard", Settings: Settings{SettingCounts: results.SettingCounts{Measured: 1, Simulated: 13, None: 1}},
			Tables:  []*Pivot{pivot(9), pivot(1), pivot(0)},
			Figures: []Figure{{Path: "figures/f.pdf", Caption: "100% of it"}}},
		{Title: "Nothing", Settings: Settings{SettingCounts: results.SettingCounts{Measured: 2}}},
		{Title: "Tasks", Tables: []*Pivot{pivot(5)}},
	}}
	var b bytes.Buffer
	if err := d.LaTeX(&b); err != nil {
		t.Fatal(err)
	}
	golden(t, "document.tex", b.Bytes())

	for _, path := range []string{"a b.pdf", "a{b.pdf", "$HOME.pdf", ""} {
		if err := (&Document{Parts: []Part{{Figures: []Figure{{Path: path}}}}}).LaTeX(&b); err == nil {
			t.Errorf("path %q is accepted", path)
		}
	}
}

var overfull = regexp.MustCompile(`Overfull \\[hv]box \(([0-9.]+)pt too (wide|high)\)[^\n]*`)

// TestDocumentFitsThePage compiles the paper's tables, with every number marked as
// simulated, and a table of each layout. Nothing may be wider or higher than the
// page. The test needs pdflatex. QATS_TABLE_PDF=<file> keeps the result to look at.
func TestDocumentFitsThePage(t *testing.T) {
	latex := latextest.Want(t)
	dir := t.TempDir()
	own := Part{Title: "Paper"}
	for _, p := range paperTables() {
		own.Settings.Simulated += len(paper.NewPublication(published(t, p.id)).Rows)
		own.Tables = append(own.Tables, paperPivot(t, p, "simulated"))
	}
	forms := Part{Title: "Forms", Figures: []Figure{{Path: "page.pdf", Caption: "A figure with 100% of nothing"}}}
	list, spec := wide()
	nastyList, nastySpec := network("a\\b{c}$d", "#%&_~^<>|\"'`--?`", methods, .1, .2, .3, .4), standardSpec()
	for i, test := range append(layouts(), test{"fifteen", list, spec}, test{"nasty", nastyList, nastySpec}) {
		table, err := Of(test.records, test.spec)
		if err != nil {
			t.Fatal(err)
		}
		table.Spec.Name = fmt.Sprint("form-", i)
		forms.Tables = append(forms.Tables, table)
	}
	if err := os.WriteFile(filepath.Join(dir, "page.pdf"), []byte(onePage), 0o666); err != nil {
		t.Fatal(err)
	}
	d := Document{Title: "Every layout", Parts: []Part{own, forms}}
	if err := atomicfile.Write(filepath.Join(dir, "t.tex"), d.LaTeX); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(latex, "-interaction=nonstopmode", "-halt-on-error", "t.tex")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "max_print_line=1000")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	scaled := regexp.MustCompile(`Table (\S+) is wider`).FindAllStringSubmatch(string(out), -1)
	if len(scaled) != 1 || scaled[0][1] != "form-9" { // of 16 columns with gaps
		t.Errorf("scaled down: %q", scaled)
	}
	for _, m := range overfull.FindAllStringSubmatch(string(out), -1) {
		if by, _ := strconv.ParseFloat(m[1], 64); by > 0.5 {
			t.Error(m[0])
		}
	}
	for _, warning := range []string{"Float too large", "Missing character", "undefined"} {
		if strings.Contains(string(out), warning) {
			t.Errorf("%s:\n%s", warning, out)
		}
	}
	if keep := os.Getenv("QATS_TABLE_PDF"); keep != "" {
		pdf, err := os.ReadFile(filepath.Join(dir, "t.pdf"))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(keep, pdf, 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

// TestPlainTablesCompileWithBooktabsAlone: an article that copies the first line of each table can include it. The
// test needs pdflatex.
func TestPlainTablesCompileWithBooktabsAlone(t *testing.T) {
	latex := latextest.Want(t)
	dir := t.TempDir()
	var tables []*Pivot
	for _, p := range paperTables() {
		tables = append(tables, paperPivot(t, p, "simulated"))
	}
	list, spec := wide()
	for _, test := range append(layouts(), test{"fifteen", list, spec}) {
		table, err := Of(test.records, test.spec)
		if err != nil {
			t.Fatal(err)
		}
		tables = append(tables, table)
	}
	text := "\\documentclass{article}\n\\usepackage{booktabs}\n\\begin{document}\n"
	for i, table := range tables {
		name := fmt.Sprintf("t%d.tex", i)
		if err := atomicfile.Write(filepath.Join(dir, name), table.Table().LaTeX); err != nil {
			t.Fatal(err)
		}
		text += "\\input{" + name + "}\n\\clearpage\n"
	}
	if err := os.WriteFile(filepath.Join(dir, "article.tex"), []byte(text+"\\end{document}\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(latex, "-interaction=nonstopmode", "-halt-on-error", "article.tex")
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
}

// A document says what its parts have: simulated numbers, settings without a number,
// stand-ins and tables of the paper.
func TestDocumentSaysWhatItsPartsHave(t *testing.T) {
	for _, c := range []struct {
		settings Settings
		number   int
		want     []string
		not      []string
	}{
		{Settings{SettingCounts: results.SettingCounts{Measured: 2}}, 0, []string{"2 of 2 settings measured, 0 simulated.}"}, []string{"without a number", "virtual networks", "plain number", "stand in"}},
		{Settings{SettingCounts: results.SettingCounts{Measured: 1, Simulated: 1, None: 2}}, 3, []string{"1 simulated, 2 without a number.}", "virtual networks", "plain number"}, []string{"stand in"}},
		{Settings{SettingCounts: results.SettingCounts{Measured: 3}, StandIn: 1}, 0, []string{"1 setting is measured on other networks"}, nil},
		{Settings{SettingCounts: results.SettingCounts{Measured: 3}, StandIn: 2}, 0, []string{"2 settings are measured on other networks"}, nil},
	} {
		table := &Pivot{Spec: crosstab.Spec{Number: c.number, Rows: []string{"dataset"}}}
		var b bytes.Buffer
		if err := (&Document{Settings: c.settings, Parts: []Part{{Settings: c.settings, Tables: []*Pivot{table}}}}).LaTeX(&b); err != nil {
			t.Fatal(err)
		}
		for _, text := range c.want {
			if !strings.Contains(b.String(), text) {
				t.Errorf("%+v, table %d: no %q", c.settings, c.number, text)
			}
		}
		for _, text := range c.not {
			if strings.Contains(b.String(), text) {
				t.Errorf("%+v, table %d: %q", c.settings, c.number, text)
			}
		}
	}
}

// A part asks for the room of its first table with its notes or, without tables, of
// its first figure.
func TestRoomOfAPartIsThatOfItsFirstFloat(t *testing.T) {
	if got := (Part{Figures: []Figure{{Height: 200}, {Height: 50}}}).room(); got != 320 {
		t.Errorf("a figure of 200 pt: %v", got)
	}
	table := lined(4, 1, 1)
	bare := Part{Tables: []*Pivot{table}, Figures: []Figure{{Height: 200}}}
	if got := bare.room(); got != 120+4*12.5+20+3*8 {
		t.Errorf("a table of 4 lines: %v", got)
	}
	for range 5 { // each 140 characters with its number
		table.Notes = append(table.Notes, Note{Text: strings.Repeat("x", 140-4-len(" (1 row)")), Rows: 1, Times: 1})
	}
	if got := bare.room(); got != 120+4*12.5+20+8*8 {
		t.Errorf("with 5 lines of notes: %v", got)
	}
	if got := (Part{Tables: []*Pivot{lined(30, 1, 1)}}).room(); got != broken {
		t.Errorf("a table of 30 lines: %v", got)
	}
}
