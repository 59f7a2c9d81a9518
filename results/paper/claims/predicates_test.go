package claims

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"gopkg.in/yaml.v3"

	"github.com/qats-bench/qats/results"
	"github.com/qats-bench/qats/results/compare/significance"
	"github.com/qats-bench/qats/results/paper"
)

// bookOf returns a book of rows, each given as "table dataset backbone", with corruption and
// severity where there are, then numbers such as "QaTS 1.00", in which ? is a number that the
// book lacks. If similar is set, it is a book of similar data sets.
func bookOf(t *testing.T, similar bool, rows ...[]string) *book {
	t.Helper()
	var lines strings.Builder
	lines.WriteString("table,metric,dataset,corruption,severity,backbone,method,value,mark,delta\n")
	absent := map[paper.Number]bool{}
	for _, r := range rows {
		at := append(strings.Fields(r[0]), "", "")[:5]
		for _, n := range r[1:] {
			label, value, _ := strings.Cut(n, " ")
			if value == "?" {
				s := paper.Setting{Table: at[0], Metric: "ece", Dataset: at[1], Backbone: at[2], Corruption: at[3]}
				s.Severity, _ = strconv.Atoi(at[4])
				absent[paper.Number{Setting: s, Label: label}], value = true, "0.00"
			}
			fmt.Fprintf(&lines, "%s,ece,%s,%s,%s,%s,%s,%s,,\n", at[0], at[1], at[3], at[4], at[2], label, value)
		}
	}
	list, err := paper.Decode(strings.NewReader(lines.String()), "test")
	if err != nil {
		t.Fatal(err)
	}
	b := &book{names: paper.Names()}
	if similar {
		b.like = map[string]string{}
	}
	for _, r := range paper.NewPublication(list).Rows {
		b.rows = append(b.rows, newRow(r.Setting, r.Numbers, !similar, func(n paper.Number) (paper.Points, bool) {
			at := paper.Number{Setting: n.Setting, Label: n.Label}
			found := absent[at]
			delete(absent, at)
			return n.Value, !found
		}))
	}
	if len(absent) > 0 {
		t.Fatalf("%v are not in the book", absent)
	}
	return b
}

// numbers returns a row with values, all of them ranked.
func numbers(list ...string) row {
	r := row{Setting: paper.Setting{Dataset: "cifar10", Backbone: "resnet50"}, of: map[string]paper.Points{}}
	for _, n := range list {
		label, value, _ := strings.Cut(n, " ")
		r.ranked = append(r.ranked, label)
		var x int
		if _, err := fmt.Sscan(value, &x); err == nil {
			r.of[label] = paper.Points(x)
		}
	}
	return r
}

// asked returns a question that claims.yaml could have.
func asked(t *testing.T, text string) *rowsTest {
	t.Helper()
	var q rowsTest
	dec := yaml.NewDecoder(strings.NewReader("{count: rows, " + text + "}"))
	dec.KnownFields(true)
	if err := cmp.Or(dec.Decode(&q), q.check()); err != nil {
		t.Fatal(err)
	}
	return &q
}

