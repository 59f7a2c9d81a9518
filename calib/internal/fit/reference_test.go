package fit

import (
	"context"
	"math"
	"reflect"
	"testing"

	"github.com/qats-bench/qats/calib/internal/testset"
	"github.com/qats-bench/qats/data"
	"github.com/qats-bench/qats/internal/kernel/softmax"
)

// A refined reference gives the minimum of the rows in the middle of the blocks,
// fitted alone, and their curve near it. A stream gives the same bits as rows in
// memory.
func TestRefinedReferenceIsTheCurveOfTheSample(t *testing.T) {
	ctx := context.Background()
	const n, k = 30000, 5
	set := testset.Simulated(n, k, 3, 1.6, 1)
	var rows []int
	for block := range n / 256 {
		for r := range 8 {
			rows = append(rows, 256*block+124+r)
		}
	}
	middle := Pick(set, rows)
	want := -softmax.Log(setTemperature(t, middle))

	var refs [2]reference
	var us, passes [2]float64
	for i, open := range []func() (*Objective, error){
		func() (*Objective, error) { return NewObjective(set) },
		func() (*Objective, error) { return NewStreamed(testset.StreamOf(set)) },
	} {
		o, err := open()
		if err != nil {
			t.Fatal(err)
		}
		first, u, err := newReference(ctx, o)
		if err != nil || math.Abs(u-want) < 1e-4 {
			t.Fatalf("the first reference leads to %v, the rows to %v (%v)", u, want, err)
		}
		if refs[i], us[i], err = first.refined(ctx, o, u); err != nil {
			t.Fatal(err)
		}
		passes[i] = o.Passes
	}
	if !reflect.DeepEqual(refs[0], refs[1]) || us[0] != us[1] || passes[0] != passes[1] {
		t.Errorf("u = %v in memory, %v streamed; passes %v and %v", us[0], us[1], passes[0], passes[1])
	}
	if !(math.Abs(us[0]-want) <= 1e-7) {
		t.Errorf("u = %v, the minimum is at %v", us[0], want)
	}
	o, err := NewObjective(middle)
	if err != nil {
		t.Fatal(err)
	}
	for _, off := range []float64{0, -1e-3, 1e-3} {
		s, err := o.Slope(ctx, softmax.Exp(want+off))
		if err != nil {
			t.Fatal(err)
		}
		node, _ := s.node(want + off)
		if rest := refs[0].less(node); !(math.Abs(rest.u) <= 1e-8) || !(math.Abs(rest.du) <= 1e-4) {
			t.Errorf("%g from the minimum the reference is off by %.1e, its slope by %.1e", off, rest.u, rest.du)
		}
	}
}

// The error of a label that is not a class names its row in the set.
func TestThinnedRowsNameTheirPlace(t *testing.T) {
	ctx := context.Background()
	o, err := NewStreamed(testset.Broken{Stream: testset.StreamOf(testset.Simulated(20000, 4, 3, 1.6, 2)), Bad: 5000, Label: 4})
	if err != nil {
		t.Fatal(err)
	}
	_, _, err = reference{}.refined(ctx, o, firstU)
	if err == nil || err.Error() != "row 5244: label 4 is outside 0..3" { // 20 x 256 + 124
		t.Error(err)
	}
}

// If the rows in the middle of the blocks contradict the others, the result is
// unchanged.
func TestMisleadingSampleChangesNoResult(t *testing.T) {
	ctx := context.Background()
	set := testset.Simulated(20000, 4, 3, 1.6, 2)
	for i := range set.Labels {
		if i%256/8 == 124/8 || i%256/8 == 131/8 {
			set.Labels[i] = int32(i % 4)
		}
	}
	o, err := NewObjective(set)
	if err != nil {
		t.Fatal(err)
	}
	ref, u, err := newReference(ctx, o)
	if err != nil {
		t.Fatal(err)
	}
	if same, at, err := ref.refined(ctx, o, u); err != nil || at != u || !reflect.DeepEqual(same, ref) {
		t.Errorf("from u = %v to %v (%v)", u, at, err)
	}
}

// manyRows is a stream of rows of two classes, computed when they are read. The gap
// between the logits is from a table. The labels are drawn from the softmax at
// T = 1.7.
type manyRows struct {
	gap   [1024]float32
	right [1024]uint32
}

func newManyRows() *manyRows {
	s := &manyRows{}
	for i := range s.gap {
		s.gap[i] = 12 * float32(i) / 1024
		s.right[i] = uint32(math.MaxUint32 / (1 + math.Exp(-float64(s.gap[i])/1.7)))
	}
	return s
}

func (s *manyRows) Rows() int    { return thinFrom }
func (s *manyRows) Classes() int { return 2 }

func (s *manyRows) Read(_ context.Context, lo, hi int, logits []float32, labels []int32) error {
	for i := range hi - lo {
		h := uint64(lo+i+1) * 0x9e3779b97f4a7c15 // SplitMix64
		h = (h ^ h>>30) * 0xbf58476d1ce4e5b9
		h = (h ^ h>>27) * 0x94d049bb133111eb
		h ^= h >> 31
		row := h % 1024
		logits[2*i], logits[2*i+1], labels[i] = 0, s.gap[row], 0
		if uint32(h>>32) < s.right[row] {
			labels[i] = 1
		}
	}
	return nil
}

