package external

import (
	"archive/tar"
	"bytes"
	"cmp"
	"context"
	"errors"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/qats-bench/qats/data"
	"github.com/qats-bench/qats/data/npy"
)

// build compiles a program of this module.
func build(t *testing.T, dir string) string {
	t.Helper()
	out := filepath.Join(t.TempDir(), filepath.Base(dir))
	if b, err := exec.Command("go", "build", "-o", out, dir).CombinedOutput(); err != nil {
		t.Fatalf("go build %s: %v\n%s", dir, err, b)
	}
	return out
}

const n, k = 4, 3

// writeTest puts logits of zeros into the folder.
func writeTest(dir string) error {
	if err := os.Mkdir(filepath.Join(dir, "test"), 0o777); err != nil {
		return err
	}
	return npy.WriteFloat32(filepath.Join(dir, "test", "logits.npy"), make([]float32, n*k), n, k)
}

func writeNothing(string) error { return nil }

// called returns the calls of a program that is started for each of them, with a minute
// and 1 MiB.
func called(argv ...string) Calls {
	return Calls{To: new(Programs).Of(Program{Argv: argv, Dir: "."}), Limit: time.Minute, Disk: 1 << 20}
}

// Each kind of misbehaviour is an error that names it, in time, and the folder is
// removed. (On a busy machine a program may be killed before it has printed the
// process number of its child.) So it is in both forms of a program, with the same words.
func TestMisbehaviourIsAnError(t *testing.T) {
	program := build(t, "./testdata/hostile")
	temp := t.TempDir()
	t.Setenv("TMPDIR", temp)
	calls := map[string]string{
		"fit-hang":      `^fit ran longer than its limit of 300ms and was killed(; it said: child \d+)?$`,
		"fit-exit":      `^fit ended with exit status 3; it said: first line \| no convergence in cal$`,
		"fit-flood":     `^fit wrote more than 8 MiB and was killed$`,
		"fit-sparse":    `^fit wrote more than 8 MiB( and was killed)?$`,
		"fit-link":      `^fit wrote model/link, which is not a regular file$`,
		"fit-removes":   `^fit removed the folder model$`,
		"hang":          `^apply ran longer than its limit of 300ms and was killed(; it said: child \d+)?$`,
		"exit":          `^apply ended with exit status 3; it said: out of luck$`,
		"killed":        `^apply ended with signal: killed$`,
		"flood":         `^apply wrote more than 8 MiB and was killed$`,
		"stderr-flood":  `^apply wrote more than 8 MiB and was killed$`,
		"garbage":       `^probs.npy: .*`,
		"too-long":      `^probs.npy has \d+ bytes; 4 rows of 3 classes take at most 65632$`,
		"huge-shape":    `^probs.npy: .*`,
		"rows":          `^probs.npy: shape \[3 3\]; the test set has 4 rows and 3 classes$`,
		"classes":       `^probs.npy: shape \[4 4\]; the test set has 4 rows and 3 classes$`,
		"nan":           `^probs.npy: row 0, class 0: NaN`,
		"both":          `^apply wrote both probs.npy and logits.npy: want one of them$`,
		"fifo":          `^probs.npy is not a regular file$`,
		"folder":        `^probs.npy is not a regular file$`,
		"apply-silence": `^apply wrote neither probs.npy nor logits.npy$`,
	}
	serve := map[string]string{
		"serve-silence": `^fit ran longer than its limit of 300ms and was killed$`,
		"serve-leaves":  `^fit ended with exit status 4; it said: not today$`,
		"serve-closes":  `^fit ran longer than its limit of 300ms and was killed$`,
		"serve-deaf":    `^fit: the program has closed its standard input and reads no requests$`,
		"serve-prints":  `^"loading", which the process that serves the method wrote for its list \{"methods": \[\{"name": ...\}\]\}, is no line of the protocol: print other text on standard error$`,
		"serve-garbles": `^"done", which the process that serves the method wrote for an answer, is no line of the protocol: print other text on standard error$`,
		"serve-long":    `^no line that lists methods came: what the process that serves the method wrote, more than 1 MiB without a line break, is no line of the protocol: print other text on standard error$`,
		"serve-two":     `^serve lists 2 methods: want one$`,
		"serve-none":    `^"{\\"methods\\": \[\]}", which .* is no line of the protocol`,
		"serve-raises":  `^fit raised ValueError: no rows \| in DIR \(mine.py:12\)$`,
		"serve-other":   `^fit ran longer than its limit of 300ms and was killed$`,
	}
	try := func(name, how, want string, serves bool) {
		t.Run(name, func(t *testing.T) {
			var programs Programs
			defer programs.Close()
			c := Calls{To: programs.Of(Program{Argv: []string{program, how}, Dir: ".", Serves: serves}), Limit: time.Minute, Disk: 8 << 20}
			if strings.Contains(want, "300ms") {
				c.Limit = 300 * time.Millisecond
			}
			err := whole(c)
			if err == nil || !regexp.MustCompile(want).MatchString(err.Error()) {
				t.Fatalf("%v\nwant %s", err, want)
			}
			if m := regexp.MustCompile(`child (\d+)`).FindStringSubmatch(err.Error()); m != nil {
				pid, _ := strconv.Atoi(m[1])
				checkGone(t, pid)
			}
		})
	}
	for how, want := range calls {
		try(how, how, want, false)
		try(how+" served", how, want, true)
	}
	for how, want := range serve {
		try(how, how, want, true)
	}
	left, err := os.ReadDir(temp)
	if err != nil || len(left) > 0 {
		t.Errorf("left in the folder for temporary files: %v %v", left, err)
	}
}

