package binning

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/qats-bench/qats/calib"
	"github.com/qats-bench/qats/calib/internal/fit"
	"github.com/qats-bench/qats/calib/internal/method"
	"github.com/qats-bench/qats/calib/onevsrest"
	"github.com/qats-bench/qats/data"
	"github.com/qats-bench/qats/internal/kernel/softmax"
	"github.com/qats-bench/qats/internal/stretch"
)

// Scaled is the scaling-binning calibrator of each class against all others, the
// authors' marginal calibrator. The sigmoids are fitted by logistic regression. Means
// of g vary less than shares of outcomes, and the number of values is finite, so that
// the calibration error can be estimated. The prediction may change.
//
// The edge between two bins is the mean of the values on both sides, and equal edges
// are one; bins are right-closed. Values near 1 are compared by their complements, and
// those that differ by rounding alone are not parted (package stretch). A bin without
// rows, between edges on ties, has its centre. If there are fewer rows than bins, each
// row has a bin of its own. z is limited to +-log((1-1e-12)/1e-12), 27.6. A g below
// 5e-324 is 0, in the authors' code too, so such rows tie: a class that g separates can
// have that many of them, since its a is in the hundreds.
//
//   - Formula: q_j = mean of g_j over the calibration rows in the bin of g_j(z_j),
//     divided by the sum of the same; g_j(z) = sigmoid(a_j z + b_j), z_j =
//     log(p_j/(1-p_j)), bins of equal numbers of rows
//   - Reference: Kumar, Liang and Ma 2019
//   - Compared with: p-lambda/verified_calibration, the authors':
//     PlattBinnerMarginalCalibrator
//   - Agreement: probabilities to 1.5e-7 on drawn rows, where its L-BFGS ends
//   - Departures: The authors do not divide a row by its sum. Their code adds a penalty of
//     5e-11/n times the square of a to the mean loss; ours has none. A class that is
//     absent, or that g separates without an error, has no minimum then; a and b are where
//     the gradient has vanished. As in their code, one set serves to fit g, to place the
//     bins and to average; the paper divides it in three. A mean that rounds to 0 or 1 has
//     a mass (calib.Mass).
type Scaled struct {
	Bins int // bins of equal numbers of rows, 1 to 1000; 0 means 10
}

// TopScaled is Scaled of the top label, with the hits (1 if the prediction is right) as
// outcomes; see TopLabel. Calibration rows with one class that is not masked are left out,
// since their confidence is 1 whatever is fitted.
//
//   - Formula: new confidence = mean of g over the calibration rows in the bin of g(z),
//     z the log odds of the confidence; g(z) = sigmoid(a z + b) fitted to the hits,
//     bins of equal numbers of rows
//   - Reference: Kumar, Liang and Ma 2019
//   - Compared with: p-lambda/verified_calibration, the authors':
//     PlattBinnerTopCalibrator
//   - Agreement: confidences to 1.4e-6 on drawn rows, where its L-BFGS ends
//   - Departures: Those of scaling-binning, but rows are not divided, and right and wrong share
//     the mass.
type TopScaled struct {
	Bins int // bins of equal numbers of rows, 1 to 1000; 0 means 10
}

// ScalingBinningEntry is the entry of Scaled.
var ScalingBinningEntry = calib.NewEntry[Scaled, scalingBinningMap](calib.Entry{
	Name:    "scaling-binning",
	Label:   "Scaling-binning",
	Version: 5,
	Since:   4,
	Summary: "sigmoid of each class against all others, replaced by its mean in bins of equal size, rows normalised",
	Cost:    130,
	Cost100: 200,
})

// String returns the name of the method.
func (Scaled) String() string { return ScalingBinningEntry.Name }

// ScalingBinningTopEntry is the entry of TopScaled.
var ScalingBinningTopEntry = calib.NewEntry[TopScaled, topScalingBinningMap](calib.Entry{
	Name:    "scaling-binning-top",
	Label:   "Scaling-binning-top",
	Version: 6,
	Since:   5,
	Summary: "sigmoid of the confidence of the prediction, replaced by its mean in bins of equal size; a top-label method",
})

// String returns the name of the method.
func (TopScaled) String() string { return ScalingBinningTopEntry.Name }

// mostBinnedOdds is the largest absolute value of a score, log((1-1e-12)/1e-12).
const mostBinnedOdds = 27.631021115927547

func equalBinsOption(field *int) []calib.Option {
	return []calib.Option{calib.IntOption("bins", field, 10, 1, 1000, "number of bins of equal numbers of rows")}
}

