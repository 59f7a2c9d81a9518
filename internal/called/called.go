// Package called says under which name the program was started: qats, which a checkout builds, qatsbench, the
// command that comes with the Python package, or python3 -m qatsbench. Messages that tell the reader what to type
// begin with this name, since another one may not exist on the reader's machine. What is written to documents, and
// to files of results, has qats: their bytes do not depend on the name.
package called

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// byDefault is the name of a program that has any other name, such as that of a test.
const byDefault = "qats"

// names are those that messages repeat. The Python package starts the program as the last ones.
var names = []string{byDefault, "qatsbench", "python3 -m qatsbench", "python -m qatsbench"}

// Command returns the words with which a command line begins: qats, or one of the other names.
func Command() string { return command(os.Args) }

// Name returns the last word of Command, which stands before messages: qats or qatsbench.
func Name() string {
	words := strings.Fields(Command())
	return words[len(words)-1]
}

// command returns the name in the first of args. It may be a path, and end in .exe.
func command(args []string) string {
	if len(args) == 0 {
		return byDefault
	}
	name := strings.TrimSuffix(filepath.Base(args[0]), ".exe")
	if slices.Contains(names, name) {
		return name
	}
	return byDefault
}
