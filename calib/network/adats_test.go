package network

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/qats-bench/qats/calib/calibtest"

	"github.com/qats-bench/qats/calib"
	"github.com/qats-bench/qats/calib/internal/fit"
	"github.com/qats-bench/qats/calib/internal/testset"
	"github.com/qats-bench/qats/data"
)

// featured returns rows whose features show the class, d >= k. The logits of the
// first k/2 classes are twice as large as they should be.
func featured(n, d, k int, seed uint64) *data.Set {
	set := testset.Drawn(n, k, 1.5, seed)
	set.Features = testset.Drawn(n, d, 1, seed+500).Logits
	for i, y := range set.Labels {
		set.Features.Row(i)[y] += 6
		if int(y) < k/2 {
			for j := range k {
				set.Logits.Row(i)[j] *= 2
			}
		}
	}
	return set
}

// The features show which rows have logits that are too large. These rows get a
// higher temperature than the others, also if they are new to the fit.
func TestAdaTSHeatsOverconfidentRows(t *testing.T) {
	if testing.Short() {
		t.Skip("trains for seconds")
	}
	cal, test := featured(2000, 8, 4, 1), featured(1000, 8, 4, 2)
	f, err := calib.FitInput(context.Background(), AdaTS{Epochs: 100, MaxSteps: new(600), Hidden: 32, Draws: new(0)}, calib.Input{Cal: cal, Seed: 3})
	if err != nil {
		t.Fatal(err)
	}
	scaled := calibtest.Fit(t, calib.TSEntry, cal, nil)
	q := data.NewProbs(1000, 4)
	calib.Apply(f.Map, q, test)
	got, ts := plainNLL(q, test.Labels), plainNLL(calibtest.Apply(scaled.Map, test.Logits), test.Labels)
	var sum, count [2]float64
	for i, temp := range f.Map.(adatsMap).temperatures(test) {
		group := int(test.Labels[i]) / 2
		sum[group] += temp
		count[group]++
	}
	large, right := sum[0]/count[0], sum[1]/count[1]
	if got > ts-0.005 || large < 1.08*right { // training has not come far in 600 minibatches
		t.Errorf("NLL %v on unseen rows, ts has %v; mean temperatures %v and %v, want about 2 to 1", got, ts, large, right)
	}
	if w := f.Report.Warnings.String(); !strings.Contains(w, "after 600 of 1600 minibatches") {
		t.Errorf("warnings %q do not name the cut", w)
	}
}

func plainNLL(q data.Probs, labels []int32) float64 {
	sum := 0.0
	for i, y := range labels {
		sum -= math.Log(q.Row(i)[y]) / float64(len(labels))
	}
	return sum
}

// The order of rows and the numbering of classes change no bit of the
// temperatures; the seed changes them.
func TestAdaTSDependsOnTheSeedNotOnTheOrder(t *testing.T) {
	const n, d, k = 300, 6, 5
	cal, test := featured(n, d, k, 1), featured(50, d, k, 2)
	method := AdaTS{Epochs: 3, MaxSteps: new(0), Hidden: 16, Draws: new(0)}
	temperatures := func(set *data.Set, seed uint64) []float64 {
		f, err := calib.FitInput(context.Background(), method, calib.Input{Cal: set, Seed: seed})
		if err != nil {
			t.Fatal(err)
		}
		return f.Map.(adatsMap).temperatures(test)
	}
	rng := rand.New(rand.NewPCG(1, 1))
	rows, classes := rng.Perm(n), rng.Perm(k)
	moved := &data.Set{Logits: data.NewMatrix(n, k), Features: data.NewMatrix(n, d), Labels: make([]int32, n)}
	for i, from := range rows {
		copy(moved.Features.Row(i), cal.Features.Row(from))
		moved.Labels[i] = int32(classes[cal.Labels[from]])
		for j, l := range cal.Logits.Row(from) {
			moved.Logits.Row(i)[classes[j]] = l
		}
	}
	want := temperatures(cal, 1)
	if !slices.Equal(temperatures(moved, 1), want) {
		t.Error("another order of rows and classes has other temperatures")
	}
	if slices.Equal(temperatures(cal, 2), want) {
		t.Error("the seed changes nothing")
	}
}

