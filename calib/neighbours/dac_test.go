package neighbours

import (
	"math"
	"slices"
	"testing"

	"github.com/qats-bench/qats/calib"
	"github.com/qats-bench/qats/calib/calibtest"
	"github.com/qats-bench/qats/calib/internal/testset"
	"github.com/qats-bench/qats/data"
)

// densitySet returns 300 rows of 4 logits and 6 features that can be computed in any
// language. The rows of even numbers lie close together and are mostly right:
//
//	z[i,j] = ((37*i + 1013*j + 131*i*j + 17*i*i*(j+1)) % 8191) / 512 - 8
//	h[i,j] = ((53*i + 911*j + 97*i*j + 13*i*i*(j+2)) % 8179) / 1024 - 4; h[::2] = 1 + h[::2]/3
//	order = np.argsort(-z[i], kind="stable"); gap = z[i,order[0]] - z[i,order[1]]
//	y[i] = order[0] if (29*i) % 100 < (95 if i % 2 == 0 else 55) + 2*gap else order[1 if i % 3 else 3]
func densitySet() *data.Set {
	const n, k, d = 300, 4, 6
	set := &data.Set{Logits: data.NewMatrix(n, k), Features: data.NewMatrix(n, d), Labels: make([]int32, n)}
	for i := range n {
		row, order := set.Logits.Row(i), []int32{0, 1, 2, 3}
		for j := range row {
			row[j] = float32((37*i+1013*j+131*i*j+17*i*i*(j+1))%8191)/512 - 8
		}
		slices.SortStableFunc(order, func(a, b int32) int {
			if row[a] > row[b] {
				return -1
			}
			return 1
		})
		for j := range set.Features.Row(i) {
			h := float32((53*i+911*j+97*i*j+13*i*i*(j+2))%8179)/1024 - 4
			if i%2 == 0 {
				h = 1 + h/3
			}
			set.Features.Row(i)[j] = h
		}
		gap, right := float64(row[order[0]])-float64(row[order[1]]), 55.0
		if i%2 == 0 {
			right = 95
		}
		switch {
		case float64((29*i)%100) < right+2*gap:
			set.Labels[i] = order[0]
		case i%3 != 0:
			set.Labels[i] = order[1]
		default:
			set.Labels[i] = order[k-1]
		}
	}
	return set
}

// The code of futakw/DensityAwareCalibration in Python 3.11 with numpy 1.24.2 and scipy
// 1.10.1, its search by faiss replaced by brute force in numpy: KNNScorer(top_k=K+1,
// return_dist_arr=True) on the features of rows 0 to 291, element K of the distances of
// these rows (0 is the row itself) and element K-1 for the others; DAC().ll_lf minimised
// on rows 0 to 291 by scipy's Nelder-Mead (xatol 1e-10, fatol 1e-14), calibrate on the
// others. The search was in float64. DAC().optimize, L-BFGS-B with numerical
// gradients, stops far from the minimum here: K = 1 gives w = 2.17 and an NLL of 0.848,
// where the minimum is 0.798 at w = 54.7.
func TestDACIsThatOfItsAuthors(t *testing.T) {
	set := densitySet()
	cal, test := set.Rows(0, 292), set.Rows(292, 300)
	for _, c := range []struct {
		k      int
		w, w0  float64
		scores []float64
		probs  []float64 // rows 292 and 293
	}{
		{
			1, 54.69531507601067, 1.2229915650979895,
			[]float64{0.04385213567756848, 0.00019169356574000318, 0.00013700230736812813},
			[]float64{0.07120463445033888, 0.024096722286538953, 0.675947734502091, 0.22875090876103119, 0.3276725339973741, 0.26925779204721634, 0.22125674585445412, 0.18181292810095528},
		},
		{
			3, 9.640571526719494, 1.3060886402756227,
			[]float64{0.31237954584371647, 0.0010641209527593176, 0.0028936323960104815},
			[]float64{0.09373122699121474, 0.03777449826464106, 0.6190227372096023, 0.24947153753454185, 0.3225898841208337, 0.26837823713755354, 0.2232769274999384, 0.1857549512416743},
		},
	} {
		m := calibtest.Map(t, DAC{Neighbours: &c.k}, cal).(dacMap)
		if !(math.Abs(m.Slope-c.w) <= 1e-6*c.w) || !(math.Abs(m.Offset-c.w0) <= 1e-6) {
			t.Errorf("K = %d: w = %v, w0 = %v; want %v and %v", c.k, m.Slope, m.Offset, c.w, c.w0)
		}
		scores, q := make([]float64, 8), data.NewProbs(8, 4)
		m.Nearest(test.Features, m.Neighbours, func(i int, near []float64) { scores[i] = furthest(near) })
		if !testset.Near(scores[:3], c.scores, 1e-7) {
			t.Errorf("K = %d: distances %v, want %v", c.k, scores[:3], c.scores)
		}
		calib.Apply(m, q, test)
		if !testset.Near(q.Data[:8], c.probs, 1e-6) {
			t.Errorf("K = %d: probabilities %v, want %v", c.k, q.Data[:8], c.probs)
		}
	}
}

