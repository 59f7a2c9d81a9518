package neighbours

import (
	"context"
	"fmt"
	"slices"

	"github.com/qats-bench/qats/calib"
	"github.com/qats-bench/qats/calib/internal/fit"
	"github.com/qats-bench/qats/calib/internal/method"
	"github.com/qats-bench/qats/calib/isotonic"
	"github.com/qats-bench/qats/data"
)

// ProCalBins is proximity-informed calibration by bins, the class BinMeanShift of the
// authors' code. A row belongs to the group of its proximity, see ProCal; one at an
// edge belongs to the group above it. The edges are interpolated linearly between the
// sorted proximities, as numpy.percentile does. Each group has its own
// isotonic.Regression.
//
//   - Formula: ir in each of 5 groups of rows, split at the quantiles of the proximity
//     r of procal
//   - Reference: Xiong, Deng, Koh, Wu, Li, Xu and Hooi 2023
//   - Compared with: MiaoXiong2320/ProximityBias-Calibration (the authors'):
//     BinMeanShift with MultiIsotonicRegression
//   - Agreement: probabilities to 1e-12 on drawn rows given the same proximities, after
//     their rows are divided by their sums
//   - Departures: Those of procal in the proximity, and of ir. The authors calibrate
//     within a group by histogram binning or one-vs-rest isotonic regression too; here
//     is the one that keeps the prediction. A group without calibration rows, by ties
//     of the proximity or fewer rows than groups, has the isotonic regression of all
//     rows; their code fails.
type ProCalBins struct {
	Groups     int // 1 to 100; 0 means 5
	Neighbours int // as in ProCal
	Bank       int // as in ProCal
}

// ProCalBinsEntry is the entry of ProCalBins.
var ProCalBinsEntry = calib.NewEntry[ProCalBins, proCalBinsMap](calib.Entry{
	Name:    "procal-bins",
	Label:   "ProCal (bins)",
	Version: 3,
	Summary: "isotonic regression (ir) in each of five groups of equal size by proximity",
	Aliases: []string{"bin-mean-shift", "procal-bms"},
	Cost:    3000,
	Cost100: 500,
})

// String returns the name of the method.
func (ProCalBins) String() string { return ProCalBinsEntry.Name }

// Options returns the options groups, neighbours and bank.
func (m *ProCalBins) Options() []calib.Option {
	return append([]calib.Option{calib.IntOption("groups", &m.Groups, 5, 1, 100, "number of groups of equal size by proximity")},
		proximityOptions(&m.Neighbours, &m.Bank)...)
}

// Contract needs logits, labels and features.
func (ProCalBins) Contract() calib.Contract {
	return method.OfRanks(method.Sized(method.FeaturesContract()))
}

// Fit returns the edges and the function of each group.
func (m ProCalBins) Fit(ctx context.Context, in calib.Input) (*calib.Fitted, error) {
	m, err := calib.WithDefaults(m)
	if err != nil {
		return nil, err
	}
	if err := method.CheckGrouped(in.Cal); err != nil {
		return nil, err
	}
	bank, others, all, err := newProximityBank(ctx, in, m.Neighbours, m.Bank)
	if err != nil {
		return nil, err
	}
	p := proCalBinsMap{Edges: quantileEdges(others, m.Groups), proximityBank: bank}
	rows := make([][]int, m.Groups)
	for i, r := range others {
		g := fit.UpTo(p.Edges, r)
		rows[g] = append(rows[g], i)
	}
	passes, empty := 0.0, 0
	for _, own := range rows {
		part := in.Cal
		if len(own) > 0 {
			part = fit.Pick(in.Cal, own)
		} else {
			empty++
		}
		g, tries, err := isotonic.FitPooled(ctx, part)
		if err != nil {
			return nil, err
		}
		p.Groups = append(p.Groups, g)
		passes += float64(2*tries*part.Logits.Rows) / float64(in.Cal.Logits.Rows)
	}
	p = p.Prepared().(proCalBinsMap)
	report := calib.Report{Passes: passes + 1}
	if empty > 0 {
		why := "proximities are equal"
		if len(others) < m.Groups {
			why = "there are fewer rows than groups"
		}
		report.Warn(calib.Warning{Text: "{count} of {of} groups have no calibration row, since " + why + ": they have the function of all rows", Count: empty, Of: m.Groups})
	}
	report.NLL, err = method.MeanNLL(ctx, in.Cal, func(q data.Probs, lo, hi int) {
		p.apply(q, in.Cal.Rows(lo, hi), all[lo:hi])
	})
	return &calib.Fitted{Map: p, Report: report}, err
}

// quantileEdges returns the inner edges of groups of equal size, interpolated linearly
// between the sorted values.
func quantileEdges(v []float64, groups int) []float64 {
	sorted, edges := slices.Sorted(slices.Values(v)), make([]float64, groups-1)
	for g := range edges {
		rank := (len(v) - 1) * (g + 1)
		at, rest := rank/groups, float64(rank%groups)/float64(groups)
		edges[g] = sorted[at]
		if rest > 0 {
			edges[g] = min(sorted[at+1], edges[g]+float64((sorted[at+1]-sorted[at])*rest))
		}
	}
	return edges
}

// proCalBinsMap holds the function of each group.
type proCalBinsMap struct {
	Edges  []float64           `json:"edges"` // groups - 1, rising
	Groups []isotonic.Function `json:"groups"`
	proximityBank
}

// Prepared returns m with its bank packed.
func (m proCalBinsMap) Prepared() calib.Map {
	if m.featureBank.Prepare(); m.Edges == nil {
		m.Edges = []float64{}
	}
	return m
}

func (m proCalBinsMap) Check() error {
	if len(m.Groups) != len(m.Edges)+1 {
		return fmt.Errorf("%d edges but %d groups", len(m.Edges), len(m.Groups))
	}
	for i, r := range m.Edges {
		if !(r >= 0 && r <= 1) || i > 0 && r < m.Edges[i-1] {
			return fmt.Errorf("edges[%d] = %v: want rising numbers in [0, 1]", i, r)
		}
	}
	for g, f := range m.Groups {
		if err := f.CheckKnots(); err != nil {
			return fmt.Errorf("group %d: %w", g, err)
		}
	}
	return m.check()
}

// CheckSet rejects features of another width.
func (m proCalBinsMap) CheckSet(set *data.Set) error { return method.CheckWidth(set, m.Width) }

// Apply writes the n x k probabilities.
func (m proCalBinsMap) Apply(dst data.Probs, set *data.Set) {
	near := make([]float64, set.Logits.Rows)
	m.proximities(near, set.Features)
	m.apply(dst, set, near)
}

// apply writes the probabilities of rows of the given proximities.
func (m *proCalBinsMap) apply(dst data.Probs, set *data.Set, proximities []float64) {
	for i, r := range proximities {
		isotonic.Map{Function: m.Groups[fit.UpTo(m.Edges, r)]}.Apply(dst.Slice(i, i+1), set.Rows(i, i+1))
	}
}
