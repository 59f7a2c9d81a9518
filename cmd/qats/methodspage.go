package main

import (
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/qats-bench/qats/calib"
	"github.com/qats-bench/qats/calib/all"
	"github.com/qats-bench/qats/internal/lists"
	"github.com/qats-bench/qats/metrics"
)

// The parts of docs/methods.md that no registry has.
const (
	pageHead = `# Methods and metrics

This page is generated from the registries: ` + "`qats doc reference > docs/methods.md`" + `. ` + "`qats doc ts`" + ` prints what is
said of one method. The comments of the types in calib say more, for those who read the code. Every name below is a link.
`

	pageSymbols = `## Symbols

l is a row of k logits, y its label, n the number of rows, p = softmax(l), conf = max over j of p_j, and hit is 1 if the
class of the largest logit is y, else 0. h is a row of features, W and b the last layer. In a bin, n_b is the number of
rows, acc_b the mean of hit and conf_b the mean of conf. "By mean NLL" names the objective, which is minimised on the
calibration set. *Sees* lists the arrays that a method is given, and nothing else: cal at the fit, test when it is
applied, target for unlabelled rows of the deployment domain at the fit. *Compared with* names code that was run beside
qats, and *agreement* what was seen. The numbers are in tests of the package, whose files of reference values have the
recipes; those on networks of others are made by studies/agreement. The code of authors is not part of the project.
`

	pageSets = `## Sets

*Agreement* says on which sets it was seen. The *lattice* is computed by a formula (Lattice in
calib/internal/testset); "400 + 8 rows" are 400 calibration rows and 8 to which the fit is applied. *Drawn* rows are
those of a test. *Networks of others* are settings of experiments/real.yaml with 2 to 100 classes; [evidence.md](evidence.md#agreement-with-other-code)
has the differences.
`

	pageSize = `## Size of the logits

Networks have logits whose two largest ones differ by 1 to 20 in the mean. This mean, the *spread*, is far outside for scores of
other models, such as a support vector machine on features that are not scaled. ts, ets, vs, svs, sms, hts, bts, gc, qats and
their relatives follow it: their bounds go with the spread, or they start at the temperature of ts. The definitions of the other methods
have a size: they read the softmax at T = 1, or have penalties, bounds or starts of fixed size. They look at the *middle gap*, the mean of the middle
half of these differences, which a few rows of any size do not move. If it is
below 0.18 or above 45, they divide the logits by a power of two, the one nearest to the temperature of ts. So they do if it is below 0.35
or above 11.3 and the temperature of ts is below 0.35 or above 5.7: no network that we know has both. Those that compare
probabilities alone (ir and its relatives, hb-mass, procal-bins) divide below 0.18 and above 724. The map keeps the power of two as its *divisor*. Bounds and parameters are then those for the divided logits. Log-probabilities are not divided, since
their size has a meaning. uncal, ts-guo50, ts-ecegrid and featclip do not follow the size of the logits.
`

	pageMass = `## Mass

A table of shares of classes may have a share of exactly 0 or 1: of a class that no calibration row in a bin has, say. A few rows are no proof of
certainty, and one later row that is otherwise has an infinite NLL. Such a map mixes in a total mass of 1/(n + 2), which is
the chance of what none of n rows has shown by Laplace's rule of succession. The m classes of a row that are not masked share it evenly: p
becomes (1 - e) p + e/m with e = 1/(n + 2). The confidence of a top-label method becomes (1 - e) c + e/2, since the
prediction is right or wrong. The predicted class stays, and so does the order of the classes. These methods have a mass where a saved number is a probability of 0 or
1: hb, hb-mass, hb-top, bbq, scaling-binning, scaling-binning-top, irova, cir, ir-top, spline, kernel (where a class has no calibration
row) and procal (where no row is right, or none wrong). Other maps have none. A temperature or a sigmoid stays what it is, though it may round to 0 or
1, and ir has the numbers of the paper. Of data without such a share no number changes, and a model that was saved
without a mass predicts as it did.
`

	pageTies = `## Ties

Probabilities that differ by rounding alone count as equal, in the fit and for rows that are seen later,
wherever a method sorts them for a function or for bins: ir, irova, ir-top, procal-bins, cir, ivap and cvap
(one-vs-rest), hb-mass, spline, scaling-binning and scaling-binning-top. Two are tied that agree to 2^-22 of p up to
1/2, and of 1-p above: 1-p is the sum over the other classes, which has all its digits where p rounds to 1 (package
internal/stretch). Sorted probabilities are grouped from the least up, and a group holds what is tied with its least
member. Methods that rank or bin rows by confidence (qats and its variants, bts, cbt) compare that sum itself, which is
the same number for equal logits in any order. Bins of equal width and smooth functions of p need no rule. Of the
metrics, auroc, aurc, augrc and lp_variational take for ties what sums in another order would part, 2^-46; ks, kuiper,
kuiper_z, corp_mcb, corp_dsc, decomposition and l1_variational take 2^-22; those with bins of equal mass (aece,
aece_bins, ece_debiased, ece_sweep, tace) share out blocks of confidences within 1e-9 of a neighbour.
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
	b.WriteString(pageHead)
	of := map[string][]calib.Entry{}
	for _, e := range all.Registry() {
		of[familyOf(e)] = append(of[familyOf(e)], e)
	}
	for _, f := range families {
		index(&b, f.title, f.anchor, lists.Values(of[f.name], func(e calib.Entry) item { return item{e.Name, e.Summary} }))
	}
	index(&b, "Metrics", "metrics", lists.Values(metrics.Registry(), func(e metrics.Entry) item { return item{e.Name, e.Summary} }))
	b.WriteString("\nThe items of a section are explained under [symbols](#symbols), [sets](#sets) and [ties](#ties).\n")
	for _, f := range families {
		b.WriteString("\n## " + f.title + "\n")
		for _, e := range of[f.name] {
			section(&b, e.Name, e.Summary, methodItems(e))
		}
	}
	b.WriteString("\n## Metrics\n")
	for _, e := range metrics.Registry() {
		section(&b, e.Name, e.Summary, metricItems(e))
	}
	b.WriteString("\n" + pageSymbols + "\n" + pageSets + "\n" + pageSize + "\n" + pageMass + "\n" + pageTies)
	_, err := io.WriteString(w, b.String())
	return err
}

// index is a table of names, each a link to its section, and what they are.
func index(b *strings.Builder, title, anchor string, entries []item) {
	fmt.Fprintf(b, "\n| [%s](#%s) | |\n|---|---|\n", title, anchor)
	for _, e := range entries {
		fmt.Fprintf(b, "| [%s](#%s) | %s |\n", e.key, e.key, strings.ReplaceAll(e.text, "|", "\\|"))
	}
}

func section(b *strings.Builder, name, summary string, items []item) {
	fmt.Fprintf(b, "\n### %s\n\n%s.\n\n", name, strings.ToUpper(summary[:1])+summary[1:])
	for _, i := range items {
		if i.text != "" {
			fmt.Fprintf(b, "* %s: %s\n", i.key, i.text)
		}
	}
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
		return "none: no interval of its difference is known to cover it"
	case e.Basis == nil:
		return "the 95 % interval of its difference"
	}
	return "the 95 % interval of the difference in `" + basis.Name + "`, the " + basis.Label
}

func metricItems(e metrics.Entry) []item {
	var outputs []string
	for _, o := range e.Outputs {
		lo, hi := "("+rangeEnd(o.Lo), rangeEnd(o.Hi)+")"
		if !math.IsInf(o.Lo, -1) {
			lo = "[" + rangeEnd(o.Lo)
		}
		if !math.IsInf(o.Hi, 1) {
			hi = rangeEnd(o.Hi) + "]"
		}
		outputs = append(outputs, fmt.Sprintf("`%s` (%s) in %s, %s", o.Name, o.Label, lo, hi))
	}
	better := "neither way"
	switch {
	case e.Better.Ranks():
		better = string(e.Better)
	case e.Better == metrics.Target:
		better = fmt.Sprintf("towards %g", e.Target)
	}
	sees := "confidence, prediction and label of each row"
	if e.Vector {
		sees = "probabilities of all classes, and labels"
	}
	if e.OnRequest {
		sees += "; computed if a spec names it"
	}
	return []item{
		{"gives", strings.Join(outputs, ", ")},
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
