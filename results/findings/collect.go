package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/qats-bench/qats/internal/lists"
	"github.com/qats-bench/qats/results"
	"github.com/qats-bench/qats/results/compare"
	"github.com/qats-bench/qats/results/paper"
	"github.com/qats-bench/qats/results/paper/claims"
)

// collect replaces the facts of the runs that have a folder in from.
func collect(path, from string) error {
	facts, err := readFacts(path)
	if errors.Is(err, fs.ErrNotExist) {
		facts, err = Facts{}, nil
	}
	if err != nil {
		return err
	}
	none := true
	for _, s := range runs() {
		folder := filepath.Join(from, folderOf(s.run))
		if _, err := os.Stat(filepath.Join(folder, results.ResultsFile)); errors.Is(err, fs.ErrNotExist) {
			continue
		}
		none = false
		facts.drop(s.run)
		if err := facts.take(s, results.Folder(folder)); err != nil {
			return fmt.Errorf("%s: %w", folder, err)
		}
	}
	switch taken, err := facts.takeSplits(filepath.Join(from, "splits.json")); {
	case err != nil:
		return err
	case taken:
		none = false
	}
	switch taken, err := facts.takeRankings(filepath.Join(from, "calarena")); {
	case err != nil:
		return err
	case taken:
		none = false
	}
	switch taken, err := facts.takeCertain(from); {
	case err != nil:
		return err
	case taken:
		none = false
	}
	switch taken, err := takeTry(filepath.Join(from, tryFile), filepath.Dir(path)); {
	case err != nil:
		return err
	case taken:
		none = false
	}
	switch taken, err := takeClasses(from, filepath.Dir(path)); {
	case err != nil:
		return err
	case taken:
		none = false
	}
	if none {
		return fmt.Errorf("no folder of a run in %s, as make findings writes them", from)
	}
	return facts.write(path)
}

// folderOf returns the folder of a run: the specs of the companion share one, and a comparison has
// its rows below its own.
func folderOf(run string) string {
	if run == realScores {
		return filepath.Join(run, "compare")
	}
	if strings.HasPrefix(run, "companion") {
		return "companion"
	}
	return run
}

// take adds the facts of a run.
func (f Facts) take(s source, folder results.Folder) error {
	rows, err := folder.Read(results.PairsFile, results.FitsFile, results.RunFile)
	if err != nil {
		return err
	}
	records := lists.Where(rows.Records, func(r results.Record) bool {
		return (s.experiments == nil || slices.Contains(s.experiments, r.Experiment)) && (s.methods == nil || slices.Contains(s.methods, r.Method))
	})
	for _, p := range s.parts {
		all := lists.Where(records, func(r results.Record) bool { return p.keep(r.Setting) && results.Counts(r.Setting, nil) })
		of := lists.Where(all, func(r results.Record) bool { return r.Status == results.OK })
		f.means(ID{Run: s.run, Part: p.name}, of, p.metrics)
		if p.each {
			for _, setting := range settings(of) {
				f.means(ID{Run: s.run, Part: setting.Name()}, lists.Where(of, func(r results.Record) bool { return r.Whole() == setting }), p.metrics)
			}
		}
		f.fits(ID{Run: s.run, Part: p.name}, rows.Parameters, settings(of))
		for _, c := range p.compared {
			if err := f.compare(ID{Run: s.run, Part: p.name, Against: c.against}, all, rows.Methods, p, c, folder); err != nil {
				return fmt.Errorf("%s, against %s: %w", p.name, c.against, err)
			}
		}
	}
	if s.claims {
		return f.claims(s.run, rows.Run, records)
	}
	return nil
}

// settings returns the settings of records, in the order of their first row. Several trainings of a
// network are one.
func settings(records []results.Record) []results.Setting {
	return lists.Distinct(lists.Values(records, func(r results.Record) results.Setting { return r.Whole() }), func(s results.Setting) results.Setting { return s })
}

// valueID is a metric of a method.
type valueID struct{ method, metric string }

// valuesOf returns the values by setting: means over the trainings of a network.
func valuesOf(records []results.Record, wanted func(results.Record) bool) map[valueID]map[results.Setting]float64 {
	sum, n := map[valueID]map[results.Setting]float64{}, map[valueID]map[results.Setting]float64{}
	for _, r := range records {
		if !wanted(r) {
			continue
		}
		id := valueID{r.Method, r.Metric}
		if sum[id] == nil {
			sum[id], n[id] = map[results.Setting]float64{}, map[results.Setting]float64{}
		}
		sum[id][r.Whole()] += r.Value
		n[id][r.Whole()]++
	}
	for id, of := range sum {
		for s := range of {
			of[s] /= n[id][s]
		}
	}
	return sum
}

