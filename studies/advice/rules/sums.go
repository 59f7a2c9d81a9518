package main

import (
	"cmp"
	"fmt"
	"hash/crc32"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
)

// The kinds of model, which the calibration rows show.
const (
	zeros   = "zeros"         // probabilities of which one in 1,000 or more is exactly 0
	two     = "two"           // of others: two classes
	several = "several"       // several classes, logits or margins
	probs   = "several-probs" // several classes, probabilities
)

// kind returns the kind of model.
func (r *record) kind() string {
	switch {
	case r.Zeros > 0 && float64(r.Zeros) >= .001*float64(r.N*r.K):
		return zeros
	case r.K == 2:
		return two
	case r.Kind == "probs":
		return probs
	}
	return several
}

// fewestTests is the number of test rows from which a draw counts for "worse by a paired test".
const fewestTests = 2000

// sums are sums over draws.
type sums struct {
	draws, tested       float64 // tested: of at least fewestTests test rows
	worseUncal, worseTS float64 // of tested: the test NLL is higher by a paired test at 5 %
	aboveUncal, aboveTS float64 // it is higher at all
	nll, brier          float64
	harmUncal, harmTS   float64 // what the test NLL is higher by, 0 where it is lower
	rows                float64 // of the test sets of tested
}

// add adds a draw in which method m is used.
func (s *sums) add(r *record, m *method) {
	s.draws++
	s.nll += m.NLL
	s.brier += m.Brier
	s.harmUncal += max(0, m.To[0].D)
	s.harmTS += max(0, m.To[1].D)
	is := func(b bool) float64 {
		if b {
			return 1
		}
		return 0
	}
	s.aboveUncal += is(m.To[0].D > 0)
	s.aboveTS += is(m.To[1].D > 0)
	if r.Tests >= fewestTests {
		s.tested++
		s.rows += float64(r.Tests)
		s.worseUncal += is(m.To[0].D > 0 && m.To[0].P <= .05)
		s.worseTS += is(m.To[1].D > 0 && m.To[1].P <= .05)
	}
}

// plus adds other sums.
func (s *sums) plus(o *sums) {
	for _, x := range []struct {
		to *float64
		of float64
	}{{&s.draws, o.draws}, {&s.tested, o.tested}, {&s.worseUncal, o.worseUncal}, {&s.worseTS, o.worseTS}, {&s.aboveUncal, o.aboveUncal}, {&s.aboveTS, o.aboveTS},
		{&s.nll, o.nll}, {&s.brier, o.brier}, {&s.harmUncal, o.harmUncal}, {&s.harmTS, o.harmTS}, {&s.rows, o.rows}} {
		*x.to += x.of
	}
}

// place is where sums belong.
type place struct {
	kind string
	n    int
	rule rule
}

// family is a kind of scikit-learn's or of the bundle's models.
type family struct {
	name, weights string
	classes       string
	n             int
	rule          string
}

// study is the sums of all draws.
type study struct {
	at       map[place]map[string]*sums // by set of data
	families map[family]*sums
	added    map[string]*adding // by kind and rule
	draws    int
	differ   int // where the rule of package trial, as judged here, chooses another method than it did when the draw was made
	skipped  int // of two classes, without quadratic-ridge

	shares map[string]sharesOf // in the place of those of the records; nil for none
	drawn  map[model]int
	kindOf map[model]map[string]bool
}

// model is a model and a size.
type model struct {
	data, name string
	n          int
}

// newStudy returns one without draws.
func newStudy() *study {
	return &study{at: map[place]map[string]*sums{}, families: map[family]*sums{}, added: map[string]*adding{}, drawn: map[model]int{}, kindOf: map[model]map[string]bool{}}
}

// each returns the number of models of a kind and a size, and the draws of each, as "12" or "3 to 6". A model may have
// draws with zeros and draws without; all of them count.
func (s *study) each(kind string, n int, of func(data string) bool) (models int, draws string) {
	least, most := math.MaxInt, 0
	for m, kinds := range s.kindOf {
		if m.n == n && kinds[kind] && of(m.data) {
			models++
			least, most = min(least, s.drawn[m]), max(most, s.drawn[m])
		}
	}
	if draws = strconv.Itoa(most); least < most {
		draws = fmt.Sprintf("%d to %d", least, most)
	}
	return models, draws
}

// adding counts the draws in which more candidates do harm.
type adding struct{ draws, worse int }

// today is the rule before this study, and shipped has that of package trial for each kind.
var (
	today   = rule{Reference: "ts", List: "rec"}
	shipped = map[string]rule{
		zeros:   {Reference: "platt", List: own},
		two:     {Reference: "shares", Least: 1.64, List: own},
		several: {Reference: "shares-svs", Least: 1.64, List: "rec"},
		probs:   {Reference: "ts", By: byFloored, List: "rec-q"},
	}
)

