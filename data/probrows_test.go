package data

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/qats-bench/qats/data/npy"
)

// rounded returns n rows of k probabilities that are rounded to a number of decimals.
func rounded(n, k, decimals int) []float64 {
	var all []float64
	for i := range n {
		row, sum := make([]float64, k), 0.0
		for j := range row {
			row[j] = 1 + math.Sin(float64(1+7*i+3*j*j))
			sum += row[j]
		}
		for j := range row {
			row[j] = math.Round(row[j]/sum*math.Pow10(decimals)) / math.Pow10(decimals)
		}
		all = append(all, row...)
	}
	return all
}

// Rows of rounded decimals are taken, through both doors, and a message names the limit that was used.
func TestRowsOfRoundedProbabilities(t *testing.T) {
	for _, c := range []struct {
		name string
		rows []float64
		k    int
		want string // of the error; "" for none
		warn bool
	}{
		{"two decimals", rounded(60, 10, 2), 10, "", true},
		{"three decimals", rounded(60, 10, 3), 10, "", false},
		{"one decimal", rounded(60, 4, 1), 4, "", true},
		{"at the limit", []float64{.51, .5, .5, .5}, 2, "", false},
		{"three classes at it", []float64{.34, .34, .33, .3, .3, .4}, 3, "", true},
		{"beyond it", []float64{.36, .34, .33, .3, .3, .4}, 3, "row 0: probabilities sum to 1.03, which is not 1 within 0.015", false},
		{"many decimals", []float64{.3412345, .34, .33, .3, .3, .4}, 3, "row 0: probabilities sum to 1.0112345, which is not 1 within 0.01", false},
		{"never beyond a tenth", []float64{.2, .2, .2, .2, .1, .1, .1, .1}, 8, "row 0: probabilities sum to 1.2, which is not 1 within 0.1", false},
		{"one and a bit", []float64{1.0000000000000002, 0, .3, .7}, 2, "", false},
		{"six decimals", []float64{1.000001, 0, .3, .7}, 2, "", false},
		{"float32", []float64{float64(math.Nextafter32(1, 2)), 0, .3, .7}, 2, "", false},
		{"no probability", []float64{1.2, 0, .3, .7}, 2, "row 0, class 0: 1.2 is not a probability; if these are logits, state kind: logits in manifest.yaml (fit, apply and try: --kind logits; score: --logits)", false},
		{"one column", []float64{1.0000000000000002, 1.00001, .3}, 1, "", false},
		{"one column beyond", []float64{.5, 1.01}, 1, "row 1: 1.01 is not a probability", false},
	} {
		n := len(c.rows) / c.k
		path := filepath.Join(t.TempDir(), "probs.npy")
		if err := os.WriteFile(path, append(npy.HeaderBytes(npy.Float64, []int{n, c.k}), npy.Little(c.rows)...), 0o666); err != nil {
			t.Fatal(err)
		}
		check := func(door string, err error, warned bool) {
			t.Helper()
			if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.HasSuffix(err.Error(), c.want)) {
				t.Errorf("%s, %s: %v, want %q", c.name, door, err, c.want)
			}
			if err == nil && warned != c.warn {
				t.Errorf("%s, %s: warned %v", c.name, door, warned)
			}
		}
		r, err := Files{Logits: path, Kind: KindProbs}.Open()
		if err != nil {
			t.Fatal(err)
		}
		form, err := r.Form()
		warned := strings.Contains(fmt.Sprint(form.Notes), "as rounded decimals do")
		check("logits", err, warned)
		if err == nil {
			set, err := Read(t.Context(), r, 0, n)
			for i := range n {
				sum := 0.0
				for _, z := range set.Logits.Row(i) {
					sum += math.Exp(float64(z))
				}
				if err != nil || math.Abs(sum-1) > 1e-5 {
					t.Errorf("%s: row %d sums to %g, %v", c.name, i, sum, err)
				}
			}
		}
		r.Close()
		a, err := OpenArray(nil, path)
		if err != nil {
			t.Fatal(err)
		}
		p, err := NewProbReader(a)
		if err != nil {
			t.Fatal(err)
		}
		dst := make([]float64, n*p.Classes())
		err = p.Read(dst, 0, n)
		check("probabilities", err, strings.Contains(fmt.Sprint(p.Notes()), "as rounded decimals do"))
		for i := 0; err == nil && i < n; i++ {
			sum := 0.0
			for _, v := range dst[i*p.Classes():][:p.Classes()] {
				sum += v
				if !(v >= 0 && v <= 1) {
					t.Errorf("%s: row %d has %g", c.name, i, v)
				}
			}
			if math.Abs(sum-1) > 2e-6 {
				t.Errorf("%s: row %d sums to %g", c.name, i, sum)
			}
		}
		a.Close()
	}
}
