package external

import (
	"errors"
	"fmt"
	"io/fs"
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

// workplace is the folder of one call, with the standard error of the program next to
// it.
type workplace struct{ top, dir, stderr string }

// newWorkplace makes the folder of a call. Its name tells whose it is.
func newWorkplace() (*workplace, error) {
	top := filepath.Join(os.TempDir(), folderPrefix+leftover.Suffix())
	w := &workplace{top, filepath.Join(top, "dir"), filepath.Join(top, "stderr")}
	if err := os.Mkdir(top, 0o700); err != nil {
		return nil, w.unusable(err)
	}
	if err := os.Mkdir(w.dir, 0o777); err != nil {
		w.remove()
		return nil, w.unusable(err)
	}
	return w, nil
}

// unusable says of an error in the folder of a call which folder it is of, which the user
// can change. Other errors, of arrays that are read, it returns as they are.
func (w *workplace) unusable(err error) error {
	var pe *fs.PathError
	if errors.As(err, &pe) && strings.HasPrefix(pe.Path, w.top) {
		return fmt.Errorf("the folder for temporary files, %s: %w; name another folder by the variable TMPDIR", os.TempDir(), pe.Err)
	}
	return err
}

// remove deletes the folder. It leaves files that the program made undeletable, which
// are in the system's folder for temporary files.
func (w *workplace) remove() { os.RemoveAll(w.top) }

// local returns err without the path of the folder, which differs in every run.
func (w *workplace) local(err error) error {
	if text := err.Error(); strings.Contains(text, w.top) {
		return errors.New(w.relative(text))
	}
	return err
}

func (w *workplace) relative(text string) string {
	text = strings.ReplaceAll(text, w.dir+string(filepath.Separator), "")
	return strings.ReplaceAll(strings.ReplaceAll(text, w.dir, "DIR"), w.top, "DIR/..")
}

// size returns the bytes of all files below the folder. A file that cannot be read
// while it is written is counted later.
func (w *workplace) size() int64 {
	var sum int64
	filepath.WalkDir(w.top, func(_ string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			if info, err := d.Info(); err == nil {
				sum += info.Size()
			}
		}
		return nil
	})
	return sum
}

// tailBytes is how much of the end of the program's standard error is shown.
const tailBytes = 400

// blame adds the end of what the program said, the file of its standard error, to err, as
// one line.
func (w *workplace) blame(said string, err error) error {
	if err == nil {
		return nil
	}
	f, ferr := os.Open(said)
	if ferr != nil {
		return err
	}
	defer f.Close()
	info, ferr := f.Stat()
	if ferr != nil || info.Size() == 0 {
		return err
	}
	from := max(0, info.Size()-tailBytes)
	b := make([]byte, info.Size()-from)
	n, _ := f.ReadAt(b, from)
	text := joinLines(w.relative(string(b[:n])))
	if text == "" {
		return err
	}
	mark := ""
	if from > 0 {
		mark = "... "
	}
	return fmt.Errorf("%w; it said: %s%s", err, mark, text)
}

// joinLines returns the lines of a text in one, without control characters.
func joinLines(text string) string {
	text = strings.Map(func(r rune) rune {
		if r < ' ' && r != '\n' || r == 0x7f {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(text, "?"))
	var lines []string
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" {
			lines = append(lines, line)
		}
	}
	return strings.Join(lines, " | ")
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
