package plots

import (
	"bytes"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"

	"github.com/qats-bench/qats/internal/atomicfile"
	"github.com/qats-bench/qats/internal/lists"
)

// Figure is a checked figure, ready to be written in any format. It is immutable
// and safe for concurrent use.
type Figure struct {
	Width, Height vg.Length // of the page, in points
	Caption       string    // one or two sentences: what the figure shows, and of which methods
	Notes         []string  // at the foot: averages and missing values, one sentence each
	draw          func(c draw.Canvas)
	with          func(Layout) (*Figure, error) // makes it in another layout
}

// Format is a file format, named as its extension.
type Format string

// Reports have SVG and PDF. PGF is for LaTeX: its text has the font of the document.
// PNG, at 300 dots per inch, is for viewing.
const (
	SVG Format = "svg"
	PDF Format = "pdf"
	PGF Format = "pgf"
	PNG Format = "png"
)

// Formats returns all formats.
func Formats() []Format { return []Format{SVG, PDF, PGF, PNG} }

func formatNames() []string {
	return lists.Values(Formats(), func(f Format) string { return string(f) })
}

// ParseFormats reads names of formats without repetition.
func ParseFormats(names []string) ([]Format, error) {
	var list []Format
	for _, name := range names {
		f := Format(name)
		if !slices.Contains(Formats(), f) {
			return nil, fmt.Errorf("figure format %q is none of %s", name, strings.Join(formatNames(), ", "))
		}
		list = append(list, f)
	}
	if len(list) == 0 {
		return nil, fmt.Errorf("no figure format: name one of %s", strings.Join(formatNames(), ", "))
	}
	return lists.Distinct(list, func(f Format) Format { return f }), nil
}

// Encode writes the figure to w. The same figure gives the same bytes, in any
// process. SVG files draw their text by outlines, and PDF files embed the part of
// the font that they use, so both look the same everywhere. PGF files leave the font
// to the document that includes them.
func (f *Figure) Encode(w io.Writer, format Format) error {
	data, err := f.encode(format)
	if err != nil {
		return err
	}
	_, err = w.Write(data)
	return err
}

func (f *Figure) encode(format Format) (data []byte, err error) {
	var buf bytes.Buffer
	switch format {
	case SVG:
		data, err = f.encodeSVG()
	case PDF:
		var canvas *pdfCanvas
		if canvas, err = newPDF(f.Width, f.Height); err == nil {
			err = f.drawOn(canvas, &buf)
			data = buf.Bytes()
		}
	case PGF:
		data, err = f.encodePGF()
	case PNG:
		err = f.drawOn(vgimg.PngCanvas{Canvas: vgimg.NewWith(vgimg.UseWH(f.Width, f.Height), vgimg.UseDPI(300))}, &buf)
		data = buf.Bytes()
	default:
		return nil, fmt.Errorf("figure format %q is none of %s", format, strings.Join(formatNames(), ", "))
	}
	if err != nil {
		return nil, fmt.Errorf("%s figure: %w", format, err)
	}
	return data, nil
}

// drawOn draws the figure on a canvas and writes the result. The canvases panic on what
// they cannot do, such as a path component of an unknown kind; that is an error here.
func (f *Figure) drawOn(canvas vg.CanvasWriterTo, buf *bytes.Buffer) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("%v", r)
		}
	}()
	f.draw(draw.New(canvas))
	_, err = canvas.WriteTo(buf)
	return err
}

// Save writes the figure to a file whose extension is the format. The file
// appears complete or not at all.
func (f *Figure) Save(path string) error {
	data, err := f.encode(Format(strings.TrimPrefix(filepath.Ext(path), ".")))
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return atomicfile.WriteBytes(path, data)
}