// On millions of rows the second whole pass is the last, even if T still changes. T,
// the NLL and the gradient are those of one more pass. The T of 2^23 rows differs from
// that of the labels by some 1e-3.
func TestMillionsOfRowsNeedTwoPasses(t *testing.T) {
	rows := newManyRows()
	o, err := NewStreamed(rows)
	if err != nil {
		t.Fatal(err)
	}
	got, r, err := Temperature(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	if r.Iterations != 2 || r.Passes < 2+2./32 || r.Passes > 2.1 || len(r.Warnings) > 0 { // two passes over one row in 32 refine the reference
		t.Errorf("%+v", r)
	}
	if !(math.Abs(got/1.7-1) <= 2e-3) {
		t.Errorf("T = %v, want 1.7", got)
	}
	s, err := o.Slope(context.Background(), 1/got)
	if err != nil {
		t.Fatal(err)
	}
	node, target := s.node(-softmax.Log(got))
	if step := node.du * (target - node.y); !(math.Abs(step) <= 1e-10) {
		t.Errorf("T is %.1e from the minimum", step)
	}
	if !(math.Abs(s.NLL-r.NLL) <= 1e-14) || !(math.Abs(s.LabelGap-s.MeanGap) <= 1e-10) || r.Gradient > 1e-10 {
		t.Errorf("NLL %v, gradient %.1e; reported %v and %.1e", s.NLL, s.LabelGap-s.MeanGap, r.NLL, r.Gradient)
	}
}

// setTemperature returns the fitted temperature of a set.
func setTemperature(t *testing.T, set *data.Set) float64 {
	t.Helper()
	o, err := NewObjective(set)
	if err != nil {
		t.Fatal(err)
	}
	temperature, _, err := Temperature(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	return temperature
}

// Sets of 512 rows and more have a reference. It starts at the minimum of the sample,
// which is every sixteenth row, and stops to look for it as soon as it is near.
func TestReferenceStartsAtTheMinimumOfTheSample(t *testing.T) {
	ctx := context.Background()
	for _, temperature := range []float64{0.3, 1.6, 5} {
		set := testset.Simulated(4000, 5, 3*temperature, temperature, 4)
		o := objective(t, set)
		ref, u, err := newReference(ctx, o)
		if err != nil || ref == nil {
			t.Fatal(ref, err)
		}
		sample, err := o.sample(ctx, 4000/16)
		if err != nil {
			t.Fatal(err)
		}
		want := -softmax.Log(setTemperature(t, &data.Set{Logits: sample.Logits, Labels: pickLabels(set, 250)}))
		if !(math.Abs(u-want) <= 1e-3) || o.Passes < 4./16 || o.Passes > 8./16 { // three passes show the curve
			t.Errorf("T = %g: u = %v, the sample has %v; %v passes", temperature, u, want, o.Passes)
		}
	}
	for rows, want := range map[int]bool{511: false, 512: true} {
		if ref, _, err := newReference(ctx, objective(t, testset.Simulated(rows, 3, 3, 1.5, 1))); err != nil || (ref != nil) != want {
			t.Errorf("%d rows: reference %v (%v)", rows, ref, err)
		}
	}
}

// pickLabels returns the labels of m evenly spaced rows, from the middle of each part.
func pickLabels(set *data.Set, m int) []int32 {
	labels := make([]int32, m)
	for i := range m {
		labels[i] = set.Labels[(2*i+1)*set.Logits.Rows/(2*m)]
	}
	return labels
}

// The NLL after a step without a pass is that of a pass there, up to the third power
// of the step.
func TestSteppedEstimatesTheNLL(t *testing.T) {
	ctx := context.Background()
	set := testset.Simulated(2000, 5, 3, 1.6, 7)
	o := objective(t, set)
	const step = 0.01
	u := -softmax.Log(setTemperature(t, set)) - step
	s, err := o.Slope(ctx, softmax.Exp(u))
	if err != nil {
		t.Fatal(err)
	}
	f := s.stepped(u, step)
	if nll, err := o.NLL(ctx, f.t); err != nil || !(math.Abs(nll-f.report.NLL) <= step*step*step) || !(math.Abs(f.t*f.beta-1) <= 1e-15) {
		t.Errorf("NLL %v, estimated %v (%v)", nll, f.report.NLL, err)
	}
}

// Thinned rows are the same if they are read in other pieces.
func TestThinnedRowsInPieces(t *testing.T) {
	const n, k = 2000, 3
	set := testset.Simulated(n, k, 3, 1.6, 8)
	thin := thinned{objective(t, set)}
	rows := thin.Rows()
	for _, o := range []*Objective{thin.o, {Logits: set.Logits, stream: testset.StreamOf(set)}} {
		for _, piece := range []int{1, 3, 8, 11, rows} {
			logits, labels := make([]float32, rows*k), make([]int32, rows)
			for lo := 0; lo < rows; lo += piece {
				hi := min(lo+piece, rows)
				if err := (thinned{o}).Read(context.Background(), lo, hi, logits[lo*k:hi*k], labels[lo:hi]); err != nil {
					t.Fatal(err)
				}
			}
			for i := range rows {
				from := i/8*256 + 124 + i%8
				if labels[i] != set.Labels[from] || logits[i*k] != set.Logits.Row(from)[0] {
					t.Fatalf("in pieces of %d: row %d is not row %d of the set", piece, i, from)
				}
			}
		}
	}
}
