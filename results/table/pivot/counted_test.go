package pivot

import (
	"strings"
	"testing"

	"github.com/qats-bench/qats/results"
	"github.com/qats-bench/qats/results/crosstab"
	"github.com/qats-bench/qats/results/resultstest"
)

// rescaled returns records as those of a setting with rescaled logits.
func rescaled(list []results.Record, factor float64) []results.Record {
	return resultstest.Each(list, func(r *results.Record) { r.Variant.Rescale = factor })
}

// TestSettingsThatDoNotCountAreLeftOutBesideOthers, and the legend says how many, unless the
// table asks for variants.
func TestSettingsThatDoNotCountAreLeftOutBesideOthers(t *testing.T) {
	two := []string{"ts", "qats"}
	all := append(network("cifar10", "resnet50", two, .02, .01), network("cifar10", "vit-s16", two, .04, .03)...)
	all = append(all, rescaled(network("cifar10", "resnet50", two, .2, .1), 2)...)
	all = append(all, rescaled(network("cifar10", "resnet50", two, .02, .01), 1)...)
	spec := func(change func(*crosstab.Spec)) crosstab.Spec {
		s := crosstab.Spec{Name: "t", Metric: "ece", Rows: []string{"dataset", "backbone"}}
		change(&s)
		return s
	}
	for name, c := range map[string]struct {
		records         []results.Record
		spec            crosstab.Spec
		rows, uncounted int
	}{
		"no variant":     {all, spec(func(*crosstab.Spec) {}), 2, 2},
		"as an average":  {all, spec(func(s *crosstab.Spec) { s.Rows, s.Average = []string{"dataset"}, []string{"backbone"} }), 1, 2},
		"variant a row":  {all, spec(func(s *crosstab.Spec) { s.Rows = append(s.Rows, "variant") }), 4, 0},
		"by a filter":    {all, spec(func(s *crosstab.Spec) { s.Only = results.Filter{"variant": {"rescale=2"}} }), 1, 0},
		"nothing beside": {all[8:12], spec(func(*crosstab.Spec) {}), 1, 0},
	} {
		p, err := Of(c.records, c.spec)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		legend := ""
		for _, s := range p.legend() {
			legend += s.Text + " "
		}
		if len(p.Rows) != c.rows || p.Uncounted != c.uncounted || strings.Contains(legend, "Left out: 2 settings with rescaled logits") != (c.uncounted > 0) {
			t.Errorf("%s: %d rows, %d left out; %s", name, len(p.Rows), p.Uncounted, legend)
		}
	}
	if n := CountSettings(all, notOfPaper); n.Measured != 2 || n.Rescaled != 2 {
		t.Errorf("%+v", n)
	}
}

// TestOODFreeMethodsReadNoOtherSamples: a method that reads out-of-distribution samples has no
// tick, and is ranked; one that sees the target domain has neither tick nor rank.
func TestOODFreeMethodsReadNoOtherSamples(t *testing.T) {
	records := network("cifar10", "resnet50", []string{"ts", "hfe", "hfe-target"}, .03, .02, .01)
	s := crosstab.Spec{Name: "t", Metric: "ece", Rows: []string{"dataset"}, Better: "lower", Percent: true, OOD: []string{"hfe"}, Target: []string{"hfe-target"}}
	p, err := Of(records, s)
	if err != nil {
		t.Fatal(err)
	}
	ticks := map[string]bool{}
	for j, c := range p.Columns {
		ticks[c.ID], _ = p.Table().Over[1+j].Value.(bool)
	}
	if ticks["hfe"] || ticks["hfe-target"] || !ticks["ts"] {
		t.Errorf("ticks %v", ticks)
	}
	for _, r := range p.rivals {
		if r.Ranked != (r.ID != "hfe-target") {
			t.Errorf("%s: ranked %v", r.ID, r.Ranked)
		}
	}
	var b strings.Builder
	if err := p.Text(&b); err != nil || !strings.Contains(b.String(), "*2.00*") || strings.Contains(b.String(), "*1.00*") ||
		!strings.Contains(strings.Join(strings.Fields(b.String()), " "), "OOD-free: the method reads neither out-of-distribution samples nor samples of the target domain.") {
		t.Errorf("%v\n%s", err, b.String())
	}
	s.Target = nil
	if p, err = Of(records, s); err != nil || !p.ticks() || p.showsTarget() {
		t.Errorf("HFE alone: %v, %+v", err, p)
	}
	s.OOD = nil
	if p, err = Of(records, s); err != nil || p.ticks() {
		t.Errorf("no such method: %v, %+v", err, p)
	}
}
