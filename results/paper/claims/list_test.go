package claims

import (
	"slices"
	"strings"
	"testing"

	"github.com/qats-bench/qats/results/paper"
)

// Each function has a claim, and no claim stands twice in the list.
func TestListNamesEveryFunction(t *testing.T) {
	named, quotes := map[string]bool{}, map[string]bool{}
	for _, c := range claims() {
		if quotes[c.Quote] || c.Where == "" || c.Reading == "" {
			t.Errorf("claim %+v", c)
		}
		quotes[c.Quote] = true
		for _, test := range slices.Concat(c.Test, c.Published, c.Measured) {
			if test.Go != nil {
				named[string(*test.Go)] = true
			}
		}
	}
	for name := range functions() {
		if !named[name] {
			t.Errorf("no claim needs the function %q", name)
		}
	}
}

// Mistakes in the list are found, and name the claim.
func TestMistakesInTheList(t *testing.T) {
	const claim = "- {quote: q, where: w, reading: r, "
	for text, want := range map[string]string{
		"- {quote: q, where: w, reading: r}\n":                                                  `"q" needs test, or published and measured`,
		claim + "published: [{settings: 1}]}":                                                   `"q" needs test, or published and measured`,
		claim + "test: [{settings: 1}], published: [{settings: 1}], measured: [{settings: 1}]}": `"q" needs test, or published and measured`,
		claim + "test: [{}]}":                                                                   `"q" has a test with 0 predicates`,
		claim + "test: [{settings: 1, go: widening}]}":                                          `"q" has a test with 2 predicates`,
		claim + "test: [{go: no such}]}":                                                        `"q": go: no function "no such"`,
		claim + "test: [{rows: {count: rows, tables: [standard], rank: 1, below: [TS]}}]}":      `"q": rows: 2 questions about "rows", want one`,
		claim + "test: [{rows: {count: rows, tables: [standard]}}]}":                            `"q": rows: 0 questions about "rows", want one`,
		claim + "test: [{rows: {count: rows, tables: [standard, other], rank: 1}}]}":            `"q": "other" is no table of the paper`,
		claim + "test: [{margin: {table: other}}]}":                                             `"q": "other" is no table of the paper`,
		claim + "test: [{rising: {table: other}}]}":                                             `"q": "other" is no table of the paper`,
		claim + "test: [{rows: {count: rows, tables: [standard], rank: 1, exept: 1}}]}":         "field exept not found",
		"- {quote: q, wher: w, reading: r, test: [{not_printed: no table}]}":                    "field wher not found",
	} {
		if _, err := parseClaims([]byte(text)); err == nil || !strings.HasPrefix(err.Error(), "claims.yaml: ") || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
	if list, err := parseClaims([]byte(claim + "published: [{settings: 1}], measured: [{not_printed: no table}, {go: widening}]}")); err != nil || len(list[0].Measured) != 2 {
		t.Errorf("%+v, %v", list, err)
	}
}

// The means of a method rise if each is above the one before; a missing one leaves it open.
func TestMeansThatRise(t *testing.T) {
	rows := [][]string{
		{"shift-full cifar100-c vit-b16 average 1", "TS 1.00", "IR 1.00", "GC 1.00", "QaTS 1.00"},
		{"shift-full cifar100-c vit-b16 average 2", "TS 2.00", "IR 2.00", "GC ?", "QaTS 2.00"},
		{"shift-full cifar100-c vit-b16 average 3", "TS 3.00", "IR 2.00", "GC 3.00", "QaTS 1.50"},
		{"shift-full cifar100-c vit-b16 fog 3", "TS 0.00", "IR 0.00", "GC 0.00", "QaTS 0.00"}, // no mean
	}
	for methods, want := range map[string]Judgement{
		"TS": {Holds, "1 of 1 methods"}, "TS IR": {Fails, "1 of 2 methods; exceptions: IR"}, "QaTS": {Fails, "0 of 1 methods; exceptions: QaTS"},
		"TS GC": {Unjudged, "1 of 1 methods; numbers are missing in 1 more"}, "GC": {Unjudged, "no numbers for these methods"},
	} {
		q := risingTest{Count: "methods", Table: "shift-full", Methods: strings.Fields(methods)}
		if got := q.judge(bookOf(t, false, rows...)); got != want {
			t.Errorf("%s: %+v, want %+v", methods, got, want)
		}
	}
	if rising([]paper.Points{1, 2, 2}) || !rising([]paper.Points{1, 2, 3}) {
		t.Error("equal numbers rise")
	}
}
