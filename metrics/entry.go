package metrics

// GroupName is the name of a group of metrics, which specs and commands name by one word.
type GroupName string

// The groups.
const (
	Binned      GroupName = "@binned"
	Unbinned    GroupName = "@unbinned"
	Proper      GroupName = "@proper"
	Ranking     GroupName = "@ranking"
	Predictions GroupName = "@predictions"
)

// Direction states which values of a metric are better. Tables mark by it.
type Direction string

// Neutral metrics are reported but never ranked. Those with a Target are best at one value, which
// Entry.Target has, and worse on both sides of it. They are not ranked either: two values beside
// the target are better or worse in ways that their distance to it does not tell.
const (
	Neutral Direction = ""
	Lower   Direction = "lower"
	Higher  Direction = "higher"
	Target  Direction = "target"
)

// Ranks reports whether methods can be ranked by the values of a metric.
func (d Direction) Ranks() bool { return d == Lower || d == Higher }

// Entry is one line of the registry: one computation and the metrics that it gives.
// Tables, figures, comparisons and the command line take all facts about a metric
// from it. Its JSON is a part of what qats doc metrics --json prints.
type Entry struct {
	Name    string    `json:"name"` // in specs and on the command line
	Group   GroupName `json:"-"`    // that it is in, beside @default and @all
	Outputs []Output  `json:"-"`    // most entries have one, of the same name
	Better  Direction `json:"-"`
	Target  float64   `json:"-"`       // the best value, if Better is Target
	Percent bool      `json:"percent"` // printed as per cent

	OnRequest    bool `json:"on_request"` // computed only if a spec names it
	NeedsClasses bool `json:"-"`          // needs sums by class, which a run keeps only if a spec names such a metric
	CrossFit     bool `json:"-"`          // reads scores of rows recalibrated in cross-validation, which Samples.CrossFit makes known
	Vector       bool `json:"-"`          // reads the probabilities of all classes, which top-label methods do not have
	Positive     bool `json:"-"`          // is of the probability of the positive class, of two classes
	Uncal        bool `json:"-"`          // compares with the uncalibrated network, which Samples.Against makes known
	NoBootstrap  bool `json:"-"`          // cannot be recomputed from resampled rows
	Sized        bool `json:"-"`          // changes if all rows are repeated, and refuses weights that are no whole numbers
	Unranked     bool `json:"-"`          // an agreement of rankings leaves it out if it is not named
	Version      int  `json:"version"`    // raised whenever the values change; part of the cache key

	BinsOf string `json:"-"` // the metric that the outputs repeat with other numbers of bins (ece, for ece_bins); empty for most entries
	Bins   []int  `json:"-"` // of BinsOf: the number of bins of each output

	Summary string `json:"summary"`

	Aliases []string `json:"aliases,omitempty"` // other names in use, which are answered by "did you mean"

	Sheet // of doc comments; Registry sets them

	// Compute returns one finite value for each output. An error says why the
	// metric has no value for these samples; it makes the cell a skip, not a
	// failure. The seed is the identity of the test set, the same for every
	// method; only random draws and folds use it.
	Compute func(s *Samples, seed uint64) ([]float64, error) `json:"-"`

	// Influence is set for a metric that decides verdicts by itself. It returns, for each
	// output, the influence of each row on it, up to a constant that is the same for all
	// rows. For a mean of one number a row these are the numbers. For another metric it is
	// the derivative in the weight of the row, times n. The standard deviation of the
	// metric is then that of these numbers over sqrt(n).
	Influence func(s *Samples, seed uint64) ([][]float64, error) `json:"-"`

	// Basis decides verdicts by the metric in its place; nil if Influence is set or if there
	// are no verdicts. See Judge.
	Basis *Basis `json:"-"`

	binned  *binned // set for a mean of the absolute gaps of bins
	fewRows bool    // its verdicts and intervals count right and wrong rows, so they hold for few of them
}

// Sheet says where a metric comes from and what it was compared with, in the symbols of
// docs/methods.md.
type Sheet struct {
	Reference string `json:"reference"` // author and year; "none" for a definition that has no author
	Formula   string `json:"formula"`
	Code      string `json:"compared_with"` // code that it was compared with, the authors' if they published any; "none"
	Agreement string `json:"agreement"`     // what was compared and how closely it agreed; "not compared" is an answer
	Departs   string `json:"departs"`       // where it departs from the reference, and why; "none"
}

// binned says how a mean of the absolute gaps of 15 bins is read where a function of Samples
// would be too slow or not enough.
type binned struct {
	runs      func(s *Samples) []run                          // the bins, for the interval Population
	resampled func(w *weighing, drawn []times) [lanes]float64 // the values of the resamples that it has weighed
}

// Output is one number that an entry gives.
type Output struct {
	Name   string  // in results.csv
	Label  string  // in tables and figures; that of the QaTS paper if it has one
	Lo, Hi float64 // range of the value; infinite if there is no bound
}

// Comparable reports whether Pairs can compare methods by the metric: it has a verdict, or
// its rows can be drawn again.
func (e Entry) Comparable() bool { return !e.NoBootstrap || e.Basis != nil || e.Influence != nil }

// Names returns the names of the outputs.
func (e Entry) Names() []string {
	var list []string
	for _, o := range e.Outputs {
		list = append(list, o.Name)
	}
	return list
}

// Digits returns the number of decimals of a printed value: two in per cent, four
// otherwise.
func (e Entry) Digits() int {
	if e.Percent {
		return 2
	}
	return 4
}

// value makes a Compute for a metric that always has a value.
func value(metric func(*Samples) float64) func(*Samples, uint64) ([]float64, error) {
	return func(s *Samples, _ uint64) ([]float64, error) { return []float64{metric(s)}, nil }
}

// valueOrError makes a Compute for a metric that may be undefined.
func valueOrError(metric func(*Samples) (float64, error)) func(*Samples, uint64) ([]float64, error) {
	return func(s *Samples, _ uint64) ([]float64, error) {
		v, err := metric(s)
		return []float64{v}, err
	}
}

// oneRow makes an Influence for a metric with one output that is the mean of number over
// the samples.
func oneRow(number func(x sample) float64) func(*Samples, uint64) ([][]float64, error) {
	return func(s *Samples, _ uint64) ([][]float64, error) {
		rows := make([]float64, s.Len())
		for _, x := range s.sorted {
			rows[x.row] = number(x)
		}
		return [][]float64{rows}, nil
	}
}
