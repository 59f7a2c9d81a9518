package metrics

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/qats-bench/qats/data"
	"github.com/qats-bench/qats/internal/kernel/softmax"
)

// The uncalibrated ResNet-50 on CIFAR-10 has a known ECE of 4.35 %.
func TestRealECE(t *testing.T) {
	shared := os.Getenv("QATS_SHARED")
	if shared == "" {
		shared = filepath.Join("..", "..", "shared")
	}
	dir := filepath.Join(shared, "real", "cifar10", "resnet50", "test")
	if _, err := os.Stat(dir); err != nil {
		t.Skip("the shared predictions are absent: ", err)
	}
	l, err := data.OpenArrayFile(filepath.Join(dir, "logits.npy"))
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	y, err := data.OpenArrayFile(filepath.Join(dir, "labels.npy"))
	if err != nil {
		t.Fatal(err)
	}
	defer y.Close()
	n, k := l.Rows(), l.Cols()
	set := &data.Set{Logits: data.NewMatrix(n, k), Labels: make([]int32, n)}
	if err := l.ReadFloat32(set.Logits.Data, 0, n); err != nil {
		t.Fatal(err)
	}
	if err := y.ReadInt32(set.Labels, 0, n); err != nil {
		t.Fatal(err)
	}
	p := data.NewProbs(n, k)
	for i := range n {
		softmax.Probs(p.Row(i), set.Logits.Row(i), 1)
	}
	f := NewFacts(n)
	if err := f.Append(p, set); err != nil {
		t.Fatal(err)
	}
	near(t, "ECE", value(t, "ece", f), .0435, .00005)
	near(t, "ECE by the oracle", ECE(WidthBins(f, 15)), oracleWidth(f, 15), 1e-12)
	near(t, "AECE by the oracle", AECE(MassBins(f, 15)), oracleMass(f, 15), 1e-12)
	near(t, "argmax change", value(t, "argmax_change", f), 0, 0)
	t.Logf("n = %d, accuracy %.4f, AECE %.4f, null ECE %.4f", n, value(t, "accuracy", f), value(t, "aece", f), null(t, "ece_null", f, 1))
}