// The probabilities are the mean over the draws, each with the temperature of
// its own code, and depend on the draws. With one draw the map is that of the
// paper's code. With none, the code is its mean.
func TestAdaTSIsTheMeanOverDraws(t *testing.T) {
	set := featured(200, 6, 5, 1)
	fitted := func(draws int) adatsMap {
		f, err := calib.FitInput(context.Background(), AdaTS{Epochs: 5, Hidden: 16, MaxSteps: new(0), Draws: new(draws)}, calib.Input{Cal: set, Seed: 4})
		if err != nil {
			t.Fatal(err)
		}
		return f.Map.(adatsMap)
	}
	m, none := fitted(3), fitted(0)
	if !slices.Equal(m.Weights, none.Weights) || len(m.Noise) != 48 || len(none.Noise) != 0 {
		t.Fatalf("weights differ, or %d and %d numbers of noise", len(m.Noise), len(none.Noise))
	}
	got, want, one := data.NewProbs(200, 5), data.NewProbs(200, 5), data.NewProbs(200, 5)
	calib.Apply(m, got, set)
	for d := range 3 {
		single := m
		single.Noise = m.Noise[16*d : 16*(d+1)]
		calib.Apply(single, one, set)
		for i, v := range one.Data {
			want.Data[i] += v / 3
		}
	}
	if !testset.Near(got.Data, want.Data, 1e-15) {
		t.Error("the mean over three draws is not that of the draws")
	}
	calib.Apply(none, one, set)
	if testset.Near(got.Data, one.Data, 1e-6) {
		t.Error("draws change nothing")
	}
	// The code of a draw by its definition, w = mean + noise x std.
	single := m
	single.Noise = m.Noise[:16]
	mean := m.shape().Net(slices.Clone(m.Weights))
	p, features := mean.Pass(200), make([]float32, 200*6)
	for i := range 200 {
		m.standardise(features[i*6:], set.Features.Row(i))
	}
	mean.Encode(p, features)
	for i, temp := range single.temperatures(set) {
		code := make([]float32, 16)
		for l := range code {
			std := 0.0
			for h := range 8 {
				std += float64(p.Trunk[i*8+h]) * float64(mean.Std.W[h*16+l])
			}
			std = max(testset.Softplus(std+float64(mean.Std.B[l])), 1e-3)
			code[l] = float32(float64(p.Mean[i*16+l]) + std*float64(m.Noise[l]))
		}
		alone := mean.Pass(1)
		mean.Temper(alone, code)
		if want := adatsTemperature(alone.Out[0]); !(math.Abs(temp-want) <= 1e-4*want) {
			t.Fatalf("row %d: T = %v, by definition %v", i, temp, want)
		}
	}
	for _, draws := range []int{-1, adatsMostDraws + 1} {
		if _, err := calibtest.Method(AdaTSEntry, map[string]any{"draws": draws}); err == nil || !strings.Contains(err.Error(), "draws: ") {
			t.Errorf("%d draws: %v", draws, err)
		}
	}
}

// The number of processors that share the products changes no bit of a fit.
func TestAdaTSBitsDoNotDependOnProcessors(t *testing.T) {
	set := featured(400, 140, 130, 1)
	train := func() []float32 {
		f, err := calib.FitInput(context.Background(), AdaTS{Epochs: 1, MaxSteps: new(2), Hidden: 256, Draws: new(0)}, calib.Input{Cal: set})
		if err != nil {
			t.Fatal(err)
		}
		return f.Map.(adatsMap).Weights
	}
	want := train()
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	for _, processors := range []int{1, 3, 8} {
		runtime.GOMAXPROCS(processors)
		if !slices.Equal(train(), want) {
			t.Errorf("%d processors give other weights", processors)
		}
	}
}

// A network that is large enough for gonum to split its products has the same bits
// in blocks of any size, and after it is saved and loaded.
func TestAdaTSBitsInBlocksAndLoaded(t *testing.T) {
	if testing.Short() {
		t.Skip("trains several networks")
	}
	const n, d, k = 600, 140, 130
	set := featured(n, d, k, 1)
	entry := AdaTSEntry
	f, err := calib.FitInput(context.Background(), AdaTS{Epochs: 1, MaxSteps: new(2), Hidden: 256, Draws: new(0)}, calib.Input{Cal: set})
	if err != nil {
		t.Fatal(err)
	}
	want := data.NewProbs(n, k)
	calib.Apply(f.Map, want, set)
	for _, size := range []int{1, 63, 300} {
		got := data.NewProbs(n, k)
		for lo := 0; lo < n; lo += size {
			hi := min(lo+size, n)
			calib.Apply(f.Map, got.Slice(lo, hi), set.Rows(lo, hi))
		}
		if !slices.Equal(got.Data, want.Data) {
			t.Errorf("blocks of %d rows have other bits", size)
		}
	}
	var text bytes.Buffer
	if err := (&calib.Model{Method: "adats", Version: entry.Version, Classes: k, Fitted: *f}).Save(&text); err != nil {
		t.Fatal(err)
	}
	m, err := calib.LoadModel(bytes.NewReader(text.Bytes()), []calib.Entry{AdaTSEntry})
	if err != nil {
		t.Fatal(err)
	}
	got := data.NewProbs(n, k)
	calib.Apply(m.Map, got, set)
	if !slices.Equal(got.Data, want.Data) {
		t.Error("the loaded model has other bits")
	}
	for _, c := range []struct{ old, new, want string }{
		{`"features":140`, `"features":141`, "mean: 140 numbers, want 141"},
		{`"hidden":256`, `"hidden":254`, "weights"},
		{`"hidden":256`, `"hidden":255`, "an even number of hidden units"},
		{`"classes":130`, `"classes":131`, "weights"},
	} {
		broken := strings.Replace(text.String(), c.old, c.new, 1)
		if _, err := calib.LoadModel(strings.NewReader(broken), []calib.Entry{AdaTSEntry}); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.new, err, c.want)
		}
	}
	if err := calib.CheckSet(f.Map, &data.Set{Logits: set.Logits, Features: data.NewMatrix(n, d+1)}); err == nil {
		t.Error("features of another width are not refused")
	}
}

