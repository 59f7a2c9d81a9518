package metrics_test

import (
	"context"
	"math"
	"path/filepath"
	"testing"

	"github.com/qats-bench/qats/data"
	"github.com/qats-bench/qats/internal/bundletest"
	"github.com/qats-bench/qats/metrics"
)

// testSet reads a test set of data/bundle.
func testSet(t *testing.T, name string) *data.Set {
	t.Helper()
	dir := filepath.Join(bundletest.Folder(t), filepath.FromSlash(name), "test")
	r, err := data.Files{Logits: filepath.Join(dir, "logits.npy"), Labels: filepath.Join(dir, "labels.npy")}.Open()
	if err != nil {
		t.Fatal(err)
	}
	set, err := data.Read(context.Background(), r, 0, r.Rows())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() })
	return set
}

// The values of a measured network come from a numpy 1.24 script written from the
// definitions: softmax in float64, bins by numpy.ceil(15 c) - 1 and by floor(j n/15
// + .5) of argsort(c), sklearn's roc_auc_score and jaccard_score (average="macro"),
// torch.bucketize(c, torch.linspace(0, 1, 16), right=True). No two confidences of
// the set tie.
func TestMeasuredNetworkHasTheValuesOfNumpy(t *testing.T) {
	s, err := metrics.FromLogits(testSet(t, "cifar10-jpeg/resnet50-w8-s2"))
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string][]float64{
		"accuracy":      {.7414},
		"gap":           {.012000939776994013},
		"ece":           {.017375424110617682}, // data/bundle/manifest.yaml has .017375
		"aece":          {.016732353331764774},
		"mce":           {.15164002774793442},
		"mce_30":        {.07409636777848895},
		"nll":           {.7319015088713254},
		"brier":         {.35628549504328066},
		"brier_top":     {.14393493851558065},
		"nll_top":       {.43208698073616814},
		"auroc":         {.8236123794138761},
		"aurc":          {.08978688290403687},
		"augrc":         {.06725508},
		"ks":            {.012192596900199158},
		"ece_debiased":  {.014444242317902409},
		"ece_sweep":     {.01716770301191943},
		"ece_classwise": {.007356400073965502, .07356400073965502},
		"ece_tm":        {.017375424011051657},
		"miou":          {.5965901849652797},
		"argmax_change": {0},
	} {
		e, _ := metrics.Lookup(name)
		got, err := e.Compute(s, 1)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		for i, w := range want {
			if !(math.Abs(got[i]-w) <= 1e-9) {
				t.Errorf("%s: got %.15g, want %.15g", e.Outputs[i].Name, got[i], w)
			}
		}
	}
}

// torch-uncertainty 0.8.0 starts the curve at coverage 1/n and divides the area by
// 1 - 1/n (its AUGRC.compute, run in float64 with torch.trapezoid).
func TestAUGRCIsTorchUncertaintysButForItsEnds(t *testing.T) {
	s, err := metrics.FromLogits(testSet(t, "cifar10-jpeg/resnet50-w8-s2"))
	if err != nil {
		t.Fatal(err)
	}
	got, err := metrics.AUGRC(s)
	if err != nil {
		t.Fatal(err)
	}
	const want = .06726180618061806
	n := float64(s.Len()) // 10,000; the most confident row is right, so the first piece has no area
	if got /= 1 - 1/n; !(math.Abs(got-want) <= 1e-15) {
		t.Errorf("got %.17g, want %.17g", got, want)
	}
}
