package main

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"

	"github.com/qats-bench/qats/data"
)

// Rows of probability 1 and near it are counted, and those of the latter that are wrong.
func TestCertainRowsAreCounted(t *testing.T) {
	probs := data.Probs{Rows: 4, Cols: 2, Data: []float64{1, 0, 1, 0, 1e-7, 1 - 1e-7, .5, .5}}
	if ones, near, wrong := count(probs, []int32{0, 1, 0, 1}); ones != 2 || near != 3 || wrong != 2 {
		t.Errorf("%d of 1, %d near it, %d of them wrong; want 2, 3, 2", ones, near, wrong)
	}
}

// A network of the bundle whose fit ends at its bound has a row.
func TestANetworkHasARow(t *testing.T) {
	var out bytes.Buffer
	network := filepath.Join("..", "..", "data", "bundle", "pneumoniamnist-28", "densenet16-k12-s2")
	if err := write(&out, []string{network}); err != nil {
		t.Fatal(err)
	}
	if want := "backbone,bound,rows,ones,near,wrong\ndensenet16-k12-s2,yes,624,0.230769,0.383013,2\n"; out.String() != want {
		t.Errorf("%s, want %s", &out, want)
	}
	if err := write(&out, []string{t.TempDir()}); err == nil || !strings.Contains(err.Error(), "logits.npy") {
		t.Errorf("of a folder without arrays: %v", err)
	}
}
