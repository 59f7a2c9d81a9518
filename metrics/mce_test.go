package metrics

import (
	"testing"
)

func TestMCEAsksForBinsWithEnoughRows(t *testing.T) {
	conf, hit := []float64{.01}, []bool{true} // a bin of one row with the largest gap
	for i := range 30 {
		conf, hit = append(conf, .9), append(hit, i < 24)
	}
	near(t, "mce", compute(t, "mce", given(conf, hit)), .99, 1e-15)
	near(t, "mce_30", compute(t, "mce_30", given(conf, hit)), .1, 1e-15)
	e, _ := Lookup("mce_30")
	if v, err := e.Compute(Of(given(conf[:30], hit[:30])), 1); err == nil {
		t.Errorf("29 rows: %v", v)
	}
}

// A gap of 0 is a value, and not the lack of one.
func TestMCEOfACalibratedSetIsZero(t *testing.T) {
	near(t, "mce", compute(t, "mce", given([]float64{1, 1}, []bool{true, true})), 0, 0)
}
