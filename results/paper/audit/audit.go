package audit

import (
	"slices"

	"github.com/qats-bench/qats/results/paper"
)

// Kind is the rule that a finding breaks.
type Kind string

// The kinds, in the order of the findings.
const (
	BestMark      Kind = "best-mark"
	BestMissing   Kind = "best-missing"
	SecondMark    Kind = "second-mark"
	SecondMissing Kind = "second-missing"
	Gap           Kind = "gap"
	Mean          Kind = "average"
	Disagree      Kind = "tables-disagree"
	OneFit        Kind = "one-fit"
	Repeat        Kind = "repeat"
	SameNetwork   Kind = "same-network"
	TwoFits       Kind = "two-fits"
	Caption       Kind = "caption"
)

// Problem is two printed values that do not agree. Row and Column name the place in
// the printed table; for a mark, the place of the number that should have it. Numbers
// have two decimals.
type Problem struct {
	Kind       Kind   `json:"kind"`
	Table      string `json:"table"`  // id in published.csv
	Number     int    `json:"number"` // of the table, counted through paper and supplement
	Row        string `json:"row"`
	Column     string `json:"column"`
	Printed    string `json:"printed"`
	Recomputed string `json:"recomputed"`
	Note       string `json:"note,omitempty"`
}

// Group describes the findings of one kind.
type Group struct {
	Kind  Kind
	Title string
	Rule  string

	printed, recomputed string // the words before the two values of a finding
}

// Groups returns the kinds in the order of the findings.
func Groups() []Group {
	return []Group{
		{BestMark, "Bold marks that are not on the lowest number",
			"The lowest ranked number of a row should be bold, and no other. HFE is not ranked.",
			"marked", "lowest"},
		{BestMissing, "Lowest numbers that are not bold, where no other is",
			"The same rule, in rows without a wrong mark.",
			"marked", "lowest"},
		{SecondMark, "Underlines that are not on the second lowest number",
			"Checked in tables that underline, in rows whose bold mark is right.",
			"marked", "second"},
		{SecondMissing, "Second lowest numbers that are not underlined, where no other is",
			"The same rule, in rows without a wrong mark.",
			"marked", "second"},
		{Gap, "Gaps that do not follow from their row",
			"The gap should be QaTS minus the lowest other ranked number of the row, with its sign.",
			"printed", "recomputed"},
		{Mean, "Averages that differ from the mean of their entries",
			"Means over the 15 corruptions or 11 datasets of the supplement. Rounding explains up to 0.01. " +
				"A mean that two tables print is listed for each of them.",
			"printed", "recomputed"},
		{Disagree, "Cells that are printed with two values",
			"Cells of the main tables that the supplement repeats.",
			"printed", "elsewhere"},
		{OneFit, "ECE and AECE that are unlikely to be of one fit",
			"If one fit gives both, bins with the rarer sign of confidence minus accuracy contribute at least " +
				"|ECE - AECE|/2 points to the larger number. Listed above 2 points.",
			"printed", "at least"},
		{Repeat, "Different settings with equal numbers",
			"Columns equal in three or more networks, or two networks equal in both ECE and AECE.",
			"printed", "equal to"},
		{SameNetwork, "Equal uncalibrated ECE, different AECE",
			"If the repeated rows are the same networks on the same images, their AECE should be equal too.",
			"printed", "elsewhere"},
		{TwoFits, "Methods that change where the network hardly changes",
			"From CIFAR-100 to the corrupted set with the nearest uncalibrated ECE: above 3 points.",
			"printed", "change"},
		{Caption, "Captions and text that differ from the tables",
			"Counts and names in captions and text, compared with the tables that they describe.",
			"printed", "the table has"},
	}
}

// Run returns all findings in printed numbers: kind by kind, and within a kind in
// the order of the tables.
func Run(list []paper.Number) []Problem {
	a := audit{publication: paper.NewPublication(list), tables: map[string]paper.Table{}}
	for _, t := range paper.Tables() {
		a.tables[t.ID] = t
	}
	for _, check := range []func(){
		a.bestMarks, a.secondMarks, a.gaps, a.averages, a.disagreements, a.oneFit, a.repeats, a.twoFits, a.captions,
	} {
		check()
	}
	groups := Groups()
	place := func(f Problem) int { return slices.IndexFunc(groups, func(g Group) bool { return g.Kind == f.Kind }) }
	slices.SortStableFunc(a.findings, func(x, y Problem) int { return place(x) - place(y) })
	return a.findings
}

type audit struct {
	publication *paper.Publication
	tables      map[string]paper.Table // by id
	findings    []Problem
}

// find adds a finding at the number of a method in a row.
func (a *audit) find(kind Kind, s paper.Setting, label, printed, recomputed, note string) {
	f := Problem{Kind: kind, Table: s.Table, Number: a.tables[s.Table].Number, Printed: printed, Recomputed: recomputed, Note: note}
	f.Row, f.Column = s.Place(label)
	a.findings = append(a.findings, f)
}
