//go:build !linux

package external

import "os/exec"

// diesWithUs does nothing: ending the program with its caller is not supported on this
// system. A killed run leaves its program running.
func diesWithUs(*exec.Cmd) (done func()) { return func() {} }

// Adopt does nothing: a child of a program that has left its group cannot be found.
func Adopt() {}

func endOrphans(group int, variable string) {}

func start(cmd *exec.Cmd) error { return cmd.Start() }

func waited(*exec.Cmd) {}

// startOf: this system does not say.
func startOf(int) (start string, ok bool) { return "-", false }