// means adds the number of settings, the mean over those on which a method has a value, the band of
// temperature scaling, and the accuracy of the network. Where a method lacks some, n is the number of its own.
func (f Facts) means(id ID, records []results.Record, metrics []string) {
	all := settings(records)
	f[ID{Run: id.Run, Part: id.Part, Quantity: "settings"}] = float64(len(all))
	values := valuesOf(records, func(r results.Record) bool {
		return slices.Contains(metrics, r.Metric) || r.Metric == "ece_null_hi" && r.Method == "ts" || r.Metric == "accuracy" && r.Method == "uncal"
	})
	for of, value := range values {
		id.Method, id.Metric = of.method, of.metric
		sum := 0.0
		for _, s := range all { // in an order, so that sums have the same bits
			sum += value[s]
		}
		id.Quantity = "mean"
		f[id] = sum / float64(len(value))
		if id.Quantity = "n"; len(value) < len(all) {
			f[id] = float64(len(value))
		}
	}
}

// fits adds in how many settings a bound of QaTS is active: of several trainings, in more than half.
func (f Facts) fits(id ID, parameters []results.Parameter, of []results.Setting) {
	type place struct {
		setting       results.Setting
		method, bound string
	}
	active, trainings := map[place]float64{}, map[results.Setting]map[results.Setting]bool{}
	for _, p := range parameters {
		s := p.Setting.Whole()
		if !strings.HasPrefix(p.Method, "qats") || !slices.Contains(of, s) {
			continue
		}
		if trainings[s] == nil {
			trainings[s] = map[results.Setting]bool{}
		}
		trainings[s][p.Setting] = true
		if p.Bound != "" {
			active[place{s, p.Method, p.Bound}]++
		}
	}
	for at, n := range active {
		if n > float64(len(trainings[at.setting]))/2 {
			id.Method, id.Metric, id.Quantity = at.method, at.bound, "active"
			f[id]++
		}
	}
}

// compare adds a comparison over the settings of a part. methods say which methods see the test domain.
func (f Facts) compare(id ID, records []results.Record, methods []results.MethodInfo, p part, c compared, folder results.Folder) error {
	if c.folder != "" {
		folder = results.Folder(folder.Path(c.folder))
	}
	pairs, err := results.ReadPairs(folder.Path(results.PairsFile))
	if err != nil {
		return err
	}
	for _, metric := range c.metrics {
		list, err := compare.Of(records, lists.Where(pairs, func(x results.Pair) bool { return p.keep(x.Setting) }), compare.Options{Metric: metric, Against: c.against, Methods: c.methods, Target: results.Targets(methods)})
		if err != nil {
			return err
		}
		if len(list) != 1 || list[0].Source != "measured" {
			return fmt.Errorf("%s: not all rows are measured", metric)
		}
		f.comparison(id, metric, list[0], records)
	}
	if len(c.methods) == 1 && slices.Contains(c.metrics, "ece") && slices.Contains(c.metrics, "nll") {
		id.Method, id.Metric, id.Quantity = c.methods[0], "ece", "win with a higher NLL"
		f[id] = float64(winsWithHigherNLL(pairs, p.keep, id.Method, c.against))
	}
	return nil
}

// winsWithHigherNLL counts the settings in which a method is better by the verdict on the ECE and
// has a higher NLL.
func winsWithHigherNLL(pairs []results.Pair, keep func(results.Setting) bool, method, against string) (n int) {
	higher := map[results.Setting]bool{}
	of := lists.Where(pairs, func(p results.Pair) bool { return p.Method == method && p.Against == against && keep(p.Setting) })
	for _, p := range of {
		if p.Metric == "nll" && results.Sign(p.Difference) > 0 {
			higher[p.Setting] = true
		}
	}
	for _, p := range of {
		if p.Metric == "ece" && p.Outcome() == results.Win && higher[p.Setting] {
			n++
		}
	}
	return n
}

