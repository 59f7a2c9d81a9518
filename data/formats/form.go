package formats

import (
	"io"
	"io/fs"
	"path/filepath"
	"strings"

	"github.com/qats-bench/qats/data/npy"
)

// Form is a form of files of arrays.
type Form interface {
	// Endings returns how the names of files of the form end, in lower case, the usual ending first.
	Endings() []string
	// Content says what a file of the form has.
	Content() Content
	// Begins reports whether the first bytes of a file, at most 512, are those of the form.
	Begins(start []byte) bool
	// Members returns the arrays of a file, in its order. It reads headers at most.
	Members(f npy.File) ([]Member, error)
	// Open returns a member as its header and the bytes in which its numbers are: those of f, or others in memory, of
	// which there are at most limit.
	Open(f npy.File, m Member, limit int64) (npy.Header, npy.File, error)
}

// Content is what a file has.
type Content int

// The contents.
const (
	One     Content = iota // one array, which has no name
	Several                // arrays with names
	Rows                   // a table, of which a file system makes arrays with names
)

// Member is an array of a file.
type Member interface {
	Name() string                // empty where the file has no other
	Header() (npy.Header, error) // an error too for an array that has no numbers
	Write(w io.Writer) error     // the array as a .npy
}

// match returns the ending of a name if it is one of the form; else "".
func match(f Form, path string) string {
	name := strings.ToLower(filepath.Base(path))
	for _, ending := range f.Endings() {
		if strings.HasSuffix(name, ending) {
			return path[len(path)-len(ending):]
		}
	}
	return ""
}

// List are forms. The first of them is that of files with names of no form.
type List []Form

// Match returns the form that the name of a file has, and its ending; nil for the name of none.
func (l List) Match(path string) (f Form, ending string) {
	for _, f := range l {
		if ending := match(f, path); ending != "" {
			return f, ending
		}
	}
	return nil, ""
}

// Is reports whether the name of a file is that of a form with the content.
func (l List) Is(path string, c Content) bool {
	f, _ := l.Match(path)
	return f != nil && f.Content() == c
}

// Of returns the form in which a file is read. A stream is one .safetensors.
func (l List) Of(path string) Form {
	if path == npy.StreamName {
		return Safetensors{}
	}
	if f, _ := l.Match(path); f != nil {
		return f
	}
	return l[0]
}

// Usual returns the usual ending of each form with the content.
func (l List) Usual(c Content) []string {
	var all []string
	for _, f := range l {
		if f.Content() == c {
			all = append(all, f.Endings()[0])
		}
	}
	return all
}

// Endings returns all endings, without those of packed files, such as .csv.gz.
func (l List) Endings() []string {
	var all []string
	for _, f := range l {
		for _, ending := range f.Endings() {
			if strings.Count(ending, ".") == 1 {
				all = append(all, ending)
			}
		}
	}
	return all
}

// Stem returns the name of a file without its folder and its ending.
func (l List) Stem(path string) string {
	base := filepath.Base(path)
	_, ending := l.Match(base)
	if ending == "" {
		ending = filepath.Ext(base)
	}
	return strings.TrimSuffix(base, ending)
}

// Locate finds the place of a name: "dir/file.npy", or "dir/file.npz#member" of a form with names.
func (l List) Locate(fsys fs.FS, name string) Location {
	at := Location{FS: fsys, Path: name, Name: name, form: l.Of(name)}
	if i := strings.LastIndexByte(name, '#'); i > 0 {
		if f := l.Of(name[:i]); f.Content() != One {
			at.Path, at.Member, at.form = name[:i], name[i+1:], f
			if _, zipped := f.(NPZ); zipped { // whose members are files
				at.Member = strings.TrimSuffix(at.Member, ArrayEnding)
			}
		}
	}
	return at
}

// Arrays returns the arrays of a file with several, or of a table or a stream that fsys has.
func (l List) Arrays(fsys fs.FS, file string) ([]npy.Named, error) {
	return Location{FS: fsys, Path: file, Name: file, form: l.Of(file)}.Arrays()
}
