package main

import (
	"encoding/csv"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/qats-bench/qats/data/simulate"
)

// published returns a network for each of the paper's 162 settings, with the
// published ECE and a typical accuracy, which has no source.
func published(t testing.TB) []simulate.Network {
	f, err := os.Open("../../results/paper/published.csv")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	accuracy := map[string]float64{"cifar10": 0.95, "cifar100": 0.78, "imagenet": 0.75, "cifar100-lt-r10": 0.58,
		"cifar100-lt-r100": 0.42, "imagenet-lt": 0.45, "cifar100-c": 0.78, "ham10000": 0.8, "pathmnist": 0.9,
		"bloodmnist": 0.96, "breastmnist": 0.85, "dermamnist": 0.75, "organamnist": 0.93, "organcmnist": 0.91,
		"organsmnist": 0.78, "pneumoniamnist": 0.87, "retinamnist": 0.52, "tissuemnist": 0.67, "voc2012": 0.93, "20newsgroups": 0.85}
	classes := map[string]int{"cifar10": 10, "cifar100": 100, "imagenet": 1000, "cifar100-lt-r10": 100,
		"cifar100-lt-r100": 100, "imagenet-lt": 1000, "cifar100-c": 100, "ham10000": 7, "pathmnist": 9,
		"bloodmnist": 8, "breastmnist": 2, "dermamnist": 7, "organamnist": 11, "organcmnist": 11,
		"organsmnist": 11, "pneumoniamnist": 2, "retinamnist": 5, "tissuemnist": 8, "voc2012": 21, "20newsgroups": 20}
	imbalance := map[string]float64{"cifar100-lt-r10": 10, "cifar100-lt-r100": 100, "imagenet-lt": 256}
	prior := map[string][]float64{"ham10000": {67, 11, 11, 5, 3, 1, 1}, "dermamnist": {67, 11, 11, 5, 3, 1, 1},
		"breastmnist": {27, 73}, "pneumoniamnist": {38, 62}, "voc2012": simulate.Background(21, 0.7)}
	var all []simulate.Network
	for _, r := range rows[1:] {
		table, metric, dataset, corruption, severity, backbone, method := r[0], r[1], r[2], r[3], r[4], r[5], r[6]
		if metric != "ece" || method != "Uncal" || dataset == "average" || corruption == "average" ||
			!strings.Contains("standard longtail shift-full medical-full tasks", table) {
			continue
		}
		percent, err := strconv.ParseFloat(r[7], 64)
		if err != nil {
			t.Fatal(err)
		}
		w := simulate.Network{Name: strings.TrimSuffix(dataset, "-c") + "/" + backbone, Classes: classes[dataset], Width: 64,
			Accuracy: accuracy[dataset], ECE: percent / 100, Imbalance: imbalance[dataset], Prior: prior[dataset]}
		if w.Classes == 1000 {
			w.Width = 128
		}
		w.Tilt = []float64{0.5, -0.5, 1, 0, -1}[len(all)%5]
		if corruption != "" {
			s, err := strconv.Atoi(severity)
			if err != nil {
				t.Fatal(err)
			}
			w.ECE, w.Tilt = 0.1079, 0.5
			w.Shift = simulate.Shift{Corruption: corruption, Severity: s, Accuracy: w.ShiftedAccuracy(percent / 100), ECE: percent / 100}
		}
		all = append(all, w)
	}
	if len(all) != 162 {
		t.Fatalf("%d settings, want 162", len(all))
	}
	return all
}

// TestModelReachesThePublishedECE takes one setting in ten, and none of 1000
// classes; the benchmark takes all.
func TestModelReachesThePublishedECE(t *testing.T) {
	every := 10
	if testing.Short() {
		every = 80
	}
	var some []simulate.Solved
	for i, w := range published(t) {
		if err := w.Check(); err != nil {
			t.Error(err)
		}
		if i%every == 0 && w.Classes < 1000 {
			some = append(some, simulate.Solved{Network: w})
		}
	}
	if err := solveAll(some, false); err != nil {
		t.Error(err)
	}
}

// BenchmarkSolve finds the constants of all settings of the paper.
func BenchmarkSolve(b *testing.B) {
	all := published(b)
	b.Run(fmt.Sprintf("settings=%d", len(all)), func(b *testing.B) {
		for b.Loop() {
			list := make([]simulate.Solved, len(all))
			for i, w := range all {
				list[i].Network = w
			}
			if err := solveAll(list, false); err != nil {
				b.Fatal(err)
			}
		}
	})
}
