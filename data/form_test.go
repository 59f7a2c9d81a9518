package data_test

import (
	"context"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/qats-bench/qats/data"
	"github.com/qats-bench/qats/data/npy"
	"github.com/qats-bench/qats/data/npytest"
)

// formOf writes n x k numbers as float64 and examines them.
func formOf(t *testing.T, kind data.Kind, n, k int, at func(i, j int) float64) (*data.Set, data.Form, error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "logits.npy")
	w, err := npy.CreateArray(path, npy.Float64, n, k)
	if err != nil {
		t.Fatal(err)
	}
	x := make([]float64, n*k)
	for i := range x {
		x[i] = at(i/k, i%k)
	}
	if err := w.Float64(x); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	r, err := data.Files{Logits: path, Kind: kind}.Open()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	form, err := r.Form()
	if err != nil {
		if _, again := data.Read(context.Background(), r, 0, n); again == nil || again.Error() != err.Error() {
			t.Errorf("Form says %v, Read %v", err, again)
		}
		return nil, form, err
	}
	set, err := data.Read(context.Background(), r, 0, n)
	return set, form, err
}

func noise(seed uint64) func(i, j int) float64 {
	return func(i, j int) float64 {
		return 4 * rand.New(rand.NewPCG(seed, uint64(i*1000+j))).NormFloat64()
	}
}

// Offsets that float32 would not hold are removed in float64. Ordinary logits,
// however close to each other, are read unchanged.
func TestLargeOffsetsAreRemovedInFloat64(t *testing.T) {
	const n, k = 50, 7
	z := noise(1)
	for _, c := range []struct {
		name    string
		at      func(i, j int) float64
		centred bool
	}{
		{"plain", z, false},
		{"large", func(i, j int) float64 { return 30 * z(i, j) }, false},
		{"ties", func(i, j int) float64 { return 5 + 1e-9*z(i, j) }, false},
		{"offset 10", func(i, j int) float64 { return 10 + z(i, j) }, false},
		{"offset 1000", func(i, j int) float64 { return 1000 + z(i, j) }, true},
		{"offset 1e6", func(i, j int) float64 { return 1e6 + z(i, j) }, true},
		{"offset -1e9", func(i, j int) float64 { return -1e9 + z(i, j) }, true},
		{"one row", func(i, j int) float64 {
			if i == 33 {
				return 1e7 + z(i, j)
			}
			return z(i, j)
		}, true},
	} {
		set, form, err := formOf(t, data.AnyKind, n, k, c.at)
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		if form.OffsetLost != c.centred || (len(form.Notes) > 0) != c.centred {
			t.Errorf("%s: %+v", c.name, form)
		}
		for i := range n {
			row := set.Logits.Row(i)
			spread := 0.0
			for j := range k {
				spread = max(spread, math.Abs(c.at(i, j)-c.at(i, 0)))
			}
			for j := range k {
				want, got := c.at(i, j)-c.at(i, 0), float64(row[j])-float64(row[0])
				if !(math.Abs(got-want) <= 0x1p-20*max(1, spread)+1e-7) { // 1e-7: the spacing of float64 at 1e9
					t.Fatalf("%s, row %d: difference %v became %v", c.name, i, want, got)
				}
			}
			if !c.centred && row[0] != float32(c.at(i, 0)) {
				t.Fatalf("%s, row %d: %v became %v", c.name, i, c.at(i, 0), row[0])
			}
		}
	}
}

// Exact probabilities need no note.
func TestExactProbabilitiesHaveNoNotes(t *testing.T) {
	rows := [][]float64{{.5, .25, .25}, {.125, .125, .75}}
	_, form, err := formOf(t, data.KindProbs, 2, 3, func(i, j int) float64 { return rows[i][j] })
	if err != nil || len(form.Notes) > 0 {
		t.Errorf("%+v (%v)", form, err)
	}
}

