package neighbours

import (
	"context"
	"math"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/qats-bench/qats/calib"
	"github.com/qats-bench/qats/calib/calibtest"
	"github.com/qats-bench/qats/calib/internal/testset"
	"github.com/qats-bench/qats/data"
)

// The code of MiaoXiong2320/ProximityBias-Calibration in Python 3.11 with numpy 1.24.2,
// faiss 1.7.3 and statsmodels 0.13.5, calibrated on rows 0 to 291 of densitySet:
// proximities as in compute_calibration_metrics.py (K = 10) with faiss, whose float32
// makes them differ by 2e-7, and in float64; DensityRatioCalibration with the latter,
// fit on the softmax of z/T, and predict on rows 292 to 299.
func TestProCalIsThatOfItsAuthors(t *testing.T) {
	set := densitySet()
	cal, test := set.Rows(0, 292), set.Rows(292, 300)
	_, others, _, err := newProximityBank(context.Background(), calib.Input{Cal: cal}, 10, 1000)
	if err != nil {
		t.Fatal(err)
	}
	if want := []float64{0.9239989519119263, 0.7385259866714478, 0.9427090883255005}; !testset.Near(others[:3], want, 1e-6) {
		t.Errorf("proximities %v, by faiss %v", others[:3], want)
	}
	if want := []float64{0.9239988811326111, 0.7385259526338849, 0.9427091367286996}; !testset.Near(others[:3], want, 1e-13) {
		t.Errorf("proximities %v, want %v", others[:3], want)
	}
	m := calibtest.Map(t, ProCal{}, cal).(proCalMap)
	near := make([]float64, 8)
	m.proximities(near, test.Features)
	if want := []float64{0.6845631041002257, 0.9942849398532092, 0.9921030875460032}; !testset.Near(near[:3], want, 1e-13) {
		t.Errorf("proximities %v, want %v", near[:3], want)
	}
	for _, c := range []struct {
		t            float64
		right, wrong []float64 // bandwidths
		conf         []float64
		vector       []float64 // row 292
	}{
		{
			1, []float64{0.0820270488026566, 0.05489324167472735}, []float64{0.10535702928063771, 0.06955325481791892},
			[]float64{0.727477304556838, 0.8576291696962683, 0.9792290903164197, 0.7465298708717049, 0.8376536031752988, 0.35117655445412665, 0.8750428936236402, 0.7262914238688044},
			[]float64{0.003921122864631337, 7.750211387749517e-05, 0.727477304556838, 0.26852407046465315},
		},
		{
			2, []float64{0.08237915160724457, 0.05489324167472735}, []float64{0.09958272972662108, 0.06955325481791892},
			[]float64{0.6973270356659946, 0.9039469973780843, 0.9839648732509365, 0.7396776983738035, 0.8275264170970918, 0.4719533182639695, 0.870742981295205, 0.7179795277317882},
			nil,
		},
	} {
		m := proCalAt(t, cal, c.t)
		if !testset.Near(m.Right.H[:], c.right, 1e-12) || !testset.Near(m.Wrong.H[:], c.wrong, 1e-12) {
			t.Errorf("T = %v: bandwidths %v and %v, want %v and %v", c.t, m.Right.H, m.Wrong.H, c.right, c.wrong)
		}
		if _, conf := calibtest.TopLabels(m, test); !testset.Near(conf, c.conf, 1e-12) {
			t.Errorf("T = %v: confidences %v, want %v", c.t, conf, c.conf)
		}
		q := data.NewProbs(8, 4)
		if calib.Apply(m, q, test); c.vector != nil && !testset.Near(q.Row(0), c.vector, 1e-12) {
			t.Errorf("probabilities %v, want %v", q.Row(0), c.vector)
		}
	}
}

// proCalAt returns the fit on the softmax at a temperature: of the scaled logits, with
// the temperature put into the map.
func proCalAt(t *testing.T, cal *data.Set, temperature float64) proCalMap {
	t.Helper()
	scaled := *cal
	scaled.Logits = data.NewMatrix(cal.Logits.Rows, cal.Logits.Cols)
	for i, l := range cal.Logits.Data {
		scaled.Logits.Data[i] = l / float32(temperature)
	}
	m := calibtest.Map(t, ProCal{}, &scaled).(proCalMap)
	m.T = temperature
	return m
}

