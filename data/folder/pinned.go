package folder

import (
	"errors"
	"path/filepath"

	"github.com/qats-bench/qats/data"
	"github.com/qats-bench/qats/data/formats"
	"github.com/qats-bench/qats/data/problem"
	"github.com/qats-bench/qats/internal/inputfile"
)

// Pinned returns digests for one plan and its run. They share the memory of d. They hold
// each file to the version that they are first asked for. If the file changes later, File
// and the Digest, Open and Unchanged of a Folder return the error "changed while being
// read". So a number computed from one content cannot be stored under the digest of
// another.
//
// With anew, the memory is not used: every file is hashed once more, and the
// result is remembered.
func (d *Digests) Pinned(anew bool) *Digests {
	return &Digests{memory: d, anew: anew, pins: map[string]record{}}
}

// pin returns the digest that id is held to, or holds it to the one that the file
// at l has now.
func (d *Digests) pin(l formats.Location, id string) (record, error) {
	now, err := stampAt(l)
	if err != nil {
		return record{}, err
	}
	d.mu.Lock()
	first, ok := d.pins[id]
	d.mu.Unlock()
	if ok {
		return first, first.same(now, l.Name)
	}
	s, err := d.memory.sum(l, id, d.anew, d.most)
	d.mu.Lock()
	defer d.mu.Unlock()
	var unknown *NotHashed
	if errors.As(err, &unknown) {
		if d.left == nil {
			d.left = map[string]int64{}
		}
		d.left[unknown.Name] = unknown.Bytes
	}
	if err != nil {
		return record{}, err
	}
	if first, ok := d.pins[id]; ok { // another goroutine was faster
		return first, first.same(s.stamp, l.Name)
	}
	d.pins[id] = s
	return s, nil
}

// same returns an error if the file, which errors call name, does not have the stamp of the
// record.
func (r record) same(now stamp, name string) error {
	if r.stamp != now {
		return problem.Changed(name)
	}
	return nil
}

// check returns an error if the file of id is held to another version than now.
func (d *Digests) check(id string, now stamp, name string) error {
	d.mu.Lock()
	first, ok := d.pins[id]
	d.mu.Unlock()
	if !ok {
		return nil
	}
	return first.same(now, name)
}

// Unchanged returns an error if the file at path, which errors call name, is not
// the version that d is held to (see Pinned).
func (d *Digests) Unchanged(path, name string) error {
	id, err := filepath.Abs(path)
	if err != nil {
		return err
	}
	now, err := stampAt(formats.Location{FS: inputfile.System{}, Path: path, Name: name})
	if err != nil {
		return err
	}
	return d.check(id, now, name)
}

// Unchanged returns an error if a file of the parts of ref is not the version that
// its digest was computed of. It compares versions only where the digests of the
// source are held to one (see Digests.Pinned). A source without files does not change.
func Unchanged(src data.Source, ref data.Ref, parts data.Parts) error {
	for f, in := range data.Beneath[*Folder](src, ref, parts) {
		if err := f.unchanged(in.Ref, in.Parts); err != nil {
			return err
		}
	}
	return nil
}

// unchanged is Unchanged of a folder.
func (f *Folder) unchanged(ref data.Ref, parts data.Parts) error {
	files, err := f.files(ref)
	if err != nil {
		return err
	}
	for _, x := range files.List(parts) {
		now, err := stampAt(f.at(x.Path))
		if err != nil {
			return err
		}
		if err := f.digests.check(f.id(x.Path), now, f.at(x.Path).Name); err != nil {
			return err
		}
	}
	return nil
}