// whole fits, applies and reads all rows.
func whole(c Calls) error {
	m, err := c.Fit(context.Background(), writeNothing)
	if err != nil {
		return err
	}
	table, err := c.Apply(context.Background(), m, writeTest, n, k)
	if err != nil {
		return err
	}
	defer table.Close()
	return table.Rows(data.NewProbs(n, k), 0)
}

// checkGone waits until a killed process has ended, or is a zombie for which its new
// parent has not waited yet.
func checkGone(t *testing.T, pid int) {
	t.Helper()
	alive := func() bool {
		p, err := os.FindProcess(pid)
		return err == nil && p.Signal(syscall.Signal(0)) == nil
	}
	for range 200 {
		stat, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "stat"))
		if err != nil && !alive() || strings.Contains(string(stat), ") Z ") {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Errorf("process %d lives on", pid)
}

// A folder for temporary files that is full or absent is named with the variable that
// names another one, and no part of a call is left in it.
func TestUnusableTemporaryFolderIsNamed(t *testing.T) {
	p := called("program")
	temp := t.TempDir()
	full := func(dir string) error {
		return &os.PathError{Op: "write", Path: filepath.Join(dir, "cal", ".logits.npy.tmp-1"), Err: syscall.ENOSPC}
	}
	refused := func(temp string, write func(dir string) error, cause error) {
		t.Helper()
		t.Setenv("TMPDIR", temp)
		_, fit := p.Fit(t.Context(), write)
		_, apply := p.Apply(t.Context(), nil, write, n, k)
		for _, err := range []error{fit, apply} {
			if want := "the folder for temporary files, " + temp + ": " + cause.Error() + "; name another folder by the variable TMPDIR"; !errors.Is(err, cause) || err.Error() != want {
				t.Errorf("%v\nwant %s", err, want)
			}
		}
	}
	refused(temp, full, syscall.ENOSPC)
	refused(filepath.Join(temp, "none"), writeNothing, syscall.ENOENT)
	if left, err := os.ReadDir(temp); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v (%v)", left, err)
	}
	other := &os.PathError{Op: "read", Path: "cal/logits.npy", Err: syscall.EIO}
	t.Setenv("TMPDIR", temp)
	if _, err := p.Fit(t.Context(), func(string) error { return other }); !errors.Is(err, syscall.EIO) || strings.Contains(err.Error(), "TMPDIR") {
		t.Errorf("an array that cannot be read: %v", err)
	}
}

// A program gets its model with names, modes and bytes, and its seed. Rows are read
// from any place, and logits become probabilities.
func TestProgramGetsItsModelAndSeed(t *testing.T) {
	program := build(t, "./testdata/hostile")
	for i, how := range []string{"well", "logits", "well", "logits"} {
		var programs Programs
		defer programs.Close()
		p := called()
		p.To = programs.Of(Program{Argv: []string{program, how}, Dir: ".", Serves: i >= 2})
		p.Seed = math.MaxUint64
		m, err := p.Fit(t.Context(), writeNothing)
		if err != nil {
			t.Fatal(err)
		}
		if got := unpacked(t, m); len(got) != 1 || got[0] != (file{"seed", false, "18446744073709551615"}) {
			t.Errorf("model %v", got)
		}
		table, err := p.Apply(t.Context(), m, writeTest, n, k)
		if err != nil {
			t.Fatal(err)
		}
		probs := data.NewProbs(2, k)
		if err := table.Rows(probs, 1); err != nil {
			t.Fatal(err)
		}
		for i, v := range probs.Data {
			if !(math.Abs(v-1.0/3) <= 1e-16) {
				t.Errorf("%s: element %d is %v", how, i, v)
			}
		}
		table.Close()
	}
}

func TestCancelledCallReturnsTheErrorOfTheContext(t *testing.T) {
	p := called(build(t, "./testdata/hostile"), "fit-hang")
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(200*time.Millisecond, cancel)
	if _, err := p.Fit(ctx, writeNothing); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}