// The predicates of a row, with ties and with numbers that are missing.
func TestPredicatesOfARow(t *testing.T) {
	for _, c := range []struct {
		name string
		v    row
		want answer
	}{
		{"rank: 1", numbers("QaTS 5"), open},
		{"rank: 1", numbers("QaTS 5", "TS 5"), level},
		{"rank: 1", numbers("QaTS 5", "TS 6"), yes},
		{"rank: 1", numbers("QaTS 5", "TS 5", "IR 4"), no},
		{"rank: 1", numbers("QaTS 5", "TS 5", "IR ?"), open},
		{"rank: 1", numbers("QaTS 5", "TS 4"), no},
		{"rank: 1", numbers("QaTS 5", "TS ?", "IR 6"), open},
		{"rank: 1", numbers("QaTS 5", "TS ?", "IR 4"), no},
		{"rank: 1", numbers("QaTS ?", "TS 4"), open},
		{"rank: 2", numbers("QaTS 5", "TS 4", "IR 4"), yes},
		{"rank: 2", numbers("QaTS 5", "TS 4", "IR 3"), no},
		{"rank: 2", numbers("QaTS 5", "TS 5", "IR 3"), yes},
		{"rank: 2", numbers("QaTS 5", "TS 4", "IR ?"), open},
		{"below: [TS, IR]", numbers("QaTS 5", "TS 6", "IR 7"), yes},
		{"below: [TS, IR]", numbers("QaTS 5", "TS 6", "IR 5"), no},
		{"below: [TS, IR]", numbers("QaTS 5", "TS ?", "IR 5"), no},
		{"below: [TS, IR]", numbers("QaTS 5", "TS ?", "IR 6"), open},
		{"any_above: {method: TS, of: [IR, GC]}", numbers("TS 5", "IR 5", "GC 4"), no},
		{"any_above: {method: TS, of: [IR, GC]}", numbers("TS 5", "IR 5", "GC 6"), yes},
		{"any_above: {method: TS, of: [IR, GC]}", numbers("TS 5", "IR ?", "GC 4"), open},
		{"any_above: {method: TS, of: [IR, GC]}", numbers("TS ?", "IR 9"), open},
		{"within_percent: 10", numbers("QaTS 100", "TS 100"), aside},
		{"within_percent: 10", numbers("QaTS 109", "TS 100"), yes},
		{"within_percent: 10", numbers("QaTS 110", "TS 100"), no},
		{"within_percent: 10", numbers("QaTS 110", "TS ?"), open},
		{"within_percent: 10", numbers("QaTS ?", "TS 100"), open},
		{"lowest: {of: [TS, IR], times: 3}", numbers("QaTS 5", "TS 15", "IR 20"), yes},
		{"lowest: {of: [TS, IR], times: 3}", numbers("QaTS 5", "TS 20", "IR 14"), no},
		{"lowest: {of: [TS, IR], times: 3}", numbers("QaTS 5", "TS ?", "IR 20"), open},
		{"lowest: {of: [TS, IR], times: 3}", numbers("QaTS 5", "TS ?", "IR 14"), no},
	} {
		if got, _ := asked(t, c.name).ask(c.v, false); got != c.want {
			t.Errorf("%s of %v: %v, want %v", c.name, c.v, got, c.want)
		}
	}
	if r := numbers("QaTS 1", "TS 5", "IR 4", "GC 4"); true {
		if got, found := r.lowest(r.others()); got != "IR" || found != 3 {
			t.Errorf("the first of the lowest others is %s, of %d", got, found)
		}
	}
	b := &book{like: map[string]string{}}
	if got := b.describe(numbers("QaTS 1"), nil); strings.Contains(got, "QaTS") {
		t.Errorf("QaTS alone: %s", got)
	}
	if got := b.describe(numbers("TS 1"), []string{"TS"}); strings.Contains(got, "QaTS") {
		t.Errorf("without QaTS: %s", got)
	}
}

// TestExceptionsNameTheMethodsThatTheClaimIsAbout, not another that is lower still; and a count
// of lowest numbers says how many are ties.
func TestExceptionsNameTheMethodsThatTheClaimIsAbout(t *testing.T) {
	b := &book{like: map[string]string{}}
	v := numbers("QaTS 9", "TS 5", "HFE 7", "GC 3")
	for want, q := range map[string]string{"(QaTS 0.09, GC 0.03)": "rank: 1", "(QaTS 0.09, HFE 0.07)": "below: [HFE]", "(QaTS 0.09, TS 0.05)": "below: [TS, HFE]"} {
		_, beside := asked(t, q).ask(v, false)
		if got := b.describe(v, beside); !strings.HasSuffix(got, want) {
			t.Errorf("%q, want %q", got, want)
		}
	}
	if got := b.describe(numbers("QaTS 9", "GC 3"), []string{"HFE"}); strings.Contains(got, "GC") {
		t.Errorf("without HFE: %q", got)
	}
	count := &tally{}
	for _, a := range []answer{yes, level, level, no} {
		count.add(a, "an exception")
	}
	if got := count.all("settings", 0).Figures; got != "lowest or equal in 3 of 4 settings (equal in 2); exceptions: an exception" {
		t.Errorf("%q", got)
	}
	if got := count.most("settings").Figures; got != "lowest or equal in 3 of 4 settings (equal in 2)" {
		t.Errorf("%q", got)
	}
}

// A margin is the largest of its networks, on ties that of the first; both have to be the
// ones of the sentence.
func TestMarginOfASentence(t *testing.T) {
	b := bookOf(t, false,
		[]string{"standard cifar10 resnet50", "QaTS 1.00", "TS 3.00"}, []string{"standard cifar10 vit-b16", "QaTS 2.00", "TS 4.00"}, []string{"standard cifar10 resnet18", "QaTS 2.00", "TS 2.50"})
	for _, c := range []struct {
		want     float64
		backbone string
		truth    Truth
	}{{2, "resnet50", Holds}, {2, "vit-b16", Fails}, {1.5, "resnet50", Fails}} {
		if got := (&marginTest{Table: "standard", Dataset: "cifar10", Is: c.want, At: c.backbone}).judge(b); got.Truth != c.truth {
			t.Errorf("%+v: %+v", c, got)
		}
	}
}

