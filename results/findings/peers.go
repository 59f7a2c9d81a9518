package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"github.com/qats-bench/qats/internal/lists"
)

// peersFile has the programs of docs/peers.md: what was read, and when.
var peersFile = shown{"peers.csv", ',', []string{"date", "program", "url", "version", "commit", "commit_date", "note", "places"}, []string{"program"}}

// programs is the table of peers.csv.
func (w *words) programs() (string, error) {
	rows, err := w.rows(peersFile)
	if err != nil {
		return "", err
	}
	table := [][]string{{"program", "version", "places", "read"}}
	for _, r := range rows {
		version := lists.Where([]string{r["version"], "commit " + r["commit"] + ", " + r["commit_date"], r["note"]}, func(s string) bool { return s != "" })
		table = append(table, []string{"[" + r["program"] + "](" + r["url"] + ")", strings.Join(version, "; "), r["places"], r["date"]})
	}
	return markdown(append(table, []string{"qats", "this tree", "`qats doc methods`, `qats doc metrics`, `qats doc figures`", ""})), nil
}

// indexed is a line of the index of docs/methods.md, which is made from the registries of methods
// and metrics.
var indexed = regexp.MustCompile(`(?m)^\| \[([a-z0-9_-]+)\]\(#[a-z0-9_-]+\) \|`)

// compared returns how many of the "calibrators" or "metrics" of docs/methods.md the page of peers
// names.
func (w *words) compared(what string) (string, error) {
	var texts []string
	for _, name := range []string{"methods.md", "peers.md"} {
		b, err := os.ReadFile(filepath.Join(w.top, "docs", name))
		if err != nil {
			return "", err
		}
		texts = append(texts, string(b))
	}
	_, table, _ := strings.Cut(texts[0], "](#"+what+") |")
	table, _, _ = strings.Cut(table, "\n\n")
	names := lists.Values(indexed.FindAllStringSubmatch(table, -1), func(m []string) string { return m[1] })
	if len(names) == 0 {
		return "", fmt.Errorf("docs/methods.md has no index of %s", what)
	}
	named := lists.Where(names, func(name string) bool { return strings.Contains(texts[1], "`"+name+"`") })
	if len(named) < len(names) {
		return fmt.Sprintf("%d of %d", len(named), len(names)), nil
	}
	return "all " + strconv.Itoa(len(names)), nil
}
