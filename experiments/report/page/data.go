package page

import (
	"cmp"
	"encoding/json"
	"math"
	"slices"
	"strconv"

	"github.com/qats-bench/qats/internal/lists"
	"github.com/qats-bench/qats/metrics"
	"github.com/qats-bench/qats/plots"
	"github.com/qats-bench/qats/results"
)

// mostSettings is the largest number of settings of a page with all it can show.
const mostSettings = 5000

// data is the JSON object of the page. Numbers of cells are columns: entry i of a
// column belongs to cell i. Texts that recur are kept once, in Texts, and named by
// their place there.
type data struct {
	Sources  []string        `json:"sources"` // measured, simulated: the ones with a value
	Methods  []methodEntry   `json:"methods"`
	Metrics  []metricEntry   `json:"metrics"`
	Settings []settingEntry  `json:"settings"`
	Cells    cellColumns     `json:"cells"`
	Values   map[string]list `json:"values"` // by metric that a view reads: a number for each cell, null where there is none

	// Width and Mass are, by cell, the bins with rows, as the method bins has them: those of equal
	// width are [bin, n, confidence, accuracy, the distances from it to the ends of its interval,
	// those from the confidence to the ends of the consistency band, ...], those of equal mass have the edges at the end in place of the bin at the start.
	Width []list `json:"width"`
	Mass  []list `json:"mass"`

	// Positive are the bins of the probability of the positive class, as Width; nil without any.
	Positive []list `json:"positive,omitempty"`

	Pairs []list   `json:"pairs"` // [cell, index of the other method, index of the metric, difference, lo, hi, results.Outcome]
	Fits  []list   `json:"fits"`  // [cell, text of the name, value, text of the bound, text of the warning]; text 0 is empty
	Texts []string `json:"texts"`

	// Standings are the verdicts and the rankings, which are by metric in Rankings: see stand.
	Standings map[string]json.RawMessage `json:"standings"`
	Rankings  map[string][]list          `json:"rankings"`

	Corrupted []corrupted `json:"corrupted"` // networks with corrupted test sets

	Alike     float64     `json:"alike"`   // the largest difference of values that counts as equal
	Against   string      `json:"against"` // the method that differences are taken to
	Run       *runEntry   `json:"run"`     // null without run.json
	Published []Reference `json:"published"`
	Lead      *lead       `json:"lead"`  // null where there is nothing to draw
	Specs     []command   `json:"specs"` // null without run.json

	large bool // it has more than mostSettings settings, and neither bins nor fits
}

type methodEntry struct {
	ID     string `json:"id"`
	Label  string `json:"label"`
	Dashes string `json:"dash"`   // of its lines, as SVG has them
	Marker string `json:"mark"`   // its outline, as SVG has it, of radius 1
	Hollow bool   `json:"hollow"` // the marker has an empty centre
	Target bool   `json:"target"` // it sees the domain that it is tested on, and is not ranked
}

type metricEntry struct {
	ID      string `json:"id"`
	Label   string `json:"label"`
	Better  string `json:"better"` // lower, higher or empty
	Percent bool   `json:"percent"`
	Digits  int    `json:"digits"`
	Basis   string `json:"basis"`   // what verdicts on single settings rest on; empty if there are none
	Squared bool   `json:"squared"` // the basis is a square
	Lines   string `json:"lines"`   // the kind of the intervals of pairs, and what they cover
	kinds   []metrics.Interval
}

// describe adds a kind of intervals.
func (m *metricEntry) describe(kind metrics.Interval) {
	if slices.Contains(m.kinds, kind) {
		return
	}
	name, covers := kind.Describe()
	if len(m.kinds) > 0 {
		m.Lines += "; "
	}
	m.kinds, m.Lines = append(m.kinds, kind), m.Lines+name+", of "+covers
}

