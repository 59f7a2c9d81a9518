package external

import (
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// diesWithUs makes the kernel kill the program when this process ends, also by kill
// -9. The kernel counts the end of the *thread* that starts the program, so the
// goroutine keeps its thread until the returned function is called, after the
// program has ended.
func diesWithUs(cmd *exec.Cmd) (done func()) {
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{}
	}
	cmd.SysProcAttr.Pdeathsig = syscall.SIGKILL
	runtime.LockOSThread()
	return runtime.UnlockOSThread
}

// Adopt makes this process the parent of the children that programs leave behind, also
// of those that have left the process group of their program by setsid, so that a call
// can end them. It holds for the whole process: a call waits for all children that have
// ended, but for programs of other calls, and ends those with its own mark. So a program calls
// it that waits for no other children meanwhile, and not a library.
func Adopt() {
	unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) // a kernel without it leaves them to init
}

// orphansFor is how long a call looks for the children that its program has left: some
// become children of this process only when their parents have ended.
const orphansFor = time.Second

// started has the programs of calls that go on, whose ends only their calls wait for.
var started struct {
	sync.Mutex
	pids map[int]bool
}

// start starts a program. It is in started before it can be seen to have ended.
func start(cmd *exec.Cmd) error {
	started.Lock()
	defer started.Unlock()
	err := cmd.Start()
	if err == nil {
		if started.pids == nil {
			started.pids = map[int]bool{}
		}
		started.pids[cmd.Process.Pid] = true
	}
	return err
}

// waited takes a program that has been waited for out of started.
func waited(cmd *exec.Cmd) {
	started.Lock()
	defer started.Unlock()
	delete(started.pids, cmd.Process.Pid)
}

func isStarted(pid int) bool {
	started.Lock()
	defer started.Unlock()
	return started.pids[pid]
}

// endOrphans ends the children of this process that a program has left behind, and waits
// for them. They are known by the variable in their environment. Children that have ended
// have none any more: all of them are waited for. A child of a child becomes one of this
// process when its parent has ended.
func endOrphans(group int, variable string) {
	killed := map[int]bool{}
	for end := time.Now().Add(orphansFor); time.Now().Before(end); time.Sleep(time.Millisecond) {
		left := false
		for _, p := range children() {
			switch {
			case killed[p.pid] || p.ended && !isStarted(p.pid):
			case hasVariable(p.pid, variable):
				syscall.Kill(p.pid, syscall.SIGKILL)
				killed[p.pid] = true
			default:
				continue
			}
			left = true
			if ended, _ := syscall.Wait4(p.pid, nil, syscall.WNOHANG, nil); ended == p.pid {
				delete(killed, p.pid) // the number may soon be that of another process
			}
		}
		// Processes of the group whose parents live become orphans in a moment.
		if !left && syscall.Kill(-group, 0) != nil {
			return
		}
	}
}

// child is a child of this process.
type child struct {
	pid   int
	ended bool // and not waited for
}

// children lists the children of this process.
func children() (list []child) {
	entries, _ := os.ReadDir("/proc")
	self := strconv.Itoa(os.Getpid())
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil {
			continue
		}
		if stat, ok := statOf(pid); ok && stat[1] == self {
			list = append(list, child{pid, stat[0] == "Z"})
		}
	}
	return list
}

// hasVariable reports whether a process was started with a variable in its environment,
// NAME=VALUE. A process that has ended has none.
func hasVariable(pid int, variable string) bool {
	b, _ := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/environ")
	return slices.Contains(strings.Split(string(b), "\x00"), variable)
}

// statOf returns the fields of a process from the third on: state, parent, group, ...
func statOf(pid int) (fields []string, ok bool) {
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return nil, false
	}
	// The second field is the name, in brackets, which may itself hold brackets.
	_, rest, _ := strings.Cut(string(stat[max(0, strings.LastIndexByte(string(stat), ')')):]), " ")
	fields = strings.Fields(rest)
	return fields, len(fields) >= 20
}

// startOf returns when a process started, in ticks since the system did. A process
// that has ended but is still listed does not run.
func startOf(pid int) (start string, ok bool) {
	fields, ok := statOf(pid)
	if !ok || fields[0] == "Z" || fields[0] == "X" {
		return "", false
	}
	return fields[19], true
}
