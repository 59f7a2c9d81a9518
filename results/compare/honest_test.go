package compare

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/qats-bench/qats/results"
	"github.com/qats-bench/qats/results/resultstest"
)

// It is left out in one line, even if it was asked for by name.
func TestMethodThatCannotHaveTheMetricCostsNoSetting(t *testing.T) {
	var records []results.Record
	for i := range 4 {
		c := cell(fmt.Sprint("d", i), "x")
		records = append(records, record(c, "qats", .1), record(c, "ts", .2), record(c, "ir", .3))
		for _, m := range []string{"spline", "ir-top"} {
			records = append(records, resultstest.Noted(results.Notes{{Kind: results.NoVector}}, absent(c, m))...)
		}
	}
	for _, methods := range [][]string{nil, {"ts", "spline", "ir", "ir-top"}} {
		o := ece
		o.Methods = methods
		c := comparison(t, records, nil, o)
		k := c.Ranking
		if !slices.Equal(k.Methods, []string{"qats", "ts", "ir"}) || k.Settings != 4 || len(k.Missing) != 0 || len(k.Aside) != 0 || len(k.ByNature) != 2 {
			t.Errorf("methods %v: %+v", methods, k)
		}
		lines := 0
		for _, s := range (View{Comparison: c, Labels: labels}).RankingNotes() {
			if strings.Contains(s, "spline") || strings.Contains(s, "ir-top") {
				lines++
			}
		}
		if lines != 1 {
			t.Errorf("methods %v: %d lines name what is left out: %q", methods, lines, (View{Comparison: c, Labels: labels}).RankingNotes())
		}
	}
	o := ece
	o.Against = "spline"
	if _, err := Of(records, nil, o); err == nil || !strings.Contains(err.Error(), results.Note{Kind: results.NoVector}.String()) {
		t.Errorf("compared against a method without the metric: %v", err)
	}
	records[3].Note = results.Because("no features") // another reason: it lacks values like any other
	o = ece
	o.Methods = []string{"spline"}
	if _, err := Of(records[:4], nil, o); err == nil {
		t.Error("a method without values for another reason is accepted by name")
	}
}

func TestMeanAndShiftOfOppositeSignsAreExplained(t *testing.T) {
	var records []results.Record
	for i, d := range []float64{.001, .002, .001, .002, .003, .001, -.05} {
		c := cell(fmt.Sprint("d", i), "x")
		records = append(records, record(c, "qats", .1), record(c, "ts", .1+d))
	}
	v := View{Comparison: comparison(t, records, nil, ece), Labels: labels}
	if r := v.Rows[0]; !(r.Difference < 0 && r.Shift.Estimate > 0) {
		t.Fatalf("%+v", r)
	}
	got := v.contrary()
	if len(got) != 1 || !strings.Contains(got[0], "because of d6 (-5.00)") || !strings.Contains(got[0], "Report the shift") {
		t.Errorf("%q", got)
	}
	v = View{Comparison: comparison(t, records[:12], nil, ece), Labels: labels}
	if got := v.contrary(); len(got) != 0 {
		t.Errorf("signs that agree: %q", got)
	}
}

// Also of a method with fewer blocks than the others.
func TestSmallestPAboveOnePerCentIsSaid(t *testing.T) {
	for blocks, want := range map[int]string{
		3: "With 3 independent data sets no p can be below .2500, or below .5000 after Holm's correction for 2 methods, so none can reach .05: that takes 7 independent data sets, or 6 for a single method. There is no 95 % interval of a shift.",
		7: "With 7 independent data sets no p can be below .0156.",
		9: "The smallest p that the independent data sets of a method can reach, where it is above .01: IR (2 independent data sets: .5000).",
	} {
		var records []results.Record
		for i := range blocks {
			c := cell(fmt.Sprint("d", i), "x")
			records = append(records, record(c, "qats", .1), record(c, "ts", .2))
			if i < 2 {
				records = append(records, record(c, "ir", .3))
			} else {
				records = append(records, absent(c, "ir"))
			}
		}
		if got := (View{Comparison: comparison(t, records, nil, ece), Labels: labels}).powerNotes(); len(got) != 1 || got[0] != want {
			t.Errorf("%d blocks: %q, want %q", blocks, got, want)
		}
	}
}