type settingEntry struct {
	Experiment string `json:"e"`
	Dataset    string `json:"d"`
	Samples    string `json:"t"` // the block of settings that may share its test samples
	Backbone   string `json:"b"`
	Loss       string `json:"l"`
	Corruption string `json:"c"`
	Severity   int    `json:"s"`
	Source     string `json:"src"`
	Name       string `json:"name"`  // as Cell.Setting has it
	Print      string `json:"print"` // in the names of tables
	Set        string `json:"set"`   // the data set, there
	Row        string `json:"row"`   // the setting without it, there
	N          int    `json:"n"`     // test rows
	From       int    `json:"from"`  // texts of run.json
	Test       int    `json:"test"`
	Cal        int    `json:"cal"`
	On         string `json:"on,omitempty"`   // calibrate_on
	Cell       string `json:"cell,omitempty"` // in the settings of a spec; empty without run.json
	Shift      string `json:"shift"`          // the kind of its test set
	Seed       *int   `json:"seed,omitempty"` // of one of several trainings of a network
	Of         *int   `json:"of,omitempty"`   // then the setting that has their means
	Counts     bool   `json:"counts"`         // where the filters ask for no kind of settings

	setting results.Setting // without its experiment
	mean    bool            // over the seeds: no setting of results.csv
}

type cellColumns struct {
	Setting  []int    `json:"setting"`
	Method   []int    `json:"method"`
	Status   []string `json:"status"`
	Notes    [][]int  `json:"notes"`    // texts of the notes of the note but its warnings
	Warnings [][]int  `json:"warnings"` // texts
	Key      []string `json:"key"`      // of the first value
}

// list is a JSON list of numbers that is already text.
type list = json.RawMessage

// runEntry is the part of run.json that commands need.
type runEntry struct {
	FirstRows int `json:"first"`
}

// packer builds the data of a folder.
type packer struct {
	data
	texts    map[string]int
	setting  map[settingID]int
	method   map[string]int
	metric   map[string]int
	cell     map[cellID]int
	names    results.Names              // of data sets and networks
	sourceOf map[results.Setting]string // of rows without a source
	values   map[string][]float64       // by metric and cell; NaN where there is none
}

// A setting of two sources, which only other tools can write, is two settings. The mean over
// the trainings of a network is one more.
type settingID struct {
	results.Setting
	source string
	mean   bool
}

type cellID struct{ setting, method int }

func pack(f *results.Rows, labels func(string) string) *data {
	p := &packer{texts: map[string]int{}, setting: map[settingID]int{}, method: map[string]int{}, metric: map[string]int{},
		cell: map[cellID]int{}, names: results.SettingLabels(f.Settings), sourceOf: map[results.Setting]string{}, values: map[string][]float64{}}
	p.text("")
	p.Values = map[string]list{}
	p.Pairs, p.Fits = []list{}, []list{}
	for _, r := range f.Records {
		for _, s := range []results.Setting{r.Setting, r.WithoutTraining()} {
			if r.Source != "" && p.sourceOf[s] == "" {
				p.sourceOf[s] = r.Source
			}
		}
	}
	for i := range f.Records {
		p.record(&f.Records[i], labels, false)
	}
	seeded := func(s results.Setting) bool { return s.Variant.Training > 0 }
	for _, r := range results.OverSeeds(lists.Where(f.Records, func(r results.Record) bool { return seeded(r.Setting) })) {
		if r.Status == results.OK {
			r.Note = nil // that of the first seed, as is the key
		}
		r.Key = ""
		p.record(&r, labels, true)
	}
	samples := results.TestSamplesOf(f.Records)
	for i := range p.Settings {
		s := &p.Settings[i]
		if s.mean {
			continue
		}
		s.Samples = samples[s.setting].Block
		if s.Of != nil {
			p.Settings[*s.Of].Samples = s.Samples
		}
	}
	for id, values := range p.values {
		if p.Metrics[p.metric[id]].Better != "" || slices.Contains(bandOfECE, id) || ofTwo(id) {
			p.Values[id] = column(values, len(p.Cells.Setting), digitsOf(id))
		}
	}
	p.underCorruption()
	for _, source := range []string{"measured", "simulated"} {
		if slices.ContainsFunc(f.Records, func(r results.Record) bool { return r.Source == source && r.Status == results.OK }) {
			p.Sources = append(p.Sources, source)
		}
	}
	bins, fits := f.Bins, f.Parameters
	if p.large = len(p.Settings) > mostSettings; p.large {
		bins, fits = nil, nil
	}
	p.bins(bins)
	p.pairs(f.Pairs, false)
	p.pairs(results.PairsOverSeeds(lists.Where(f.Pairs, func(x results.Pair) bool { return seeded(x.Setting) })), true)
	p.fits(fits)
	p.known(f.Settings)
	p.run(f.Run, f.Methods)
	p.Alike = results.Alike
	return &p.data
}

