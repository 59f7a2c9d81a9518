//go:build !unix

package external

import "os/exec"

// ownGroup does not make a group, because this system has none. Only the process
// itself is killed.
func ownGroup(*exec.Cmd) {}

func killGroup(*exec.Cmd) {}