// A sentence about all things allows exceptions, and one about most needs more than half;
// missing numbers leave both open as far as they matter.
func TestTalliesOfAnswers(t *testing.T) {
	for _, c := range []struct {
		yes, no, open, aside int
		all, one, most       Truth // without an exception, with one, and for most
	}{
		{3, 0, 0, 0, Holds, Holds, Holds}, {2, 1, 0, 0, Fails, Holds, Holds}, {1, 2, 0, 0, Fails, Fails, Fails}, {0, 0, 0, 2, Holds, Holds, Unjudged},
		{0, 0, 0, 0, Unjudged, Unjudged, Unjudged}, {0, 0, 1, 1, Unjudged, Unjudged, Unjudged}, {2, 0, 1, 0, Unjudged, Unjudged, Holds}, {1, 1, 0, 0, Fails, Holds, Fails},
		{1, 0, 1, 0, Unjudged, Unjudged, Unjudged}, {1, 0, 2, 0, Unjudged, Unjudged, Unjudged}, {0, 1, 1, 0, Fails, Unjudged, Fails}, {1, 1, 1, 0, Fails, Unjudged, Unjudged}, {2, 2, 1, 0, Fails, Fails, Unjudged},
		{3, 1, 2, 0, Fails, Unjudged, Unjudged}, {0, 2, 1, 0, Fails, Fails, Fails}, {1, 0, 1, 1, Unjudged, Unjudged, Unjudged}, {1, 1, 0, 1, Fails, Holds, Fails},
	} {
		var t1 tally
		for a, n := range map[answer]int{yes: c.yes, no: c.no, open: c.open, aside: c.aside} {
			for range n {
				t1.add(a, "x")
			}
		}
		if a, b, m := t1.all("rows", 0).Truth, t1.all("rows", 1).Truth, t1.most("rows").Truth; a != c.all || b != c.one || m != c.most {
			t.Errorf("%+v: all %q, with an exception %q, most %q", c, a, b, m)
		}
	}
	for _, c := range [][3]Truth{
		{Holds, Holds, Holds}, {Holds, Fails, Fails}, {Fails, Holds, Fails}, {Unjudged, Fails, Fails}, {Fails, Unjudged, Fails}, {Holds, Unjudged, Unjudged}, {Unjudged, Holds, Unjudged},
	} {
		if got := both(Judgement{c[0], ""}, Judgement{c[1], ""}).Truth; got != c[2] {
			t.Errorf("%q and %q: %q", c[0], c[1], got)
		}
	}
}

// Half of the reductions by 80 % or more are enough.
func TestReductionsOnLongTails(t *testing.T) {
	row := func(backbone string, n ...string) []string {
		return append([]string{"longtail cifar100-lt-r10 " + backbone}, n...)
	}
	for _, c := range []struct {
		rows    [][]string
		truth   Truth
		figures string
	}{
		{[][]string{row("resnet50", "QaTS 1.00", "AdaTS 5.00", "GC 4.00")}, Holds, "1 of 2 "}, // exactly 80 % and 75 %
		{[][]string{row("resnet50", "QaTS 1.00", "AdaTS 4.00", "GC 4.00")}, Fails, "0 of 2 "},
		{[][]string{row("resnet50", "QaTS 1.00", "AdaTS ?", "GC 9.00")}, Holds, "1 of 1 "},
		{[][]string{row("resnet50", "QaTS 1.00", "AdaTS 0.00", "GC 4.00")}, Unjudged, "0 of 1 "},
		{[][]string{row("resnet50", "QaTS ?", "AdaTS 5.00", "GC 5.00"), row("vit-b16", "QaTS 1.00", "AdaTS 5.00", "GC 4.00")}, Unjudged, "1 of 2 "},
		{[][]string{row("resnet50", "QaTS ?", "AdaTS 5.00", "GC 5.00"), row("vit-b16", "QaTS 1.00", "AdaTS 9.00", "GC 9.00")}, Holds, "2 of 2 "},
		{[][]string{row("resnet50", "QaTS 1.00", "AdaTS ?", "GC 4.00"), row("vit-b16", "QaTS 1.00", "AdaTS 9.00", "GC ?"), row("resnet18", "QaTS 1.00", "AdaTS ?", "GC ?")}, Unjudged, "1 of 2 "},
		{[][]string{row("resnet50", "QaTS ?", "AdaTS 5.00", "GC 4.00")}, Unjudged, "no numbers"},
	} {
		if got := reductions(bookOf(t, false, c.rows...)); got.Truth != c.truth || !strings.HasPrefix(got.Figures, c.figures) {
			t.Errorf("%v: %+v", c.rows, got)
		}
	}
}

