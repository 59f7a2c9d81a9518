package compare

import (
	"slices"
	"strings"
	"testing"

	"github.com/qats-bench/qats/internal/lists"
	"github.com/qats-bench/qats/results"
	"github.com/qats-bench/qats/results/table"
)

// shortRows are made rows of two groups: keeper and worse keep the predicted class, mover may change it. few has values on four of
// twelve data sets.
func shortRows() *results.Rows {
	rows := made{"ts": by(nothing, nothing, nothing), "keeper": by(always(-1), always(-1), nothing), "worse": by(always(1), always(1), nothing),
		"mover": by(always(-2), always(-2), nothing), "few": by(always(-3), always(-3), nothing), results.BaseRate: by(always(8), always(8), nothing)}
	f := rows.rows(12, map[string]results.Prediction{"keeper": results.Keeps, "worse": results.Keeps, "few": results.Keeps, results.BaseRate: results.Keeps, "mover": results.Changes})
	f.Records = lists.Where(f.Records, func(r results.Record) bool { return r.Method != "few" || r.Dataset < "d04" })
	return f
}

// viewsOfRows are the views of made rows by NLL, Brier score and ECE, with the methods that are asked for.
func viewsOfRows(t *testing.T, f *results.Rows, methods ...string) (views []View) {
	t.Helper()
	list, err := Judge(f, Options{Against: "ts", Methods: methods}, "nll", "brier", "ece")
	if err != nil || len(list) != 1 {
		t.Fatalf("%d judgements, %v", len(list), err)
	}
	for _, metric := range []string{"nll", "brier", "ece"} {
		views = append(views, View{Comparison: comparison(t, f.Records, f.Pairs, Options{Metric: metric, Against: "ts", Methods: methods}), Judgement: list[0]})
	}
	return views
}

// firstCells are the texts of the first column.
func firstCells(t *table.Table) []string {
	return lists.Values(t.Rows, func(r table.Row) string { return r.Cells[0].Text })
}

// TestAShortSummaryIsOneTable: the groups stand below each other with their titles, each method has the cells of its own table, and
// a method with too few blocks is counted.
func TestAShortSummaryIsOneTable(t *testing.T) {
	views := viewsOfRows(t, shortRows())
	s := Shorten(views, 20)
	if got, want := firstCells(s.Table), []string{"ts", "keeper", "worse", "base-rate", "Methods that may change the predicted class:", "mover"}; !slices.Equal(got, want) {
		t.Errorf("rows %q, want %q", got, want)
	}
	if s.Few != 1 || s.Left != 0 || s.Signs != "" {
		t.Errorf("%d with few settings, %d left, signs %q", s.Few, s.Left, s.Signs)
	}
	for _, of := range Summary(views) {
		for _, want := range of.Rows {
			i := slices.IndexFunc(s.Table.Rows, func(r table.Row) bool { return r.Cells[0].Text == want.Cells[0].Text })
			if i < 0 {
				continue
			}
			for j, c := range of.Columns {
				k := slices.IndexFunc(s.Table.Columns, func(x table.Column) bool { return x.Key == c.Key })
				if got := s.Table.Rows[i].Cells[k].Text; got != want.Cells[j].Text {
					t.Errorf("%s, %s: %q, want %q", want.Cells[0].Text, c.Key, got, want.Cells[j].Text)
				}
			}
		}
	}
	if got := firstCells(Shorten(views, 0).Table); !slices.Contains(got, "keeper") || slices.Contains(got, "few") {
		t.Errorf("all rows: %q", got) // few is too few for the test that the others have, in every form
	}
}

// TestAShortSummaryKeepsToItsRows: the longest group loses its last methods, never the reference, the floor or the only method of
// a group. Methods that were asked for stay, and so do those with few settings where none has more.
func TestAShortSummaryKeepsToItsRows(t *testing.T) {
	views := viewsOfRows(t, shortRows())
	s := Shorten(views, 5)
	if got, want := firstCells(s.Table), []string{"ts", "keeper", "base-rate", "Methods that may change the predicted class:", "mover"}; !slices.Equal(got, want) || s.Left != 1 {
		t.Errorf("rows %q, %d left, want %q", got, s.Left, want)
	}
	if s = Shorten(views, 1); len(s.Table.Rows) != 5 {
		t.Errorf("rows %q", firstCells(s.Table))
	}
	if s = Shorten(viewsOfRows(t, shortRows(), "keeper", "worse", "few"), 1); s.Few != 0 || s.Left != 0 || !slices.Contains(firstCells(s.Table), "worse") {
		t.Errorf("asked for: %q, %d with few settings, %d left", firstCells(s.Table), s.Few, s.Left)
	}
	f := shortRows()
	f.Records = lists.Where(f.Records, func(r results.Record) bool { return r.Dataset < "d03" })
	if s = Shorten(viewsOfRows(t, f), 20); s.Few != 0 || !slices.Contains(firstCells(s.Table), "few") {
		t.Errorf("three blocks: %q, %d with few settings", firstCells(s.Table), s.Few)
	}
}

// TestAShortSummaryHasNoCounts: settings won and lost are in the other forms alone.
func TestAShortSummaryHasNoCounts(t *testing.T) {
	records, pairs := ledRows(4, 1, "l", "w")
	views := viewsBy(t, records, pairs, "ts", "nll", "ece")
	cell := func(s *table.Table) string { return cellsOf(s)["l"]["nll"].Text }
	if got, want := cell(Summary(views)[0]), "+0.0300 (0/4)"; got != want {
		t.Errorf("summary %q, want %q", got, want)
	}
	if got, want := cell(Shorten(views, 20).Table), "+0.0300"; got != want {
		t.Errorf("short %q, want %q", got, want)
	}
	if notes := strings.Join(ShortNotes(views), "\n"); strings.Contains(notes, "(a/b)") {
		t.Errorf("notes on counts:\n%s", notes)
	}
}
