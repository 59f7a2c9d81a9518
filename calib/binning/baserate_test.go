package binning

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/qats-bench/qats/calib"
	"github.com/qats-bench/qats/calib/calibtest"
	"github.com/qats-bench/qats/calib/internal/fit"
	"github.com/qats-bench/qats/calib/internal/testset"
	"github.com/qats-bench/qats/data"
)

// masking returns the set with masked classes in a third of its rows, and in some of these all but the label.
func masking(set *data.Set, seed uint64) *data.Set {
	rng := rand.New(rand.NewPCG(seed, 3))
	m := &data.Set{Logits: data.NewMatrix(set.Logits.Rows, set.Logits.Cols), Labels: set.Labels}
	copy(m.Logits.Data, set.Logits.Data)
	for i := range m.Logits.Rows {
		if i%3 > 0 {
			continue
		}
		alone := rng.IntN(3) == 0
		for j := range m.Logits.Cols {
			if j != int(m.Labels[i]) && (alone || rng.IntN(3) == 0) {
				m.Logits.Row(i)[j] = data.Masked
			}
		}
	}
	return m
}

// counted returns the rows with two classes or more that are not masked, and the right ones among them, by the definition.
func counted(set *data.Set) (right, n int64) {
	for i, y := range set.Labels {
		top, open := 0, 0
		for j, l := range set.Logits.Row(i) {
			if l != data.Masked {
				open++
			}
			if l > set.Logits.Row(i)[top] {
				top = j
			}
		}
		if open < 2 {
			continue
		}
		if n++; top == int(y) {
			right++
		}
	}
	return right, n
}

// Every probability is that of the closed form, in fractions.
func TestBaseRateIsTheClosedForm(t *testing.T) {
	for seed, c := range []struct {
		n, k        int
		temperature float64
		wrong       bool // every row
	}{{60, 5, 3, false}, {200, 4, 2, false}, {1, 3, 1, false}, {300, 2, 1, false}, {40, 10, .01, false}, {40, 5, 1, true}} {
		for _, masks := range []bool{false, true} {
			cal, test := testset.Drawn(c.n, c.k, c.temperature, uint64(seed)), testset.Drawn(30, c.k, c.temperature, uint64(seed)+100)
			for i := range cal.Labels {
				if c.wrong {
					cal.Labels[i] = int32((fit.TopClass(cal.Logits.Row(i)) + 1) % c.k)
				}
			}
			if masks {
				cal, test = masking(cal, 1), masking(test, 2)
			}
			right, n := counted(cal)
			rate := big.NewRat(right+1, n+2)
			f := calibtest.Fit(t, BaseRateEntry, cal, nil)
			q := calibtest.Apply(f.Map, test.Logits)
			_, conf := calibtest.TopLabels(calibtest.Fit(t, BaseRateTopEntry, cal, nil).Map.(calib.TopLabel), test)
			for i := range q.Rows {
				row := test.Logits.Row(i)
				open := int64(0)
				for _, l := range row {
					if l != data.Masked {
						open++
					}
				}
				top, other := big.NewRat(1, 1), new(big.Rat)
				if open > 1 {
					top.SetFrac64(1<<20+1, open<<20) // (1 + 2^-20)/k
					if rate.Cmp(top) > 0 {
						top.Set(rate)
					}
					other.Quo(other.Sub(big.NewRat(1, 1), top), big.NewRat(open-1, 1))
				}
				for j, p := range q.Row(i) {
					want, _ := other.Float64()
					switch {
					case j == fit.TopClass(row):
						want, _ = top.Float64()
					case row[j] == data.Masked:
						want = 0
					}
					if !(math.Abs(p-want) <= 1e-15) {
						t.Fatalf("%+v, masks %v, row %d, class %d: %v, want %v", c, masks, i, j, p, want)
					}
				}
				want, _ := rate.Float64()
				if open == 1 {
					want = 1
				}
				if !(math.Abs(conf[i]-want) <= 1e-15) {
					t.Fatalf("%+v, masks %v, row %d: base-rate-top %v, want %v", c, masks, i, conf[i], want)
				}
			}
		}
	}
}

// On ties and for every number of classes the predicted class has the largest probability, alone, also after rounding to
// float32, even if no calibration row is right.
func TestBaseRateKeepsThePredictionInFloat32(t *testing.T) {
	for _, k := range []int{2, 3, 7, 10, 100, 1000, 21843} {
		for _, right := range []int{0, 1, 50} {
			cal := &data.Set{Logits: data.NewMatrix(50, k), Labels: make([]int32, 50)} // equal logits: class 0 is predicted
			for i := right; i < 50; i++ {
				cal.Labels[i] = 1
			}
			row := data.NewMatrix(1, k)
			row.Data[0], row.Data[k-1] = -1, 1
			row.Data[k/2] = 1
			q := calibtest.Apply(calibtest.Fit(t, BaseRateEntry, cal, nil).Map, row).Row(0)
			for j, p := range q {
				if j != k/2 && !(float32(p) < float32(q[k/2])) {
					t.Errorf("%d classes, %d of 50 right: class %d has %v, the prediction %v", k, right, j, p, q[k/2])
					break
				}
			}
		}
	}
}

// Calibration rows with one class that is not masked change nothing, also if there are no others.
func TestBaseRateLeavesCertainRowsOut(t *testing.T) {
	set := testset.Drawn(50, 4, 1, 3)
	more := &data.Set{Logits: data.NewMatrix(80, 4), Labels: make([]int32, 80)}
	copy(more.Logits.Data, set.Logits.Data)
	copy(more.Labels, set.Labels)
	for i := 50; i < 80; i++ {
		copy(more.Logits.Row(i), []float32{data.Masked, data.Masked, 2, data.Masked})
		more.Labels[i] = 2
	}
	for _, e := range []calib.Entry{BaseRateEntry, BaseRateTopEntry} {
		of := func(s *data.Set) float64 { return calibtest.Fit(t, e, s, nil).Parameters()[0].Value }
		if a, b := of(set), of(more); a != b {
			t.Errorf("%s: %v with 30 certain rows, %v without", e.Name, b, a)
		}
		if a := of(more.Rows(50, 80)); a != .5 {
			t.Errorf("%s: %v of certain rows alone, want 1/2", e.Name, a)
		}
	}
}

// Of a confidence alone the rate is that of the rows that are right.
func TestBaseRateOfAConfidenceAlone(t *testing.T) {
	set, err := data.FromConfidences([]float64{.2, .9, .5, 1, 0}, []bool{true, false, false, false, false}, 0)
	if err != nil {
		t.Fatal(err)
	}
	_, conf := calibtest.TopLabels(calibtest.Fit(t, BaseRateTopEntry, set, nil).Map.(calib.TopLabel), set)
	for i, c := range conf {
		if c != 2./7 {
			t.Errorf("row %d: %v, want 2/7", i, c)
		}
	}
}
