//go:build !unix

package fetch

import "os"

// lock is not supported on this system: do not fetch a file twice at once.
func lock(*os.File) error { return nil }
