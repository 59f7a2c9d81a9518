// Package latextest finds LaTeX for the tests of what we write for it. Only tests import it.
package latextest

import (
	"os/exec"
	"testing"
)

// packages are the ones that the preambles of our documents load.
var packages = []string{"geometry.sty", "amssymb.sty", "booktabs.sty", "longtable.sty", "multirow.sty", "graphicx.sty", "pdflscape.sty", "placeins.sty", "xcolor.sty", "pgf.sty"}

// Find returns the path of pdflatex, or "" where it or one of the packages is missing, which a small
// installation of LaTeX leaves out.
func Find() string {
	latex, err := exec.LookPath("pdflatex")
	if err != nil || exec.Command("kpsewhich", packages...).Run() != nil {
		return ""
	}
	return latex
}

// Want returns the path of pdflatex, or skips the test where Find finds none.
func Want(t testing.TB) string {
	t.Helper()
	latex := Find()
	if latex == "" {
		t.Skip("no pdflatex with the packages of our documents (Debian: apt-get install texlive-latex-extra)")
	}
	return latex
}
