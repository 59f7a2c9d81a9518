package keyed

import (
	"fmt"
	"slices"
	"strings"
)

// Plain returns a name as Match and Suggest compare it: in lower case, with hyphens
// in place of underscores and spaces.
func Plain(name string) string {
	return strings.NewReplacer("_", "-", " ", "-").Replace(strings.ToLower(name))
}

// Match returns the known name that got stands for: got itself or, if got is not
// known, the only known name that differs from it in case alone, where hyphen and
// underscore are the same.
func Match(got string, known []string) (string, bool) {
	if slices.Contains(known, got) {
		return got, true
	}
	match := ""
	for _, name := range known {
		if Plain(name) == Plain(got) {
			if match != "" {
				return "", false
			}
			match = name
		}
	}
	return match, match != ""
}

// Suggest ends the message that got is unknown with the most similar of the known
// names, as in " (did you mean x?)", or with all of them if none is similar.
func Suggest(got string, known []string) string {
	if best := Nearest(got, known); best != "" {
		return DidYouMean(best)
	}
	return fmt.Sprintf(" (known: %s)", strings.Join(known, ", "))
}

// DidYouMean ends a message about a name that is not known by one that is similar.
func DidYouMean(name string) string { return fmt.Sprintf(" (did you mean %s?)", name) }

// maxNear is the length of the longest name that is compared with others: the time that
// takes grows with the product of the lengths.
const maxNear = 300

// Nearest returns the most similar of the known names, the first of equally similar
// ones; "" if none is similar. Names of more than maxNear bytes are similar to none.
func Nearest(got string, known []string) string {
	best, distance := "", 1+max(1, len(got)/3)
	for _, name := range known {
		if max(len(got), len(name)) > maxNear {
			continue
		}
		if d := edits(Plain(got), Plain(name)); d < distance {
			best, distance = name, d
		}
	}
	return best
}

// edits returns the number of characters that must be inserted, deleted, replaced or
// swapped with their neighbour to turn a into b (optimal string alignment).
func edits(a, b string) int {
	x, y := []rune(a), []rune(b)
	var before []int // row i-2
	last := make([]int, len(y)+1)
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(x); i++ {
		row := make([]int, len(y)+1)
		row[0] = i
		for j := 1; j <= len(y); j++ {
			replaced := last[j-1]
			if x[i-1] != y[j-1] {
				replaced++
			}
			row[j] = min(replaced, last[j]+1, row[j-1]+1)
			if i > 1 && j > 1 && x[i-1] == y[j-2] && x[i-2] == y[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, last = last, row
	}
	return last[len(y)]
}
