package all

import (
	_ "embed"
	"regexp"
	"slices"
	"strings"
)

// references has a BibTeX entry of each publication, with a field of the methods that it describes.
//
//go:embed references.bib
var references string

// ofMethods is that field.
var ofMethods = regexp.MustCompile(`(?m)^  methods +=\s*\{(.*)\},\n`)

// References returns BibTeX entries of the publications that describe the methods of these names, in the
// order of references.bib. A method without a publication, such as uncal, has none.
func References(methods []string) string {
	var list []string
	for entry := range strings.SplitSeq(strings.TrimSpace(references), "\n\n") {
		of := strings.Split(ofMethods.FindStringSubmatch(entry)[1], ", ")
		if slices.ContainsFunc(methods, func(m string) bool { return slices.Contains(of, m) }) {
			list = append(list, ofMethods.ReplaceAllString(entry, "")+"\n")
		}
	}
	return strings.Join(list, "\n")
}
