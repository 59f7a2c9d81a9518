package spec

import (
	"fmt"
	"slices"
	"strings"

	"github.com/qats-bench/qats/calib"
	"github.com/qats-bench/qats/data/keyed"
	"github.com/qats-bench/qats/internal/lists"
	"github.com/qats-bench/qats/metrics"
)

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
		return &UnknownName{what, name, keyed.DidYouMean(near)}
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

// suggestAlias is Suggest for names that have other names too: if got is one of
// those, it is answered with the name.
func suggestAlias(got string, known []string, aliases func(i int) []string) string {
	if near := nearestAlias(got, known, aliases); near != "" {
		return keyed.DidYouMean(near)
	}
	return keyed.Suggest(got, known)
}

// nearestAlias is Nearest for names that have other names too.
func nearestAlias(got string, known []string, aliases func(i int) []string) string {
	for i, name := range known {
		if slices.ContainsFunc(aliases(i), func(a string) bool { return keyed.Plain(a) == keyed.Plain(got) }) {
			return name
		}
	}
	return keyed.Nearest(got, known)
}

// MatchMethod returns the registered method of this name, as Match does. The error
// suggests another name, or names the groups.
func MatchMethod(registry []calib.Entry, groups []Group, name string) (calib.Entry, error) {
	known := names(registry)
	if match, ok := keyed.Match(name, known); ok {
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
	if match, ok := keyed.Match(name, known); ok {
		return registry[slices.Index(known, match)], nil
	}
	if IsGroup(name) {
		return metrics.Entry{}, oneWanted(groups, name, "metric")
	}
	return metrics.Entry{}, &UnknownName{"metric", name, notAMember(name, "metrics", known, func(i int) []string { return registry[i].Aliases }, groups)}
}
