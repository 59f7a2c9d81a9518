package temperature

import (
	"context"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/qats-bench/qats/calib/calibtest"

	"github.com/qats-bench/qats/calib"
	"github.com/qats-bench/qats/calib/internal/testset"
	"github.com/qats-bench/qats/data"
)

// The reference tries every point of the grid in numpy, whole matrices at a
// time, from the temperature of ts (scipy.optimize.minimize_scalar on log T):
//
//	for _ in range(5): for c in sorted by (-count, -sum of logits): for g in range(46):
//	    U = T.copy(); U[c] = (5+g)/10; e, hits = ece15(softmax(z/U, 1)), ...
//	    keep U if e < best - 1e-9 and hits >= those before the turn
func TestCTSIsThatOfPython(t *testing.T) {
	for _, c := range []struct {
		set  *data.Set
		want []float64
		ece  float64
	}{
		{testset.Lattice(400, 5), []float64{3.5, 2.5, 3.9, 3.5, 2.3}, 0.02748377149162817},
		{testset.Lattice(300, 3), []float64{2.5, 1.6, 3.2}, 0.04600440593427991},
	} {
		m := calibtest.Fit(t, CTSEntry, c.set, nil).Map.(ctsMap)
		if !slices.Equal(m.T, c.want) {
			t.Errorf("T = %v, want %v", m.T, c.want)
		}
		if got, _ := testset.ECE(calibtest.Apply(m, c.set.Logits), c.set.Labels); !(math.Abs(got-c.ece) <= 1e-12) {
			t.Errorf("ECE %v, want %v", got, c.ece)
		}
	}
}

// A turn has the scores of the map at every point, also with ties, many classes and
// classes far below the top.
func TestCTSScoresAreThoseOfTheMap(t *testing.T) {
	wide := testset.Lattice(60, 7)
	for i := range wide.Logits.Data {
		wide.Logits.Data[i] *= 10
	}
	tied := testset.Lattice(60, 4)
	for i, l := range tied.Logits.Data {
		tied.Logits.Data[i] = float32(math.Round(float64(l)))
	}
	level := &data.Set{Logits: data.NewMatrix(64, 4), Labels: make([]int32, 64)} // two values of logits, and every label
	for i := range 64 {
		for j := range 4 {
			level.Logits.Row(i)[j] = float32(i >> j & 1)
		}
		level.Labels[i] = int32(i >> 4)
	}
	var every []int
	for g := range ctsPoints {
		every = append(every, g)
	}
	for _, set := range []*data.Set{testset.Lattice(80, 5), wide, tied, level, testset.Drawn(20, 1, 1, 1)} {
		s := newCTSSearch(set, 1.25)
		if _, err := s.round(context.Background()); err != nil {
			t.Fatal(err)
		}
		for class := range set.Logits.Cols {
			if _, err := s.turn(context.Background(), class); err != nil {
				t.Fatal(err)
			}
			for i := range set.Logits.Rows {
				most, top, sum := s.without(set.Logits.Row(i), -1)
				if most != s.most[i] || top != s.top[i] || !(math.Abs(sum-s.sum[i]) <= 1e-12*sum) {
					t.Fatalf("class %d, row %d: state %v %d %v, want %v %d %v", class, i, s.most[i], s.top[i], s.sum[i], most, top, sum)
				}
			}
		}
		for class := range set.Logits.Cols {
			for b := range s.blocks {
				s.blocks[b] = ctsTally{}
			}
			var counts ctsTally
			for i := range set.Logits.Rows {
				s.count(&counts, i, class)
				s.tally(&s.blocks[0], i, class, every)
			}
			for g := range ctsPoints {
				m := ctsMap{slices.Clone(s.t)}
				m.T[class] = ctsGrid(g)
				ece, hits := testset.ECE(calibtest.Apply(m, set.Logits), set.Labels)
				if got := s.total(g); !(math.Abs(got.ece-ece) <= 1e-12) || got.hits != hits || counts.all.hits+counts.at[g].hits != hits {
					t.Fatalf("class %d at %v: %+v, want %v and %d hits", class, m.T[class], got, ece, hits)
				}
			}
		}
	}
}

// If the T of ts is in the grid, the fit has a lower ECE than ts and loses no hits.
// Classes without calibration rows keep the temperature of ts.
func TestCTSLowersTheECEAndLosesNoHits(t *testing.T) {
	for seed := range uint64(6) {
		set := testset.Drawn(300, 6, 1.5, seed)
		for i, y := range set.Labels {
			set.Labels[i] = y % 5
		}
		scaled := calibtest.Fit(t, calib.TSEntry, set, nil).Map.(calib.Temperature)
		m := calibtest.Fit(t, CTSEntry, set, nil).Map.(ctsMap)
		if m.T[5] != min(max(scaled.T, 0.5), 5) {
			t.Errorf("seed %d: an absent class has T = %v, ts %v", seed, m.T[5], scaled.T)
		}
		before, hits := testset.ECE(calibtest.Apply(scaled, set.Logits), set.Labels)
		after, kept := testset.ECE(calibtest.Apply(m, set.Logits), set.Labels)
		if after > before || kept < hits {
			t.Errorf("seed %d: ECE %v and %d hits, ts %v and %d", seed, after, kept, before, hits)
		}
	}
}

func BenchmarkFitCTS(b *testing.B) {
	for _, size := range [][2]int{{5000, 100}, {25000, 1000}} {
		set := testset.Simulated(size[0], size[1], 5, 1.6, 1)
		b.Run(fmt.Sprintf("method=cts/n=%d/k=%d", size[0], size[1]), func(b *testing.B) {
			for b.Loop() {
				calibtest.Fit(b, CTSEntry, set, nil)
			}
		})
	}
}

