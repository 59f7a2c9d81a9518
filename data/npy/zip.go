package npy

import (
	"archive/zip"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
)

// DefaultMemberLimit is the largest member of an archive that is unpacked, in bytes,
// unless another limit is set.
const DefaultMemberLimit = 4 << 30

// maxDeflate is the largest factor by which deflate expands. A member that declares
// more is damaged or malicious.
const maxDeflate = 1032

// Member is one array of an .npz.
type Member struct{ file *zip.File }

// Members returns the arrays of an .npz, in its order.
func Members(f File) ([]Member, error) {
	z, err := openZip(f.Body, f.Size)
	if err != nil {
		return nil, err
	}
	var all []Member
	for _, m := range z.File {
		all = append(all, Member{m})
	}
	return all, nil
}

// Name returns the name of the member, without .npy.
func (m Member) Name() string { return strings.TrimSuffix(m.file.Name, ".npy") }

// Header unpacks the header of the member, and no more.
func (m Member) Header() (Header, error) {
	h, _, err := memberHeader(m.file)
	return h, err
}

// Unpack returns the bytes of the .npy, of which there are at most limit.
func (m Member) Unpack(limit int64) (File, error) {
	b, err := readArray(m.file, limit)
	return File{Body: bytes.NewReader(b), Size: int64(len(b))}, err
}

// Write writes the bytes of the .npy to w.
func (m Member) Write(w io.Writer) error { return copyMember(w, m.file) }

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
func memberHeader(f *zip.File) (Header, int64, error) {
	size, err := declared(f)
	if err != nil {
		return Header{}, 0, err
	}
	head := make([]byte, min(size, maxHeader+12))
	if err := unpackInto(f, head, int64(len(head)) == size); err != nil {
		return Header{}, 0, err
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
