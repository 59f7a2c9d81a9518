package cpu

import (
	"os"
	"strings"
	"sync"
)

// Model returns the model name of this processor as the kernel tells it, in one line,
// or nothing.
var Model = sync.OnceValue(func() string {
	text, err := os.ReadFile("/proc/cpuinfo")
	if err != nil {
		return ""
	}
	for line := range strings.Lines(string(text)) {
		if name, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(name) == "model name" {
			return strings.Join(strings.Fields(value), " ")
		}
	}
	return ""
})