// QaTS is stable on a network if every preserving method rises more.
func TestRisesFromMildToExtremeTails(t *testing.T) {
	mild := func(backbone string, n ...string) []string {
		return append([]string{"longtail cifar100-lt-r10 " + backbone}, n...)
	}
	extreme := func(backbone string, n ...string) []string {
		return append([]string{"longtail cifar100-lt-r100 " + backbone}, n...)
	}
	low, high := []string{"QaTS 1.00", "Uncal 1.00", "TS 2.00", "IR 3.00", "AdaTS 4.00", "GC 5.00"}, []string{"QaTS 2.00", "Uncal 9.00", "TS 9.00", "IR 9.00", "AdaTS 9.00", "GC 9.00"}
	with := func(list []string, i int, n string) []string {
		return append(append(append([]string(nil), list[:i]...), n), list[i+1:]...)
	}
	for _, c := range []struct {
		name      string
		x, y      []string
		complete  Truth
		ofSimilar Truth
	}{
		{"all rise more", low, high, Holds, Holds},
		{"one rises as much", low, with(high, 5, "GC 6.00"), Fails, Fails},
		{"one rises less", low, with(high, 2, "TS 2.50"), Fails, Fails},
		{"one is missing in the mild set", with(low, 2, "TS ?"), high, Unjudged, Holds},
		{"one is missing in the extreme set", low, with(high, 2, "TS ?"), Unjudged, Holds},
		{"one is missing, one rises less", with(low, 1, "Uncal ?"), with(high, 5, "GC 5.00"), Fails, Fails},
		{"QaTS is missing in the mild set", with(low, 0, "QaTS ?"), high, Unjudged, Unjudged},
		{"QaTS is missing in the extreme set", low, with(high, 0, "QaTS ?"), Unjudged, Unjudged},
	} {
		for similar, want := range map[bool]Truth{false: c.complete, true: c.ofSimilar} {
			got := stable(bookOf(t, similar, mild("alone", low...), mild("resnet50", c.x...), extreme("resnet50", c.y...)))
			if got.Truth != want {
				t.Errorf("%s, similar %v: %+v", c.name, similar, got)
			}
			missing := strings.HasPrefix(c.name, "QaTS is missing")
			got = stable(bookOf(t, similar, mild("resnet50", c.x...), mild("vit-b16", low...), extreme("resnet50", c.y...), extreme("vit-b16", with(high, 5, "GC 5.00")...)))
			if got.Truth != Fails || missing && !strings.HasPrefix(got.Figures, "0 of 1 ") {
				t.Errorf("%s, similar %v, and one that is not stable: %+v", c.name, similar, got)
			}
		}
	}
}

