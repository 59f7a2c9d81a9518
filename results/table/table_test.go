package table

import (
	"math"
	"strings"
	"testing"
	"unicode/utf8"
)

// example has all that a table may have.
func example() *Table {
	ece := Column{Key: "ece", Head: "ECE\n(test)", Align: Numbers, Factor: 100, Digits: 2}
	shift := Column{Key: "shift", Head: "shift", Align: Right, Factor: 100, Digits: 2, Signed: true}
	best, second, other := ece.Number(0.0123), ece.Number(0.0456), ece.Number(0.1)
	best.Mark, best.Gap, best.Good = Best, "-3.33", true
	second.Mark, second.Signs, second.Below = Second, Dagger, "[4.10, 5.00]"
	other.Notes = []int{0, 1}
	row := func(set, method string, cells ...Cell) Row {
		return Row{Cells: append([]Cell{Words(set), Words(method)}, cells...)}
	}
	total := row("Average", "", ece.Number(0.05), Cell{Text: "-"}, Cell{}, Cell{})
	total.Total = true
	return &Table{
		Name: "example", Caption: "Errors", Origin: "All numbers are invented.", Labels: 2, Grouped: true,
		Columns: []Column{{Key: "set", Head: "Set"}, {Key: "method", Head: "Method"}, ece, shift,
			{Key: "alike", Head: "alike", Fold: true}, {Key: "n", Data: true}},
		Rows: []Row{
			row("a", "QaTS", best, shift.Number(-0.001), Words("1\u20132, 4"), Cell{Value: 100}),
			row("a", "TS", second, shift.Number(0.002), Words("1"), Cell{Value: 100}),
			row("b", "TS", other, shift.Number(math.NaN()), Words("1, 3"), Cell{}),
			total,
		},
		Legend: []Sentence{{Text: "ECE in per cent."}, {Marks: true, Text: "; equal ones share it."}, {Text: Dagger + ": classes change."}},
		Notes:  []string{"first", "second"},
	}
}

