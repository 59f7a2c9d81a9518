package network

import (
	"context"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"gonum.org/v1/gonum/diff/fd"

	"github.com/qats-bench/qats/calib/internal/fit"
	"github.com/qats-bench/qats/calib/internal/testset"
	"github.com/qats-bench/qats/data"
)

func objectiveAt(t *testing.T, b *hCalTrainer, v []float64) (loss float64, gradient []float64) {
	t.Helper()
	gradient = make([]float64, len(v))
	err := b.forward(context.Background(), newHCalEnsemble(v))
	if err == nil {
		loss, err = b.backward(context.Background(), v, gradient)
	}
	if err != nil {
		t.Fatal(err)
	}
	return loss, gradient
}

func near(got, want, tolerance float64) bool {
	return math.Abs(got-want) <= tolerance*math.Abs(want)
}

// untied returns Lattice(300, 5) with ((7919*i + 104729*j) % 65537) / 2**20 added to
// z[i,j], which has no two equal probabilities: their order would be arbitrary.
func untied() *data.Set {
	set := testset.Lattice(300, 5)
	for i := range 300 {
		for j := range 5 {
			set.Logits.Row(i)[j] += float32((7919*i+104729*j)%65537) / (1 << 20)
		}
	}
	return set
}

// The code of WenjianHuang93/h-Calibration in Python 3.11 with torch 1.13.1 in float64,
// on untied(): hcalibration with the probabilities of EnsembleTempScal(4), whose
// para and weight are FixedWeights(8), and torch.optim.Adam at 0.005; _ECELoss and
// _DebiasedECELoss (15 bins, equal numbers of rows, power 1) of the logarithms.
// faiss.Kmeans was replaced by Lloyd's method from quantiles, as here.
func TestObjectiveIsThatOfItsAuthors(t *testing.T) {
	set := untied()
	b, v := newHCalTrainer(set), testset.FixedWeights(8)
	_, gradient := objectiveAt(t, b, v)
	want := []float64{
		5728.555750029857, -26365.376641591953, -6760.23281730757, 11733.69599454827,
		-9752.197428197851, 8044.017151354989, 11608.813684516186, -4681.739364103523,
	}
	for i, w := range want {
		if !near(gradient[i], w, 1e-9) {
			t.Errorf("derivative %d: %.17g, want %.17g", i, gradient[i], w)
		}
	}
	p := slices.Clone(b.p[:5])
	slices.Sort(p)
	if want := []float64{0.1447746143521232, 0.16454699836382466, 0.19027868629741096, 0.2263159225669685, 0.27408377841967263}; !testset.Near(p, want, 1e-14) {
		t.Errorf("probabilities %v, want %v", p, want)
	}
	whole := *b.objective
	whole.all = true
	if all, err := whole.At(context.Background(), b.p, b.slopes); err != nil || !near(all, 12885.702629965137, 1e-12) {
		t.Errorf("loss of all rows: %.17g (%v), want 12885.702629965137", all, err)
	}
	solver := fit.NewAdam(8)
	for step := range 41 {
		loss, gradient := objectiveAt(t, b, v)
		if want, ok := map[int][4]float64{
			0:  {12543.44030854829, 0.2678864233765631, 0.25832209301490033, 1.3621975453720536},
			20: {7229.701846531607, 0.12172571199526895, 0.09899074948547168, 1.1818152909154875},
			40: {4442.194058747372, 0.08439749702698941, 0.06329403835100102, 1.169740770945276},
		}[step]; ok {
			for i, got := range []float64{loss, b.ece(), b.debiased(), b.nll()} {
				if !near(got, want[i], 1e-7) {
					t.Errorf("after %d steps, %s: %.17g, want %.17g", step, []string{"loss", "ECE", "debiased ECE", "NLL"}[i], got, want[i])
				}
			}
		}
		solver.Step(v, gradient, hCalRate)
	}
}

