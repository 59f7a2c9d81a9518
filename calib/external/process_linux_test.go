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
	"strconv"
	"strings"
	"testing"
	"time"
)

// TestChildOfThisTest is the process that TestProgramEndsWithItsCaller kills.
func TestChildOfThisTest(t *testing.T) {
	if os.Getenv("QATS_CALLER") == "" {
		t.Skip("TestProgramEndsWithItsCaller runs it")
	}
	_, err := called("sh", "-c", "exec sleep 600").Fit(t.Context(), writeNothing)
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

// TestChildrenEndWithTheCall, of a call that succeeds and of one that is cancelled. Other
// children of this process live on, and so do those of another call.
func TestChildrenEndWithTheCall(t *testing.T) {
	ours := exec.Command("cat")
	in, err := ours.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := ours.Start(); err != nil {
		t.Fatal(err)
	}
	const leave = `sh -c 'sleep 600 & echo $! > "$0/model/b"; echo $$ > "$0/model/a.new"; mv "$0/model/a.new" "$0/model/a"; wait' "$2" > /dev/null 2>&1 &
while [ ! -e "$2/model/a" ]; do sleep 0.01; done
`
	ids := func(texts ...string) (pids []int) {
		for _, text := range texts {
			pid, err := strconv.Atoi(strings.TrimSpace(text))
			if err != nil {
				t.Fatal(err)
			}
			pids = append(pids, pid)
		}
		if len(pids) != 2 {
			t.Fatalf("%q", texts)
		}
		return pids
	}
	temp := t.TempDir() // of the other call, which goes on
	t.Setenv("TMPDIR", temp)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() {
		_, err := called("sh", "-c", leave+"sleep 600", "sh").Fit(ctx, writeNothing)
		ended <- err
	}()
	var others []string
	for end := time.Now().Add(time.Minute); len(others) < 2 && time.Now().Before(end); time.Sleep(time.Millisecond) {
		others = nil
		for _, name := range []string{"a", "b"} {
			files, _ := filepath.Glob(filepath.Join(temp, folderPrefix+"*", "dir", modelFolder, name))
			if len(files) == 1 {
				body, _ := os.ReadFile(files[0])
				others = append(others, string(body))
			}
		}
	}
	elsewhere := ids(others...)

	m, err := called("sh", "-c", leave, "sh").Fit(t.Context(), writeNothing)
	if err != nil {
		t.Fatal(err)
	}
	var texts []string
	for _, f := range unpacked(t, m) {
		texts = append(texts, f.body)
	}
	for _, pid := range ids(texts...) {
		checkGone(t, pid)
	}
	for _, pid := range elsewhere {
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
		checkGone(t, pid)
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
