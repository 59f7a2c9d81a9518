package pivot

import (
	"bufio"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"

	"github.com/qats-bench/qats/internal/english"
	"github.com/qats-bench/qats/results"
	"github.com/qats-bench/qats/results/table"
)

// Document is a LaTeX document of the tables and figures of a report. The figures are files of their own, so
// pdflatex has to be run in the folder that their names are relative to.
type Document struct {
	Title    string
	Settings Settings // of all parts; a setting of several parts counts once
	Parts    []Part
}

// Part is the part of a document about one experiment.
type Part struct {
	Title    string
	Settings Settings
	Tables   []*Pivot
	Figures  []Figure
}

// Settings counts the settings of an experiment. StandIn counts the measured settings
// whose network stands in for the paper's.
type Settings struct {
	results.SettingCounts
	StandIn int
}

// CountSettings counts the settings of records that count ([results.Counts]). ofPaper says
// whether an experiment has a table of the paper; then a measured setting is a stand-in unless
// its note says that the network is the paper's own.
func CountSettings(records []results.Record, ofPaper func(experiment string) bool) Settings {
	standIn := map[results.Setting]bool{}
	for _, r := range records {
		if r.Status == results.OK && results.Counts(r.Setting, nil) && (r.StandIn() != "" || r.StandsIn() && ofPaper(r.Experiment)) {
			s := r.WithoutTraining()
			s.Experiment = ""
			standIn[s] = true
		}
	}
	return Settings{results.CountSettings(records, nil), len(standIn)}
}

// Figure is a PDF, such as figures/shift-severity.pdf, or a picture that ends in
// .pgf.
type Figure struct {
	Path    string
	Caption string  // plain text
	Width   float64 // in points; figures of a column stand side by side
	Height  float64
	Across  bool // shows settings of other experiments too
}

var plainPath = regexp.MustCompile(`^[A-Za-z0-9._+/-]+$`)

// LaTeX prints the document: contents, the numbers of measured and simulated
// settings, then part by part the tables and figures, and last the figures that are
// of several experiments. Tables that have a number in the paper keep it; in such a
// document the others are numbered A1, A2 and so on. Every page says at its head
// whether numbers are measured or simulated. A path with characters that are special
// to LaTeX or to a shell is an error.
func (d *Document) LaTeX(w io.Writer) error {
	numbered := false
	across := Part{Title: "Figures of several experiments"}
	parts := slices.Clone(d.Parts)
	for i, p := range parts {
		for _, t := range p.Tables {
			numbered = numbered || t.Spec.Number > 0
		}
		parts[i].Figures = nil
		for _, f := range p.Figures {
			if !plainPath.MatchString(f.Path) {
				return fmt.Errorf("document: path %q: letters, digits and . _ + - / only", f.Path)
			}
			of := &parts[i]
			if f.Across {
				of = &across
			}
			of.Figures = append(of.Figures, f)
		}
	}
	b := bufio.NewWriter(w)
	fmt.Fprintf(b, preamble, table.Preamble, table.Escape(d.banner()), table.Escape(d.Title))
	d.latexSettings(b, numbered)
	for _, p := range append(parts, across) {
		if err := p.latex(b, numbered); err != nil {
			return err
		}
	}
	b.WriteString("\\end{document}\n")
	return b.Flush()
}

// preamble puts the banner at the head of each page. \includeplot shows a figure in
// its own size if it fits the width, and scaled down otherwise. \roomy begins a page
// where less than a height of one is left, so that no heading stands alone. Floats may fill a
// page, because most of the document is tables.
const preamble = `%% Made by qats report; pdflatex makes a PDF of it (run it twice for the contents).
\documentclass[10pt,a4paper]{article}
\usepackage[margin=1.7cm,includehead,headsep=10pt]{geometry}
\usepackage{amssymb,booktabs,longtable,multirow,graphicx,pdflscape,placeins,xcolor,pgf}
\renewcommand{\topfraction}{0.95}
\renewcommand{\bottomfraction}{0.8}
\renewcommand{\textfraction}{0.05}
\renewcommand{\floatpagefraction}{0.8}
\setcounter{topnumber}{4}
\setcounter{totalnumber}{6}
\makeatletter
\setlength{\@fptop}{0pt}
\setlength{\@fpsep}{20pt}
\setlength{\@fpbot}{0pt plus 1fil}
\makeatother
\newsavebox{\figurebox}
\newcommand{\includeplot}[1]{\sbox{\figurebox}{#1}%%
  \ifdim\wd\figurebox>\linewidth\resizebox{\linewidth}{!}{\usebox{\figurebox}}\else\usebox{\figurebox}\fi}
%s\newcounter{own}
\newcommand{\roomy}[1]{\par\ifdim\pagegoal<\maxdimen\dimen0=\pagegoal\advance\dimen0-\pagetotal
  \else\dimen0=\vsize\ifdim\dimen0<#1\null\fi\fi\ifdim\dimen0<#1\newpage\fi}
\pagestyle{myheadings}
\markright{\textup{\textbf{%s}}}
\title{\vspace{-2ex}%s\vspace{-6ex}}
\author{}
\date{}
\begin{document}
\maketitle
\thispagestyle{myheadings}
`

// banner is the head of each page.
func (d *Document) banner() string {
	switch s := d.Settings; {
	case s.Simulated == 0:
		return fmt.Sprintf("Measured: %d of %s", s.Measured, english.Count(s.All(), "setting"))
	case s.Measured == 0:
		return fmt.Sprintf("SIMULATED: no number is of a real network (%s)", english.Count(s.Simulated, "setting"))
	default:
		return fmt.Sprintf("SIMULATED IN PART: %d of %s; %d measured", s.Simulated, english.Count(s.All(), "setting"), s.Measured)
	}
}

