package external

import (
	"context"
	"errors"
	"fmt"
	"io"
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
)

// TestChildOfThisTest is the process that TestProgramEndsWithItsCaller kills.
func TestChildOfThisTest(t *testing.T) {
	if os.Getenv("QATS_CALLER") == "" {
		t.Skip("TestProgramEndsWithItsCaller runs it")
	}
	p := Program{Argv: []string{"sh", "-c", "exec sleep 600"}, Dir: t.TempDir(), Limit: time.Minute, Disk: 1 << 20}
	_, err := p.Fit(t.Context(), writeNothing)
	fmt.Println(err)
}

// recorded waits for the record of the process of a call in temp.
func recorded(t *testing.T, temp string) (pid int) {
	t.Helper()
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(time.Millisecond) {
		files, _ := filepath.Glob(filepath.Join(temp, folderPrefix+"*", processFile))
		if len(files) == 0 {
			continue
		}
		text, _ := os.ReadFile(files[0])
		if pid, err := strconv.Atoi(strings.SplitN(string(text), " ", 2)[0]); err == nil {
			return pid
		}
	}
	t.Fatal("no process was recorded")
	return 0
}

// TestProgramEndsWithItsCaller, which is killed without a chance to end it.
func TestProgramEndsWithItsCaller(t *testing.T) {
	temp := t.TempDir()
	cmd := exec.Command(os.Args[0], "-test.run", "^TestChildOfThisTest$")
	cmd.Env = append(os.Environ(), "QATS_CALLER=1", "TMPDIR="+temp)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	pid := recorded(t, temp)
	if _, ok := startOf(pid); !ok {
		t.Error("the program does not run")
	}
	cmd.Process.Kill()
	cmd.Wait()
	for end := time.Now().Add(time.Minute); ; time.Sleep(time.Millisecond) {
		if _, ok := startOf(pid); !ok {
			break
		}
		if time.Now().After(end) {
			t.Fatalf("process %d still runs", pid)
		}
	}
	t.Setenv("TMPDIR", temp)
	if err := Recover(); err != nil {
		t.Error(err)
	}
	if left, _ := filepath.Glob(filepath.Join(temp, folderPrefix+"*")); len(left) != 0 {
		t.Errorf("left: %v", left)
	}
}

// leaver is a script whose fit leaves a child in a session of its own, and a child of that
// child. It writes their ids into the model.
const leaver = `setsid sh -c 'sleep 600 & echo $! > "$0/model/b"; echo $$ > "$0/model/a.new"; mv "$0/model/a.new" "$0/model/a"; wait' "$2" > /dev/null 2>&1 &
while [ ! -e "$2/model/a" ]; do sleep 0.01; done
`

// left returns the ids that leaver has written.
func left(t *testing.T, files []file) (pids []int) {
	t.Helper()
	for _, f := range files {
		pid, err := strconv.Atoi(strings.TrimSpace(f.body))
		if err != nil {
			t.Fatal(err)
		}
		pids = append(pids, pid)
	}
	if len(pids) != 2 {
		t.Fatalf("%v", files)
	}
	return pids
}

// TestChildrenThatHaveEndedAreWaitedFor, also those that have left the group before, or have
// no mark of their call: otherwise each call would leave numbers of processes in use.
func TestChildrenThatHaveEndedAreWaitedFor(t *testing.T) {
	if _, err := exec.LookPath("setsid"); err != nil {
		t.Skip(err)
	}
	Adopt()
	for _, leave := range []string{"setsid true & sleep 0.05", "env -i setsid true & sleep 0.05", "env -i setsid sleep 0.01 & exit 0"} {
		p := Program{Argv: []string{"sh", "-c", leave, "sh"}, Dir: t.TempDir(), Limit: time.Minute, Disk: 1 << 20}
		for range 2 { // what ends after one call is waited for by the next
			if _, err := p.Fit(t.Context(), writeNothing); err != nil {
				t.Fatal(err)
			}
			time.Sleep(50 * time.Millisecond)
		}
		ended := slices.DeleteFunc(children(), func(c child) bool { return !c.ended })
		if len(ended) > 1 {
			t.Errorf("%s: %d children have ended and are not waited for", leave, len(ended))
		}
	}
}

