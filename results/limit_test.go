//go:build linux || darwin

package results

import (
	"fmt"
	"os"
	"os/signal"
	"strconv"
	"syscall"
)

// limitFileSize makes every write beyond this many bytes of a file fail, like a full
// disk. Empty means no limit.
func limitFileSize(bytes string) {
	if bytes == "" {
		return
	}
	n, err := strconv.ParseUint(bytes, 10, 63)
	if err == nil {
		signal.Ignore(syscall.SIGXFSZ) // by default it kills
		err = setLimit(n)
	}
	if err != nil {
		fmt.Println("no limits here:", err)
		os.Exit(5)
	}
}

func setLimit(n uint64) error {
	limit := syscall.Rlimit{}
	if err := syscall.Getrlimit(syscall.RLIMIT_FSIZE, &limit); err != nil {
		return err
	}
	limit.Cur = n
	return syscall.Setrlimit(syscall.RLIMIT_FSIZE, &limit)
}
