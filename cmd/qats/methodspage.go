package main

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/qats-bench/qats/calib"
	"github.com/qats-bench/qats/calib/all"
	"github.com/qats-bench/qats/internal/lists"
	"github.com/qats-bench/qats/metrics"
)

// The parts of docs/methods.md that no registry has.
const (
	pageHead = `# Methods and metrics

Every calibrator and metric, printed by ` + "`qats doc reference`" + `. ` + "`qats doc NAME`" + ` prints one, with the code that it was compared with and
how closely they agree ([more](evidence.md#agreement-with-other-code)).

If a section does not say otherwise:

* A method sees the logits and labels of the calibration set and the logits of the test set. It keeps the predicted class, gives a masked
  class the probability 0, and does not depart from its reference.
* A metric sees the confidence, the prediction and the label of each row, and lower is better. Verdicts take the 95 %% interval of its
  difference. *Verdict by: none* means that no interval of the difference is known to cover it. Where *verdict by* names a measure, the
  interval is that of the difference in it: %s.
* If a spec names no metrics, these are computed: %s.

[Symbols](#symbols), [size of the logits](#size-of-the-logits), [mass](#mass) and [ties](#ties) are explained at the end.
`

	pageSymbols = `## Symbols

l is a row of k logits, y its label, n the number of rows, p = softmax(l), conf = max over j of p_j, and hit is 1 if the
class of the largest logit is y, else 0. h is a row of features, W and b the last layer. In a bin, n_b is the number of
rows, acc_b the mean of hit and conf_b the mean of conf. "By mean NLL" names the objective, which is minimised on the
calibration set. *Sees* lists the arrays that a method is given: cal at the fit, test when it is
applied, target for unlabelled rows of the deployment domain at the fit.
`

	pageSize = `## Size of the logits

The *spread* is the mean difference of the two largest logits of a row: 1 to 20 for networks, and far outside for scores of other models,
such as a support vector machine on features that are not scaled.

* **Follow it**: ts, ets, vs, svs, sms, hts, bts, gc, qats and their relatives. Their bounds go with the spread, or they start at the
  temperature of ts.
* **Divide the logits by a power of two**: the other methods, which read the softmax at T = 1, or have penalties, bounds or starts of fixed
  size. The power is the one nearest to the temperature of ts, and the map keeps it as its *divisor*; bounds and parameters are for the
  divided logits. They divide if the *middle gap*, the mean of the middle half of the differences, is below 0.18 or above 45, or if it is
  below 0.35 or above 11.3 and the temperature of ts is below 0.35 or above 5.7. Methods that compare probabilities only (ir and its
  relatives, hb-mass, procal-bins) divide below 0.18 and above 724.
* **Do neither**: uncal, ts-guo50, ts-ecegrid and featclip; and every method for log-probabilities, whose size has a meaning.
`

	pageMass = `## Mass

If a table of shares has a share of exactly 0 or 1, one later row that is otherwise has an infinite NLL. Such a map mixes in a total mass
of 1/(n + 2), by Laplace's rule of succession the chance of what none of n rows has shown. The m classes of a row that are not masked share
it evenly: p becomes (1 - e) p + e/m with e = 1/(n + 2). The confidence of a top-label method becomes (1 - e) c + e/2. The order of the
classes stays. Methods with a mass, if a saved number is a probability of 0 or 1: hb, hb-mass, hb-top, bbq, scaling-binning,
scaling-binning-top, irova, cir, ir-top, spline, kernel (if a class has no calibration row) and procal (if no row is right, or none wrong).
Other maps have none, though a temperature or a sigmoid may round to 0 or 1; ir has the numbers of the paper. A model that was saved
without a mass predicts as it did.
`

	pageTies = `## Ties

Probabilities that differ by rounding only count as equal, in the fit and for later rows, if a method sorts them for a function or for
bins: ir, irova, ir-top, procal-bins, cir, ivap and cvap (one-vs-rest), hb-mass, spline, scaling-binning and scaling-binning-top. Two are
tied that agree to 2^-22 of p up to 1/2, and of 1-p above: 1-p is the sum over the other classes, which has all its digits where p rounds
to 1 (package internal/stretch). Groups begin at the least probability, and a group holds what is tied with its least member. Methods that
rank or bin rows by confidence (qats and its variants, bts, cbt) compare that sum, which is the same number for equal logits in any order.
Bins of equal width and smooth functions of p need no rule.

Metrics: auroc, aurc, augrc and lp_variational tie to 2^-46, which covers sums in another order; ks, kuiper, kuiper_z, corp_mcb,
corp_dsc, decomposition and l1_variational to 2^-22; those with bins of equal mass (aece, aece_bins, ece_debiased, ece_sweep, tace) share
out runs of confidences within 1e-9 of a neighbour.
`
)

