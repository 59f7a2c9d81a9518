package audit

import (
	"fmt"

	"github.com/qats-bench/qats/results/paper"
)

// averages recomputes every printed mean. The ablation repeats the means of
// Table 3 for Uncal and QaTS; the entries of its other rows are not printed.
func (a *audit) averages() {
	for _, row := range a.publication.Rows {
		members := a.publication.Averaged(row.Setting)
		for _, p := range row.Numbers {
			sum, n := 0, 0
			for _, s := range members {
				full, _ := a.publication.Row(s)
				if entry, ok := full.Number(p.Label); ok {
					sum += int(entry.Value)
					n++
				}
			}
			if n == 0 || n < len(members) {
				continue
			}
			if off := int(p.Value)*n - sum; max(off, -off) > n { // n times the distance of the means
				a.find(Mean, row.Setting, p.Label, p.Value.String(), paper.Points((2*sum+n)/(2*n)).String(), "")
			}
		}
	}
}

// disagreements compares every cell with its first appearance in an earlier
// table.
func (a *audit) disagreements() {
	type cell struct {
		s     paper.Setting
		label string
	}
	first := map[cell]paper.Number{}
	for _, row := range a.publication.Rows {
		for _, p := range row.Numbers {
			key := cell{p.Setting, p.Label}
			key.s.Table = ""
			before, twice := first[key]
			switch {
			case !twice:
				first[key] = p
			case before.Value != p.Value:
				a.find(Disagree, before.Setting, p.Label, before.Value.String(), p.Value.String(),
					fmt.Sprintf("the second value is in Table %d", a.tables[p.Table].Number))
			}
		}
	}
}

// oneFitLimit is twice the two points above which a cell is listed.
const oneFitLimit = 2 * 200

// oneFit compares ECE and AECE of a cell; the package comment derives the bound.
func (a *audit) oneFit() {
	for _, row := range a.publication.Rows {
		if row.Metric != "ece" {
			continue
		}
		for _, ece := range row.Numbers {
			aece, ok := a.aece(ece)
			twice := ece.Value - aece.Value
			note := ""
			if twice < 0 {
				twice, note = -twice, "AECE is the larger one; perhaps a digit is mistyped"
			}
			if ok && twice > oneFitLimit {
				a.find(OneFit, row.Setting, ece.Label, fmt.Sprintf("ECE %s, AECE %s", ece.Value, aece.Value),
					((twice + 1) / 2).String(), note)
			}
		}
	}
}

// aece returns the number that the table of AECE has in the place of a printed ECE.
func (a *audit) aece(ece paper.Number) (n paper.Number, ok bool) {
	s := ece.Setting
	s.Table += "-aece"
	s.Metric = "aece"
	row, _ := a.publication.Row(s)
	return row.Number(ece.Label)
}

// twoFitsLimit, three points, is more than the other methods change.
const twoFitsLimit = 300

// twoFits compares CIFAR-100 with the corrupted set whose uncalibrated ECE is
// nearest to it. By the paper's protocol the fits are the same, so a method should
// not change much where the network itself hardly changes.
func (a *audit) twoFits() {
	clean, ok := a.publication.Row(paper.Setting{Table: "standard", Metric: "ece", Dataset: "cifar100", Backbone: "vit-b16"})
	if !ok {
		return
	}
	before, _ := clean.Number("Uncal")
	var nearest paper.Row
	var after paper.Number
	for _, row := range a.publication.Table("shift-full") {
		p, ok := row.Number("Uncal")
		if !ok || row.IsAverage() {
			continue
		}
		if nearest.Numbers == nil || distance(p.Value, before.Value) < distance(after.Value, before.Value) {
			nearest, after = row, p
		}
	}
	for _, p := range nearest.Ranked() {
		was, ok := clean.Number(p.Label)
		if ok && distance(p.Value, was.Value) > twoFitsLimit {
			a.find(TwoFits, p.Setting, p.Label, fmt.Sprintf("%s, clean %s", p.Value, was.Value), (p.Value - was.Value).Signed(),
				fmt.Sprintf("Uncal %s, clean %s, change %s", after.Value, before.Value, (after.Value-before.Value).Signed()))
		}
	}
}

func distance(x, y paper.Points) paper.Points { return max(x-y, y-x) }

// captions compares words with the counts and names of the tables.
func (a *audit) captions() {
	datasets, corruptions := map[string]bool{}, map[string]bool{}
	for _, row := range a.publication.Rows {
		switch {
		case row.IsAverage():
		case row.Table == "medical-full":
			datasets[row.Dataset] = true
		case row.Table == "shift-full":
			corruptions[row.Corruption] = true
		}
	}
	if n := len(datasets); n > 0 && n != 10 {
		a.words("medical", "caption", `"10 datasets"`, fmt.Sprintf("%d", n),
			fmt.Sprintf("Table %d has %d datasets, and the printed means are over %d", a.tables["medical-full"].Number, n, n))
	}
	if len(corruptions) > 0 && !corruptions["gaussian_blur"] {
		a.words("shift-full", "text", `"gaussian blur"`, "no such column",
			fmt.Sprintf("the text names it where QaTS is strongest; the table has %d other corruptions", len(corruptions)))
	}
}

// words adds a finding about a caption or the text.
func (a *audit) words(id, where, printed, recomputed, note string) {
	a.findings = append(a.findings, Problem{Kind: Caption, Table: id, Number: a.tables[id].Number, Row: where,
		Printed: printed, Recomputed: recomputed, Note: note})
}