// With the base ts, confidences of the fit and of the map are those of ts: the fit on
// logits l is the fit without base on l/T.
func TestProCalOnTSIsProCalOnScaledLogits(t *testing.T) {
	cal := densitySet()
	at := calibtest.Fit(t, calib.TSEntry, cal, nil).Parameters()[0].Value
	got := calibtest.Map(t, ProCal{Base: "ts"}, cal).(proCalMap)
	want := proCalAt(t, cal, at)
	if got.T != at {
		t.Fatalf("T = %v, ts has %v", got.T, at)
	}
	_, a := calibtest.TopLabels(got, cal)
	_, b := calibtest.TopLabels(want, cal)
	if !testset.Near(a, b, 1e-5) { // l/T is rounded to float32
		t.Error("other confidences")
	}
}

// Sets without wrong or right rows, with one wrong row, of equal confidences, of equal
// features and of two classes have confidences in [0, 1], and say what is missing.
func TestProCalOfExtremeSets(t *testing.T) {
	label := func(set *data.Set, right func(i int) bool) *data.Set {
		out := *set
		out.Labels = make([]int32, len(set.Labels))
		for i := range out.Labels {
			top := int32(0)
			for j, l := range set.Logits.Row(i) {
				if l > set.Logits.Row(i)[top] {
					top = int32(j)
				}
			}
			if out.Labels[i] = top; !right(i) {
				out.Labels[i] = (top + 1) % int32(set.Logits.Cols)
			}
		}
		return &out
	}
	set := densitySet()
	laplace := 1 / float64(len(set.Labels)+2)
	flat, alike := *set, *set
	flat.Logits = data.NewMatrix(300, 4)
	alike.Features = data.NewMatrix(300, 6)
	for i := range alike.Features.Data {
		alike.Features.Data[i] = float32(1 + i%6)
	}
	share := func(i int) bool { return i%4 > 0 }
	for _, c := range []struct {
		name    string
		set     *data.Set
		warning string
		conf    float64 // of all rows, if it is not negative
	}{
		{"all right", label(set, func(int) bool { return true }), "no calibration row is wrong", 1 - laplace/2},
		{"all wrong", label(set, func(int) bool { return false }), "no calibration row is right", laplace / 2},
		{"one wrong", label(set, func(i int) bool { return i != 7 }), "", -1},
		{"equal confidences", label(&flat, share), "", -1},
		{"equal features", label(&alike, share), "", -1},
		{"two rows", label(set.Rows(0, 2), func(i int) bool { return i == 0 }), "", -1},
	} {
		f, err := calib.FitInput(context.Background(), ProCal{}, calib.Input{Cal: c.set})
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		if got := f.Report.Warnings.String(); !strings.Contains(got, c.warning) || c.warning == "" && got != "" {
			t.Errorf("%s: warnings %q", c.name, got)
		}
		_, conf := calibtest.TopLabels(f.Map.(calib.TopLabel), set)
		for i, g := range conf {
			if !(g >= 0 && g <= 1) || c.conf >= 0 && !(math.Abs(g-c.conf) <= 1e-15) {
				t.Fatalf("%s, row %d: confidence %v", c.name, i, g)
			}
		}
		for _, m := range []calib.Method{ProCal{Base: "ts"}, ProCalBins{}} {
			if _, err := calib.FitInput(context.Background(), m, calib.Input{Cal: c.set}); err != nil {
				t.Errorf("%s, %T: %v", c.name, m, err)
			}
		}
	}
	// Nothing varies: the confidence is the accuracy.
	both := flat
	both.Features = alike.Features
	_, conf := calibtest.TopLabels(calibtest.Map(t, ProCal{}, label(&both, share)).(calib.TopLabel), &both)
	if !(math.Abs(conf[0]-0.75) <= 1e-12) {
		t.Errorf("confidence %v, the accuracy is 0.75", conf[0])
	}
}

