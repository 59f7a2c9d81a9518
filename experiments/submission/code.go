package submission

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"
)

// mostBytes is the most that the files of an entry have together.
const mostBytes = 1 << 20

// Source is the code of an entry: the content of each file, by its path below code/.
type Source map[string][]byte

// readSource reads the files of a card below a folder. All must be regular files with text.
func readSource(dir string, files []string) (Source, error) {
	code, total := Source{}, 0
	for _, file := range files {
		if err := checkPath(file); err != nil {
			return nil, err
		}
		path := filepath.Join(dir, filepath.FromSlash(file))
		text, err := readText(path)
		if err != nil {
			return nil, err
		}
		if total += len(text); total > mostBytes {
			return nil, fmt.Errorf("%s: the code has more than 1 MB", path)
		}
		code[file] = text
	}
	return code, nil
}

// readText reads a file that must be text, and neither a link nor a device.
func readText(path string) ([]byte, error) {
	info, err := os.Lstat(path)
	switch {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("%s: not a regular file; an entry has no links", path)
	case info.Size() > mostBytes:
		return nil, fmt.Errorf("%s: more than 1 MB", path)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	if !utf8.Valid(text) || bytes.IndexByte(text, 0) >= 0 {
		return nil, fmt.Errorf("%s: a binary file; an entry has its source as text", path)
	}
	return text, nil
}

// Digest is the digest of the code: of the names and contents of its files.
func (s Source) Digest() string {
	h := sha256.New()
	for _, file := range s.files() {
		fmt.Fprintf(h, "%s %d\n", file, len(s[file]))
		h.Write(s[file])
	}
	return hex.EncodeToString(h.Sum(nil))
}

// files returns the names of the files, sorted.
func (s Source) files() []string {
	var names []string
	for name := range s {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// write writes the files below a folder, which it makes.
func (s Source) write(dir string) error {
	for file, text := range s {
		path := filepath.Join(dir, filepath.FromSlash(file))
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o777), os.WriteFile(path, text, 0o666)); err != nil {
			return err
		}
	}
	return nil
}

// fileDigest returns the digest of a file.
func fileDigest(path string) (string, error) {
	b, err := os.ReadFile(path)
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:]), nil
}

// checkFolder returns an error if the folder of an entry has something that no entry has: a link, a file that the
// card does not name, or more than 1 MB.
func checkFolder(dir string, c *Card) error {
	var total int64
	return filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		rel, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		name := filepath.ToSlash(rel)
		code, inCode := strings.CutPrefix(name, CodeFolder+"/")
		switch {
		case inCode && slices.Contains(c.Code, code):
		case slices.Contains([]string{CardFile, ResultsFile, FitsFile}, name):
		default:
			return fmt.Errorf("%s: no file of an entry; the card names the files of the code", path)
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		if !info.Mode().IsRegular() {
			return fmt.Errorf("%s: not a regular file; an entry has no links", path)
		}
		if total += info.Size(); total > mostBytes {
			return fmt.Errorf("%s: the entry has more than 1 MB", dir)
		}
		return nil
	})
}
