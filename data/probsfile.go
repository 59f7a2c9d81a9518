package data

import (
	"archive/zip"
	"bufio"
	"cmp"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/qats-bench/qats/data/npy"
)

// FileForm is how a matrix is written to a file.
type FileForm string

// The forms, which are the endings of file names.
const (
	NPY FileForm = ".npy" // one array, '<f8'
	NPZ FileForm = ".npz" // an archive whose member has the array
	CSV FileForm = ".csv" // text: the numbers of the classes, then one row a line
)

// FormOf returns the form of an output file by the ending of its name. Standard output, "-",
// and devices and pipes have the form NPY. Another ending is an error that names those that
// are known.
func FormOf(path string) (FileForm, error) {
	if path == "-" {
		return NPY, nil
	}
	switch form := FileForm(strings.ToLower(filepath.Ext(path))); form {
	case NPY, NPZ, CSV:
		return form, nil
	}
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() && !info.IsDir() {
		return NPY, nil
	}
	return "", fmt.Errorf("%s: the ending decides the format, and one of .npy, .npz and .csv is written", path)
}

// Output says how the numbers of rows are written: probabilities, n x k, or temperatures, n.
type Output struct {
	Form         FileForm
	DType        npy.DType // Float64, also if it is empty, or Float32, to which numbers are rounded to nearest
	Temperatures bool
	Confidences  bool // n numbers, of predictions with a confidence alone
}

// single reports whether there is one number a row.
func (o Output) single() bool { return o.Temperatures || o.Confidences }

// name is the name of the array in an .npz, and that of the column of temperatures in a CSV.
func (o Output) name() string {
	switch {
	case o.Temperatures:
		return "temperature"
	case o.Confidences:
		return "confidence"
	}
	return "probs"
}

// ProbsWriter writes rows of numbers, piece by piece, as they come from a map.
type ProbsWriter struct {
	Output
	to         *bufio.Writer
	zip        *zip.Writer // of NPZ
	body       io.Writer   // the array within it, or to
	cols, left int         // elements still to come
	line       []byte
	narrow     []float32
}

// NewProbsWriter begins n x k probabilities, or n temperatures or confidences. Close ends them.
func NewProbsWriter(w io.Writer, o Output, n, k int) (*ProbsWriter, error) {
	shape := []int{n, k}
	if o.single() {
		k, shape = 1, shape[:1]
	}
	o.DType = cmp.Or(o.DType, npy.Float64)
	p := &ProbsWriter{Output: o, to: bufio.NewWriterSize(w, 1<<16), cols: k, left: n * k}
	p.body = p.to
	switch o.Form {
	case CSV:
		if o.single() {
			p.line = append(p.line, o.name()+","...)
			return p, p.endLine()
		}
		for j := range k {
			p.line = append(strconv.AppendInt(p.line, int64(j), 10), ',')
		}
		return p, p.endLine()
	case NPZ:
		p.zip = zip.NewWriter(p.to)
		var err error
		p.body, err = p.zip.CreateHeader(&zip.FileHeader{Name: o.name() + ".npy", Method: zip.Store, Modified: time.Date(1980, 1, 1, 0, 0, 0, 0, time.UTC)})
		if err != nil {
			return nil, err
		}
	}
	_, err := p.body.Write(npy.HeaderBytes(o.DType, shape))
	return p, err
}

// endLine writes the line without its last comma.
func (p *ProbsWriter) endLine() error {
	p.line = append(p.line[:max(0, len(p.line)-1)], '\n')
	_, err := p.to.Write(p.line)
	p.line = p.line[:0]
	return err
}

// Write appends whole rows. It panics if there are more than n.
func (p *ProbsWriter) Write(rows Probs) error {
	if p.left -= len(rows.Data); p.left < 0 || rows.Cols != p.cols {
		panic("data: more probabilities than announced")
	}
	bits := 64
	if p.DType == npy.Float32 {
		bits = 32
		p.narrow = p.narrow[:0]
		for _, v := range rows.Data {
			p.narrow = append(p.narrow, float32(v))
		}
	}
	if p.Form != CSV {
		b := npy.Little(rows.Data)
		if p.DType == npy.Float32 {
			b = npy.Little(p.narrow)
		}
		_, err := p.body.Write(b)
		return err
	}
	for i := range rows.Rows {
		for _, v := range rows.Row(i) {
			p.line = append(strconv.AppendFloat(p.line, v, 'g', -1, bits), ',')
		}
		if err := p.endLine(); err != nil {
			return err
		}
	}
	return nil
}

// Close ends the file. Rows that are missing are an error.
func (p *ProbsWriter) Close() error {
	if p.left > 0 {
		return fmt.Errorf("%d probabilities were not written", p.left)
	}
	if p.zip != nil {
		if err := p.zip.Close(); err != nil {
			return err
		}
	}
	return p.to.Flush()
}