// FeatClip is second in more than half of the rows and, on the paper's own sets, first in
// exactly four.
func TestPlacesOfFeatClip(t *testing.T) {
	place := map[byte][]string{
		'1': {"FeatClip 1.00", "QaTS 2.00", "TS 3.00"}, '2': {"QaTS 1.00", "FeatClip 2.00", "TS 3.00"}, '3': {"QaTS 1.00", "TS 1.50", "FeatClip 2.00"},
		'=': {"QaTS 1.00", "TS 2.00", "FeatClip 2.00"}, '?': {"QaTS 1.00", "TS ?", "FeatClip ?"},
	}
	for _, c := range []struct {
		places      string
		own, others Truth
		figures     string
	}{
		{"111122222", Holds, Holds, "second in 5, first in 4 of 9"}, {"11112222=", Holds, Holds, "second in 5, first in 4 of 9"}, {"11112222", Fails, Fails, "second in 4, first in 4 of 8"},
		{"11122222", Fails, Holds, "second in 5, first in 3 of 8"}, {"11111222222", Fails, Holds, "second in 6, first in 5 of 11"},
		{"111122223", Fails, Fails, "second in 4, first in 4 of 9"}, {"???", Unjudged, Unjudged, "no numbers"}, {"?111122222", Unjudged, Unjudged, "second in 5, first in 4 of 9"},
		{"?1112222", Unjudged, Unjudged, "second in 4, first in 3 of 7"}, {"?1122222", Fails, Unjudged, "second in 5, first in 2 of 7"}, {"?111112222222", Fails, Unjudged, "second in 7, first in 5 of 12"},
		{"?11112222333", Fails, Fails, "second in 4, first in 4 of 11"}, {"?1111222", Fails, Fails, "second in 3, first in 4 of 7"}, {"?11112222", Unjudged, Unjudged, "second in 4, first in 4 of 8"},
	} {
		var rows [][]string
		for i := range len(c.places) {
			rows = append(rows, append([]string{fmt.Sprintf("longtail cifar100-lt-r10 net%d", i)}, place[c.places[i]]...))
		}
		for similar, want := range map[bool]Truth{false: c.own, true: c.others} {
			if got := featClipPlaces(bookOf(t, similar, rows...)); got.Truth != want || !strings.HasPrefix(got.Figures, c.figures) {
				t.Errorf("%s, similar %v: %+v, want %q, %s", c.places, similar, got, want, c.figures)
			}
		}
	}
}

// Piecewise forms are below QaTS on clean data and above it elsewhere, and grow with their
// pieces; equal numbers do neither.
func TestFormsOfTheTemperature(t *testing.T) {
	row := func(dataset string, qats, two, four, ten string) []string {
		return []string{"ablation " + dataset + " resnet50", "QaTS " + qats, "QaTS-PW2 " + two, "QaTS-PW4 " + four, "QaTS-PW10 " + ten}
	}
	clean, tailed, shifted := row("cifar10", "5.00", "4.00", "3.00", "2.00"), row("cifar100-lt-r10", "1.00", "2.00", "3.00", "4.00"), row("cifar100-c", "1.00", "2.00", "3.00", "4.00")
	missing := row("cifar100-lt-r100", "1.00", "?", "3.00", "4.00")
	for _, c := range []struct {
		name          string
		rows          [][]string
		piece, growth Truth
	}{
		{"as printed", [][]string{clean, tailed, shifted}, Holds, Holds},
		{"equal on clean data", [][]string{row("cifar10", "5.00", "5.00", "3.00", "2.00"), tailed, shifted}, Fails, Holds},
		{"equal elsewhere", [][]string{clean, tailed, row("cifar100-c", "2.00", "2.00", "3.00", "4.00")}, Fails, Holds},
		{"equal at first", [][]string{clean, row("cifar100-lt-r10", "1.00", "2.00", "2.00", "4.00"), shifted}, Holds, Fails},
		{"equal at last", [][]string{clean, row("cifar100-lt-r10", "1.00", "2.00", "4.00", "4.00"), shifted}, Holds, Fails},
		{"falling at last", [][]string{clean, row("cifar100-lt-r10", "1.00", "2.00", "4.00", "3.00"), shifted}, Holds, Fails},
		{"a number is missing", [][]string{clean, missing, shifted}, Unjudged, Unjudged},
		{"a number is missing before", [][]string{row("cifar10", "5.00", "?", "3.00", "2.00"), row("cifar100", "5.00", "6.00", "3.00", "2.00"), missing, row("imagenet-lt", "1.00", "3.00", "2.00", "4.00"), shifted}, Fails, Fails},
	} {
		b := bookOf(t, false, c.rows...)
		if got := piecewise(b); got.Truth != c.piece {
			t.Errorf("%s: below and above: %+v", c.name, got)
		}
		if got := growing(b); got.Truth != c.growth {
			t.Errorf("%s: growing: %+v", c.name, got)
		}
	}
}

