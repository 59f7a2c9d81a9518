package scoring

import (
	"reflect"
	"testing"
)

// Scores of a confidence alone are encoded without predicted classes, and come back as they were.
func TestScoresOfAConfidenceAloneSurviveEncoding(t *testing.T) {
	s := &SampleScores{ConfidenceOnly: true}
	if err := s.AppendTopLabel(make([]int32, 4), []float64{0, .25, 1, .5}, []int32{1, 0, 0, 1}); err != nil {
		t.Fatal(err)
	}
	b, err := s.AppendEncoded(nil)
	if err != nil {
		t.Fatal(err)
	}
	got, err := Decode(b)
	if err != nil || !reflect.DeepEqual(got, s) {
		t.Errorf("%+v, %v; want %+v", got, err, s)
	}
	s.ConfidenceOnly = false
	if b, err = s.AppendEncoded(nil); err != nil {
		t.Fatal(err)
	}
	if got, err = Decode(b); err != nil || got.ConfidenceOnly || !reflect.DeepEqual(got, s) {
		t.Errorf("of a top-label method: %+v, %v", got, err)
	}
}
