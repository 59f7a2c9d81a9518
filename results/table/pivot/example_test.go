package pivot_test

import (
	"fmt"
	"os"

	"github.com/qats-bench/qats/metrics"
	"github.com/qats-bench/qats/results"
	"github.com/qats-bench/qats/results/crosstab"
	"github.com/qats-bench/qats/results/table/pivot"
)

// A table of two networks and two methods, from records as results.csv holds
// them.
func Example() {
	var records []results.Record
	add := func(backbone, method string, ece, changed float64) {
		r := results.Record{
			Setting: results.Setting{Experiment: "mine", Dataset: "cifar10", Backbone: backbone, Loss: "ce"},
			Method:  method, Metric: "ece", Value: ece, N: 10000, Source: "measured", Status: results.OK,
		}
		records = append(records, r)
		r.Metric, r.Value = "argmax_change", changed
		records = append(records, r)
	}
	add("resnet50", "ts", 0.0123, 0)
	add("resnet50", "featclip", 0.0055, 0.012)
	add("resnet50", "qats", 0.0031, 0)
	add("vit-b16", "ts", 0.0045, 0)
	add("vit-b16", "featclip", 0.0062, 0.008)
	add("vit-b16", "qats", 0.0049, 0)

	t, err := pivot.Of(records, crosstab.Spec{
		Metric: "ece", Rows: []string{"backbone"}, Better: metrics.Lower, Percent: true, Highlight: "qats", Mean: true,
		Labels:        map[string]string{"ts": "TS", "featclip": "FeatClip", "qats": "QaTS"},
		SettingLabels: map[string]string{"resnet50": "RN-50", "vit-b16": "ViT-B"},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	t.Text(os.Stdout)
	// Output:
	// All 6 numbers are measured: computed from arrays in files, as given.
	//
	// Backbone                 TS   FeatClip#    QaTS
	// ------------------------------------------------------
	// RN-50                  1.23       _0.55_  *0.31* -0.24
	// ViT-B                 *0.45*       0.62   _0.49_ +0.04
	// ------------------------------------------------------
	// Average (2 settings)   0.84       _0.58_  *0.40* -0.18
	//
	// ECE in per cent, lower is better. Best *starred*, second _underlined_;
	// equal printed numbers share the mark. Gap: QaTS minus the best other
	// one; none at a tie. #: some predictions change.
}