// family is the methods of a package below calib, and its heading with the anchor.
type family struct{ name, title, anchor string }

// families are those of the page, in its order.
var families = []family{
	{"calib", "No calibration, TS and QaTS", "no-calibration-ts-and-qats"},
	{"temperature", "Variants of temperature scaling", "variants-of-temperature-scaling"},
	{"quantile", "Variants of QaTS", "variants-of-qats"},
	{"linear", "Linear in the scores", "linear-in-the-scores"},
	{"isotonic", "Isotonic and Venn-Abers", "isotonic-and-venn-abers"},
	{"binning", "Histograms", "histograms"},
	{"splines", "Splines", "splines"},
	{"network", "Trained networks", "trained-networks"},
	{"features", "Features and other rows", "features-and-other-rows"},
	{"neighbours", "Neighbours", "neighbours"},
}

// familyOf returns the package of a method, which is its family.
func familyOf(e calib.Entry) string {
	name, _, _ := strings.Cut(strings.TrimPrefix(fmt.Sprintf("%T", e.Method), "*"), ".")
	return name
}

// item is one line under the heading of a method or a metric.
type item struct{ key, text string }

// writePage writes docs/methods.md.
func writePage(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, pageHead, strings.Join(bases(), ",\n  "), strings.Join(unasked(), ", "))
	of := map[string][]calib.Entry{}
	for _, e := range all.Registry() {
		of[familyOf(e)] = append(of[familyOf(e)], e)
	}
	b.WriteString("\n")
	for _, f := range families {
		index(&b, f.title, f.anchor, lists.Values(of[f.name], func(e calib.Entry) string { return e.Name }))
	}
	index(&b, "Metrics", "metrics", lists.Values(metrics.Registry(), func(e metrics.Entry) string { return e.Name }))
	for _, f := range families {
		b.WriteString("\n## " + f.title + "\n")
		for _, e := range of[f.name] {
			section(&b, e.Name, methodLead(e), e.Formula, methodItems(e))
		}
	}
	b.WriteString("\n## Metrics\n")
	for _, e := range metrics.Registry() {
		section(&b, e.Name, metricLead(e), e.Formula, metricItems(e))
	}
	b.WriteString("\n" + pageSymbols + "\n" + pageSize + "\n" + pageMass + "\n" + pageTies)
	_, err := io.WriteString(w, b.String())
	return err
}

// index is the names of a heading, each a link to its section.
func index(b *strings.Builder, title, anchor string, names []string) {
	links := lists.Values(names, func(name string) string { return fmt.Sprintf("[%s](#%s)", name, name) })
	fmt.Fprintf(b, "* [%s](#%s): %s\n", title, anchor, strings.Join(links, ", "))
}

// usual are the texts of items that the head of the page states for all sections.
var usual = []item{
	{"sees", "cal logits+labels, test logits"},
	{"sees", seesTop},
	{"sees", seesTop + onRequest},
	{"prediction", "kept"},
	{"masked classes", "probability 0"},
	{"better", string(metrics.Lower)},
	{"verdict by", ownInterval},
	{"departs", "none"},
}

// inLead are the items that a section does not list: its lead has them, or qats doc NAME
// alone.
var inLead = []string{"label", "gives", "reference", "formula", "compared with", "agreement"}

// section prints a method or a metric without what is usual.
func section(b *strings.Builder, name, lead, formula string, items []item) {
	fmt.Fprintf(b, "\n### %s\n\n%s\n\n", name, lead)
	fmt.Fprintf(b, "    %s\n\n", formula)
	for _, i := range items {
		switch {
		case slices.Contains(inLead, i.key), slices.Contains(usual, i), i.text == "":
			continue
		case i.key == "sees":
			i.text = strings.TrimSuffix(i.text, onRequest)
		case i.key == "verdict by":
			i.text = strings.TrimPrefix(i.text, intervalIn)
			i.text, _, _ = strings.Cut(strings.TrimSuffix(i.text, noInterval), ", the debiased")
		}
		fmt.Fprintf(b, "* %s: %s\n", i.key, i.text)
	}
}

// sentence is a summary with a capital and a full stop.
func sentence(summary string) string { return strings.ToUpper(summary[:1]) + summary[1:] + "." }

// methodLead is what a section says first: the label, the summary and the source.
func methodLead(e calib.Entry) string {
	return fmt.Sprintf("**%s** (%s). %s", e.Label, e.Reference, sentence(e.Summary))
}

func metricLead(e metrics.Entry) string {
	source := ""
	if e.Reference != "" && e.Reference != "none" {
		source = " (" + e.Reference + ")"
	}
	return outputsOf(e) + source + ". " + sentence(e.Summary)
}

