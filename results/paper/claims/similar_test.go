package claims

import (
	"strings"
	"testing"

	"github.com/qats-bench/qats/results"
	"github.com/qats-bench/qats/results/paper"
	"github.com/qats-bench/qats/results/resultstest"
)

// others renames the data sets of records and puts all records in one experiment.
// Networks keep their names.
func others(records []results.Record) ([]results.Record, map[string]string) {
	like := map[string]string{}
	var list []results.Record
	for _, r := range records {
		like["other-"+r.Dataset] = r.Dataset
		r.Experiment, r.Dataset = "mine", "other-"+r.Dataset
		list = append(list, r)
	}
	return list, like
}

// Similar data sets that equal the paper's in every number are judged as the paper
// is, except for the count of its settings.
func TestSimilarToAllIsJudgedLikeThePaper(t *testing.T) {
	records, like := others(recordsOf(t, func(p paper.Number) paper.Points { return p.Value }))
	l, err := judgeSimilar(published(t), &results.Rows{Records: records}, like)
	if err != nil {
		t.Fatal(err)
	}
	own := compare(published(t), &results.Rows{Records: recordsOf(t, func(p paper.Number) paper.Points { return p.Value })})
	for i, c := range l.Claims {
		want := own.Claims[i]
		if c.Published != want.Published {
			t.Errorf("%q: published %+v, want %+v", c.Quote, c.Published, want.Published)
		}
		if strings.HasPrefix(c.Quote, "across 162") {
			if c.Measured.Truth != Unjudged {
				t.Errorf("%q: %+v", c.Quote, c.Measured)
			}
			continue
		}
		if c.Measured.Truth != want.Measured.Truth {
			t.Errorf("%q: %+v, want %+v", c.Quote, c.Measured, want.Measured)
		}
		if strings.HasPrefix(c.Quote, "consistently, and substantially") && !strings.Contains(c.Measured.Figures, "130 of 162 settings; exceptions: other-cifar10, ViT-S (QaTS 0.51, IR 0.45)") {
			t.Errorf("%q: %+v", c.Quote, c.Measured)
		}
	}
}

// claimOf returns the judgement on measured records of the claim that begins with
// the quote.
func claimOf(t *testing.T, claims []Judged, quote string) Judgement {
	t.Helper()
	for _, c := range claims {
		if strings.HasPrefix(c.Quote, quote) {
			return c.Measured
		}
	}
	t.Fatalf("no claim %q", quote)
	return Judgement{}
}

