package main

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var (
	link    = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	named   = regexp.MustCompile(`\bdocs/[a-z-]+\.md(?:#[a-z0-9_-]+)?`)
	heading = regexp.MustCompile(`(?m)^#+ (.+)$`)
	fenced  = regexp.MustCompile("(?ms)^```.*?^```$")
)

// anchors returns the anchors of the headings of a page, as GitHub and the site make them.
func anchors(page string) []string {
	var list []string
	for _, h := range heading.FindAllStringSubmatch(fenced.ReplaceAllString(page, ""), -1) {
		words := strings.NewReplacer("[", "", "]", "", "`", "").Replace(strings.ToLower(h[1]))
		words = regexp.MustCompile(`[^\p{L}\p{N} _-]`).ReplaceAllString(words, "")
		list = append(list, strings.ReplaceAll(words, " ", "-"))
	}
	return list
}

// missing says what is wrong with a target, a path with perhaps an anchor; it is empty if nothing is.
func missing(top fs.FS, target string) string {
	file, anchor, _ := strings.Cut(target, "#")
	info, err := fs.Stat(top, file)
	switch {
	case strings.HasSuffix(file, "docs/api.md") || strings.HasSuffix(file, "docs/gallery.md"):
		return "is a page of the site alone"
	case err != nil:
		return "is not there"
	case anchor == "" || info.IsDir() || path.Ext(file) != ".md":
		return ""
	}
	text, err := fs.ReadFile(top, file)
	if err != nil || !slices.Contains(anchors(string(text)), anchor) {
		return "has no such heading"
	}
	return ""
}

// TestLinksLeadSomewhere: relative links of all pages of the project, and names of documents in code,
// messages, specs and scripts, are those of files, with their headings. The protocols of the leaderboard are frozen, with
// the names of pages that they had.
func TestLinksLeadSomewhere(t *testing.T) {
	top := os.DirFS(filepath.Join("..", ".."))
	pages, names := 0, 0
	err := fs.WalkDir(top, ".", func(file string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (slices.Contains([]string{".git", "node_modules", "bin", "dist", "results/out", "experiments/protocol"}, file) || d.Name() == "node_modules"):
			return fs.SkipDir
		case !d.Type().IsRegular() || !slices.Contains([]string{".md", ".go", ".py", ".pyi", ".yaml", ".yml", ".toml", ".html", ".js", ".txtar", ".golden", ".ipynb", ".json", ""}, path.Ext(file)) || file == "docs/tables/links_test.go":
			return nil
		}
		b, err := fs.ReadFile(top, file)
		if err != nil {
			return err
		}
		text := string(b)
		if path.Ext(file) == ".md" {
			pages++
			for _, m := range link.FindAllStringSubmatch(fenced.ReplaceAllString(text, ""), -1) {
				target := m[1]
				if strings.Contains(target, "://") || strings.HasPrefix(target, "mailto:") {
					continue
				}
				if strings.HasPrefix(target, "#") {
					target = path.Base(file) + target
				}
				if what := missing(top, path.Join(path.Dir(file), target)); what != "" {
					t.Errorf("%s links to %s, which %s", file, m[1], what)
				}
			}
		}
		for _, m := range named.FindAllString(text, -1) {
			names++
			if what := missing(top, m); what != "" {
				t.Errorf("%s names %s, which %s", file, m, what)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if pages < 20 || names < 80 {
		t.Errorf("%d pages and %d names were looked at", pages, names)
	}
	for target, want := range map[string]string{
		"docs/absent.md": "is not there", "docs/README.md": "", "docs/methods.md#absent": "has no such heading",
		"docs/methods.md#ts": "", "docs/formats.md#manifestyaml": "", "docs": "", "docs/gallery.md": "is a page of the site alone",
	} {
		if got := missing(top, target); got != want {
			t.Errorf("%s %q, want %q", target, got, want)
		}
	}
}
