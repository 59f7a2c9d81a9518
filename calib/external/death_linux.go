package external

import (
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"syscall"
)

// diesWithUs makes the kernel kill a program that is about to start when the calling
// thread ends. It keeps the goroutine on its thread until the returned function is
// called. ownGroup comes before it.
func diesWithUs(cmd *exec.Cmd) (done func()) {
	cmd.SysProcAttr.Pdeathsig = syscall.SIGKILL
	runtime.LockOSThread()
	return runtime.UnlockOSThread
}

// startOf returns when a process started, in ticks since the system did. A process
// that has ended but is still listed does not run.
func startOf(pid int) (start string, ok bool) {
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return "", false
	}
	// The second field is the name, in brackets, which may itself hold brackets.
	_, rest, _ := strings.Cut(string(stat[max(0, strings.LastIndexByte(string(stat), ')')):]), " ")
	fields := strings.Fields(rest) // from the third field on
	if len(fields) < 20 || fields[0] == "Z" || fields[0] == "X" {
		return "", false
	}
	return fields[19], true
}
