package all

import (
	"regexp"
	"slices"
	"strings"
	"testing"
)

// unpublished are the methods that no publication describes.
var unpublished = []string{"uncal", "base-rate", "base-rate-top"}

// TestReferences: each method of a publication has an entry, each entry has what BibTeX needs, and the
// methods of entries are registered.
func TestReferences(t *testing.T) {
	var names []string
	for _, e := range Registry() {
		names = append(names, e.Name)
		if has := References([]string{e.Name}) != ""; has == slices.Contains(unpublished, e.Name) {
			t.Errorf("%s: has an entry: %v", e.Name, has)
		}
	}
	keys := map[string]bool{}
	for entry := range strings.SplitSeq(strings.TrimSpace(references), "\n\n") {
		head := regexp.MustCompile(`^@[a-z]+\{([a-z0-9]+),\n`).FindStringSubmatch(entry)
		if head == nil || keys[head[1]] {
			t.Fatalf("no key, or one of another entry: %s", entry)
		}
		keys[head[1]] = true
		for _, field := range []string{"author", "title", "year", "methods"} {
			if !regexp.MustCompile(`(?m)^  ` + field + ` += \{.+\},$`).MatchString(entry) {
				t.Errorf("%s has no %s", head[1], field)
			}
		}
		for _, m := range strings.Split(ofMethods.FindStringSubmatch(entry)[1], ", ") {
			if !slices.Contains(names, m) {
				t.Errorf("%s: no method %s", head[1], m)
			}
		}
	}
}

func TestReferencesOfSomeMethods(t *testing.T) {
	got := References([]string{"qats", "uncal", "ts"})
	if strings.Count(got, "@") != 2 || strings.Contains(got, "methods") || !strings.Contains(got, "@inproceedings{guo2017,\n") || !strings.HasSuffix(got, "}\n") {
		t.Errorf("%s", got)
	}
	if got := References(nil); got != "" {
		t.Errorf("of no method: %s", got)
	}
}
