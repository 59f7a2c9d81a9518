package page

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/qats-bench/qats/internal/lists"
	"github.com/qats-bench/qats/results"
	"github.com/qats-bench/qats/results/compare"
	"github.com/qats-bench/qats/results/resultstest"
	"github.com/qats-bench/qats/results/table"
)

// standingAt returns a standing of a page's data, nil where there is none.
func standingAt(t *testing.T, d *data, name string) *standing {
	t.Helper()
	text, has := d.Standings[name]
	if !has {
		return nil
	}
	var other string
	if json.Unmarshal(text, &other) == nil {
		text = d.Standings[other]
	}
	var s standing
	if err := json.Unmarshal(text, &s); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(d.Rankings[strings.Split(name, "|")[1]][s.Place], &s.ranking); err != nil {
		t.Fatal(err)
	}
	return &s
}

// TestStandingsAreThoseOfCompare: ranks, groups, what is left out and the verdicts, of all settings
// and of each part, for each kind of block and both sources.
func TestStandingsAreThoseOfCompare(t *testing.T) {
	f := everything()
	o := complete(f, Options{Metrics: []string{"ece"}})
	d := pack(f, func(m string) string { return m })
	d.stand(f, o)
	id := func(m int) string { return d.Methods[m].ID }
	for name, has := range map[string]func(results.Setting) bool{
		"": func(results.Setting) bool { return true }, "dataset=b": func(s results.Setting) bool { return s.Dataset == "b" },
		"shift=clean": func(s results.Setting) bool { return s.Corruption == "" }, "backbone=net": func(s results.Setting) bool { return s.Backbone == "net" },
	} {
		for by, letter := range blockLetters {
			made, err := compare.Of(lists.Where(f.Records, func(r record) bool { return has(r.Setting) }), lists.Where(f.Pairs, func(p results.Pair) bool { return has(p.Setting) }),
				compare.Options{Metric: "ece", Against: "ts", Block: by})
			if err != nil {
				t.Fatal(err)
			}
			for _, c := range made {
				s := standingAt(t, d, c.Source+"|ece|"+name+"|ts|"+letter)
				if s == nil {
					t.Fatalf("no standing of %s, %s, by %s", c.Source, name, by)
				}
				k := c.Ranking
				if got := lists.Values(s.Ranks, func(r rankedMethod) string { return id(r.Method) }); !slices.Equal(got, k.Methods) {
					t.Errorf("%s by %s: ranked %q, want %q", name, by, got, k.Methods)
				}
				for i, r := range s.Ranks {
					groups := 0
					for g, members := range k.Groups {
						if slices.Contains(members, i) {
							groups++
							if !slices.Contains([]byte(r.Groups), byte('a'+g)) {
								t.Errorf("%s by %s: %s is not in group %d", name, by, id(r.Method), g)
							}
						}
					}
					if r.Mean != round(k.Means[i], meanDigits) {
						t.Errorf("%s by %s: %+v, want the mean %g", name, by, r, k.Means[i])
					}
					if best := (compare.View{Comparison: c}).Number(slices.Min(k.Means)); slices.Contains(s.Best, r.Method) != (c.Judged() && (compare.View{Comparison: c}).Number(k.Means[i]) == best) {
						t.Errorf("%s by %s: best are %d, and the mean of %d is %g", name, by, s.Best, r.Method, k.Means[i])
					}
					if r.Rank != table.Fixed(k.Ranks[i], 2) || len(r.Groups) != groups {
						t.Errorf("%s by %s: %+v, want rank %g", name, by, r, k.Ranks[i])
					}
				}
				if len(s.Aside) != len(k.Aside) || len(s.Missing) != len(k.Missing) || s.Verdicts != c.Verdicts || len(s.Rows) != len(c.Rows) || s.All != c.Settings {
					t.Errorf("%s by %s: %+v", name, by, s)
				}
				for _, u := range s.Means {
					var mean []float64
					if err := json.Unmarshal(u, &mean); err != nil {
						t.Fatal(err)
					}
					m := id(int(mean[0]))
					all := append(slices.Clone(c.Rows), c.Own)
					i := slices.IndexFunc(all, func(r compare.Row) bool { return r.Method == m })
					if i < 0 || slices.Contains(k.Methods, m) || mean[1] != round(all[i].Value, meanDigits) || int(mean[2]) != all[i].Settings {
						t.Errorf("%s by %s: the mean of %s is %s", name, by, m, u)
					}
				}
				for i, r := range c.Rows {
					var row []*float64
					if err := json.Unmarshal(s.Rows[i], &row); err != nil {
						t.Fatal(err)
					}
					switch {
					case id(int(*row[0])) != r.Method:
						t.Errorf("row %d is %s, want %s", i, s.Rows[i], r.Method)
					case r.Win+r.Tie+r.Loss == 0:
						if row[1] != nil {
							t.Errorf("%s has verdicts: %s", r.Method, s.Rows[i])
						}
					case int(*row[1]) != r.Win || int(*row[2]) != r.Tie || int(*row[3]) != r.Loss || int(*row[4]) != r.SureWin || int(*row[5]) != r.SureLoss:
						t.Errorf("%s has the verdicts %s, want %+v", r.Method, s.Rows[i], r)
					}
					if c.Source == "simulated" && (row[8] != nil || row[9] != nil) {
						t.Errorf("%s has an interval of simulated settings: %s", r.Method, s.Rows[i])
					}
					if r.Shift.Bounded && (*row[7] != round(r.Shift.Estimate, 5) || *row[8] != round(r.Shift.Lo, 5) || *row[9] != round(r.Shift.Hi, 5) || *row[10] != 1) {
						t.Errorf("%s is shifted by %s, want %+v", r.Method, s.Rows[i], r.Shift)
					}
				}
			}
		}
	}
	if s := standingAt(t, d, "measured|ece|dataset=none|ts|t"); s != nil {
		t.Errorf("a standing of no settings: %+v", s)
	}
	if s := standingAt(t, d, "measured|ece_5|dataset=b|ts|t"); s != nil {
		t.Errorf("a metric that the leaderboard does not show has parts: %+v", s)
	}
}

