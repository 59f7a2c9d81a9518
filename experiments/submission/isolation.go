package submission

import (
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
)

// ErrNotIsolated is the error of Isolation where the system has no place of that kind.
var ErrNotIsolated = errors.New("not isolated")

// isolated makes the place in which its arguments run: no network, a file system that can be read alone but for one folder,
// and hidden folders that are empty. $1 is the folder, $2 the number of hidden ones, which follow.
const isolated = `set -e
work=$1; n=$2; here=$(pwd); shift 2
mount --make-rprivate /
mount --bind "$work" "$work"
while [ "$n" -gt 0 ]; do
	mount -t tmpfs -o ro,size=4k none "$1"
	n=$((n - 1)); shift
done
cut -d' ' -f2 /proc/self/mounts | while IFS= read -r at; do
	case $at in "$work" | /proc | /proc/* | /dev | /dev/pts) ;; *) mount -o remount,bind,ro "$at" 2> /dev/null || : ;; esac
done
if touch "$0" 2> /dev/null; then echo "the file system can still be written to" >&2; exit 126; fi
cd "$here" # through the mount that can be written to
exec "$@"`

// Isolation returns the command that starts a program where it can write to the folder work alone, has no network, and
// finds the folders of hide empty, so that it sees the arrays that it is handed and no others. It needs Linux with unshare
// (util-linux) and namespaces for its user; elsewhere the error wraps ErrNotIsolated and says what is missing. It is a
// place for honest mistakes and plain malice: a fault of the kernel is beyond it, for which there are virtual machines.
func Isolation(work string, hide []string) ([]string, error) {
	work, err := filepath.Abs(work)
	if err != nil {
		return nil, err
	}
	guard, err := filepath.Abs(filepath.Join(work, "..", ".guard"))
	if err != nil {
		return nil, err
	}
	around := []string{"unshare", "--user", "--map-root-user", "--mount", "--net", "--ipc", "sh", "-c", isolated, guard, work, fmt.Sprint(len(hide))}
	for _, dir := range hide {
		if dir, err = filepath.Abs(dir); err != nil {
			return nil, err
		}
		if dir, err = filepath.EvalSymlinks(dir); err != nil {
			return nil, err
		}
		around = append(around, dir)
	}
	if _, err := exec.LookPath("unshare"); err != nil {
		return nil, fmt.Errorf("%w: there is no unshare (of util-linux)", ErrNotIsolated)
	}
	try := append(around[1:len(around):len(around)], "true")
	if said, err := exec.Command(around[0], try...).CombinedOutput(); err != nil {
		return nil, fmt.Errorf("%w: %w%s", ErrNotIsolated, err, lastWords(strings.TrimSpace(string(said))))
	}
	return around, nil
}
