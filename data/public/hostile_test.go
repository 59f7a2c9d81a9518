package public

import (
	"archive/zip"
	"bytes"
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/qats-bench/qats/data"
)

// hostile is a file that must be rejected, with a part of the error.
type hostile struct {
	name string
	file []byte
	want string
}

// rejected imports each file under the name, beside others, and checks that it is
// rejected in one line and that nothing is written.
func rejected(t *testing.T, format, name string, beside []string, o Options, list []hostile) {
	t.Helper()
	if len(list) < 20 {
		t.Errorf("%s: %d hostile files; want 20", format, len(list))
	}
	for _, h := range list {
		dir := t.TempDir()
		file := filepath.Join(dir, name)
		if err := os.WriteFile(file, h.file, 0o666); err != nil {
			t.Fatal(err)
		}
		o.Dir = filepath.Join(dir, "arrays")
		_, err := Import(context.Background(), format, append([]string{file}, beside...), o)
		switch {
		case err == nil:
			t.Errorf("%s: imported", h.name)
		case !strings.Contains(err.Error(), h.want) || !strings.Contains(err.Error(), name) || strings.Contains(err.Error(), "\n"):
			t.Errorf("%s: %q; want one line with the name of the file and %q", h.name, err, h.want)
		}
		if _, err := os.Stat(o.Dir); err == nil {
			t.Errorf("%s: arrays were written", h.name)
		}
	}
}