// bases are the measures by whose intervals verdicts on other metrics are made.
func bases() []string {
	var list []string
	for _, e := range metrics.Registry() {
		if basis, ok := e.Judge(e.Outputs[0].Name); ok && e.Basis != nil && e.Better.Ranks() {
			if text := "`" + basis.Name + "` (" + basis.Label + ")"; !slices.Contains(list, text) {
				list = append(list, text)
			}
		}
	}
	return list
}

// unasked are the metrics that are computed without being named.
func unasked() []string {
	var list []string
	for _, e := range metrics.Registry() {
		if !e.OnRequest {
			list = append(list, e.Name)
		}
	}
	return list
}

func methodItems(e calib.Entry) []item {
	c := e.Method.Contract()
	keeps := "kept"
	if !c.KeepsTop1 {
		keeps = "may change"
	}
	masked := "probability 0"
	if !c.Masked {
		masked = "rejected"
	}
	options := lists.Values(e.Options(), func(o calib.Option) string {
		return fmt.Sprintf("`%s` (%s), %s", o.Name, defaultOf(o), o.Help)
	})
	return []item{
		{"label", e.Label},
		{"reference", e.Reference},
		{"formula", "`" + e.Formula + "`"},
		{"sees", needs(c)},
		{"prediction", keeps},
		{"masked classes", masked},
		{"options", strings.Join(options, "; ")},
		{"compared with", e.Code},
		{"agreement", e.Agreement},
		{"departs", e.Departs},
	}
}

// rangeEnd prints an end of the range of a metric.
func rangeEnd(v float64) string {
	sign := ""
	if v < 0 {
		sign = "-"
	}
	switch math.Abs(v) {
	case math.Inf(1):
		return sign + "infinity"
	case math.Sqrt2:
		return sign + "sqrt(2)"
	}
	return fmt.Sprintf("%g", v)
}

// judgedBy names what decides which of two methods is better on a setting.
func judgedBy(e metrics.Entry) string {
	basis, ok := e.Judge(e.Outputs[0].Name)
	switch {
	case !e.Better.Ranks():
		return ""
	case !ok:
		return "none" + noInterval
	case e.Basis == nil:
		return ownInterval
	}
	return intervalIn + "`" + basis.Name + "`, the " + basis.Label
}

// How the items of a metric begin or end.
const (
	seesTop     = "confidence, prediction and label of each row"
	onRequest   = "; computed if a spec names it"
	ownInterval = "the 95 % interval of its difference"
	noInterval  = ": no interval of its difference is known to cover it"
	intervalIn  = "the 95 % interval of the difference in "
)

// rangeOf prints the range of an output.
func rangeOf(o metrics.Output) string {
	lo, hi := "("+rangeEnd(o.Lo), rangeEnd(o.Hi)+")"
	if !math.IsInf(o.Lo, -1) {
		lo = "[" + rangeEnd(o.Lo)
	}
	if !math.IsInf(o.Hi, 1) {
		hi = rangeEnd(o.Hi) + "]"
	}
	return "in " + lo + ", " + hi
}

// outputsOf names the outputs of a metric by their labels, those of several with their
// names, and says their range.
func outputsOf(e metrics.Entry) string {
	var b strings.Builder
	for i, o := range e.Outputs {
		switch {
		case len(e.Outputs) == 1:
			b.WriteString("**" + o.Label + "**")
		case i == 0:
			fmt.Fprintf(&b, "**%s** (`%s`)", o.Label, o.Name)
		default:
			fmt.Fprintf(&b, ", **%s** (`%s`)", o.Label, o.Name)
		}
		if last := i == len(e.Outputs)-1; last || rangeOf(o) != rangeOf(e.Outputs[i+1]) {
			b.WriteString(" " + rangeOf(o))
		}
	}
	return b.String()
}

// givesOf names the outputs of a metric, each with its label and its range.
func givesOf(e metrics.Entry) string {
	return strings.Join(lists.Values(e.Outputs, func(o metrics.Output) string {
		return fmt.Sprintf("`%s` (%s) %s", o.Name, o.Label, rangeOf(o))
	}), ", ")
}

func metricItems(e metrics.Entry) []item {
	better := "neither way"
	switch {
	case e.Better.Ranks():
		better = string(e.Better)
	case e.Better == metrics.Target:
		better = fmt.Sprintf("towards %g", e.Target)
	}
	sees := seesTop
	if e.Vector {
		sees = "probabilities of all classes, and labels"
	}
	if e.OnRequest {
		sees += onRequest
	}
	return []item{
		{"gives", givesOf(e)},
		{"reference", e.Reference},
		{"formula", "`" + e.Formula + "`"},
		{"sees", sees},
		{"better", better},
		{"verdict by", judgedBy(e)},
		{"compared with", e.Code},
		{"agreement", e.Agreement},
		{"departs", e.Departs},
	}
}
