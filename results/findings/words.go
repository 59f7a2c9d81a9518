package main

import (
	"fmt"
	"iter"
	"math"
	"strconv"
	"strings"
	"text/template"

	"github.com/qats-bench/qats/results"
	"github.com/qats-bench/qats/results/paper"
	"github.com/qats-bench/qats/results/paper/audit"
	"github.com/qats-bench/qats/results/paper/claims"
)

// words are the functions of the templates. A fact that does not exist is an error that names it.
type words struct {
	facts Facts
	top   string // of the project
}

func (w *words) functions() template.FuncMap {
	return template.FuncMap{
		"mean":     func(run, part, method, metric string) (string, error) { return w.mean(run, part, method, metric) },
		"fraction": w.fraction,
		"n":        w.number,
		"settings": func(run, part string) (string, error) { return w.number(run, part, "", "", "", "settings") },
		"active": func(run, part, method string) (string, error) {
			return english0(w.facts[ID{run, part, method, "", "a >= 0", "active"}]), nil
		},
		"inactive":  w.inactive,
		"points":    w.points,
		"p":         w.p,
		"rank":      w.rank,
		"place":     w.place,
		"claims":    w.claims,
		"alike":     w.alike,
		"first":     w.first,
		"audit":     w.audit,
		"means":     w.meansTable,
		"against":   w.againstTable,
		"ranking":   w.rankingTable,
		"published": w.publishedMeans,
		"ranks":     w.ranksOf,
		"sighted":   w.withSighted,
		"number": func(run, part, metric, quantity string) (string, error) {
			x, err := w.fact(ID{Run: run, Part: part, Metric: metric, Quantity: quantity})
			return strconv.FormatFloat(x, 'f', 2, 64), err
		},
		"spread": w.spread,
		"nats": func(run, part, method string) (string, error) {
			x, err := w.fact(ID{run, part, method, "", "nll", "mean"})
			return strconv.FormatFloat(x, 'f', 3, 64), err
		},
		"try": w.try,

		"classes": w.classTable,
		"ece": func(method, class string) (string, error) {
			return w.inPercent(method, class, func(c results.Class) float64 { return c.ECE })
		},
		"conf": func(method, class string) (string, error) {
			return w.inPercent(method, class, func(c results.Class) float64 { return c.Conf })
		},
		"freq": func(method, class string) (string, error) {
			return w.inPercent(method, class, func(c results.Class) float64 { return c.Freq })
		},

		"programs": w.programs,
		"compared": w.compared,

		"agreement": w.agreementTable,
		"advice":    w.adviceTable,

		"speed":   w.speedTable,
		"methods": w.speedMethods,
		"ways":    w.waysTable,
		"reading": readings,
		"shifts":  shifts,
		"shifted": shifted,
		"kinds":   kinds,
	}
}

// fact returns a number, or an error that names it.
func (w *words) fact(id ID) (float64, error) {
	x, ok := w.facts[id]
	if !ok {
		return 0, fmt.Errorf("no %s in facts.csv", id)
	}
	return x, nil
}

// number prints a count.
func (w *words) number(run, part, method, against, metric, quantity string) (string, error) {
	x, err := w.fact(ID{run, part, method, against, metric, quantity})
	return english0(x), err
}

func english0(x float64) string { return strconv.Itoa(int(math.Round(x))) }

// mean prints the mean of a metric: per cent of a fraction, nats of an NLL.
func (w *words) mean(run, part, method, metric string) (string, error) {
	x, err := w.fact(ID{run, part, method, "", metric, "mean"})
	return printed(metric, x), err
}

// fraction prints the mean of a metric as it is.
func (w *words) fraction(run, part, method, metric string) (string, error) {
	x, err := w.fact(ID{run, part, method, "", metric, "mean"})
	return strconv.FormatFloat(x, 'f', 4, 64), err
}

func printed(metric string, x float64) string {
	switch metric {
	case "nll":
		return strconv.FormatFloat(x, 'f', 2, 64)
	case "accuracy":
		return strconv.FormatFloat(100*x, 'f', 1, 64)
	}
	return percent(x)
}

// percent prints a fraction in per cent, with two decimals.
func percent(x float64) string { return strconv.FormatFloat(100*x, 'f', 2, 64) }

// inactive prints in how many networks QaTS is not temperature scaling.
func (w *words) inactive(run, part, method string) (string, error) {
	all, err := w.fact(ID{Run: run, Part: part, Quantity: "settings"})
	return english0(all - w.facts[ID{run, part, method, "", "a >= 0", "active"}]), err
}

// points prints a difference in percentage points with its sign.
func (w *words) points(run, part, method, against, metric, quantity string) (string, error) {
	x, err := w.fact(ID{run, part, method, against, metric, quantity})
	return signed(x), err
}

