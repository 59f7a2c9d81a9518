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

	"github.com/qats-bench/qats/internal/inputfile"
)

// modelFolder is the folder into which fit writes its files.
const modelFolder = "model"

// ModelLimit is the largest number of bytes of a model, which is held in memory and
// kept in the store.
const ModelLimit = 256 << 20

// Model is the files that a program's fit wrote, as a tar file. Its bytes depend on the
// names, modes and contents of the files alone.
type Model []byte

// readModel packs the files below dir. Anything but regular files and folders is an
// error, because it would not be the same in another place.
func readModel(dir string) (Model, error) {
	var packed bytes.Buffer
	w := tar.NewWriter(&packed)
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
		if err != nil {
			return err
		}
		h := &tar.Header{Name: name, Mode: 0o644, Size: int64(len(body)), Format: tar.FormatPAX}
		if info.Mode()&0o100 != 0 {
			h.Mode = 0o755
		}
		if err := w.WriteHeader(h); err != nil {
			return err
		}
		_, err = w.Write(body)
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
	err = w.Close()
	return packed.Bytes(), err
}

// write creates dir and writes the files below it.
func (m Model) write(dir string) error {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	r := tar.NewReader(bytes.NewReader(m))
	for {
		h, err := r.Next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return fmt.Errorf("not a model of an external program: %w", err)
		}
		if !filepath.IsLocal(filepath.FromSlash(h.Name)) {
			return fmt.Errorf("model file %q is outside the folder of the model", h.Name)
		}
		body, err := io.ReadAll(r)
		if err != nil {
			return fmt.Errorf("model file %s: %w", h.Name, err)
		}
		path := filepath.Join(dir, filepath.FromSlash(h.Name))
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			return err
		}
		mode := fs.FileMode(0o666)
		if h.Mode&0o100 != 0 {
			mode = 0o777
		}
		if err := os.WriteFile(path, body, mode); err != nil {
			return err
		}
	}
}
