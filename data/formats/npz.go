package formats

import (
	"bytes"

	"github.com/qats-bench/qats/data/npy"
)

// zipMagic begins a ZIP archive.
const zipMagic = "PK\x03\x04"

// NPZ is the form of an .npz, a ZIP archive of .npy files, which numpy.savez writes.
type NPZ struct{}

func (NPZ) Endings() []string        { return []string{".npz"} }
func (NPZ) Content() Content         { return Several }
func (NPZ) Begins(start []byte) bool { return bytes.HasPrefix(start, []byte(zipMagic)) }

// Members returns the arrays of the archive.
func (NPZ) Members(f npy.File) ([]Member, error) {
	members, err := npy.Members(f)
	var all []Member
	for _, m := range members {
		all = append(all, m)
	}
	return all, err
}

// Open unpacks a member into memory.
func (NPZ) Open(_ npy.File, m Member, limit int64) (npy.Header, npy.File, error) {
	unpacked, err := m.(npy.Member).Unpack(limit)
	if err != nil {
		return npy.Header{}, npy.File{}, err
	}
	h, err := unpacked.Header()
	return h, unpacked, err
}
