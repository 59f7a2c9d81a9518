package data

import (
	"archive/zip"
	"bufio"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
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

// ProbsWriter writes rows of probabilities, piece by piece, as they come from a map.
type ProbsWriter struct {
	to         *bufio.Writer
	form       FileForm
	zip        *zip.Writer // of NPZ
	body       io.Writer   // the array within it, or to
	cols, left int         // elements still to come
	line       []byte
}

// probsMember is the name of the array in an .npz.
const probsMember = "probs"

// NewProbsWriter begins n x k float64 numbers. Close ends them.
func NewProbsWriter(w io.Writer, form FileForm, n, k int) (*ProbsWriter, error) {
	p := &ProbsWriter{to: bufio.NewWriterSize(w, 1<<16), form: form, cols: k, left: n * k}
	p.body = p.to
	switch form {
	case CSV:
		for j := range k {
			p.line = append(strconv.AppendInt(p.line, int64(j), 10), ',')
		}
		return p, p.endLine()
	case NPZ:
		p.zip = zip.NewWriter(p.to)
		var err error
		p.body, err = p.zip.CreateHeader(&zip.FileHeader{Name: probsMember + ".npy", Method: zip.Store, Modified: time.Date(1980, 1, 1, 0, 0, 0, 0, time.UTC)})
		if err != nil {
			return nil, err
		}
	}
	_, err := p.body.Write(headerBytes(Float64, []int{n, k}))
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
	if p.form != CSV {
		_, err := p.body.Write(little(rows.Data))
		return err
	}
	for i := range rows.Rows {
		for _, v := range rows.Row(i) {
			p.line = append(strconv.AppendFloat(p.line, v, 'g', -1, 64), ',')
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
