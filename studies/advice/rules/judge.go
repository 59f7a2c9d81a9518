package main

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/qats-bench/qats/experiments/trial"
	"github.com/qats-bench/qats/results/compare/significance"
)

// score is what chooses: a number of each row.
type score int

const (
	byNLL     score = iota
	byBrier         // the Brier score
	byFloored       // -ln((1 - e)p + e/k) with e = 1/(n + 2)
	scores
)

// String names the score.
func (s score) String() string { return [...]string{"nll", "brier", "floored"}[s] }

// rule is a candidate of the rule.
type rule struct {
	Reference string  // a method, or one of z, shares, shares-svs, M+z
	Least     float64 // of z: below it the temperature is kept
	By        score
	Max       bool // the candidates are tested by the maximum, else by Holm
	List      string
}

// String names the rule.
func (r rule) String() string {
	test := "holm"
	if r.Max {
		test = "max"
	}
	return fmt.Sprintf("%s/%g/%s/%s/%s", r.Reference, r.Least, r.By, test, r.List)
}

// lists are the candidates of a rule, by name.
var lists = map[string][]string{
	"none":      {},
	"rec":       {"uncal", "ts", "qats", "hts", "ets", "ir", "platt-logits", "svs", "quadratic"}, // @recommended
	"rec-q":     {"uncal", "ts", "qats", "hts", "ets", "ir", "platt-logits", "svs"},
	"rec-2":     {"uncal", "ts", "platt-logits", "beta", "ivap", "quadratic-ridge", "qats"}, // @recommended-2
	"two-irova": {"uncal", "ts", "platt-logits", "beta", "irova", "quadratic-ridge", "qats"},
	"two":       {"uncal", "ts", "platt-logits", "beta", "ivap"},
	"all":       order,
	"all-q":     slices.DeleteFunc(slices.Clone(order), func(name string) bool { return name == "quadratic" }),
}

// wide returns the rule with all methods of the study as candidates, but for quadratic where the rule has it not.
func (r rule) wide() rule {
	if r.List == "rec-q" {
		r.List = "all-q"
	} else {
		r.List = "all"
	}
	return r
}

// own is the list that qats try takes: rec-2 for two classes, else rec.
const own = "own"

// list returns the candidates of a rule.
func (j *judged) list(r rule) []string {
	name := r.List
	if name == own {
		if name = "rec"; j.K == 2 {
			name = "rec-2"
		}
	}
	return lists[name]
}

// judged is a record with what comparisons of its rows have given.
type judged struct {
	*record
	at       map[string]int
	barred   []bool // methods that are no candidates, as trial.Result.Excluded has them
	values   [scores][][]float64
	pairs    map[pairKey]pair
	critical map[string]float64
}

type pairKey struct {
	base, other int
	by          score
}

type pair struct{ d, p float64 }

// judge prepares a record.
func judge(r *record) *judged {
	j := &judged{record: r, at: map[string]int{}, pairs: map[pairKey]pair{}, critical: map[string]float64{}}
	for m := range r.Methods {
		j.at[r.Methods[m].Name] = m
	}
	j.barred = make([]bool, len(r.Methods))
	ts, ok := j.at["ts"]
	for m := range r.Methods {
		x := &r.Methods[m]
		explodes := ok && x.Name != "uncal" && x.Crossed && r.Methods[ts].Crossed && mean32(r.nll[m])-mean32(r.nll[ts]) > trial.MostAbove
		j.barred[m] = x.Bar != "" || explodes
	}
	e := 1 / float64(r.N+2)
	for by := range scores {
		j.values[by] = make([][]float64, len(r.Methods))
		for m := range r.Methods {
			if !r.Methods[m].Crossed {
				continue
			}
			v := make([]float64, r.N)
			for i := range v {
				switch by {
				case byNLL:
					v[i] = float64(r.nll[m][i])
				case byBrier:
					v[i] = float64(r.brier[m][i])
				case byFloored:
					v[i] = -math.Log((1-e)*math.Exp(-float64(r.nll[m][i])) + e/float64(r.K))
				}
			}
			j.values[by][m] = v
		}
	}
	return j
}

// mean returns the mean of numbers.
func mean(v []float64) float64 {
	s := 0.0
	for _, x := range v {
		s += x
	}
	return s / float64(len(v))
}

// mean32 returns the mean of numbers.
func mean32(v []float32) float64 {
	s := 0.0
	for _, x := range v {
		s += float64(x)
	}
	return s / float64(len(v))
}

// pair compares two methods as package metrics does.
func (j *judged) pair(base, other int, by score) pair {
	key := pairKey{base, other, by}
	if p, ok := j.pairs[key]; ok {
		return p
	}
	a, b := j.values[by][base], j.values[by][other]
	d := make([]float64, len(a))
	for i := range d {
		d[i] = b[i] - a[i]
	}
	p := pair{mean(d), 1}
	if j.Methods[base].Enough && j.Methods[other].Enough {
		p.p = pOf(d, p.d)
	}
	j.pairs[key] = p
	return p
}

// pOf is the P of metrics.Verdict.
func pOf(d []float64, middle float64) float64 {
	n, largest, squares, cubes := float64(len(d)), 0.0, 0.0, 0.0
	for _, x := range d {
		largest = max(largest, math.Abs(x))
		x -= middle
		squares += x * x
		cubes += x * x * x
	}
	deviation := math.Sqrt(squares / (n - 1))
	if !(deviation > 1e-12*largest) {
		return 1
	}
	skewness := cubes / n / (deviation * deviation * deviation)
	x := middle / (deviation / math.Sqrt(n))
	a := skewness / 3 / math.Sqrt(n)
	h := x + a*x*x + a*a*x*x*x/3 + a/2
	student := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: n - 1}
	return min(1, max(2*student.CDF(-math.Abs(x)), 2*min(distuv.UnitNormal.CDF(h), distuv.UnitNormal.CDF(-h))))
}

