package plots

import (
	"bytes"
	"flag"
	"slices"
	"testing"

	"github.com/qats-bench/qats/results"
	"github.com/qats-bench/qats/results/figure"
	"github.com/qats-bench/qats/results/resultstest"
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
var testNames = results.Names{"cifar10": "CIFAR-10", "cifar100": "CIFAR-100", "cifar100-c": "CIFAR-100-C", "cifar100-lt-r100": "CIFAR-100-LT R-100",
	"imagenet": "ImageNet", "ham10000": "HAM10000", "voc2012": "VOC-2012", "20newsgroups": "NewsGroup-20"}

// sample returns rows that a kind of figure can draw, as its declaration describes them. A kind
// that shows two methods shows the first two; qats is the second if only one is given.
func sample(kind figure.Kind, methods ...string) Input {
	least := max(kind.Example.Methods, 1)
	if kind.Two {
		least = 2
	}
	for _, m := range []string{"qats", "ir"} {
		if len(methods) < least && !slices.Contains(methods, m) {
			methods = append(slices.Clone(methods), m)
		}
	}
	if kind.Two {
		methods = methods[:2]
	}
	in := Input{Methods: methods, Names: testNames}
	if kind.Metrics == 1 {
		in.Metrics = kind.Example.Metrics[:1]
	}
	switch kind.Example.From {
	case results.BinsFile:
		for _, c := range settings(kind.Example) {
			in.Bins = append(in.Bins, inCell(c, testBins(methods...))...)
		}
	case results.PairsFile:
		for i, c := range settings(kind.Example) {
			d := 0.01 * float64(i*7%11-5)
			in.Pairs = append(in.Pairs, resultstest.Pair(c, methods[0], methods[1], kind.Example.Metrics[0], d, d-0.02, d+0.03))
		}
	case results.ResultsFile:
		in.Records = recordsOf(kind.Example, methods)
	}
	return in
}

// recordsOf returns rows of results.csv: the metrics of the example, of each method in each setting.
func recordsOf(e figure.Example, methods []string) []results.Record {
	first := testRecords(e.Metrics[0], settings(e), methods...)
	switch e.Of {
	case figure.SomeExperiments:
		first[0].Value = 0.1 // below its neighbour, as no other row
	case figure.SomeSets:
		for i := range first {
			first[i].Value += 0.1 * float64(i*i%5) / 5 // the order varies between settings
		}
	}
	all := first
	for j, metric := range e.Metrics[1:] {
		for i, r := range first {
			r.Metric = metric
			r.Value += 0.05 * float64(i*(j+3)%7)
			if metric == results.TimeMetric {
				r.Value *= 1e-4 * float64(1+i%len(methods)*20)
			}
			all = append(all, r)
		}
	}
	return all
}

// settings returns the settings of an example.
func settings(e figure.Example) (cells []results.Setting) {
	five := []string{"fog", "snow", "frost", "contrast", "pixelate"}
	switch e.Of {
	case figure.OneSetting:
		return []results.Setting{testCell}
	case figure.SomeNetworks:
		for _, set := range []string{"cifar10", "cifar100-lt-r100"} {
			for _, backbone := range []string{"resnet50", "vit-b16"} {
				cells = append(cells, resultstest.Setting("standard", set, backbone))
			}
		}
	case figure.SomeSeverities:
		return shifted(five, 1, 2, 3, 4, 5)
	case figure.OneSeverity:
		corruptions := []string{"speckle_noise"} // not one of the fifteen
		for _, f := range families {
			for _, m := range f.members {
				corruptions = append(corruptions, m[0])
			}
		}
		return shifted(corruptions, 5)
	case figure.SomeExperiments:
		cells = shifted(five, 1, 2, 3, 4, 5)
		for i := range cells {
			cells[i].Experiment = []string{"standard", "longtail", "shift", "medical", "tasks", "mine"}[i%6]
		}
	case figure.SomeLosses:
		for _, loss := range []string{"ce", "brier", "ls-0.05", "focal", "mmce"} {
			for _, backbone := range []string{"resnet50", "resnet18", "densenet121", "vit-s16", "vit-b16"} {
				c := resultstest.Setting("standard", "cifar10", backbone)
				c.Loss = loss
				cells = append(cells, c)
			}
		}
	case figure.SomeSets:
		cells = datasets()
		if e.From == results.PairsFile {
			cells = append(append(cells, shifted([]string{"fog", "snow"}, 1, 2, 3)...), shifted([]string{"frost"}, 4)...)
		}
	}
	return cells
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

func mustDraw(t testing.TB, kind figure.Kind, in Input) *Figure {
	t.Helper()
	f, err := Draw(kind, in)
	if err != nil {
		t.Fatal(err)
	}
	return f
}
