package simulate

import (
	"math"
	"testing"

	"github.com/qats-bench/qats/data"
)

// TestCalibrated checks the claim of the package comment: at temperature 1 the
// confidence is the probability of being right, at every level of confidence.
func TestCalibrated(t *testing.T) {
	const n, bins = 60000, 10
	w := Network{Name: "calibrated", Classes: 10, Signals: []float64{0.5, 1.5, 2.5, 3.5}, Temperature: 1}
	set := w.Draw(data.Test, n)
	var conf, hit, count [bins]float64
	row := make([]float64, w.Classes)
	for i, y := range set.Labels {
		top := 0
		for j, l := range set.Logits.Row(i) {
			row[j] = float64(l)
			if l > set.Logits.Row(i)[top] {
				top = j
			}
		}
		c := confidence(row)
		b := min(bins-1, int(c*bins))
		conf[b] += c
		count[b]++
		if int32(top) == y {
			hit[b]++
		}
	}
	for b := range count {
		if count[b] < 100 {
			continue
		}
		p := conf[b] / count[b]
		if sd := math.Sqrt(p * (1 - p) / count[b]); math.Abs(hit[b]/count[b]-p) > 4*sd {
			t.Errorf("bin %d: confidence %.4f, accuracy %.4f over %.0f rows", b, p, hit[b]/count[b], count[b])
		}
	}
}

func TestDrawIsByIdentity(t *testing.T) {
	w := Network{Name: "a", Classes: 3, Signals: []float64{1, 2}, Temperature: 2}
	one, again := w.Draw(data.Cal, 50), w.Draw(data.Cal, 50)
	other := w.Draw(data.Test, 50)
	same := true
	for i := range one.Logits.Data {
		if one.Logits.Data[i] != again.Logits.Data[i] {
			t.Fatal("the same draw differs")
		}
		same = same && one.Logits.Data[i] == other.Logits.Data[i]
	}
	if same {
		t.Error("calibration and test draws are equal")
	}
}
