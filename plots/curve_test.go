package plots

import (
	"strings"
	"testing"

	"github.com/qats-bench/qats/metrics"

	"github.com/qats-bench/qats/results/figure"
)

// TestCurvesTakeThePlaceOfBars: a figure of CORP curves prints their miscalibration and not
// the ECE, and draws a curve of one point too.
func TestCurvesTakeThePlaceOfBars(t *testing.T) {
	in := sample(figure.Reliability, "ts", "qats")
	in.Curves = map[string]Curve{
		"ts":   {Points: []metrics.CurvePoint{{Conf: .2, Acc: .1, Lo: .1, Hi: .3}, {Conf: .9, Acc: .8, Lo: .85, Hi: .95}}, Miscalibration: .0123},
		"qats": {Points: []metrics.CurvePoint{{Conf: .5, Acc: .5, Lo: .4, Hi: .6}}},
	}
	f := mustDraw(t, figure.Reliability, in)
	svg := string(encode(t, f, SVG))
	for _, want := range []string{"MCB 1.23 %", "MCB 0.00 %", "CORP curve", "95 % if calibrated"} {
		if !strings.Contains(svg, want) {
			t.Errorf("%q is not in the figure", want)
		}
	}
	if strings.Contains(svg, "ECE") || strings.Contains(svg, "overconfident") {
		t.Error("the figure has the words of bars")
	}
}