// A bank of fewer rows is a random choice that does not depend on their order.
func TestBankDoesNotDependOnTheOrder(t *testing.T) {
	set := densitySet()
	back := &data.Set{Logits: data.NewMatrix(300, 4), Features: data.NewMatrix(300, 6), Labels: make([]int32, 300)}
	for i := range 300 {
		copy(back.Logits.Row(299-i), set.Logits.Row(i))
		copy(back.Features.Row(299-i), set.Features.Row(i))
		back.Labels[299-i] = set.Labels[i]
	}
	a, b := calibtest.Map(t, DAC{Bank: 40}, set).(dacMap), calibtest.Map(t, DAC{Bank: 40}, back).(dacMap)
	if a.Rows != 40 || !slices.Equal(a.Unit, b.Unit) || !(math.Abs(a.Slope-b.Slope) <= 1e-9) {
		t.Errorf("banks of %d and %d rows, w = %v and %v", a.Rows, b.Rows, a.Slope, b.Slope)
	}
}

// The fit has the distances of the map on its own rows without a second search, with the
// same bits, also if K is larger than the bank.
func TestDACKnowsTheDistancesOfItsMap(t *testing.T) {
	set := densitySet()
	copy(set.Features.Row(7), set.Features.Row(3))
	for _, bank := range []int{20, 300} {
		for _, k := range []int{1, 2, 5, 400} {
			m, own := newDACMap(calib.Input{Cal: set}, DAC{Neighbours: &k, Bank: bank})
			m.Prepare()
			_, all, err := ownValues(t.Context(), &m.featureBank, set.Features, own, m.Neighbours, furthest)
			want := make([]float64, len(all))
			m.Nearest(set.Features, m.Neighbours, func(i int, near []float64) { want[i] = furthest(near) })
			if err != nil || !slices.Equal(all, want) {
				t.Errorf("K = %d, a bank of %d rows: %v, want %v (%v)", k, bank, all, want, err)
			}
		}
	}
}

// A distance is 0 if no row of the bank but the row itself is near.
func TestDACOfASingleRowHasNoDistance(t *testing.T) {
	set := densitySet()
	for name, c := range map[string]struct{ rows, bank int }{"one row": {1, 10}, "a bank of one row": {2, 1}} {
		in := calib.Input{Cal: set.Rows(0, c.rows)}
		m, own := newDACMap(in, DAC{Bank: c.bank})
		m.Prepare()
		s, _, err := ownValues(t.Context(), &m.featureBank, in.Cal.Features, own, m.Neighbours, furthest)
		if err != nil || slices.Min(s) != 0 || (slices.Max(s) > 0) != (c.rows == 2) {
			t.Errorf("%s: distances %v (%v)", name, s, err)
		}
	}
}

// K is the number of bank rows in thousands, rounded, at least 1; a bank of all rows keeps
// their order.
func TestDACNeighboursAreAThousandthOfTheBank(t *testing.T) {
	for n, want := range map[int]int{1: 1, 499: 1, 1499: 1, 1500: 2, 2499: 2, 2500: 3} {
		h := data.NewMatrix(n, 1)
		for i := range h.Data {
			h.Data[i] = float32(i + 1)
		}
		m, own := newDACMap(calib.Input{Cal: &data.Set{Features: h, Logits: data.NewMatrix(n, 2)}}, DAC{Bank: n})
		if m.Neighbours != want || m.Rows != n {
			t.Errorf("%d rows: K = %d of %d rows, want %d", n, m.Neighbours, m.Rows, want)
		}
		for i, at := range own {
			if at != i {
				t.Fatalf("%d rows: row %d is number %d of the bank", n, i, at)
			}
		}
	}
}

// The bound w >= 0 is reported if distances say nothing, and then alone.
func TestDACReportsItsBound(t *testing.T) {
	set := densitySet()
	if f := calibtest.Fit(t, DACEntry, set, nil); len(f.Report.AtBound) > 0 || !(f.Map.(dacMap).Slope > 0) {
		t.Errorf("%+v", f.Report)
	}
	for i := range set.Features.Data {
		set.Features.Data[i] = 1
	}
	if f := calibtest.Fit(t, DACEntry, set, nil); f.Report.AtBound.String() != "w >= 0" {
		t.Errorf("equal features: %+v", f.Report)
	}
}
