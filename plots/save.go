package plots

import (
	"bytes"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"codeberg.org/go-pdf/fpdf"
	"github.com/qats-bench/qats/internal/atomicfile"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgpdf"
	"gonum.org/v1/plot/vg/vgsvg"
)

// Figure is a checked figure, ready to be written in any format. It is immutable
// and safe for concurrent use.
type Figure struct {
	Width, Height vg.Length // of the page, in points
	Caption       string    // one or two sentences: what the figure shows, and of which methods
	Notes         []string  // at the foot: what is averaged and what is missing; one sentence each
	draw          func(c draw.Canvas)
}

// Format is a file format, named as its extension.
type Format string

// Reports have SVG and PDF. PNG, at 300 dots per inch, is for viewing.
const (
	SVG Format = "svg"
	PDF Format = "pdf"
	PNG Format = "png"
)

// fixPDF makes PDF files reproducible: fonts in sorted order, and a constant in
// place of the date that a PDF must have. Only here does the package change state
// of the process. It has to, because vgpdf hides its document, and fpdf offers
// these three settings otherwise only as defaults for all documents.
var fixPDF = sync.OnceFunc(func() {
	constant := time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)
	fpdf.SetDefaultCatalogSort(true)
	fpdf.SetDefaultCreationDate(constant)
	fpdf.SetDefaultModificationDate(constant)
})

// Encode writes the figure to w. The same figure gives the same bytes, in any
// process. PDF files embed their font, about 215 kB; SVG files name it
// (Liberation Sans, else Arial or Helvetica, which are as wide).
func (f *Figure) Encode(w io.Writer, format Format) error {
	data, err := f.encode(format)
	if err != nil {
		return err
	}
	_, err = w.Write(data)
	return err
}

func (f *Figure) encode(format Format) (data []byte, err error) {
	// The backends panic on what they cannot do, such as a full temporary
	// folder in which vgpdf prepares its font.
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("%s figure: %v", format, r)
		}
	}()
	var canvas vg.CanvasWriterTo
	switch format {
	case SVG:
		canvas = vgsvg.New(f.Width, f.Height)
	case PDF:
		fixPDF()
		canvas = vgpdf.New(f.Width, f.Height)
	case PNG:
		canvas = vgimg.PngCanvas{Canvas: vgimg.NewWith(vgimg.UseWH(f.Width, f.Height), vgimg.UseDPI(300))}
	default:
		return nil, fmt.Errorf("figure format %q is none of svg, pdf, png", format)
	}
	f.draw(draw.New(canvas))
	var buf bytes.Buffer
	if _, err := canvas.WriteTo(&buf); err != nil {
		return nil, fmt.Errorf("%s figure: %w", format, err)
	}
	if format == SVG {
		// vgsvg names one family; where it is not installed, browsers would
		// fall back to a serif of other widths.
		return bytes.ReplaceAll(buf.Bytes(), []byte("font-family:Liberation Sans;"),
			[]byte("font-family:Liberation Sans,Arial,Helvetica,sans-serif;")), nil
	}
	return buf.Bytes(), nil
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
