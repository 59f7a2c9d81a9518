package main

import (
	"os"
	"strings"
)

// noDashedFiles returns an error for an argument that begins with a dash and is the name of a
// file. A shell puts such names in the place of *, so that a file --allow-exec=1 would be a flag;
// whoever means the flag cannot be told from whoever means the file. After -- there are no
// flags, and - is a stream in either case.
func noDashedFiles(args []string) error {
	for _, arg := range args {
		if arg == "--" {
			return nil
		}
		if arg == stdoutName || !strings.HasPrefix(arg, "-") {
			continue
		}
		if _, err := os.Lstat(arg); err == nil {
			return usageError{usage("%s may be a flag, or the file of this name in this folder", quoted([]string{arg})),
				"write " + quoted([]string{"./" + arg}) + " for the file; for the flag, rename the file or work in another folder"}
		}
	}
	return nil
}
