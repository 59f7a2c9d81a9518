//go:build !unix

package external

import (
	"os/exec"
	"time"
)

// ownGroup does not make a group, because this system has none. Only the process
// itself is killed.
func ownGroup(cmd *exec.Cmd) { cmd.WaitDelay = time.Second }

func killGroup(*exec.Cmd) {}
