package leaderboard

import (
	"github.com/qats-bench/qats/internal/lists"
	"github.com/qats-bench/qats/results"
)

// Status says how far the numbers of a method can be trusted.
type Status string

// The statuses.
const (
	Verified Status = "verified" // a run of the code gave numbers that are equal or agree, and drawn splits exist
	Agrees   Status = "agrees"   // a run of the code gave such numbers, on splits that everybody knows
	Claimed  Status = "claimed"  // of the author alone
	Differs  Status = "differs"  // a run of the code gave other numbers
)

// Statuses returns all statuses with what they mean.
func Statuses() []struct {
	Status Status
	Means  string
} {
	return []struct {
		Status Status
		Means  string
	}{
		{Verified, "A maintainer ran the code again, and each number is equal or within a thousandth of a point. Calibration and test rows were also drawn again, by the hash of a commit that is newer than the entry. Methods of this project are verified, since their numbers are those of a run of this project."},
		{Agrees, "A maintainer ran the code again, and each number is equal or within a thousandth of a point. No rows were drawn again. Test labels are public, so nobody can show that they were not used. Such a method is neither ranked nor named in a sentence."},
		{Claimed, "The numbers are those that the author handed in. Nobody has run the code again. Such a method is not ranked either."},
		{Differs, "A maintainer ran the code again and got other numbers. The table has those that the author handed in. Such a method is not ranked either."},
	}
}

// Ranked reports whether a method is ranked.
func (s Status) Ranked() bool { return s == Verified }

// Member is a method of the leaderboard with its numbers.
type Member struct {
	Method    string // id
	Label     string // in print
	Contract  Contract
	Predicts  results.Prediction
	Authors   []string // of an entry; nil for a method of the registry
	Reference string   // of an entry
	Protocol  string   // version under which an entry ran
	Status    Status
	Look      string // why a person must look at an entry before it is ranked; empty for no reason

	Records []results.Record // on the settings of the board
	Drawn   []results.Record // means over drawn splits, of the method and of those that it is compared with; nil without
	Draws   int              // splits of Drawn
}

// The methods that all others are compared with.
const (
	TS   = "ts"
	QaTS = "qats"
)

// clean returns the records of clean test sets.
func clean(records []results.Record) []results.Record {
	return lists.Where(records, func(r results.Record) bool { return r.Corruption == "" })
}
