package submission

import (
	"fmt"
	"math"
	"os"
	"slices"

	"github.com/qats-bench/qats/data"
	"github.com/qats-bench/qats/data/npy"
	"github.com/qats-bench/qats/experiments"
	"github.com/qats-bench/qats/internal/lists"
	"github.com/qats-bench/qats/metrics"
	"github.com/qats-bench/qats/metrics/scoring"
	"github.com/qats-bench/qats/results/compare"
	"github.com/qats-bench/qats/results/compare/significance"
	"github.com/qats-bench/qats/results/leaderboard"
)

// Fresh are the runs of methods on public labels, and on those drawn from each of the References. The plans have the same settings and
// methods in the same order, and are done.
type Fresh struct {
	Public *experiments.Plan
	Drawn  []*experiments.Plan // by References
	Labels Relabelled
}

// Judge returns what the labels show of some methods, in their order, which TS is not among.
//
// The gain of a method on a setting is how much lower its NLL or Brier score is than that of TS: a mean over test rows. A method of a
// confidence alone has those of the predicted class. The excess over a reference is the gain on public labels minus that on labels of the
// reference. No reference has all that a network has, so each method of the plans has an excess that is no chance, and the excess of a
// method is compared with that of each other one: it is above chance if it is so over every reference and beside every other method
// that has the score. The p-value of a setting and a score is the largest of the one-sided ones, with Holm's correction over settings and
// both scores.
//
// All differences are of the same rows with the same logits, so their variance is that of the mean of differences of rows. It has the
// chance of test labels, and not that of calibration labels, on which both fits of a method depend.
func (f Fresh) Judge(methods []string) ([]leaderboard.Fresh, error) {
	list := make([]leaderboard.Fresh, len(methods))
	tests := make([][]test, len(methods))
	for i, m := range methods {
		list[i] = leaderboard.Fresh{Method: m, Holm: 1}
		for _, labels := range slices.Concat([]string{leaderboard.PublicLabels}, References()) {
			list[i].Rows = append(list[i].Rows, leaderboard.FreshRow{Labels: labels})
		}
	}
	for u := range f.Public.Units {
		if err := f.setting(u, list, tests); err != nil {
			return nil, fmt.Errorf("%s: %w", f.Public.Units[u].Setting.Name(), err)
		}
	}
	for i := range list {
		for j := range list[i].Rows {
			list[i].Rows[j].Mean()
		}
		for j, holm := range significance.Holm(lists.Values(tests[i], func(t test) float64 { return t.p })) {
			if j == 0 || holm < list[i].Holm {
				list[i].Holm, list[i].At, list[i].Score = holm, tests[i][j].setting, tests[i][j].score
			}
		}
	}
	return list, nil
}

// test is that of the excess of a method on a setting by a score.
type test struct {
	setting, score string
	p              float64
}

// setting adds a setting to the gains of each method that has a number there on all labels.
func (f Fresh) setting(u int, list []leaderboard.Fresh, tests [][]test) error {
	at, err := f.open(u)
	if err != nil || at == nil {
		return err
	}
	for i := range list {
		m := list[i].Method
		own := at.samples[m]
		if own == nil {
			continue
		}
		for k, truth := range at.truths {
			r := &list[i].Rows[k]
			r.Settings++
			r.Error += truth.error(own[k]) - truth.error(at.samples[leaderboard.TS][k])
			for score, of := range map[string]*float64{scoresOf(own[k])[0]: &r.NLL, scoresOf(own[k])[1]: &r.Brier} {
				gains, err := at.gain(m, score)
				if err != nil {
					return err
				}
				*of -= mean(gains[k])
			}
		}
		for _, score := range scoresOf(own[0]) {
			p, err := at.excess(m, score)
			if err != nil {
				return err
			}
			tests[i] = append(tests[i], test{f.Public.Units[u].Setting.WithoutExperiment().Name(), score, p})
		}
	}
	return nil
}

// opened is a setting with the rows of its methods.
type opened struct {
	methods []string                           // with a number on all labels, in the order of the plans
	samples map[string][]*scoring.SampleScores // of each of them: on public labels, then by References
	truths  []truth                            // in the same order; empty for public labels
	gains   map[[2]string][][]float64          // by method and score: of each row, in the same order
}

// open returns a setting; nil where TS has no number.
func (f Fresh) open(u int) (*opened, error) {
	s := &opened{samples: map[string][]*scoring.SampleScores{}, truths: []truth{{}}, gains: map[[2]string][][]float64{}}
	units := []*experiments.Unit{&f.Public.Units[u]}
	plans := slices.Concat([]*experiments.Plan{f.Public}, f.Drawn)
	for _, plan := range f.Drawn {
		units = append(units, &plan.Units[u])
	}
	for i := range units[0].Cells {
		var all []*scoring.SampleScores
		for k, plan := range plans {
			one, err := plan.Samples(&units[k].Cells[i])
			if err != nil {
				return nil, err
			}
			if one != nil {
				all = append(all, one)
			}
		}
		if m := units[0].Cells[i].Method.Name; len(all) == len(plans) {
			s.methods = append(s.methods, m)
			s.samples[m] = all
		}
	}
	ts := s.samples[leaderboard.TS]
	if ts == nil {
		return nil, nil
	}
	for _, reference := range References() {
		t, err := f.Labels.readTruth(reference, units[0].Setting.Test(), ts[0].Len())
		if err != nil {
			return nil, err
		}
		s.truths = append(s.truths, t)
	}
	return s, nil
}

