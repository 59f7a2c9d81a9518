package results

import "fmt"

// Status says what became of a cell.
type Status string

// A skip or a fail has no value; its note says why.
const (
	OK   Status = "ok"
	Skip Status = "skip"
	Fail Status = "fail"
)

// Cell names what a number belongs to: the first columns of each file.
type Cell struct {
	Experiment, Dataset, Backbone, Loss, Corruption string
	Severity                                        int // 0, printed empty, where there is none
}

// Setting is the cell without its experiment, as messages and pages name it by
// its ids: dataset/backbone and what else tells it from others, the loss only
// where it is not ce.
func (c Cell) Setting() string {
	name := c.Dataset + "/" + c.Backbone
	if c.Loss != "ce" {
		name += "/" + c.Loss
	}
	if c.Corruption != "" {
		name += fmt.Sprintf("/%s/%d", c.Corruption, c.Severity)
	}
	return name
}

// Record is one number of results.csv.
type Record struct {
	Cell
	Method, Metric string
	Value          float64 // a fraction or nats; meaningless unless Status is OK
	N              int     // test rows; 0, printed empty, unless Status is OK
	Source         string  // measured | simulated
	Status         Status
	Note           string // items joined by "; ". "warning: ..." items become footnotes, "from: ..." is for captions
	Key            string // of the content-addressed store
}

// Bin is one row of bins.csv.
type Bin struct {
	Cell
	Method, Binning string
	Bin             int // 0-based
	Lo, Hi          float64
	N               int
	Conf, Acc       float64
	Source          string
}

// Pair is one row of pairs.csv: metric of Method less that of Against over the
// same rows, with a 95 % interval.
type Pair struct {
	Cell
	Method, Against, Metric string
	Difference, Lo, Hi      float64
	N                       int
	Source                  string
}

// FromPrefix begins the item of a note that says in a few words what measured
// numbers are of, where a manifest does.
const FromPrefix = "from: "

// NoClassVector is the note of a skip where a method has no value of a metric by
// its nature: a top-label method predicts a class and its confidence, and says
// nothing about the other classes. Such a method is set aside from rankings by
// that metric, and costs them no setting.
const NoClassVector = "top-label method: no class vector"

// Split is the corruption column of settings whose calibration and test rows
// were redrawn from their union; the severity column numbers the draws. They
// are replicates of one setting and no settings of their own.
const Split = "split"
