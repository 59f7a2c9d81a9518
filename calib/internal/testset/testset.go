// Package testset draws labelled logits for the tests of calib and of its solvers.
// It also solves small problems by brute force.
package testset

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/qats-bench/qats/data"
	"github.com/qats-bench/qats/internal/kernel/softmax"
)

// Simulated returns n rows of k normal logits with standard deviation spread. The
// labels are drawn from softmax(l/t), so the best temperature is t, except for
// chance.
func Simulated(n, k int, spread, t float64, seed uint64) *data.Set {
	rng := rand.New(rand.NewPCG(seed, 1))
	set := &data.Set{Logits: data.NewMatrix(n, k), Labels: make([]int32, n)}
	p := make([]float64, k)
	for i := range n {
		row := set.Logits.Row(i)
		for j := range row {
			row[j] = float32(spread * rng.NormFloat64())
		}
		softmax.Probs(p, row, 1/t)
		u := rng.Float64()
		for j := range p {
			set.Labels[i] = int32(j)
			if u -= p[j]; u < 0 {
				break
			}
		}
	}
	return set
}

// Drawn returns n rows of k normal logits with standard deviation 3. The labels are
// drawn from their softmax at the given temperature.
func Drawn(n, k int, temperature float64, seed uint64) *data.Set {
	rng := rand.New(rand.NewPCG(seed, 0))
	set := &data.Set{Logits: data.NewMatrix(n, k), Labels: make([]int32, n)}
	p := make([]float64, k)
	for i := range n {
		row := set.Logits.Row(i)
		for j := range row {
			row[j] = float32(3 * rng.NormFloat64())
		}
		softmax.Probs(p, row, 1/temperature)
		u := rng.Float64()
		for j := range p {
			if u -= p[j]; u < 0 || j == k-1 {
				set.Labels[i] = int32(j)
				break
			}
		}
	}
	return set
}

// Tied returns n rows of k logits. Every third row has a copy, so that tails tie.
func Tied(n, k int) *data.Set {
	set := Simulated(n, k, 2, 1.7, uint64(n))
	for i := 0; i+1 < n; i += 3 {
		copy(set.Logits.Row(i+1), set.Logits.Row(i))
	}
	return set
}

// Stream gives the rows of a set in memory in blocks, as calib.Stream.
type Stream struct{ set *data.Set }

// StreamOf returns the rows of a set as a stream.
func StreamOf(set *data.Set) Stream { return Stream{set} }

// Rows returns n.
func (s Stream) Rows() int { return s.set.Logits.Rows }

// Classes returns k.
func (s Stream) Classes() int { return s.set.Logits.Cols }

// Read copies rows lo..hi-1.
func (s Stream) Read(_ context.Context, lo, hi int, logits []float32, labels []int32) error {
	copy(logits, s.set.Logits.Slice(lo, hi).Data)
	copy(labels, s.set.Labels[lo:hi])
	return nil
}

// Lattice returns n rows of k logits that can be computed in any language: multiples
// of 1/512 from -8 to 8, distinct within a row. The larger the gap between the two
// largest logits, the more often the label is the top class. Otherwise it is the
// second class or the last. Reference vectors from Python use this set,
//
//	z[i,j] = ((37*i + 1013*j + 131*i*j + 17*i*i*(j+1)) % 8191) / 512 - 8
//	order = np.argsort(-z[i], kind="stable"); gap = z[i,order[0]] - z[i,order[1]]
//	y[i] = order[0] if (29*i) % 100 < 30 + 12*gap else order[1 if i % 3 else k-1]
//
// with numpy 1.24.2, scipy 1.10.1 and scikit-learn 1.2.1.
func Lattice(n, k int) *data.Set {
	set := &data.Set{Logits: data.NewMatrix(n, k), Labels: make([]int32, n)}
	for i := range n {
		row := set.Logits.Row(i)
		order := make([]int32, k)
		for j := range row {
			row[j] = float32((37*i+1013*j+131*i*j+17*i*i*(j+1))%8191)/512 - 8
			order[j] = int32(j)
		}
		slices.SortFunc(order, func(a, b int32) int {
			if row[a] > row[b] {
				return -1
			}
			return 1
		})
		gap := float64(row[order[0]]) - float64(row[order[1]])
		switch {
		case float64((29*i)%100) < 30+12*gap:
			set.Labels[i] = order[0]
		case i%3 != 0:
			set.Labels[i] = order[1]
		default:
			set.Labels[i] = order[k-1]
		}
	}
	return set
}

