package compare

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/qats-bench/qats/internal/lists"
	"github.com/qats-bench/qats/results"
	"github.com/qats-bench/qats/results/resultstest"
)

// unit is the grid of made values: sums and means of few are exact, so that equal differences are equal.
const unit = 1. / 64

// made are rows of a metric a column: on data set i a method has the value of shape, in units, above a base of the data set.
type made map[string]map[string]func(i int) int // method -> metric -> units

// rows returns measured rows on n data sets of one network each, with what each method does to predictions.
func (m made) rows(n int, predicts map[string]results.Prediction) *results.Rows {
	f := &results.Rows{}
	for _, method := range sorted(m) {
		for i := range n {
			at := cell(fmt.Sprintf("d%02d", i), "x")
			for _, metric := range sorted(m[method]) {
				f.Records = append(f.Records, resultstest.Value(at, method, metric, .5+unit*float64(i%5+m[method][metric](i))))
			}
		}
	}
	for _, method := range sorted(predicts) {
		f.Methods = append(f.Methods, results.MethodInfo{Method: method, Label: method, Predicts: predicts[method]})
	}
	return f
}

// always is a difference on all data sets, with a size that grows so that ranks differ; zero is none.
func always(units int) func(int) int {
	return func(i int) int { return units * (1 + i%3) }
}

// mixed is a difference whose sign changes from one data set to the next.
func mixed(i int) int { return (i%2*2 - 1) * (1 + i%3) }

// by are the differences in NLL, Brier score and ECE.
func by(nll, brier, ece func(int) int) map[string]func(int) int {
	return map[string]func(int) int{"nll": nll, "brier": brier, "ece": ece}
}

var nothing = always(0)

