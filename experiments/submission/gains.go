package submission

import (
	"fmt"
	"math"
	"os"
	"slices"

	"github.com/qats-bench/qats/data"
	"github.com/qats-bench/qats/data/npy"
	"github.com/qats-bench/qats/experiments"
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

// Judge returns what the labels show of each method but TS, in the order of the plans.
//
// The gain of a method on a setting is how much lower its NLL or Brier score is than that of TS: a mean over test rows. A method of a
// confidence alone has those of the predicted class. The excess of a setting and a score over a reference is the gain on public
// labels minus that on drawn ones. Both are of the same rows with the same logits, so its variance is that of the mean of differences
// of rows. An excess is above chance if it is so over every reference: the p-value is the largest of the one-sided ones, with
// Holm's correction over settings and both scores.
//
// The variance has the chance of test labels, and not that of calibration labels, on which both fits of a method depend.
func (f Fresh) Judge() ([]leaderboard.Fresh, error) {
	var list []leaderboard.Fresh
	n := len(f.Public.Units[0].Cells)
	tests := make([][]test, n)
	for i := range n {
		list = append(list, leaderboard.Fresh{Method: f.Public.Units[0].Cells[i].Method.Name, Rows: make([]leaderboard.FreshRow, 1+len(References()))})
	}
	for u := range f.Public.Units {
		if err := f.setting(u, list, tests); err != nil {
			return nil, fmt.Errorf("%s: %w", f.Public.Units[u].Setting.Name(), err)
		}
	}
	for i := range list {
		for j := range list[i].Rows {
			list[i].Rows[j].Labels = slices.Concat([]string{leaderboard.PublicLabels}, References())[j]
			list[i].Rows[j].Mean()
		}
		var p []float64
		for _, t := range tests[i] {
			p = append(p, t.p)
		}
		for j, holm := range significance.Holm(p) {
			if j == 0 || holm < list[i].Holm {
				list[i].Holm, list[i].At, list[i].Score = holm, tests[i][j].setting, tests[i][j].score
			}
		}
	}
	return slices.DeleteFunc(list, func(m leaderboard.Fresh) bool { return m.Method == leaderboard.TS }), nil
}

// test is that of the excess of a method on a setting by a score.
type test struct {
	setting, score string
	p              float64
}

// setting adds a setting to the gains of each method that has a number there on all labels.
func (f Fresh) setting(u int, list []leaderboard.Fresh, tests [][]test) error {
	units := []*experiments.Unit{&f.Public.Units[u]}
	plans := slices.Concat([]*experiments.Plan{f.Public}, f.Drawn)
	for _, plan := range f.Drawn {
		units = append(units, &plan.Units[u])
	}
	of := func(method int) ([]*scoring.SampleScores, error) {
		var all []*scoring.SampleScores
		for k, plan := range plans {
			s, err := plan.Samples(&units[k].Cells[method])
			if err != nil || s == nil {
				return nil, err
			}
			all = append(all, s)
		}
		return all, nil
	}
	base := slices.IndexFunc(units[0].Cells, func(c experiments.Cell) bool { return c.Method.Name == leaderboard.TS })
	ts, err := of(base)
	if err != nil || ts == nil {
		return err
	}
	truths := []truth{{}}
	for _, reference := range References() {
		t, err := f.Labels.readTruth(reference, units[0].Setting.Test(), ts[0].Len())
		if err != nil {
			return err
		}
		truths = append(truths, t)
	}
	for i := range list {
		own, err := of(i)
		if err != nil {
			return err
		}
		if own == nil || i == base {
			continue
		}
		names := compare.Scores()
		if own[0].TopLabel {
			names = compare.TopScores()
		}
		for k := range plans {
			list[i].Rows[k].Settings++
			list[i].Rows[k].Error += truths[k].error(own[k]) - truths[k].error(ts[k])
		}
		for s, score := range names {
			gains := make([][]float64, len(plans))
			for k := range plans {
				if gains[k], err = gain(score, own[k], ts[k]); err != nil {
					return err
				}
				*[]*float64{&list[i].Rows[k].NLL, &list[i].Rows[k].Brier}[s] -= mean(gains[k])
			}
			t := test{setting: units[0].Setting.WithoutExperiment().Name(), score: score}
			for _, drawn := range gains[1:] {
				excess := make([]float64, len(drawn))
				for row := range excess {
					excess[row] = gains[0][row] - drawn[row]
				}
				m := mean(excess)
				t.p = max(t.p, significance.Above(m, varianceOfMean(excess, m)))
			}
			tests[i] = append(tests[i], t)
		}
	}
	return nil
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