// The bits of both methods do not depend on the number of workers. Of more rows than the
// bank has, the others search in it too.
func TestProCalBitsDoNotDependOnTheWorkers(t *testing.T) {
	cal := testset.TwoGroups(1100, 3, 5, [2]float64{1, 4}, 3)
	test := testset.TwoGroups(60, 3, 5, [2]float64{1, 4}, 4)
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	for _, m := range []calib.Method{ProCal{}, ProCal{Bank: 700, Base: "ts"}, ProCalBins{}, ProCalBins{Bank: 300}} {
		var first []float64
		for _, workers := range []int{1, 2, 5} {
			runtime.GOMAXPROCS(workers)
			q := data.NewProbs(60, 3)
			calib.Apply(calibtest.Map(t, m, cal), q, test)
			if first == nil {
				first = q.Data
			} else if !slices.Equal(first, q.Data) {
				t.Errorf("%+v: other bits with %d workers", m, workers)
			}
		}
	}
}

// A calibration row is not its own neighbour in the fit, and is in the map.
func TestProximitiesOfTheFitLeaveOutTheRowItself(t *testing.T) {
	set := testset.TwoGroups(500, 3, 5, [2]float64{1, 4}, 3)
	for _, k := range []int{1, 7, 600} {
		for _, most := range []int{1000, 200} {
			b, others, all, err := newProximityBank(context.Background(), calib.Input{Cal: set}, k, most)
			if err != nil {
				t.Fatal(err)
			}
			got := make([]float64, 500)
			if b.proximities(got, set.Features); !slices.Equal(got, all) {
				t.Errorf("K = %d, bank %d: proximities of the map differ", k, most)
			}
			below := 0
			for i := range all {
				if others[i] < all[i] {
					below++
				}
			}
			if below != min(most, 500) {
				t.Errorf("K = %d, bank %d: %d proximities are below those with the row itself", k, most, below)
			}
		}
	}
}

func TestProCalModelsAreChecked(t *testing.T) {
	set := densitySet()
	good := calibtest.Map(t, ProCal{}, set).(proCalMap)
	for name, spoil := range map[string]func(m *proCalMap){
		"T":          func(m *proCalMap) { m.T = 0 },
		"neighbours": func(m *proCalMap) { m.Neighbours = 0 },
		"bank":       func(m *proCalMap) { m.Rows++ },
		"width":      func(m *proCalMap) { m.Width = 0 },
		"features":   func(m *proCalMap) { m.Unit = slices.Clone(m.Unit); m.Unit[3] = 7 },
		"right":      func(m *proCalMap) { m.Right.X = m.Right.X[1:] },
		"wrong":      func(m *proCalMap) { m.Wrong.H[0] = math.NaN() },
		"no points":  func(m *proCalMap) { m.Right.X, m.Right.Y, m.Wrong.X, m.Wrong.Y = nil, nil, nil, nil },
	} {
		m := good
		if spoil(&m); m.Check() == nil {
			t.Errorf("procal, %s: no error", name)
		}
	}
	bins := calibtest.Map(t, ProCalBins{}, set).(proCalBinsMap)
	for name, spoil := range map[string]func(m *proCalBinsMap){
		"edges":      func(m *proCalBinsMap) { m.Edges = m.Edges[1:] },
		"order":      func(m *proCalBinsMap) { m.Edges = slices.Clone(m.Edges); slices.Reverse(m.Edges) },
		"range":      func(m *proCalBinsMap) { m.Edges = slices.Clone(m.Edges); m.Edges[3] = 1.5 },
		"groups":     func(m *proCalBinsMap) { m.Groups = slices.Clone(m.Groups); m.Groups[2].X = nil },
		"neighbours": func(m *proCalBinsMap) { m.Neighbours = -1 },
	} {
		m := bins
		if spoil(&m); m.Check() == nil {
			t.Errorf("procal-bins, %s: no error", name)
		}
	}
	other := *set
	other.Features = data.NewMatrix(300, 7)
	if good.CheckSet(&other) == nil || bins.CheckSet(&other) == nil {
		t.Error("features of another width are accepted")
	}
}

// ProCal on ts reads the set once more than ts; without a base it reads it once.
func TestProCalCountsTheReadsOfItsBase(t *testing.T) {
	set := densitySet()
	ts := calibtest.Fit(t, calib.TSEntry, set, nil).Report
	for base, want := range map[string]float64{"none": 1, "ts": ts.Passes + 1} {
		f, err := calib.FitInput(t.Context(), ProCal{Base: base}, calib.Input{Cal: set})
		if err != nil || f.Report.Passes != want || f.Report.NLL != 0 {
			t.Errorf("base %s: %+v (%v), want %v passes", base, f.Report, err, want)
		}
	}
}