func textOf(t *testing.T, table *Table, width int) string {
	t.Helper()
	var b strings.Builder
	if err := table.Text(&b, width); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestText(t *testing.T) {
	const want = `Errors
All numbers are invented.

                          ECE
Set      Method        (test)         shift  alike
---------------------------------------------------
a        QaTS           *1.23* -3.33  -0.10  1-2, 4
         TS             _4.56_#       +0.20  1
                 [4.10, 5.00]
---------------------------------------------------
b        TS             10.00  [1,2]    NaN  1, 3
---------------------------------------------------
Average                  5.00             -

ECE in per cent. Best *starred*, second _underlined_; equal ones share
it. #: classes change.
[1] first
[2] second
`
	if got := textOf(t, example(), 0); got != want {
		t.Errorf("got\n%s", got)
	}
}

// A table that is too wide is folded between columns, with its labels in each part.
func TestTextIsFolded(t *testing.T) {
	const want = `Errors
All numbers are invented.

                          ECE
Set      Method        (test)
------------------------------------
a        QaTS           *1.23* -3.33
         TS             _4.56_#
                 [4.10, 5.00]
------------------------------------
b        TS             10.00  [1,2]
------------------------------------
Average                  5.00

Set      Method  shift  alike
------------------------------
a        QaTS    -0.10  1-2, 4
         TS      +0.20  1
------------------------------
b        TS        NaN  1, 3
------------------------------
Average              -

`
	if got := textOf(t, example(), 40); !strings.HasPrefix(got, want) {
		t.Errorf("got\n%s", got)
	}
	table := example()
	table.Columns[3].Break = true
	if got := textOf(t, table, 50); !strings.Contains(got, "\nSet      Method  shift") {
		t.Errorf("a part does not begin at its column:\n%s", got)
	}
	if got := textOf(t, table, 51); strings.Count(got, "Method") != 1 {
		t.Errorf("a table that fits is folded:\n%s", got)
	}
}

func TestListsAreFoldedAtTheirLastColumn(t *testing.T) {
	list := NewList([]string{"NAME", "SUMMARY"}, [][]string{{"a", strings.Repeat("word ", 12)}, {"bcd", ""}})
	const want = `NAME  SUMMARY
a     word word word word word
      word word word word word
      word word
bcd
`
	if got := textOf(t, list, 30); got != want {
		t.Errorf("got\n%s", got)
	}
	for width := 24; width < 90; width++ {
		for line := range strings.Lines(textOf(t, example(), width)) {
			if line = strings.TrimSuffix(line, "\n"); utf8.RuneCountInString(line) > max(width, 36) || strings.HasSuffix(line, " ") {
				t.Errorf("width %d: %q", width, line)
			}
		}
	}
}

// A column of long texts that others follow is folded in a part of its own.
func TestAColumnIsFoldedBeforeOthersToo(t *testing.T) {
	list := NewList([]string{"A", "B", "C"}, [][]string{{"a", strings.Repeat("word ", 12), "c"}})
	list.Columns[1].Fold = true
	const want = `A  B
a  word word word word word
   word word word word word
   word word

A  C
a  c
`
	if got := textOf(t, list, 30); got != want {
		t.Errorf("got\n%s", got)
	}
}

// A spreadsheet that opens a table computes nothing; numbers stay as they are.
func TestTextsOfACSVAreNoFormulas(t *testing.T) {
	for text, want := range map[string]string{"=1+1": "'=1+1", "@SUM(A1)": "'@SUM(A1)", "-a": "'-a", "+a": "'+a", "a=1": "a=1"} {
		table := Table{Columns: []Column{{Key: "a"}, {Key: "b"}}, Rows: []Row{{Cells: []Cell{Words(text), {Value: -1.5}}}}}
		var b strings.Builder
		if err := table.CSV(&b); err != nil || b.String() != "a,b\n"+want+",-1.5\n" {
			t.Errorf("%q: %q, %v", text, b.String(), err)
		}
	}
}

// Data forms have values, not what is printed of them, and no totals.
func TestDataForms(t *testing.T) {
	var b strings.Builder
	if err := example().CSV(&b); err != nil {
		t.Fatal(err)
	}
	if want := "set,method,ece,shift,alike,n\na,QaTS,0.0123,-0.001,\"1\u20132, 4\",100\n"; !strings.HasPrefix(b.String(), want) {
		t.Errorf("got\n%s", b.String())
	}
	if !strings.HasSuffix(b.String(), "b,TS,0.1,,\"1, 3\",\n") {
		t.Errorf("a missing value is not empty, or a total is there:\n%s", b.String())
	}
	b.Reset()
	if err := example().JSON(&b); err != nil {
		t.Fatal(err)
	}
	want := `{"set":"a","method":"QaTS","ece":0.0123,"shift":-0.001,"alike":"1` + "\u2013" + `2, 4","n":100}
{"set":"a","method":"TS","ece":0.0456,"shift":0.002,"alike":"1","n":100}
{"set":"b","method":"TS","ece":0.1,"shift":null,"alike":"1, 3","n":null}
`
	if b.String() != want {
		t.Errorf("got\n%s", b.String())
	}
}

func TestTurnedTablesHaveARowForEachColumn(t *testing.T) {
	table := &Table{Columns: []Column{{Head: "n"}, {Head: "ece"}}, Rows: []Row{{Cells: []Cell{Int(7), Words("0.5")}}}}
	if got := textOf(t, table.Turned(), 80); got != "n    7\nece  0.5\n" {
		t.Errorf("got\n%s", got)
	}
}

// A wide row is one text across all columns: it takes no room in any column, and data
// forms leave it out.
func TestWideRowsCrossAllColumns(t *testing.T) {
	number := Column{Key: "ece", Head: "ECE", Align: Numbers, Digits: 1}
	table := &Table{List: true, Columns: []Column{{Key: "method", Head: "method"}, number}, Rows: []Row{
		{Wide: true, Cells: []Cell{Words("  a network with a <long> name"), {}}},
		{Cells: []Cell{Words("TS"), number.Number(1)}},
	}}
	var text, page, latex, csv, json strings.Builder
	for _, err := range []error{table.Text(&text, 20), table.HTML(&page), table.LaTeX(&latex), table.CSV(&csv), table.JSON(&json)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	if want := "method   ECE\n  a network with a\n  <long> name\nTS       1.0\n"; text.String() != want {
		t.Errorf("terminal: %q, want %q", text.String(), want)
	}
	if !strings.Contains(page.String(), `<th scope="row" colspan="2">  a network with a &lt;long&gt; name</th></tr>`) {
		t.Errorf("page: %s", page.String())
	}
	if !strings.Contains(latex.String(), `\multicolumn{2}{@{}l@{}}{`) {
		t.Errorf("LaTeX: %s", latex.String())
	}
	if csv.String() != "method,ece\nTS,1\n" || json.String() != "{\"method\":\"TS\",\"ece\":1}\n" {
		t.Errorf("data: %q, %q", csv.String(), json.String())
	}
}

// A spread stands after its number and before signs and gaps, in every form, and the numbers of a column stay aligned.
func TestSpreadsStandAfterTheirNumbers(t *testing.T) {
	x := Column{Key: "x", Head: "x", Align: Numbers, Digits: 1}
	best, other, none := x.Number(1.5), x.Number(12), x.Number(3)
	best.Mark, best.Spread, best.Gap = Best, "0.2", "-10.5"
	other.Spread, other.Signs = "10.0", Dagger
	table := &Table{Columns: []Column{{Key: "m", Head: "m"}, x}, Rows: []Row{
		{Cells: []Cell{Words("a"), best}}, {Cells: []Cell{Words("b"), other}}, {Cells: []Cell{Words("c"), none}},
	}}
	const want = `m      x
--------------------
a   *1.5*+-0.2 -10.5
b   12.0 +-10.0#
c    3.0
`
	if got := textOf(t, table, 0); got != want {
		t.Errorf("got\n%s", got)
	}
	var tex, md, page strings.Builder
	for _, err := range []error{table.LaTeX(&tex), table.Markdown(&md), table.HTML(&page)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct{ in, what string }{
		{tex.String(), `\textbf{1.5}\,$\pm$\,\phantom{0}0.2`}, {tex.String(), `12.0\,$\pm$\,10.0`}, {tex.String(), `3.0\hphantom{\,$\pm$\,0000}`},
		{md.String(), "| **1.5** \u00b1 0.2 (-10.5) |"}, {md.String(), "| 12.0 \u00b1 10.0" + Dagger + " |"}, {md.String(), "| 3.0 |"},
		{page.String(), "<strong>1.5</strong> \u00b1 0.2 <small>-10.5</small>"}, {page.String(), "12.0 \u00b1 10.0<sup>" + Dagger + "</sup>"},
	} {
		if !strings.Contains(c.in, c.what) {
			t.Errorf("no %q in\n%s", c.what, c.in)
		}
	}
}