// The gradient agrees with differences where no window mean changes its sign and no
// event its cluster: over few windows a step of 1e-7 rarely does.
func TestGradientAgreesWithDifferences(t *testing.T) {
	for _, k := range []int{2, 3, 7} {
		b := newHCalTrainer(testset.Drawn(90, k, 1.7, uint64(k)))
		v := testset.FixedWeights(6)
		_, gradient := objectiveAt(t, b, v)
		want := fd.Gradient(nil, func(v []float64) float64 {
			loss, _ := objectiveAt(t, b, v)
			return loss
		}, slices.Clone(v), &fd.Settings{Formula: fd.Central, Step: 1e-7})
		for i := range want {
			if !(math.Abs(gradient[i]-want[i]) <= 1e-3*(1+math.Abs(want[i]))) {
				t.Errorf("k = %d, derivative %d: %v, by differences %v", k, i, gradient[i], want[i])
			}
		}
	}
}

// clustersOf returns the cluster of each of the sorted numbers, by the definition.
func clustersOf(p []float64) []int {
	m, centre, of := len(p), make([]float64, 15), make([]int, len(p))
	for b := range centre {
		centre[b] = p[(2*b+1)*m/30]
	}
	for range 25 {
		sums, counts := make([]float64, 15), make([]float64, 15)
		for i, x := range p {
			best := 0
			for b := 1; b < 15; b++ {
				if x > (centre[b-1]+centre[b])/2 {
					best = b
				}
			}
			of[i] = best
			sums[best] += x
			counts[best]++
		}
		for b := range centre {
			if counts[b] > 0 {
				centre[b] = sums[b] / counts[b]
			}
		}
	}
	return of
}

// The loss is that of its definition, for fewer events than a window and for more, with
// an absent class, with classes left out and without.
func TestObjectiveIsItsDefinition(t *testing.T) {
	for _, c := range []struct {
		n, k int
		all  bool
	}{{1, 3, false}, {4, 2, false}, {30, 4, false}, {70, 4, false}, {120, 4, false}, {120, 4, true}, {50, 2, false}, {9, 1, false}} {
		set := testset.Drawn(c.n, c.k, 1, 5)
		for i, y := range set.Labels {
			if y == 0 && c.k > 1 {
				set.Labels[i] = 1 // class 0 is absent
			}
		}
		b := newHCalTrainer(set)
		b.objective.all = c.all
		got, _ := objectiveAt(t, b, []float64{.3, .7, 1, .5})
		want := 0.0
		for left := range int32(c.k) {
			var p, d []float64
			for _, e := range b.objective.order {
				if row := int(e.at) / c.k; c.all || set.Labels[row] != left {
					o := 0.0
					if int(b.column[row]) == int(e.at)%c.k {
						o = 1
					}
					p, d = append(p, e.p), append(d, e.p-o)
				}
			}
			if len(p) == 0 {
				continue
			}
			sums, counts := make([]float64, 15), make([]float64, 15)
			for i, of := range clustersOf(p) {
				sum := 0.0
				for j := max(0, i-100); j <= min(len(d)-1, i+100); j++ {
					sum += d[j]
				}
				sums[of] += math.Abs(sum / 201)
				counts[of]++
			}
			for of, sum := range sums {
				want += 1e5 / float64(c.k) / 15 * sum / (counts[of] + 1e-5)
			}
		}
		if !(math.Abs(got-want) <= 1e-9*(1+want)) {
			t.Errorf("%+v: %v, want %v", c, got, want)
		}
	}
}

