package compare

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/qats-bench/qats/results/table/latextest"
)

// TestCompactTableFitsAColumn of a two-column paper, unscaled. It needs pdflatex.
func TestCompactTableFitsAColumn(t *testing.T) {
	latex := latextest.Want(t)
	records, pairs := example()
	v := judged(t, records, pairs, ece)
	v.Labels = map[string]string{"ir": "QaTS (trans)"}
	var table strings.Builder
	if err := v.CompactTable().LaTeX(&table); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(table.String(), "resizebox") || strings.Count(table.String(), "\\begin{table}") != 1 {
		t.Error("the compact table is scaled, or is not one table")
	}
	dir := t.TempDir()
	document := fmt.Sprintf("\\documentclass[twocolumn]{article}\n\\usepackage[letterpaper,textwidth=6.875in,columnsep=0.3125in]{geometry}\n\\usepackage{booktabs}\n"+
		"\\begin{document}\n%s\n%s\n\\end{document}\n", table.String(), uncommented(table.String()))
	if err := os.WriteFile(filepath.Join(dir, "t.tex"), []byte(document), 0o666); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(latex, "-interaction=nonstopmode", "-halt-on-error", "t.tex")
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if strings.Contains(string(out), "Overfull") || strings.Contains(string(out), "too large") {
		t.Errorf("the table does not fit:\n%s", out)
	}
}

// uncommented returns the notes of a compact table as an author takes them: the comments after it.
func uncommented(latex string) string {
	_, notes, _ := strings.Cut(latex, "\\end{table}\n")
	return strings.ReplaceAll("\n"+notes, "\n% ", "\n")
}
