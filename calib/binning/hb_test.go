package binning

import (
	"bytes"
	"math"
	"testing"

	"github.com/qats-bench/qats/calib"
	"github.com/qats-bench/qats/calib/calibtest"
	"github.com/qats-bench/qats/calib/internal/fit"
	"github.com/qats-bench/qats/calib/internal/testset"
	"github.com/qats-bench/qats/calib/onevsrest"
	"github.com/qats-bench/qats/data"
	"github.com/qats-bench/qats/internal/kernel/softmax"
	"github.com/qats-bench/qats/internal/stretch"
)

// A single bin has the shares of the classes, and of the right predictions.
func TestHBOfOneBinHasTheShares(t *testing.T) {
	set := testset.Drawn(200, 4, 2, 1)
	share, accuracy := make([]float64, 4), 0.0
	for i, y := range set.Labels {
		share[y] += 1. / 200
		if fit.TopClass(set.Logits.Row(i)) == int(y) {
			accuracy += 1. / 200
		}
	}
	q := calibtest.Apply(calibtest.Fit(t, HBEntry, set, map[string]any{"bins": 1}).Map, set.Logits)
	top := calibtest.Apply(calibtest.Fit(t, HBTopEntry, set, map[string]any{"bins": 1}).Map, set.Logits)
	for i := range q.Rows {
		if !testset.Near(q.Row(i), share, 1e-14) {
			t.Fatalf("row %d: %v, want %v", i, q.Row(i), share)
		}
		if got := top.Row(i)[fit.TopClass(set.Logits.Row(i))]; !(math.Abs(got-accuracy) <= 1e-14) {
			t.Fatalf("row %d: confidence %v, want %v", i, got, accuracy)
		}
	}
}

// Two classes whose probabilities are in known bins. One is on an edge, which belongs
// to the bin below.
func TestHBIsTheShareOfEachBin(t *testing.T) {
	at := func(p float64) []float32 { return []float32{float32(math.Log(p / (1 - p))), 0} }
	set := &data.Set{
		Logits: testset.Rows([][]float32{{0, 0}, {0, 0}, at(0.3), at(0.9), at(0.9), at(0.9), at(0.9)}),
		Labels: []int32{0, 1, 1, 0, 0, 0, 1},
	}
	// Four bins. Class 0: rows at 0.5, 0.5, 0.3 in the second: 1/3; at 0.9 in the last: 3/4.
	// Class 1: at 0.1 in the first: 1/4; 0.5, 0.5 in the second: 1/2; 0.7 in the third: 1.
	m := calib.Unmixed(calibtest.Fit(t, HBEntry, set, map[string]any{"bins": 4}).Map).(hbMap)
	if want := []float64{0.125, 1. / 3, 0.625, 0.75}; !testset.Near(m.Classes[0], want, 0) {
		t.Errorf("class 0: %v, want %v", m.Classes[0], want)
	}
	if want := []float64{0.25, 0.5, 1, 0.875}; !testset.Near(m.Classes[1], want, 0) {
		t.Errorf("class 1: %v, want %v", m.Classes[1], want)
	}
	q := calibtest.Apply(m, testset.Rows([][]float32{at(0.9)})).Row(0)
	if !testset.Near(q, []float64{0.75, 0.25}, 1e-15) {
		t.Errorf("%v, want 0.75, 0.25", q)
	}
	// Top label: 0.5, 0.5 in the second: 1/2; 0.7 in the third: 1; 0.9 in the last: 3/4.
	top := calib.Unmixed(calibtest.Fit(t, HBTopEntry, set, map[string]any{"bins": 4}).Map).(hbTopMap)
	if want := []float64{0.125, 0.5, 1, 0.75}; !testset.Near(top.Bins, want, 0) {
		t.Errorf("top: %v, want %v", top.Bins, want)
	}
}

