package leaderboard

import (
	"slices"

	"github.com/qats-bench/qats/results"
	"github.com/qats-bench/qats/results/compare"
)

// Contract is what methods of a table see and keep.
type Contract string

// The contracts.
const (
	KeepsTop   Contract = "keeps-top"
	ChangesTop Contract = "changes-top"
	TopLabel   Contract = "top-label"
	Features   Contract = "features"
	OOD        Contract = "ood"
	Target     Contract = "target"
)

// Contracts returns all contracts, in the order of the page.
func Contracts() []Contract { return []Contract{KeepsTop, ChangesTop, TopLabel, Features, OOD, Target} }

// ContractOf returns the contract of a method of the registry or of an entry. sees are the arrays beside logits and labels,
// as results.MethodInfo has them. What a method sees weighs more than what it keeps.
func ContractOf(sees []string, keepsTop1, topLabelOnly bool) Contract {
	switch {
	case slices.Contains(sees, results.Target):
		return Target
	case slices.Contains(sees, "ood"):
		return OOD
	case len(sees) > 0:
		return Features
	case topLabelOnly:
		return TopLabel
	case keepsTop1:
		return KeepsTop
	}
	return ChangesTop
}

// Title names a contract.
func (c Contract) Title() string {
	return map[Contract]string{
		KeepsTop:   "Logits alone; the predicted class stays",
		ChangesTop: "Logits alone; the predicted class may change",
		TopLabel:   "A confidence of the predicted class alone",
		Features:   "Features, the last layer or augmented views too",
		OOD:        "Out-of-distribution rows too",
		Target:     "Unlabelled rows of the test domain too",
	}[c]
}

// About says what methods of a contract see and keep.
func (c Contract) About() string {
	return map[Contract]string{
		KeepsTop:   "These methods read logits and labels of the calibration set, and return probabilities of all classes. The predicted class of every row is that of the network.",
		ChangesTop: "These methods read logits and labels of the calibration set, and return probabilities of all classes. The predicted class of a row may be another one than that of the network, so the accuracy may change.",
		TopLabel:   "These methods return a new confidence of the predicted class, and nothing about the other classes. NLL and Brier score are those of that class: right or wrong.",
		Features:   "These methods also read features of the network, its last layer, or logits of augmented views. Few networks come with such arrays, so the table is about those alone.",
		OOD:        "These methods also read logits of out-of-distribution rows.",
		Target:     "These methods also read rows of the set that they are tested on, without labels.",
	}[c]
}

// Scores returns the metrics that decide in the table of a contract: NLL and Brier score, those of the predicted class
// where methods give a confidence alone.
func (c Contract) Scores() []string {
	if c == TopLabel {
		return compare.TopScores()
	}
	return compare.Scores()
}

// Metrics returns the metrics with a mean in the table of a contract: Scores, then calibration errors, which decide
// nothing.
func (c Contract) Metrics() []string { return append(c.Scores(), described, "aece") }

// described is the calibration error whose differences are shown.
const described = "ece"