// By Wilcoxon's tests against each method with Holm's correction.
func TestAlikeListsThePlacesOfMethodsNotToldApart(t *testing.T) {
	var records []results.Record
	for i := range 12 {
		c := cell(fmt.Sprint("d", i), "x")
		noise := .0001 * float64(i*7%5-2)
		records = append(records, record(c, "qats", .1), record(c, "ts", .1+noise), record(c, "ir", .2+noise), record(c, "uncal", .4))
	}
	k := comparison(t, records, nil, ece).Ranking
	var got []string
	for i := range k.Methods {
		got = append(got, k.alike(i))
	}
	if !slices.Equal(k.Methods[2:], []string{"ir", "uncal"}) || !slices.Equal(got, []string{"1\u20132", "1\u20132", "3", "4"}) {
		t.Errorf("%v: %q", k.Methods, got)
	}
}

// Two methods have no test but Wilcoxon's, and one block has no ranking.
func TestNumberThatWasNotComputedIsNullInJSON(t *testing.T) {
	var two, one []results.Record
	for i := range 8 {
		c := cell(fmt.Sprint("d", i), "x")
		two = append(two, record(c, "qats", .1), record(c, "ts", .1+.01*float64(i%3)))
	}
	one = two[:2]
	for name, records := range map[string][]results.Record{"two methods": two, "one block": one} {
		c := comparison(t, records, nil, ece)
		var b bytes.Buffer
		if err := (View{Comparison: c, Labels: labels}).JSON(&b); err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(b.String()) {
			var o map[string]any
			if err := json.Unmarshal([]byte(line), &o); err != nil {
				t.Fatal(err)
			}
			if o["kind"] != "ranking" {
				continue
			}
			for _, key := range []string{"friedman_chi2", "friedman_p", "iman_davenport_f", "iman_davenport_p", "critical_difference", "not_told_apart"} {
				if v, ok := o[key]; !ok || v != nil {
					t.Errorf("%s: %s is %v, want null", name, key, v)
				}
			}
			if least := o["least_p"]; (name == "two methods") != (least == math.Ldexp(1, -7)) || (name == "one block") != (least == nil) {
				t.Errorf("%s: least p %v", name, least)
			}
		}
		if got := strings.Join((View{Comparison: c, Labels: labels}).RankingNotes(), " "); strings.Contains(got, "Friedman") || strings.Contains(got, "Nemenyi") {
			t.Errorf("%s: %q", name, got)
		}
	}
}

// The interval is of squares, so its half has a root in the unit of the metric.
func TestSmallestDifferenceIsTheRootOfHalfTheMedianInterval(t *testing.T) {
	var records []results.Record
	var pairs []results.Pair
	for i, width := range []float64{.02, .01, .06, .04} {
		c := cell(fmt.Sprint("d", i), "x")
		records = append(records, record(c, "qats", .1), record(c, "ts", .1))
		pairs = append(pairs, pair(c, "ts", "qats", 0, -width/2, width/2))
	}
	if got := comparison(t, records, pairs, ece).Rows[0].Smallest; !(math.Abs(got*got-.015) <= 1e-15) {
		t.Errorf("%v, want the root of .015", got)
	}
	if got := comparison(t, records, pairs[:3], ece).Rows[0].Smallest; !(math.Abs(got*got-.01) <= 1e-15) {
		t.Errorf("%v, want the root of .01", got)
	}
	if got := comparison(t, records, nil, ece).Rows[0].Smallest; got != 0 {
		t.Errorf("%v without intervals, want 0", got)
	}
}

func TestCaptionNamesWhatNumbersAreMeasuredOnIfManifestsDo(t *testing.T) {
	for _, c := range []struct {
		froms []string
		want  string
	}{
		{[]string{"a", "a"}, "All numbers are measured on a."},
		{[]string{"a", "b"}, "All numbers are measured on a and b."},
		{[]string{"a", ""}, "All numbers are measured: computed from arrays in files, as given."},
		{[]string{"", ""}, "All numbers are measured: computed from arrays in files, as given."},
	} {
		var records []results.Record
		for i, from := range c.froms {
			for _, m := range []string{"qats", "ts"} {
				r := record(cell(fmt.Sprint("d", i), "x"), m, .1)
				if from != "" {
					r.Note = results.Notes{{Kind: results.From, Text: from}, {Kind: results.Arrays, Text: "trained with care"}}
				}
				records = append(records, r)
			}
		}
		if got := (View{Comparison: comparison(t, records, nil, ece), Labels: labels}).origin(); got != c.want {
			t.Errorf("%q: %q, want %q", c.froms, got, c.want)
		}
	}
}
