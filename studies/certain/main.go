// Command certain counts the test rows that a fit of QaTS makes certain:
//
//	cd studies && go run ./certain NETWORK... > ../results/shown/certain.csv
//
// NETWORK is a folder with cal and test. The output has a row for each network: whether b of the
// fit is at its lower bound, the number of test rows, the share whose largest probability is 1,
// the share whose largest probability is above 1 - 1e-6, and how many of the latter are wrong.
// docs/findings.md has the table.
package main

import (
	"context"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/qats-bench/qats/calib"
	"github.com/qats-bench/qats/calib/report"
	"github.com/qats-bench/qats/data"
	"github.com/qats-bench/qats/metrics/scoring"
	"github.com/qats-bench/qats/studies/bynetwork"
)

func main() { bynetwork.Main("certain", head(), certain) }

// nearOne is the probability above which rows are counted beside those of exactly 1.
const nearOne = 1 - 1e-6

// head returns the names of the columns.
func head() []string {
	return []string{"backbone", "bound", "rows", "ones", "near", "wrong", "costly", "costly_share"}
}

// certain returns the row of a network.
func certain(network string) ([]string, error) {
	read := func(part string) (*data.Set, error) {
		return data.ReadSet(filepath.Join(network, part, "logits.npy"), filepath.Join(network, part, "labels.npy"))
	}
	cal, err := read("cal")
	if err != nil {
		return nil, err
	}
	test, err := read("test")
	if err != nil {
		return nil, err
	}
	fitted, err := calib.Fit(context.Background(), calib.QaTS{}, cal)
	if err != nil {
		return nil, err
	}
	probs, err := fitted.Probabilities(test)
	if err != nil {
		return nil, err
	}
	ts, err := calib.Fit(context.Background(), calib.TemperatureScaling{}, cal)
	if err != nil {
		return nil, err
	}
	costs, err := losses(test, ts, fitted)
	if err != nil {
		return nil, err
	}
	costly, part := above(costs)
	bound := slices.ContainsFunc(fitted.Report.AtBound, func(b report.Bound) bool { return b.Parameter == "b" && b.Side == report.Lower })
	ones, near, wrong := count(probs, test.Labels)
	share := func(n int) string { return strconv.FormatFloat(float64(n)/float64(probs.Rows), 'g', 6, 64) }
	return []string{filepath.Base(network), map[bool]string{true: "yes", false: "no"}[bound], strconv.Itoa(probs.Rows), share(ones), share(near), strconv.Itoa(wrong), strconv.Itoa(costly), part}, nil
}

// losses returns the NLL of each row with b minus that with a.
func losses(test *data.Set, a, b *calib.Fitted) ([]float64, error) {
	of := make([][]float64, 2)
	for i, fitted := range []*calib.Fitted{a, b} {
		scales := make([]float64, len(test.Labels))
		fitted.Map.(calib.Tempered).Scales(scales, test, calib.NewUnscaled(test.Logits)) // as both methods are
		s := scoring.New(len(test.Labels))
		if err := scoring.AppendScaled([]*scoring.SampleScores{s}, test, scales); err != nil {
			return nil, err
		}
		of[i] = s.NLL
	}
	for i := range of[1] {
		of[1][i] -= of[0][i]
	}
	return of[1], nil
}

// above counts the differences above one nat, and returns their sum over that of all, as text; nothing where the sum of all is
// not positive.
func above(differences []float64) (n int, share string) {
	sum, all := 0., 0.
	for _, d := range differences {
		if all += d; d > 1 {
			sum += d
			n++
		}
	}
	if all <= 0 {
		return n, ""
	}
	return n, strconv.FormatFloat(sum/all, 'g', 6, 64)
}

// count returns the number of rows of probability 1, of those near 1, and of the latter that are wrong.
func count(probs data.Probs, labels []int32) (ones, near, wrong int) {
	for i, label := range labels {
		row := probs.Row(i)
		most := slices.Max(row)
		if most == 1 {
			ones++
		}
		if most > nearOne {
			near++
			if row[label] != most {
				wrong++
			}
		}
	}
	return ones, near, wrong
}
