// Command alone compares methods of predictions with a confidence alone with those that read all logits:
//
//	cd studies && go run ./alone NETWORK... > ../results/shown/alone.csv
//
// NETWORK is a folder with cal and test, which have logits. Its predictions are reduced to their confidence and to
// whether they are right. The output has a row for each network with the ECE on its test rows: of uncal, ts and qats
// on the logits, of ts-top and qats-top on what is left of them, with the number of classes (shares) and without it
// (odds), and of the other methods. docs/formats.md names it.
package main

import (
	"context"
	"fmt"
	"path/filepath"
	"strconv"

	"github.com/qats-bench/qats/calib"
	"github.com/qats-bench/qats/calib/all"
	"github.com/qats-bench/qats/data"
	"github.com/qats-bench/qats/metrics"
	"github.com/qats-bench/qats/studies/bynetwork"
)

func main() { bynetwork.Main("alone", head(), compared) }

// columns are the methods, with what they are fitted on: the logits, what is left of them with the number of
// classes, or what is left of them alone.
var columns = []struct {
	name, method string
	on           form
}{
	{"uncal", "uncal", full}, {"ts", "ts", full}, {"ts_shares", "ts-top", shares}, {"ts_odds", "ts-top", odds},
	{"qats", "qats", full}, {"qats_shares", "qats-top", shares}, {"qats_odds", "qats-top", odds},
	{"platt", "platt-top", odds}, {"beta", "beta-top", odds}, {"ir", "ir-top", odds}, {"hb", "hb-top", odds}, {"spline", "spline", odds},
}

// form says what is left of the logits of a network.
type form int

const (
	full   form = iota
	shares      // confidence, correctness and the number of classes
	odds        // confidence and correctness
)

// head returns the names of the columns.
func head() []string {
	names := []string{"dataset", "backbone", "classes"}
	for _, c := range columns {
		names = append(names, c.name)
	}
	return names
}

// compared returns the row of a network.
func compared(network string) ([]string, error) {
	var sets [2][3]*data.Set // calibration and test, by form
	for i, part := range []string{"cal", "test"} {
		set, err := data.ReadSet(filepath.Join(network, part, "logits.npy"), filepath.Join(network, part, "labels.npy"))
		if err != nil {
			return nil, err
		}
		sets[i][full] = set
		for _, f := range []form{shares, odds} {
			if sets[i][f], err = reduced(set, f); err != nil {
				return nil, err
			}
		}
	}
	row := []string{filepath.Base(filepath.Dir(network)), filepath.Base(network), strconv.Itoa(sets[0][full].K())}
	for _, c := range columns {
		entry, _ := all.Lookup(c.method)
		fitted, err := calib.Fit(context.Background(), entry.Method, sets[0][c.on])
		if err != nil {
			return nil, fmt.Errorf("%s: %w", c.name, err)
		}
		s, err := samples(fitted, sets[1][c.on])
		if err != nil {
			return nil, fmt.Errorf("%s: %w", c.name, err)
		}
		row = append(row, strconv.FormatFloat(metrics.ECE(s, 15), 'g', 6, 64))
	}
	return row, nil
}

// reduced returns what is left of a set with logits.
func reduced(set *data.Set, f form) (*data.Set, error) {
	conf, correct := calib.NewUnscaled(set.Logits).Confidences(), make([]bool, len(set.Labels))
	for i, y := range set.Labels {
		top := 0 // the lowest class of the largest logit
		for j, l := range set.Logits.Row(i) {
			if l > set.Logits.Row(i)[top] {
				top = j
			}
		}
		correct[i] = int(y) == top
	}
	k := 0
	if f == shares {
		k = set.K()
	}
	return data.FromConfidences(conf, correct, k)
}

// samples returns the predictions of a fit.
func samples(fitted *calib.Fitted, set *data.Set) (*metrics.Samples, error) {
	top, ok := calib.OfConfidence(fitted.Map)
	if !ok || set.Confidence == nil {
		probs, err := fitted.Probabilities(set)
		if err != nil {
			return nil, err
		}
		return metrics.FromProbs(probs, set)
	}
	_, conf, err := calib.TopLabels(top, set)
	if err != nil {
		return nil, err
	}
	correct := make([]bool, len(conf))
	for i, y := range set.Labels {
		correct[i] = y == 0
	}
	return metrics.FromConfidences(conf, correct)
}
