package fit

import (
	"context"
	"slices"
	"testing"

	"github.com/qats-bench/qats/calib/internal/testset"
	"github.com/qats-bench/qats/calib/report"
	"github.com/qats-bench/qats/data"
)

func TestSteepCurvesGoFromTimesTheFactorToDividedByIt(t *testing.T) {
	for _, c := range []struct {
		segments  int
		t, factor float64
		want      []float64
	}{
		{1, 3, 2, []float64{6, 1.5}},
		{2, 2, 2, []float64{4, 2, 1}},
		{4, 1, .25, []float64{.25, .5, 1, 2, 4}},
		{2, MaxT, 2, []float64{MaxT, MaxT, MaxT / 2}},
		{2, MinT, 2, []float64{2 * MinT, MinT, MinT}},
	} {
		if got := (Curve{Segments: c.segments, Free: true}).steep(c.t, c.factor); !slices.Equal(got, c.want) {
			t.Errorf("%d segments, T = %g times %g: %v, want %v", c.segments, c.t, c.factor, got, c.want)
		}
	}
}

// A line has the parameters a and b of the paper, other curves the knots t_1, t_2, ...
func TestBoundsAreNamedByTheirKnots(t *testing.T) {
	for _, c := range []struct {
		curve        Curve
		i            int
		lower, upper string
	}{
		{Curve{Segments: 1, Free: false}, 0, "a >= 0", "a <= 1000"},
		{Curve{Segments: 1, Free: false}, 1, "b >= 0.001", "b <= 1000"},
		{Curve{Segments: 1, Free: true}, 0, "t_1 >= 0.001", "t_1 <= 1000"},
		{Curve{Segments: 1, Free: true}, 1, "t_2 >= 0.001", "t_2 <= 1000"},
		{Curve{Segments: 3, Free: true}, 2, "t_3 >= 0.001", "t_3 <= 1000"},
		{Curve{Segments: 3, Free: false}, 1, "t_2 >= t_3", "t_2 - t_3 <= 1000"},
		{Curve{Segments: 3, Free: false}, 3, "t_4 >= 0.001", "t_4 <= 1000"},
	} {
		if lower, upper := c.curve.bounds(c.i); lower.String() != c.lower || upper.String() != c.upper {
			t.Errorf("%+v, parameter %d: %q and %q, want %q and %q", c.curve, c.i, lower, upper, c.lower, c.upper)
		}
	}
}

// An increment of 0 is named, and is no reason for a warning. The steps of the
// temperature and of the curve are added.
func TestCurveReportsItsSteps(t *testing.T) {
	ctx := context.Background()
	set := testset.Simulated(700, 5, 3, 1.7, 1)
	fitted := func(set *data.Set, c Curve) report.Report {
		o, err := NewObjective(set)
		if err != nil {
			t.Fatal(err)
		}
		q, err := Tails(ctx, set.Logits)
		if err != nil {
			t.Fatal(err)
		}
		ranks := NewECDF(q)
		for i := range q {
			q[i] = ranks.Rank(q[i])
		}
		_, r, err := TemperatureCurve(ctx, func(string, float64) {}, o, q, c)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	o, err := NewObjective(set)
	if err != nil {
		t.Fatal(err)
	}
	_, flat, err := Temperature(ctx, o)
	if err != nil {
		t.Fatal(err)
	}
	r := fitted(set, Curve{Segments: 6, Free: false})
	if r.Iterations <= flat.Iterations {
		t.Errorf("%d steps, of which %d are those of the temperature", r.Iterations, flat.Iterations)
	}
	few, more := fitted(testset.Simulated(FewRows, 4, 3, 1.5, 2), Curve{Segments: 1, Free: true}), fitted(testset.Simulated(FewRows+1, 4, 3, 1.5, 2), Curve{Segments: 1, Free: true})
	if few.Passes < 2*more.Passes-5 { // three starts, and one
		t.Errorf("%v passes over %d rows, %v over one more", few.Passes, FewRows, more.Passes)
	}
	zeros := 0
	for _, bound := range r.AtBound {
		if bound.Minus > 0 && bound.Side == report.Lower {
			zeros++
		}
	}
	if zeros == 0 || zeros == 6 || len(r.Warnings) > 0 {
		t.Errorf("at bound %q, warnings %q", r.AtBound, r.Warnings)
	}
}
