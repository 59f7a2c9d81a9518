package page

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"maps"
	"math"
	"runtime"
	"slices"
	"strings"

	"github.com/qats-bench/qats/internal/lists"
	"github.com/qats-bench/qats/internal/pool"
	"github.com/qats-bench/qats/results"
	"github.com/qats-bench/qats/results/compare"
	"github.com/qats-bench/qats/results/table"
)

// standing is what a comparison says of all its methods: the page shows it, and averages, ranks
// and tests nothing itself. Methods are places in data.Methods. Its lists are JSON arrays of numbers, as
// the comments say.
type standing struct {
	Place    int `json:"k"` // of the ranking among those of the metric, in data.Rankings
	Verdicts int `json:"v"` // that Holm's correction is for

	// Rows are the other methods against the one of the comparison: [method, wins, ties, losses,
	// sure wins, sure losses, smallest difference, difference, from, to, what these ends are,
	// settings with a better and with a worse value]. Without verdicts, or ends, there is null.
	Rows []list `json:"o"`

	// Means are those of the methods without a rank, over the settings where both they and the
	// method of the comparison have a value: [method, mean, settings]. Those of others are in Ranks.
	Means []list `json:"u"`

	Best []int `json:"best"` // the methods with the best mean as it is printed; none where all print alike

	ranking `json:"-"`
}

// ranking is what a standing shares with those against other methods.
type ranking struct {
	Ranks   []rankedMethod `json:"r"` // in the order of the mean ranks; empty without a ranking
	None    string         `json:"none,omitempty"`
	Aside   []list         `json:"a"`           // not ranked: [method, settings that it lacks, blocks that it lacks]
	Missing []list         `json:"x,omitempty"` // [method, settings left out because it has no value there]

	Settings  int     `json:"n"` // that are ranked
	Blocks    int     `json:"b"`
	Corrupted int     `json:"c"` // of the settings
	Networks  int     `json:"w"` // of these
	All       int     `json:"all"`
	AllBlocks int     `json:"allBlocks"`
	Critical  float64 `json:"cd,omitempty"` // Nemenyi's critical difference; 0 where nothing is tested
}

// rankedMethod is a method, its mean rank as all tables print it, the mean of its values over the
// ranked settings, block by block, and the letters of its groups.
type rankedMethod struct {
	Method int     `json:"m"`
	Rank   string  `json:"k"`
	Mean   float64 `json:"v"`
	Groups string  `json:"g,omitempty"`
}

// letters of the kinds of blocks in the addresses of pages.
var blockLetters = map[compare.Block]string{compare.BySamples: "t", compare.ByDataset: "d", compare.ByNetwork: "n", compare.BySetting: "s"}

// part is a choice of settings for which the page has a standing.
type part struct {
	name string // as the state of the script has it: "dataset=cifar10"; empty for all
	has  func(results.Setting) bool

	apart bool // only where all settings cannot be compared, because two experiments disagree
}

// partsOf returns all settings, each data set, backbone and kind of test sets, and each experiment.
func partsOf(f *results.Rows) []part {
	list := []part{{has: func(results.Setting) bool { return true }}}
	each := func(name string, of func(results.Setting) string) {
		values := lists.Distinct(f.Records, func(r record) string { return of(r.Setting) })
		if len(values) < 2 {
			return
		}
		for _, v := range values {
			if v != "" {
				list = append(list, part{name + "=" + v, func(s results.Setting) bool { return of(s) == v }, name == "experiment"})
			}
		}
	}
	each("dataset", func(s results.Setting) string { return s.Dataset })
	each("backbone", func(s results.Setting) string { return s.Backbone })
	each("shift", func(s results.Setting) string {
		if shift := shiftOf(s); shift != "redrawn" && shift != "rescaled" { // which do not count by themselves
			return shift
		}
		return ""
	})
	each("experiment", func(s results.Setting) string { return s.Experiment })
	return list
}

// shiftOf names the kind of test set of a setting.
func shiftOf(s results.Setting) string {
	switch {
	case s.Variant.Split > 0:
		return "redrawn"
	case s.Variant.Rescale > 0:
		return "rescaled"
	case s.Variant.TestShares:
		return "thinned"
	case s.Corruption != "":
		return "corrupted"
	}
	return "clean"
}

// inParts are the metrics with a standing for each part, as are those of the comparisons of the
// page: the leaderboard shows them beside each other. Other metrics have all settings alone,
// which keeps the page small.
var inParts = []string{"ece", "aece", "nll", "brier", "accuracy"}

// mostStood is the largest number of settings of a page with standings beyond those of its own
// comparisons. A comparison takes time with the square of the number of blocks.
const mostStood = 1000

