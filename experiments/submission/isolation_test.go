package submission

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/qats-bench/qats/calib/external"
)

// isolation returns that of the system, or skips the test. Where QATS_TEST_ISOLATION is set, such a skip is a failure.
func isolation(t *testing.T) *Isolation {
	t.Helper()
	iso, err := FindIsolation(t.Context())
	switch {
	case errors.Is(err, ErrNotIsolated) && os.Getenv("QATS_TEST_ISOLATION") == "":
		t.Skip(err)
	case err != nil:
		t.Fatal(err)
	}
	return iso
}

// cell is an isolated shell with a folder of code and one of the call.
type cell struct {
	program    external.Program
	code, call string
}

func newCell(t *testing.T) cell {
	t.Helper()
	iso := isolation(t)
	top := t.TempDir()
	c := cell{code: filepath.Join(top, "My Code"), call: filepath.Join(top, "a call")}
	for _, dir := range []string{c.code, c.call} {
		if err := os.Mkdir(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	around := must[[]string](t)(iso.around([]string{c.code}, c.code))
	c.program = external.Program{Argv: []string{"sh", "-c"}, Dir: c.code, Around: around, Owner: iso.uid, Set: []string{"HOME=/tmp", "TMPDIR=/tmp"}}
	return c
}

// says runs a script in the cell.
func (c cell) says(t *testing.T, script string) (string, error) {
	t.Helper()
	out, said, err := c.program.Say(t.Context(), c.call, script, 20*time.Second, 1<<16)
	return string(out) + said, err
}

// TestIsolatedCodeWorks: it reads its code, writes to the folder of its call, to /tmp and to /dev/shm.
func TestIsolatedCodeWorks(t *testing.T) {
	c := newCell(t)
	if err := os.WriteFile(filepath.Join(c.code, "file"), []byte("code"), 0o644); err != nil {
		t.Fatal(err)
	}
	said, err := c.says(t, fmt.Sprintf("cat file && echo yes > '%s/new' && echo yes > /tmp/new && echo yes > /dev/shm/new && cat /tmp/new", c.call))
	if err != nil || said != "codeyes\n" {
		t.Errorf("%v %s", err, said)
	}
	if text, err := os.ReadFile(filepath.Join(c.call, "new")); err != nil || string(text) != "yes\n" {
		t.Errorf("%v %s", err, text)
	}
}

// TestEscapes: each script would do harm outside, and ends with a failure or with nothing to see.
func TestEscapes(t *testing.T) {
	c := newCell(t)
	outside := filepath.Join(t.TempDir(), "My Disk")
	if err := os.Mkdir(outside, 0o777); err != nil {
		t.Fatal(err)
	}
	secret := filepath.Join(outside, "labels.npy")
	if err := os.WriteFile(secret, []byte("labels"), 0o666); err != nil {
		t.Fatal(err)
	}
	listener, err := net.Listen("unix", filepath.Join(outside, "socket"))
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	port := must[net.Listener](t)(net.Listen("tcp", "127.0.0.1:0"))
	defer port.Close()
	root := must[string](t)(filepath.Abs("../.."))
	_, err = c.says(t, "python3 -c 1")
	python := err == nil
	for name, script := range map[string]string{
		"remount":           "mount -o remount,bind,rw / && touch /usr/qats-was-here",
		"umount":            "umount /usr",
		"mount":             "mount -t tmpfs none /mnt",
		"bind":              fmt.Sprintf("mount --bind / '%s'", c.call),
		"namespace":         "unshare --user --map-root-user --mount true",
		"code":              "touch file",
		"system":            "touch /usr/bin/qats-was-here",
		"root":              "touch /qats-was-here",
		"etc":               "echo x >> /etc/passwd",
		"home":              "ls /home/* /root/.[a-z]* /root/*",
		"git":               fmt.Sprintf("git -C '%s' cat-file -p HEAD", root),
		"checkout":          fmt.Sprintf("ls '%s'", root),
		"path with a space": fmt.Sprintf("echo x > '%s'", secret),
		"secret":            fmt.Sprintf("cat '%s'", secret),
		"kill":              fmt.Sprintf("kill -0 %d", os.Getpid()),
		"parent":            "kill -9 $(cat /proc/1/status | sed -n 's/^PPid:.//p')",
		"environment":       fmt.Sprintf("cat /proc/%d/environ", os.Getpid()),
		"socket":            fmt.Sprintf("test -S '%s/socket'", outside),
		"network":           fmt.Sprintf("python3 -c 'import socket; socket.create_connection((\"127.0.0.1\", %d), 2)'", port.Addr().(*net.TCPAddr).Port),
		"device":            "mknod /tmp/disk b 254 0",
		"processes":         "python3 -c 'import subprocess; print([subprocess.Popen([\"sleep\", \"5\"]) for _ in range(300)])' > /dev/null",
		"memory":            "python3 -c 'bytearray(20 << 30)'",
		"disk":              "head -c 3G /dev/zero > /tmp/big",
		"file":              fmt.Sprintf("truncate -s 3G '%s/big'", c.call),
		"files":             "python3 -c 'f = [open(\"/dev/null\") for _ in range(1100)]'",
		"capabilities":      "grep -v '^Cap.*:.0*$' /proc/self/status | grep ^Cap",
		"new privileges":    "grep 'NoNewPrivs:.0' /proc/self/status",
	} {
		t.Run(name, func(t *testing.T) {
			if strings.HasPrefix(script, "python3") && !python {
				t.Skip("the system has no python3")
			}
			said, err := c.says(t, "echo begun; "+script)
			if err == nil || !strings.HasPrefix(said, "begun\n") {
				t.Errorf("%v: %s", err, said)
			}
		})
	}
	if text, err := os.ReadFile(secret); err != nil || string(text) != "labels" {
		t.Errorf("%v %s", err, text)
	}
}

// TestChildrenEndWithTheCall, also those of a session of their own, and they do not keep a call from its end.
func TestChildrenEndWithTheCall(t *testing.T) {
	c := newCell(t)
	from := time.Now()
	if said, err := c.says(t, fmt.Sprintf("setsid sleep 913 & setsid sh -c 'while :; do date > \"%s/alive\"; sleep .1; done' & sleep .3; echo done", c.call)); err != nil || !strings.Contains(said, "done") {
		t.Errorf("%v %s", err, said)
	}
	if waited := time.Since(from); waited > 15*time.Second {
		t.Errorf("the call ended after %s", waited)
	}
	os.Remove(filepath.Join(c.call, "alive"))
	time.Sleep(500 * time.Millisecond)
	if _, err := os.Stat(filepath.Join(c.call, "alive")); err == nil {
		t.Error("a child still writes")
	}
}

// TestAboutEnds: what a file does when it is asked what it is has a limit of time and of words.
func TestAboutEnds(t *testing.T) {
	c := newCell(t)
	if _, _, err := c.program.Say(t.Context(), c.call, "sleep 900", time.Second, 100); err == nil || !strings.Contains(err.Error(), "longer than its limit of 1s") {
		t.Error(err)
	}
	if _, _, err := c.program.Say(t.Context(), c.call, "yes | head -n 100000", 20*time.Second, 100); err == nil || !strings.Contains(err.Error(), "printed more than 100 bytes") {
		t.Error(err)
	}
}

// TestNoStatePassesBetweenCalls: a served file that keeps what it saw, in a variable, in its folder or in /tmp, has nothing of
// it in its next call.
func TestNoStatePassesBetweenCalls(t *testing.T) {
	atRoot(t)
	iso := isolation(t)
	needs(t, "python3", "-c", "import numpy")
	const thief = `import glob, os, numpy as np
seen = []
def fit(logits, labels):
    seen.append(len(labels))
    for path in ("memo", "/tmp/memo", "/dev/shm/memo"):
        try:
            open(path, "a").write(f"{len(labels)}\n")
        except OSError:
            pass
    return len(seen) + sum(len(open(p).readlines()) for p in ("memo", "/tmp/memo", "/dev/shm/memo") if os.path.exists(p))
def apply(model, logits):
    if seen or model != 3 or os.path.exists("/tmp/memo"):
        raise ValueError(f"state: {model}")
    p = np.exp(logits.astype(float) - logits.max(1, keepdims=True)); return p / p.sum(1, keepdims=True)
`
	p := must[*Prepared](t)(Prepare(t.Context(), described("thief", Python, "thief.py"), Source{"thief.py": []byte(thief)}, t.TempDir(), iso))
	rows, _ := ran(t, p)
	for _, r := range ofMethod("thief", rows.Records) {
		if r.Note.String() != "" && strings.Contains(r.Note.String(), "state") {
			t.Fatal(r.Note)
		}
	}
	if len(rows.Records) == 0 {
		t.Error("no rows")
	}
}

// TestNoIsolation: without bwrap there is no such place, and nothing runs.
func TestNoIsolation(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	if iso, err := FindIsolation(context.Background()); !errors.Is(err, ErrNotIsolated) || iso != nil {
		t.Errorf("%v %v", iso, err)
	}
}

// TestInterpreterOutsideTheSystem: an environment in any folder is seen, and nothing beside it.
func TestInterpreterOutsideTheSystem(t *testing.T) {
	iso := isolation(t)
	dir := filepath.Join(t.TempDir(), "an environment")
	if err := exec.Command("python3", "-m", "venv", "--without-pip", dir).Run(); err != nil {
		t.Skip(err)
	}
	beside := filepath.Join(filepath.Dir(dir), "beside")
	if err := os.WriteFile(beside, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	python := filepath.Join(dir, "bin", "python3")
	_, seen, err := interpreter(t.Context(), python)
	if err != nil {
		t.Fatal(err)
	}
	code, call := t.TempDir(), t.TempDir()
	around := must[[]string](t)(iso.around(append(seen, code), code))
	p := external.Program{Argv: []string{python, "-c", "import os, sys; print(sys.prefix, os.path.exists(" + fmt.Sprintf("%q", beside) + "))"}, Dir: code, Around: around, Owner: iso.uid}
	out, said, err := p.Say(t.Context(), call, "about", 20*time.Second, 1000)
	if err != nil || strings.TrimSpace(string(out)) != dir+" False" {
		t.Errorf("%v %s %s", err, out, said)
	}
}

// TestInterpretersOfTheSystemStart: those that read a folder of /etc find it.
func TestInterpretersOfTheSystemStart(t *testing.T) {
	iso := isolation(t)
	for _, argv := range [][]string{{"perl", "-Mstrict", "-e", "print 42"}, {"Rscript", "--vanilla", "-e", "cat(42)"}, {"awk", "BEGIN { printf 42 }"}} {
		t.Run(argv[0], func(t *testing.T) {
			path, err := exec.LookPath(argv[0])
			if err != nil {
				t.Skip(err)
			}
			code, call := t.TempDir(), t.TempDir()
			p := external.Program{Argv: append([]string{path}, argv[1:]...), Dir: code, Around: must[[]string](t)(iso.around([]string{code}, code)), Owner: iso.uid}
			if out, said, err := p.Say(t.Context(), call, "about", time.Minute, 1000); err != nil || string(out) != "42" {
				t.Errorf("%v %s %s", err, out, said)
			}
		})
	}
}

// TestCodeGetsNoSecrets: what a file of Python prints of itself sees the variables that programs get, and no others.
func TestCodeGetsNoSecrets(t *testing.T) {
	atRoot(t)
	needs(t, "python3", "-c", "import numpy")
	t.Setenv("MY_TOKEN", "secret")
	code := Source{"mine.py": []byte("import os\nassert 'MY_TOKEN' not in os.environ\ndef fit(logits, labels): pass\ndef apply(model, logits): pass\n")}
	if _, err := Prepare(t.Context(), described("mine", Python, "mine.py"), code, t.TempDir(), nil); err != nil {
		t.Error(err)
	}
}
