package engine

import (
	"errors"
	"fmt"
	"math"
	"reflect"
	"runtime"
	"runtime/debug"
	"testing"
	"weak"

	"github.com/qats-bench/qats/calib"
	"github.com/qats-bench/qats/calib/all"
	"github.com/qats-bench/qats/data"
	"github.com/qats-bench/qats/metrics/scoring"
)

// rows is the number of rows of a set of five blocks.
const (
	rows    = 5 * BlockBytes / (4 * (classes + 1))
	classes = 99
)

func drawn() *data.Set {
	set := &data.Set{Logits: data.NewMatrix(rows, classes), Labels: make([]int32, rows)}
	for i := range rows {
		for j := range classes {
			set.Logits.Row(i)[j] = float32((i*13+j*j*5+i/7)%23) / 8
		}
		set.Labels[i] = int32((i*3 + i/11) % classes)
	}
	return set
}

func column(t *testing.T, name string, cal *data.Set) *Column {
	t.Helper()
	e, ok := all.Lookup(name)
	if !ok {
		t.Fatalf("no method %s", name)
	}
	fitted, err := calib.Fit(t.Context(), e.Method, cal)
	if err != nil {
		t.Fatal(err)
	}
	return &Column{Contract: e.Method.Contract(), Map: fitted.Map}
}

// scores returns the scores of the set under maps of all three kinds, and whole vectors.
func scores(t *testing.T, set *data.Set, o ScoreOptions, names ...string) (list []*scoring.SampleScores) {
	t.Helper()
	cal := set.Rows(0, 300)
	var columns []*Column
	for _, name := range names {
		columns = append(columns, column(t, name, cal))
	}
	if err := Score(t.Context(), data.ReadRows(set), columns, o); err != nil {
		t.Fatal(err)
	}
	for _, c := range columns {
		if c.Err != nil {
			t.Fatal(c.Err)
		}
		list = append(list, c.Samples)
	}
	return list
}

// Scores are those of scoring.AppendProbs of all rows at once, for any number of workers and
// whatever columns are beside a column.
func TestScoresAreThoseOfTheProbabilities(t *testing.T) {
	set := drawn()
	names := []string{"uncal", "ts", "vs", "hb-top"}
	options := func(workers int) ScoreOptions {
		return ScoreOptions{Reads: Reads{Classes: true}, Seed: 3, Workers: workers}
	}
	one, many := scores(t, set, options(1), names...), scores(t, set, options(4), names...)
	if !reflect.DeepEqual(one, many) {
		t.Error("scores depend on the number of workers")
	}
	for i, name := range names {
		if alone := scores(t, set, options(3), name); !reflect.DeepEqual(alone[0], one[i]) {
			t.Errorf("%s: scores depend on the other columns", name)
		}
		if name == "hb-top" {
			if s := one[i]; !s.TopLabel || s.Len() != rows || len(s.NLL) != 0 || s.Vectors != nil || s.Classes != nil {
				t.Errorf("%s: %d rows, %d NLL", name, s.Len(), len(s.NLL))
			}
			continue
		}
		c := column(t, name, set.Rows(0, 300))
		probs := data.NewProbs(rows, classes)
		want := scoring.New(rows)
		if err := errors.Join(c.Probabilities(probs, 0, set), want.AppendProbs(probs, set)); err != nil {
			t.Fatal(err)
		}
		for row, nll := range want.NLL {
			if math.Abs(one[i].NLL[row]-nll) > 1e-13*(1+nll) || one[i].Conf[row] != want.Conf[row] || one[i].Pred[row] != want.Pred[row] {
				t.Fatalf("%s: row %d: NLL %v, want %v", name, row, one[i].NLL[row], nll)
			}
		}
	}
}

// Whole vectors are those of metrics.CrossFit, whether they are kept in the one pass of a column
// or read again for each of several.
func TestWholeVectorsAreTheSameInOneAndInSeveralPasses(t *testing.T) {
	set := drawn().Rows(0, 500)
	options := ScoreOptions{Reads: Reads{Vectors: true}, Seed: 3}
	both := scores(t, set, options, "uncal", "vs", "hb-top")
	for i, name := range []string{"uncal", "vs", "hb-top"} {
		alone := scores(t, set, options, name)[0]
		if !reflect.DeepEqual(alone, both[i]) || (alone.Vectors == nil) != (name == "hb-top") {
			t.Errorf("%s: other vectors beside other columns", name)
		}
	}
}

// broken is a map whose temperature is no number from a row on.
type broken struct{ from float32 }

func (broken) Check() error { return nil }

func (b broken) Scales(dst []float64, set *data.Set, _ *calib.Unscaled) {
	for i := range dst {
		if dst[i] = 1; set.Logits.Row(i)[0] >= b.from {
			dst[i] = math.NaN()
		}
	}
}

