package formats

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/qats-bench/qats/data/npy"
	"github.com/qats-bench/qats/internal/inputfile"
)

// A file of another form than its name says is an error that says what it is and what to do.
func TestTheFirstBytesSayWhatAFileIs(t *testing.T) {
	member := func(name string) string {
		return "PK\x03\x04" + strings.Repeat("\x00", 22) + string(rune(len(name))) + "\x00\x00\x00" + name
	}
	for _, c := range []struct{ name, start, want string }{
		{"z.npy", npy.Magic + "\x01\x00", ""},
		{"z", npy.Magic + "\x01\x00", ""},
		{"z.npz", member("logits.npy"), ""},
		{"z.safetensors", "\x40\x00\x00\x00\x00\x00\x00\x00{\"a\"", ""},
		{"z.csv", "p_0,p_1,label\n", ""},
		{"z.npz", npy.Magic + "\x01\x00", "a .npy array; give it a name that ends with .npy"},
		{"z.npy", member("logits.npy"), "an .npz of arrays; give it a name that ends with .npz"},
		{"z.bin", "\x40\x00\x00\x00\x00\x00\x00\x00{\"a\"", "a .safetensors; give it a name that ends with .safetensors"},
		{"z.npy", member("archive/data.pkl"), "a file of torch.save, which only Python can read; save the tensor t as an array"},
		{"z.npz", member("archive/data.pkl"), "a file of torch.save"},
		{"z.csv", member("xl/workbook.xml"), "a file of Excel; save it as CSV UTF-8"},
		{"z.csv", member("[Content_Types].xml"), "a file of Excel"},
		{"z.csv", member("z.csv"), "a ZIP archive; unpack it: unzip z.csv"},
		{"z.npy.gz", "\x1f\x8b\x08", "packed by gzip; unpack it: gunzip z.npy.gz"},
		{"z.rds", "\x1f\x8b\x08", "a file of R; in R, save it as a table"},
		{"z.npy.xz", "\xfd7zXZ\x00", "packed by xz"},
		{"z.pkl", "\x80\x04\x95", "a pickle of Python; python3 -m qatsbench.datasets import pickle z.pkl makes arrays of it"},
		{"z.parquet", "PAR1\x15", "a table of Parquet; python3 -m qatsbench.datasets import parquet z.parquet makes arrays of it"},
		{"z.mat", "MATLAB 5.0 MAT-file, Platform", `a MAT-file of MATLAB; in Python, save each array of it: np.save("logits.npy", scipy.io.loadmat("z.mat")["logits"])`},
		{"z.h5", "\x89HDF\r\n\x1a\n", "a file of HDF5"},
		{"z.npy", "version https://git-lfs.github.com/spec/v1\n", "a pointer of Git LFS in the place of the file; get the file: git lfs pull"},
		{"z.csv", "<!DOCTYPE html>", "a web page in the place of the file"},
		{"z.dict", `[{"p": 1}]`, "a text of JSON"},
		{"z.txt", "0.1 0.2\n", "a text, not an array; if it is a table with a header"},
		{"z.npy", "\x00\x01\x02", ""},
		{"z.npy", "", ""},
	} {
		got := ""
		if p := Foreign(c.name, []byte(c.start), forms.Of(c.name)); p != nil {
			got = p.Error()
		}
		if c.want == "" && got != "" || c.want != "" && !strings.HasPrefix(got, c.name+": "+c.want) {
			t.Errorf("%s %q: %q, want %q", c.name, c.start, got, c.want)
		}
		path := filepath.Join(t.TempDir(), c.name)
		if err := os.WriteFile(path, []byte(c.start), 0o666); err != nil {
			t.Fatal(err)
		}
		if f, _ := forms.Match(c.name); f == nil && (ForeignFile(path, true) == nil) != (got == "") {
			t.Errorf("%s: of the file %v", c.name, ForeignFile(path, true))
		}
		if c.want == "" || forms.Is(c.name, Rows) {
			continue
		}
		if _, err := open(inputfile.System{}, path); err != nil && !strings.Contains(err.Error(), strings.Split(c.want, ";")[0]) {
			t.Errorf("%s: reading gives %v", c.name, err)
		}
	}
}