// Options returns the option bins.
func (m *Scaled) Options() []calib.Option { return equalBinsOption(&m.Bins) }

// Options returns the option bins.
func (m *TopScaled) Options() []calib.Option { return equalBinsOption(&m.Bins) }

// Contract needs logits and labels. The prediction may change.
func (Scaled) Contract() calib.Contract { return method.OfValues(method.VectorContract()) }

// Contract needs logits and labels.
func (TopScaled) Contract() calib.Contract { return method.OfValues(method.TopContract()) }

// binnedSigmoid is a sigmoid of a score and its mean in each bin. Stretched values of the
// sigmoid up to Edges[0] are in bin 0, those above Edges[i] up to Edges[i+1] in bin i+1.
type binnedSigmoid struct {
	A      float64   `json:"a"`
	B      float64   `json:"b"`
	Edges  []float64 `json:"edges"`  // increasing, one fewer than Values
	Values []float64 `json:"values"` // one for each bin
}

// limitOdds returns the score of a binned sigmoid.
func limitOdds(z float64) float64 { return min(max(z, -mostBinnedOdds), mostBinnedOdds) }

// sigmoid returns the stretched sigmoid of a score.
func (s *binnedSigmoid) sigmoid(z float64) float64 {
	t := float64(s.A*limitOdds(z)) + s.B
	if t <= 0 {
		return fit.Sigmoid(t)
	}
	return min(0.25*(1+softmax.Exp(t)), stretch.Most) // 1-g is 1/(1+e^t)
}

// ClassScore is the log odds.
func (binnedSigmoid) ClassScore() string { return onevsrest.ScoreLogOdds }

// At returns the value of a score.
func (s binnedSigmoid) At(z float64) float64 { return s.Values[edgesBelow(s.Edges, s.sigmoid(z))] }

// fitBinnedSigmoid fits the sigmoid to n scores, which it limits in place, and their
// outcomes, and returns it with its bins.
func fitBinnedSigmoid(scores []float64, hit []bool, bins int) (binnedSigmoid, calib.Minimum) {
	for i, z := range scores {
		scores[i] = limitOdds(z)
	}
	l := fit.Logistic{Columns: [][]float64{scores}, Positive: hit, High: 1, Identity: true}
	slopes, offset, end := l.Minimise()
	s := binnedSigmoid{A: slopes[0], B: offset}
	g := make([]float64, len(scores))
	for i, z := range scores {
		g[i] = s.sigmoid(z)
	}
	slices.Sort(g) // so that sums of bins do not depend on the order of the rows
	edges, rows := equalEdges(g, bins)
	s.Edges, s.Values = edges, make([]float64, len(rows))
	for bin, n := range rows {
		sum := 0.0
		for _, x := range g[:n] {
			sum += stretch.Prob(x)
		}
		if g = g[n:]; n > 0 {
			s.Values[bin] = min(sum/float64(n), 1)
		} else {
			s.Values[bin] = centre(edges, bin)
		}
	}
	return s, end
}

// equalEdges returns the edges between bins of equally many of the n stretched
// probabilities g, and how many each bin has. The first bins have one more if n is no
// multiple of bins. An edge is half-way between the last probability of a bin and the
// first of the next, and belongs to the bin below. If these two are tied, it is at the
// end of the tie. Equal edges count once, and then a bin may be empty.
func equalEdges(g []float64, bins int) (edges []float64, rows []int) {
	n := len(g)
	bins = min(bins, n)
	var ranks []int // of the last number of a bin and the first of the next
	for b, end := 0, 0; b < bins-1; b++ {
		end += n / bins
		if b < n%bins {
			end++
		}
		ranks = append(ranks, end-1, end)
	}
	at := slices.Clone(g)
	slices.Sort(at)
	edges, rows = make([]float64, 0, bins), make([]int, 0, bins)
	before := 0 // numbers up to the last edge
	for i := 0; i < len(ranks); i += 2 {
		x, upTo := stretch.Middle(at[ranks[i]], at[ranks[i+1]]), ranks[i+1]
		end := stretch.Logits.End(at[ranks[i]])
		tied := at[ranks[i+1]] <= end
		if tied {
			x = end
		}
		if len(edges) > 0 && x <= edges[len(edges)-1] {
			continue
		}
		if tied {
			upTo = fit.UpTo(at, x)
		}
		edges, rows, before = append(edges, x), append(rows, upTo-before), upTo
	}
	return edges, append(rows, n-before)
}