// The lowest preserving method has to be twice QaTS or more at every severity.
func TestTwiceAsLowAtEverySeverity(t *testing.T) {
	row := func(severity int, n ...string) []string {
		return append([]string{fmt.Sprintf("shift cifar100-c vit-b16 average %d", severity)}, n...)
	}
	twice := []string{"QaTS 2.00", "Uncal 5.00", "TS 4.00", "IR 4.00", "AdaTS 6.00", "GC 7.00"}
	less := []string{"QaTS 2.01", "Uncal 5.00", "TS 4.00", "IR 4.00", "AdaTS 6.00", "GC 7.00"}
	missing := []string{"QaTS 2.00", "Uncal 5.00", "TS ?", "IR 4.00", "AdaTS 6.00", "GC 7.00"}
	zero := []string{"QaTS 0.00", "Uncal 5.00", "TS 4.00", "IR 4.00", "AdaTS 6.00", "GC 7.00"}
	none := []string{"QaTS ?", "Uncal 5.00", "TS 4.00", "IR 4.00", "AdaTS 6.00", "GC 7.00"}
	for name, c := range map[string]struct {
		first, second []string
		own, others   Truth
	}{
		"twice": {twice, twice, Holds, Holds}, "less than twice": {twice, less, Fails, Fails}, "one is missing": {twice, missing, Unjudged, Holds},
		"QaTS is 0": {zero, twice, Unjudged, Unjudged}, "QaTS is missing": {none, twice, Unjudged, Unjudged},
		"QaTS is 0 before": {zero, less, Fails, Fails}, "QaTS is missing before": {none, less, Fails, Fails},
	} {
		for similar, want := range map[bool]Truth{false: c.own, true: c.others} {
			if got := asked(t, "tables: [shift], lowest: {of: [Uncal, TS, IR, AdaTS, GC], times: 2}").judge(bookOf(t, similar, row(1, c.first...), row(2, c.second...))); got.Truth != want {
				t.Errorf("%s, similar %v: %+v", name, similar, got)
			}
		}
	}
}

