package audit

import (
	"fmt"

	"github.com/qats-bench/qats/results"
)

// averages recomputes every printed mean. The ablation repeats the means of
// Table 3 for Uncal and QaTS; for its other rows no entries are printed.
func (a *audit) averages() {
	for _, row := range a.paper.Rows {
		members := a.paper.Averaged(row.PublishedSetting)
		for _, p := range row.Numbers {
			sum, n := 0, 0
			for _, s := range members {
				full, _ := a.paper.Row(s)
				if entry, ok := full.Number(p.Label); ok {
					sum += int(entry.Value)
					n++
				}
			}
			if n == 0 || n < len(members) {
				continue
			}
			if off := int(p.Value)*n - sum; max(off, -off) > n { // the distance of the means, times n
				a.find(Mean, row.PublishedSetting, p.Label, p.Value.String(), results.Points((2*sum+n)/(2*n)).String(), "")
			}
		}
	}
}

// disagreements compares every cell with its first appearance in an earlier
// table.
func (a *audit) disagreements() {
	type cell struct {
		s     results.PublishedSetting
		label string
	}
	first := map[cell]results.Published{}
	for _, row := range a.paper.Rows {
		for _, p := range row.Numbers {
			key := cell{p.PublishedSetting, p.Label}
			key.s.Table = ""
			before, twice := first[key]
			switch {
			case !twice:
				first[key] = p
			case before.Value != p.Value:
				a.find(Disagree, before.PublishedSetting, p.Label, before.Value.String(), p.Value.String(),
					fmt.Sprintf("the second value is that of Table %d", a.tables[p.Table].Number))
			}
		}
	}
}

// oneFitLimit is twice the two points from which on a cell is listed.
const oneFitLimit = 2 * 200

// oneFit sets ECE and AECE of a cell beside each other; the package comment
// derives the bound.
func (a *audit) oneFit() {
	for _, row := range a.paper.Rows {
		other, ok := a.paper.Row(withAECE(row.PublishedSetting))
		if !ok || row.Metric != "ece" {
			continue
		}
		for _, ece := range row.Numbers {
			aece, ok := other.Number(ece.Label)
			twice := ece.Value - aece.Value
			note := ""
			if twice < 0 {
				twice, note = -twice, "AECE is the larger one; perhaps a slip of a digit"
			}
			if ok && twice > oneFitLimit {
				a.find(OneFit, row.PublishedSetting, ece.Label, fmt.Sprintf("ECE %s, AECE %s", ece.Value, aece.Value),
					((twice + 1) / 2).String(), note)
			}
		}
	}
}

// withAECE returns the setting of the table that shows AECE for the same rows.
func withAECE(s results.PublishedSetting) results.PublishedSetting {
	s.Table += "-aece"
	s.Metric = "aece"
	return s
}

// twoFitsLimit is above what the other methods move.
const twoFitsLimit = 300

// twoFits compares CIFAR-100 with the corrupted set whose uncalibrated ECE is
// nearest to it. The fits are the same by the paper's protocol, so what moves
// a method far where the network itself hardly moves asks for an explanation.
func (a *audit) twoFits() {
	clean, ok := a.paper.Row(results.PublishedSetting{Table: "standard", Metric: "ece", Dataset: "cifar100", Backbone: "vit-b16"})
	if !ok {
		return
	}
	before, _ := clean.Number("Uncal")
	var nearest results.PublishedRow
	var after results.Published
	for _, row := range a.paper.Table("shift-full") {
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
			a.find(TwoFits, p.PublishedSetting, p.Label, fmt.Sprintf("%s, clean %s", p.Value, was.Value), (p.Value - was.Value).Signed(),
				fmt.Sprintf("Uncal: %s, clean %s, %s", after.Value, before.Value, (after.Value-before.Value).Signed()))
		}
	}
}

func distance(x, y results.Points) results.Points { return max(x-y, y-x) }

// captions compares words with tables. The words are quoted; what the tables
// hold is counted.
func (a *audit) captions() {
	datasets, corruptions := map[string]bool{}, map[string]bool{}
	for _, row := range a.paper.Rows {
		switch {
		case row.IsAverage():
		case row.Table == "medical-full":
			datasets[row.Dataset] = true
		case row.Table == "shift-full":
			corruptions[row.Corruption] = true
		}
	}
	if n := len(datasets); n > 0 && n != 10 {
		a.word("medical", "caption", `"10 datasets"`, fmt.Sprintf("%d", n),
			fmt.Sprintf("Table %d has %d, and the printed means are over %d", a.tables["medical-full"].Number, n, n))
	}
	if len(corruptions) > 0 && !corruptions["gaussian_blur"] {
		a.word("shift-full", "text", `"gaussian blur"`, "no such column",
			fmt.Sprintf("named among the corruptions won; the table has %d others", len(corruptions)))
	}
}

func (a *audit) word(id, where, printed, recomputed, note string) {
	a.findings = append(a.findings, Finding{Kind: Caption, Table: id, Number: a.tables[id].Number, Row: where,
		Printed: printed, Recomputed: recomputed, Note: note})
}