func read(t testing.TB, name string) []byte {
	t.Helper()
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// swap replaces the n-th occurrence of a text, counted from 0.
func swap(t *testing.T, b []byte, old, with string, n int) []byte {
	t.Helper()
	at := 0
	for ; ; n-- {
		i := bytes.Index(b[at:], []byte(old))
		if i < 0 {
			t.Fatalf("no %q", old)
		}
		if at += i; n == 0 {
			break
		}
		at++
	}
	return append(append(bytes.Clone(b[:at]), with...), b[at+len(old):]...)
}

// The instructions of a pickle that make an array of f4, and of i8, from hex bytes.
func pickled(shape, kind, order, bytes string) string {
	return fmt.Sprintf("cnumpy.core.multiarray\n_reconstruct\n(cnumpy\nndarray\n(I0\ntS'b'\ntR(I1\n(%stcnumpy\ndtype\n(S'%s'\nI0\nI1\ntR(I3\nS'%s'\nNNNI-1\nI-1\nI0\ntbI00\nC%c%stb",
		shape, kind, order, len(bytes), bytes)
}

const (
	one  = "\x00\x00\x80\x3f"
	nan  = "\x00\x00\xc0\x7f"
	inf  = "\x00\x00\x80\x7f"
	long = "\x00\x00\x00\x00\x00\x00\x00" // after the lowest byte of an int64
)

func nncalFile(logits, labels string) []byte {
	return []byte("((" + logits + labels + "t(" + logits + labels + "tt.")
}

func TestHostileNNCal(t *testing.T) {
	t.Parallel()
	good := read(t, "testdata/probs_resnet110_c10_logits.p")
	z := pickled("I2\nI2\n", "f4", "<", one+one+one+"\x00\x00\x00\x40")
	y := pickled("I2\n", "i8", "<", "\x00"+long+"\x01"+long)
	rejected(t, "nncal", "probs_net_c10_logits.p", nil, Options{}, []hostile{
		{"empty", nil, "not complete"},
		{"half", good[:len(good)/2], "not complete"},
		{"one byte missing", good[:len(good)-1], "not complete"},
		{"one byte more", append(bytes.Clone(good), 0), "after the end"},
		{"LFS pointer", []byte("version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 1\n"), "no instruction"},
		{"page of an error", []byte("<html>"), "no instruction"},
		{"code", []byte("cos\nsystem\n(S'true'\ntR."), `imports "system"`},
		{"code behind arrays", append(bytes.TrimSuffix(nncalFile(z, y), []byte(".")), "0cos\nsystem\n(S'true'\ntR."...), "nothing is run"},
		{"code as an element", []byte("(" + z + "cposix\nsystem\n(S'true'\ntRt."), "posix"},
		{"class of the user", []byte("(c__main__\nModel\n)\x81t."), "__main__"},
		{"a dict", []byte("(d."), "a dict of 0"},
		{"three sets", []byte("(NNNt."), "a tuple of 3"},
		{"sets that are none", []byte("(NNt."), "None"},
		{"no labels", []byte("((" + z + "t(" + z + "tt."), "a tuple of 1"},
		{"labels as a list", nncalFile(z, "(lp9\n"), "a list of 0"},
		{"array without a state", nncalFile("cnumpy.core.multiarray\n_reconstruct\n(cnumpy\nndarray\n(I0\ntS'b'\ntR", y), "without a state"},
		{"NaN", nncalFile(pickled("I2\nI2\n", "f4", "<", one+nan+one+one), y), "row 0, class 1: NaN"},
		{"infinity", nncalFile(pickled("I2\nI2\n", "f4", "<", one+one+one+inf), y), "row 1, class 1: +Inf"},
		{"logits of three axes", nncalFile(pickled("I1\nI2\nI2\n", "f4", "<", one+one+one+one), y), "3 axes"},
		{"logits of no row", nncalFile(pickled("I0\nI2\n", "f4", "<", ""), y), "no elements"},
		{"logits of one class", nncalFile(pickled("I2\nI1\n", "f4", "<", one+one), y), "1 class"},
		{"logits of integers", nncalFile(pickled("I2\nI2\n", "i4", "<", one+one+one+one), y), "want floats"},
		{"labels of floats", nncalFile(z, pickled("I2\n", "f4", "<", one+one)), "must be integers"},
		{"label too large", nncalFile(z, pickled("I2\n", "i8", "<", "\x00"+long+"\x02"+long)), "row 1: label 2"},
		{"negative label", nncalFile(z, pickled("I2\n", "i8", "<", "\x00"+long+"\xff\xff\xff\xff\xff\xff\xff\xff")), "row 1: label -1; there are"},
		{"one label too few", nncalFile(z, pickled("I1\n", "i8", "<", "\x00"+long)), "1 labels for 2 rows"},
		{"one-hot labels", nncalFile(z, pickled("I2\nI2\n", "i8", "<", "\x00"+long+"\x00"+long+"\x00"+long+"\x00"+long)), "labels of shape [2 2]"},
		{"huge shape", nncalFile(pickled("I1000000000\nI1000000000\n", "f4", "<", one), y), "4 bytes for an array"},
	})
}

func TestHostileGroupCal(t *testing.T) {
	t.Parallel()
	good := read(t, "testdata/cifar10_resnet152_0.9576_test.pkl")
	other := read(t, "testdata/cifar10_resnet152_0.9576_val.pkl")
	beside := filepath.Join(t.TempDir(), "cifar10_net_0.9_val.pkl")
	if err := os.WriteFile(beside, other, 0o666); err != nil {
		t.Fatal(err)
	}
	tensor := func(dict string) []byte { return []byte("(d" + dict + ".") }
	rejected(t, "groupcal", "cifar10_net_0.9_test.pkl", []string{beside}, Options{}, []hostile{
		{"empty", nil, "not complete"},
		{"half", good[:len(good)/2], "not complete"},
		{"one byte missing", good[:len(good)-1], "not complete"},
		{"one byte more", append(bytes.Clone(good), 0), "after the end"},
		{"zip of torch.save", []byte("PK\x03\x04"), "byte 0"},
		{"code", []byte("cos\nsystem\n(S'true'\ntR."), `imports "system"`},
		{"code in a key", tensor("cos\nsystem\n(S'true'\ntRNs"), "nothing is run"},
		{"torch.load", []byte("ctorch\nload\n(S'x'\ntR."), `"load" from "torch"`},
		{"class of a network", []byte("ctorchvision.models\nresnet18\n)R."), "torchvision"},
		{"a list", []byte("(l."), "a list of 0"},
		{"no logits", tensor(""), "logits: None"},
		{"logits that are a number", tensor("S'logits'\nI3\ns"), "logits: an int"},
		{"storage that is none", []byte("ctorch.storage\n_load_from_bytes\n(C\x01NtR."), "_load_from_bytes"},
		{"tensor of no storage", []byte("ctorch._utils\n_rebuild_tensor_v2\n(NI0\n(I1\nt(I1\ntI00\nNtR."), "unexpected arguments"},
		{"another magic number", swap(t, good, "\x6c\xfc\x9c\x46", "\x6c\xfc\x9c\x47", 0), "torch.save"},
		{"big-endian", swap(t, good, "little_endianq\x02\x88", "little_endianq\x02\x89", 0), "big-endian"},
		{"other class of storage", swap(t, good, "FloatStorage", "EvilsStorage", 0), "EvilsStorage"},
		{"storage of doubles", bytes.ReplaceAll(good, []byte("FloatStorage"), []byte("DoubleStorage")), ""},
		{"bytes of other storages", bytes.ReplaceAll(good, []byte("LongStorage"), []byte("BoolStorage")), "elements"},
		{"other key", swap(t, good, "logits", "logitz", 0), "logits: None"},
		{"labels twice in place of logits", swap(t, swap(t, good, "labels", "lobels", 0), "logits", "labels", 0), "logits: None"},
		{"shape of the tensor", swap(t, good, "K\x16K\x03\x86", "K\x17K\x03\x86", 0), "than its storage has"},
		{"stride of the tensor", swap(t, good, "K\x03K\x01\x86", "K\x04K\x01\x86", 0), "beyond its storage"},
	})
	_, err := Import(context.Background(), "groupcal", []string{beside}, Options{Dir: t.TempDir()})
	if err == nil || !strings.Contains(err.Error(), "there is no file *_test.pkl") {
		t.Errorf("one file: %v", err)
	}
}

func TestHostileMedMNIST(t *testing.T) {
	t.Parallel()
	const name = "dermamnist_test_[AUC]0.900_[ACC]0.700@resnet18_28_1.csv"
	good := read(t, filepath.Join("testdata", name))
	line := bytes.IndexByte(good, '\n') + 1
	lines := bytes.SplitAfter(good, []byte("\n"))
	rejected(t, "medmnist", name, []string{"testdata/dermamnist.npz"}, Options{}, []hostile{
		{"empty", nil, "empty"},
		{"a line feed", []byte("\n"), "empty"},
		{"page of an error", []byte("<html>\n</html>\n"), "line 1"},
		{"half", good[:len(good)/2], ""},
		{"cut in a row", good[:len(good)-60], "fields"},
		{"last row missing", bytes.Join(lines[:len(lines)-2], nil), "30 rows"},
		{"first row missing", good[line:], "index"},
		{"one row more", append(bytes.Clone(good), "31,1,0,0,0,0,0,0\n"...), "32 rows"},
		{"index twice", swap(t, good, "\n2,", "\n1,", 0), "that of line 2"},
		{"index beyond the rows", swap(t, good, "\n2,", "\n31,", 0), "not one of 0 to 30"},
		{"negative index", swap(t, good, "\n2,", "\n-2,", 0), "not one of 0 to 30"},
		{"index that is no number", swap(t, good, "\n2,", "\nx,", 0), "not one of 0 to 30"},
		{"fractional index", swap(t, good, "\n2,", "\n2.0,", 0), "not one of 0 to 30"},
		{"header", append([]byte("id,a,b,c,d,e,f,g\n"), good...), `"id"`},
		{"no index", bytes.ReplaceAll(good, []byte("\n2,"), []byte("\n")), "fields"},
		{"a field more", swap(t, good, "\n2,", "\n2,0,", 0), "9 fields; line 1 has 8"},
		{"NaN as a number", numberIs(good, "nan"), "not a finite number"},
		{"infinity", numberIs(good, "inf"), "not a finite number"},
		{"empty field", numberIs(good, ""), "not a finite number"},
		{"hexadecimal", numberIs(good, "0x1p-1"), "not a finite number"},
		{"text", numberIs(good, "cat"), "not a finite number"},
		{"negative probability", numberIs(good, "-0.1"), "not a probability"},
		{"probability above 1", numberIs(good, "1.5"), "not a probability"},
		{"sum that is not 1", numberIs(good, "0.9999"), "sum to"},
		{"semicolons", bytes.ReplaceAll(good, []byte(","), []byte(";")), "separated by commas"},
	})
	for name, want := range map[string]string{
		"dermamnist_test@resnet18.csv":          "not named",
		"dermamnist_train_x@resnet18_28_1.csv":  "has seen",
		"dermamnist_test_x@autokeras_28_1.csv":  "not of resnet18",
		"bloodmnist_test_x@resnet18_28_1.csv":   "give bloodmnist.npz",
		"dermamnist_test_x@resnet18_28_999.csv": "",
	} {
		file := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(file, good, 0o666); err != nil {
			t.Fatal(err)
		}
		_, err := Import(context.Background(), "medmnist", []string{file, "testdata/dermamnist.npz"}, Options{Dir: t.TempDir()})
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: %v; want %q", name, err, want)
		}
	}
}

