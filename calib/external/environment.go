package external

import (
	"os"
	"runtime"
	"slices"
	"strings"
)

// passed are the variables of the environment that every program gets: where programs
// and libraries are, where files may be made, the language of messages, the environment
// of Python, and the processors to use. A name that ends in * stands for all with that
// beginning.
var passed = []string{"PATH", "HOME", "TMPDIR", "LANG", "LC_*", "VIRTUAL_ENV", "CONDA_PREFIX", "LD_LIBRARY_PATH", "CUDA_VISIBLE_DEVICES", "OMP_NUM_THREADS"}

// needed are the variables without which a program of Windows may not start.
var needed = []string{"SYSTEMROOT", "SYSTEMDRIVE", "WINDIR", "COMSPEC", "PATHEXT", "TEMP", "TMP", "USERPROFILE", "APPDATA", "LOCALAPPDATA"}

// Passed lists the names of the variables of the environment that every program gets.
func Passed() []string { return slices.Clone(passed) }

// Environment returns the variables of the environment of this process that are passed
// on, and those of the names in more.
func Environment(more []string) []string {
	names := slices.Concat(passed, more)
	if runtime.GOOS == "windows" {
		names = append(names, needed...)
	}
	return slices.DeleteFunc(os.Environ(), func(variable string) bool {
		name, _, _ := strings.Cut(variable, "=")
		return !slices.ContainsFunc(names, func(want string) bool { return matches(name, want) })
	})
}

// matches reports whether want stands for the name. The names of Windows have no case.
func matches(name, want string) bool {
	begin, several := strings.CutSuffix(want, "*")
	if several && len(name) > len(begin) {
		name = name[:len(begin)]
	}
	if runtime.GOOS == "windows" {
		return strings.EqualFold(name, begin)
	}
	return name == begin
}
