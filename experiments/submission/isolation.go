package submission

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/qats-bench/qats/calib/external"
)

// ErrNotIsolated is the error of FindIsolation where the system has no place of that kind.
var ErrNotIsolated = errors.New("not isolated")

// Isolation is a way to start a program by bubblewrap (bwrap, 0.8 or newer). The program sees an empty file system with
// the system's programs and libraries, the files that it is given, and the folder of its call. It can write to that
// folder and to memory alone. It has no network, no other process, no capability and no way to a namespace of its own.
//
// Each call is a process of its own, so nothing but the model passes from one call to the next. A fault of the kernel is
// beyond it, for which there are virtual machines.
type Isolation struct {
	bwrap string
	uid   int // whom the program runs as where this process is root's; 0 elsewhere
}

// Limits of an isolated program.
const (
	mostProcesses = 256
	mostOpen      = 1024

	mostFile    int64 = 2 << 30  // bytes of a file
	mostMemory  int64 = 16 << 30 // bytes of addresses of a process
	mostScratch int64 = 1 << 30  // bytes of /tmp, which is memory
	mostShared  int64 = 1 << 28  // bytes of /dev/shm, which is memory
)

// FindIsolation returns the isolation of this system. The error wraps ErrNotIsolated, and says what is missing, where
// there is none: bwrap, prlimit (of util-linux), or namespaces for this user.
//
// A limit on processes does not hold for root, so a program of root runs as a user id that no one has.
func FindIsolation(ctx context.Context) (*Isolation, error) {
	if runtime.GOOS != "linux" {
		return nil, fmt.Errorf("%w: bubblewrap needs Linux", ErrNotIsolated)
	}
	path, err := exec.LookPath("bwrap")
	if err != nil {
		return nil, fmt.Errorf("%w: there is no bwrap: install bubblewrap, 0.8 or newer", ErrNotIsolated)
	}
	iso := &Isolation{bwrap: path}
	tools := []string{"prlimit"}
	if os.Geteuid() == 0 {
		if iso.uid, err = unusedUser(); err != nil {
			return nil, fmt.Errorf("%w: %w", ErrNotIsolated, err)
		}
		tools = append(tools, "setpriv")
	}
	for _, tool := range tools {
		if _, err := exec.LookPath(tool); err != nil {
			return nil, fmt.Errorf("%w: there is no %s: install util-linux", ErrNotIsolated, tool)
		}
	}
	dir, err := os.MkdirTemp("", "qats-isolation-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	around, err := iso.around(nil, dir)
	if err != nil {
		return nil, err
	}
	try := external.Program{Argv: []string{"/usr/bin/env"}, Dir: dir, Around: around, Owner: iso.uid}
	if _, said, err := try.Say(ctx, dir, "true", time.Minute, 1000); err != nil {
		return nil, fmt.Errorf("%w: %w%s", ErrNotIsolated, err, lastWords(said))
	}
	return iso, nil
}

// unusedUser returns a user id above those of people that no account has.
func unusedUser() (int, error) {
	for id := 64000; id < 65000; id++ {
		if _, err := user.LookupId(strconv.Itoa(id)); errors.As(err, new(user.UnknownUserIdError)) {
			return id, nil
		}
	}
	return 0, errors.New("every user id from 64000 to 64999 has an account, and a limit on processes does not hold for root")
}

// around returns the command that starts a program, with the program and its arguments behind: the files and folders of
// read are seen under their paths, those of a link where it leads, and the program starts in dir. The word
// external.CallFolder stands for the folder that can be written to.
func (iso *Isolation) around(read []string, dir string) ([]string, error) {
	words := []string{iso.bwrap, "--die-with-parent", "--new-session", "--cap-drop", "ALL"}
	if iso.uid == 0 {
		words = append(words, "--unshare-all", "--unshare-user", "--disable-userns")
	} else { // a user namespace would hide the unused user; setpriv below drops what is added here
		words = append(words, "--unshare-ipc", "--unshare-pid", "--unshare-net", "--unshare-uts", "--unshare-cgroup-try",
			"--cap-add", "CAP_SETUID", "--cap-add", "CAP_SETGID", "--cap-add", "CAP_SETPCAP")
	}
	for _, path := range systemFolders {
		info, err := os.Lstat(path)
		switch {
		case err != nil:
		case info.Mode()&os.ModeSymlink != 0:
			target, err := os.Readlink(path)
			if err != nil {
				return nil, err
			}
			words = append(words, "--symlink", target, path)
		default:
			words = append(words, "--ro-bind", path, path)
		}
	}
	configured, err := configurations()
	if err != nil {
		return nil, err
	}
	words = append(words, "--perms", "0755", "--dir", "/etc")
	for _, path := range configured {
		words = append(words, "--ro-bind-try", path, path)
	}
	words = append(words, "--proc", "/proc", "--dev", "/dev",
		"--size", fmt.Sprint(mostShared), "--perms", "1777", "--tmpfs", "/dev/shm",
		"--size", fmt.Sprint(mostScratch), "--perms", "1777", "--tmpfs", "/tmp")
	read = slices.Clone(read)
	for i, path := range read {
		if read[i], err = filepath.Abs(path); err != nil {
			return nil, err
		}
	}
	// Else bwrap makes them with the mode 0700, which the unused user could not enter.
	for _, dir := range parents(append(read, filepath.Join(os.TempDir(), "call"))) {
		words = append(words, "--perms", "0755", "--dir", dir)
	}
	words = append(words, "--perms", "0755", "--dir", external.CallFolder+"/..")
	for _, path := range read {
		source, err := filepath.EvalSymlinks(path)
		if err != nil {
			return nil, err
		}
		words = append(words, "--ro-bind", source, path)
	}
	words = append(words, "--bind", external.CallFolder, external.CallFolder, "--remount-ro", "/")
	if iso.uid != 0 {
		id := fmt.Sprint(iso.uid)
		words = append(words, "--chdir", "/", "--", "setpriv", "--reuid", id, "--regid", id, "--clear-groups", "--inh-caps=-all", "--bounding-set=-all", "--no-new-privs", "--")
		words = append(words, iso.bwrap, "--unshare-user", "--disable-userns", "--dev-bind", "/", "/", "--cap-drop", "ALL")
	}
	return append(words, "--chdir", dir, "--", "prlimit", fmt.Sprintf("--nproc=%d", mostProcesses), fmt.Sprintf("--nofile=%d", mostOpen),
		fmt.Sprintf("--fsize=%d", mostFile), fmt.Sprintf("--as=%d", mostMemory), "--core=0", "--"), nil
}

// parents returns the folders above some absolute paths, the upper ones first, but for those that every program sees.
func parents(paths []string) (list []string) {
	for _, path := range paths {
		for dir := filepath.Dir(path); dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
			if dir != "/tmp" && !inSystem(dir) && !slices.Contains(list, dir) {
				list = append(list, dir)
			}
		}
	}
	slices.Sort(list)
	return list
}

