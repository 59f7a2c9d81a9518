package metrics

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/qats-bench/qats/metrics/scoring"
)

// given returns scores with these confidences and hits.
func given(conf []float64, hit []bool) *scoring.SampleScores {
	f := scoring.New(len(conf))
	for i, c := range conf {
		label := int32(1)
		if hit[i] {
			label = 0
		}
		f.Conf = append(f.Conf, c)
		f.Rest = append(f.Rest, 1-c)
		f.Pred = append(f.Pred, 0)
		f.Label = append(f.Label, label)
		f.NLL = append(f.NLL, -math.Log(c))
		f.Brier = append(f.Brier, 2*(1-c)*(1-c))
		f.Changed = append(f.Changed, false)
	}
	return f
}

// network draws n rows whose confidences look like those of a network: skewed to
// 1, a share of them saturated or tied, correct with probability conf^power
// (1: calibrated, more: overconfident).
func network(rng *rand.Rand, n int, power float64) *scoring.SampleScores {
	conf, hit := make([]float64, n), make([]bool, n)
	for i := range conf {
		switch c := 1 - .8*math.Pow(rng.Float64(), 3); rng.IntN(10) {
		case 0:
			conf[i] = 1
		case 1:
			conf[i] = math.Round(c*15) / 15
		case 2:
			conf[i] = math.Round(c*20)/20 - 4e-10*float64(rng.IntN(5)) // chains of near ties
		default:
			conf[i] = c
		}
		hit[i] = rng.Float64() < math.Pow(conf[i], power)
	}
	return given(conf, hit)
}

// pick returns the rows of f in the order of rows, which may repeat.
func pick(f *scoring.SampleScores, rows []int) *scoring.SampleScores {
	g := scoring.New(len(rows))
	g.K = f.K
	if f.Vectors != nil {
		g.Vectors = scoring.NewVectorScores(len(rows))
		from := vectorColumns(f.Vectors)
		for c, column := range vectorColumns(g.Vectors) {
			for to, i := range rows {
				(*column)[to] = (*from[c])[i]
			}
		}
	}
	for _, i := range rows {
		g.Conf = append(g.Conf, f.Conf[i])
		g.Rest = append(g.Rest, f.Rest[i])
		g.Pred = append(g.Pred, f.Pred[i])
		g.Label = append(g.Label, f.Label[i])
		g.NLL = append(g.NLL, f.NLL[i])
		g.Brier = append(g.Brier, f.Brier[i])
		g.Changed = append(g.Changed, f.Changed[i])
	}
	return g
}

func vectorColumns(v *scoring.VectorScores) []*[]float64 {
	a, b := &v.Temperature, &v.Isotonic
	return []*[]float64{&v.NLL, &v.Brier, &a.L1, &a.L2, &a.LInf, &b.L1, &b.L2, &b.LInf}
}

// compute computes the first output of a registered metric.
func compute(t *testing.T, name string, f *scoring.SampleScores) float64 {
	t.Helper()
	e, ok := Lookup(name)
	if !ok {
		t.Fatalf("no metric %s", name)
	}
	v, err := e.Compute(Of(f), 1)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return v[0]
}

func near(t *testing.T, what string, got, want, tol float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tol) {
		t.Errorf("%s: got %.17g, want %.17g within %g", what, got, want, tol)
	}
}