// numberIs replaces the first number of row 1.
func numberIs(b []byte, with string) []byte {
	at := bytes.Index(b, []byte("\n1,")) + 3
	end := at + bytes.IndexByte(b[at:], ',')
	return append(append(bytes.Clone(b[:at]), with...), b[end:]...)
}

// TestZipOfPredictions: members of an archive are read where they can be used, and
// the others are counted with the reason.
func TestZipOfPredictions(t *testing.T) {
	t.Parallel()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	files, _ := filepath.Glob("testdata/*.csv")
	for _, f := range files {
		w, err := z.Create("predictions/" + filepath.Base(f))
		if err != nil {
			t.Fatal(err)
		}
		w.Write(read(t, f))
	}
	for _, name := range []string{"predictions/octmnist_test_x@resnet18_28_1.csv", "predictions/dermamnist_test_x@autosklearn_28_1.csv",
		"predictions/dermamnist_train_x@resnet18_28_1.csv", "__MACOSX/predictions/._dermamnist_test_x@resnet18_28_1.csv", "predictions/readme.txt"} {
		if _, err := z.Create(name); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "predictions.zip")
	if err := os.WriteFile(file, b.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
	sum, err := Import(context.Background(), "medmnist", []string{file, "testdata/dermamnist.npz", "testdata/breastmnist.npz"}, Options{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	if len(sum.Networks) != 5 || len(sum.Skipped) != 4 {
		t.Errorf("%d networks, skipped %q", len(sum.Networks), sum.Skipped)
	}
	cut := filepath.Join(t.TempDir(), "predictions.zip")
	if err := os.WriteFile(cut, b.Bytes()[:b.Len()-30], 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := Import(context.Background(), "medmnist", []string{cut}, Options{Dir: t.TempDir()}); err == nil || strings.Contains(err.Error(), "\n") {
		t.Errorf("a truncated archive: %v", err)
	}
}

func TestHostileCSV(t *testing.T) {
	t.Parallel()
	good := read(t, "testdata/table.csv")
	o := Options{Dataset: "mine", Backbone: "net",
		Columns: Columns{Classes: []string{"z_*"}, Label: "truth", Kind: data.KindLogits, Split: "split", Cal: "val", Test: "test"}}
	put := func(column int, with string) []byte { // in row 1
		lines := strings.Split(string(good), "\n")
		f := strings.Split(lines[2], ",")
		f[column] = with
		lines[2] = strings.Join(f, ",")
		return []byte(strings.Join(lines, "\n"))
	}
	rejected(t, "csv", "t.csv", nil, o, []hostile{
		{"empty", nil, "empty"},
		{"header only", good[:bytes.IndexByte(good, '\n')+1], "no row of the calibration set"},
		{"no header", good[bytes.IndexByte(good, '\n')+1:], "no column"},
		{"cut in a row", good[:len(good)-4], "wrong number of fields"},
		{"no label column", swap(t, good, "truth", "y", 0), `no column "truth" (the columns are id, split, z_a, z_b, z_c, y)`},
		{"no class column", bytes.ReplaceAll(good, []byte("z_"), []byte("q_")), `no column matches "z_*"`},
		{"no split column", swap(t, good, "split", "part", 0), `no column "split"`},
		{"label column twice", swap(t, good, "id,", "truth,", 0), "two columns"},
		{"one class", swap(t, swap(t, good, "z_b", "q_b", 0), "z_c", "q_c", 0), "1 class"},
		{"no test rows", bytes.ReplaceAll(good, []byte(",test,"), []byte(",x,")), "no row of the test set"},
		{"no calibration rows", bytes.ReplaceAll(good, []byte(",val,"), []byte(",x,")), "no row of the calibration set"},
		{"NaN", put(2, "NaN"), "line 3, column z_a"},
		{"infinity", put(3, "-inf"), "not a finite number"},
		{"text", put(4, "cat"), "line 3, column z_c"},
		{"empty number", put(2, ""), "not a finite number"},
		{"beyond float64", put(2, "1e999"), "not a finite number"},
		{"beyond float32", put(2, "1e99"), "1e+99"},
		{"label too large", put(5, "3"), "label 3; there are 3 classes"},
		{"negative label", put(5, "-1"), "no label"},
		{"fractional label", put(5, "1.0"), "no label"},
		{"label that is a name", put(5, "cat"), "no label"},
		{"a field more", put(5, "1,2"), "wrong number of fields"},
		{"a quote", put(0, `"`), "quote"},
		{"bytes", []byte("\x00\x01\x02"), "no column"},
	})
	probs := "split,p0,p1,y\n" + strings.Repeat("val,0.25,0.75,1\ntest,0.5,0.5,0\n", 20)
	file := filepath.Join(t.TempDir(), "p.csv")
	if err := os.WriteFile(file, []byte(probs), 0o666); err != nil {
		t.Fatal(err)
	}
	o.Columns.Classes, o.Columns.Label, o.Dir = []string{"p0", "p1"}, "y", t.TempDir()
	if _, err := Import(context.Background(), "csv", []string{file}, o); err == nil || !strings.Contains(err.Error(), "probabilities, not logits") {
		t.Errorf("probabilities as logits: %v", err)
	}
	o.Columns.Kind, o.Columns.Classes = data.KindProbs, []string{"p1"}
	if sum, err := Import(context.Background(), "csv", []string{file}, o); err != nil || sum.Networks[0].Classes != 2 {
		t.Errorf("one column of two classes: %v", err)
	}
}

// TestHostileCalArena: the structures of HDF5 are tested with their reader; here,
// what the arrays say.
func TestHostileCalArena(t *testing.T) {
	t.Parallel()
	good := read(t, arena)
	list := []hostile{
		{"empty", nil, "not an HDF5 file"},
		{"LFS pointer", []byte("version https://git-lfs.github.com/spec/v1"), "not an HDF5 file"},
		{"page of an error", []byte("<html>Entry not found</html>"), "not an HDF5 file"},
		{"superblock only", good[:96], "cut short"},
		{"half", good[:len(good)/2], "cut short"},
		{"one byte missing", good[:len(good)-1], "cut short"},
		{"arrays that are no groups", read(t, "../internal/hdf5/testdata/arrays.h5"), "not a group"},
		{"newer kind", read(t, "../internal/hdf5/testdata/latest.h5"), "superblock"},
		{"other names", bytes.ReplaceAll(good, []byte("probas_cal"), []byte("probes_cal")), "no member"},
		{"labels missing", bytes.ReplaceAll(good, []byte("labels_test"), []byte("lobels_test")), "no member"},
		{"newline in a name", swap(t, good, "c10\x00", "c\n0\x00", 0), "damaged group"},
	}
	at := bytes.Index(good, []byte("\x78\x5e"))
	for i := range 10 {
		b := bytes.Clone(good)
		b[at+2+3*i] ^= 0x55
		list = append(list, hostile{fmt.Sprintf("damaged chunk %d", i), b, ""})
	}
	rejected(t, "calarena", "cv.h5", nil, Options{}, list)
}

// FuzzCSV hands arbitrary CSV files to the importer. Each label that it accepts has a row
// of finite numbers, one a class.
func FuzzCSV(f *testing.F) {
	f.Add([]byte("s,y,p0,p1\ncal,0,0.5,0.5\ntest,1,0.25,0.75\n"))
	f.Add([]byte("\xef\xbb\xbfy,s,p1,p0\r\n1,cal,\"0,5\",1e-320\r\n"))
	f.Add([]byte("p0,p0,y,s\n1,2,3,cal\n"))
	f.Fuzz(func(t *testing.T, b []byte) {
		c := Columns{Classes: []string{"p*"}, Label: "y", Split: "s", Cal: "cal", Test: "test", Kind: data.KindProbs}
		var sets [2]split
		err := c.read(b, func(value string) *split { return map[string]*split{"cal": &sets[0], "test": &sets[1]}[value] })
		for _, s := range sets {
			if err != nil {
				continue
			}
			if len(s.labels) != s.scores.n || len(s.scores.data) != s.scores.n*s.scores.k {
				t.Fatalf("%d labels, %d numbers for %d x %d", len(s.labels), len(s.scores.data), s.scores.n, s.scores.k)
			}
			for _, v := range s.scores.data {
				if math.IsNaN(v) || math.IsInf(v, 0) {
					t.Fatalf("the number %v is accepted", v)
				}
			}
		}
	})
}

func FuzzIndexedRows(f *testing.F) {
	f.Add([]byte("0,0.5,0.5\n1,0.25,0.75\n"))
	f.Add([]byte("1,1\n0,1"))
	f.Add([]byte("0,nan\r\n"))
	f.Fuzz(func(t *testing.T, b []byte) {
		rows, err := indexedRows(b)
		if err == nil && len(rows.data) != rows.n*rows.k {
			t.Fatalf("%d numbers for %d x %d", len(rows.data), rows.n, rows.k)
		}
	})
}