// latexSettings prints how many settings are measured and how many are not, and the
// contents.
func (d *Document) latexSettings(b *bufio.Writer, numbered bool) {
	sum := d.Settings
	fmt.Fprintf(b, "\\noindent\\textbf{%d of %s measured, %d simulated", sum.Measured, english.Count(sum.All(), "setting"), sum.Simulated)
	if sum.None > 0 {
		fmt.Fprintf(b, ", %d without a number", sum.None)
	}
	b.WriteString(".}\n")
	if note := sum.Note(); note != "" {
		b.WriteString(table.Escape(note) + "\n")
	}
	if sum.StandIn > 0 {
		fmt.Fprintf(b, "%s measured on other networks of the paper's architectures, marked o: no manifest says that they are the paper's own. They enter no verdict.\n", standInSettings(sum.StandIn))
	}
	if sum.Simulated > 0 {
		b.WriteString("Simulated numbers come from virtual networks. They show that the program works. " +
			"They are no evidence about calibration methods on real networks.\n")
	}
	if numbered {
		b.WriteString("Tables with a plain number reproduce the table of the paper with that number; tables A1, A2 and so on are not in the paper.\n")
	}
	b.WriteString("\n\\medskip\n\\noindent\\small\\begin{tabular}{p{0.48\\linewidth}rrrr}\n\\toprule\n" +
		"\\textbf{Experiment} & \\textbf{Settings} & \\textbf{Measured} & \\textbf{Simulated} & \\textbf{No number} \\\\\n\\midrule\n")
	for _, p := range d.Parts {
		fmt.Fprintf(b, "%s & %d & %d & %d & %d \\\\\n", table.Escape(p.Title), p.Settings.All(), p.Settings.Measured, p.Settings.Simulated, p.Settings.None)
	}
	b.WriteString("\\bottomrule\n\\end{tabular}\\normalsize\n\n\\tableofcontents\n\n")
}

func standInSettings(n int) string {
	if n == 1 {
		return "1 setting is"
	}
	return fmt.Sprintf("%d settings are", n)
}

// latex prints a section with the tables and figures of the part.
func (p Part) latex(b *bufio.Writer, numbered bool) error {
	if len(p.Tables)+len(p.Figures) == 0 {
		return nil
	}
	fmt.Fprintf(b, "\\roomy{%.0fpt}\\section{%s}\n", p.room(), table.Escape(p.Title))
	for _, t := range p.Tables {
		switch n := t.Spec.Number; {
		case n > 0:
			fmt.Fprintf(b, "\\renewcommand{\\thetable}{%d}\n", n)
		case numbered:
			b.WriteString("\\stepcounter{own}\\edef\\thetable{A\\theown}\n")
		}
		if err := t.Table().Typeset(b); err != nil {
			return err
		}
	}
	const column = 260 // points
	narrow := func(f Figure) bool { return f.Width > 0 && f.Width < column }
	for rest := slices.Clone(p.Figures); len(rest) > 0; {
		f := rest[0]
		rest = rest[1:]
		b.WriteString("\\begin{figure}[!htbp]\n\\centering\n")
		if i := slices.IndexFunc(rest, narrow); narrow(f) && i >= 0 {
			f.half(b)
			b.WriteString("\\hfill\n")
			rest[i].half(b)
			rest = slices.Delete(rest, i, i+1)
		} else {
			f.latex(b)
		}
		b.WriteString("\\end{figure}\n")
	}
	_, err := b.WriteString("\\FloatBarrier\n") // no float drifts into the next section
	return err
}

// page, began and broken are the heights, in points, of the text of a page, of a heading and the beginning of a table,
// and of a heading and the 0.4 of a page after which a table is broken.
const page, began, broken = 600, 200, 340

// room is about the height, in points, of the heading and the first float of a part.
// A higher table than a page begins below the heading or, if it is turned, on the next page: it asks for little.
func (p Part) room() float64 {
	height := 120.0 // heading, caption, legend and the space between them
	if len(p.Tables) > 0 {
		t := p.Tables[0]
		lines := 0.0 // of 12.5 points; those of notes are lower
		for _, r := range t.Rows {
			lines++
			if slices.ContainsFunc(r.Cells, func(c Cell) bool { return c.below() != "" }) {
				lines++
			}
		}
		notes := 0
		for _, n := range t.Notes {
			notes += len(n.String()) + 4
		}
		height += 12.5*lines + 20 + 8*float64(notes/140+3)
		if height <= page {
			return min(height, broken)
		}
	} else {
		height += p.Figures[0].Height
	}
	if height > page {
		return began
	}
	return height
}

func (f Figure) latex(b *bufio.Writer) {
	include := "\\includegraphics{" + f.Path + "}"
	if strings.HasSuffix(f.Path, ".pgf") {
		include = "\\input{" + f.Path + "}"
	}
	fmt.Fprintf(b, "\\includeplot{%s}\n\\caption{%s}\n", include, table.Escape(f.Caption))
}

// half prints one of two figures that stand side by side.
func (f Figure) half(b *bufio.Writer) {
	b.WriteString("\\begin{minipage}[t]{0.485\\linewidth}\n\\centering\n")
	f.latex(b)
	b.WriteString("\\end{minipage}")
}
