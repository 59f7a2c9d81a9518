package table

import "strings"

// List joins names as in "A, B and C". It needs one name or more.
func List(names []string) string {
	last := len(names) - 1
	if last == 0 {
		return names[0]
	}
	return strings.Join(names[:last], ", ") + " and " + names[last]
}