// scoresOf returns the scores that judge a method: those of the predicted class for a confidence alone.
func scoresOf(s *scoring.SampleScores) []string {
	if s.TopLabel {
		return compare.TopScores()
	}
	return compare.Scores()
}

// gain returns how much lower the score of each row is than that of TS, on all labels; nil where the method does not have the score.
func (s *opened) gain(method, score string) ([][]float64, error) {
	key := [2]string{method, score}
	if gains, known := s.gains[key]; known {
		return gains, nil
	}
	if s.samples[method][0].TopLabel && !slices.Contains(compare.TopScores(), score) {
		return nil, nil
	}
	var gains [][]float64
	for k, own := range s.samples[method] {
		rows, err := gain(score, own, s.samples[leaderboard.TS][k])
		if err != nil {
			return nil, err
		}
		gains = append(gains, rows)
	}
	s.gains[key] = gains
	return gains, nil
}

// excess returns the p-value of the excess of a method by a score: 1 where it is above the level of a look.
func (s *opened) excess(method, score string) (float64, error) {
	own, err := s.gain(method, score)
	if err != nil {
		return 0, err
	}
	p := 0.
	for _, other := range s.methods {
		beside, err := s.gain(other, score)
		if err != nil {
			return 0, err
		}
		if other == method || beside == nil {
			continue
		}
		for k := 1; k < len(own); k++ {
			excess := make([]float64, len(own[0]))
			for row := range excess {
				excess[row] = own[0][row] - own[k][row] - (beside[0][row] - beside[k][row])
			}
			m := mean(excess)
			p = max(p, significance.Above(m, varianceOfMean(excess, m)))
			if p > leaderboard.LookLevel {
				return 1, nil
			}
		}
	}
	return p, nil
}

// gain returns how much lower the score of each row is than that of TS.
func gain(score string, own, ts *scoring.SampleScores) ([]float64, error) {
	e, ok := metrics.Lookup(score)
	if !ok {
		return nil, fmt.Errorf("%s is no metric", score)
	}
	rows := make([]float64, own.Len())
	for sign, of := range map[float64]*scoring.SampleScores{-1: own, 1: ts} {
		values, err := e.Influence(metrics.Of(of), 0)
		if err != nil {
			return nil, err
		}
		for i, v := range values[0] {
			rows[i] += sign * v
		}
	}
	return rows, nil
}

func mean(values []float64) float64 {
	sum := 0.
	for _, v := range values {
		sum += v
	}
	return sum / float64(len(values))
}

// varianceOfMean returns the sum of squares around the mean over n (n - 1).
func varianceOfMean(values []float64, mean float64) float64 {
	sum := 0.
	for _, v := range values {
		sum += float64((v - mean) * (v - mean))
	}
	n := float64(len(values))
	return sum / (n * (n - 1))
}

// truth has the probabilities that the labels of a test set are drawn from.
type truth struct {
	weights []float32 // n x k
}

// readTruth reads the probabilities of a test set of n rows.
func (r Relabelled) readTruth(reference string, test data.Ref, n int) (truth, error) {
	path := r.truth(reference, test)
	b, err := os.ReadFile(path)
	if err != nil {
		return truth{}, err
	}
	size := 1 << 7 // of the header, as [npy.WriteFloat32] writes it
	if len(b) < size || n == 0 || (len(b)-size)%(4*n) != 0 {
		return truth{}, fmt.Errorf("%s: not %d rows: remove it, and labels are drawn again", path, n)
	}
	a, err := npy.NewArray(npy.Float32, false, false, []int{n, (len(b) - size) / (4 * n)}, b[size:])
	if err != nil {
		return truth{}, err
	}
	t := truth{make([]float32, (len(b)-size)/4)}
	return t, a.ReadFloat32(t.weights, 0, n)
}

// error returns the true calibration error of a method: the mean over rows of |confidence - chance that the prediction is right|, in 0
// to 1. Rows need no bins, since the chances are known. It is NaN for public labels, whose chances nobody knows.
func (t truth) error(s *scoring.SampleScores) float64 {
	k := len(t.weights) / s.Len()
	if k == 0 {
		return math.NaN()
	}
	sum := 0.
	for i, conf := range s.Conf {
		total, row := 0., t.weights[i*k:(i+1)*k]
		for _, w := range row {
			total += float64(w)
		}
		sum += math.Abs(conf - float64(row[s.Pred[i]])/total)
	}
	return sum / float64(s.Len())
}