// The distance of FeatClip to QaTS has to rise with each severity, on every network with the
// numbers of both.
func TestDistanceWidensWithSeverity(t *testing.T) {
	network := func(name string, pairs ...[2]string) (rows [][]string) {
		for i, p := range pairs {
			rows = append(rows, []string{fmt.Sprintf("shift cifar100-c %s average %d", name, i+1), "FeatClip " + p[0], "QaTS " + p[1]})
		}
		return rows
	}
	wide := [][2]string{{"3.00", "2.00"}, {"4.50", "2.50"}, {"7.00", "4.00"}}
	for name, c := range map[string]struct {
		rows  [][]string
		truth Truth
	}{
		"rises":                  {network("vit-b16", wide...), Holds},
		"stays":                  {network("vit-b16", wide[0], [2]string{"4.00", "3.00"}), Fails},
		"falls":                  {network("vit-b16", wide[0], [2]string{"4.00", "3.50"}), Fails},
		"falls at last":          {network("vit-b16", wide[0], wide[1], [2]string{"9.00", "8.00"}), Fails},
		"QaTS is missing":        {network("vit-b16", wide[0], [2]string{"4.00", "?"}), Unjudged},
		"FeatClip is missing":    {network("vit-b16", wide[0], [2]string{"?", "1.00"}), Unjudged},
		"one severity":           {network("vit-b16", wide[0]), Unjudged},
		"the first lacks QaTS":   {append(network("resnet50", wide[0], [2]string{"4.00", "?"}), network("vit-b16", wide...)...), Holds},
		"the second network too": {append(network("vit-b16", wide...), network("resnet50", wide[1], wide[0])...), Fails},
	} {
		if got := widening(bookOf(t, true, c.rows...)); got.Truth != c.truth {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

// recordsBook returns a book of measured records, given as "experiment dataset backbone loss
// corruption method metric value", with - for an empty corruption.
func recordsBook(t *testing.T, similar bool, lines ...string) *book {
	t.Helper()
	b := &book{names: paper.Names(), records: map[results.Place]results.Record{}}
	if similar {
		b.like = map[string]string{"seg": "voc2012"}
	}
	for _, l := range lines {
		f := strings.Fields(l)
		x, err := strconv.ParseFloat(f[7], 64)
		if err != nil {
			t.Fatal(err)
		}
		c := results.Setting{Experiment: f[0], Dataset: f[1], Backbone: f[2], Loss: f[3], Corruption: strings.TrimPrefix(f[4], "-")}
		if v, err := results.ParseVariant(c.Corruption); err == nil {
			c.Corruption, c.Variant = "", v
		}
		b.records[results.PlaceOf(c, f[5], f[6])] = results.Record{Setting: c, Method: f[5], Metric: f[6], Value: x, Status: results.OK}
	}
	return b
}

// Sentences over records: ties, records that are missing, and other settings.
func TestPredicatesOverRecords(t *testing.T) {
	change := func(values ...string) (lines []string) { // at factors 1 and 2, of qats, then of ts
		for i, v := range values {
			if v != "" {
				lines = append(lines, fmt.Sprintf("rescale d b ce rescale=%d %s ece %s", i%2+1, []string{"qats", "ts"}[i/2], v))
			}
		}
		return lines
	}
	task := func(dataset, backbone, qats, featclip string) (lines []string) {
		for method, v := range map[string]string{"qats": qats, "featclip": featclip} {
			if v != "" {
				lines = append(lines, fmt.Sprintf("tasks %s %s ce - %s miou %s", dataset, backbone, method, v))
			}
		}
		return lines
	}
	loss := func(dataset, backbone, ce, brier, qats string) (lines []string) {
		for _, c := range [][3]string{{"ce", "uncal", ce}, {"brier", "uncal", brier}, {"brier", "qats", qats}} {
			if c[2] != "" {
				lines = append(lines, fmt.Sprintf("losses %s %s %s - %s ece %s", dataset, backbone, c[0], c[1], c[2]))
			}
		}
		return append(lines, fmt.Sprintf("losses %s %s ce - qats ece .001", dataset, backbone))
	}
	accuracy := func(experiment, dataset, qats, featclip string) (lines []string) {
		for method, v := range map[string]string{"qats": qats, "featclip": featclip} {
			if v != "" {
				lines = append(lines, fmt.Sprintf("%s %s b ce - %s accuracy %s", experiment, dataset, method, v))
			}
		}
		return lines
	}
	lower := featClipLower("voc2012", "seg50", "miou")
	for _, c := range []struct {
		name    string
		ask     func(*book) Judgement
		similar bool
		lines   []string
		truth   Truth
		figures string
	}{
		{"argmax", keepsPredictions, false, []string{"standard a b ce - qats argmax_change 0", "standard c b ce - qats argmax_change .01"}, Fails, "missing in 160 more"},
		{"argmax", keepsPredictions, true, []string{"standard a b ce - qats argmax_change 0"}, Holds, "1 of 1 "},
		{"rescaled", stableRescaled, true, change(".02", ".022", ".02", ".025"), Holds, "1 of 1 "},
		{"rescaled, QaTS falls more", stableRescaled, true, change(".02", ".01", ".02", ".025"), Fails, ""},
		{"rescaled, as much", stableRescaled, true, change(".02", ".025", ".02", ".025"), Fails, ""},
		{"rescaled, no QaTS at 1", stableRescaled, true, change("", ".02", ".02", ".025"), Unjudged, ""},
		{"rescaled, no TS at 1", stableRescaled, true, change(".02", ".022", "", ".025"), Unjudged, ""},
		{"rescaled, no TS", stableRescaled, true, change(".02", ".022"), Unjudged, ""},
		{"accuracy", accuracyDominance, true, append(append(accuracy("standard", "a", ".9", ".8"), accuracy("medical", "c", ".9", ".8")...), accuracy("tasks", "e", ".9", ".9")...), Fails, "2 of 3 settings (67 %), equal in 1; 0 "},
		{"accuracy without FeatClip", accuracyDominance, true, append(accuracy("standard", "a", ".9", ".8"), accuracy("medical", "c", ".9", "")...), Holds, "1 of 1 settings (100 %), equal in 0"},
		{"accuracy of segmentation", accuracyDominance, true, append(accuracy("standard", "a", ".9", ".8"), accuracy("tasks", "seg", ".9", ".95")...), Holds, "1 of 1 "},
		{"accuracy of some", accuracyDominance, false, accuracy("standard", "a", ".9", ".8"), Unjudged, "160 are not measured"},
		{"loss of accuracy", accuracyLoss, true, accuracy("longtail", "a", ".04", "0"), Holds, "4.00"},
		{"small loss of accuracy", accuracyLoss, true, accuracy("longtail", "a", ".0399", "0"), Fails, ""},
		{"small loss of accuracy of some", accuracyLoss, false, accuracy("longtail", "a", ".0399", "0"), Unjudged, ""},
		{"task", lower, false, task("voc2012", "seg50", ".8", ".7"), Holds, "QaTS 80.00, FeatClip 70.00"},
		{"task, equal", lower, false, task("voc2012", "seg50", ".8", ".8"), Fails, ""},
		{"task, other network", lower, false, task("voc2012", "seg18", ".8", ".7"), Unjudged, ""},
		{"task, other network of a similar set", lower, true, task("seg", "seg18", ".8", ".7"), Holds, ""},
		{"task, other set", lower, false, task("ade20k", "seg50", ".8", ".7"), Unjudged, ""},
		{"task, other similar set", lower, true, task("ade20k", "seg50", ".8", ".7"), Unjudged, ""},
		{"task after another", lower, false, append(task("ade20k", "seg50", ".8", ".7"), task("voc2012", "seg50", ".8", ".9")...), Fails, ""},
		{"task after one without FeatClip", lower, true, append(task("seg", "a", ".8", ""), task("seg", "c", ".8", ".9")...), Fails, ""},
		{"brier", brierMeasured, false, loss("cifar100", "resnet50", ".08", ".04", ".02"), Holds, "8.00 -> 4.00 -> 2.00"},
		{"brier, first equal", brierMeasured, false, loss("cifar100", "resnet50", ".08", ".08", ".02"), Fails, ""},
		{"brier, second equal", brierMeasured, false, loss("cifar100", "resnet50", ".08", ".04", ".04"), Fails, ""},
		{"brier, other network", brierMeasured, false, loss("cifar100", "vit-b16", ".08", ".04", ".02"), Unjudged, ""},
		{"brier, other set", brierMeasured, false, loss("cifar10", "resnet50", ".08", ".04", ".02"), Unjudged, ""},
		{"brier after another", brierMeasured, false, append(loss("cifar10", "resnet50", ".08", ".04", ".02"), loss("cifar100", "resnet50", ".08", ".04", ".02")...), Holds, ""},
		{"brier, no ce", brierMeasured, false, loss("cifar100", "resnet50", "", ".04", ".02"), Unjudged, ""},
		{"brier, no uncal", brierMeasured, false, loss("cifar100", "resnet50", ".08", "", ".02"), Unjudged, ""},
		{"brier after one without ce", brierMeasured, true, append(loss("a", "resnet50", "", ".04", ".02"), loss("c", "resnet50", ".08", ".04", ".02")...), Holds, ""},
		{"losses", lossesImprove, true, []string{"losses a b nll - qats ece .01", "losses a b nll - uncal ece .02"}, Holds, "1 of 1 "},
		{"losses, equal", lossesImprove, true, []string{"losses a b nll - qats ece .02", "losses a b nll - uncal ece .02"}, Fails, ""},
	} {
		if got := c.ask(recordsBook(t, c.similar, c.lines...)); got.Truth != c.truth || !strings.Contains(got.Figures, c.figures) {
			t.Errorf("%s: %+v, want %q, %s", c.name, got, c.truth, c.figures)
		}
	}
	for _, c := range []struct {
		row   []string
		truth Truth
	}{
		{[]string{"standard cifar100 resnet50", "Uncal 8.62", "QaTS 2.71"}, Unjudged}, {[]string{"standard cifar100 resnet50", "Uncal 8.62", "QaTS 2.72"}, Fails},
		{[]string{"standard cifar100 resnet50", "Uncal 8.61", "QaTS 2.71"}, Fails}, {[]string{"standard cifar100 resnet50", "QaTS 3.00"}, Unjudged}, {[]string{"standard cifar10 resnet50", "Uncal 8.00", "QaTS 3.00"}, Unjudged},
	} {
		if got := brierPublished(bookOf(t, false, c.row)); got.Truth != c.truth {
			t.Errorf("%v: %+v", c.row, got)
		}
	}
}

// Pairs, ties and places of methods.
func TestPairsAndPlacesOfCells(t *testing.T) {
	cell := func(label string, value, here paper.Points) Cell {
		return Cell{Number: paper.Number{Label: label, Value: value}, State: OK, Here: here}
	}
	cells := []Cell{cell("a", 1, 2), cell("b", 1, 3), cell("c", 2, 3), cell("d", 3, 1)}
	var p significance.Orders
	p.Add(rankedNumbers(cells)) // 1 pair alike, 3 the other way round, one tie on each side
	if tau, _ := p.Tau(); tau != -.4 {
		t.Errorf("tau %v", tau)
	}
	if got := lowest(cells, printed); strings.Join(got, " ") != "a b" {
		t.Errorf("lowest %v", got)
	}
	for label, want := range map[string]int{"a": 1, "b": 1, "c": 3, "d": 4, "x": 0} {
		if got := placeOf(label, cells, printed); got != want {
			t.Errorf("place of %s: %d, want %d", label, got, want)
		}
	}
	if (Cell{State: OK, Source: measured}).StandsIn() || (Cell{Source: standIn}).StandsIn() || !(Cell{State: OK, Source: standIn}).StandsIn() {
		t.Error("only values of stand-ins stand in")
	}
}
