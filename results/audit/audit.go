package audit

import (
	"github.com/qats-bench/qats/results"
	"github.com/qats-bench/qats/results/table"
)

// Kind is what a finding is about.
type Kind string

// The kinds, in the order of the findings.
const (
	BestMark    Kind = "best-mark"
	SecondMark  Kind = "second-mark"
	Gap         Kind = "gap"
	Mean        Kind = "average"
	Disagree    Kind = "tables-disagree"
	OneFit      Kind = "one-fit"
	Repeat      Kind = "repeat"
	SameNetwork Kind = "same-network"
	TwoFits     Kind = "two-fits"
	Caption     Kind = "caption"
)

// Finding is two printed things that do not fit each other. Row and Column
// are those of the printed table; for a wrong mark, of the number that is to
// bear it. Numbers have two decimals.
type Finding struct {
	Kind       Kind   `json:"kind"`
	Table      string `json:"table"`  // id in published.csv
	Number     int    `json:"number"` // of the table, counted through paper and supplement
	Row        string `json:"row"`
	Column     string `json:"column"`
	Printed    string `json:"printed"`
	Recomputed string `json:"recomputed"`
	Note       string `json:"note,omitempty"`
}

// Group says what the findings of a kind have in common.
type Group struct {
	Kind  Kind
	Title string
	Rule  string
}

// Groups returns the kinds in the order of the findings.
func Groups() []Group {
	return []Group{
		{BestMark, "Bold on a number that is not the best", "The lowest ranked number of a row is bold, and no other; HFE is not ranked."},
		{SecondMark, "Underline on a number that is not the second", "Judged where the best mark is right, in tables that underline."},
		{Gap, "Gaps that the row does not give", "QaTS less the lowest other ranked number of its row, with its sign."},
		{Mean, "Averages that their entries do not give", "Means over the 15 corruptions or 11 datasets of the supplement, beyond the 0.01 of rounding."},
		{Disagree, "Cells printed with two values", "Main table beside the supplement."},
		{OneFit, "ECE and AECE that can hardly be of one fit", "Tables 1-2 beside 9-10 need |ECE - AECE|/2 points of gaps of the rarer sign; listed above 2."},
		{Repeat, "Different settings with the same numbers", "Columns equal in three or more networks, or two networks equal in both ECE and AECE."},
		{SameNetwork, "One uncalibrated ECE, two AECEs", "If the rows repeated above are the same networks on the same images, AECE has to agree too."},
		{TwoFits, "Fits that change while the network does not", "From CIFAR-100 to the shifted set whose uncalibrated ECE is nearest, by more than 3 points."},
		{Caption, "Words beside the tables", "Counts and names in captions and text, against the tables that they describe."},
	}
}

// Run returns all findings in published numbers: kind by kind, and within a
// kind in the order of the tables.
func Run(list []results.Published) []Finding {
	a := audit{paper: results.NewPublication(list), tables: map[string]results.PublishedTable{}}
	for _, t := range results.PublishedTables() {
		a.tables[t.ID] = t
	}
	for _, check := range []func(){
		a.bestMarks, a.secondMarks, a.gaps, a.averages, a.disagreements, a.oneFit, a.repeats, a.twoFits, a.captions,
	} {
		check()
	}
	return a.findings
}

type audit struct {
	paper    *results.Publication
	tables   map[string]results.PublishedTable
	findings []Finding
}

// find adds a finding at a method of a row.
func (a *audit) find(kind Kind, s results.PublishedSetting, label, printed, recomputed, note string) {
	f := Finding{Kind: kind, Table: s.Table, Number: a.tables[s.Table].Number, Printed: printed, Recomputed: recomputed, Note: note}
	f.Row, f.Column = table.Place(s, label)
	a.findings = append(a.findings, f)
}
