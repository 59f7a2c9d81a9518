package metrics

import (
	"math"
	"testing"
)

// TestMIoU: class 0 has rows {0,1,2} and is predicted for {0,1,3}: 2 of 4;
// class 2 has {3,4} and is predicted for {2,4}: 1 of 3; class 1 does not occur;
// class 7 is predicted once and never right: 0 of 1, and its row of class 0
// makes that 2 of 5.
func TestMIoU(t *testing.T) {
	f := &Facts{Label: []int32{0, 0, 0, 2, 2, 0}, Pred: []int32{0, 0, 2, 0, 2, 7}}
	if got, want := miou(f), (2.0/5+1.0/3+0)/3; math.Abs(got-want) > 1e-15 {
		t.Errorf("mIoU %v, want %v", got, want)
	}
	perfect := &Facts{Label: []int32{3, 1}, Pred: []int32{3, 1}}
	if got := miou(perfect); got != 1 {
		t.Errorf("mIoU %v of a perfect prediction", got)
	}
}
