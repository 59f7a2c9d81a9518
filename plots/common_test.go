package plots

import (
	"bytes"
	"flag"
	"testing"

	"github.com/qats-bench/qats/results"
)

var update = flag.Bool("update", false, "rewrite the golden files")

var testCell = results.Cell{Experiment: "standard", Dataset: "cifar10", Backbone: "resnet50", Loss: "ce"}

// testBins returns both binnings of the given methods: overconfident by 0.3
// below and by nothing above, less so from method to method; the first two
// width15 bins are empty and the third has five rows.
func testBins(methods ...string) []results.Bin {
	var bins []results.Bin
	for i, m := range methods {
		for b := range 15 {
			lo, hi := float64(b)/15, float64(b+1)/15
			conf := (lo + hi) / 2
			w := results.Bin{Cell: testCell, Method: m, Binning: "width15", Bin: b, Lo: lo, Hi: hi, Source: measured}
			if b >= 2 {
				w.N, w.Conf, w.Acc = 5+10*(b-2)*(b-2), conf, max(0, conf-0.3*(1-conf)/float64(i+1))
			}
			bins = append(bins, w)
		}
		for b := range 15 {
			conf := 0.5 + float64(b)/30
			bins = append(bins, results.Bin{Cell: testCell, Method: m, Binning: "mass15", Bin: b, Lo: conf - 0.01, Hi: conf + 0.01,
				N: 400 + b%2, Conf: conf, Acc: min(1, conf-0.2*(1-conf)/float64(i+1)+0.01*float64(i)), Source: measured})
		}
	}
	return bins
}

// edited returns bins with a change made to each.
func edited(bins []results.Bin, change func(*results.Bin)) []results.Bin {
	for i := range bins {
		change(&bins[i])
	}
	return bins
}

func encode(t testing.TB, f *Figure, format Format) []byte {
	t.Helper()
	var buf bytes.Buffer
	if err := f.Encode(&buf, format); err != nil {
		t.Fatal(err)
	}
	return buf.Bytes()
}

func mustDraw(t testing.TB, e Entry, in Input) *Figure {
	t.Helper()
	f, err := e.Draw(in)
	if err != nil {
		t.Fatal(err)
	}
	return f
}