// A program gets the variables of Passed, those that the caller names, and its own, and
// no other.
func TestProgramGetsItsEnvironment(t *testing.T) {
	for name, value := range map[string]string{
		"OMP_NUM_THREADS": "3", "LC_ALL": "C", "LC_TIME": "C", "VIRTUAL_ENV": "/v", "LANGUAGE": "de", "MY_TOKEN": "secret", "MINE": "a=b", "MINE_TOO": "",
		"PYTHONPATH": "/p", "LC_": "x",
	} {
		t.Setenv(name, value)
	}
	p := called()
	p.To = new(Programs).Of(Program{Argv: []string{build(t, "./testdata/hostile"), "environment"}, Dir: ".", Env: []string{"MINE", "MINE_TOO", "UNSET", "LC_X"}})
	m, err := p.Fit(t.Context(), writeNothing)
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, f := range unpacked(t, m) {
		if f.name == "environment" {
			for variable := range strings.SplitSeq(f.body, "\x00") {
				name, value, _ := strings.Cut(variable, "=")
				got[name] = value
			}
		}
	}
	for name, want := range map[string]string{"OMP_NUM_THREADS": "3", "LC_ALL": "C", "LC_TIME": "C", "VIRTUAL_ENV": "/v", "MINE": "a=b", "MINE_TOO": "", "PATH": os.Getenv("PATH"), "QATS_SEED": "0"} {
		if value, ok := got[name]; !ok || value != want {
			t.Errorf("%s=%q, %v, want %q", name, value, ok, want)
		}
	}
	for _, name := range []string{"LANGUAGE", "MY_TOKEN", "PYTHONPATH", "UNSET"} {
		if value, ok := got[name]; ok {
			t.Errorf("%s=%q is passed on", name, value)
		}
	}
}

func TestMissingProgramIsAnError(t *testing.T) {
	p := called("./no-such-program")
	if _, err := p.Fit(t.Context(), writeNothing); err == nil || err.Error() != "program ./no-such-program: no such file or directory" {
		t.Errorf("%v", err)
	}
}

// file is one file of a model.
type file struct {
	name string
	exec bool
	body string
}

// packed returns the model of some files.
func packed(t *testing.T, files ...file) Model {
	t.Helper()
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for _, f := range files {
		h := &tar.Header{Name: f.name, Mode: 0o644, Size: int64(len(f.body)), Format: tar.FormatPAX}
		if f.exec {
			h.Mode = 0o755
		}
		if err := w.WriteHeader(h); err != nil {
			t.Fatal(err)
		}
		w.Write([]byte(f.body))
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// unpacked returns the files of a model.
func unpacked(t *testing.T, m Model) (files []file) {
	t.Helper()
	r := tar.NewReader(bytes.NewReader(m))
	for {
		h, err := r.Next()
		if err == io.EOF {
			return files
		}
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, file{h.Name, h.Mode&0o100 != 0, string(body)})
	}
}

// A model has names, modes and contents of its files, in any folder, and the same bytes
// when it is read again.
func TestModelRoundTrip(t *testing.T) {
	dir := t.TempDir()
	want := []file{{"a/b", false, "1"}, {"a.txt", true, ""}, {"z", false, string(make([]byte, 1000))}}
	one := packed(t, want...)
	if err := one.write(dir); err != nil {
		t.Fatal(err)
	}
	two, err := readModel(dir)
	if err != nil || !bytes.Equal(one, two) {
		t.Errorf("%v: %d and %d bytes differ", err, len(one), len(two))
	}
	if got := unpacked(t, two); !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	for _, bad := range []string{"../x", "/x", "a/../../x"} {
		if err := packed(t, file{name: bad}).write(t.TempDir()); err == nil {
			t.Errorf("%s is written", bad)
		}
	}
	if err := one[:len(one)-1024-600].write(t.TempDir()); err == nil {
		t.Error("half a model is written")
	}
}

// A table of probabilities counts an exact 0 as 2^-126 and a number above 1 by rounding as 1. It leaves
// all others to the check of the rows.
func TestRoundedNumbersOfATable(t *testing.T) {
	dir := t.TempDir()
	probs, logits := filepath.Join(dir, "probs.npy"), filepath.Join(dir, "logits.npy")
	if err := cmp.Or(npy.WriteFloat32(logits, make([]float32, 6), 3, 2), npy.WriteFloat64(probs, []float64{1 + 0x1p-52, 0, 1.5, -1, .25, .75}, 3, 2)); err != nil {
		t.Fatal(err)
	}
	set, err := data.Files{Logits: logits}.Open()
	if err != nil {
		t.Fatal(err)
	}
	defer set.Close()
	table, err := OpenTable(probs, "mine", set, false)
	if err != nil {
		t.Fatal(err)
	}
	defer table.Close()
	rows := data.NewProbs(3, 2)
	if err := table.Rows(rows, 0); err != nil {
		t.Fatal(err)
	}
	if want := []float64{1, data.ZeroProb, 1.5, -1, .25, .75}; !slices.Equal(rows.Data, want) {
		t.Errorf("%v, want %v", rows.Data, want)
	}
}