// TestChildrenThatLeaveTheGroupEndWithTheCall, in sessions of their own. Those of another
// call, and other children of this process, live on.
func TestChildrenThatLeaveTheGroupEndWithTheCall(t *testing.T) {
	if _, err := exec.LookPath("setsid"); err != nil {
		t.Skip(err)
	}
	Adopt()
	other := exec.Command("sh", "-c", "setsid sleep 600 > /dev/null 2>&1 & echo $!") // an orphan that is not a program's
	out, err := other.Output()
	if err != nil {
		t.Fatal(err)
	}
	orphan, err := strconv.Atoi(strings.TrimSpace(string(out)))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { syscall.Kill(orphan, syscall.SIGKILL); syscall.Wait4(orphan, nil, 0, nil) }()
	ours := exec.Command("cat")
	in, err := ours.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := ours.Start(); err != nil {
		t.Fatal(err)
	}

	temp := t.TempDir() // of the other call, which goes on
	t.Setenv("TMPDIR", temp)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() {
		p := Program{Argv: []string{"sh", "-c", leaver + "sleep 600", "sh"}, Dir: t.TempDir(), Limit: time.Minute, Disk: 1 << 20}
		_, err := p.Fit(ctx, writeNothing)
		ended <- err
	}()
	var others []file
	for end := time.Now().Add(time.Minute); len(others) < 2 && time.Now().Before(end); time.Sleep(time.Millisecond) {
		others = nil
		for _, name := range []string{"a", "b"} {
			files, _ := filepath.Glob(filepath.Join(temp, folderPrefix+"*", "dir", modelFolder, name))
			if len(files) == 1 {
				body, _ := os.ReadFile(files[0])
				others = append(others, file{body: string(body)})
			}
		}
	}
	elsewhere := left(t, others)

	p := Program{Argv: []string{"sh", "-c", leaver, "sh"}, Dir: t.TempDir(), Limit: time.Minute, Disk: 1 << 20}
	m, err := p.Fit(t.Context(), writeNothing)
	if err != nil {
		t.Fatal(err)
	}
	for _, pid := range left(t, unpacked(t, m)) {
		if _, err := os.Stat("/proc/" + strconv.Itoa(pid)); err == nil {
			t.Errorf("process %d is there after its call", pid)
		}
	}
	for _, pid := range append(elsewhere, orphan) {
		if _, ok := startOf(pid); !ok {
			t.Errorf("process %d was ended with the call of another program", pid)
		}
	}
	in.Close()
	if err := ours.Wait(); err != nil {
		t.Errorf("a child of this process: %v", err)
	}
	cancel()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Errorf("the other call: %v", err)
	}
	for _, pid := range elsewhere {
		if _, err := os.Stat("/proc/" + strconv.Itoa(pid)); err == nil {
			t.Errorf("process %d is there after its call was cancelled", pid)
		}
	}
}

// TestProgramOfAnEarlierRunIsNamedAndNotKilled.
func TestProgramOfAnEarlierRunIsNamedAndNotKilled(t *testing.T) {
	temp := t.TempDir()
	t.Setenv("TMPDIR", temp)
	host, _ := os.Hostname()
	host = regexp.MustCompile(`[^a-zA-Z0-9.]`).ReplaceAllString(host, "_")
	dir := filepath.Join(temp, fmt.Sprintf("%s%s-%d-ab", folderPrefix, host, 1<<22+1))
	child := exec.Command("cat")
	in, err := child.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	if err := (&workplace{top: dir}).record(child.Process.Pid, "mine.py"); err != nil {
		t.Fatal(err)
	}
	want := fmt.Sprintf(`program "mine.py" of an earlier run, which was killed, still runs as process %d: wait for it or end it, and run again`, child.Process.Pid)
	if err := Recover(); fmt.Sprint(err) != want {
		t.Errorf("%v", err)
	}
	io.WriteString(in, "it lives")
	in.Close()
	if err := child.Wait(); err != nil {
		t.Error(err)
	}
	if err := Recover(); err != nil {
		t.Errorf("after its end: %v", err)
	}
	if _, err := os.Stat(dir); err == nil {
		t.Error("its folder is left")
	}
}
