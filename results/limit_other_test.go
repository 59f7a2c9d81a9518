//go:build !linux && !darwin

package results

import (
	"fmt"
	"os"
)

func limitFileSize(bytes string) {
	if bytes != "" {
		fmt.Println("no limits here")
		os.Exit(5)
	}
}
