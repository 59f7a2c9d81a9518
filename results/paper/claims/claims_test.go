package claims

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/qats-bench/qats/results"
	"github.com/qats-bench/qats/results/paper"
	"github.com/qats-bench/qats/results/resultstest"
)

// The judgement of each claim on the printed numbers. The figures were worked out by
// hand from the tables.
func TestClaimsOnPrintedNumbers(t *testing.T) {
	want := []struct {
		quote   string
		truth   Truth
		figures string // contained
	}{
		{"consistently, and substantially", Fails, "130 of 162 settings"},
		{"without modifying", Unjudged, ""},
		{"the largest correctness–confidence gaps", Unjudged, "no table prints confidences by quantile"},
		{"the dominant errors shift", Unjudged, "no table prints confidences by quantile"},
		{"more stable under shifts", Unjudged, ""},
		{"across 162", Holds, "162 of 162"},
		{"higher accuracy", Unjudged, ""},
		{"all but one setting", Holds, "14 of 15 rows; exceptions: CIFAR-10, ViT-S (QaTS 0.51, IR 0.45); 15 of 15"},
		{"outperforms the FeatClip", Holds, "largest margin 0.45 (RN-50)"},
		{"the best calibration", Holds, "largest margin 0.44 (ViT-B)"},
		{"these approaches", Holds, "4 of 5 rows"},
		{"often achieving", Fails, "7 of 20 reduced by 80 % or more; reductions from 48 to 93 %"},
		{"most competing", Holds, "5 of 5 networks; changes of QaTS: +1.30, -1.24, -0.53, +4.79, +4.87"},
		{"ranking second", Holds, "second in 8, first in 4 of 15"},
		{"when QaTS ranks second", Holds, "4 of 4"},
		{"decreasing by 4 %", Unjudged, ""},
		{"lowest ECE among all OOD-free", Holds, "5 of 5"},
		{"yielding 2x-3x", Holds, "3.01, 2.92, 2.73, 2.44, 2.08"},
		{"superiority", Fails, "11 of 15"},
		{"it widens", Fails, "0.34 0.45 0.36 0.50 0.76"},
		{"it still exhibits", Holds, "5 of 5"},
		{"consistently achieves the lowest average", Holds, "5 of 5"},
		{"outperforming all", Holds, "2 of 2"},
		{"69.78", Unjudged, ""},
		{"84.9", Unjudged, ""},
		{"Brier", Unjudged, "QaTS with cross-entropy is 2.56"},
		{"consistently yields", Unjudged, ""},
		{"can slightly reduce", Holds, "9 of 9"},
		{"gradual increase", Holds, "8.44, 8.68, 8.76; 10.14, 10.28, 10.64"},
		{"increases steadily", Holds, "8 of 8 methods"},
		{"remains strongest", Fails, "61 of 75"},
		{"for RN-50 drops", Holds, "2 of 2"},
		{"achieves the lowest AECE in all", Holds, "15 of 15"},
		{"improving upon", Fails, "0.30 (ViT-B)"},
		{"consistently achieves the lowest AECE in nearly", Holds, "14 of 15"},
	}
	got := small(t).Claims
	if len(got) != len(want) {
		t.Fatalf("%d claims, want %d", len(got), len(want))
	}
	for i, w := range want {
		if g := got[i]; !strings.HasPrefix(g.Quote, w.quote) || g.Published.Truth != w.truth || !strings.Contains(g.Published.Figures, w.figures) {
			t.Errorf("%d: got %q %s: %s", i+1, g.Quote, g.Published.Truth, g.Published.Figures)
		}
	}
}