// Clusters follow their definition. Equal numbers are all in one cluster.
func TestClustersAreThoseOfTheDefinition(t *testing.T) {
	set := testset.Drawn(200, 4, 1, 5)
	b := newHCalTrainer(set)
	objectiveAt(t, b, []float64{.3, .7, 1, .5})
	for left := int32(-1); left < 4; left++ {
		var p []float64
		var at []int
		for i, x := range b.objective.p {
			if b.objective.label[i] != left {
				p, at = append(p, x), append(at, i)
			}
		}
		ends, counts := b.objective.clusters(left)
		want, got := make([]int, 15), make([]int, 15)
		for i, of := range clustersOf(p) {
			want[of]++
			for c := 14; c >= 0 && at[i] < ends[c]; c-- {
				if c == 0 || at[i] >= ends[c-1] {
					got[c]++
				}
			}
		}
		if !slices.Equal(counts[:], want) || !slices.Equal(got, want) {
			t.Errorf("without class %d: %v by count, %v by end, want %v", left, counts, got, want)
		}
	}
	equal := newHCalTrainer(&data.Set{Logits: data.NewMatrix(10, 4), Labels: make([]int32, 10)})
	falling := make([]float64, 40)
	for i := range falling {
		falling[i] = 1 - float64(i)/40
	}
	if _, err := equal.objective.At(context.Background(), falling, equal.slopes); err != nil {
		t.Fatal(err)
	}
	objectiveAt(t, equal, []float64{1, 1}) // the order before was another one
	if ends, counts := equal.objective.clusters(-1); ends[0] != 40 || counts[0] != 40 {
		t.Errorf("ends %v of equal numbers", ends)
	}
	for i, e := range equal.objective.order {
		if int(e.at) != i {
			t.Errorf("event %d of equal ones is at place %d", i, e.at)
		}
	}
	two := &data.Set{Logits: data.NewMatrix(12, 2), Labels: make([]int32, 12)} // most clusters stay empty
	for i := range 12 {
		two.Logits.Row(i)[i%2] = 2
	}
	b = newHCalTrainer(two)
	objectiveAt(t, b, []float64{1, 1})
	want := make([]int, 15)
	for _, of := range clustersOf(b.objective.p) {
		want[of]++
	}
	if _, counts := b.objective.clusters(-1); !slices.Equal(counts[:], want) {
		t.Errorf("%v events of two probabilities, want %v", counts, want)
	}
}

// Where the errors of all windows are 0, so are the derivatives.
func TestWindowsWithoutErrorHaveNoSlope(t *testing.T) {
	p, slopes := []float64{1, 1, 1}, []float64{1, 1, 1}
	o := newBoundedObjective(1, make([]int32, 3), make([]int32, 3))
	o.all = true
	loss, err := o.At(context.Background(), p, slopes)
	if err != nil || loss != 0 || !slices.Equal(slopes, make([]float64, 3)) {
		t.Errorf("loss %v, slopes %v (%v)", loss, slopes, err)
	}
}

// Up to 200 classes one is left out at a time.
func TestLeavesOutOneOfAFewClasses(t *testing.T) {
	for k, all := range map[int]bool{2: false, 200: false, 201: true} {
		if o := newBoundedObjective(k, []int32{1}, []int32{0}); o.all != all {
			t.Errorf("%d classes: all at once is %v", k, o.all)
		}
	}
}

// Gaps are differences to the largest logit, and the gradient is finite where all weights
// are 0.
func TestGapsAndEqualWeights(t *testing.T) {
	set := &data.Set{Logits: data.NewMatrix(2, 3), Labels: []int32{1, 0}}
	copy(set.Logits.Data, []float32{2, 5, 1, 900, 800, 1000})
	b := newHCalTrainer(set)
	if !slices.Equal(b.gaps, []float64{0, -3, -4, 0, -100, -200}) {
		t.Errorf("gaps %v", b.gaps)
	}
	_, gradient := objectiveAt(t, b, []float64{.5, 1, 0, 0})
	for i, g := range gradient {
		if math.IsNaN(g) || math.IsInf(g, 0) {
			t.Errorf("derivative %d without weights: %v", i, g)
		}
	}
}

