package npy

import (
	"archive/zip"
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"
)

// DefaultMemberLimit is the largest member of an archive that is unpacked, in bytes,
// unless another limit is set.
const DefaultMemberLimit = 4 << 30

// maxDeflate is the largest factor by which deflate expands. A member that declares
// more is damaged or malicious.
const maxDeflate = 1032

// member is one array of an .npz or a .safetensors.
type member interface {
	name() string
	readHeader() (header, error)
	writeTo(w io.Writer) error // the bytes of the .npy
}

// members returns the arrays in the file c at l, which is an .npz or a .safetensors.
func (l Location) members(c File) (all []member, err error) {
	if HasMembers(l.Path) { // the body of a table is of another form than the file
		if p := Foreign(l.Path, startOf(c.body)); p != nil {
			return nil, p
		}
	}
	if IsTensors(l.Path) || IsTable(l.Path) {
		tensors, err := parseTensorFile(c.body, c.size)
		for i := range tensors {
			all = append(all, &tensors[i])
		}
		return all, err
	}
	z, err := openZip(c.body, c.size)
	if err != nil {
		return nil, err
	}
	for _, f := range z.File {
		all = append(all, archived{f})
	}
	return all, nil
}

// find returns the member at l of the file c.
func (l Location) find(c File) (member, error) {
	all, err := l.members(c)
	if err != nil {
		return nil, err
	}
	var found member
	var names []string
	for _, m := range all {
		names = append(names, m.name())
		if m.name() != l.Member {
			continue
		}
		if found != nil {
			return nil, fmt.Errorf("two members are named %s", l.Member)
		}
		found = m
	}
	switch {
	case found != nil:
		return found, nil
	case l.Member == "" && l.Path == StreamName:
		return nil, fmt.Errorf("name the array in it as %s#NAME (it has %s)", StreamName, listed(names))
	case l.Member == "":
		file := "FILE" + filepath.Ext(l.Path)
		if IsTable(l.Path) {
			file = filepath.Base(l.Path)
		}
		return nil, fmt.Errorf("name the array in it as %s#NAME (it has %s)", file, listed(names))
	}
	return nil, &missingMember{names}
}

// missingMember is the error of a file without the member asked for.
type missingMember struct{ names []string }

func (e *missingMember) Error() string {
	return fmt.Sprintf("no such member (it has %s)", listed(e.names))
}

func listed(names []string) string { return cmp.Or(strings.Join(names, ", "), "none") }

// encrypted is the bit of a member's flags for an encrypted member.
const encrypted = 1

// readArray unpacks the .npy in a member into memory of exactly its size. Before that it
// reads only the header, so that a size that is above the limit or contradicts the header
// takes no memory.
func readArray(f *zip.File, limit int64) ([]byte, error) {
	_, size, err := memberHeader(f)
	if err != nil {
		return nil, err
	}
	if size > limit {
		return nil, fmt.Errorf("unpacks to %d MiB, more than the limit of %d MiB: store it as .npy, which is read in blocks, or raise --max-memory", size>>20, limit>>20)
	}
	b := make([]byte, size)
	return b, unpackInto(f, b, true)
}

// memberHeader reads the header of the .npy in a member, and the size of the member.
func memberHeader(f *zip.File) (header, int64, error) {
	size, err := declared(f)
	if err != nil {
		return header{}, 0, err
	}
	head := make([]byte, min(size, maxHeader+12))
	if err := unpackInto(f, head, int64(len(head)) == size); err != nil {
		return header{}, 0, err
	}
	h, err := readHeader(bytes.NewReader(head), size)
	return h, size, err
}

// declared returns the size that the archive declares for a member. A size that so few
// compressed bytes cannot give is an error.
func declared(f *zip.File) (int64, error) {
	possible := f.CompressedSize64
	switch {
	case f.Flags&encrypted != 0:
		return 0, errors.New("is encrypted; store it without a password")
	case f.Method == zip.Store:
	case f.Method == zip.Deflate:
		possible *= maxDeflate
	default:
		return 0, fmt.Errorf("compression method %d is not supported; use numpy.savez or numpy.savez_compressed", f.Method)
	}
	if f.UncompressedSize64 > possible || f.UncompressedSize64 > 1<<62 {
		return 0, fmt.Errorf("declares %d bytes, more than %d compressed bytes can hold", f.UncompressedSize64, f.CompressedSize64)
	}
	return int64(f.UncompressedSize64), nil
}

// unpackInto fills b with the first bytes of a member. If these are all its bytes, the
// member must end there and its CRC must match.
func unpackInto(f *zip.File, b []byte, all bool) error {
	r, err := f.Open()
	if err != nil {
		return fmt.Errorf("not a complete .npz file: %w", err)
	}
	defer r.Close()
	_, err = io.ReadFull(r, b)
	if err == nil && all {
		err = atEnd(r)
	}
	return unpackError(f, err)
}

// atEnd returns an error unless r ends here.
func atEnd(r io.Reader) error {
	switch n, err := io.ReadFull(r, make([]byte, 1)); {
	case n > 0:
		return zip.ErrFormat
	case err == io.EOF:
		return nil
	default:
		return err
	}
}

// copyMember writes the unpacked bytes of a member to w.
func copyMember(w io.Writer, f *zip.File) error {
	size, err := declared(f)
	if err != nil {
		return err
	}
	r, err := f.Open()
	if err != nil {
		return fmt.Errorf("not a complete .npz file: %w", err)
	}
	defer r.Close()
	if _, err = io.CopyN(w, r, size); err == nil {
		err = atEnd(r)
	}
	return unpackError(f, err)
}

// unpackError says what an error of unpacking a member means.
func unpackError(f *zip.File, err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, zip.ErrChecksum):
		return errors.New("damaged: the CRC does not match")
	case errors.Is(err, zip.ErrFormat):
		return fmt.Errorf("unpacks to more than the declared %d bytes", f.UncompressedSize64)
	case errors.Is(err, io.EOF):
		err = io.ErrUnexpectedEOF
	}
	return fmt.Errorf("damaged: %w", err)
}
