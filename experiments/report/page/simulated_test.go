package page

import (
	"regexp"
	"strings"
	"testing"

	"github.com/qats-bench/qats/internal/lists"
)

// TestPageOfSimulatedRowsHasNoVerdict: the page says once for each comparison that there
// is none. The script is tested in a browser.
func TestPageOfSimulatedRowsHasNoVerdict(t *testing.T) {
	verdicts := regexp.MustCompile(`(?i)\bbetter\b|\bworse\b|\bp\s*([=]|&lt;)|wilcoxon|holm|friedman|nemenyi|critical difference|hodges|\bwin\b|win rate|bradley|\bloss\b|\btie\b|alike|favour|signific|smallest diff|beaten`)
	static := func(source string) string {
		f := everything()
		f.Records = lists.Where(f.Records, func(r record) bool { return r.Source == source })
		f.Run.Specs, f.Settings = nil, nil
		var b strings.Builder
		if err := Write(&b, f, goldenOptions); err != nil {
			t.Fatal(err)
		}
		before, _, _ := strings.Cut(b.String(), `<script`)
		_, body, ok := strings.Cut(before, "<body")
		if !ok {
			t.Fatal("the page has no body")
		}
		// Directions of a metric and a correlation of rankings are no verdicts on methods.
		for _, s := range []string{"Lower is better.", "rank alike", "rank the methods alike"} {
			body = strings.ReplaceAll(body, s, "")
		}
		return body
	}
	if verdicts.FindString(static("measured")) == "" {
		t.Error("the expression finds no verdict of measured rows")
	}
	page := static("simulated")
	if found := verdicts.FindAllString(page, -1); found != nil {
		t.Errorf("verdicts: %q", found)
	}
	if !strings.Contains(page, "Simulated rows get no test, no interval and no verdict.") {
		t.Error("the page does not say why")
	}
}
