package formats

import (
	"bytes"
	"errors"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/qats-bench/qats/data/npy"
	"github.com/qats-bench/qats/data/problem"
	"github.com/qats-bench/qats/internal/inputfile"
)

// startLength is how many bytes of a file tell its form.
const startLength = 512

// foreign is a form of files that are not read, or not under such a name. They begin with some bytes.
type foreign struct {
	start string
	what  string
	fix   string // NAME stands for the name of the file
}

const (
	byImport = `python3 -m qatsbench.datasets import `
	byPandas = `in Python, save it as a table: `
)

// foreigners are the forms that people have arrays in and that are not read, what comes in the place of arrays, and the
// forms that are read under a name of their own alone.
var foreigners = []foreign{
	{npy.Magic, "a .npy array", "give it a name that ends with .npy"},
	{"\x1f\x8b", "packed by gzip", "unpack it: gunzip NAME"},
	{"BZh", "packed by bzip2", "unpack it: bunzip2 NAME"},
	{"\xfd7zXZ\x00", "packed by xz", "unpack it: unxz NAME"},
	{"\x28\xb5\x2f\xfd", "packed by Zstandard", "unpack it: unzstd NAME"},
	{"\x04\x22\x4d\x18", "packed by LZ4", "unpack it: unlz4 NAME"},
	{"7z\xbc\xaf\x27\x1c", "an archive of 7-Zip", "unpack it"},
	{zipMagic, "a ZIP archive", "unpack it: unzip NAME"},
	{"\x80\x02", "a pickle of Python", byImport + "pickle NAME makes arrays of it"},
	{"\x80\x03", "a pickle of Python", byImport + "pickle NAME makes arrays of it"},
	{"\x80\x04", "a pickle of Python", byImport + "pickle NAME makes arrays of it"},
	{"\x80\x05", "a pickle of Python", byImport + "pickle NAME makes arrays of it"},
	{"PAR1", "a table of Parquet", byImport + "parquet NAME makes arrays of it"},
	{"ARROW1", "a table of Arrow", byPandas + `pd.read_feather("NAME").to_csv("x.csv", index=False)`},
	{"FEA1", "a table of Feather", byPandas + `pd.read_feather("NAME").to_csv("x.csv", index=False)`},
	{"\xff\xff\xff\xff", "a stream of Arrow", byPandas + `pa.ipc.open_stream("NAME").read_pandas().to_csv("x.csv", index=False)`},
	{"\x89HDF\r\n\x1a\n", "a file of HDF5", `in Python, save each array of it: np.save("logits.npy", h5py.File("NAME")["logits"][:])`},
	{"MATLAB 7.3 MAT-file", "a MAT-file of MATLAB 7.3", `in MATLAB, save it as a table, a column a class: writetable(t, "x.csv")`},
	{"MATLAB 5.0 MAT-file", "a MAT-file of MATLAB", `in Python, save each array of it: np.save("logits.npy", scipy.io.loadmat("NAME")["logits"])`},
	{"RDX", "a file of R", `in R, save it as a table: write.csv(x, "x.csv", row.names = FALSE)`},
	{"X\n\x00\x00\x00", "a file of R", `in R, save it as a table: write.csv(x, "x.csv", row.names = FALSE)`},
	{"\xd0\xcf\x11\xe0", "a file of Excel", "save it as CSV UTF-8"},
	{"version https://git-lfs", "a pointer of Git LFS in the place of the file", "get the file: git lfs pull"},
	{"%PDF", "a PDF", ""},
	{"\x89PNG", "a picture", ""},
}

// What the first bytes alone do not tell.
var (
	inExcel   = foreign{what: "a file of Excel", fix: "save it as CSV UTF-8"}
	inR       = foreign{what: "a file of R", fix: `in R, save it as a table: write.csv(x, "x.csv", row.names = FALSE)`}
	inJSON    = foreign{what: "a text of JSON", fix: byPandas + `pd.read_json("NAME").to_csv("x.csv", index=False)`}
	webPage   = foreign{what: "a web page in the place of the file", fix: "download the file itself"}
	zipped    = foreign{what: "an .npz of arrays", fix: "give it a name that ends with .npz"}
	ofTensors = foreign{what: "a .safetensors", fix: "give it a name that ends with .safetensors"}
	plainText = foreign{what: "a text, not an array", fix: `if it is a table with a header, give it a name that ends with .csv; if it has only numbers, save them in Python: np.save("x.npy", np.loadtxt("NAME"))`}
)

