package results

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/qats-bench/qats/internal/lists"
	"github.com/qats-bench/qats/results/internal/csvfile"
)

// MethodInfo is one row of methods.csv: what is known of a method of an experiment before it is
// fitted. So a view knows without the registry what it prints and whom it ranks.
type MethodInfo struct {
	Experiment string
	Method     string // column method of the other files
	Label      string // in print, beside methods of other experiments too
	Registered string // the name under which a program has it; that of the program or class if it is not of qats
	Version    int
	Options    string // all options with their values, a JSON object with sorted keys; empty where it has none
	Source     Maker

	// Sees are the arrays that the method reads beside logits and labels ("features", "ood",
	// "views", ...), in the order of data.Parts; Target is among them where it sees
	// unlabelled rows of the domain that it is tested on.
	Sees []string

	Predicts Prediction // empty where nobody knows, as of programs of others
}

// Prediction says what becomes of the predicted class.
type Prediction string

// The predictions of methods.
const (
	Keeps    Prediction = "keeps"     // the predicted class of every row stays
	Changes  Prediction = "changes"   // the predicted class of a row may change, and the accuracy with it
	TopLabel Prediction = "top-label" // the class stays and has a new confidence; the other classes have none
)

// Predictions returns all of them, in the order of tables.
func Predictions() []Prediction { return []Prediction{Keeps, Changes, TopLabel} }

// The floors: methods that know nothing but the share of right predictions of the calibration rows, for probabilities
// of all classes and for a confidence alone. Their calibration error can be small on every network, so a
// small calibration error alone proves nothing. Others are compared with them; they are in no group but @all, no
// ranking, and no test of other methods.
const (
	BaseRate    = "base-rate"
	BaseRateTop = "base-rate-top"
)

// IsFloor reports whether a method is a floor.
func IsFloor(method string) bool { return method == BaseRate || method == BaseRateTop }

// Maker says where a method comes from.
type Maker string

// The makers of methods.
const (
	OfQats    Maker = "qats"     // registered in this program
	OfProgram Maker = "external" // another program or a Python class, which states what it sees
)

// Target in MethodInfo.Sees: unlabelled rows of the domain that the method is tested on. Such a
// method is shown, and neither ranked nor counted with the others.
const Target = "target"

var methodsFormat = csvfile.Format[MethodInfo]{
	Columns: []string{"experiment", "method", "label", "registered", "version", "options", "source", "sees", "predicts"},
	Added:   []string{"predicts"},
	Fields: func(m MethodInfo) []string {
		return []string{m.Experiment, m.Method, csvfile.PlainText(m.Label), csvfile.PlainText(m.Registered), csvfile.FormatCount(m.Version), m.Options, string(m.Source), strings.Join(m.Sees, " "), string(m.Predicts)}
	},
	Parse: func(row *csvfile.Row) MethodInfo {
		return MethodInfo{Experiment: row.Text(), Method: row.Text(), Label: csvfile.PlainText(row.Text()), Registered: csvfile.PlainText(row.Text()), Version: row.CountOrNone(),
			Options: row.Text(), Source: Maker(row.Text()), Sees: strings.Fields(row.Text()), Predicts: Prediction(row.Text())}
	},
	Check:    MethodInfo.check,
	Identity: func(m MethodInfo) []string { return []string{m.Experiment, m.Method} },
}

func (m MethodInfo) check() error {
	if err := csvfile.CheckID("experiment", m.Experiment); err != nil {
		return err
	}
	if err := csvfile.CheckID("method", m.Method); err != nil {
		return err
	}
	if m.Options != "" && !json.Valid([]byte(m.Options)) {
		return csvfile.Fault("options", "%q is not a JSON object", m.Options)
	}
	if m.Source != OfQats && m.Source != OfProgram {
		return csvfile.Fault("source", "%q is neither %s nor %s", m.Source, OfQats, OfProgram)
	}
	if m.Predicts != "" && !slices.Contains(Predictions(), m.Predicts) {
		return csvfile.Fault("predicts", "%q is none of %s, %s, %s", m.Predicts, Keeps, Changes, TopLabel)
	}
	return nil
}

// ReadMethods reads a methods.csv. An error names file, line and column.
func ReadMethods(path string) ([]MethodInfo, error) { return methodsFormat.ReadFile(path) }

// Ranked reports whether views rank a method with the others.
func (m MethodInfo) Ranked() bool { return !slices.Contains(m.Sees, Target) }

// Labels returns the names in print of methods by their id. Where experiments call a method
// differently, the first one decides.
func Labels(methods []MethodInfo) map[string]string {
	labels := map[string]string{}
	for _, m := range slices.Backward(methods) {
		if m.Label != "" {
			labels[m.Method] = m.Label
		}
	}
	return labels
}

// Targets returns the methods that see unlabelled rows of the domain that they are tested on, in
// some experiment.
func Targets(methods []MethodInfo) []string {
	of := lists.Where(methods, func(m MethodInfo) bool { return !m.Ranked() })
	return lists.Distinct(of, func(m MethodInfo) string { return m.Method })
}
