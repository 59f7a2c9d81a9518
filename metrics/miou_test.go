package metrics

import (
	"testing"

	"github.com/qats-bench/qats/metrics/scoring"
)

func classesOf(label, pred []int32) *Samples {
	return Of(&scoring.SampleScores{Conf: make([]float64, len(label)), Rest: make([]float64, len(label)), Label: label, Pred: pred})
}

// Class 0 has rows {0, 1, 2, 5} and is predicted for {0, 1, 3}: 2 of 5. Class 2 has
// {3, 4} and is predicted for {2, 4}: 1 of 3. Class 1 does not occur. Class 7 is
// predicted once and never right: 0 of 1.
func TestMIoUDoneByHand(t *testing.T) {
	got, err := MIoU(classesOf([]int32{0, 0, 0, 2, 2, 0}, []int32{0, 0, 2, 0, 2, 7}))
	if err != nil {
		t.Fatal(err)
	}
	near(t, "mIoU", got, (2.0/5+1.0/3+0)/3, 1e-15)
	if got, err := MIoU(classesOf([]int32{3, 1}, []int32{3, 1})); got != 1 || err != nil {
		t.Errorf("mIoU %v of a perfect prediction, %v", got, err)
	}
}
