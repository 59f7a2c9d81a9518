package claims

import (
	"slices"

	"github.com/qats-bench/qats/internal/lists"
	"github.com/qats-bench/qats/results/compare/significance"
	"github.com/qats-bench/qats/results/paper"
)

// Summary counts the numbers of one source in a table or, with an empty Table, in
// all settings of the paper with a metric. Summaries of stand-ins and of simulated
// records have no verdicts and no tau.
type Summary struct {
	Table   string `json:"table,omitempty"`
	Metric  string `json:"metric"`
	Source  string `json:"source"`
	Rows    int    `json:"rows"`    // of the table
	Numbers int    `json:"numbers"` // printed in them
	Found   int    `json:"found"`   // with a reproduced value of the source
	// Median is the median of |reproduced - published| over the numbers found; of
	// two middle ones the lower.
	Median paper.Points `json:"median_distance"`
	// Rows with all ranked methods, and how many of them the paper's best method
	// wins.
	Complete     int `json:"complete"`
	CompleteWins int `json:"complete_wins"`
	// The same for rows that lack some methods but have the paper's best.
	Partial     int      `json:"partial"`
	PartialWins int      `json:"partial_wins"`
	Open        int      `json:"no_verdict"` // rows with values of the source and without a verdict
	Tau         *float64 `json:"tau"`        // Kendall's tau-b; nil where it is not defined
}

// settingTables have each setting of the paper in one row, beside means; the other
// tables repeat them.
var settingTables = []string{"standard", "longtail", "tasks", "shift-full", "medical-full", "standard-aece", "longtail-aece"}

func summarise(rows []Row) []Summary {
	var list []Summary
	for _, source := range []string{measured, standIn, simulated} {
		if source == standIn && !slices.ContainsFunc(rows, func(r Row) bool { return r.has(standIn) }) {
			continue
		}
		for _, t := range paper.Tables() {
			sum := summary(lists.Where(rows, func(r Row) bool { return r.Table == t.ID }), source)
			sum.Table, sum.Metric = t.ID, t.Metric
			list = append(list, sum)
		}
		for _, metric := range []string{"ece", "aece"} {
			sum := summary(lists.Where(rows, func(r Row) bool {
				return r.Metric == metric && slices.Contains(settingTables, r.Table) && !r.IsAverage()
			}), source)
			sum.Metric = metric
			list = append(list, sum)
		}
	}
	return list
}

// has reports whether a row has a reproduced value of a source.
func (r Row) has(source string) bool {
	return slices.ContainsFunc(r.Cells, func(c Cell) bool { return c.State == OK && c.Source == source })
}

func summary(rows []Row, source string) Summary {
	sum := Summary{Source: source, Rows: len(rows)}
	var distances []paper.Points
	var pairs significance.Orders
	for _, r := range rows {
		sum.Numbers += len(r.Cells)
		found := 0
		for _, c := range r.Cells {
			if c.State == OK && c.Source == source {
				found++
				distances = append(distances, max(c.Difference(), -c.Difference()))
			}
		}
		sum.Found += found
		if found == 0 || source != measured {
			continue
		}
		sum.count(r.Ranking)
		if r.Ranking.Verdict != Both {
			pairs.Add(rankedNumbers(r.Cells))
		}
	}
	if tau, ok := pairs.Tau(); ok {
		sum.Tau = &tau
	}
	if len(distances) > 0 {
		slices.Sort(distances)
		sum.Median = distances[(len(distances)-1)/2]
	}
	return sum
}

// count counts the ranking of a measured row.
func (s *Summary) count(r Ranking) {
	wins := 0
	if r.Verdict == Agrees {
		wins = 1
	}
	switch {
	case r.Verdict != Agrees && r.Verdict != Differs:
		s.Open++
	case r.Complete():
		s.Complete++
		s.CompleteWins += wins
	default:
		s.Partial++
		s.PartialWins += wins
	}
}