func TestHBRowOfZerosIsUniform(t *testing.T) {
	m := hbMap{onevsrest.PerClass[histogram]{Classes: []histogram{{0, 1}, {0, 1}, {0, 1}}}}
	q := calibtest.Apply(m, data.NewMatrix(1, 3)).Row(0)
	if !testset.Near(q, []float64{1. / 3, 1. / 3, 1. / 3}, 1e-16) {
		t.Errorf("%v, want thirds", q)
	}
}

// In each bin of the old confidence, the sum of the new confidences, without their mass, is the number of
// right predictions.
func TestHBTopIsCalibratedOnItsRows(t *testing.T) {
	set := testset.Drawn(3000, 5, 3, 8)
	q := calibtest.Apply(calib.Unmixed(calibtest.Fit(t, HBTopEntry, set, nil).Map), set.Logits)
	p := calibtest.Softmax(t, set.Logits)
	var gap [15]float64
	for i, y := range set.Labels {
		top := fit.TopClass(set.Logits.Row(i))
		b := softmax.Bin(p.Row(i)[top], 15)
		gap[b] += q.Row(i)[top]
		if int(y) == top {
			gap[b]--
		}
	}
	for b, v := range gap {
		if !(math.Abs(v) <= 1e-9) {
			t.Errorf("bin %d: confidences and hits differ by %v", b, v)
		}
	}
}

// Bins of equal numbers of rows, counted by hand: 0.1 0.2 | 0.3 0.4, and equal scores
// stay together even if a bin becomes larger.
func TestHBMassCutsBetweenScores(t *testing.T) {
	hit := []bool{false, true, true, true}
	tie := stretch.Logits.End(0.5)
	h := newMassHistogram([]float64{0.1, 0.4, 0.2, 0.3}, hit, 2)
	if !testset.Near(h.Edges, []float64{0.25}, 1e-15) || !testset.Near(h.Values, []float64{0.5, 1}, 0) {
		t.Errorf("edges %v, values %v", h.Edges, h.Values)
	}
	ties := []float64{0.5, 0.5, 0.5, stretch.Of(0.7, 0.3)}
	h = newMassHistogram(ties, hit, 2)
	if !testset.Near(h.Edges, []float64{tie}, 0) || !testset.Near(h.Values, []float64{2. / 3, 1}, 1e-15) {
		t.Errorf("ties: edges %v, values %v", h.Edges, h.Values)
	}
	h = newMassHistogram(ties, hit, 4) // no score between the tie and 0.6
	if !testset.Near(h.Edges, []float64{tie, stretch.Of(0.6, 0.4)}, 1e-15) || !testset.Near(h.Values, []float64{2. / 3, (stretch.Prob(tie) + 0.6) / 2, 1}, 1e-15) {
		t.Errorf("empty bin: edges %v, values %v", h.Edges, h.Values)
	}
}

// Numbers get the value of the bin in which edgesBelow puts them: for any number of edges, on
// an edge, beside it and far from all.
func TestNumbersGetTheValueOfTheirBin(t *testing.T) {
	for n := range 40 {
		edges, values := make([]float64, n), []float64{-1}
		x := []float64{0, 5e-324, 1, math.Inf(1)}
		for b := range edges {
			edges[b] = math.Pow(2, float64(3*(b-n)))
			values = append(values, float64(b))
			x = append(x, edges[b], math.Nextafter(edges[b], 0), math.Nextafter(edges[b], 1))
		}
		h := massHistogram{edges, values}
		for _, v := range x {
			below := 0
			for _, e := range edges {
				if e < v {
					below++
				}
			}
			if got := h.At(v); got != values[below] || edgesBelow(edges, v) != below {
				t.Errorf("%d edges: the value of %v is %v, want %v", n, v, got, values[below])
			}
		}
	}
}