// Classes take their turns by falling number of rows, and by falling sum of logits where
// they have the same number.
func TestCTSTurnsGoByFrequencyThenByMass(t *testing.T) {
	set := &data.Set{Logits: testset.Rows([][]float32{{0, 1, 2, 3}, {0, 1, 2, 9}, {0, 5, 4, 9}, {0, 0, 0, 0}, {-1, 0, 1, 0}}), Labels: []int32{0, 0, 1, 2, 2}}
	if s := newCTSSearch(set, 1); !slices.Equal(s.turns, []int{2, 0, 1}) {
		t.Errorf("turns %v, want 2 and 0 with two rows, 2 with larger logits, and 1 with one", s.turns)
	}
}

// Every point of the grid can be chosen, the first one too.
func TestCTSReachesTheEndsOfTheGrid(t *testing.T) {
	for _, c := range []struct {
		labels []int32
		want   float64
	}{{[]int32{0, 0, 0, 0}, 0.5}, {[]int32{0, 0, 1, 1}, 5}} {
		set := &data.Set{Logits: testset.Rows([][]float32{{1, 0}, {1, 0}, {1, 0}, {1, 0}}), Labels: c.labels}
		s := newCTSSearch(set, 1)
		if _, err := s.round(t.Context()); err != nil || s.t[0] != c.want {
			t.Errorf("labels %v: T = %v (%v), want %v", c.labels, s.t, err, c.want)
		}
	}
}

// A class that comes level with the top class is the prediction if its index is lower.
func TestCTSUpdateBreaksTiesByIndex(t *testing.T) {
	set := &data.Set{Logits: testset.Rows([][]float32{{2, 1}, {1, 2}}), Labels: []int32{0, 1}}
	for class, row := range []int{0, 1} {
		s := newCTSSearch(set, 4)
		s.t[1-class] = 1
		for i := range 2 {
			s.most[i], s.top[i], s.sum[i] = s.without(set.Logits.Row(i), -1)
		}
		s.t[class] = 2 // now l/T = 1 of both classes
		s.update(row, class, 4)
		if s.most[row] != 1 || s.top[row] != 0 || s.sum[row] != 2 {
			t.Errorf("class %d: largest %v, class %d, sum %v", class, s.most[row], s.top[row], s.sum[row])
		}
	}
}

// The search ends after five rounds, if temperatures still change.
func TestCTSEndsAfterFiveRounds(t *testing.T) {
	most := 0.0
	for _, seed := range []uint64{0, 6, 15} {
		set := testset.Drawn(60, 12, 1.5, seed)
		rounds := calibtest.Fit(t, CTSEntry, set, nil).Report.Passes - calibtest.Fit(t, calib.TSEntry, set, nil).Report.Passes - 1
		most = max(most, rounds)
	}
	if most != ctsRounds {
		t.Errorf("%v rounds at most, want %d", most, ctsRounds)
	}
}

// Of the other classes with equal l/T the lowest index is the prediction, whether or not the
// class whose turn it is was the prediction before.
func TestCTSOtherClassesBreakTiesByIndex(t *testing.T) {
	set := &data.Set{Logits: testset.Rows([][]float32{{1, 2, 2, 3}, {5, 5, 1, 5}}), Labels: []int32{1, 1}}
	s := newCTSSearch(set, 2)
	for i := range 2 {
		s.most[i], s.top[i], s.sum[i] = s.without(set.Logits.Row(i), -1)
	}
	for _, c := range []struct {
		row, class int
		most       float64 // of the other classes
		top        int32
	}{{0, 3, 1, 1}, {1, 0, 2.5, 1}, {1, 1, 2.5, 0}} {
		if most, top := s.largest(set.Logits.Row(c.row), c.class); most != c.most || top != c.top {
			t.Errorf("row %d without class %d: %v of class %d, want %v of %d", c.row, c.class, most, top, c.most, c.top)
		}
	}
}

// The hits of a class that is not the prediction of a row follow from the saved prediction:
// with equal l/T the lower index is the prediction.
func TestCTSCountsHitsOfAClassBelowTheTop(t *testing.T) {
	for _, c := range []struct {
		row          []float32
		class, label int
		before       float64 // T of the class
		from, to     int     // points with a hit; 6/T is equal to 6/4 at point 35
	}{
		{[]float32{6, 6, 0}, 0, 0, 5, 0, 36},
		{[]float32{6, 6, 0}, 0, 1, 5, 36, ctsPoints},
		{[]float32{0, 6, 6}, 2, 2, 4, 0, 35},
		{[]float32{0, 6, 6}, 2, 1, 4, 35, ctsPoints},
		{[]float32{0, 6, 6}, 2, 0, 4, 0, 0},
	} {
		set := &data.Set{Logits: testset.Rows([][]float32{c.row}), Labels: []int32{int32(c.label)}}
		s := newCTSSearch(set, 4)
		s.t[c.class] = c.before
		s.most[0], s.top[0], s.sum[0] = s.without(set.Logits.Row(0), -1)
		if s.top[0] != 1 {
			t.Fatalf("%v: class %d is the prediction", c.row, s.top[0])
		}
		var sums ctsTally
		s.count(&sums, 0, c.class)
		for g, at := range sums.at {
			if hit := g >= c.from && g < c.to; sums.all.hits != 0 || (at.hits == 1) != hit {
				t.Errorf("%v, class %d, label %d, T = %v: %d hits, want %v", c.row, c.class, c.label, ctsGrid(g), at.hits, hit)
			}
		}
	}
}