// panics is a map that panics.
type panics struct{}

func (panics) Check() error                      { return nil }
func (panics) Apply(dst data.Probs, _ *data.Set) { panic(fmt.Sprint(dst.Rows)) }

// A column that fails has the error of its first bad row, for any number of workers, and the
// others have their scores.
func TestAColumnFailsAlone(t *testing.T) {
	set := drawn()
	const bad = rows/2 + 5
	for i := range rows { // the first logit is the number of the row
		set.Logits.Row(i)[0] = float32(i) / rows
	}
	want := scores(t, set, ScoreOptions{}, "ts")[0]
	for _, workers := range []int{1, 4} {
		contract := calib.Contract{Test: data.Logits}
		columns := []*Column{{Contract: contract, Map: broken{float32(bad) / rows}}, column(t, "ts", set.Rows(0, 300)), {Contract: contract, Map: panics{}},
			{Contract: contract, Err: errors.New("before")}}
		if err := Score(t.Context(), data.ReadRows(set), columns, ScoreOptions{Workers: workers}); err != nil {
			t.Fatal(err)
		}
		if got, want := fmt.Sprint(columns[0].Err), fmt.Sprintf("row %d: the temperature is NaN", bad); got != want {
			t.Errorf("%d workers: %s, want %s", workers, got, want)
		}
		if !reflect.DeepEqual(columns[1].Samples, want) {
			t.Errorf("%d workers: other scores beside columns that fail", workers)
		}
		if fmt.Sprint(columns[2].Err) == "<nil>" || columns[3].Samples != nil {
			t.Errorf("%v, %v", columns[2].Err, columns[3].Samples)
		}
	}
}

// Log-probabilities are found when all rows are read, and a method that needs true logits is left out.
func TestLogProbabilitiesDoNotSuitAMethodOfTrueLogits(t *testing.T) {
	set := drawn()
	for i := range rows {
		row, sum := set.Logits.Row(i), 0.0
		for _, l := range row {
			sum += math.Exp(float64(l))
		}
		for j := range row {
			row[j] -= float32(math.Log(sum))
		}
	}
	for _, last := range []bool{false, true} {
		if last {
			set.Logits.Row(rows - 1)[0] += 3
		}
		c := column(t, "uncal", set)
		c.Contract.TrueLogits = true
		other := column(t, "uncal", set)
		if err := Score(t.Context(), data.ReadRows(set), []*Column{c, other}, ScoreOptions{Workers: 2}); err != nil {
			t.Fatal(err)
		}
		var unsuited *Unsuited
		if found := errors.As(c.Err, &unsuited) && unsuited.Why == NeedsTrueLogits; found == last || other.Err != nil {
			t.Errorf("with an offset in the last row %v: %v and %v", last, c.Err, other.Err)
		}
	}
}

func TestSuits(t *testing.T) {
	masked := calib.ErrMasked.Error()
	for _, c := range []struct {
		form     Form
		contract calib.Contract
		want     string
	}{
		{Form{}, calib.Contract{TrueLogits: true}, ""},
		{Form{OffsetLost: true, Masked: true}, calib.Contract{TrueLogits: true}, OffsetLost},
		{Form{OffsetLost: true, LogProbs: true, Masked: true}, calib.Contract{TrueLogits: true}, NeedsTrueLogits},
		{Form{OffsetLost: true, LogProbs: true, Masked: true}, calib.Contract{}, masked},
		{Form{OffsetLost: true, LogProbs: true, Masked: true}, calib.Contract{Masked: true}, ""},
	} {
		got := ""
		if err := c.form.Suits(c.contract); err != nil {
			got = err.Error()
		}
		if got != c.want {
			t.Errorf("%+v, %+v: %q, want %q", c.form, c.contract, got, c.want)
		}
	}
}

// The first collection after a pass frees what the pass alone has used, such as the tallies of the
// classes, which are as large as the scores. Otherwise they would stand beside the next step.
func TestNothingOfAPassIsKept(t *testing.T) {
	set := drawn()
	defer debug.SetGCPercent(debug.SetGCPercent(-1)) // only one collection
	var kept weak.Pointer[Column]
	func() {
		c := column(t, "ts", set.Rows(0, 300))
		if err := Score(t.Context(), data.ReadRows(set), []*Column{c}, ScoreOptions{Reads: Reads{Classes: true}}); err != nil || c.Err != nil {
			t.Fatal(err, c.Err)
		}
		kept = weak.Make(c)
	}()
	runtime.GC()
	if kept.Value() != nil {
		t.Error("the column is still in memory")
	}
}
