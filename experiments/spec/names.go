package spec

import (
	"fmt"
	"slices"
	"strings"

	"github.com/qats-bench/qats/calib"
	"github.com/qats-bench/qats/internal/lists"
	"github.com/qats-bench/qats/metrics"
)

// plain returns a name as Match and Suggest compare it: in lower case, with hyphens
// in place of underscores and spaces.
func plain(name string) string {
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
		if plain(name) == plain(got) {
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
		return didYouMean(best)
	}
	return fmt.Sprintf(" (known: %s)", strings.Join(known, ", "))
}

func didYouMean(name string) string { return fmt.Sprintf(" (did you mean %s?)", name) }

// UnknownName is the error of a name that is not registered.
type UnknownName struct {
	What   string // method, metric or group
	Name   string
	ending string // of the message, as Suggest makes it
}

// Unknown returns the error that a name is none of the known ones, each of which may have
// other names. It suggests the most similar one, or says otherwise.
func Unknown(what, name string, known []string, aliases func(i int) []string, otherwise string) *UnknownName {
	if near := nearestAlias(name, known, aliases); near != "" {
		return &UnknownName{what, name, didYouMean(near)}
	}
	return &UnknownName{what, name, " (" + otherwise + ")"}
}

func (u *UnknownName) Error() string { return fmt.Sprintf("unknown %s %q%s", u.What, u.Name, u.ending) }

// Hint returns what could be meant: "did you mean x?".
func (u *UnknownName) Hint() string { return strings.Trim(u.ending, " :()") }

// SeveralValues ends a message about the name of a metric in list that has a value in
// results.csv for each of several ids: it says which of these are known. It is "" for
// other names.
func SeveralValues(got string, list []metrics.Entry, known []string) string {
	e, err := MatchMetric(list, nil, got)
	if err != nil {
		return ""
	}
	ids := slices.DeleteFunc(e.Names(), func(id string) bool { return !slices.Contains(known, id) })
	if len(ids) < 2 {
		return ""
	}
	return "gives several values; name one of " + strings.Join(ids, ", ")
}

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
		if d := edits(plain(got), plain(name)); d < distance {
			best, distance = name, d
		}
	}
	return best
}

// suggestAlias is Suggest for names that have other names too: if got is one of
// those, it is answered with the name.
func suggestAlias(got string, known []string, aliases func(i int) []string) string {
	if near := nearestAlias(got, known, aliases); near != "" {
		return didYouMean(near)
	}
	return Suggest(got, known)
}

// nearestAlias is Nearest for names that have other names too.
func nearestAlias(got string, known []string, aliases func(i int) []string) string {
	for i, name := range known {
		if slices.ContainsFunc(aliases(i), func(a string) bool { return plain(a) == plain(got) }) {
			return name
		}
	}
	return Nearest(got, known)
}

// MatchMethod returns the registered method of this name, as Match does. The error
// suggests another name, or names the groups.
func MatchMethod(registry []calib.Entry, groups []Group, name string) (calib.Entry, error) {
	known := names(registry)
	if match, ok := Match(name, known); ok {
		return registry[slices.Index(known, match)], nil
	}
	if IsGroup(name) {
		return calib.Entry{}, oneWanted(groups, name, "method")
	}
	return calib.Entry{}, &UnknownName{"method", name, suggestMethod(name, nil, registry, groups)}
}

// suggestMethod ends the message that got is unknown for the methods of a spec, if any, and
// the registered ones with their aliases.
func suggestMethod(got string, own []string, registry []calib.Entry, groups []Group) string {
	known := lists.Distinct(slices.Concat(names(registry), own), func(name string) string { return name })
	return notAMember(got, "methods", known, func(i int) []string {
		if i >= len(registry) {
			return nil
		}
		return append([]string{registry[i].Label}, registry[i].Aliases...)
	}, groups)
}

// MatchMetric returns the registered metric of this name, as Match does. The error
// suggests another name, or names the groups.
func MatchMetric(registry []metrics.Entry, groups []Group, name string) (metrics.Entry, error) {
	known := metricNames(registry)
	if match, ok := Match(name, known); ok {
		return registry[slices.Index(known, match)], nil
	}
	if IsGroup(name) {
		return metrics.Entry{}, oneWanted(groups, name, "metric")
	}
	return metrics.Entry{}, &UnknownName{"metric", name, notAMember(name, "metrics", known, func(i int) []string { return registry[i].Aliases }, groups)}
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
