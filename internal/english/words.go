// Package english has the English of messages and tables: counted nouns, lists of names and
// texts folded to a width.
package english

import (
	"fmt"
	"strings"
)

// List joins names as in "A, B and C". It needs one name or more.
func List(names []string) string {
	last := len(names) - 1
	if last == 0 {
		return names[0]
	}
	return strings.Join(names[:last], ", ") + " and " + names[last]
}

// Count returns a number with its noun in print: "1 setting", "2 settings".
func Count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