// configurations returns the files and folders of /etc without which interpreters do not start.
func configurations() ([]string, error) {
	list := []string{"/etc/alternatives", "/etc/ld.so.cache", "/etc/R", "/etc/perl"}
	found, err := filepath.Glob("/etc/python3*")
	return append(list, found...), err
}

// interpreter returns the path of a Python, which a command may start by a script, and the folders of it that lie outside
// the system's: those of the installation, and of an environment on top of it. The packages of a user's home are left out.
func interpreter(ctx context.Context, command string) (path string, folders []string, err error) {
	found, err := exec.LookPath(command)
	if err != nil {
		return "", nil, err
	}
	said, err := exec.CommandContext(ctx, found, "-I", "-c", "import sys; print(sys.executable); print(sys.base_prefix); print(sys.prefix)").Output()
	lines := strings.Split(strings.TrimSpace(string(said)), "\n")
	if err == nil && len(lines) != 3 {
		err = fmt.Errorf("it printed %d lines, want 3", len(lines))
	}
	if err != nil {
		return "", nil, fmt.Errorf("%s: where it is installed: %w", command, err)
	}
	for _, dir := range lines[1:] {
		if !inSystem(dir) && !slices.Contains(folders, dir) {
			folders = append(folders, dir)
		}
	}
	slices.SortFunc(folders, func(a, b string) int { return cmp.Compare(len(a), len(b)) }) // an environment may lie in an installation
	return lines[0], folders, nil
}

// systemFolders are the folders that every isolated program sees.
var systemFolders = []string{"/usr", "/lib", "/lib32", "/lib64", "/libx32", "/bin", "/sbin"}

// inSystem reports whether a path is below them.
func inSystem(path string) bool {
	return slices.ContainsFunc(systemFolders, func(dir string) bool {
		return path == dir || strings.HasPrefix(path, dir+"/")
	})
}
