//go:build !unix

package external

import (
	"os/exec"
	"time"
)

// ownGroup: there are no process groups; the process alone is killed.
func ownGroup(cmd *exec.Cmd) { cmd.WaitDelay = time.Second }

func killGroup(*exec.Cmd) {}