// recordsOf returns measured records that reproduce every printed number, altered
// by change. The piecewise forms get the printed mean at every corruption.
func recordsOf(t *testing.T, change func(paper.Number) paper.Points) []results.Record {
	t.Helper()
	list := published(t)
	publication := paper.NewPublication(list)
	ids := newReproduction(list, nil)
	seen := map[results.Place]bool{}
	var records []results.Record
	add := func(p paper.Number, s paper.Setting) {
		id := ids.id(p.Table, s, p.Method, p.Metric)
		if seen[id] {
			return
		}
		seen[id] = true
		r := resultstest.Value(id.Setting, id.Method, id.Metric, float64(change(p))/10000)
		records = append(records, resultstest.Noted(results.Notes{{Kind: results.Paper}}, r)...)
	}
	for _, p := range list {
		switch {
		case !p.IsAverage():
			add(p, p.Setting)
		case p.Table == "ablation":
			for _, s := range publication.Averaged(p.Setting) {
				add(p, s)
			}
		}
	}
	return records
}

// If every number is reproduced exactly, each claim on tables is judged on the
// records as on the paper, and every ranking agrees.
func TestExactReproductionAgreesEverywhere(t *testing.T) {
	d := compare(published(t), &results.Rows{Records: recordsOf(t, func(p paper.Number) paper.Points { return p.Value })})
	for _, s := range d.Rows {
		for _, c := range s.Cells {
			// Means may differ by rounding, and by what the audit finds.
			if c.State != OK || !c.IsAverage() && c.Difference() != 0 {
				t.Fatalf("%+v", c)
			}
		}
		if s.Ranking.Verdict != Agrees || !s.Ranking.Complete() || !s.IsAverage() && s.Ranking.PaperPlace != s.Ranking.HerePlace {
			t.Errorf("%+v: %+v", s.Setting, s.Ranking)
		}
	}
	for _, s := range d.Summaries {
		if s.Source == "measured" && (s.Found != s.Numbers || s.Complete != s.Rows || s.CompleteWins != s.Rows || s.Tau == nil) {
			t.Fatalf("%+v", s)
		}
		means := slices.Contains([]string{"shift", "medical", "ablation", "shift-full", "medical-full"}, s.Table)
		if s.Source == "measured" && (*s.Tau < 0.9 || !means && *s.Tau != 1) {
			t.Errorf("%+v", s)
		}
		if s.Source == "simulated" && s.Found != 0 {
			t.Errorf("%+v", s)
		}
		if s.Table == "" && s.Metric == "ece" && s.Rows != 162 {
			t.Errorf("%d settings", s.Rows)
		}
	}
	for _, c := range d.Claims {
		switch {
		case c.Published.Truth == Unjudged:
		case strings.Contains(c.Reading, "published numbers only"): // measured: the direction
			if c.Measured.Truth != Holds {
				t.Errorf("%q: %+v", c.Quote, c.Measured)
			}
		case c.Measured.Truth != c.Published.Truth:
			t.Errorf("%q: published %+v, measured %+v", c.Quote, c.Published, c.Measured)
		}
	}
}

// A QaTS that is worse than every other method refutes each claim in its favour.
func TestWorstQaTSRefutesClaims(t *testing.T) {
	d := compare(published(t), &results.Rows{Records: recordsOf(t, func(p paper.Number) paper.Points {
		if p.Label == "QaTS" {
			return 6000 + p.Value
		}
		return p.Value
	})})
	stand := map[string]bool{ // claims that are not about QaTS, or about its rise
		"across 162 different settings":                                                true,
		"these approaches further deteriorate the baseline performance":                true,
		"increases steadily with corruption severity for all methods":                  true,
		"most competing methods degrade sharply ... QaTS remains comparatively stable": true,
	}
	for _, c := range d.Claims {
		switch {
		case c.Published.Truth == Unjudged:
		case stand[c.Quote]:
			if c.Measured.Truth != Holds {
				t.Errorf("%q: %+v", c.Quote, c.Measured)
			}
		case strings.HasPrefix(c.Quote, "gradual increase"):
		case c.Measured.Truth != Fails:
			t.Errorf("%q: %+v", c.Quote, c.Measured)
		}
	}
}

