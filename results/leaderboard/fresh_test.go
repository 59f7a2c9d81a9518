package leaderboard

import (
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// TestARoundIsReadBack: numbers, absent ones too, and the rounds in their order.
func TestARoundIsReadBack(t *testing.T) {
	folder := Folder(t.TempDir())
	row := func(labels string, nll float64) FreshRow {
		return FreshRow{Labels: labels, Settings: 4, NLL: nll, Brier: nll / 2, Error: .25}
	}
	public := row(PublicLabels, -.5)
	public.Error = math.NaN()
	methods := []Fresh{
		{Method: "svs", Rows: []FreshRow{row(PublicLabels, .5), row("svs", .25)}, Holm: 1, At: "a/net", Score: "nll"},
		{Method: "mine", Card: strings.Repeat("0", 64), Rows: []FreshRow{public, row("svs", .125)}, Holm: .01, At: "a/net", Score: "brier"},
	}
	for _, n := range []int{10, 2} {
		if err := folder.WriteRound(n, methods); err != nil {
			t.Fatal(err)
		}
	}
	got, err := folder.ReadRound(10)
	if err != nil || len(got) != 2 || !math.IsNaN(got[1].Rows[0].Error) {
		t.Fatal(got, err)
	}
	got[1].Rows[0].Error, methods[1].Rows[0].Error = 0, 0
	got[0].Rows[0].Error = methods[0].Rows[0].Error
	if !reflect.DeepEqual(got, methods) {
		t.Errorf("%+v, want %+v", got, methods)
	}
	if got[0].ToBeLookedAt() || !got[1].ToBeLookedAt() {
		t.Error("svs passes, and mine is to be looked at")
	}
	if rounds := folder.Rounds(); !slices.Equal(rounds, []int{2, 10}) {
		t.Error(rounds)
	}
	if none, err := folder.ReadRound(3); none != nil || err != nil {
		t.Error(none, err)
	}
	var text strings.Builder
	if err := FreshTable(10, got).Text(&text, 200); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"round 10", "SIMULATED", "passes", "look", "brier on a/net", NotJudged} {
		if !strings.Contains(strings.Join(strings.Fields(text.String()), " "), want) {
			t.Errorf("no %q in\n%s", want, text.String())
		}
	}
}
