package table

import (
	"cmp"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"

	"github.com/qats-bench/qats/results"
)

// Document is a LaTeX document of the tables and figures of a report, each of
// which is a file of its own. pdflatex has to be run in the folder that the names
// of these files are relative to.
type Document struct {
	Title string
	Parts []Part
}

// Part is the part of a document about one experiment.
type Part struct {
	Title    string
	Settings Settings
	Tables   []File
	Figures  []Figure
}

// Settings counts the settings of an experiment by the source of their numbers;
// None counts the settings without a number. StandIn counts those of the measured
// settings whose network stands in for the paper's.
type Settings struct{ Measured, Simulated, None, StandIn int }

// CountSettings counts the settings of records.
func CountSettings(records []results.Record) Settings {
	source, standIn := map[results.Cell]string{}, map[results.Cell]bool{}
	for _, r := range records {
		if r.Status == results.OK {
			source[r.Cell] = r.Source
			standIn[r.Cell] = standIn[r.Cell] || r.StandIn() != ""
		} else if source[r.Cell] == "" {
			source[r.Cell] = "none"
		}
	}
	var s Settings
	for cell, from := range source {
		if standIn[cell] {
			s.StandIn++
		}
		switch from {
		case "measured":
			s.Measured++
		case "none":
			s.None++
		default:
			s.Simulated++
		}
	}
	return s
}

func (s Settings) all() int { return s.Measured + s.Simulated + s.None }

// File is a table and the path of its LaTeX, such as tables/standard-ece.tex.
type File struct {
	Path  string
	Table *Table
}

// Figure is a PDF, such as figures/shift-severity.pdf.
type Figure struct {
	Path    string
	Caption string // plain text
}

var plainPath = regexp.MustCompile(`^[A-Za-z0-9._+/-]+$`)

// LaTeX prints the document: first the numbers of measured and simulated settings,
// then the tables that have a number in the paper, under that number, then part
// by part the other tables and the figures. A path with characters that are
// special to LaTeX or to a shell is an error.
func (d *Document) LaTeX(w io.Writer) error {
	var numbered []File
	for _, p := range d.Parts {
		for _, f := range p.Tables {
			if !plainPath.MatchString(f.Path) {
				return fmt.Errorf("document: path %q: letters, digits and . _ + - / only", f.Path)
			}
			if f.Table.Spec.Number > 0 {
				numbered = append(numbered, f)
			}
		}
		for _, f := range p.Figures {
			if !plainPath.MatchString(f.Path) {
				return fmt.Errorf("document: path %q: letters, digits and . _ + - / only", f.Path)
			}
		}
	}
	slices.SortStableFunc(numbered, func(a, b File) int { return cmp.Compare(a.Table.Spec.Number, b.Table.Spec.Number) })

	var b strings.Builder
	fmt.Fprintf(&b, preamble, Escape(d.Title))
	d.latexSettings(&b)
	if len(numbered) > 0 {
		b.WriteString("\\section*{Tables of the paper, under their numbers}\n")
		for _, f := range numbered {
			fmt.Fprintf(&b, "\\setcounter{table}{%d}\n", f.Table.Spec.Number-1)
			fmt.Fprintf(&b, "\\input{%s}\n", f.Path)
		}
		b.WriteString("\\clearpage\n")
	}
	for _, p := range d.Parts {
		p.latex(&b)
	}
	b.WriteString("\\end{document}\n")
	_, err := io.WriteString(w, b.String())
	return err
}

// preamble defines \fitted, which shows a figure in its own size if it fits the
// page, and scaled down otherwise. Floats may fill a page, because most of the
// document is tables.
const preamble = `%% Made by qats report; pdflatex makes a PDF of it.
\documentclass[10pt,a4paper]{article}
\usepackage[margin=2cm]{geometry}
\usepackage{amssymb,booktabs,multirow,graphicx,pdflscape,xcolor}
\renewcommand{\topfraction}{0.95}
\renewcommand{\textfraction}{0.05}
\renewcommand{\floatpagefraction}{0.7}
\makeatletter
\setlength{\@fptop}{0pt}
\setlength{\@fpsep}{24pt}
\setlength{\@fpbot}{0pt plus 1fil}
\makeatother
\newsavebox{\figurebox}
\newcommand{\fitted}[1]{\sbox{\figurebox}{\includegraphics{#1}}%%
  \ifdim\wd\figurebox>\linewidth\sbox{\figurebox}{\includegraphics[width=\linewidth]{#1}}\fi
  \ifdim\ht\figurebox>0.85\textheight\includegraphics[height=0.85\textheight]{#1}\else\usebox{\figurebox}\fi}
\title{%s}
\author{}
\date{}
\begin{document}
\maketitle
`

// latexSettings prints how many settings are measured and how many are not.
func (d *Document) latexSettings(b *strings.Builder) {
	var sum Settings
	for _, p := range d.Parts {
		sum.Measured += p.Settings.Measured
		sum.Simulated += p.Settings.Simulated
		sum.None += p.Settings.None
		sum.StandIn += p.Settings.StandIn
	}
	fmt.Fprintf(b, "\\noindent\\textbf{%d of %s measured, %d simulated", sum.Measured, count(sum.all(), "setting"), sum.Simulated)
	if sum.None > 0 {
		fmt.Fprintf(b, ", %d without a number", sum.None)
	}
	b.WriteString(".}\n")
	if sum.StandIn > 0 {
		fmt.Fprintf(b, "%s measured on networks that stand in for the paper's, marked o: other trainings of the same architectures. They enter no verdict.\n", standInSettings(sum.StandIn))
	}
	if sum.Simulated > 0 {
		b.WriteString("Simulated numbers, marked s, come from virtual networks. They show that the program works. " +
			"They are no evidence about calibration methods on real networks.\n")
	}
	b.WriteString("\n\\medskip\n\\noindent\\small\\begin{tabular}{p{0.48\\linewidth}rrrr}\n\\toprule\n" +
		"\\textbf{Experiment} & \\textbf{Settings} & \\textbf{Measured} & \\textbf{Simulated} & \\textbf{No number} \\\\\n\\midrule\n")
	for _, p := range d.Parts {
		fmt.Fprintf(b, "%s & %d & %d & %d & %d \\\\\n", Escape(p.Title), p.Settings.all(), p.Settings.Measured, p.Settings.Simulated, p.Settings.None)
	}
	b.WriteString("\\bottomrule\n\\end{tabular}\\normalsize\n\n")
}

func standInSettings(n int) string {
	if n == 1 {
		return "1 setting is"
	}
	return fmt.Sprintf("%d settings are", n)
}

// latex prints the tables without a number and the figures.
func (p Part) latex(b *strings.Builder) {
	tables := slices.DeleteFunc(slices.Clone(p.Tables), func(f File) bool { return f.Table.Spec.Number > 0 })
	if len(tables)+len(p.Figures) == 0 {
		return
	}
	fmt.Fprintf(b, "\\section*{%s}\n", Escape(p.Title))
	for _, f := range tables {
		fmt.Fprintf(b, "\\input{%s}\n", f.Path)
	}
	for i, f := range p.Figures {
		fmt.Fprintf(b, "\\begin{figure}[!htbp]\n\\centering\n\\fitted{%s}\n\\caption{%s}\n\\end{figure}\n", f.Path, Escape(f.Caption))
		if i%12 == 11 { // LaTeX can hold back only a few floats
			b.WriteString("\\clearpage\n")
		}
	}
	b.WriteString("\\clearpage\n")
}