// sorted returns the keys of a map in order.
func sorted[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

// judgeOne returns the only judgement on rows.
func judgeOne(t *testing.T, f *results.Rows, o Options, described ...string) *Judgement {
	t.Helper()
	list, err := Judge(f, o, described...)
	if err != nil || len(list) != 1 {
		t.Fatalf("%d judgements, %v", len(list), err)
	}
	return list[0]
}

// said returns the statement with the names of methods as labels.
func said(j *Judgement) string { return Conclusion{j, map[string]string{}}.String() }

// signedRankP is Wilcoxon's p with Pratt's zeros, by counting all signs, and the side on which the sum of ranks is smaller.
func signedRankP(d []float64) (p float64, sign int) {
	var ranks []float64 // of those that are not zero
	var positive []bool
	for _, x := range d {
		below, equal := 0, 0
		for _, y := range d {
			switch {
			case math.Abs(y) < math.Abs(x):
				below++
			case math.Abs(y) == math.Abs(x):
				equal++
			}
		}
		if x != 0 {
			ranks, positive = append(ranks, float64(below)+float64(equal+1)/2), append(positive, x > 0)
		}
	}
	plus, total := 0., 0.
	for i, r := range ranks {
		total += r
		if positive[i] {
			plus += r
		}
	}
	low, high := 0, 0
	for signs := range 1 << len(ranks) {
		sum := 0.
		for i, r := range ranks {
			if signs>>i&1 == 1 {
				sum += r
			}
		}
		if sum <= plus {
			low++
		}
		if sum >= plus {
			high++
		}
	}
	return min(1, 2*float64(min(low, high))/float64(int(1)<<len(ranks))), cmp.Compare(plus, total-plus)
}

// holmByHand corrects p: the i-th smallest of m is the largest of (m - j + 1) p_(j) over j up to i.
func holmByHand(p map[string]float64) map[string]float64 {
	names := sorted(p)
	slices.SortStableFunc(names, func(a, b string) int { return cmp.Compare(p[a], p[b]) })
	adjusted, most := map[string]float64{}, 0.
	for j, name := range names {
		most = max(most, min(1, float64(len(names)-j)*p[name]))
		adjusted[name] = most
	}
	return adjusted
}

// oracle judges methods against one of them, by differences over blocks of each of NLL and Brier score.
func oracle(methods []string, differences func(method, metric string) []float64) (verdicts map[string]Verdict, holm map[string]float64) {
	p, sign := map[string]float64{}, map[string]int{}
	for _, m := range methods {
		for _, metric := range []string{"nll", "brier"} {
			p[m+" "+metric], sign[m+" "+metric] = signedRankP(differences(m, metric))
		}
	}
	holm, verdicts = holmByHand(p), map[string]Verdict{}
	for _, m := range methods {
		shows := func(want int) bool {
			return slices.ContainsFunc([]string{" nll", " brier"}, func(metric string) bool { return holm[m+metric] <= .05 && sign[m+metric] == want })
		}
		verdicts[m] = NotShown
		switch better, worse := shows(-1), shows(1); {
		case better && worse:
			verdicts[m] = Opposed
		case better:
			verdicts[m] = Better
		case worse:
			verdicts[m] = Worse
		}
	}
	return verdicts, holm
}

// TestTheRuleIsThatOfAnOracle: made rows with two tables of methods and several networks of a data set are judged as by
// block means, p by counting all signs, and Holm's correction over the methods of each table times the two scores. So is
// the floor, over all methods times the two scores.
func TestTheRuleIsThatOfAnOracle(t *testing.T) {
	rng := rand.New(rand.NewPCG(53, 1))
	seen := map[Verdict]int{}
	floors := map[Verdict]int{}
	bests := map[int]int{}
	for range 60 {
		blocks, keeps, changes := 8+rng.IntN(5), 1+rng.IntN(2), 2+rng.IntN(2)
		f := &results.Rows{Methods: []results.MethodInfo{{Method: "ts", Predicts: results.Keeps}}}
		tables := map[results.Prediction][]string{}
		for i := range keeps + changes {
			m, of := fmt.Sprint("m", i), map[bool]results.Prediction{true: results.Keeps, false: results.Changes}[i < keeps]
			f.Methods = append(f.Methods, results.MethodInfo{Method: m, Predicts: of})
			tables[of] = append(tables[of], m)
		}
		f.Methods = append(f.Methods, results.MethodInfo{Method: results.BaseRate, Predicts: results.Keeps})
		means := map[string][]float64{} // of method and metric, by block
		for _, info := range f.Methods {
			for _, metric := range []string{"nll", "brier", "ece"} {
				effect := []int{-4, -2, 0, 0, 2, 4}[rng.IntN(6)]
				switch info.Method {
				case "ts":
					effect = 0
				case results.BaseRate:
					effect = 1
				}
				for i := range blocks {
					networks, sum := 1<<(i%3), 0.
					for n := range networks {
						x := .5 + unit*float64(effect+rng.IntN(5)-2)
						f.Records = append(f.Records, resultstest.Value(cell(fmt.Sprintf("set%02d", i), fmt.Sprint("x", n)), info.Method, metric, x))
						sum += x
					}
					means[info.Method+" "+metric] = append(means[info.Method+" "+metric], sum/float64(networks))
				}
			}
		}
		against := func(reference string) func(method, metric string) []float64 {
			return func(method, metric string) (d []float64) {
				for i, x := range means[method+" "+metric] {
					d = append(d, x-means[reference+" "+metric][i])
				}
				return d
			}
		}
		j := judgeOne(t, f, Options{Against: "ts"})
		if len(j.Groups) != 2 {
			t.Fatalf("%d tables", len(j.Groups))
		}
		all := slices.Concat([]string{"ts"}, tables[results.Keeps], tables[results.Changes])
		known, _ := oracle(all, against(results.BaseRate))
		possible := math.Pow(2, float64(1-blocks))*float64(2*len(all)) <= .05 // the least p, where all signs are equal
		ranked := func(m string) bool { return known[m] == Better || m == "ts" || !possible }
		for _, m := range all {
			floors[known[m]]++
			if left := j.Floor.Unranked[m] != ""; left == ranked(m) || j.Floor.Possible != possible {
				t.Errorf("%s is left out: %t; beside the floor it is %s", m, left, known[m])
			}
		}
		for _, g := range j.Groups {
			methods := tables[g.Predicts]
			verdicts, holm := oracle(methods, against("ts"))
			if got := lists.Values(g.Methods, func(m Judged) string { return m.Method }); !slices.Equal(got, methods) {
				t.Fatalf("methods %q, want %q", got, methods)
			}
			var best []string
			for _, m := range g.Methods {
				seen[verdicts[m.Method]]++
				if m.Verdict != verdicts[m.Method] {
					t.Errorf("%s is %s, want %s", m.Method, m.Verdict, verdicts[m.Method])
				}
				for _, e := range m.Scores {
					if want := holm[m.Method+" "+e.Metric]; math.Abs(e.Holm-want) > 1e-12 || e.Holm != j.Holm(e.Metric, m.Method) {
						t.Errorf("%s of %s: Holm %v, want %v", e.Metric, m.Method, e.Holm, want)
					}
				}
				if verdicts[m.Method] != Better {
					continue
				}
				rivals, _ := oracle(slices.DeleteFunc(slices.Clone(methods), func(x string) bool { return x == m.Method }), against(m.Method))
				if !slices.Contains(slices.Collect(maps.Values(rivals)), Better) && ranked(m.Method) {
					best = append(best, m.Method)
				}
			}
			bests[len(best)]++
			if !slices.Equal(g.Best, best) {
				t.Errorf("best are %q, want %q", g.Best, best)
			}
		}
	}
	for _, v := range []Verdict{Better, Worse, Opposed, NotShown} {
		if seen[v] < 10 || floors[v] < 10 {
			t.Errorf("%d methods are %s, and %d beside the floor", seen[v], v, floors[v])
		}
	}
	if bests[0] < 10 || bests[1] < 10 || bests[2] < 3 {
		t.Errorf("numbers of best methods %v", bests)
	}
}

// knowsNothing are rows of a method that wins ECE and loses NLL, as a constant confidence does, beside the floor.
func knowsNothing() made {
	return made{"ts": by(nothing, nothing, nothing), "const": by(always(5), always(4), always(-2)), "good": by(always(-2), always(-1), mixed),
		"uncal": by(always(2), always(1), always(3)), results.BaseRate: by(always(5), always(4), always(-3))}
}

// TestAMethodThatKnowsNothingIsWorseAndNotRanked though its ECE is the lowest.
func TestAMethodThatKnowsNothingIsWorseAndNotRanked(t *testing.T) {
	f := knowsNothing().rows(12, map[string]results.Prediction{"ts": results.Keeps, "const": results.Keeps, "good": results.Keeps, "uncal": results.Keeps})
	j := judgeOne(t, f, Options{Against: "ts"})
	m, _ := j.Of("const")
	if m.Verdict != Worse || m.Errors[0].Sign != -1 {
		t.Errorf("%+v", m)
	}
	want := "Over 12 data sets, of 3 methods that keep the predicted class good is best: better than ts by NLL and Brier score; worse: const and uncal by NLL and Brier score. " +
		"Lower ECE, higher NLL and Brier score: const. Not ranked: const, which is not shown to be better than base-rate, which knows nothing."
	if got := said(j); got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
	if why := j.Floor.Unranked["const"]; why == "" || j.Floor.Unranked["good"] != "" || j.Floor.Unranked["ts"] != "" || j.Floor.Unranked["uncal"] != "" || !j.Floor.Recorded || !j.Floor.Possible || j.Floor.Blocks != 12 {
		t.Errorf("%+v", j.Floor)
	}
	for _, metric := range []string{"ece", "nll"} {
		c := comparison(t, f.Records, nil, Options{Metric: metric, Against: "ts", Unranked: j.Floor.Unranked})
		ranked := slices.Sorted(slices.Values(c.Ranking.Methods))
		if !slices.Equal(ranked, []string{"good", "ts", "uncal"}) || !slices.Equal(c.Ranking.Unranked, []string{"const"}) {
			t.Errorf("by %s ranked are %q, and not %q", metric, ranked, c.Ranking.Unranked)
		}
		if notes := strings.Join(View{Comparison: c}.RankingNotes(), " "); !strings.Contains(notes, "Not ranked: const (is not shown to be better than base-rate, which knows nothing).") {
			t.Errorf("notes %s", notes)
		}
	}
	alone := judgeOne(t, f, Options{Against: "ts", Methods: []string{"const"}})
	if got := said(alone); !strings.Contains(got, ": const is worse. ") || !strings.Contains(got, " Lower ECE, higher NLL and Brier score. Not ranked: const,") {
		t.Errorf("%s", got)
	}
}

// TestAMethodWorseThanTheFloorIsNotRanked, with another reason, and nothing that is not ranked is best.
func TestAMethodWorseThanTheFloorIsNotRanked(t *testing.T) {
	keeps := map[string]results.Prediction{"ts": results.Keeps, "bad": results.Keeps, "split": results.Keeps, "lucky": results.Keeps}
	rows := made{"ts": by(always(9), always(9), nothing), "bad": by(always(7), always(7), nothing), "split": by(always(-1), always(7), nothing), "lucky": by(always(3), always(3), nothing),
		results.BaseRate: by(always(3), always(3), nothing)}
	j := judgeOne(t, rows.rows(12, keeps), Options{Against: "ts"})
	for method, want := range map[string]string{"bad": "is worse than base-rate, which knows nothing", "split": "is better than base-rate by one score and worse by the other",
		"lucky": "is not shown to be better than base-rate, which knows nothing", "ts": ""} {
		if got := j.Floor.Unranked[method]; got != want {
			t.Errorf("%s %q, want %q", method, got, want)
		}
	}
	if m, _ := j.Of("lucky"); m.Verdict != Better || j.Named() != nil {
		t.Errorf("lucky is %s, best are %q", m.Verdict, j.Named())
	}
}

// TestTheFloorChangesNoOtherNumber: p, Holm's correction, shifts, ranks and win rates are those without it, whichever
// of the two methods it is.
func TestTheFloorChangesNoOtherNumber(t *testing.T) {
	without := knowsNothing()
	delete(without, results.BaseRate)
	with := knowsNothing()
	with[results.BaseRateTop] = with[results.BaseRate]
	predicts := map[string]results.Prediction{"good": results.Changes, results.BaseRate: results.Keeps, results.BaseRateTop: results.TopLabel}
	a, b := judgeOne(t, with.rows(10, predicts), Options{Against: "ts"}), judgeOne(t, without.rows(10, predicts), Options{Against: "ts"})
	if len(a.Groups) != len(b.Groups) {
		t.Fatalf("%d tables, without the floor %d", len(a.Groups), len(b.Groups))
	}
	for i, g := range a.Groups {
		if got, want := fmt.Sprintf("%+v", numbersOf(g)), fmt.Sprintf("%+v", numbersOf(b.Groups[i])); got != want {
			t.Errorf("%s\nwithout the floor %s", got, want)
		}
	}
	for _, metric := range []string{"nll", "ece"} {
		o := Options{Metric: metric, Against: "ts"}
		c, d := comparison(t, with.rows(10, nil).Records, nil, o), comparison(t, without.rows(10, nil).Records, nil, o)
		if c.Floor == nil || c.Floor.Method != results.BaseRate || d.Floor != nil {
			t.Errorf("the floor is %+v, and without it %+v", c.Floor, d.Floor)
		}
		if fmt.Sprintf("%+v", c.Rows) != fmt.Sprintf("%+v", d.Rows) {
			t.Errorf("%s: rows %+v\nwithout the floor %+v", metric, c.Rows, d.Rows)
		}
		if !slices.Equal(c.Ranking.Methods, d.Ranking.Methods) || !slices.Equal(c.Ranking.Ranks, d.Ranking.Ranks) || fmt.Sprint(c.Ranking.Strengths()) != fmt.Sprint(d.Ranking.Strengths()) {
			t.Errorf("%s: ranks %v\nwithout the floor %v", metric, c.Ranking, d.Ranking)
		}
	}
	if b.Floor.Recorded || b.Floor.Unranked != nil || !strings.HasPrefix(strings.Join(Conclusion{b, nil}.FloorNotes(), "\n"), "Not run: base-rate") {
		t.Errorf("without the floor: %+v", b.Floor)
	}
	if notes := (Conclusion{a, nil}).FloorNotes(); len(notes) != 1 || !strings.HasPrefix(notes[0], "base-rate knows nothing, and has lower ECE than ts (") {
		t.Errorf("with the floor: %q", notes)
	}
}

// numbersOf are the numbers of a table.
func numbersOf(g Group) (list []string) {
	for _, m := range g.Methods {
		text := fmt.Sprint(m.Method, " ", m.Verdict, " ", m.Win, m.Tie, m.Loss)
		for _, e := range slices.Concat(m.Scores, m.Errors) {
			text += fmt.Sprint(" ", e.Metric, " ", e.P, e.Holm, e.Sign, e.Row.Shift, " ", float32(e.Row.Difference))
		}
		list = append(list, text)
	}
	return append(list, fmt.Sprint(g.Predicts, g.Best, g.Possible, g.Blocks))
}

// TestOpposedScoresLeadNothing: both are said.
func TestOpposedScoresLeadNothing(t *testing.T) {
	rows := made{"ts": by(nothing, nothing, nothing), "odd": by(always(-2), always(3), always(-4)), "same": by(mixed, mixed, mixed)}
	j := judgeOne(t, rows.rows(12, map[string]results.Prediction{"odd": results.Keeps, "same": results.Keeps}), Options{Against: "ts"})
	if m, _ := j.Of("odd"); m.Verdict != Opposed {
		t.Errorf("%+v", m)
	}
	if want := "No method is shown to be better than ts, over 12 data sets. Odd is better by NLL and worse by Brier score."; !strings.HasPrefix(said(j), want) || j.Named() != nil {
		t.Errorf("%s\nwant %s", said(j), want)
	}
}

// TestTheBestIsWorseThanNoOther: of two methods better than TS one is shown to be better than the other.
func TestTheBestIsWorseThanNoOther(t *testing.T) {
	keeps := map[string]results.Prediction{"a": results.Keeps, "b": results.Keeps, "c": results.Keeps}
	rows := made{"ts": by(nothing, nothing, nothing), "a": by(always(-1), always(-1), nothing), "b": by(always(-4), nothing, nothing), "c": by(mixed, mixed, nothing)}
	j := judgeOne(t, rows.rows(12, keeps), Options{Against: "ts"})
	// a is better than b by Brier score, and b better than a by NLL: neither is better than the other.
	if !slices.Equal(j.Groups[0].Best, []string{"a", "b"}) {
		t.Errorf("best are %q", j.Groups[0].Best)
	}
	if want := "Over 12 data sets, of 3 methods that keep the predicted class a and b are best; better than ts are a by NLL and Brier score, b by NLL."; said(j) != want {
		t.Errorf("%s\nwant %s", said(j), want)
	}
	rows["b"] = by(always(-4), always(-1), nothing)
	j = judgeOne(t, rows.rows(12, keeps), Options{Against: "ts"})
	if !slices.Equal(j.Groups[0].Best, []string{"b"}) {
		t.Errorf("best are %q", j.Groups[0].Best)
	}
	if want := "Over 12 data sets, of 3 methods that keep the predicted class b is best; better than ts are a and b by NLL and Brier score."; said(j) != want {
		t.Errorf("%s\nwant %s", said(j), want)
	}
}

// TestTheTableOfAMethod is that of methods.csv, or else what the rows show: changes of the prediction, the accuracy, or only
// scores of the predicted class.
func TestTheTableOfAMethod(t *testing.T) {
	rows := made{"ts": by(nothing, nothing, nothing)}
	rows["ts"]["accuracy"] = nothing
	for _, m := range []string{"named", "moves", "stays", "gains", "keeps", "unknown"} {
		rows[m] = by(mixed, nothing, nothing)
	}
	zero := func(i int) int { return -i%5 - 32 } // takes the value 0
	rows["named"]["argmax_change"] = zero
	rows["moves"]["argmax_change"] = func(i int) int { return -i%5 - 32 + i%2 }
	rows["moves"]["accuracy"] = nothing
	rows["stays"]["argmax_change"] = zero
	rows["stays"]["accuracy"] = always(1) // the changes decide
	rows["gains"]["accuracy"] = always(1)
	rows["keeps"]["accuracy"] = nothing
	rows["top"] = map[string]func(int) int{"nll_top": mixed, "ece": nothing}
	rows["ts"]["nll_top"] = nothing
	f := rows.rows(9, map[string]results.Prediction{"named": results.Changes})
	j := judgeOne(t, f, Options{Against: "ts"})
	got := map[string]results.Prediction{}
	for _, g := range j.Groups {
		for _, m := range g.Methods {
			got[m.Method] = g.Predicts
		}
	}
	for method, want := range map[string]results.Prediction{"named": results.Changes, "moves": results.Changes, "stays": results.Keeps, "gains": results.Changes, "keeps": results.Keeps, "unknown": "", "top": results.TopLabel} {
		if of, has := got[method]; !has || of != want {
			t.Errorf("%s is in the table %q, want %q", method, of, want)
		}
	}
	titles := lists.Values(j.Groups, Group.Title)
	if want := []string{"Methods that keep the predicted class", "Methods that may change the predicted class", "Methods of a confidence alone", "Methods of which the rows do not say whether they keep the predicted class"}; !slices.Equal(titles, want) {
		t.Errorf("tables %q", titles)
	}
	if m, _ := j.Of("gains"); math.Abs(m.Accuracy-2*unit) > 1e-12 { // 1, 2 and 3 units, on three data sets each
		t.Errorf("the accuracy changes by %v", m.Accuracy)
	}
}

// TestFewBlocksShowNothing: no method is best and none is left out of rankings; the sentence says why, and what single
// settings show.
func TestFewBlocksShowNothing(t *testing.T) {
	rows := knowsNothing()
	for n, want := range map[int]string{
		5: "No method is shown to be better than ts: 5 independent data sets cannot show a difference.",
		6: "No method is shown to be better than ts: 6 independent data sets are too few to test 3 methods by NLL and Brier score, which takes 8 independent data sets.",
	} {
		j := judgeOne(t, rows.rows(n, nil), Options{Against: "ts"})
		if said(j) != want || j.Named() != nil || j.Floor.Unranked != nil || j.Floor.Possible || !j.Floor.Recorded {
			t.Errorf("%d blocks: %s\nwant %s; best %q, floor %+v", n, said(j), want, j.Named(), j.Floor)
		}
		notes := (Conclusion{j, nil}).FloorNotes()
		if note := notes[len(notes)-1]; note != fmt.Sprint(n, " independent data sets cannot show which methods are better than base-rate, so all are ranked.") {
			t.Errorf("%d blocks: %s", n, note)
		}
		c := comparison(t, rows.rows(n, nil).Records, nil, Options{Metric: "ece", Against: "ts", Unranked: j.Floor.Unranked})
		if !slices.Contains(c.Ranking.Methods, "const") || slices.Contains(c.Ranking.Methods, results.BaseRate) {
			t.Errorf("%d blocks: ranked are %q", n, c.Ranking.Methods)
		}
	}
	// Of few settings each is named.
	f := rows.rows(2, nil)
	pairs := func(i int, method, metric string, lo, hi float64) {
		f.Pairs = append(f.Pairs, resultstest.Pair(cell(fmt.Sprintf("d%02d", i), "x"), method, "ts", metric, (lo+hi)/2, lo, hi))
	}
	pairs(0, "good", "nll", -.1, -.05)
	pairs(0, "good", "brier", -.1, .05)
	pairs(0, "const", "nll", .05, .1)
	pairs(0, "const", "brier", .05, .1)
	pairs(1, "good", "nll", -.1, -.05)
	pairs(1, "good", "brier", .05, .1)
	pairs(1, "const", "nll", -.1, .1)
	want := "No method is shown to be better than ts: 2 independent data sets cannot show a difference. " +
		"On the test rows of d00/x, better: good by NLL; worse: const by NLL and Brier score. On the test rows of d01/x, opposed: good."
	j := judgeOne(t, f, Options{Against: "ts"})
	if said(j) != want {
		t.Errorf("%s\nwant %s", said(j), want)
	}
	if m, _ := j.Of("good"); m.Win != 1 || m.Tie != 1 || m.Loss != 0 || m.Settings != 2 || m.On[1].Verdict != Opposed {
		t.Errorf("%+v", m)
	}
}

// TestSimulatedRowsAreNotJudged: nothing is best, worse or left out, and the sentence says that they are simulated.
func TestSimulatedRowsAreNotJudged(t *testing.T) {
	f := knowsNothing().rows(12, nil)
	f.Records = resultstest.From("simulated", f.Records...)
	j := judgeOne(t, f, Options{Against: "ts"})
	if j.Judged() || j.Named() != nil || j.Floor.Unranked != nil || !strings.HasPrefix(said(j), "SIMULATED: ") || verdicts.MatchString(said(j)) {
		t.Errorf("%s: %+v", said(j), j.Floor)
	}
	for _, g := range j.Groups {
		for _, m := range g.Methods {
			if m.Verdict != NotRecorded && m.Verdict != NotShown || m.Win+m.Loss+m.Tie > 0 {
				t.Errorf("%+v", m)
			}
			for _, e := range slices.Concat(m.Scores, m.Errors) {
				if !math.IsNaN(e.P) || !math.IsNaN(e.Holm) || e.Sign != 0 {
					t.Errorf("%s of %s: %+v", e.Metric, m.Method, e)
				}
			}
		}
	}
}

// TestWithoutAScoreNothingIsBetter: rows of ECE alone, of several methods and of one.
func TestWithoutAScoreNothingIsBetter(t *testing.T) {
	rows := made{}
	for m, d := range map[string]func(int) int{"ts": nothing, "low": always(-1), "lower": always(-3), "high": always(2), "same": mixed, results.BaseRate: always(-4)} {
		rows[m] = map[string]func(int) int{"ece": d}
	}
	for _, c := range []struct {
		methods []string
		want    string
	}{
		{nil, "NLL not recorded: lower ECE only, of low and lower beside ts, over 12 data sets; higher of high. A method that knows nothing can have a low ECE."},
		{[]string{"low", "same"}, "NLL not recorded: lower ECE only, of low beside ts, over 12 data sets. A method that knows nothing can have a low ECE."},
		{[]string{"high", "same"}, "NLL not recorded: higher ECE only, of high beside ts, over 12 data sets. A method that knows nothing can have a low ECE."},
		{[]string{"low"}, "low against ts, 12 data sets. NLL not recorded: lower ECE only, -3.12 points [-3.91, -2.34]."},
	} {
		j := judgeOne(t, rows.rows(12, nil), Options{Against: "ts", Methods: c.methods})
		text := said(j)
		if text != c.want || strings.Contains(text, "best") || strings.Contains(text, "better") || j.Named() != nil || j.Floor.Recorded {
			t.Errorf("%s\nwant %s", text, c.want)
		}
		if c := (Conclusion{j, nil}); c.RuleNote() != "" || strings.Contains(strings.Join(c.FloorNotes(), " "), "ranked") {
			t.Errorf("a note on scores: %s %q", c.RuleNote(), c.FloorNotes())
		}
		for _, g := range j.Groups {
			for _, m := range g.Methods {
				if m.Verdict != NotRecorded {
					t.Errorf("%s is %s", m.Method, m.Verdict)
				}
			}
		}
	}
}

// TestAConfidenceAloneIsJudgedByTheScoresOfThePredictedClass, in a table of its own.
func TestAConfidenceAloneIsJudgedByTheScoresOfThePredictedClass(t *testing.T) {
	rows := made{"ts": by(nothing, nothing, nothing), "full": by(always(-1), mixed, nothing)}
	for m, d := range map[string][2]func(int) int{"ts": {nothing, nothing}, "full": {always(3), always(3)}, "top": {always(-2), mixed}, "worse-top": {mixed, always(2)}, results.BaseRateTop: {always(4), always(4)}} {
		if rows[m] == nil {
			rows[m] = map[string]func(int) int{"ece": nothing}
		}
		rows[m]["nll_top"], rows[m]["brier_top"] = d[0], d[1]
	}
	j := judgeOne(t, rows.rows(12, map[string]results.Prediction{"full": results.Keeps, "top": results.TopLabel, "worse-top": results.TopLabel}), Options{Against: "ts"})
	for method, want := range map[string]Verdict{"full": Better, "top": Better, "worse-top": Worse} {
		m, _ := j.Of(method)
		if m.Verdict != want {
			t.Errorf("%s is %s, want %s", method, m.Verdict, want)
		}
	}
	m, _ := j.Of("top")
	p, _ := signedRankP(differencesOf(12, always(-2)))
	if got := lists.Values(m.Scores, func(e Effect) string { return e.Metric }); !slices.Equal(got, []string{"nll_top", "brier_top"}) || math.Abs(m.Scores[0].Holm-4*p) > 1e-12 {
		t.Errorf("scores %q, Holm %v, want %v over two methods and two scores", got, m.Scores[0].Holm, 4*p)
	}
	if len(j.Groups) != 2 || j.Groups[1].Predicts != results.TopLabel || !slices.Equal(j.Groups[1].Scores, []string{"nll_top", "brier_top"}) || !slices.Equal(j.Named(), []string{"full", "top"}) {
		t.Errorf("%+v", j.Groups)
	}
	// The floor of those methods is base-rate-top where base-rate has no value.
	if !j.Floor.Recorded || j.Floor.Unranked["top"] != "" || j.Floor.Unranked["worse-top"] != "" || j.Floor.Unranked["full"] != "" {
		t.Errorf("%+v", j.Floor)
	}
	if want := "Of 2 methods of a confidence alone top is best: better than ts by "; !strings.Contains(said(j), want) {
		t.Errorf("%s\nwant %s", said(j), want)
	}
}

// differencesOf are n differences of a shape.
func differencesOf(n int, shape func(int) int) (d []float64) {
	for i := range n {
		d = append(d, float64(shape(i)))
	}
	return d
}

// TestTheOrderOfRowsChangesNoJudgement.
func TestTheOrderOfRowsChangesNoJudgement(t *testing.T) {
	rows := knowsNothing()
	rows["odd"] = by(always(-2), always(3), mixed)
	rows["better"] = by(always(-3), always(-3), mixed)
	f := rows.rows(11, map[string]results.Prediction{"good": results.Keeps, "better": results.Keeps, "odd": results.Changes, "const": results.Keeps})
	want := canonical(judgeOne(t, f, Options{Against: "ts"}))
	rng := rand.New(rand.NewPCG(9, 9))
	for range 20 {
		rng.Shuffle(len(f.Records), func(i, j int) { f.Records[i], f.Records[j] = f.Records[j], f.Records[i] })
		if got := canonical(judgeOne(t, f, Options{Against: "ts"})); got != want {
			t.Fatalf("%s\nwant %s", got, want)
		}
	}
}

// canonical prints a judgement without the order of its methods.
func canonical(j *Judgement) string {
	var list []string
	for _, g := range j.Groups {
		list = append(list, fmt.Sprint(g.Predicts, slices.Sorted(slices.Values(g.Best)), g.Possible, g.Blocks))
		numbers := numbersOf(g)
		list = append(list, slices.Sorted(slices.Values(numbers[:len(numbers)-1]))...)
	}
	return fmt.Sprint(strings.Join(list, "\n"), j.Floor.Recorded, j.Floor.Possible, j.Floor.Blocks, j.Floor.Unranked, j.Settings, slices.Sorted(slices.Values(j.Named())))
}

// TestMetricsOfTheRequestDecideNothing: whichever metrics are asked for, the verdicts are those of the scores.
func TestMetricsOfTheRequestDecideNothing(t *testing.T) {
	f := knowsNothing().rows(12, nil)
	want := judgeOne(t, f, Options{Against: "ts"})
	for _, metrics := range [][]string{{"ece"}, {"nll"}, {"nll", "brier", "ece"}, {results.TimeMetric}} {
		j := judgeOne(t, f, Options{Against: "ts", Metric: metrics[0]}, metrics...)
		if canonical(j) != canonical(want) || said(j) != said(want) {
			t.Errorf("%q: %s\nwant %s", metrics, said(j), said(want))
		}
	}
}
