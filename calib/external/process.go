package external

import (
	"os/exec"
	"time"
)

// waitDelay is how long a program that was killed, or a child that holds its standard
// output, may keep a call from its end.
const waitDelay = time.Second

// process is a program that runs, in a process group of its own where the system has
// groups.
type process struct {
	cmd   *exec.Cmd
	ended chan struct{} // is closed when it has been waited for and the rest of its group is killed
	err   error         // of its end
}

// startProcess starts a command that was made with a context. The end of the context
// kills the program with its group. On Linux the kernel kills it when this process ends,
// also by kill -9. The kernel counts the end of the thread that starts the program, so
// one goroutine keeps its thread until the program has ended.
func startProcess(cmd *exec.Cmd) (*process, error) {
	ownGroup(cmd)
	cmd.WaitDelay = waitDelay
	p := &process{cmd: cmd, ended: make(chan struct{})}
	started := make(chan error)
	go func() {
		defer diesWithUs(cmd)()
		err := cmd.Start()
		started <- err
		if err != nil {
			return
		}
		p.err = cmd.Wait()
		killGroup(cmd) // what the program has left
		close(p.ended)
	}()
	return p, <-started
}

// processorTime returns the time of a program that has ended, and of the children that
// it has waited for.
func (p *process) processorTime() time.Duration {
	return p.cmd.ProcessState.UserTime() + p.cmd.ProcessState.SystemTime()
}
