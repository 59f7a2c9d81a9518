package main

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"

	"github.com/qats-bench/qats/data"
	"github.com/qats-bench/qats/studies/bynetwork"
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
	if err := bynetwork.Write(&out, []string{network}, head(), certain); err != nil {
		t.Fatal(err)
	}
	if want := "backbone,bound,rows,ones,near,wrong,costly,costly_share\ndensenet16-k12-s2,yes,624,0.230769,0.383013,2,14,1.09354\n"; out.String() != want {
		t.Errorf("%s, want %s", &out, want)
	}
	if err := bynetwork.Write(&out, []string{t.TempDir()}, head(), certain); err == nil || !strings.Contains(err.Error(), "logits.npy") {
		t.Errorf("of a folder without arrays: %v", err)
	}
}

// Differences above a nat are counted, and their sum is over that of all; a network without a loss has no share.
func TestCostlyRowsAreThoseAboveANat(t *testing.T) {
	if n, share := above([]float64{3, 1, .5, -1, 2, -1.5}); n != 2 || share != "1.25" { // (3 + 2) / 4
		t.Errorf("%d rows, share %s", n, share)
	}
	if n, share := above([]float64{2, -2}); n != 1 || share != "" {
		t.Errorf("of a sum of 0: %d rows, share %q", n, share)
	}
}