// TestTheOnlySettingHasTheIntervalOfItsRows, which a single block cannot have.
func TestTheOnlySettingHasTheIntervalOfItsRows(t *testing.T) {
	f := &results.Rows{Records: rows("a,ts,ece,measured,ok,,", "a,qats,ece,measured,ok,,")}
	f.Pairs = []results.Pair{resultstest.Pair(f.Records[0].Setting, "qats", "ts", "ece", .01, .008, .012)}
	d := pack(f, func(m string) string { return m })
	d.stand(f, complete(f, Options{Against: "ts"}))
	// The smallest difference is the root of half the width, since the verdict is of squares.
	if s := standingAt(t, d, "measured|ece||ts|t"); s == nil || len(s.Rows) != 1 || string(s.Rows[0]) != "[1,0,0,1,0,1,0.044721,0.01,0.008,0.012,2,0,0]" {
		t.Errorf("%+v", s)
	}
}

// TestALargePageHasTheStandingsOfItsComparisonsAlone.
func TestALargePageHasTheStandingsOfItsComparisonsAlone(t *testing.T) {
	f := folder()
	d := pack(f, func(m string) string { return m })
	d.Settings = append(d.Settings, make([]settingEntry, mostStood)...)
	d.stand(f, complete(f, Options{Against: "ts", Metrics: []string{"nll"}}))
	if len(d.Standings) != 2 || standingAt(t, d, "measured|nll||ts|t") == nil || standingAt(t, d, "simulated|nll||ts|t") == nil {
		t.Errorf("%d standings", len(d.Standings))
	}
}

// TestExperimentsThatDisagreeHaveStandingsOfTheirOwn; others have those of all settings alone.
func TestExperimentsThatDisagreeHaveStandingsOfTheirOwn(t *testing.T) {
	for value, want := range map[float64]bool{.1: false, .2: true} {
		f := &results.Rows{Records: append(rows("a,ts,ece,measured,ok,,", "a,qats,ece,measured,ok,,", "b,ts,ece,measured,ok,,", "b,qats,ece,measured,ok,,"), rows("a,ts,ece,measured,ok,,", "a,qats,ece,measured,ok,,")...)}
		for i := range f.Records[4:] {
			r := &f.Records[4+i]
			r.Experiment, r.Value = "again", value
		}
		d := pack(f, func(m string) string { return m })
		d.stand(f, complete(f, Options{Against: "ts"}))
		if all, again := standingAt(t, d, "measured|ece||ts|t"), standingAt(t, d, "measured|ece|experiment=again|ts|t"); (all == nil) != want || (again != nil) != want {
			t.Errorf("with %g: of all %+v, of one experiment %+v", value, all, again)
		}
		if first, again := standingAt(t, d, "measured|ece|experiment=e|ts|t"), standingAt(t, d, "measured|ece|experiment=again|ts|t"); want && (first == nil || reflect.DeepEqual(first, again)) {
			t.Errorf("one experiment has the standing of the other: %+v", first)
		}
	}
}
