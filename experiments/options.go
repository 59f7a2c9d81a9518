package experiments

import (
	"github.com/qats-bench/qats/data/folder"
	"github.com/qats-bench/qats/metrics"
	"github.com/qats-bench/qats/results"
)

// PlanOptions configures a plan.
type PlanOptions struct {
	Data    []string        // folders put in front of the sources of the specs
	Store   *results.Store  // results that exist already; not read under Fresh
	Digests *folder.Digests // digests remembered from earlier plans
	Fresh   bool            // nothing in the store counts as done, and every file is hashed again
	First   int             // only the first rows of each set, for a quick look; 0 for all

	// Memory is the number of bytes that arrays may take at one time, and the most that a
	// member of an archive may unpack to; DefaultMemory if 0. A unit that needs more runs
	// alone. A calibration set that is larger is read again in every pass by the fits that
	// can do so.
	Memory int64

	AllowExec bool     // whether programs that specs name may be run
	Env       []string // variables of the environment that these programs get, beside those of external.Passed
	Programs  Programs // where and how they are started

	// Task is the part that will be run. The cells of others are not looked up in the store and
	// have no State: with many tasks of a large plan, their look would be most of the work of
	// a shared store.
	Task Task

	Interval metrics.Interval // of the pairings; metrics.Percentile if empty

	// Look makes a plan that is quick, writes nothing and cannot be run: headers of
	// arrays are checked, and files of more than LookBytes that Digests does not
	// remember are not hashed. The states of their cells are Unknown.
	Look bool

	// NoDigests makes a plan in which no array is hashed. Only the states Skip and Broken
	// of its cells mean something.
	NoDigests bool
}

// Programs says where and how the programs of a run are started. The zero value is for those of a
// spec of the user.
type Programs struct {
	Dir    string   // working folder, at which relative names of their commands start; the root of the project if empty
	Around []string // a command that starts each of them, with the program and its arguments behind
	Owner  int      // user id that the folders of calls are given to; 0: they stay this user's
	Set    []string // variables that they get, NAME=VALUE
}

// LookBytes is the size of the largest file that a look hashes, so that a look is quick.
const LookBytes = 100e6

// DefaultMemory bounds the arrays in memory at one time, in bytes.
const DefaultMemory = 4 << 30

// has reports whether the store has the object of a key text, and may use it.
func (o *PlanOptions) has(kind results.Kind, text string) bool {
	return !o.Fresh && o.Store != nil && o.Store.Has(kind, results.Key(text))
}

// RunOptions configures how a plan is run. The results do not depend on it, to the
// last byte.
type RunOptions struct {
	Workers int // units at a time; 1 if less

	// Out is the folder that the CSV files of the whole plan are written to, some settings
	// at a time. If it is empty, their rows are kept in Outcome.Rows.
	Out string

	// Progress, if not nil, is called at the start and after each fit and each unit, one call at
	// a time.
	Progress func(Progress)
}

// Progress tells how far a run has come.
type Progress struct {
	Done, Total int    // cells
	Failed      int    // of the cells done
	Todo, Left  int    // work on the cells that the store lacked at the start: all of it, and what is left of it
	New         int    // objects put into the store since the start: fits, notes, scores and pairs
	Fits        int    // made since the start
	Scored      int    // cells scored since the start
	Fitting     string // the fit that began last, as METHOD on SETTING; empty before the first one
	Setting     string // that was finished last
	Experiment  string // that was finished with it; empty where settings of it are left, and after a fit
}
