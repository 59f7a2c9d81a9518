package compare

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/qats-bench/qats/results"
	"github.com/qats-bench/qats/results/resultstest"
)

// TestRescaledSettingsCountOnlyWhereTheyAreNamed: rescale=1 is a copy of a setting, and the
// other factors are no networks of their own.
func TestRescaledSettingsCountOnlyWhereTheyAreNamed(t *testing.T) {
	var records []results.Record
	var pairs []results.Pair
	for i := range 4 {
		for _, factor := range []float64{0, .5, 1, 2} {
			c := resultstest.Varied(cell(fmt.Sprint("d", i), "x"), results.Variant{Rescale: factor})
			records = append(records, record(c, "qats", .1+factor/10), record(c, "ts", .2), record(c, "uncal", .3))
			pairs = append(pairs, pair(c, "ts", "qats", .1-factor/10, .01, .2))
		}
	}
	for _, x := range []struct {
		variants []string
		settings int
		value    float64
		note     string
	}{
		{nil, 4, .1, "Not counted: 12 settings with rescaled logits; qats compare --only variant=NAME counts those that it names."},
		{[]string{"rescale=2"}, 4, .3, `Only settings with the variant "rescale=2", as asked for.`},
		{[]string{"", "rescale=1"}, 8, .15, `with the variant "" or "rescale=1", as asked for.`},
	} {
		o := ece
		o.Variants = x.variants
		c := comparison(t, records, pairs, o)
		if c.Settings != x.settings || c.Ranking.Settings != x.settings || c.Rows[0].Win+c.Rows[0].Tie+c.Rows[0].Loss != x.settings || c.Own.Value < x.value-1e-12 || c.Own.Value > x.value+1e-12 {
			t.Errorf("%q: %d settings, %+v, %+v", x.variants, c.Settings, c.Own, c.Rows[0])
		}
		if notes := strings.Join(View{Comparison: c, Labels: labels}.BlockNotes(), " "); !strings.Contains(notes, x.note) {
			t.Errorf("%q: %s", x.variants, notes)
		}
		a, err := Agree(slices.Concat(records, resultstest.By("aece", records...)), []string{"ece", "aece"}, o)
		if err != nil || a[0].Settings != x.settings {
			t.Errorf("%q: agreement: %v, %+v", x.variants, err, a)
		}
	}
	only := slices.DeleteFunc(slices.Clone(records), func(r results.Record) bool { return r.Variant.Rescale != 2 })
	if _, err := Of(only, nil, ece); err == nil || !strings.Contains(err.Error(), `no setting in results.csv counts: all rows of metric ece are of rescaled logits or redrawn rows; name the variants to compare, of "rescale=2"`) {
		t.Errorf("rescaled settings alone: %v", err)
	}
	o := ece
	if o.Variants = []string{"rescale=3"}; true {
		if _, err := Of(records, nil, o); err == nil || !strings.Contains(err.Error(), `with the variant "rescale=3" in results.csv; there are "", "rescale=0.5"`) {
			t.Errorf("an unknown variant: %v", err)
		}
	}
	if names, _, err := Rankable(only, nil); err != nil || len(names) > 0 {
		t.Errorf("metrics of rescaled settings: %q", names)
	}
}