// stand adds the standings: by source, metric, part, method of the comparison and kind of block,
// joined by bars. Methods of comparison are Against and those that pairs are against. A standing
// that is equal to an earlier one of its metric is the name of that one. made are comparisons that
// are known: of all settings, by Block.
func (d *data) stand(f *results.Rows, o Options, made ...*compare.Comparison) {
	_, records := lists.Group(f.Records, func(r record) string { return r.Metric })
	_, pairs := lists.Group(f.Pairs, func(p results.Pair) string { return p.Metric })
	bases := lists.Distinct(f.Pairs, func(p results.Pair) string { return p.Against })
	if !slices.Contains(bases, o.Against) {
		bases = append(bases, o.Against)
	}
	parts, kinds, ids := partsOf(f), compare.Blocks(), lists.Values(d.Metrics, func(m metricEntry) string { return m.ID })
	if len(d.Settings) > mostStood {
		parts, kinds, ids = parts[:1], []compare.Block{cmp.Or(o.Block, compare.BySamples)}, o.Metrics
	}
	found, rankings := make([]map[string]json.RawMessage, len(ids)), make([][]list, len(ids))
	pool.Each(context.Background(), len(ids), runtime.GOMAXPROCS(0), func(_, i int) error { // no task has an error
		s := stander{d: d, records: records[ids[i]], pairs: pairs[ids[i]], options: o.comparing(ids[i], ""), rankings: map[string]int{}, names: map[string]string{}, made: map[string][]stood{}}
		of := parts
		if !slices.Contains(inParts, ids[i]) && !slices.Contains(o.Metrics, ids[i]) {
			of = parts[:1]
		}
		found[i] = s.all(of, bases, kinds, lists.Where(made, func(c *compare.Comparison) bool { return c.Metric == ids[i] }))
		rankings[i] = make([]list, len(s.rankings))
		for text, at := range s.rankings {
			rankings[i][at] = list(text)
		}
		return nil
	})
	d.Standings, d.Rankings = map[string]json.RawMessage{}, map[string][]list{}
	for i, of := range found {
		maps.Copy(d.Standings, of)
		d.Rankings[ids[i]] = rankings[i]
	}
}

// stander makes the standings by one metric. A metric without a direction has none.
type stander struct {
	d       *data
	records []results.Record
	pairs   []results.Pair
	options compare.Options
	made    map[string][]stood // by what they compare
	names   map[string]string  // of standings, by their source and their text

	rankings map[string]int // the places of the texts of rankings
}

// stood is a standing as text, and what its name begins and ends with.
type stood struct{ source, metric, against, text string }

// all returns the standings of each part, method of comparison and kind of block.
func (s stander) all(parts []part, bases []string, kinds []compare.Block, known []*compare.Comparison) map[string]json.RawMessage {
	found := map[string]json.RawMessage{}
	disagree := false
	for _, p := range parts {
		if p.apart && !disagree {
			continue
		}
		of := lists.Where(s.records, func(r record) bool { return p.has(r.Setting) })
		with := lists.Where(s.pairs, func(x results.Pair) bool { return p.has(x.Setting) })
		rows, err := compare.Arrange(of, with, s.options)
		if err != nil {
			disagree = true // the page says that there is no comparison
			continue
		}
		for _, kind := range kinds {
			arranged := rows.Arrangement(kind)
			for _, base := range bases {
				key := base + "\x00" + arranged
				if p.apart { // settings of the same names have other values there
					key += "\x00" + p.name
				}
				if _, has := s.made[key]; !has {
					s.made[key] = lists.Values(s.compare(rows, p, base, kind, known), s.text)
				}
				for _, c := range s.made[key] {
					s.add(found, strings.Join([]string{c.source, c.metric, p.name, c.against, blockLetters[kind]}, "|"), c)
				}
			}
		}
	}
	return found
}

// compare returns the comparisons of a part, which may be known; none where they cannot be made.
func (s stander) compare(rows *compare.Arranged, p part, base string, kind compare.Block, known []*compare.Comparison) []*compare.Comparison {
	if p.name == "" {
		if same := lists.Where(known, func(c *compare.Comparison) bool { return c.Against == base && c.Block == kind }); len(same) > 0 {
			return same
		}
	}
	made, _ := rows.Compare(base, kind) // the page says that there is none
	return made
}

// text returns the standing of a comparison.
func (s stander) text(c *compare.Comparison) stood {
	made := s.d.standingOf(c)
	text, _ := json.Marshal(made.ranking) // of numbers and texts
	place, has := s.rankings[string(text)]
	if !has {
		place = len(s.rankings)
		s.rankings[string(text)] = place
	}
	made.Place = place
	text, _ = json.Marshal(made)
	return stood{c.Source, c.Metric, c.Against, string(text)}
}

