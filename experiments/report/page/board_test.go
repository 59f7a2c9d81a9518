package page

import (
	"strings"
	"testing"

	"github.com/qats-bench/qats/results"
	"github.com/qats-bench/qats/results/leaderboard"
	"github.com/qats-bench/qats/results/resultstest"
)

// boardOf returns a leaderboard of four methods and one entry whose texts try to become a script.
func boardOf(t *testing.T, hostile string) *leaderboard.Printed {
	t.Helper()
	var members []leaderboard.Member
	for i, m := range []struct {
		id, label string
		of        leaderboard.Contract
		predicts  results.Prediction
	}{{"uncal", "Uncal", leaderboard.KeepsTop, results.Keeps}, {"ts", "TS", leaderboard.KeepsTop, results.Keeps}, {"qats", "QaTS", leaderboard.KeepsTop, results.Keeps},
		{"irova", "IROVA", leaderboard.ChangesTop, results.Changes}, {"mine", hostile, leaderboard.KeepsTop, results.Keeps}} {
		of := leaderboard.Member{Method: m.id, Label: m.label, Contract: m.of, Predicts: m.predicts, Status: leaderboard.Verified}
		if m.id == "mine" {
			of.Status, of.Authors, of.Reference, of.Protocol = leaderboard.Claimed, []string{hostile}, hostile, "v2"
		}
		for d := range 8 {
			at := resultstest.Setting("v2-lite", string(rune('a'+d)), "net")
			for _, metric := range m.of.Metrics() {
				of.Records = append(of.Records, resultstest.Value(at, m.id, metric, .05-.01*float64(i)+.001*float64((3*d+i)%5)))
			}
		}
		members = append(members, of)
	}
	at := members[0].Records[0].Setting
	b, err := leaderboard.Of("Leaderboard", members, []results.SettingInfo{{Setting: at, Notes: results.Notes{{Kind: results.From, Text: hostile}}}})
	if err != nil {
		t.Fatal(err)
	}
	return b.Printed()
}

// TestTheBoardAnswersFirst: the statement of each table stands before all tables, and statuses and the way in after them.
func TestTheBoardAnswersFirst(t *testing.T) {
	var text strings.Builder
	if err := WriteBoard(&text, boardOf(t, "Mine")); err != nil {
		t.Fatal(err)
	}
	at := 0
	for _, want := range []string{
		"<h1>Leaderboard: 4 methods and 1 entry on 8 settings</h1>", `<p class="answer measured"><a href="#keeps-top">`, "QaTS is best",
		`<a href="#changes-top">`, "MEASURED", `<section id="keeps-top"`, "<table>", `>Mine<br><small>Mine. Mine. Protocol v2</small></th><td class="number">claimed<sup>`, `<section id="changes-top"`,
		`<section id="columns"`, `<section id="statuses"`, "<dt>verified</dt>", "<dt>agrees</dt>", "<dt>claimed</dt>", "<dt>differs</dt>", `<section id="hand-in"`, "qats board submit mine.py",
	} {
		i := strings.Index(text.String()[at:], want)
		if i < 0 {
			t.Fatalf("no %q after %q", want, text.String()[max(0, at-80):at])
		}
		at += i
	}
}

// TestTextsOfEntriesAreText: names, authors and references of strangers are escaped.
func TestTextsOfEntriesAreText(t *testing.T) {
	const hostile = `</style><script>alert(1)</script>`
	var text strings.Builder
	if err := WriteBoard(&text, boardOf(t, hostile)); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(text.String(), "<script") || strings.Count(text.String(), "</style>") != 1 || !strings.Contains(text.String(), "&lt;script&gt;") {
		t.Error("a text of an entry became a part of the page")
	}
}

// TestDrawnLabelsAreCalledSimulated: the page of measured numbers says so of a round, above its table.
func TestDrawnLabelsAreCalledSimulated(t *testing.T) {
	b := boardOf(t, "Mine")
	row := leaderboard.FreshRow{Labels: leaderboard.PublicLabels, Settings: 3}
	b.Rounds = append(b.Rounds, leaderboard.FreshTable(4, []leaderboard.Fresh{{Method: "svs", Rows: []leaderboard.FreshRow{row, {Labels: "svs", Settings: 3}}, Holm: 1}}))
	var text strings.Builder
	if err := WriteBoard(&text, b); err != nil {
		t.Fatal(err)
	}
	at := 0
	for _, want := range []string{`<a href="#fresh-0">Labels drawn anew, round 4</a>`, `<section id="fresh-0"`, "SIMULATED LABELS", "<table>", ">svs</th>", "passes", leaderboard.NotJudged, `<section id="columns"`} {
		i := strings.Index(text.String()[at:], want)
		if i < 0 {
			t.Fatalf("no %q after %d", want, at)
		}
		at += i
	}
}
