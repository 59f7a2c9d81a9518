package report

import (
	"context"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/qats-bench/qats/data/folder"
	"github.com/qats-bench/qats/experiments"
	"github.com/qats-bench/qats/experiments/spec"
	"github.com/qats-bench/qats/plots"
	"github.com/qats-bench/qats/results"
	"github.com/qats-bench/qats/results/table/latextest"
)

// faults match the messages of pdflatex about a page with a wrong layout.
var faults = regexp.MustCompile(`(?m)^(! .*|.*Float too large.*|Overfull \\[hv]box.*|.*Missing character.*|.*undefined.*)$`)

// TestReportFitsItsPages compiles the reports of the worked example and of the
// golden experiment, with figures as PDF and as LaTeX code: nothing is lost off a
// page, and no box is too wide. The test needs pdflatex.
func TestReportFitsItsPages(t *testing.T) {
	latex := latextest.Want(t)
	if testing.Short() {
		t.Skip("runs 200 cells")
	}
	for _, file := range []string{filepath.Join("..", "example.yaml"), filepath.Join("..", "testdata", "golden.yaml")} {
		out := t.TempDir()
		s := runForViews(t, file, out)
		for _, format := range []plots.Format{plots.PDF, plots.PGF} {
			if err := WriteViews(io.Discard, []*spec.Spec{s}, out, ViewOptions{Formats: []plots.Format{plots.SVG, format}}); err != nil {
				t.Fatal(err)
			}
			for range 2 { // the second time with the contents
				cmd := exec.Command(latex, "-interaction=nonstopmode", "-halt-on-error", "report.tex")
				cmd.Dir = out
				cmd.Env = append(os.Environ(), "max_print_line=1000")
				if message, err := cmd.CombinedOutput(); err != nil {
					t.Fatalf("%s: %v\n%s", file, err, message)
				}
			}
			log, err := os.ReadFile(filepath.Join(out, "report.log"))
			if err != nil {
				t.Fatal(err)
			}
			for _, fault := range faults.FindAllString(string(log), -1) {
				t.Errorf("%s with figures as %s: %s", file, format, fault)
			}
		}
	}
}

// runForViews runs a spec on few rows and writes its CSV files into out.
func runForViews(t *testing.T, file, out string) *spec.Spec {
	t.Helper()
	s, err := spec.Read(file, experiments.Registry())
	if err != nil {
		t.Fatal(err)
	}
	store, err := results.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	p, err := experiments.MakePlan(context.Background(), []*spec.Spec{s}, experiments.PlanOptions{Store: store, Digests: &folder.Digests{}, First: 60})
	if err != nil {
		t.Fatal(err)
	}
	o, err := p.Run(context.Background(), experiments.RunOptions{Workers: 2})
	if err != nil {
		t.Fatal(err)
	}
	if err := results.Folder(out).Write(&o.Rows); err != nil {
		t.Fatal(err)
	}
	return s
}