// read adds the draws of a file.
func (s *study) read(file string) error {
	return each(file, func(r *record) error {
		if s.shares != nil {
			p, ok := s.shares[r.id()]
			if !ok {
				return fmt.Errorf("%s: the file of -shares has no draw %s; write it anew with -reshare", file, r.id())
			}
			r.Shares, r.SharesTS = p.plain, p.ts
		}
		j := judge(r)
		kind := r.kind()
		if _, ok := j.at["platt"]; kind == zeros && !ok {
			return nil
		}
		if _, ok := j.at["quadratic-ridge"]; r.K == 2 && !ok {
			s.skipped++
			return nil
		}
		m := model{r.Data, r.Model, r.N}
		s.drawn[m]++
		if s.kindOf[m] == nil {
			s.kindOf[m] = map[string]bool{}
		}
		s.kindOf[m][kind] = true
		s.draws++
		if j.choose(shipped[kind].wide()) != j.at[r.Chosen] {
			s.differ++
		}
		for _, x := range candidates(kind) {
			k := place{kind, r.N, x}
			if s.at[k] == nil {
				s.at[k] = map[string]*sums{}
			}
			if s.at[k][r.Data] == nil {
				s.at[k][r.Data] = &sums{}
			}
			s.at[k][r.Data].add(r, &r.Methods[j.choose(x)])
		}
		weights, classes := balanced(r.Model), "several"
		if r.K == 2 {
			classes = "two"
		}
		for name, x := range map[string]rule{"today": today, "shipped": shipped[kind]} {
			f := family{r.Family, weights, classes, r.N, name}
			if s.families[f] == nil {
				s.families[f] = &sums{}
			}
			few := j.choose(x)
			s.families[f].add(r, &r.Methods[few])
			if r.K > 6 {
				continue
			}
			x = x.wide()
			a, b := &r.Methods[few], &r.Methods[j.choose(x)]
			d := s.added[kind+"/"+name]
			if d == nil {
				d = &adding{}
				s.added[kind+"/"+name] = d
			}
			if d.draws++; b.NLL-a.NLL > .005 && b.Brier > a.Brier {
				d.worse++
			}
		}
		return nil
	})
}

// halves deals the sets of data of a kind into two: 0 chooses thresholds, 1 judges. They take turns in the order of
// a hash of their names.
func (s *study) halves(kind string) map[string]int {
	var names []string
	for _, n := range sizes {
		for name := range s.at[place{kind, n, today}] {
			if !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	of := func(name string) uint32 { return crc32.ChecksumIEEE([]byte(name)) }
	slices.SortFunc(names, func(a, b string) int { return cmp.Or(cmp.Compare(of(a), of(b)), cmp.Compare(a, b)) })
	half := map[string]int{}
	for i, name := range names {
		half[name] = i % 2
	}
	return half
}

// cell is a rule on the draws of a kind and a size.
type cell struct {
	sums
	sets              int
	highUncal, highTS float64 // upper ends of the 95 % intervals of the shares worse, by a bootstrap over sets of data; NaN without tested draws
}

// cell returns that of some sets of data.
func (s *study) cell(kind string, n int, x rule, of func(data string) bool) cell {
	var names []string
	at := s.at[place{kind, n, x}]
	for name := range at {
		if of(name) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	c := cell{sets: len(names), highUncal: math.NaN(), highTS: math.NaN()}
	for _, name := range names {
		c.plus(at[name])
	}
	if c.tested == 0 {
		return c
	}
	rng := rand.New(rand.NewPCG(uint64(n), 5))
	const draws = 1000
	var uncal, ts []float64
	for range draws {
		var t sums
		for range names {
			o := at[names[rng.IntN(len(names))]]
			t.tested += o.tested
			t.worseUncal += o.worseUncal
			t.worseTS += o.worseTS
		}
		if t.tested > 0 {
			uncal, ts = append(uncal, t.worseUncal/t.tested), append(ts, t.worseTS/t.tested)
		}
	}
	slices.Sort(uncal)
	slices.Sort(ts)
	c.highUncal, c.highTS = uncal[len(uncal)*975/1000], ts[len(ts)*975/1000]
	return c
}

// failed counts the conditions that a rule fails on some sets of data, over all sizes: from 200 rows on, that the share worse than no calibration
// (and than ts) has its upper end at .05 or below; that the mean NLL (and Brier score) is lower than today's up to 500 rows, and at
// most .0005 above it from 1,000 rows on. worst is the largest of those upper ends. nll and brier are the means over sizes, minus those of today's.
func (s *study) failed(kind string, x rule, of func(string) bool) (failed int, worst, nll, brier float64) {
	count := 0.0
	for _, n := range sizes {
		c, now := s.cell(kind, n, x, of), s.cell(kind, n, today, of)
		if c.draws == 0 {
			continue
		}
		count++
		dn, db := (c.nll-now.nll)/c.draws, (c.brier-now.brier)/c.draws
		nll += dn
		brier += db
		fails := []bool{dn >= 0, db >= 0}
		if n > 500 {
			fails = []bool{dn > .0005, db > .0005}
		}
		if n >= 200 && c.tested > 0 {
			fails = append(fails, c.highUncal > .05, c.highTS > .05)
			worst = max(worst, c.highUncal, c.highTS)
		}
		for _, f := range fails {
			if f {
				failed++
			}
		}
	}
	return failed, worst, nll / count, brier / count
}