// In each bin of a class, the sum of the values is the number of its rows.
func TestHBMassIsCalibratedOnItsRows(t *testing.T) {
	set := testset.Drawn(1003, 4, 3, 8)
	m := calib.Unmixed(calibtest.Fit(t, HBMassEntry, set, nil).Map).(hbMassMap)
	for j, h := range m.Classes {
		rows, sum := make([]int, len(h.Values)), make([]float64, len(h.Values))
		for i, y := range set.Labels {
			p := softmax.Probs(make([]float64, 4), set.Logits.Row(i), 1)[j]
			b := edgesBelow(h.Edges, stretch.Of(p, 1-p))
			rows[b]++
			if int(y) == j {
				sum[b]++
			}
		}
		for b, v := range h.Values {
			if rows[b] != 100 && rows[b] != 101 || !(math.Abs(v*float64(rows[b])-sum[b]) <= 1e-9) {
				t.Errorf("class %d, bin %d: %d rows, value %v, %v hits", j, b, rows[b], v, sum[b])
			}
		}
	}
}

// With two classes BBQ is the binary method: bins of the two classes are mirrored.
func TestBBQOfTwoClassesIsOneBinaryProblem(t *testing.T) {
	set := testset.Drawn(600, 2, 2, 3)
	m := calib.Unmixed(calibtest.Fit(t, BBQEntry, set, nil).Map).(bbqMap)
	for x := 0.0005; x < 1; x += 0.001 { // on no edge
		if sum := m.Classes[0].At(x) + m.Classes[1].At(1-x); math.Abs(sum-1) > 1e-12 {
			t.Errorf("p = %v and %v: the new probabilities sum to %v", x, 1-x, sum)
		}
	}
}

// BBQ gives a class without calibration rows a probability of nearly 0 where it has
// many rows.
func TestBBQOfAnAbsentClass(t *testing.T) {
	set := testset.Drawn(500, 4, 2, 5)
	for i, y := range set.Labels {
		if y == 2 {
			set.Labels[i] = 1
		}
	}
	m := calib.Unmixed(calibtest.Fit(t, BBQEntry, set, nil).Map).(bbqMap)
	if v := m.Classes[2].At(0.001); v > 1e-12 {
		t.Errorf("value %v, want 0", v)
	}
}

// Of probabilities on both sides of an edge of 182 bins, one number of bins separates the
// outcomes. The posteriors of the others underflow; they are left out, and the model loads.
func TestBBQOfSeparatedOutcomesLoads(t *testing.T) {
	set := &data.Set{Logits: data.NewMatrix(6000, 2), Labels: make([]int32, 6000)}
	edge := math.Log(93. / 89) // p = 93/182
	for i := range set.Labels {
		set.Labels[i] = int32(i % 2)
		set.Logits.Row(i)[1] = float32(edge + 1e-6*float64(2*(i%2)-1))
	}
	f := calibtest.Fit(t, BBQEntry, set, nil)
	var text bytes.Buffer
	model := &calib.Model{Method: "bbq", Version: BBQEntry.Version, Classes: 2, Fitted: *f}
	if err := model.Save(&text); err != nil {
		t.Fatal(err)
	}
	if _, err := calib.LoadModel(&text, []calib.Entry{BBQEntry}); err != nil {
		t.Fatal(err)
	}
	for i, y := range set.Labels[:2] {
		if q := calibtest.Apply(f.Map, set.Logits.Slice(i, i+1)).Row(0); !(math.Abs(1-q[y]-1./(2*6002)) <= 1e-15) {
			t.Errorf("row %d of class %d: %v, want 1 less half the mass", i, y, q)
		}
	}
}

// A prepared map shares no memory with the one it is made of.
func TestPreparedBBQIsACopy(t *testing.T) {
	m := bbqMap{PerClass: onevsrest.PerClass[averagedHistogram]{Classes: []averagedHistogram{{Weights: []float64{1}, Histograms: [][]float64{{.25, .5}}}}}}
	m.Prepared()
	if m.Classes[0].At(0) != 0 { // the value of the first bin where it is prepared
		t.Error("the map itself was prepared")
	}
}