func signed(x float64) string {
	text := percent(x)
	switch {
	case text == "-0.00" || text == "0.00":
		return "0.00"
	case x > 0:
		return "+" + text
	}
	return text
}

// p prints a p-value.
func (w *words) p(run, part, method, against, metric, quantity string) (string, error) {
	x, err := w.fact(ID{run, part, method, against, metric, quantity})
	return pvalue(x), err
}

func pvalue(x float64) string {
	digits := 2
	switch {
	case x >= .9995:
		return "1"
	case x < .00095:
		digits = 5
	case x < .0095:
		digits = 4
	case x < .195:
		digits = 3
	}
	return strings.TrimPrefix(strconv.FormatFloat(x, 'f', digits, 64), "0")
}

func (w *words) rank(run, part, method, against, metric string) (string, error) {
	x, err := w.fact(ID{run, part, method, against, metric, "rank"})
	return strconv.FormatFloat(x, 'f', 1, 64), err
}

func (w *words) place(run, part, method, against, metric string) (string, error) {
	x, err := w.fact(ID{run, part, method, against, metric, "place"})
	return ordinal(int(x)), err
}

// alike prints how many methods Wilcoxon's tests with Holm's correction do not tell apart from the one
// that they are compared with.
func (w *words) alike(run, part, against, metric string) string {
	n := 0
	for id, x := range w.facts {
		if id.Run == run && id.Part == part && id.Against == against && id.Metric == metric && id.Quantity == "apart" && x == 0 && id.Method != against {
			n++
		}
	}
	return strconv.Itoa(n)
}

// first prints the method with the lowest mean rank.
func (w *words) first(run, part, against, metric string) (string, error) {
	for id, x := range w.facts {
		if id.Run == run && id.Part == part && id.Against == against && id.Metric == metric && id.Quantity == "place" && x == 1 {
			return "`" + id.Method + "`", nil
		}
	}
	return "", fmt.Errorf("no ranking by %s of %s, %s in facts.csv", metric, run, part)
}

// claims prints a count of the paper's claims: of a run, or on the printed numbers.
func (w *words) claims(run, truth string) (string, error) {
	if run != "printed" {
		return english0(w.facts[ID{Run: run, Metric: "claims", Quantity: truth}]), nil
	}
	numbers, err := paper.Read()
	if err != nil {
		return "", err
	}
	list := claims.Compare(numbers, nil).Claims
	return strconv.Itoa(claims.Count(list, func(j claims.Judged) claims.Judgement { return j.Published })[claims.Truth(truth)]), nil
}

// audit prints the number of findings of a kind in the printed numbers; of all, without a kind.
func (w *words) audit(kind string) (string, error) {
	numbers, err := paper.Read()
	if err != nil {
		return "", err
	}
	if kind == "numbers" {
		return thousands(len(numbers)), nil
	}
	n := 0
	for _, f := range audit.Run(numbers) {
		if kind == "all" || string(f.Kind) == kind {
			n++
		}
	}
	return strconv.Itoa(n), nil
}

// ordered are ids and their labels, in the order of a table.
type ordered = iter.Seq2[string, string]

func listed(pairs ...string) ordered {
	return func(yield func(id, label string) bool) {
		for i := 0; i < len(pairs); i += 2 {
			if !yield(pairs[i], pairs[i+1]) {
				return
			}
		}
	}
}

func readings() ordered {
	return listed("ts", "TS", "ts-brier", "TS by the Brier score", "qats", "QaTS, by NLL to the minimum", "qats-brier", "QaTS by the Brier score",
		"qats-rising", "T = a q + b", "qats-rising-brier", "T = a q + b by the Brier score", "qats-free", "QaTS free",
		"qats-adam-slow", "QaTS, 200 steps of Adam, rate 0.001", "qats-adam", "QaTS, 200 steps of Adam, rate 0.01",
		"qats-adam-fast", "QaTS, 200 steps of Adam, rate 0.1", "qats-adam-long", "QaTS, 2,000 steps of Adam, rate 0.01")
}

// shifts are the parts of label-shift.
func shifts() ordered {
	return listed("r100", "R-100, balanced", "r10", "R-10, balanced", "r100 skewed", "R-100, as skewed as the calibration set", "r10 skewed", "R-10, as skewed")
}

func shifted() ordered { return listed("ts", "TS", "qats", "QaTS", "label-shift", "Label shift") }

// kind is a rule of the audit and how many printed numbers break it.
type kind struct {
	Count int
	Title string
}

func kinds() (list []kind, err error) {
	numbers, err := paper.Read()
	if err != nil {
		return nil, err
	}
	found := map[audit.Kind]int{}
	for _, f := range audit.Run(numbers) {
		found[f.Kind]++
	}
	for _, g := range audit.Groups() {
		if found[g.Kind] > 0 {
			list = append(list, kind{found[g.Kind], g.Title})
		}
	}
	return list, nil
}