// Simulated records get no verdict, however complete they are.
func TestSimulatedRecordsGetNoVerdict(t *testing.T) {
	records := recordsOf(t, func(p paper.Number) paper.Points { return p.Value })
	for i := range records {
		records[i].Source = "simulated"
	}
	d := compare(published(t), &results.Rows{Records: records})
	for _, s := range d.Rows {
		if s.Ranking.Verdict != Simulated || len(s.Ranking.HereBest) > 0 {
			t.Fatalf("%+v", s.Ranking)
		}
	}
	for _, s := range d.Summaries {
		if s.Source == "measured" && s.Found != 0 || s.Tau != nil || s.Complete+s.Partial+s.Open != 0 {
			t.Errorf("%+v", s)
		}
	}
	for _, c := range d.Claims {
		if c.Measured.Truth != Unjudged {
			t.Errorf("%q: %+v", c.Quote, c.Measured)
		}
	}
}

// One missing number leaves open only the claims that it could refute.
func TestMissingNumberLeavesClaimOpen(t *testing.T) {
	all := recordsOf(t, func(p paper.Number) paper.Points { return p.Value })
	var some []results.Record
	for _, r := range all {
		if r.Dataset != "20newsgroups" || r.Method != "gc-split" {
			some = append(some, r)
		}
	}
	for _, c := range compare(published(t), &results.Rows{Records: some}).Claims {
		if c.Quote == "outperforming all the baselines in both tasks" &&
			(c.Measured.Truth != Unjudged || c.Measured.Figures != "1 of 1 tasks; numbers are missing in 1 more") {
			t.Errorf("%+v", c.Measured)
		}
		if strings.HasPrefix(c.Quote, "remains strongest") && c.Measured.Truth != Fails {
			t.Errorf("%+v", c.Measured)
		}
	}
}

// Claims on records that no table prints.
func TestClaimsOnRecords(t *testing.T) {
	book := func(records ...results.Record) *book {
		return &book{names: paper.Names(), records: results.Index(records)}
	}
	record := func(experiment, dataset, backbone, loss, method, metric string, value float64) results.Record {
		r := resultstest.Value(resultstest.Setting(experiment, dataset, backbone), method, metric, value)
		r.Loss = loss
		return r
	}
	miou := func(qats, featclip float64) Truth {
		return featClipLower("voc2012", "deeplabv3-r50", "miou")(book(
			record("tasks", "voc2012", "deeplabv3-r50", "ce", "qats", "miou", qats),
			record("tasks", "voc2012", "deeplabv3-r50", "ce", "featclip", "miou", featclip),
		)).Truth
	}
	if miou(0.6978, 0.6951) != Holds || miou(0.6951, 0.6978) != Fails || miou(0.7, 0.7) != Fails {
		t.Error("mIoU")
	}
	brier := func(x, y, z float64) Truth {
		return brierMeasured(book(
			record("losses", "cifar100", "resnet50", "ce", "uncal", "ece", x),
			record("losses", "cifar100", "resnet50", "brier", "uncal", "ece", y),
			record("losses", "cifar100", "resnet50", "brier", "qats", "ece", z),
		)).Truth
	}
	if brier(0.0862, 0.0554, 0.0272) != Holds || brier(0.0862, 0.0272, 0.0554) != Fails || brier(0.05, 0.06, 0.01) != Fails {
		t.Error("Brier")
	}
	if j := brierMeasured(book()); j.Truth != Unjudged {
		t.Error(j)
	}
	loss := func(experiment, backbone string, difference float64) []results.Record {
		return []results.Record{
			record(experiment, "cifar100-lt-r10", backbone, "ce", "qats", "accuracy", 0.6),
			record(experiment, "cifar100-lt-r10", backbone, "ce", "featclip", "accuracy", 0.6-difference),
		}
	}
	if j := accuracyLoss(book(append(loss("longtail", "a", 0.001), loss("longtail", "b", 0.05)...)...)); j.Truth != Holds ||
		j.Figures != "largest loss 5.00 points, over 2 of 15 settings" {
		t.Error(j)
	}
	if j := accuracyLoss(book(loss("longtail", "a", 0.001)...)); j.Truth != Unjudged {
		t.Error(j)
	}
	// 11 settings that are not above leave at most 150 of 161, below 94 %.
	var few []results.Record
	for _, name := range strings.Split("abcdefghijk", "") {
		few = append(few, loss("standard", name, 0)...)
	}
	if j := accuracyDominance(book(few...)); j.Truth != Fails {
		t.Error(j)
	}
	if j := accuracyDominance(book(few[2:]...)); j.Truth != Unjudged {
		t.Error(j)
	}
	changed := record("standard", "cifar10", "resnet50", "ce", "qats", "argmax_change", 0.0001)
	if j := keepsPredictions(book(changed)); j.Truth != Fails || !strings.Contains(j.Figures, "CIFAR-10, RN-50 (0.01 %)") {
		t.Error(j)
	}
	changed.Value = 0
	if j := keepsPredictions(book(changed)); j.Truth != Unjudged {
		t.Error(j)
	}
	rescaled := func(factor float64, method string, ece float64) results.Record {
		r := record("rescale", "cifar10", "resnet50", "ce", method, "ece", ece)
		r.Variant.Rescale = factor
		return r
	}
	moved := func(qats, ts float64) Judgement {
		return stableRescaled(book(rescaled(1, "qats", 0.02), rescaled(1, "ts", 0.02), rescaled(2, "qats", qats), rescaled(2, "ts", ts)))
	}
	if moved(0.01, 0.05).Truth != Unjudged || moved(0.06, 0.05).Truth != Fails ||
		moved(0.06, 0.05).Figures != "0 of 1 networks and factors; numbers are missing in 19 more; exceptions: CIFAR-10, RN-50, rescale=2 (QaTS 4.00, TS 3.00)" {
		t.Error(moved(0.01, 0.05), moved(0.06, 0.05))
	}
	improves := func(qats float64) Judgement {
		return lossesImprove(book(
			record("losses", "cifar100", "vit-s16", "focal", "uncal", "ece", 0.05),
			record("losses", "cifar100", "vit-s16", "focal", "qats", "ece", qats),
		))
	}
	if improves(0.06).Truth != Fails || improves(0.04).Truth != Unjudged {
		t.Error(improves(0.06), improves(0.04))
	}
}