// add adds a standing, or the name of an equal one.
func (s stander) add(found map[string]json.RawMessage, name string, c stood) {
	text := []byte(c.text)
	if before, has := s.names[c.source+c.text]; has {
		text, _ = json.Marshal(before)
	} else {
		s.names[c.source+c.text] = name
	}
	found[name] = text
}

// standingOf returns what a comparison says.
func (d *data) standingOf(c *compare.Comparison) standing {
	place := func(id string) int {
		return slices.IndexFunc(d.Methods, func(m methodEntry) bool { return m.ID == id })
	}
	numbers := func(digits int, values ...float64) list { return column(values, len(values), digits) }
	k := c.Ranking
	s := standing{Rows: []list{}, Means: []list{}, Verdicts: c.Verdicts, ranking: ranking{Ranks: []rankedMethod{}, None: k.None, Aside: []list{},
		Settings: k.Settings, Blocks: len(k.Blocks), Corrupted: k.Extent.Corrupted, Networks: k.Extent.CorruptedOf, All: c.Settings, AllBlocks: len(c.Blocks)}}
	if s.Settings == 0 { // without a ranking
		s.Settings, s.Blocks, s.Corrupted, s.Networks = c.Settings, len(c.Blocks), c.Extent.Corrupted, c.Extent.CorruptedOf
	}
	if k.Tested() {
		s.Critical = round(k.Critical, 4)
	}
	for i, m := range k.Methods {
		var letters bytes.Buffer
		for g, members := range k.Groups {
			if slices.Contains(members, i) {
				letters.WriteByte(byte('a' + g%26))
			}
		}
		s.Ranks = append(s.Ranks, rankedMethod{place(m), table.Fixed(k.Ranks[i], 2), round(valueOf(c, k.Means[i]), meanDigits), letters.String()})
	}
	blocksOf := map[string]int{}
	shown := append(slices.Clone(c.Rows), c.Own)
	if c.Floor != nil {
		shown = append(shown, *c.Floor)
	}
	for _, r := range shown {
		blocksOf[r.Method] = r.Blocks
		if r.Method != c.Against {
			s.Rows = append(s.Rows, numbers(5, rowNumbers(c, place(r.Method), r)...))
		}
		if r.Settings > 0 && !slices.Contains(k.Methods, r.Method) {
			s.Means = append(s.Means, numbers(meanDigits, float64(place(r.Method)), valueOf(c, r.Value), float64(r.Settings)))
		}
	}
	s.Best = []int{}
	for _, m := range (compare.View{Comparison: c}).Best() {
		s.Best = append(s.Best, place(m))
	}
	for _, a := range k.Aside {
		s.Aside = append(s.Aside, numbers(9, float64(place(a.Method)), float64(len(a.Settings)), float64(len(c.Blocks)-blocksOf[a.Method])))
	}
	for _, x := range k.Missing {
		s.Missing = append(s.Missing, numbers(9, float64(place(x.Method)), float64(len(x.Settings))))
	}
	return s
}

// meanDigits are the significant digits of means, which are printed with fewer.
const meanDigits = 7

// valueOf returns a mean as it is printed: that of times is of their logarithms.
func valueOf(c *compare.Comparison, mean float64) float64 {
	if c.Ratio {
		return math.Exp(mean)
	}
	return mean
}

// What the ends of a difference are.
const (
	rangeOfBlocks = iota // the least and the largest of the blocks
	overBlocks           // a 95 % interval over blocks
	overRows             // that of the difference on the test rows of the only setting
)

// rowNumbers are the numbers of a row, as standing.Rows has them.
func rowNumbers(c *compare.Comparison, method int, r compare.Row) []float64 {
	nan := math.NaN()
	row := []float64{float64(method), nan, nan, nan, nan, nan, nan, r.Difference, nan, nan, rangeOfBlocks, float64(r.Ahead), float64(r.Behind)}
	if r.Win+r.Tie+r.Loss > 0 {
		copy(row[1:], []float64{float64(r.Win), float64(r.Tie), float64(r.Loss), float64(r.SureWin), float64(r.SureLoss)})
		if r.Smallest > 0 {
			row[6] = r.Smallest
		}
	}
	switch {
	case !c.Judged():
	case r.Shift.Bounded:
		copy(row[7:], []float64{r.Shift.Estimate, r.Shift.Lo, r.Shift.Hi, overBlocks})
	case len(r.On) == 1 && r.Settings == 1 && r.On[0].Interval != "":
		copy(row[7:], []float64{r.On[0].Difference, r.On[0].Lo, r.On[0].Hi, overRows})
	case len(r.BlockDifference) > 1:
		row[8], row[9] = slices.Min(r.BlockDifference), slices.Max(r.BlockDifference)
	}
	return row
}
