package main

import (
	"bytes"
	"strings"
	"testing"

	"github.com/qats-bench/qats/data"
	"github.com/qats-bench/qats/studies/bynetwork"
)

// A network of the bundle has a row, in which every method has a number. With two classes ts-top is ts.
func TestANetworkHasARow(t *testing.T) {
	var b bytes.Buffer
	if err := bynetwork.Write(&b, []string{"../../data/bundle/pneumoniamnist-28/resnet18-w64"}, head(), compared); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(b.String()), "\n")
	names, row := strings.Split(lines[0], ","), strings.Split(lines[1], ",")
	if len(lines) != 2 || len(names) != len(row) || row[1] != "resnet18-w64" || row[2] != "2" {
		t.Fatal(b.String())
	}
	if ts, shares, odds := row[4], row[5], row[6]; ts != shares || ts != odds {
		t.Errorf("two classes: ECE %s of ts, %s and %s of ts-top", ts, shares, odds)
	}
}

// The prediction of a row is the lowest class of its largest logit.
func TestReducedRows(t *testing.T) {
	set := &data.Set{Logits: data.Matrix{Rows: 2, Cols: 3, Data: []float32{1, 1, 0, 0, 0, 2}}, Labels: []int32{1, 2}}
	r, err := reduced(set, shares)
	if err != nil || r.Classes != 3 || r.Labels[0] != 1 || r.Labels[1] != 0 {
		t.Errorf("%+v, %v", r, err)
	}
}