// TestMethodsThatSeeTheTestDomainAreNotRanked: they are in the table, with a sign, and neither
// among the ranks nor in the sentence's count.
func TestMethodsThatSeeTheTestDomainAreNotRanked(t *testing.T) {
	var records []results.Record
	var pairs []results.Pair
	for i := range 8 {
		c := cell(fmt.Sprint("d", i), "x")
		records = append(records, record(c, "hfe-target", .05), record(c, "qats", .1), record(c, "ts", .2), record(c, "uncal", .3))
		for j, m := range []string{"hfe-target", "ts", "uncal"} {
			d := []float64{-.05, .1, .2}[j]
			pairs = append(pairs, pair(c, m, "qats", d, d-.01, d+.01))
		}
	}
	extra := cell("d9", "x") // of no ranked method: it costs the ranking nothing
	records = append(records, record(extra, "hfe-target", .05))
	records = slices.Concat(records, resultstest.By("nll", records...))
	for _, o := range []Options{
		{Metric: "ece", Against: "qats", Target: []string{"hfe-target", "label-shift"}},
		{Metric: "ece", Against: "qats", Target: []string{"hfe-target"}, Methods: []string{"hfe-target", "ts", "uncal"}},
	} {
		c := comparison(t, records, pairs, o)
		k := c.Ranking
		if !slices.Equal(k.Methods, []string{"qats", "ts", "uncal"}) || !slices.Equal(k.Target, []string{"hfe-target"}) || k.Settings != 8 || len(k.Missing)+len(k.Aside) != 0 {
			t.Errorf("%+v", k)
		}
		if len(c.Rows) != 3 || c.Rows[0].Method != "hfe-target" || c.Rows[0].Win != 8 {
			t.Errorf("its row is missing: %+v", c.Rows)
		}
		v := judged(t, records, pairs, o)
		s := v.Sentence()
		if s != "No method is shown to be better than QaTS, over 8 data sets. Worse: TS and Uncal by NLL." {
			t.Errorf("%s", s)
		}
		if tables := Summary([]View{v}); len(tables) != 1 || len(tables[0].Rows) != 4 || tables[0].Rows[3].Cells[0].Signs != targetSign || tables[0].Rows[3].Cells[1].Text != "" {
			t.Errorf("%d tables: %+v", len(tables), tables[0])
		}
		var b strings.Builder
		if err := v.Text(&b); err != nil || !strings.Contains(b.String(), "HFE (target)^ ") || !strings.Contains(strings.Join(strings.Fields(b.String()), " "), "^: the method sees unlabelled rows of the domain that it is tested on. It is shown and not ranked.") ||
			!strings.Contains(b.String(), "Not ranked: HFE (target) (sees") {
			t.Errorf("%v\n%s", err, b.String())
		}
	}
	c := comparison(t, records, pairs, Options{Metric: "ece", Against: "qats", Target: []string{"hfe-target"}, Methods: []string{"hfe-target"}})
	if s := judged(t, records, pairs, c.Options).Sentence(); s != "HFE (target) against QaTS, 8 data sets: NLL -0.0500 [-0.0500, -0.0500], p = .008: HFE (target) is better. ECE -5.00 points [-5.00, -5.00] (descriptive)." || c.Ranking.Methods != nil {
		t.Errorf("alone: %s, %+v", s, c.Ranking)
	}
	one := slices.DeleteFunc(slices.Clone(records), func(r results.Record) bool { return r.Dataset != "d0" })
	c = comparison(t, one, nil, Options{Metric: "ece", Against: "qats", Target: []string{"hfe-target"}})
	if order := (View{Comparison: c, Labels: labels}).byMean(); !slices.Equal(order, []string{"qats", "ts", "uncal"}) {
		t.Errorf("in the order of the means: %q", order)
	}
}

// TestMeansOverFewerSettingsAreMarked: a mean over two blocks beside one over three has a sign,
// which is explained.
func TestMeansOverFewerSettingsAreMarked(t *testing.T) {
	var records []results.Record
	for i, x := range []float64{.02, .1, .14} {
		c := cell(fmt.Sprint("d", i), "x")
		records = append(records, record(c, "qats", x), record(c, "ts", x))
		if i > 0 {
			records = append(records, record(c, "hfe", x-.01))
		}
	}
	v := View{Comparison: comparison(t, records, nil, ece), Labels: labels}
	var b strings.Builder
	v.MethodTable().Text(&b, 100)
	text := strings.Join(strings.Fields(b.String()), " ")
	for _, part := range []string{"11.00f -1.00", "f: this mean is over fewer settings than that of QaTS", "TS 2 1.50 8.67 0.00"} {
		if !strings.Contains(text, part) {
			t.Errorf("no %q in %s", part, text)
		}
	}
	if all := (View{Comparison: comparison(t, records[:2], nil, ece), Labels: labels}).Signs(); all != nil {
		t.Errorf("without such a mean: %q", all)
	}
}

// TestFormsOfADataSetAreOneBlock, also under names without a dash, as in tables of other programs.
func TestFormsOfADataSetAreOneBlock(t *testing.T) {
	var records []results.Record
	for _, d := range []string{"cifar10", "cifar10c", "cifar-100c", "cifar100lt", "bloodmnist", "bloodmnist224"} {
		c := cell(d, "x")
		records = append(records, record(c, "qats", .1), record(c, "ts", .2))
	}
	c := comparison(t, records, nil, ece)
	if !slices.Equal(c.Blocks, []string{"cifar10", "cifar100", "bloodmnist"}) || c.Rows[0].Test.P != .25 {
		t.Errorf("blocks %q, p = %g", c.Blocks, c.Rows[0].Test.P)
	}
}