// decide sets which settings count and which methods are ranked.
func (d *data) decide(o Options) {
	for i := range d.Settings {
		s := &d.Settings[i]
		if s.mean {
			continue // it counts if one of its trainings does
		}
		if s.Counts = results.Counts(s.setting, o.Variants); s.Counts && s.Of != nil {
			d.Settings[*s.Of].Counts = true
		}
	}
	for i := range d.Methods {
		d.Methods[i].Target = slices.Contains(o.target, d.Methods[i].ID)
	}
}

// text returns the place of a text.
func (p *packer) text(s string) int {
	i, ok := p.texts[s]
	if !ok {
		i = len(p.Texts)
		p.texts[s] = i
		p.Texts = append(p.Texts, s)
	}
	return i
}

// place returns the place of a setting. That of the mean over the trainings of a network is
// before the first of them.
func (p *packer) place(setting results.Setting, source string, mean bool) int {
	id := settingID{setting, source, mean}
	if s, ok := p.setting[id]; ok {
		return s
	}
	e := settingEntry{setting: setting, mean: mean, Experiment: setting.Experiment, Dataset: setting.Dataset, Backbone: setting.Backbone, Loss: setting.Loss,
		Corruption: setting.Corruption, Severity: setting.Severity,
		Shift: shiftOf(setting), Source: source, Name: setting.Name(), Print: p.names.Setting(setting, ", "),
		Set: p.names.Name("dataset", setting.Dataset), Row: p.names.InDataset(setting, ", ")}
	e.setting.Experiment = ""
	if setting.Variant.Training > 0 {
		seed := setting.Variant.Training - 1
		of := p.place(setting.WithoutTraining(), source, true)
		e.Seed, e.Of = &seed, &of
	}
	s := len(p.Settings)
	p.setting[id] = s
	p.Settings = append(p.Settings, e)
	return s
}

// record keeps a row, or the mean of rows over the trainings of a network.
func (p *packer) record(r *results.Record, labels func(string) string, mean bool) {
	source := r.Source
	if source == "" {
		source = p.sourceOf[r.Setting]
	}
	s := p.place(r.Setting, source, mean)
	m, ok := p.method[r.Method]
	if !ok {
		m = len(p.Methods)
		p.method[r.Method] = m
		entry := methodEntry{ID: r.Method, Label: labels(r.Method), Dashes: dashes(r.Method)}
		entry.Marker, entry.Hollow = plots.MethodLook(r.Method).Outline()
		p.Methods = append(p.Methods, entry)
	}
	if _, ok := p.metric[r.Metric]; !ok {
		p.metric[r.Metric] = len(p.Metrics)
		p.Metrics = append(p.Metrics, metricOf(r.Metric))
	}
	c, ok := p.cell[cellID{s, m}]
	if !ok {
		c = len(p.Cells.Setting)
		p.cell[cellID{s, m}] = c
		p.Cells.Setting, p.Cells.Method = append(p.Cells.Setting, s), append(p.Cells.Method, m)
		p.Cells.Status, p.Cells.Key = append(p.Cells.Status, string(r.Status)), append(p.Cells.Key, "")
		p.Cells.Notes, p.Cells.Warnings = append(p.Cells.Notes, nil), append(p.Cells.Warnings, nil)
		p.note(c, r.Note)
	} else if r.Status == results.OK && p.Cells.Status[c] != string(results.OK) {
		p.Cells.Status[c] = string(r.Status)
		p.note(c, r.Note)
	}
	p.Cells.Key[c] = cmp.Or(p.Cells.Key[c], r.Key)
	if r.Status != results.OK {
		return
	}
	p.Settings[s].N = max(p.Settings[s].N, r.N)
	values := p.values[r.Metric]
	for len(values) <= c {
		values = append(values, math.NaN())
	}
	values[c] = r.Value
	p.values[r.Metric] = values
}

// note keeps the texts of a note with a cell.
func (p *packer) note(cell int, n results.Notes) {
	notes, warnings := []int{}, []int{}
	for _, f := range n {
		if i := p.text(f.String()); f.Kind == results.Warned {
			warnings = append(warnings, i)
		} else {
			notes = append(notes, i)
		}
	}
	p.Cells.Notes[cell], p.Cells.Warnings[cell] = notes, warnings
}

func metricOf(id string) metricEntry {
	e, output, ok := metrics.LookupOutput(id)
	if !ok {
		return metricEntry{ID: id, Label: id, Digits: 4}
	}
	basis, _ := e.Judge(id)
	return metricEntry{ID: id, Label: output.Label, Better: ranked(e.Better), Percent: e.Percent, Digits: e.Digits(), Basis: basis.Label, Squared: basis.Squared}
}

