package binning

import (
	"context"

	"github.com/qats-bench/qats/calib"
	"github.com/qats-bench/qats/calib/internal/method"
	"github.com/qats-bench/qats/calib/onevsrest"
	"github.com/qats-bench/qats/internal/kernel/softmax"
)

// Bayesian is Bayesian binning (BBQ) of each class against all others, in the form of
// the package netcal, which CalArena runs. Histogram binnings of the n pairs (p_ij,
// 1[y_i = j]) of softmax probability and outcome with different numbers of bins m are
// averaged. L_m is the likelihood of the n outcomes, and m goes from max(1,
// floor(n^(1/3)/10)) to min(ceil(n/5), ceil(10 n^(1/3))): 1 to 171 for 5,000 rows. The
// prediction may change.
//
// Binnings of small weight are left out. v_m = exp((min BIC - BIC_m)/2) are sorted, the
// largest first, and of equal ones the fewer bins first. Equal ones at the beginning
// are kept. From there on, binnings are kept up to the first gap between neighbours of
// at most 0.001 var(v), the variance over all m.
//
// Bins are right-closed (softmax.Bin). A bin without calibration rows has its centre,
// as in Histogram, and a row of zeros becomes uniform.
//
//   - Formula: q_j = g_j(p_j) / sum of the same, g_j = sum over m of w_m h_m, h_m the
//     share of class j in m bins of equal width, w_m proportional to exp(-BIC_m/2),
//     BIC_m = m log n - 2 log L_m, 1 to 10 n^(1/3) bins; small weights are left out
//   - Reference: Naeini, Cooper and Hauskrecht 2015
//   - Compared with: EFS-OpenSource/calibration-framework (netcal) 1.3.6, which
//     CalArena runs
//   - Agreement: probabilities to 3e-15 on drawn rows, without the mass, if netcal adds
//     likelihoods in float64; else to 1.1e-5
//   - Departures: From the paper, as in netcal: bins of equal width in place of equal
//     numbers of rows, BIC in place of the marginal likelihood under a beta prior (BDeu),
//     and small weights are left out. From netcal: its bins are left-closed where shares
//     are computed and right-closed where they are used; it adds likelihoods in float32; a
//     class without calibration rows has probability 0 there, and a row of zeros is NaN.
//     Here such a class is fitted like the others, and a g of 0 or 1 has a mass
//     (calib.Mass).
type Bayesian struct {
	Score string // "bic" or "aic" (2m in place of m log n); empty means "bic"
}

// BBQEntry is the entry of Bayesian.
var BBQEntry = calib.NewEntry[Bayesian, bbqMap](calib.Entry{
	Name:    "bbq",
	Label:   "BBQ",
	Version: 3,
	Since:   2,
	Summary: "average of histogram binnings with different numbers of bins, of each class against all others, rows normalised",
	Cost:    200,
	Cost100: 140,
})

// String returns the name of the method.
func (Bayesian) String() string { return BBQEntry.Name }

// Criteria that weigh the numbers of bins.
const (
	scoreBIC = "bic"
	scoreAIC = "aic"
)

// Options returns the option score.
func (m *Bayesian) Options() []calib.Option {
	return []calib.Option{calib.ChoiceOption("score", &m.Score, []string{scoreBIC, scoreAIC}, "criterion that weighs the numbers of bins")}
}

// Contract needs logits and labels. The prediction may change.
func (Bayesian) Contract() calib.Contract {
	return method.OfValues(method.Sized(method.VectorContract()))
}

// Fit returns the averaged histograms of every class.
func (m Bayesian) Fit(ctx context.Context, in calib.Input) (*calib.Fitted, error) {
	m, err := calib.WithDefaults(m)
	if err != nil {
		return nil, err
	}
	g := onevsrest.New[averagedHistogram](in.Cal.Logits.Cols)
	cost := 2.0 // of a bin
	if m.Score == scoreBIC {
		cost = softmax.Log(float64(in.Cal.Logits.Rows))
	}
	return onevsrest.Fit(ctx, in.Cal, g, func(class int, p []float64, positive []bool) calib.Minimum {
		g.Classes[class] = averageHistograms(p, positive, cost).Prepared()
		return calib.Minimum{}
	})
}

// bbqMap holds the averaged histograms of each of the k classes.
type bbqMap = onevsrest.Functions[averagedHistogram]
