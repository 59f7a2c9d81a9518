package plots_test

import (
	"fmt"

	"github.com/qats-bench/qats/plots"
	"github.com/qats-bench/qats/results"
)

// A figure of one cell, from rows as results reads them.
func ExampleReliability() {
	cell := results.Setting{Experiment: "standard", Dataset: "cifar10", Backbone: "resnet50", Loss: "ce"}
	bins := []results.Bin{
		{Setting: cell, Method: "ts", Binning: "width15", Bin: 13, Lo: 13. / 15, Hi: 14. / 15, N: 100, Conf: 0.9, Acc: 0.8, Source: "measured"},
		{Setting: cell, Method: "ts", Binning: "width15", Bin: 14, Lo: 14. / 15, Hi: 1, N: 900, Conf: 0.98, Acc: 0.97, Source: "measured"},
	}
	figure, err := plots.Reliability(plots.Input{Bins: bins, Labels: map[string]string{"ts": "TS"}})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%.1f in wide\n", figure.Width.Points()/72)

	_, err = plots.QuantileGap(plots.Input{Bins: bins})
	fmt.Println(err)
	// Output:
	// 3.3 in wide
	// quantile-gap figure: cifar10/resnet50: method "ts" has no mass15 bins, only width15
}