// Training depends on neither the number of workers nor the order of the classes.
func TestTrainingIsDeterministic(t *testing.T) {
	set := testset.Drawn(600, 5, 1.5, 3)
	moved := &data.Set{Logits: data.NewMatrix(600, 5), Labels: make([]int32, 600)}
	for i := range 600 {
		for j := range 5 {
			moved.Logits.Row(i)[(j+2)%5] = set.Logits.Row(i)[j]
		}
		moved.Labels[i] = (set.Labels[i] + 2) % 5
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	o := hCalTraining{Temperatures: 4, Epochs: 40, Patience: 160}
	var first hCalEnd
	for _, workers := range []int{1, 2, 5} {
		runtime.GOMAXPROCS(workers)
		end, err := o.Train(context.Background(), set, rand.New(rand.NewPCG(1, 1)))
		if err != nil {
			t.Fatal(err)
		}
		if workers == 1 {
			first = end
			if end.Epochs != 40 || end.Stopped {
				t.Errorf("%d epochs of 40, stopped %v", end.Epochs, end.Stopped)
			}
		} else if !slices.Equal(end.Best.Inverse, first.Best.Inverse) || !slices.Equal(end.Best.Weights, first.Best.Weights) {
			t.Errorf("%d workers: %v, one: %v", workers, end.Best, first.Best)
		}
	}
	end, err := o.Train(context.Background(), moved, rand.New(rand.NewPCG(1, 1)))
	if err != nil || !testset.Near(end.Best.Inverse, first.Best.Inverse, 1e-9) {
		t.Errorf("classes in another order: %v (%v), want %v", end.Best, err, first.Best)
	}
}

// Training on rows drawn from softmax(l/t) ends near that temperature: its ECE and
// NLL are about as low as at t, and much lower than at t = 1. It ends before its last epoch.
func TestTrainingCalibratesDrawnRows(t *testing.T) {
	set := testset.Drawn(1000, 4, 2.5, 3)
	b := newHCalTrainer(set)
	measured := func(e hCalEnsemble) (ece, nll float64) {
		if err := b.forward(context.Background(), e); err != nil {
			t.Fatal(err)
		}
		return b.ece(), b.nll()
	}
	_, best := measured(hCalEnsemble{[]float64{1 / 2.5}, []float64{1}})
	_, raw := measured(hCalEnsemble{[]float64{1}, []float64{1}})
	for _, byNLL := range []bool{false, true} {
		end, err := hCalTraining{Temperatures: 8, Epochs: 1000, Patience: 160, ByNLL: byNLL}.Train(context.Background(), set, rand.New(rand.NewPCG(1, 1)))
		if err != nil || !end.Stopped {
			t.Fatalf("%d epochs, stopped %v (%v)", end.Epochs, end.Stopped, err)
		}
		if ece, nll := measured(end.Best); !(ece < .03 && nll < best+.005) {
			t.Errorf("ECE %v, NLL %v; at the temperature of the draw the NLL is %v, at 1 %v", ece, nll, best, raw)
		}
	}
}

// Inverse temperatures start in [0, 1/sqrt(m)]; the first step changes them by the rate.
func TestTrainingStartsUniform(t *testing.T) {
	const m = 64
	end, err := hCalTraining{Temperatures: m, Epochs: 1, Patience: 9}.Train(context.Background(), testset.Drawn(20, 3, 1, 3), rand.New(rand.NewPCG(1, 1)))
	if err != nil {
		t.Fatal(err)
	}
	least, most, mean := 1., 0., 0.
	for _, b := range end.Best.Inverse {
		least, most, mean = min(least, b), max(most, b), mean+b/m
	}
	if least > .02 || most > 1./8+.006 || most < .1 || !(math.Abs(mean-1./16) < .02) {
		t.Errorf("from %v to %v, mean %v, want a mean of 1/16 and at most 1/8", least, most, mean)
	}
}

// The rate is halved after more than 20 epochs without a fall of the ECE by 1e-4 of it.
// Training ends after patience epochs without a fall. The best epoch has the least score.
func TestTrainingFollowsItsSchedule(t *testing.T) {
	ctx := context.Background()
	set := testset.Drawn(60, 3, 1.5, 3)
	for _, patience := range []int{25, 300} {
		b, v := newHCalTrainer(set), testset.FixedWeights(8)
		end, err := hCalTraining{Temperatures: 4, Epochs: 150, Patience: patience}.train(ctx, b, v)
		if err != nil {
			t.Fatal(err)
		}
		want, solver, speed := testset.FixedWeights(8), fit.NewAdam(8), .005
		objectiveAt(t, b, want)
		var best hCalEnsemble
		score, falls, strict := math.Inf(1), []float64{math.Inf(1)}, []float64{math.Inf(1)}
		epochs, waited, since, halved := 0, 0, 0, 0
		for epochs < 150 && since < patience {
			_, gradient := objectiveAt(t, b, want)
			solver.Step(want, gradient, speed)
			epochs++
			if err := b.forward(ctx, newHCalEnsemble(want)); err != nil {
				t.Fatal(err)
			}
			ece := b.ece()
			waited, since = waited+1, since+1
			if ece < slices.Min(strict)*(1-1e-4) {
				strict, waited = append(strict, ece), 0
			}
			if ece <= slices.Min(falls) {
				falls, since = append(falls, ece), 0
			}
			if waited == 21 {
				speed, waited, halved = speed/2, 0, halved+1
			}
			if now := b.debiased(); now < score {
				score, best = now, newHCalEnsemble(want)
			}
		}
		if end.Epochs != epochs || end.Stopped != (since == patience) || !slices.Equal(v, want) || !slices.Equal(end.Best.Inverse, best.Inverse) {
			t.Errorf("patience %d: %d epochs, ends at %v with the best %v, want %d, %v and %v", patience, end.Epochs, v, end.Best, epochs, want, best)
		}
		if halved == 0 || end.Stopped != (patience == 25) {
			t.Errorf("patience %d: the rate is halved %d times, stopped %v: the case tests too little", patience, halved, end.Stopped)
		}
	}
}

// Bins of the ECE have equal widths and are closed on the right. Those of the debiased
// ECE have equal numbers of rows, with equal confidences in the order of the rows.
func TestBinsOfBothECE(t *testing.T) {
	one := &hCalTrainer{k: 1, p: []float64{.75, .9, 1}, hit: []bool{false, true, false}}
	if got, want := one.ece(), (.75+.1+1)/3; !(math.Abs(got-want) <= 1e-15) {
		t.Errorf("ECE %v, want %v", got, want)
	}
	rng := rand.New(rand.NewPCG(8, 8))
	for _, n := range []int{1, 5, 30, 47, 200} {
		b := &hCalTrainer{k: 1, p: make([]float64, n), hit: make([]bool, n)}
		order := make([]int, n)
		for i := range n {
			b.p[i], b.hit[i], order[i] = .5+.25*float64(rng.IntN(3)), rng.IntN(3) > 0, i
		}
		slices.SortStableFunc(order, func(i, j int) int { return int(100*b.p[i]) - int(100*b.p[j]) })
		m := max(1, min(15, n/2))
		want := 0.0
		for c := range m {
			rows := order[hCalEdge(n, c, m):hCalEdge(n, c+1, m)]
			conf, acc, size := 0.0, 0.0, float64(len(rows))
			for _, i := range rows {
				conf += b.p[i] / size
				if b.hit[i] {
					acc += 1 / size
				}
			}
			gap := math.Abs(acc - conf)
			want += 2*gap*size/float64(n) - absNormal(gap, math.Sqrt(max(0, acc*(1-acc)/size)))/float64(m)
		}
		if got := b.debiased(); !(math.Abs(got-want) <= 1e-14) {
			t.Errorf("%d rows: debiased ECE %v, want %v", n, got, want)
		}
	}
}

// E|x| is the mean over draws.
func TestAbsNormalIsTheMeanOverDraws(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 7))
	for _, c := range [][2]float64{{0, 1}, {.5, 1}, {3, .5}, {.2, 0}} {
		sum := 0.0
		for range 200_000 {
			sum += math.Abs(c[0]+c[1]*rng.NormFloat64()) / 200_000
		}
		if got := absNormal(c[0], c[1]); !(math.Abs(got-sum) <= .006) {
			t.Errorf("%v: %v, of draws %v", c, got, sum)
		}
	}
}

// The rate falls after more than 20 epochs without a fall of 1e-4, training ends after
// the patience without a fall; an equal value counts as one there.
func TestWatchCountsStepsSinceTheLeast(t *testing.T) {
	strict, loose := hCalWatch{least: math.Inf(1)}, hCalWatch{least: math.Inf(1)}
	for i, c := range []struct {
		v             float64
		strict, loose int
	}{{.5, 0, 0}, {.5, 1, 0}, {.49999, 2, 0}, {.6, 3, 1}, {.4, 0, 0}, {.41, 1, 1}} {
		if a, b := strict.next(c.v, hCalLower), loose.next(c.v, 0); a != c.strict || b != c.loose {
			t.Errorf("step %d: %d and %d, want %d and %d", i, a, b, c.strict, c.loose)
		}
	}
	half := hCalWatch{least: .5}
	if got := half.next(.25, .5); got != 1 {
		t.Errorf("a fall by exactly the share is none: %d", got)
	}
}