// TestStandInsEnterNoVerdict: measured records that are not of the paper's own
// networks, declared stand-ins or not, change no claim, no ranking and no verdict;
// their numbers are shown.
func TestStandInsEnterNoVerdict(t *testing.T) {
	isStandIn := func(r results.Record) bool {
		return r.Experiment == "medical" && (r.Backbone == "resnet18" || r.Backbone == "resnet50") && r.Dataset != "ham10000"
	}
	var without, with, silent []results.Record
	for _, r := range recordsOf(t, func(p paper.Number) paper.Points { return p.Value }) {
		if !isStandIn(r) {
			without, with, silent = append(without, r), append(with, r), append(silent, r)
			continue
		}
		r.Value = 1 - r.Value // would turn every ranking round
		r.Note = results.Notes{{Kind: results.From, Text: "other networks"}, {Kind: results.StandIn, Text: "another training"}}
		with = append(with, r)
		r.Note = nil
		silent = append(silent, r)
	}
	want := compare(published(t), &results.Rows{Records: without})
	for name, records := range map[string][]results.Record{"stand-ins": with, "records without a word": silent} {
		got := compare(published(t), &results.Rows{Records: records})
		if !reflect.DeepEqual(got.Claims, want.Claims) {
			t.Errorf("%s change the claims", name)
		}
		shown := 0
		for i, row := range got.Rows {
			for _, c := range row.Cells {
				if c.Source == standIn {
					shown++
				}
			}
			if row.has(standIn) && row.Ranking.Verdict != StandIn {
				t.Errorf("%s: %s: %s", name, row.Dataset, row.Ranking.Verdict)
			}
			if !row.has(standIn) && !reflect.DeepEqual(row.Ranking, want.Rows[i].Ranking) {
				t.Errorf("%s change the ranking of %s %s", name, row.Dataset, row.Backbone)
			}
		}
		if shown < 2*10*7 {
			t.Errorf("%s: %d numbers are shown", name, shown)
		}
		for _, s := range got.Summaries {
			if s.Source == standIn && (s.Tau != nil || s.Complete+s.Partial+s.Open != 0) {
				t.Errorf("%s: %s has verdicts", name, s.Table)
			}
		}
	}
}
