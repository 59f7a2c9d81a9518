package external

import (
	"archive/tar"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/qats-bench/qats/internal/inputfile"
)

// modelFolder is the folder into which fit writes its files.
const modelFolder = "model"

// ModelLimit is the largest number of bytes of a model, which is held in memory and
// kept in the store.
const ModelLimit = 256 << 20

// File is one file of a model.
type File struct {
	Name string // below model/, with slashes
	Exec bool   // whether it is executable
	Body []byte
}

// Model holds the files that a program's fit wrote, in the order of the names.
type Model []File

// readModel reads the files below dir. Anything but regular files and folders is an
// error, because it would not be the same in another place.
func readModel(dir string) (Model, error) {
	m := Model{}
	left := int64(ModelLimit)
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		name, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		name = filepath.ToSlash(name)
		info, err := d.Info()
		if err != nil {
			return err
		}
		if !info.Mode().IsRegular() {
			return fmt.Errorf("fit wrote model/%s, which is not a regular file", name)
		}
		if left -= info.Size(); left < 0 {
			return fmt.Errorf("fit wrote a model of more than %d MiB", ModelLimit>>20)
		}
		body, err := os.ReadFile(path)
		m = append(m, File{name, info.Mode()&0o100 != 0, body})
		return err
	})
	if errors.Is(err, fs.ErrNotExist) {
		return nil, errors.New("fit removed the folder model")
	}
	if err != nil {
		if cause := inputfile.Cause(err); cause != err {
			return nil, fmt.Errorf("model: %w", cause)
		}
		return nil, err
	}
	slices.SortFunc(m, func(a, b File) int { return strings.Compare(a.Name, b.Name) })
	return m, nil
}

// write creates dir and writes the files below it.
func (m Model) write(dir string) error {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	for _, f := range m {
		if !filepath.IsLocal(filepath.FromSlash(f.Name)) {
			return fmt.Errorf("model file %q is outside the folder of the model", f.Name)
		}
		path := filepath.Join(dir, filepath.FromSlash(f.Name))
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			return err
		}
		mode := fs.FileMode(0o666)
		if f.Exec {
			mode = 0o777
		}
		if err := os.WriteFile(path, f.Body, mode); err != nil {
			return err
		}
	}
	return nil
}

// Encode returns the model as a tar file. Its bytes depend on the names, modes and
// contents of the files alone.
func (m Model) Encode() ([]byte, error) {
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for _, f := range m {
		h := &tar.Header{Name: f.Name, Mode: 0o644, Size: int64(len(f.Body)), Format: tar.FormatPAX}
		if f.Exec {
			h.Mode = 0o755
		}
		if err := w.WriteHeader(h); err != nil {
			return nil, err
		}
		if _, err := w.Write(f.Body); err != nil {
			return nil, err
		}
	}
	err := w.Close()
	return b.Bytes(), err
}

// DecodeModel returns the model that Encode encoded.
func DecodeModel(b []byte) (Model, error) {
	m := Model{}
	r := tar.NewReader(bytes.NewReader(b))
	for {
		h, err := r.Next()
		if err == io.EOF {
			return m, nil
		}
		if err != nil {
			return nil, fmt.Errorf("not a model of an external program: %w", err)
		}
		body, err := io.ReadAll(r)
		if err != nil {
			return nil, fmt.Errorf("model file %s: %w", h.Name, err)
		}
		m = append(m, File{h.Name, h.Mode&0o100 != 0, body})
	}
}
