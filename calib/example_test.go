package calib_test

import (
	"bytes"
	"context"
	"fmt"
	"log"
	"path/filepath"
	"slices"

	"github.com/qats-bench/qats/calib"
	"github.com/qats-bench/qats/calib/all"
	"github.com/qats-bench/qats/calib/quantile"
	"github.com/qats-bench/qats/data"
	"github.com/qats-bench/qats/metrics"
)

// network returns the path of an array of one of the networks that come with the
// project.
func network(name string) string {
	return filepath.Join("..", "data", "demo", "20newsgroups-body", "transformer-d64-l2", filepath.FromSlash(name))
}

// Temperature scaling and QaTS on the same calibration set.
func Example() {
	ctx := context.Background()
	cal, err := data.ReadSet(network("cal/logits.npy"), network("cal/labels.npy"))
	if err != nil {
		log.Fatal(err)
	}
	test, err := data.ReadSet(network("test/logits.npy"), network("test/labels.npy"))
	if err != nil {
		log.Fatal(err)
	}
	for _, method := range []calib.Method{calib.Uncalibrated{}, calib.TemperatureScaling{}, calib.QaTS{}} {
		fitted, err := calib.Fit(ctx, method, cal)
		if err != nil {
			log.Fatal(err)
		}
		probs, err := fitted.Probabilities(test)
		if err != nil {
			log.Fatal(err)
		}
		samples, err := metrics.FromProbs(probs, test)
		if err != nil {
			log.Fatal(err)
		}
		ece, err := metrics.Value("ece", samples)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%v: ECE %.2f %%\n", method, 100*ece)
		for _, p := range fitted.Parameters() {
			fmt.Printf("  %s = %.4f\n", p.Name, p.Value)
		}
	}
	// Output:
	// uncal: ECE 17.29 %
	// ts: ECE 8.35 %
	//   T = 1.6612
	// qats: ECE 5.24 %
	//   a = 1.6184
	//   b = 0.5537
}

// Options are fields. A spec or a command line sets them by name.
func ExampleEntry_New() {
	inGo := quantile.PiecewiseQaTS{Segments: 2}
	entry, _ := all.Lookup("qats-pw")
	draft := entry.New()
	for _, o := range draft.Options() {
		fmt.Printf("%s: %s, %s, default %v\n", o.Name, o.Help, o.Range, o.Default)
		if err := o.Set(2); err != nil {
			log.Fatal(err)
		}
	}
	byName, err := draft.Method()
	fmt.Println(byName == inGo, err)
	_, err = calib.WithDefaults(quantile.PiecewiseQaTS{Segments: 101})
	fmt.Println(err)
	// Output:
	// segments: number of segments of the curve, 1 to 100, default 4
	// true <nil>
	// segments: 101: want 1 to 100
}

// A parameter has a name, a value and a meaning.
func ExampleFitted_Parameter() {
	cal, err := data.ReadSet(network("cal/logits.npy"), network("cal/labels.npy"))
	if err != nil {
		log.Fatal(err)
	}
	fitted, err := calib.Fit(context.Background(), calib.TemperatureScaling{}, cal)
	if err != nil {
		log.Fatal(err)
	}
	t, ok := fitted.Parameter("T")
	fmt.Printf("T = %.3f, %s\n", t.Value, t.Meaning)
	_, a := fitted.Parameter("a")
	fmt.Println(ok, a)
	// Output:
	// T = 1.661, temperature, by which logits are divided
	// true false
}

// A saved model has the same bits when it is loaded.
func ExampleModel() {
	cal, err := data.ReadSet(network("cal/logits.npy"), network("cal/labels.npy"))
	if err != nil {
		log.Fatal(err)
	}
	fitted, err := calib.Fit(context.Background(), calib.TemperatureScaling{}, cal)
	if err != nil {
		log.Fatal(err)
	}
	entry, _ := all.Lookup("ts")
	model := calib.Model{Method: entry.Name, Version: entry.Version, Classes: cal.Logits.Cols, Fitted: *fitted}
	var file bytes.Buffer
	if err := model.Save(&file); err != nil {
		log.Fatal(err)
	}
	loaded, err := calib.LoadModel(&file, all.Registry())
	if err != nil {
		log.Fatal(err)
	}
	before, err := fitted.Probabilities(cal)
	if err != nil {
		log.Fatal(err)
	}
	after := data.NewProbs(cal.Logits.Rows, cal.Logits.Cols)
	if err := calib.Apply(loaded.Map, after, cal); err != nil {
		log.Fatal(err)
	}
	fmt.Printf("fitted %.3f\n", before.Row(3)[:3])
	fmt.Printf("loaded %.3f %v\n", after.Row(3)[:3], slices.Equal(before.Data, after.Data))
	// Output:
	// fitted [0.973 0.002 0.003]
	// loaded [0.973 0.002 0.003] true
}
