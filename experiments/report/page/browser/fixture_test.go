package browser

import (
	"io"
	"math"
	"path/filepath"
	"testing"

	"github.com/qats-bench/qats/experiments/report"
	"github.com/qats-bench/qats/experiments/report/page"
	"github.com/qats-bench/qats/metrics"
	"github.com/qats-bench/qats/results"
	"github.com/qats-bench/qats/results/resultstest"
)

// hostile is an identifier that tries to become a script.
const hostile = `</script><img src=x onerror=alert(1)>`

// testSet is a setting of the test folder.
type testSet struct {
	dataset, backbone, corruption string
	severity                      int
	source                        string
}

func testSets() []testSet {
	list := []testSet{{hostile, "net", "", 0, "measured"}}
	for _, dataset := range []string{"cifar10", "cifar100", "imagenet", "ham10000"} {
		for _, backbone := range []string{"resnet50", "vit-b16"} {
			list = append(list, testSet{dataset, backbone, "", 0, "measured"})
		}
	}
	for _, corruption := range []string{"fog", "snow"} {
		for severity := 1; severity <= 3; severity++ {
			list = append(list, testSet{"cifar100-c", "resnet50", corruption, severity, "measured"})
		}
	}
	return append(list, testSet{"virtual1", "resnet50", "", 0, "simulated"}, testSet{"virtual2", "resnet50", "", 0, "simulated"})
}

var methods = []string{"uncal", "ts", "ir", "qats", "hts"}

// records returns the rows of the test folder. ts and qats coincide under fog, hts
// lacks most settings, and ir lacks one.
func records() *results.Rows {
	f := &results.Rows{Parameters: []results.Parameter{}}
	for i, n := range testSets() {
		cell := resultstest.Shifted(resultstest.Setting("standard", n.dataset, n.backbone), n.corruption, n.severity)
		for j, m := range methods {
			if m == "hts" && i > 2 || m == "ir" && i == 3 {
				for _, id := range []string{"accuracy", "ece", "nll"} {
					f.Records = append(f.Records, results.Record{Setting: cell, Method: m, Metric: id, Source: n.source, Status: results.Skip, Note: results.Notes{{Kind: results.Missing, Lack: results.Lack{Arrays: "features", Set: "test", Network: n.dataset + "/" + n.backbone}}}})
				}
				continue
			}
			same := j
			if m == "qats" && n.corruption != "" {
				same = 1
			}
			ece := math.Round(1e6*(.05+.01*float64(n.severity)+.03*math.Sin(float64(7*i+3*same+1)))) / 1e6
			for _, v := range []struct {
				id string
				x  float64
			}{{"accuracy", .7 + .01*math.Cos(float64(i+same))}, {"ece", ece}, {"ece_null_lo", .01}, {"ece_null_hi", .03}, {"nll", .5 + ece}} {
				f.Records = append(f.Records, results.Record{Setting: cell, Method: m, Metric: v.id, Value: v.x, N: 1000, Source: n.source, Status: results.OK, Key: "abc"})
			}
			for b := range 15 {
				conf := (float64(b) + .5) / 15
				acc := math.Round(1000/15.*math.Max(0, math.Min(1, conf+.1*math.Sin(float64(b+same))))) / math.Round(1000/15.)
				f.Bins = append(f.Bins, results.Bin{Setting: cell, Method: m, Binning: "width15", Bin: b, Lo: float64(b) / 15, Hi: float64(b+1) / 15, N: 67, Conf: conf, Acc: math.Min(1, acc), Source: n.source},
					results.Bin{Setting: cell, Method: m, Binning: "mass15", Bin: b, Lo: float64(b) / 15, Hi: float64(b+1) / 15, N: 67, Conf: conf, Acc: math.Min(1, acc), Source: n.source})
			}
			if m != "ts" {
				d, half := .01*math.Sin(float64(i+same)), .003+.0004*float64(i%5+same)
				f.Pairs = append(f.Pairs, results.Pair{Setting: cell, Method: m, Against: "ts", Metric: "ece", Difference: d, Lo: d - half, Hi: d + half, N: 1000, Source: n.source,
					Interval: metrics.Percentile, Verdict: &metrics.Verdict{By: "sce_mass15", Difference: d, Lo: d - half, Hi: d + half, P: .01}})
			}
			f.Parameters = append(f.Parameters, results.Parameter{Setting: cell, Method: m, Name: "T", Value: 1.5, Bound: "T >= 0.001", Source: n.source})
		}
	}
	return f
}

// newPage writes the page of the test folder.
func newPage(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if err := report.WriteRowsPage(io.Discard, records(), dir, page.Options{}); err != nil {
		t.Fatal(err)
	}
	return filepath.Join(dir, page.File)
}

// pages returns the page of the test folder, and those of make quick and make
// companion where they exist.
func pages(t *testing.T) map[string]string {
	t.Helper()
	list := map[string]string{"test": newPage(t)}
	for _, name := range []string{"quick", "companion"} {
		found, _ := filepath.Glob(filepath.Join("..", "..", "..", "..", "results", "out", name, page.File))
		if len(found) > 0 {
			list[name] = found[0]
		}
	}
	return list
}