func (f Facts) comparison(id ID, metric string, c *compare.Comparison, records []results.Record) {
	id.Metric = metric
	values := valuesOf(records, func(r results.Record) bool { return r.Metric == metric && r.Status == results.OK })
	add := func(quantity string, x float64) {
		id.Quantity = quantity
		f[id] = x
	}
	alone := len(c.Rows) == 1
	for _, r := range c.Rows {
		id.Method = r.Method
		suffix := "" // of a correction for the verdicts on one method
		if !alone {
			suffix = " in the table"
		}
		mean, n := 0.0, 0
		for _, s := range settings(records) { // in an order, so that sums have the same bits
			a, ok1 := values[valueID{r.Method, metric}][s]
			b, ok2 := values[valueID{c.Against, metric}][s]
			if ok1 && ok2 {
				mean += a - b
				n++
			}
		}
		add("difference", mean/float64(n))
		if all := f[ID{Run: id.Run, Part: id.Part, Quantity: "settings"}]; float64(r.Settings) != all {
			add("compared", float64(r.Settings))
		}
		add("lower", float64(r.Better))
		add("higher", float64(r.Worse))
		if r.NoVerdict < r.Settings {
			add("win", float64(r.Win))
			add("loss", float64(r.Loss))
			add("win holm"+suffix, float64(r.SureWin))
			add("loss holm"+suffix, float64(r.SureLoss))
			add("no verdict", float64(r.NoVerdict))
		}
		add("shift", r.Shift.Estimate)
		if r.Shift.Bounded {
			add("shift lo", r.Shift.Lo)
			add("shift hi", r.Shift.Hi)
		}
		add("p", r.Test.P)
		if !alone {
			add("p holm", r.Holm)
		}
	}
	if alone {
		return
	}
	id.Method = ""
	k := c.Ranking
	add("blocks", float64(len(c.Blocks)))
	add("methods", float64(len(k.Methods)))
	add("ranked settings", float64(k.Settings))
	power := c.Power()
	add("comparisons", float64(power.Comparisons))
	add("least p", power.LeastP)
	add("least p holm", power.LeastHolm)
	add("blocks needed", float64(power.Needed))
	add("most methods", float64(power.Methods))
	own := slices.Index(k.Methods, c.Against)
	for i, m := range k.Methods {
		id.Method = m
		add("rank", k.Ranks[i])
		add("place", float64(i+1))
		if own >= 0 && k.Apart != nil {
			add("apart", count(k.Apart[own][i]))
		}
	}
}

// claims adds how many of the paper's claims hold on the rows of a run, where its specs declare data
// sets that are similar to the paper's.
func (f Facts) claims(run string, of *results.Run, records []results.Record) error {
	like := map[string]string{}
	for _, s := range of.Specs {
		maps.Copy(like, s.Like)
	}
	numbers, err := paper.Read()
	if err != nil {
		return err
	}
	judged, err := claims.JudgeSimilar(numbers, records, like)
	if err != nil {
		return err
	}
	for truth, n := range claims.Count(judged.Claims, func(j claims.Judged) claims.Judgement { return j.Measured }) {
		f[ID{Run: run, Metric: "claims", Quantity: string(truth)}] = float64(n)
	}
	return nil
}

// line is an object of qats compare --json.
type line struct {
	Kind, Method, Against, Metric string
	Draws, Better, Worse          float64 // of splits
	Methods                       []string
	Ranks                         []float64
	Settings                      any      // of a ranking, their number
	Critical                      *float64 `json:"critical_difference"`
}

// lines reads the output of qats compare --json. Without the file they are nil.
func lines(path string) (list []line, err error) {
	b, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	d := json.NewDecoder(bytes.NewReader(b))
	for {
		var l line
		if err := d.Decode(&l); err == io.EOF {
			return list, nil
		} else if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		list = append(list, l)
	}
}

// takeRankings adds the mean ranks of each file of a folder; the name of a file is that of a part.
func (f Facts) takeRankings(folder string) (bool, error) {
	files, err := filepath.Glob(filepath.Join(folder, "*.json"))
	if err != nil || len(files) == 0 {
		return false, err
	}
	f.drop("calarena")
	for _, file := range files {
		list, err := lines(file)
		if err != nil {
			return false, err
		}
		for _, l := range list {
			if l.Kind != "ranking" {
				continue
			}
			id := ID{Run: "calarena", Part: strings.TrimSuffix(filepath.Base(file), ".json"), Metric: l.Metric}
			add := func(method, quantity string, x float64) {
				id.Method, id.Quantity = method, quantity
				f[id] = x
			}
			for i, m := range l.Methods {
				add(m, "rank", l.Ranks[i])
				add(m, "place", float64(i+1))
			}
			if n, ok := l.Settings.(float64); ok {
				add("", "settings", n)
			}
			add("", "methods", float64(len(l.Methods)))
			if l.Critical != nil {
				add("", "critical", *l.Critical)
			}
		}
	}
	return true, nil
}

// takeSplits adds what qats compare --splits --json says of QaTS against temperature scaling with redrawn
// rows. It reports whether there is such a file.
func (f Facts) takeSplits(path string) (bool, error) {
	list, err := lines(path)
	if err != nil || list == nil {
		return false, err
	}
	f.drop("splits")
	for _, l := range list {
		if l.Kind != "splits" || l.Method != "qats" || l.Against != "ts" || l.Metric != "ece" {
			continue
		}
		id := ID{Run: "splits", Method: "qats", Against: "ts", Metric: "ece"}
		add := func(quantity string, x float64) {
			id.Quantity = quantity
			f[id] += x
		}
		add("draws", l.Draws)
		add("lower", l.Better)
		add("higher", l.Worse)
		add("equal", l.Draws-l.Better-l.Worse)
		add("always lower", count(l.Better == l.Draws))
		add("always higher", count(l.Worse == l.Draws))
	}
	return true, nil
}

func count(so bool) float64 {
	if so {
		return 1
	}
	return 0
}
