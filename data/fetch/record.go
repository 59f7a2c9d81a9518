package fetch

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/qats-bench/qats/internal/atomicfile"
	"github.com/qats-bench/qats/internal/inputfile"
)

// RecordName is the name of the file that remembers what was downloaded to a folder:
// lines of SHA-256, bytes, name and address, separated by tabs.
const RecordName = "fetched.tsv"

// entry is what a download had when it was first complete.
type entry struct {
	sha256 string
	bytes  int64
	url    string
}

// records are the downloads of a folder, by name.
type records map[string]entry

// readRecords reads fetched.tsv in dir; without one there are no records.
func readRecords(dir string) (records, error) {
	path := filepath.Join(dir, RecordName)
	b, err := inputfile.Read(path)
	if errors.Is(err, fs.ErrNotExist) {
		return records{}, nil
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, inputfile.Cause(err))
	}
	r := records{}
	for i, line := range strings.Split(strings.TrimSuffix(string(b), "\n"), "\n") {
		f := strings.Split(line, "\t")
		if len(f) != 4 || !isDigest(f[0], 64) || checkName(f[2]) != nil {
			return nil, fmt.Errorf("%s:%d: want SHA-256, bytes, name and address; remove the line to record the file again", path, i+1)
		}
		n, err := strconv.ParseInt(f[1], 10, 64)
		if err != nil || n < 0 {
			return nil, fmt.Errorf("%s:%d: %q is no number of bytes", path, i+1, f[1])
		}
		r[f[2]] = entry{f[0], n, f[3]}
	}
	return r, nil
}

// write writes fetched.tsv in dir, in the order of the names.
func (r records) write(dir string) error {
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(r)) {
		e := r[name]
		fmt.Fprintf(&b, "%s\t%d\t%s\t%s\n", e.sha256, e.bytes, name, e.url)
	}
	return atomicfile.WriteBytes(filepath.Join(dir, RecordName), []byte(b.String()))
}

// isDigest reports whether s has so many hexadecimal digits in lower case.
func isDigest(s string, digits int) bool {
	return len(s) == digits && strings.Trim(s, "0123456789abcdef") == ""
}