// Stated probabilities become their logarithms. Each row is divided by its sum, and
// 0 becomes the smallest normal float32; notes count both. Every other number counts as it
// is, down to the floor of the NLL.
func TestStatedProbabilitiesBecomeLogarithms(t *testing.T) {
	rows := [][]float64{{.5, .3, .2}, {1, 0, 0}, {.504, .3, .2}, {.5, .5, 1e-60}, {1e-310, .5, .5}}
	set, form, err := formOf(t, data.KindProbs, 5, 3, func(i, j int) float64 { return rows[i][j] })
	if err != nil {
		t.Fatal(err)
	}
	if !form.OffsetLost || notes(form) != "1 of 5 rows of probabilities sum to 1 only within 0.01 and are divided by their sum; "+
		"2 probabilities of exactly 0 count as 2^-126" {
		t.Errorf("%+v", form)
	}
	tiny := math.Log(0x1p-126)
	for i, want := range [][]float64{
		{math.Log(.5), math.Log(.3), math.Log(.2)}, {0, tiny, tiny},
		{math.Log(.504 / 1.004), math.Log(.3 / 1.004), math.Log(.2 / 1.004)}, {math.Log(.5), math.Log(.5), math.Log(1e-60)},
		{math.Log(1e-300), math.Log(.5), math.Log(.5)},
	} {
		for j, w := range want {
			if got := float64(set.Logits.Row(i)[j]); !(math.Abs(got-w) <= 1e-7*max(1, math.Abs(w))) {
				t.Errorf("row %d, class %d: %v, want %v", i, j, got, w)
			}
		}
	}
	for want, rows := range map[string][][]float64{
		"row 1: probabilities sum to 1.02, which is not 1 within 0.01": {{.5, .5}, {.52, .5}},
		"row 0, class 1: -0.005 is not a probability":                  {{1.005, -.005}, {.5, .5}},
		"row 1, class 0: -0.005 is not a probability":                  {{.5, .5}, {-.005, 1.005}},
	} {
		if _, _, err := formOf(t, data.KindProbs, 2, 2, func(i, j int) float64 { return rows[i][j] }); err == nil || !strings.HasSuffix(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

// Numbers are taken for probabilities if every row is in [0, 1] and sums to 1
// within the tolerance, in 20 rows or more of 2 classes or more.
func TestUnstatedProbabilitiesAreRejected(t *testing.T) {
	dirichlet := func(k int, round float64) func(i, j int) float64 {
		return func(i, j int) float64 {
			sum, own := 0.0, 0.0
			for c := range k {
				e := math.Exp(noise(2)(i, c))
				sum += e
				if c == j {
					own = e
				}
			}
			if round == 0 {
				return own / sum
			}
			return math.Round(own/sum*round) / round
		}
	}
	for _, c := range []struct {
		name          string
		kind          data.Kind
		n, k          int
		at            func(i, j int) float64
		refused, note bool
	}{
		{"softmax", data.AnyKind, 20, 4, dirichlet(4, 0), true, false},
		{"four decimals", data.AnyKind, 30, 10, dirichlet(10, 1e4), true, false},
		{"three decimals of two classes", data.AnyKind, 30, 2, dirichlet(2, 1e3), true, false},
		{"nineteen rows", data.AnyKind, 19, 4, dirichlet(4, 0), false, false},
		{"stated to be logits", data.KindLogits, 40, 4, dirichlet(4, 0), false, false},
		{"stated to be log-probabilities", data.KindLogProbs, 40, 4, dirichlet(4, 0), false, false},
		{"one row is none", data.AnyKind, 40, 4, func(i, j int) float64 {
			if i == 39 && j == 0 {
				return 1.5
			}
			return dirichlet(4, 0)(i, j)
		}, false, false},
		{"one sum is off", data.AnyKind, 40, 4, func(i, j int) float64 {
			if i == 39 {
				return .3
			}
			return dirichlet(4, 0)(i, j)
		}, false, true},
		{"sigmoid", data.AnyKind, 40, 4, func(i, j int) float64 { return 1 / (1 + math.Exp(noise(3)(i, j))) }, false, true},
		{"logits", data.AnyKind, 40, 4, noise(4), false, false},
	} {
		_, form, err := formOf(t, c.kind, c.n, c.k, c.at)
		if (err != nil) != c.refused || (len(form.Notes) > 0) != c.note {
			t.Errorf("%s: %v, notes %q", c.name, err, form.Notes)
		}
		if err != nil && !strings.Contains(err.Error(), "these are probabilities, not logits") {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

// No logits of the bundle, or of other real networks where these are present, are
// taken for anything but logits.
func TestRealLogitsAreTakenForLogits(t *testing.T) {
	for _, root := range []string{"bundle", filepath.Join("..", "..", "shared", "real")} {
		if _, err := os.Stat(root); err != nil {
			continue
		}
		seen := 0
		err := filepath.WalkDir(root, func(path string, d os.DirEntry, err error) error {
			if err != nil || d.Name() != "logits.npy" {
				return err
			}
			r, err := data.Files{Logits: path}.Open()
			if err != nil {
				return err
			}
			defer r.Close()
			seen++
			if form, err := r.Form(); err != nil || form.OffsetLost || len(form.Notes) > 0 {
				t.Errorf("%s: %+v, %v", path, form, err)
			}
			return nil
		})
		if err != nil || seen == 0 {
			t.Errorf("%s: %d arrays, %v", root, seen, err)
		}
	}
}

// notes returns the notes on a form in one line.
func notes(f data.Form) string {
	var list []string
	for _, note := range f.Notes {
		text := note.String()
		if note.Warning {
			text = "warning: " + text
		}
		list = append(list, text)
	}
	return strings.Join(list, "; ")
}

// Probabilities are read as FromProbs reads them.
func TestFromProbsHasTheBitsOfASet(t *testing.T) {
	rows := [][]float64{{.5, .3, .2}, {1, 0, 0}, {.504, .3, .2}, {1.008, 0x1p-126 * 1.004, 0}, {.5, .5, 0x1p-126}, {0, 1, 1e-310}}
	zeros := []int{0, 2, 0, 1, 0, 1}
	set, form, err := formOf(t, data.KindProbs, len(rows), 3, func(i, j int) float64 { return rows[i][j] })
	if err != nil {
		t.Fatal(err)
	}
	if want := "2 of 6 rows of probabilities sum to 1 only within 0.01 and are divided by their sum; 4 probabilities of exactly 0 count as 2^-126"; notes(form) != want {
		t.Errorf("notes %q", form.Notes)
	}
	for i, row := range rows {
		got := make([]float32, 3)
		n, err := data.FromProbs(got, row)
		if err != nil || n != zeros[i] || !slices.Equal(got, set.Logits.Row(i)) {
			t.Errorf("row %v: %v, %d zeros (%v); as a set %v", row, got, n, err, set.Logits.Row(i))
		}
	}
	for want, row := range map[string][]float64{
		"class 1: -0.005 is not a probability":                  {1.005, -.005},
		"class 0: 1.5 is not a probability":                     {1.5, 0},
		"probabilities sum to 1.02, which is not 1 within 0.01": {.52, .5},
		"probabilities sum to 0.98, which is not 1 within 0.01": {.48, .5},
		"class 0: NaN is not a probability":                     {math.NaN(), 1},
	} {
		if _, err := data.FromProbs(make([]float32, 2), row); err == nil || err.Error() != want {
			t.Errorf("%v: %v, want %s", row, err, want)
		}
	}
}

// Logits of OOD images are examined like others, and labels of a float type are noted.
func TestFormOfAllParts(t *testing.T) {
	offset := make([]float64, 0, 6)
	for i := range 6 {
		offset = append(offset, 1e9+float64(i))
	}
	files := fstest.MapFS{
		"logits.npy": {Data: npytest.File(1, npytest.Header("<f4", false, "(4, 2)"), npytest.F4(1, 2, 3, 4, 5, 6, 7, 8))},
		"ood.npy":    {Data: npytest.File(1, npytest.Header("<f8", false, "(3, 2)"), npytest.F8(offset...))},
		"labels.npy": {Data: npytest.File(1, npytest.Header("<f8", false, "(4,)"), npytest.F8(0, 1, 1, 0))},
	}
	of := data.Files{Logits: "logits.npy", Labels: "labels.npy", OOD: "ood.npy"}
	open := func(x data.ArrayFile) (*npy.Array, error) { return data.OpenArray(files, x.Path) }
	for parts, want := range map[data.Parts]string{
		data.OOD:                  "warning: logits up to 1e+09 are read relative to the largest of their row, since float32 would not hold their differences",
		data.Logits:               "",
		data.Logits | data.Labels: "warning: the labels are float64; whole numbers are read as classes",
	} {
		r, err := of.OpenWith(parts, open)
		if err != nil {
			t.Fatal(err)
		}
		defer r.Close()
		if form, err := r.Form(); err != nil || notes(form) != want {
			t.Errorf("%s: %q, %v", parts, form.Notes, err)
		}
	}
	files["labels.npy"] = &fstest.MapFile{Data: npytest.File(1, npytest.Header("<f8", false, "(4,)"), npytest.F8(0, 1, .5, 0))}
	r, err := of.OpenWith(data.Logits|data.Labels, open)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if form, err := r.Form(); err == nil {
		t.Errorf("a label of one half: %+v", form)
	}
}