// Foreign returns the error of a file whose first bytes, at most 512, say that it has another form than f, which its name
// says, and what to do with it; nil if they do not. The bytes of a table are those after it was unpacked.
func Foreign(name string, start []byte, f Form) *problem.Problem {
	found, ok := foreignOf(name, start, f)
	if !ok {
		return nil
	}
	if found.what == torchForm {
		return TorchProblem(name)
	}
	return &problem.Problem{Place: name, Cause: found.what, Fix: strings.ReplaceAll(found.fix, "NAME", name)}
}

// torchForm is what a file of torch.save is.
const torchForm = "torch.save"

// foreignOf returns the form of a file that has another one than f.
func foreignOf(name string, start []byte, f Form) (foreign, bool) {
	begins := func(text string) bool { return bytes.HasPrefix(start, []byte(text)) }
	first := firstMember(start)
	switch {
	case strings.HasSuffix(first, "data.pkl"), strings.HasSuffix(first, ".format_version"):
		return foreign{what: torchForm}, true
	case strings.HasPrefix(first, "[Content_Types]"), strings.HasPrefix(first, "xl/"), strings.HasPrefix(first, "docProps/"), strings.HasPrefix(first, "_rels/"):
		return inExcel, true
	case f.Begins(start):
		return foreign{}, false
	case strings.HasSuffix(first, ".npy"):
		return zipped, true
	case begins("\x1f\x8b") && slices.Contains([]string{".rds", ".rda", ".rdata"}, strings.ToLower(filepath.Ext(name))):
		return inR, true
	case (Safetensors{}).Begins(start) && bytes.Equal(start[3:8], make([]byte, 5)):
		return ofTensors, true
	}
	for _, x := range foreigners {
		if begins(x.start) {
			return x, true
		}
	}
	text := strings.ToLower(strings.TrimSpace(strings.TrimPrefix(string(start), "\ufeff")))
	switch {
	case strings.HasPrefix(text, "<!doctype html"), strings.HasPrefix(text, "<html"):
		return webPage, true
	case strings.HasPrefix(text, "{") && IsRecords(name), strings.HasPrefix(text, "[") && IsRecords(name):
		return foreign{}, false
	case strings.HasPrefix(text, "{"), strings.HasPrefix(text, "["):
		return inJSON, f.Content() != Several
	}
	return plainText, text != "" && f.Content() == One && isText(start)
}

// firstMember returns the name of the first member of a ZIP archive; "" for another file.
func firstMember(start []byte) string {
	if len(start) < 30 || !bytes.HasPrefix(start, []byte(zipMagic)) {
		return ""
	}
	length := int(start[26]) | int(start[27])<<8
	return string(start[30:min(30+length, len(start))])
}

// isText reports whether bytes are the start of a text in UTF-8.
func isText(start []byte) bool {
	for len(start) > 0 {
		r, size := utf8.DecodeRune(start)
		if r == utf8.RuneError && size == 1 && len(start) >= utf8.UTFMax || unicode.IsControl(r) && !unicode.IsSpace(r) {
			return false
		}
		start = start[size:]
	}
	return true
}

// ForeignFile is Foreign of a regular file whose name says no form; nil if it cannot be read, and for a text unless texts says that it is no
// argument either.
func ForeignFile(path string, texts bool) *problem.Problem {
	f, _, err := inputfile.Open(path)
	if err != nil {
		return nil
	}
	defer f.Close()
	start := startOf(f)
	if !texts && isText(start) {
		return nil
	}
	return Foreign(path, start, NPY{})
}

// startOf returns the first bytes of a file.
func startOf(r io.ReaderAt) []byte {
	b := make([]byte, startLength)
	n, err := r.ReadAt(b, 0)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil
	}
	return b[:n]
}