// pCritical returns the P below which the smallest of several P is in 5 % of the draws where no candidate
// differs from base: by the multiplier bootstrap of the studentised differences of all candidates with the
// same normal multipliers. Given the rows these are normal with the correlations of the differences.
func (j *judged) pCritical(base int, others []int, by score) float64 {
	key := fmt.Sprint(base, others, by)
	if p, ok := j.critical[key]; ok {
		return p
	}
	var d [][]float64
	for _, o := range others {
		a, b := j.values[by][base], j.values[by][o]
		v := make([]float64, len(a))
		squares, m := 0.0, 0.0
		for i := range v {
			v[i] = b[i] - a[i]
			m += v[i]
		}
		m /= float64(len(v))
		for i := range v {
			v[i] -= m
			squares += v[i] * v[i]
		}
		if squares == 0 {
			continue
		}
		s := 1 / math.Sqrt(squares)
		for i := range v {
			v[i] *= s
		}
		d = append(d, v)
	}
	p := .05
	if m := len(d); m > 1 {
		c := mat.NewSymDense(m, nil)
		for a := range m {
			for b := a; b < m; b++ {
				s := 0.0
				for i := range d[a] {
					s += d[a][i] * d[b][i]
				}
				if a == b {
					s = 1 + 1e-9
				}
				c.SetSym(a, b, s)
			}
		}
		var f mat.Cholesky
		for add := 1e-9; !f.Factorize(c); add *= 10 {
			for a := range m {
				c.SetSym(a, a, c.At(a, a)+add)
			}
		}
		var l mat.TriDense
		f.LTo(&l)
		rng := rand.New(rand.NewPCG(7, 7))
		const draws = 500
		largest := make([]float64, draws)
		z := make([]float64, m)
		for t := range largest {
			for a := range z {
				z[a] = rng.NormFloat64()
				x := 0.0
				for b := 0; b <= a; b++ {
					x += l.At(a, b) * z[b]
				}
				largest[t] = max(largest[t], math.Abs(x))
			}
		}
		slices.Sort(largest)
		p = 2 * distuv.UnitNormal.CDF(-largest[draws*95/100])
	}
	j.critical[key] = p
	return p
}

// better returns those of the candidates that are shown to be better than base.
func (j *judged) better(base int, candidates []int, by score, most bool) map[int]bool {
	shown := map[int]bool{}
	p := make([]float64, len(candidates))
	for i, c := range candidates {
		p[i] = j.pair(base, c, by).p
	}
	if most {
		limit := j.pCritical(base, candidates, by)
		for i, c := range candidates {
			if p[i] <= limit && j.pair(base, c, by).d < 0 {
				shown[c] = true
			}
		}
		return shown
	}
	for i, adjusted := range significance.Holm(p) {
		if adjusted <= .05 && j.pair(base, candidates[i], by).d < 0 {
			shown[candidates[i]] = true
		}
	}
	return shown
}

// reference returns the method with which a rule begins; none where no temperature can be found.
func (j *judged) reference(r rule) string {
	usable := func(name string) bool { m, ok := j.at[name]; return ok && !j.barred[m] }
	// without a temperature there is no z, and no test of the shares at it
	byZ := func() string {
		if usable("ts") && -r.Least < j.Z && j.Z < 0 {
			return "uncal"
		}
		return "ts"
	}
	off := usable("ts") && j.SharesTS < .05
	name := r.Reference
	switch {
	case name == "z":
		name = byZ()
	case name == "shares":
		if name = byZ(); off {
			name = "platt-logits"
		}
	case name == "shares-svs":
		if name = byZ(); off {
			name = "svs"
		}
	case strings.HasSuffix(name, "+z"):
		if name = strings.TrimSuffix(name, "+z"); byZ() == "uncal" && j.Shares >= .05 {
			name = "uncal"
		}
	}
	if !usable(name) {
		if name = "ts"; !usable(name) {
			name = ""
		}
	}
	return name
}

// choose returns the method that a rule chooses.
func (j *judged) choose(r rule) int {
	plain := j.at["uncal"]
	if j.AllRight || j.OneClass {
		return plain
	}
	begin := j.reference(r)
	if begin == "" {
		return plain
	}
	chosen := j.at[begin]
	var from []int
	for _, name := range j.list(r) {
		m, ok := j.at[name]
		if ok && m != chosen && !j.barred[m] {
			from = append(from, m)
		}
	}
	means := map[int]float64{}
	for _, m := range from {
		means[m] = mean(j.values[r.By][m])
	}
	moves := func(m int) int {
		if j.Methods[m].Keeps {
			return 0
		}
		return 1
	}
	slices.SortStableFunc(from, func(a, b int) int {
		return cmp.Or(cmp.Compare(moves(a), moves(b)), cmp.Compare(j.Methods[a].Parameters, j.Methods[b].Parameters), cmp.Compare(means[a], means[b]))
	})
	for len(from) > 0 {
		shown := j.better(chosen, from, r.By, r.Max)
		next := slices.IndexFunc(from, func(m int) bool { return shown[m] })
		if next < 0 {
			break
		}
		chosen, from = from[next], from[next+1:]
	}
	return chosen
}
