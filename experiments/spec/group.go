package spec

import (
	"fmt"
	"slices"
	"strings"

	"github.com/qats-bench/qats/data/keyed"
	"github.com/qats-bench/qats/internal/called"
	"github.com/qats-bench/qats/internal/lists"
)

// Group is a set of registered methods or metrics that a spec names by one word.
type Group struct {
	Name    string // begins with @
	Summary string // one line: what the members have in common

	// Members returns the names of the members in the order of the registry. It is a function,
	// since few commands need to look at every entry.
	Members func() []string
}

// IsGroup reports whether a name is meant as that of a group.
func IsGroup(name string) bool { return strings.HasPrefix(name, "@") }

// MatchGroup returns the group of this name, as Match does. The error suggests another name.
func MatchGroup(groups []Group, name string) (Group, error) {
	known := groupNames(groups)
	match, ok := keyed.Match(name, known)
	if !ok {
		return Group{}, &UnknownName{"group", name, keyed.Suggest(name, known)}
	}
	return groups[slices.Index(known, match)], nil
}

// MembersOf returns the entries of a registry that belong to the group of this name, in the
// order of the registry. An unknown group is an error, as in MatchGroup.
func MembersOf[E any](groups []Group, group string, registry []E, name func(E) string) ([]E, error) {
	g, err := MatchGroup(groups, group)
	if err != nil {
		return nil, err
	}
	members := g.Members()
	return lists.Where(registry, func(e E) bool { return slices.Contains(members, name(e)) }), nil
}

// oneWanted is the error that a group is named where one member is.
func oneWanted(groups []Group, name, what string) error {
	if _, err := MatchGroup(groups, name); err != nil && len(groups) > 0 {
		return err
	}
	return fmt.Errorf("%q is a group, and one %s is wanted here", name, what)
}

// GroupsOf returns the names of the groups that have a member.
func GroupsOf(groups []Group, member string) []string {
	return groupNames(lists.Where(groups, func(g Group) bool { return slices.Contains(g.Members(), member) }))
}

func groupNames(groups []Group) []string {
	return lists.Values(groups, func(g Group) string { return g.Name })
}

// notAMember returns the end of the error for an unknown name, such as " (did you mean x?)"; what is "methods" or
// "metrics". The answer to the name of a group without its @ is the groups, and the answer to a name that is like no
// other one is the members of the first group.
func notAMember(got, what string, known []string, aliases func(i int) []string, groups []Group) string {
	if len(groups) == 0 {
		return suggestAlias(got, known, aliases)
	}
	all := strings.Join(groupNames(groups), ", ")
	if group, ok := keyed.Match("@"+got, groupNames(groups)); ok && !slices.Contains(known, got) {
		return fmt.Sprintf(": did you mean the group %q? The groups are %s; a spec has them in quotes", group, all)
	}
	if near := nearestAlias(got, known, aliases); near != "" {
		return keyed.DidYouMean(near)
	}
	return fmt.Sprintf(" (%s are %s; "+called.Command()+" doc %s lists all, and the groups %s)", groups[0].Name, strings.Join(groups[0].Members(), ", "), what, strings.Join(groupNames(groups[1:]), ", "))
}
