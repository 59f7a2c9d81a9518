package diff

import (
	"slices"

	"github.com/qats-bench/qats/results"
)

// Summary is a table and a source, or, with an empty Table, all settings of
// the paper by metric. Simulated summaries have no verdicts and no tau.
type Summary struct {
	Table    string
	Number   int
	Metric   string
	Source   string
	Settings int // rows of the table
	Numbers  int // published
	Found    int // of these, with a value of the source
	// MedianAbs is the median distance of the numbers found.
	MedianAbs results.Points
	// Rows with every ranked method, and those in which the paper's winner wins.
	Complete, CompleteWins int
	// The same of rows that lack some methods but have the paper's winner.
	Partial, PartialWins int
	// Rows without a verdict although they have values of the source.
	Open   int
	Tau    float64
	HasTau bool
}

// Settings of the paper are rows of the tables below that are no means; the
// other tables repeat them.
var settingTables = []string{"standard", "longtail", "tasks", "shift-full", "medical-full", "standard-aece", "longtail-aece"}

func summarise(settings []Setting) []Summary {
	var list []Summary
	for _, source := range []string{"measured", "simulated"} {
		for _, t := range results.PublishedTables() {
			var rows []Setting
			for _, s := range settings {
				if s.Table == t.ID {
					rows = append(rows, s)
				}
			}
			sum := summary(rows, source)
			sum.Table, sum.Number, sum.Metric = t.ID, t.Number, t.Metric
			list = append(list, sum)
		}
		for _, metric := range []string{"ece", "aece"} {
			var rows []Setting
			for _, s := range settings {
				if s.Metric == metric && slices.Contains(settingTables, s.Table) && !s.IsAverage() {
					rows = append(rows, s)
				}
			}
			sum := summary(rows, source)
			sum.Metric = metric
			list = append(list, sum)
		}
	}
	return list
}

func summary(rows []Setting, source string) Summary {
	sum := Summary{Source: source, Settings: len(rows)}
	var distances []results.Points
	var pairs pairCounts
	for _, s := range rows {
		sum.Numbers += len(s.Cells)
		found := 0
		for _, c := range s.Cells {
			if c.State == OK && c.Source == source {
				found++
				distances = append(distances, max(c.Difference(), -c.Difference()))
			}
		}
		sum.Found += found
		if found == 0 || source != "measured" {
			continue
		}
		wins := 0
		if s.Ranking.Verdict == Agrees {
			wins = 1
		}
		switch v := s.Ranking.Verdict; {
		case v != Agrees && v != Differs:
			sum.Open++
		case s.Ranking.Complete():
			sum.Complete++
			sum.CompleteWins += wins
		default:
			sum.Partial++
			sum.PartialWins += wins
		}
		if s.Ranking.Verdict != Both {
			pairs.add(s.Cells)
		}
	}
	sum.Tau, sum.HasTau = pairs.tau()
	if len(distances) > 0 {
		slices.Sort(distances)
		sum.MedianAbs = distances[(len(distances)-1)/2] // the lower one of two
	}
	return sum
}