// DirectNLL is the mean NLL by its definition, at a temperature for each row.
func DirectNLL(set *data.Set, temperature func(i int) float64) float64 {
	total := 0.0
	for i, y := range set.Labels {
		row, t := set.Logits.Row(i), temperature(i)
		most := float64(row[0])
		for _, l := range row {
			most = max(most, float64(l))
		}
		sum := 0.0
		for _, l := range row {
			sum += math.Exp((float64(l) - most) / t)
		}
		total += math.Log(sum) - (float64(row[y])-most)/t
	}
	return total / float64(len(set.Labels))
}

// BruteTemperature returns the T with the least NLL, and this NLL. It searches a grid
// from 0.01 to 100, which it refines around the best point to a relative width of 1e-7.
func BruteTemperature(set *data.Set) (t, nll float64) {
	lo, hi := math.Log(0.01), math.Log(100)
	const points = 30
	for hi-lo > 1e-7 {
		best, at := math.Inf(1), 0
		for i := range points + 1 {
			u := lo + (hi-lo)*float64(i)/points
			if v := DirectNLL(set, func(int) float64 { return math.Exp(u) }); v < best {
				best, at = v, i
			}
		}
		step := (hi - lo) / points
		mid := lo + step*float64(at)
		lo, hi = mid-step, mid+step
		t, nll = math.Exp(mid), best
	}
	return t, nll
}

// Broken is a stream that fails with ErrBroken from row Bad on. If Label is not 0, it
// gives these rows the label Label instead.
type Broken struct {
	Stream
	Bad   int
	Label int32
	Reads *atomic.Int64 // counts the calls of Read, if it is not nil
}

// ErrBroken is the error of a Broken stream.
var ErrBroken = errors.New("broken")

// Read fails, or changes labels, from row Bad on.
func (s Broken) Read(ctx context.Context, lo, hi int, logits []float32, labels []int32) error {
	if s.Reads != nil {
		s.Reads.Add(1)
	}
	if hi > s.Bad && s.Label == 0 {
		return fmt.Errorf("row %d: %w", max(lo, s.Bad), ErrBroken)
	}
	err := s.Stream.Read(ctx, lo, hi, logits, labels)
	for i := max(lo, s.Bad); i < hi; i++ {
		labels[i-lo] = s.Label
	}
	return err
}

// Rows returns a matrix of the given rows.
func Rows(rows [][]float32) data.Matrix {
	m := data.NewMatrix(len(rows), len(rows[0]))
	for i, row := range rows {
		copy(m.Row(i), row)
	}
	return m
}

// Near reports whether all elements of a and b are within tol of each other.
func Near(a, b []float64, tol float64) bool {
	return slices.EqualFunc(a, b, func(u, v float64) bool { return math.Abs(u-v) <= tol })
}

// FixedWeights returns starting weights that can be computed in any language.
func FixedWeights(n int) []float64 {
	w := make([]float64, n)
	for i := range w {
		w[i] = float64((i*37)%101-35) / 200
	}
	return w
}

// RowNLL returns the NLL of a row at T = exp(-u) and its derivative in u, by the
// definition.
func RowNLL(row []float32, y int, u float64) (nll, slope float64) {
	beta, most := math.Exp(u), math.Inf(-1)
	for _, l := range row {
		most = max(most, float64(l))
	}
	sum, first := 0.0, 0.0
	for _, l := range row {
		e := math.Exp(beta * (float64(l) - most))
		sum += e
		first += e * (float64(l) - most)
	}
	return math.Log(sum) - beta*(float64(row[y])-most), beta * (first/sum - (float64(row[y]) - most))
}

// Softplus returns log(1 + e^x).
func Softplus(x float64) float64 { return max(x, 0) + math.Log1p(math.Exp(-math.Abs(x))) }

// WithHead returns a set whose logits a random last layer computes from rectified
// features. Its labels are drawn at temperature 2.
func WithHead(n, k, d int, seed uint64) *data.Set {
	rng := rand.New(rand.NewPCG(seed, 3))
	set := &data.Set{
		Logits: data.NewMatrix(n, k), Features: data.NewMatrix(n, d), Labels: make([]int32, n),
		Head: data.Linear{W: data.NewMatrix(k, d), B: make([]float32, k)},
	}
	for i := range set.Head.W.Data {
		set.Head.W.Data[i] = float32(rng.NormFloat64() * 6 / math.Sqrt(float64(d)))
	}
	for j := range set.Head.B {
		set.Head.B[j] = float32(rng.NormFloat64() / 10)
	}
	p, z := make([]float64, k), make([]float64, k)
	for i := range n {
		h := set.Features.Row(i)
		for j := range h {
			h[j] = float32(max(0, rng.NormFloat64()))
		}
		lastLayer(z, set.Head, h, math.Inf(1))
		row := set.Logits.Row(i)
		for j, v := range z {
			row[j] = float32(v)
		}
		softmax.Probs(p, row, 0.5)
		u := rng.Float64()
		for j := range p {
			if u -= p[j]; u < 0 || j == k-1 {
				set.Labels[i] = int32(j)
				break
			}
		}
	}
	return set
}