// edgesBelow returns how many of the rising edges are below x; all are numbers >= 0. For few
// edges it is faster to count than to search. It compares the bits as whole numbers, which
// have the order of numbers >= 0, because that needs no branch.
func edgesBelow(edges []float64, x float64) int {
	if len(edges) > 16 {
		b, _ := slices.BinarySearch(edges, x)
		return b
	}
	b, bits := uint64(0), math.Float64bits(x)
	for ; len(edges) >= 4; edges = edges[4:] {
		e := edges[:4:4]
		b += (math.Float64bits(e[0])-bits)>>63 + (math.Float64bits(e[1])-bits)>>63 +
			(math.Float64bits(e[2])-bits)>>63 + (math.Float64bits(e[3])-bits)>>63
	}
	for _, edge := range edges {
		b += (math.Float64bits(edge) - bits) >> 63
	}
	return int(b)
}

// centre returns the centre of a bin of [0, 1] with the given inner edges.
func centre(edges []float64, bin int) float64 {
	lo, hi := 0.0, 1.0
	if bin > 0 {
		lo = stretch.Prob(edges[bin-1])
	}
	if bin < len(edges) {
		hi = stretch.Prob(edges[bin])
	}
	return (lo + hi) / 2
}

func (s binnedSigmoid) Check() error {
	if err := fit.CheckVectors([]string{"a", "b"}, []float64{s.A}, []float64{s.B}); err != nil {
		return err
	}
	return checkBins(s.Edges, s.Values)
}

// Certain reports whether a bin has the value 0 or 1; see calib.Certain. A mean of sigmoids is neither, but of a class that
// g separates without an error it can round to one of them.
func (s binnedSigmoid) Certain() bool { return certain(s.Values) }

// checkBins rejects edges and values of bins that no fit returns.
func checkBins(edges, values []float64) error {
	if len(values) == 0 || len(edges) != len(values)-1 {
		return fmt.Errorf("%d edges and %d values: want one value more than edges", len(edges), len(values))
	}
	for i, v := range values {
		if !(v >= 0 && v <= 1) {
			return fmt.Errorf("values[%d] = %v is outside [0, 1]", i, v)
		}
	}
	for i, x := range edges {
		if !(x >= 0 && x <= stretch.Logits.End(stretch.Most)) || i > 0 && x <= edges[i-1] {
			return fmt.Errorf("edges[%d] = %v: want increasing numbers in [0, %.3g]", i, x, stretch.Most)
		}
	}
	return nil
}

// Fit returns the sigmoid, edges and values of every class.
func (m Scaled) Fit(ctx context.Context, in calib.Input) (*calib.Fitted, error) {
	m, err := calib.WithDefaults(m)
	if err != nil {
		return nil, err
	}
	g := onevsrest.New[binnedSigmoid](in.Cal.Logits.Cols)
	return onevsrest.Fit(ctx, in.Cal, g, func(class int, f []float64, positive []bool) calib.Minimum {
		s, end := fitBinnedSigmoid(f, positive, m.Bins)
		g.Classes[class] = s
		return end
	})
}

// Fit returns the sigmoid, edges and values of the confidence.
func (m TopScaled) Fit(ctx context.Context, in calib.Input) (*calib.Fitted, error) {
	m, err := calib.WithDefaults(m)
	if err != nil {
		return nil, err
	}
	rows, err := method.TopRows(ctx, in.Cal)
	if err != nil {
		return nil, err
	}
	scores, hit := make([]float64, len(rows)), make([]bool, len(rows))
	for i, r := range rows {
		scores[i], hit[i] = -softmax.Log(r.Tail), r.Hit
	}
	s, end := fitBinnedSigmoid(scores, hit, m.Bins)
	f := method.TopMixed(topScalingBinningMap(s), len(rows))
	onevsrest.Note(&f.Report, []calib.Minimum{end})
	return f, nil
}

// scalingBinningMap holds a binned sigmoid for each of the k classes.
type scalingBinningMap = onevsrest.Functions[binnedSigmoid]

// topScalingBinningMap is the binned sigmoid of the confidence.
type topScalingBinningMap binnedSigmoid

func (m topScalingBinningMap) Check() error { return binnedSigmoid(m).Check() }

// Certain reports whether the binned sigmoid is.
func (m topScalingBinningMap) Certain() bool { return binnedSigmoid(m).Certain() }

// Confidences writes the value of the bin of every confidence.
func (m topScalingBinningMap) Confidences(dst []float64, _ *data.Set, at *calib.Unscaled) {
	method.EachConfidence(dst, at, func(tail float64) float64 { return binnedSigmoid(m).At(-softmax.Log(tail)) })
}
