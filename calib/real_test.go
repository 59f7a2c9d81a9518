package calib

import (
	"context"
	"encoding/binary"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/qats-bench/qats/calib/internal/fit"
	"github.com/qats-bench/qats/calib/internal/testset"
	"github.com/qats-bench/qats/data"
)

// realRoot returns the folder of predictions of real networks. It skips the test if
// there is none.
func realRoot(t testing.TB) string {
	root := os.Getenv("QATS_SHARED")
	if root == "" {
		root = filepath.Join("..", "..", "shared")
	}
	root = filepath.Join(root, "real")
	if _, err := os.Stat(root); err != nil {
		t.Skip("no predictions of real networks here")
	}
	return root
}

// realNetworks returns dataset/network of all sets to calibrate on, sorted.
func realNetworks(t testing.TB) []string {
	root := realRoot(t)
	paths, err := filepath.Glob(filepath.Join(root, "*", "*", "cal", "logits.npy"))
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, p := range paths {
		name, _ := filepath.Rel(root, filepath.Dir(filepath.Dir(p)))
		names = append(names, filepath.ToSlash(name))
	}
	slices.Sort(names)
	return names
}

// realSet reads logits and labels of one split of a network.
func realSet(t testing.TB, name, split string) *data.Set {
	dir := filepath.Join(realRoot(t), name, split)
	logits, shape := readNPY(t, filepath.Join(dir, "logits.npy"))
	labels, _ := readNPY(t, filepath.Join(dir, "labels.npy"))
	set := &data.Set{Logits: data.Matrix{Rows: shape[0], Cols: shape[1], Data: logits}}
	for _, y := range labels {
		set.Labels = append(set.Labels, int32(y))
	}
	return set
}

// On every real network, qats is not worse than ts, ts not worse than the network, and
// both keep the predictions.
func TestRealFitsAreOrdered(t *testing.T) {
	flat := 0
	for _, name := range realNetworks(t) {
		set := realSet(t, name, "cal")
		ts, qats := fitMethod(t, "ts", set, nil), fitMethod(t, "qats", set, nil)
		o, err := fit.NewObjective(set)
		if err != nil {
			t.Fatal(err)
		}
		uncal, err := o.NLL(context.Background(), 1)
		if err != nil {
			t.Fatal(err)
		}
		temp, m := ts.Map.(temperatureMap).T, qats.Map.(qatsMap)
		t.Logf("%-36s T = %.4f  a = %.4f  b = %.4f  %s", name, temp, m.A, m.B, strings.Join(qats.Report.AtBound, ", "))
		if !(qats.Report.NLL <= ts.Report.NLL+1e-12 && ts.Report.NLL <= uncal+1e-12) {
			t.Errorf("%s: NLL uncal %.12g, ts %.12g, qats %.12g", name, uncal, ts.Report.NLL, qats.Report.NLL)
		}
		if ts.Report.Gradient >= fit.GradTol || qats.Report.Gradient > fit.GradTol || ts.Report.Passes > 4.5 {
			t.Errorf("%s: ts %+v, qats %+v", name, ts.Report, qats.Report)
		}
		if m.A == 0 {
			flat++
			if m.B != temp {
				t.Errorf("%s: a = 0 and b = %v, ts %v", name, m.B, temp)
			}
		}
		if got := secondStart(t, set, temp); math.Abs(got-qats.Report.NLL) > 1e-10 {
			t.Errorf("%s: from (1, T/2) the NLL is %.12g, from (0, T) %.12g", name, got, qats.Report.NLL)
		}
		test := realSet(t, name, "test")
		test.Logits = test.Logits.Slice(0, min(test.Logits.Rows, 500))
		p, q := applied(ts.Map, test.Logits), applied(m, test.Logits)
		for i := range test.Logits.Rows {
			row := test.Logits.Row(i)
			want := slices.Index(row, slices.Max(row))
			for _, got := range [][]float64{p.Row(i), q.Row(i)} {
				if slices.Index(got, slices.Max(got)) != want {
					t.Errorf("%s: row %d: the predicted class changes", name, i)
				}
			}
		}
	}
	t.Logf("a = 0 for %d networks", flat)
}