// A few similar data sets answer the claims about them and leave the others open.
func TestSimilarToSomeAnswersOnlyTheirClaims(t *testing.T) {
	publication := paper.NewPublication(published(t))
	var records []results.Record
	add := func(dataset, backbone, loss, corruption string, severity int, metric string, values map[string]float64) {
		for method, v := range values {
			at := resultstest.Shifted(resultstest.Setting("mine", dataset, backbone), corruption, severity)
			at.Loss = loss
			records = append(records, resultstest.Value(at, method, metric, v))
		}
	}
	add("a", "small", "ce", "", 0, "ece", map[string]float64{"uncal": .05, "ts": .03, "qats": .02})
	add("a", "small", "brier", "", 0, "ece", map[string]float64{"uncal": .04, "qats": .03})
	add("a", "small", "focal", "", 0, "ece", map[string]float64{"uncal": .04, "qats": .05})
	add("a", "small", "ce", "", 0, "argmax_change", map[string]float64{"qats": 0})
	for _, factor := range []float64{1, 2} {
		before := len(records)
		add("a", "small", "ce", "", 0, "ece", map[string]float64{"qats": .02, "ts": map[float64]float64{1: .02, 2: .04}[factor]})
		for i := range records[before:] {
			records[before+i].Variant.Rescale = factor
		}
	}
	before := len(records) // redrawn rows and those with other class shares are not networks of their own
	for _, loss := range []string{"ce", "brier"} {
		add("a", "small", loss, "", 0, "ece", map[string]float64{"uncal": .01, "ts": .01, "qats": .09})
		add("b", "small", loss, "", 0, "ece", map[string]float64{"uncal": .01, "ts": .01, "qats": .09})
	}
	for i := range records[before:] {
		records[before+i].Variant = []results.Variant{{Split: 1}, {TestShares: true}}[i%2]
	}
	for _, severity := range []int{1, 2} {
		for _, m := range publication.Averaged(paper.Setting{Table: "shift", Metric: "ece", Dataset: "cifar100-c", Backbone: "vit-b16", Corruption: paper.Average, Severity: severity}) {
			add("b", "small", "ce", m.Corruption, severity, "ece", map[string]float64{"uncal": .03 * float64(severity), "qats": .06, "ts": .1})
		}
	}
	add("b", "small", "ce", "fog", 3, "ece", map[string]float64{"uncal": .01, "qats": .02})
	// Both have only FeatClip to compare QaTS with.
	for _, n := range []string{"small", "large"} {
		add("mild", n, "ce", "", 0, "ece", map[string]float64{"qats": .03, "featclip": .04})
		add("extreme", n, "ce", "", 0, "ece", map[string]float64{"qats": .05, "featclip": .06})
	}
	for _, m := range publication.Averaged(paper.Setting{Table: "shift", Metric: "ece", Dataset: "cifar100-c", Backbone: "vit-b16", Corruption: paper.Average, Severity: 1}) {
		add("b", "large", "ce", m.Corruption, 1, "ece", map[string]float64{"qats": .06})
	}
	add("text", "small", "ce", "", 0, "accuracy", map[string]float64{"qats": .9, "featclip": .8})
	add("text", "tiny", "ce", "", 0, "accuracy", map[string]float64{"qats": .7, "featclip": .7})
	like := map[string]string{
		"a": "cifar10", "b": "cifar100-c", "mild": "cifar100-lt-r10", "extreme": "cifar100-lt-r100", "text": "20newsgroups", "none": "imagenet",
	}
	l, err := judgeSimilar(published(t), &results.Rows{Records: records}, like)
	if err != nil {
		t.Fatal(err)
	}
	for quote, want := range map[string]Judgement{
		"all but one setting":         {Holds, "1 of 1 rows; 1 of 1 rows with QaTS first or second"},
		"ranking second in most":      {Holds, "second in 4, first in 0 of 4"},
		"most competing methods":      {Unjudged, "changes of QaTS: +2.00, +2.00"},
		"yielding 2x-3x":              {Fails, "0 of 2 severities; numbers are missing in 1 more; exceptions: b, small, severity 1"},
		"84.9 -> 84.7":                {Fails, "QaTS 90.00, FeatClip 80.00; QaTS 70.00, FeatClip 70.00"},
		"increases steadily":          {Fails, "1 of 3 methods; numbers are missing in 13 more; exceptions: TS of b, small; QaTS of b, small"},
		"without modifying":           {Holds, "1 of 1 settings"},
		"more stable":                 {Holds, "1 of 1 networks and factors"},
		"Brier reduces":               {Holds, "5.00 -> 4.00 -> 3.00"},
		"consistently yields further": {Fails, "2 of 3 losses and networks; exceptions: a, small, Focal (5.00, Uncal 4.00)"},
		"lowest ECE among all":        {Fails, "lowest or equal in 1 of 2 severities (equal in 1); numbers are missing in 1 more; exceptions: b, small, severity 1 (QaTS 6.00, Uncal 3.00)"},
		"for RN-50 drops":             {Unjudged, "no numbers for these rows"},
		"can slightly reduce":         {Unjudged, "no numbers for these entries"},
		"often achieving":             {Unjudged, "no numbers"},
	} {
		got := claimOf(t, l.Claims, quote)
		if got.Truth != want.Truth || !strings.Contains(got.Figures, want.Figures) {
			t.Errorf("%q: %+v, want %+v", quote, got, want)
		}
	}
	var text strings.Builder
	if err := l.Text(&text, 100); err != nil || !strings.Contains(text.String(), "  a                        similar to CIFAR-10\n") ||
		!strings.Contains(text.String(), "  none                     similar to ImageNet (no measured record)\n") {
		t.Errorf("%v\n%s", err, text.String())
	}

	records = resultstest.From("simulated", records...)
	if _, err := judgeSimilar(published(t), &results.Rows{Records: records}, like); err == nil {
		t.Error("simulated records got a verdict")
	}
	if _, err := judgeSimilar(published(t), &results.Rows{Records: records}, map[string]string{"a": "svhn"}); err == nil || err.Error() != `a is like "svhn", which the paper does not have` {
		t.Error(err)
	}
}