func TestAdaTSStandardisesFeatures(t *testing.T) {
	h := testset.Rows([][]float32{{1, 5, 0}, {3, 5, 0}, {5, 5, 0}})
	m := adatsMap{Width: 3}
	m.Mean, m.Scale = standardisation(h)
	dst := make([]float32, 3)
	m.standardise(dst, []float32{5, 7, 9})
	if want := float32(2 / math.Sqrt(8./3)); dst[0] != want || dst[1] != 0 || dst[2] != 0 {
		t.Errorf("%v, want %v and 0 where the features do not vary", dst, want)
	}
	if m.standardise(dst, []float32{3e38, 0, 0}); dst[0] != 30 {
		t.Errorf("%v, want the limit", dst[0])
	}
}

func TestAdaTSOptionsAndTemperaturesAreLimited(t *testing.T) {
	entry := AdaTSEntry
	for name, bad := range map[string]any{"epochs": 0, "max_steps": -1, "hidden": 7} {
		if _, err := calibtest.Method(entry, map[string]any{name: bad}); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s = %d: %v", name, bad, err)
		}
	}
	for out, want := range map[float32]float64{-50: 1e-3, 3e38: fit.MaxT, float32(math.NaN()): fit.MaxT, float32(math.Inf(1)): fit.MaxT} {
		if got := adatsTemperature(out); got != want {
			t.Errorf("temperature of %v is %v, want %v", out, got, want)
		}
	}
}

// On a real network, the NLL after a short training is below that of ts on test
// rows.
func TestRealAdaTSIsBelowTS(t *testing.T) {
	if testing.Short() {
		t.Skip("trains for seconds")
	}
	dir := filepath.Join("..", "..", "shared", "real", "cifar10-jpeg", "resnet56")
	if _, err := os.Stat(dir); err != nil {
		t.Skip("no network with features on which AdaTS is below TS; of four in data/bundle it is on one")
	}
	read := func(split string) *data.Set {
		r, err := data.Files{Logits: filepath.Join(dir, split, "logits.npy"), Labels: filepath.Join(dir, split, "labels.npy"),
			Features: filepath.Join(dir, split, "features.npy")}.Open()
		if err != nil {
			t.Fatal(err)
		}
		defer r.Close()
		set, err := data.Read(context.Background(), r, 0, r.Rows())
		if err != nil {
			t.Fatal(err)
		}
		return set
	}
	cal, test := read("cal"), read("test")
	f, err := calib.FitInput(context.Background(), AdaTS{Epochs: 100, MaxSteps: new(300), Hidden: 64, Draws: new(0)}, calib.Input{Cal: cal})
	if err != nil {
		t.Fatal(err)
	}
	q := data.NewProbs(test.Logits.Rows, test.Logits.Cols)
	calib.Apply(f.Map, q, test)
	got, ts := plainNLL(q, test.Labels), plainNLL(calibtest.Apply(calibtest.Fit(t, calib.TSEntry, cal, nil).Map, test.Logits), test.Labels)
	if got > ts {
		t.Errorf("NLL %v on the test set, ts has %v", got, ts)
	}
}

func BenchmarkFitAdaTS(b *testing.B) {
	for _, c := range []struct{ n, d, k, hidden int }{
		{5000, 64, 10, 256}, {5000, 512, 100, 256}, {5000, 512, 100, 1024}, {25000, 1000, 1000, 256},
	} {
		set := featured(c.n, c.d, c.k, 1)
		b.Run(fmt.Sprintf("method=adats/n=%d/d=%d/k=%d/hidden=%d/steps=20", c.n, c.d, c.k, c.hidden), func(b *testing.B) {
			for b.Loop() {
				if _, err := calib.FitInput(context.Background(), AdaTS{Epochs: 1, MaxSteps: new(20), Hidden: c.hidden, Draws: new(0)}, calib.Input{Cal: set}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
