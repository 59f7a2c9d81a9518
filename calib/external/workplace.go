package external

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/qats-bench/qats/internal/leftover"
)

// folderPrefix begins the name of the folder of a call, in the folder for temporary
// files.
const folderPrefix = "qats-external-"

// processFile is the file in the folder of a call that says which process runs.
const processFile = "process"

// newFolder makes the folder of a call. Its name tells whose it is.
func newFolder() (string, error) {
	dir := filepath.Join(os.TempDir(), folderPrefix+leftover.Suffix())
	return dir, os.Mkdir(dir, 0o700)
}

// record writes down which process a call has started: its id, when it started in
// the time of the system, and its name.
func (w *workplace) record(pid int, name string) error {
	start, _ := startOf(pid)
	return os.WriteFile(filepath.Join(w.top, processFile), fmt.Appendf(nil, "%d %s %q\n", pid, start, name), 0o666)
}

// Recover removes the folders of calls whose callers were killed. A program of such a
// call that still runs is an error that names it: it may be writing, and it takes
// time and memory from this run. It is not ended, since only its user knows what it
// is worth.
func Recover() error {
	temp := os.TempDir()
	entries, _ := os.ReadDir(temp)
	var errs []error
	for _, e := range entries {
		suffix, ok := strings.CutPrefix(e.Name(), folderPrefix)
		if _, _, owned := leftover.Owner(suffix); !ok || !owned || !leftover.Abandoned(suffix, 0) {
			continue
		}
		errs = append(errs, stillRunning(filepath.Join(temp, e.Name())))
	}
	if err := errors.Join(errs...); err != nil {
		return err
	}
	leftover.Sweep(temp, func(name string) string {
		suffix, _ := strings.CutPrefix(name, folderPrefix)
		if suffix == name {
			return ""
		}
		return suffix
	})
	return nil
}

// stillRunning returns an error if the recorded process of an abandoned call is
// there, with the same start time. A process that merely got the same id is another
// one.
func stillRunning(dir string) error {
	text, err := os.ReadFile(filepath.Join(dir, processFile))
	if err != nil {
		return nil
	}
	fields := strings.SplitN(strings.TrimSpace(string(text)), " ", 3)
	if len(fields) != 3 {
		return nil
	}
	pid, err := strconv.Atoi(fields[0])
	if err != nil {
		return nil
	}
	if start, ok := startOf(pid); !ok || start != fields[1] {
		return nil
	}
	return fmt.Errorf("program %s of an earlier run, which was killed, still runs as process %d: wait for it or end it, and run again", fields[2], pid)
}
