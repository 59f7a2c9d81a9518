package simulate

import (
	"math"
	"testing"
)

// TestConstantsAreRight: with the constants of the file, the model has the accuracy and the ECE that
// each network states, within the tolerance of the search. This looks at one network of 1,000 classes,
// and a short run at one in ten of the others; the study that searches looks at all.
func TestConstantsAreRight(t *testing.T) {
	list, err := Known()
	if err != nil {
		t.Fatal(err)
	}
	seen, large := map[string]bool{}, 0
	for i, s := range list {
		if err := s.Check(); err != nil {
			t.Error(err)
		}
		if seen[s.identityText()] {
			t.Errorf("%s%s has two lines", s.Name, s.Shift.text())
		}
		seen[s.identityText()] = true
		if s.Classes == 1000 {
			large++
		}
		if s.Classes == 1000 && large > 1 || testing.Short() && (i%10 != 0 || s.Classes == 1000) {
			continue
		}
		accuracy, ece := s.targets()
		p := NewProbe(s.Network)
		gotAccuracy := p.Accuracy(s.Constants)
		gotECE, _ := p.Gap(s.Constants)
		if !(math.Abs(gotAccuracy-accuracy) <= Tolerance) || !(math.Abs(gotECE-ece) <= Tolerance) {
			t.Errorf("%s%s: accuracy %.5f, ECE %.5f; want %g, %g", s.Name, s.Shift.text(), gotAccuracy, gotECE, accuracy, ece)
		}
	}
}