// SignedHead is WithHead with features of both signs times scale. The largest of them
// make the network overconfident.
func SignedHead(n, k, d int, scale float64, seed uint64) *data.Set {
	set := WithHead(n, k, d, seed)
	rng := rand.New(rand.NewPCG(seed, 4))
	for i := range set.Features.Data {
		set.Features.Data[i] = float32(scale * rng.NormFloat64() * math.Exp(rng.NormFloat64()/2))
	}
	z := make([]float64, k)
	for i := range n {
		lastLayer(z, set.Head, set.Features.Row(i), math.Inf(1))
		for j, v := range z {
			set.Logits.Row(i)[j] = float32(v)
		}
		lastLayer(z, set.Head, set.Features.Row(i), scale)
		for j := range z {
			z[j] += 2 * rng.NormFloat64()
			if z[j] > z[set.Labels[i]] {
				set.Labels[i] = int32(j)
			}
		}
		set.Labels[i] = int32(slices.Index(z, slices.Max(z)))
	}
	return set
}

// TwoGroups returns n rows of k logits and d features in two groups, which differ in
// the sign of the first feature. The labels of group g are drawn at temperature t[g].
func TwoGroups(n, k, d int, t [2]float64, seed uint64) *data.Set {
	rng := rand.New(rand.NewPCG(seed, 9))
	set := &data.Set{Logits: data.NewMatrix(n, k), Features: data.NewMatrix(n, d), Labels: make([]int32, n)}
	p := make([]float64, k)
	for i := range n {
		h := set.Features.Row(i)
		for j := range h {
			h[j] = float32(rng.NormFloat64())
		}
		group := 0
		if h[0] < 0 {
			group = 1
		}
		row := set.Logits.Row(i)
		for j := range row {
			row[j] = float32(4 * rng.NormFloat64())
		}
		softmax.Probs(p, row, 1/t[group])
		u := rng.Float64()
		for j := range p {
			if u -= p[j]; u < 0 || j == k-1 {
				set.Labels[i] = int32(j)
				break
			}
		}
	}
	return set
}

// lastLayer writes W x + b, x being the features clipped to [-c, c].
func lastLayer(z []float64, head data.Linear, h []float32, c float64) {
	for k := range z {
		z[k] = 0
		for j, w := range head.W.Row(k) {
			z[k] += min(max(float64(h[j]), -c), c) * float64(w)
		}
		z[k] += float64(head.B[k])
	}
}

// Read decodes the JSON file at path into v.
func Read(t testing.TB, path string, v any) {
	t.Helper()
	raw, err := os.ReadFile(path)
	if err == nil {
		err = json.Unmarshal(raw, v)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// Checked is a map that rejects parameters that no fit returns.
type Checked interface{ Check() error }

// Limits are maps with parameters at their limits, which are good, and maps that differ
// from a good one in one part, which are bad.
type Limits struct{ Good, Bad []Checked }

// CheckLimits tests that good maps are accepted and bad ones rejected: a model is read from
// a file, and one that is accepted must not panic when it is applied.
func CheckLimits(t *testing.T, cases map[string]Limits) {
	t.Helper()
	for name, c := range cases {
		for i, m := range c.Good {
			if err := m.Check(); err != nil {
				t.Errorf("%s, good model %d: %v", name, i, err)
			}
		}
		for i, m := range c.Bad {
			if err := m.Check(); err == nil {
				t.Errorf("%s, bad model %d: %.200s is accepted", name, i, fmt.Sprintf("%+v", m))
			}
		}
	}
}

// Energetic returns rows whose temperature depends on their energy: half of them have
// another scale and offset.
func Energetic(n, k int, seed uint64) *data.Set {
	set := Drawn(n, k, 1.5, seed)
	other := Drawn(n/2, k, 4, seed+1000)
	for i := range n / 2 {
		row := set.Logits.Row(i)
		for j, l := range other.Logits.Row(i) {
			row[j] = 1.5*l + 4
		}
		set.Labels[i] = other.Labels[i]
	}
	return set
}
