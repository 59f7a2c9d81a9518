package main

import (
	"fmt"
	"io"
	"os"
	"strconv"

	"golang.org/x/term"

	"github.com/qats-bench/qats/internal/english"
	"github.com/qats-bench/qats/internal/terminal"
)

// lineWidth is the number of columns of lists and tables that go to no terminal, and
// leastWidth the smallest number that they are folded to.
const (
	lineWidth  = 100
	leastWidth = 40
)

// widthOf returns the columns of what is printed to w: those that $COLUMNS names, or those
// of the terminal, or lineWidth.
func widthOf(w io.Writer) int {
	columns, _ := strconv.Atoi(os.Getenv("COLUMNS"))
	if columns <= 0 {
		columns = terminalColumns(w)
	}
	if columns <= 0 {
		return lineWidth
	}
	return max(columns, leastWidth)
}

// terminalColumns returns the columns of the terminal that w goes to; 0 if it goes to none,
// or to one that does not say.
func terminalColumns(w io.Writer) int {
	f, ok := below(w).(*os.File)
	if !ok {
		return 0
	}
	columns, _, err := term.GetSize(int(f.Fd()))
	if err != nil {
		return 0
	}
	return columns
}

// say prints a line of text as wide as w and lines of text may be. Names in it may be of strangers.
func say(w io.Writer, format string, args ...any) {
	english.Wrap(w, "", terminal.Line(fmt.Sprintf(format, args...)), min(widthOf(w), lineWidth))
}