// secondStart returns the NLL of the linear curve fitted from (1, T/2).
func secondStart(t *testing.T, set *data.Set, temp float64) float64 {
	t.Helper()
	o, err := fit.NewObjective(set)
	if err != nil {
		t.Fatal(err)
	}
	q := directRanks(set)
	c := fit.Curve{Segments: 1}
	lo, hi := c.Bounds()
	sol, err := fit.BoxNewton(func(x []float64) (fit.Local, error) {
		return c.At(context.Background(), o, q, x)
	}, []float64{1, max(fit.MinT, temp/2)}, lo, hi, temp)
	if err != nil {
		t.Fatal(err)
	}
	return sol.Value
}

// Fits of thirteen networks are those of grids, and fits of one of them those of
// independent code.
func TestRealFitsAreAtMostBruteForce(t *testing.T) {
	if testing.Short() {
		t.Skip("grids over thousands of rows")
	}
	for _, name := range []string{
		"cifar10/resnet50", "breastmnist/vit-b16", "breastmnist/resnet18", "breastmnist/inception-resnet-v2",
		"breastmnist/convnext-b", "breastmnist/efficientnetv2-m", "pneumoniamnist/resnet18",
		"dermamnist/vit-b16", "dermamnist/convnext-b", "dermamnist/efficientnetv2-m", "dermamnist/resnet18",
		"ham10000/resnet18", "bloodmnist/vit-b16",
	} {
		set := realSet(t, name, "cal")
		got := fitMethod(t, "ts", set, nil)
		want, nll := testset.BruteTemperature(set)
		if math.Abs(got.Map.(temperatureMap).T/want-1) > 1e-6 || math.Abs(got.Report.NLL-nll) > 1e-12 {
			t.Errorf("%s: T = %.9g with NLL %.15g, brute force %.9g with %.15g", name, got.Map.(temperatureMap).T, got.Report.NLL, want, nll)
		}
		checkAgainstBrute(t, name, set)
	}
	set := realSet(t, "cifar10/resnet50", "cal")
	temp, m := fitMethod(t, "ts", set, nil).Map.(temperatureMap).T, fitMethod(t, "qats", set, nil).Map.(qatsMap)
	if math.Abs(temp-2.498) > 1e-3 || math.Abs(m.A-1.056) > 1e-3 || math.Abs(m.B-1.814) > 1e-3 {
		t.Errorf("cifar10/resnet50: T = %.4f, a = %.4f, b = %.4f; known 2.498, 1.056, 1.814", temp, m.A, m.B)
	}
}

var npyHeader = regexp.MustCompile(`'descr': '([^']+)', 'fortran_order': False, 'shape': \((\d+), ?(\d*)\)`)

// readNPY reads the few formats of the real predictions, without the checks of package
// data.
func readNPY(t testing.TB, path string) (values []float32, shape [2]int) {
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	end := 10 + int(binary.LittleEndian.Uint16(raw[8:]))
	h := npyHeader.FindSubmatch(raw[:end])
	if h == nil {
		t.Fatalf("%s: header %q", path, raw[:end])
	}
	for i, dim := range h[2:] {
		for _, c := range dim {
			shape[i] = 10*shape[i] + int(c-'0')
		}
	}
	body := raw[end:]
	switch descr := string(h[1]); {
	case strings.HasSuffix(descr, "f4"):
		for ; len(body) >= 4; body = body[4:] {
			values = append(values, math.Float32frombits(binary.LittleEndian.Uint32(body)))
		}
	case strings.HasSuffix(descr, "f2"):
		for ; len(body) >= 2; body = body[2:] {
			values = append(values, half(binary.LittleEndian.Uint16(body)))
		}
	case strings.HasSuffix(descr, "i4"):
		for ; len(body) >= 4; body = body[4:] {
			values = append(values, float32(int32(binary.LittleEndian.Uint32(body))))
		}
	default:
		t.Fatalf("%s: dtype %s", path, descr)
	}
	return values, shape
}

// half returns the value of a finite float16.
func half(b uint16) float32 {
	exp, frac := int(b>>10&31), float64(b&1023)
	v := math.Ldexp(frac, -24)
	if exp > 0 {
		v = math.Ldexp(1024+frac, exp-25)
	}
	if b>>15 == 1 {
		v = -v
	}
	return float32(v)
}
