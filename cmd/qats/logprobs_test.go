package main

import (
	"context"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/qats-bench/qats/data/npy"
)

// TestFitAndApplyRejectLogProbs for the methods for which qats run rejects them,
// whichever array holds them.
func TestFitAndApplyRejectLogProbs(t *testing.T) {
	dir := t.TempDir()
	write := func(name string, logProbs bool) string {
		const n, k = 40, 3
		values := make([]float32, n*k)
		for i := range n {
			row := values[i*k : (i+1)*k]
			sum := 0.0
			for j := range row {
				row[j] = float32(4 + 3*math.Sin(float64(7*i+j*j)))
				sum += math.Exp(float64(row[j]))
			}
			for j := range row {
				if logProbs {
					row[j] -= float32(math.Log(sum))
				}
			}
		}
		path := filepath.Join(dir, name)
		if err := npy.WriteFloat32(path, values, n, k); err != nil {
			t.Fatal(err)
		}
		return path
	}
	logits, logProbs := write("logits.npy", false), write("logprobs.npy", true)
	labels := make([]int32, 40)
	for i := range labels {
		labels[i] = int32(i % 3)
	}
	labelsFile := filepath.Join(dir, "labels.npy")
	if err := npy.WriteInt32(labelsFile, labels, len(labels)); err != nil {
		t.Fatal(err)
	}
	model, probs := filepath.Join(dir, "model.json"), filepath.Join(dir, "probs.npy")
	refused := "qats: " + filepath.ToSlash(logProbs) + ": hfe-target needs true logits"
	for _, c := range []struct {
		args string
		want string // the beginning of the error; empty for status 0
	}{
		{"fit hfe-target --logits " + logProbs + " --labels " + labelsFile + " --target-logits " + logits, refused},
		{"fit hfe-target --logits " + logits + " --labels " + labelsFile + " --target-logits " + logProbs, refused},
		{"fit hfe-target --logits " + logits + " --labels " + labelsFile + " --target-logits " + logits + " -o " + model, ""},
		{"apply " + model + " --logits " + logProbs + " -o " + probs, refused},
	} {
		var stdout, stderr strings.Builder
		status := run(context.Background(), strings.Fields(c.args), &stdout, &stderr)
		if c.want == "" && status != exitOK || c.want != "" && (status != exitUsage || !strings.HasPrefix(stderr.String(), c.want)) {
			t.Errorf("qats %s: status %d, %q; want %q", c.args, status, stderr.String(), c.want)
		}
	}
	if _, err := os.Stat(probs); err == nil {
		t.Error("probabilities were written")
	}
}
