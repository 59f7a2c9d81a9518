package network

import (
	"math"
	"testing"

	"github.com/qats-bench/qats/calib/internal/fit"
	"github.com/qats-bench/qats/calib/internal/testset"
)

// Parameters of a saved network of adats may be at their limits, and not beyond them.
func TestSavedNetworksOfAdaTSHaveLimits(t *testing.T) {
	inf, nan := math.Inf(1), math.NaN()
	network := func(width, hidden, classes, noise int) adatsMap {
		m := adatsMap{Width: width, Hidden: hidden, Classes: classes, Noise: make(fit.Packed[float32], noise)}
		if width > 0 && hidden > 0 && classes > 0 && width <= adatsMostWidth && classes <= adatsMostWidth && width*hidden < 1<<22 && hidden*hidden < 1<<22 {
			m.Mean, m.Scale = make(fit.Packed[float32], width), make(fit.Packed[float32], width)
			m.Weights = make(fit.Packed[float32], m.shape().Size(false))
		}
		return m
	}
	with := func(m adatsMap, change func(*adatsMap)) adatsMap {
		change(&m)
		return m
	}
	testset.CheckLimits(t, map[string]testset.Limits{
		"adats": {
			Good: []testset.Checked{network(1, 2, 1, 0), network(3, 4, 2, adatsLatent), network(1, 2, 1, adatsMostDraws*adatsLatent)},
			Bad: []testset.Checked{
				network(0, 2, 1, 0), network(1, 2, 0, 0), network(1, 0, 1, 0), network(1, 3, 1, 0), network(adatsMostWidth+1, 2, 1, 0), network(1, 2, adatsMostWidth+1, 0),
				network(1, adatsMostHidden+2, 1, 0), network(1, 2, 1, 1), network(1, 2, 1, adatsLatent-1), network(1, 2, 1, adatsLatent+1), network(1, 2, 1, adatsMostDraws*adatsLatent+1),
				with(network(1, 2, 1, 0), func(m *adatsMap) { m.Mean = m.Mean[:0] }), with(network(1, 2, 1, 0), func(m *adatsMap) { m.Weights = m.Weights[1:] }),
				with(network(1, 2, 1, 0), func(m *adatsMap) { m.Scale[0] = -1 }), with(network(1, 2, 1, 0), func(m *adatsMap) { m.Mean[0] = float32(inf) }),
				with(network(1, 2, 1, 0), func(m *adatsMap) { m.Weights[3] = float32(nan) }),
			},
		},
	})
}
