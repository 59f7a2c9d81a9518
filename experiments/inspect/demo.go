package inspect

import (
	"context"
	"fmt"
	"io/fs"

	"github.com/qats-bench/qats"
	"github.com/qats-bench/qats/calib"
	"github.com/qats-bench/qats/calib/all"
	"github.com/qats-bench/qats/data"
	"github.com/qats-bench/qats/experiments"
	"github.com/qats-bench/qats/experiments/spec"
	"github.com/qats-bench/qats/metrics"
	"github.com/qats-bench/qats/results"
)

// DemoNetworks returns the names of the networks of data/bundle whose outputs the program
// carries. The first one is that of qats demo.
func DemoNetworks() []string { return []string{"transformer-d64-l2", "mlp-tfidf-h128"} }

// demoDataset is the data set of the demo networks.
const demoDataset = "20newsgroups-body"

// demoMethods are the methods of a demo.
var demoMethods = []string{"uncal", "ts", "ir", "qats"}

// Demo is the result of fitting a few methods on one small network.
type Demo struct {
	Setting   results.Setting
	From      string // the network and its data, in words
	Cal, Test int    // rows
	Classes   int
	Columns   []DemoColumn
	Bins      []results.Bin // of the test rows, width15
}

// DemoColumn is one method of a demo. The scores are of the test rows: fractions,
// and nats for NLL.
type DemoColumn struct {
	Entry                    calib.Entry
	Accuracy, ECE, AECE, NLL float64
	Parameters               []calib.Parameter
	Warnings                 []calib.Warning
}

// RunDemo fits uncal, ts, ir and qats on the calibration rows of a demo network and
// scores them on its test rows. It reads no file.
func RunDemo(ctx context.Context, network string) (*Demo, error) {
	match, ok := spec.Match(network, DemoNetworks())
	if !ok {
		return nil, fmt.Errorf("unknown network %q%s", network, spec.Suggest(network, DemoNetworks()))
	}
	network = match
	d := &Demo{Setting: results.Setting{Dataset: demoDataset, Backbone: network, Loss: "ce"}}
	fsys, err := fs.Sub(qats.Files, experiments.Bundle)
	if err != nil {
		return nil, err
	}
	folder, err := data.NewFolder(fsys, experiments.Bundle, data.Layout{}, nil)
	if err != nil {
		return nil, err
	}
	ref := func(split data.Split) data.Ref {
		return data.Ref{Dataset: demoDataset, Backbone: network, Loss: "ce", Split: split}
	}
	cal, err := data.Load(ctx, folder, ref(data.Cal), scored)
	if err != nil {
		return nil, err
	}
	test, err := data.Load(ctx, folder, ref(data.Test), scored)
	if err != nil {
		return nil, err
	}
	d.Cal, d.Test, d.Classes = cal.Logits.Rows, test.Logits.Rows, test.Logits.Cols
	d.From = folder.Describe(ref(data.Test)).Note
	for _, name := range demoMethods {
		if err := d.add(ctx, name, cal, test); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
	}
	return d, nil
}

// add fits one method and scores it.
func (d *Demo) add(ctx context.Context, name string, cal, test *data.Set) error {
	e, _ := all.Lookup(name)
	fitted, err := calib.Fit(ctx, e.Method, cal)
	if err != nil {
		return err
	}
	samples, err := metrics.FromProbs(fitted.Probabilities(test), test)
	if err != nil {
		return err
	}
	c := DemoColumn{Entry: e, Accuracy: metrics.Accuracy(samples), ECE: metrics.ECE(samples, 15), AECE: metrics.AECE(samples, 15),
		Parameters: fitted.Parameters(), Warnings: fitted.Report.Warnings}
	if c.NLL, err = metrics.NLL(samples); err != nil {
		return err
	}
	d.Columns = append(d.Columns, c)
	for i, b := range metrics.WidthBins(samples, 15) {
		d.Bins = append(d.Bins, results.Bin{Setting: d.Setting, Method: name, Binning: metrics.Width15, Bin: i,
			Lo: b.Lo, Hi: b.Hi, N: b.N, Conf: b.Conf, Acc: b.Acc, Source: string(data.Measured)})
	}
	return nil
}
