package calib

// Objective is what a fit makes as small as it can on its calibration rows.
type Objective string

// The objectives that have a score of the same name.
const (
	ByNLL   Objective = "NLL"
	ByBrier Objective = "Brier score"
	ByECE   Objective = "ECE"
)

// Minimiser is a Method whose fit minimises one score of its calibration rows, and nothing
// beside it, such as a penalty.
type Minimiser interface {
	Minimises() Objective
}
