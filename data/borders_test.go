package data

import (
	"slices"
	"testing"
)

// TestViewHoldsTheNamedPartsAlone.
func TestViewHoldsTheNamedPartsAlone(t *testing.T) {
	m := NewMatrix(2, 2)
	whole := &Set{Logits: m, Labels: []int32{0, 1}, Features: m, Augmented: []Matrix{m}, OOD: m, Head: Linear{W: m, B: []float32{0, 0}}}
	all := whole.Parts()
	for _, part := range []Parts{Logits, Labels, Features, Augmented, OOD, Head} {
		if all&part == 0 {
			t.Fatalf("the set has no %s", part)
		}
		if got := whole.View(part).Parts(); got != part {
			t.Errorf("the view of %s has %s", part, got)
		}
		if got := whole.View(all &^ part).Parts(); got != all&^part {
			t.Errorf("the view without %s has %s", part, got)
		}
	}
}

func TestRowsOfProbabilitiesShareTheTable(t *testing.T) {
	p := Probs{Rows: 3, Cols: 2, Data: []float64{0, 1, 2, 3, 4, 5}}
	for i, want := range [][]float64{{0, 1}, {2, 3}, {4, 5}} {
		if row := p.Row(i); !slices.Equal(row, want) || cap(row) != 2 {
			t.Errorf("row %d: %v of capacity %d", i, row, cap(row))
		}
	}
}

func TestPartsOfATableShareItsMemory(t *testing.T) {
	p := NewProbs(4, 2)
	part := p.Slice(1, 3)
	part.Row(0)[0], part.Row(1)[1] = 5, 6
	if part.Rows != 2 || part.Cols != 2 || p.Row(1)[0] != 5 || p.Row(2)[1] != 6 {
		t.Errorf("%+v of %+v", part, p)
	}
	if got := (Logits | Features | OOD).List(); !slices.Equal(got, []Parts{Logits, Features, OOD}) {
		t.Errorf("parts %v", got)
	}
}
