package plots

import (
	"bytes"
	"flag"
	"slices"
	"testing"

	"github.com/qats-bench/qats/results"
	"github.com/qats-bench/qats/results/resultstest"
	"github.com/qats-bench/qats/results/table"
)

var update = flag.Bool("update", false, "rewrite the golden files")

var testCell = resultstest.Setting("standard", "cifar10", "resnet50")

// testBins returns both binnings of the given methods. They are overconfident, most
// at low confidence, and less from method to method. The first two width15 bins are
// empty and the third has five rows.
func testBins(methods ...string) []results.Bin {
	var bins []results.Bin
	for i, m := range methods {
		for b := range 15 {
			lo, hi := float64(b)/15, float64(b+1)/15
			conf := (lo + hi) / 2
			w := resultstest.Bin(testCell, m, "width15", b, lo, hi, 0, 0, 0)
			if b >= 2 {
				w.N, w.Conf, w.Acc = 5+10*(b-2)*(b-2), conf, max(0, conf-0.3*(1-conf)/float64(i+1))
			}
			bins = append(bins, w)
		}
		for b := range 15 {
			conf := 0.5 + float64(b)/30
			bins = append(bins, resultstest.Bin(testCell, m, "mass15", b, conf-0.01, conf+0.01, 400+b%2, conf, min(1, conf-0.2*(1-conf)/float64(i+1)+0.01*float64(i))))
		}
	}
	return bins
}

// inCell returns bins moved to another cell.
func inCell(c results.Setting, bins []results.Bin) []results.Bin {
	return resultstest.Each(bins, func(b *results.Bin) { b.Setting = c })
}

// testRecords returns a value of the metric for each method in each cell. It
// decreases from method to method and varies from cell to cell.
func testRecords(metric string, cells []results.Setting, methods ...string) []results.Record {
	var records []results.Record
	for i, c := range cells {
		for j, m := range methods {
			records = append(records, resultstest.Value(c, m, metric, (0.2+0.3*float64(i*7%11)/11)/float64(j+1)))
		}
	}
	return records
}

// shifted returns cells of one network under the corruptions and severities.
func shifted(corruptions []string, severities ...int) []results.Setting {
	var cells []results.Setting
	for _, k := range corruptions {
		for _, s := range severities {
			cells = append(cells, resultstest.Shifted(resultstest.Setting("shift", "cifar100-c", "vit-b16"), k, s))
		}
	}
	return cells
}

// testNames are what manifests and specs give.
var testNames = table.Labels{"cifar10": "CIFAR-10", "cifar100": "CIFAR-100", "cifar100-c": "CIFAR-100-C", "cifar100-lt-r100": "CIFAR-100-LT R-100",
	"imagenet": "ImageNet", "ham10000": "HAM10000", "voc2012": "VOC-2012", "20newsgroups": "NewsGroup-20"}

// sample returns rows that a kind of figure can draw. Dominance and forest show the
// first two methods; qats is the second if only one is given.
func sample(kind string, methods ...string) Input {
	in := Input{Methods: methods, Names: testNames}
	switch kind {
	case "reliability", "quantile-gap":
		in.Bins = testBins(methods...)
	case "quantile-gap-grid", "reliability-grid":
		for _, set := range []string{"cifar10", "cifar100-lt-r100"} {
			for _, backbone := range []string{"resnet50", "vit-b16"} {
				in.Bins = append(in.Bins, inCell(resultstest.Setting("standard", set, backbone), testBins(methods...))...)
			}
		}
	case "severity":
		in.Records = testRecords("ece", shifted([]string{"fog", "snow", "frost", "contrast", "pixelate"}, 1, 2, 3, 4, 5), methods...)
	case "corruptions":
		corruptions := []string{"speckle_noise"} // not one of the fifteen
		for _, f := range families {
			for _, m := range f.members {
				corruptions = append(corruptions, m[0])
			}
		}
		in.Records = testRecords("ece", shifted(corruptions, 5), methods...)
	case "dominance":
		in.Methods = append(slices.Clone(methods), "qats")[:2]
		cells := shifted([]string{"fog", "snow", "frost", "contrast", "pixelate"}, 1, 2, 3, 4, 5)
		for i := range cells {
			cells[i].Experiment = []string{"standard", "longtail", "shift", "medical", "tasks", "mine"}[i%6]
		}
		in.Records = testRecords("accuracy", cells, in.Methods...)
		in.Records[0].Value = 0.1 // one below zero
	case "critical-difference", "win-rates", "strengths", "pareto", "rank-bins", "rank-agreement":
		for _, m := range []string{"qats", "ir"} { // two methods have no diagram
			if len(methods) < 3 && !slices.Contains(methods, m) {
				methods = append(slices.Clone(methods), m)
				in.Methods = methods
			}
		}
		in.Records = testRecords("ece", datasets(), methods...)
		for i := range in.Records {
			in.Records[i].Value += 0.1 * float64(i*i%5) / 5 // the order varies between settings
		}
		ece := in.Records
		for j, metric := range []string{"aece", "nll", "ece_5", "ece_50", "time"} {
			for i, r := range ece {
				r.Metric = metric
				r.Value += 0.05 * float64(i*(j+3)%7)
				if metric == "time" {
					r.Value *= 1e-4 * float64(1+i%len(methods)*20)
				}
				in.Records = append(in.Records, r)
			}
		}
	case "forest":
		in.Methods = append(slices.Clone(methods), "qats")[:2]
		cells := append(datasets(), shifted([]string{"fog", "snow"}, 1, 2, 3)...)
		for i, c := range append(cells, shifted([]string{"frost"}, 4)...) {
			d := 0.01 * float64(i*7%11-5)
			in.Pairs = append(in.Pairs, resultstest.Pair(c, in.Methods[0], in.Methods[1], "ece", d, d-0.02, d+0.03))
		}
	case "losses":
		var cells []results.Setting
		for _, loss := range []string{"ce", "brier", "ls-0.05", "focal", "mmce"} {
			for _, backbone := range []string{"resnet50", "resnet18", "densenet121", "vit-s16", "vit-b16"} {
				c := resultstest.Setting("standard", "cifar10", backbone)
				c.Loss = loss
				cells = append(cells, c)
			}
		}
		in.Records = testRecords("ece", cells, methods...)
	}
	return in
}

// datasets returns cells of six datasets, two networks each.
func datasets() []results.Setting {
	var cells []results.Setting
	for _, d := range []string{"cifar10", "cifar100", "imagenet", "ham10000", "voc2012", "20newsgroups"} {
		for _, b := range []string{"resnet50", "vit-b16"} {
			cells = append(cells, resultstest.Setting("standard", d, b))
		}
	}
	return cells
}

// from returns in with all its rows from a source.
func (in Input) from(source string) Input {
	in.Records = resultstest.From(source, in.Records...)
	in.Bins = resultstest.Each(in.Bins, func(b *results.Bin) { b.Source = source })
	in.Pairs = resultstest.Each(in.Pairs, func(p *results.Pair) { p.Source = source })
	return in
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
