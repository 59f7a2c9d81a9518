package external

import (
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"syscall"
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

// startOf returns when a process started, in ticks since the system did. A process
// that has ended but is still listed does not run.
func startOf(pid int) (start string, ok bool) {
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return "", false
	}
	// The second field is the name, in brackets, which may itself hold brackets.
	_, rest, _ := strings.Cut(string(stat[max(0, strings.LastIndexByte(string(stat), ')')):]), " ")
	fields := strings.Fields(rest)
	if len(fields) < 20 || fields[0] == "Z" || fields[0] == "X" {
		return "", false
	}
	return fields[19], true
}