// ranked returns a direction by which methods are ranked, or nothing.
func ranked(d metrics.Direction) string {
	if !d.Ranks() {
		return ""
	}
	return string(d)
}

// bandOfECE are the ends of the band of the ECE of calibrated networks, which the table of a
// setting shows. Of the metrics without a direction no view reads others.
var bandOfECE = []string{"ece_null_lo", "ece_null_hi"}

// ofTwo reports whether a metric is of the positive class, of two classes, which the table of a
// setting shows too.
func ofTwo(id string) bool {
	e, _, ok := metrics.LookupOutput(id)
	return ok && e.Positive
}

// digitsOf returns the significant digits of the values of a metric. Values that
// methods are ranked by have all that results.csv has, so that ties are the same.
func digitsOf(metric string) int {
	if e, _, ok := metrics.LookupOutput(metric); ok && !e.Better.Ranks() {
		return 5
	}
	return 9
}

// find returns the place of a cell.
func (p *packer) find(setting settingID, method string) (int, bool) {
	s, ok1 := p.setting[setting]
	m, ok2 := p.method[method]
	c, ok3 := p.cell[cellID{s, m}]
	return c, ok1 && ok2 && ok3
}

func (p *packer) pairs(pairs []results.Pair, means bool) {
	for _, pair := range pairs {
		c, ok := p.find(settingID{pair.Setting, pair.Source, means}, pair.Method)
		m, known := p.metric[pair.Metric]
		against, has := p.method[pair.Against]
		if ok && known && has {
			lo, hi := math.NaN(), math.NaN()
			if pair.Interval != "" {
				lo, hi = pair.Lo, pair.Hi
				p.Metrics[m].describe(pair.Interval)
			}
			row := []float64{float64(c), float64(against), float64(m), pair.Difference, lo, hi, float64(pair.Outcome())}
			p.Pairs = append(p.Pairs, column(row, len(row), 5))
		}
	}
}

func (p *packer) fits(parameters []results.Parameter) {
	for _, r := range parameters {
		c, ok := p.find(settingID{r.Setting, r.Source, false}, r.Method)
		if !ok {
			continue
		}
		row := []float64{float64(c), float64(p.text(r.Name)), r.Value, float64(p.text(r.Bound)), float64(p.text(r.Warning))}
		p.Fits = append(p.Fits, column(row, len(row), 6))
	}
}

// known adds what settings.csv says.
func (p *packer) known(list []results.SettingInfo) {
	for _, s := range list {
		if i, ok := p.setting[settingID{s.Setting, s.Source, false}]; ok {
			e := &p.Settings[i]
			e.From, e.Test, e.Cal = p.text(s.Notes.Text(results.From)), p.text(s.Test), p.text(s.Cal)
			e.On = s.CalibrateOn
			if e.Of != nil {
				p.Settings[*e.Of].From = e.From
			}
		}
	}
}

// run adds what run.json says of the specs.
func (p *packer) run(r *results.Run, methods []results.MethodInfo) {
	if r == nil {
		return
	}
	p.Run = &runEntry{FirstRows: r.FirstRows}
	for _, s := range r.Specs {
		p.Specs = append(p.Specs, commandOf(s, methods))
	}
	for i := range p.Settings {
		if s := &p.Settings[i]; !s.mean {
			s.Cell = inSpec(s.setting, s.On)
		}
	}
}

// column returns n numbers as a JSON list, with null for NaN and for numbers after
// the last. It is "null" if there are none.
func column(values []float64, n, digits int) list {
	if n == 0 {
		return list("null")
	}
	b := []byte{'['}
	for i := range n {
		if i > 0 {
			b = append(b, ',')
		}
		switch {
		case i >= len(values) || math.IsNaN(values[i]):
			b = append(b, "null"...)
		case values[i] == math.Trunc(values[i]) && math.Abs(values[i]) < 1e15:
			b = strconv.AppendFloat(b, values[i], 'f', 0, 64)
		default:
			b = strconv.AppendFloat(b, round(values[i], digits), 'g', -1, 64)
		}
	}
	return append(b, ']')
}

// round returns the float64 nearest to x with that many significant digits.
func round(x float64, digits int) float64 {
	v, _ := strconv.ParseFloat(strconv.FormatFloat(x, 'g', digits, 64), 64)
	return v
}
