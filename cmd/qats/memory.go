package main

import (
	"errors"
	"math"
	"runtime/debug"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
)

// memory is the flag --max-memory: a size with an optional unit KiB, MiB or GiB.
type memory struct {
	text  string
	bytes int64
}

// flag declares --max-memory.
func (m *memory) flag(cmd *cobra.Command) {
	m.usual()
	cmd.Flags().Var(m, "max-memory", "`SIZE` of the memory for arrays")
}

// usual sets the memory that no flag has set.
func (m *memory) usual() { *m = memory{"4GiB", 4 << 30} }

func (m *memory) String() string { return m.text }
func (m *memory) Type() string   { return "string" }

func (m *memory) Set(text string) error {
	number, unit := text, 1.0
	for suffix, size := range map[string]float64{"KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30} {
		if before, ok := strings.CutSuffix(text, suffix); ok {
			number, unit = before, size
		}
	}
	n, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
	if n *= unit; err != nil || math.IsNaN(n) || n < 1 || n > 1<<60 {
		return errors.New("write a size as in 512MiB or 6GiB")
	}
	*m = memory{text, int64(n)}
	return nil
}

// hold makes the garbage collector run as often as the process needs to stay within the
// memory. A lower GOMEMLIMIT stays.
func (m *memory) hold() {
	if limit := m.bytes + 16<<20; limit < debug.SetMemoryLimit(-1) {
		debug.SetMemoryLimit(limit)
	}
}
