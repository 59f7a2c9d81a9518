package main

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/qats-bench/qats/internal/lists"
)

// markdown prints a table. Columns of which the first cell begins with a digit or a sign are to
// the right.
func markdown(rows [][]string) string {
	lines := []string{"| " + strings.Join(rows[0], " | ") + " |", "|"}
	for i := range rows[0] {
		c := rows[min(1, len(rows)-1)][i]
		if c != "" && strings.ContainsRune("0123456789.+-", rune(c[0])) {
			lines[1] += "---:|"
		} else {
			lines[1] += "---|"
		}
	}
	for _, row := range rows[1:] {
		lines = append(lines, "| "+strings.Join(row, " | ")+" |")
	}
	return strings.Join(lines, "\n")
}

// named splits "id=Label"; the label is the id where there is none.
func named(text string) (id, label string) {
	id, label, ok := strings.Cut(text, "=")
	if !ok {
		return text, "`" + text + "`"
	}
	return id, label
}

// meansTable has a row for each part of a run, "RUN:PART=Label", and a column for each method,
// "METHOD=Label", with the means of a metric. Columns that are no methods: "settings", "accuracy",
// and "band", the upper end of the consistency band of temperature scaling. A method that lacks
// some settings of a part has the number of its own behind the mean.
func (w *words) meansTable(metric, columns string, rows ...string) (string, error) {
	head, list := []string{""}, strings.Split(columns, ",")
	for _, c := range list {
		_, label := named(c)
		head = append(head, strings.Trim(label, "`"))
	}
	table := [][]string{head}
	for _, row := range rows {
		place, label := named(row)
		run, part, _ := strings.Cut(place, ":")
		all, err := w.fact(ID{Run: run, Part: part, Quantity: "settings"})
		if err != nil {
			return "", err
		}
		line := []string{label}
		for _, c := range list {
			id, _ := named(c)
			cell := "-"
			switch id {
			case "settings":
				cell = english0(all)
			case "accuracy":
				cell = printed("accuracy", w.facts[ID{run, part, "uncal", "", "accuracy", "mean"}])
			case "band":
				cell = fmt.Sprintf("%.1f", 100*w.facts[ID{run, part, "ts", "", "ece_null_hi", "mean"}]) // an end of 200 draws
			default:
				if x, ok := w.facts[ID{run, part, id, "", metric, "mean"}]; ok {
					cell = printed(metric, x)
					if n, lacks := w.facts[ID{run, part, id, "", metric, "n"}]; lacks {
						cell += " (" + english0(n) + ")"
					}
				}
			}
			line = append(line, cell)
		}
		table = append(table, line)
	}
	return markdown(table), nil
}

// againstTable compares one method with others in parts of a run: the mean differences in ECE and AECE
// of the method minus the other, and the verdicts on the method.
func (w *words) againstTable(run, method, parts, others string) (string, error) {
	head := []string{"against"}
	for _, p := range strings.Split(parts, ",") {
		id, label := named(p)
		all, err := w.number(run, id, "", "", "", "settings")
		if err != nil {
			return "", err
		}
		head = append(head, fmt.Sprintf("ECE, AECE: %s %s", all, strings.Trim(label, "`")), "better, worse")
	}
	table := [][]string{head}
	for _, o := range strings.Split(others, ",") {
		other, label := named(o)
		line := []string{label}
		for _, p := range strings.Split(parts, ",") {
			part, _ := named(p)
			get := func(metric, quantity string) float64 { return w.facts[ID{run, part, other, method, metric, quantity}] }
			if _, ok := w.facts[ID{run, part, other, method, "ece", "difference"}]; !ok {
				line = append(line, "-", "-")
				continue
			}
			difference := signed(-get("ece", "difference")) + ", " + signed(-get("aece", "difference"))
			if n, lacks := w.facts[ID{run, part, other, method, "ece", "compared"}]; lacks {
				difference += " (" + english0(n) + ")"
			}
			line = append(line, difference, fmt.Sprintf("%.0f, %.0f (%.0f, %.0f)", get("ece", "loss"), get("ece", "win"),
				get("ece", "loss holm in the table"), get("ece", "win holm in the table")))
		}
		table = append(table, line)
	}
	return markdown(table), nil
}

// rankingTable has a row for each metric, "METRIC=Label": the methods with the lowest mean ranks and the
// places of temperature scaling and of the method compared against.
func (w *words) rankingTable(run, part, against string, metrics ...string) (string, error) {
	table := [][]string{{"measure", "methods", "first places", "TS", "QaTS", "alike with QaTS"}}
	for _, m := range metrics {
		metric, label := named(m)
		type placed struct {
			method      string
			place, rank float64
		}
		var list []placed
		for id, place := range w.facts {
			if id.Run == run && id.Part == part && id.Against == against && id.Metric == metric && id.Quantity == "place" {
				id.Quantity = "rank"
				list = append(list, placed{id.Method, place, w.facts[id]})
			}
		}
		if len(list) == 0 {
			return "", fmt.Errorf("no ranking by %s of %s, %s in facts.csv", metric, run, part)
		}
		slices.SortFunc(list, func(a, b placed) int { return cmp.Compare(a.place, b.place) })
		at := func(method string) string {
			i := slices.IndexFunc(list, func(p placed) bool { return p.method == method })
			if i < 0 {
				return "-"
			}
			return fmt.Sprintf("%s, %.1f", ordinal(int(list[i].place)), list[i].rank)
		}
		first := lists.Values(list[:min(6, len(list))], func(p placed) string { return fmt.Sprintf("`%s` %.1f", p.method, p.rank) })
		table = append(table, []string{label, strconv.Itoa(len(list)), strings.Join(first, ", "), at("ts"), at("qats"), w.alike(run, part, against, metric)})
	}
	return markdown(table), nil
}

// sighted are the methods that see unlabelled rows of the test domain. A comparison shows them and
// does not rank them; facts of a run before that was so have a rank of them.
var sighted = []string{"qats-transductive", "hfe-target", "label-shift"}

// withSighted says in brackets which of these methods are ranked in a part of a run, if any are.
func (w *words) withSighted(run, part, against, metric string) string {
	ranked := lists.Where(sighted, func(m string) bool {
		_, ok := w.facts[ID{run, part, m, against, metric, "rank"}]
		return ok
	})
	if len(ranked) == 0 {
		return ""
	}
	return " (with `" + strings.Join(ranked, "` and `") + "`, which sees the unlabelled test rows)"
}

// ranksOf lists the methods of a part of CalArena's results with their mean ranks, the first n.
func (w *words) ranksOf(part, metric string, n int) (string, error) {
	type placed struct {
		method      string
		place, rank float64
	}
	var list []placed
	for id, place := range w.facts {
		if id.Run == "calarena" && id.Part == part && id.Metric == metric && id.Quantity == "place" {
			id.Quantity = "rank"
			list = append(list, placed{id.Method, place, w.facts[id]})
		}
	}
	if len(list) == 0 {
		return "", fmt.Errorf("no ranks of calarena, %s, %s in facts.csv", part, metric)
	}
	slices.SortFunc(list, func(a, b placed) int { return cmp.Compare(a.place, b.place) })
	return strings.Join(lists.Values(list[:min(n, len(list))], func(p placed) string { return fmt.Sprintf("%s %.2f", p.method, p.rank) }), ", "), nil
}

// publishedMeans has the means of ECE and AECE of all methods that have a value in each setting of a
// part, in two halves side by side.
func (w *words) publishedMeans(run, part string) (string, error) {
	type method struct {
		name string
		mean float64
	}
	var list []method
	for id, x := range w.facts {
		_, lacks := w.facts[ID{run, part, id.Method, "", "ece", "n"}]
		if id.Run == run && id.Part == part && id.Metric == "ece" && id.Quantity == "mean" && !lacks {
			list = append(list, method{id.Method, x})
		}
	}
	if len(list) == 0 {
		return "", fmt.Errorf("no means of %s, %s in facts.csv", run, part)
	}
	slices.SortFunc(list, func(a, b method) int { return cmp.Or(cmp.Compare(a.mean, b.mean), cmp.Compare(a.name, b.name)) })
	table := [][]string{{"method", "ECE", "AECE", "method", "ECE", "AECE"}}
	cells := func(i int) []string {
		if i >= len(list) {
			return []string{"", "", ""}
		}
		return []string{"`" + list[i].name + "`", printed("ece", list[i].mean), printed("aece", w.facts[ID{run, part, list[i].name, "", "aece", "mean"}])}
	}
	half := (len(list) + 1) / 2
	for i := range half {
		table = append(table, slices.Concat(cells(i), cells(half+i)))
	}
	return markdown(table), nil
}

// speedTable is the table of speed.csv.
func (w *words) speedTable() (string, error) {
	rows, err := w.rows(speedFile)
	if err != nil {
		return "", err
	}
	table := [][]string{{"goal", "quantity", "wanted", "median", "least to most", "", "date, rounds"}}
	for _, r := range rows {
		verdict, spread := "", ""
		if r["side"] != "" {
			median, err1 := strconv.ParseFloat(r["median"], 64)
			limit, err2 := strconv.ParseFloat(r["limit"], 64)
			if err := cmp.Or(err1, err2); err != nil {
				return "", fmt.Errorf("speed.csv: %s: %w", r["quantity"], err)
			}
			verdict = "**fail**"
			if r["side"] == "at least" && median >= limit || r["side"] == "at most" && median <= limit {
				verdict = "pass"
			}
		}
		if r["least"] != "" {
			spread = r["least"] + " to " + r["most"]
		}
		table = append(table, []string{r["goal"], r["quantity"], strings.TrimSpace(r["side"] + " " + r["limit"]), r["median"], spread, verdict, r["date"] + ", " + r["rounds"]})
	}
	return w.madeOn(rows, "machine", "versions") + "\n\n" + markdown(table), nil
}

// speedMethods is the table of speed-methods.csv.
func (w *words) speedMethods() (string, error) {
	rows, err := w.rows(methodsFile)
	if err != nil {
		return "", err
	}
	table := [][]string{{"method", "reference", "its seconds", "qats", "ratio", "date, rounds"}}
	for _, r := range rows {
		table = append(table, []string{"`" + r["method"] + "`", r["reference"], r["reference_seconds"], r["qats_seconds"], r["ratio"], r["date"] + ", " + r["rounds"]})
	}
	return w.madeOn(rows, "machine") + "\n\n" + markdown(table), nil
}

// madeOn names the distinct values of columns.
func (w *words) madeOn(rows []row, columns ...string) string {
	of := func(r row) string {
		return strings.Join(lists.Values(columns, func(c string) string { return r[c] }), "; ")
	}
	return "Measured on " + strings.Join(lists.Distinct(rows, of), ", and on ") + "."
}

// waysTable says of each data set of the paper which rows can be had how, from the list of data/zoo.
func (w *words) waysTable() (string, error) {
	rows, err := w.rows(paperFile)
	if err != nil {
		return "", err
	}
	type group struct{ dataset, way string }
	in := func(r row) group {
		dataset, _, _ := strings.Cut(r["setting"], "/")
		way, _, _ := strings.Cut(r["way"], ":")
		return group{dataset, way}
	}
	names, groups := lists.Group(rows, in)
	table := [][]string{{"data set", "way", "rows", "networks", "GPU hours", "GB of images", "GB of weights"}}
	total := map[string]int{}
	hours := map[string]float64{}
	for _, g := range names {
		var sum, weights float64
		sources, backbones := map[string]bool{}, []string{}
		for _, r := range groups[g] {
			sum += number(r["GPU hours (estimate)"])
			if !sources[r["source"]] {
				sources[r["source"]] = true
				weights += number(r["GB of weights"])
			}
			if b := strings.Split(r["setting"], "/")[1]; !slices.Contains(backbones, b) {
				backbones = append(backbones, b)
			}
		}
		total[g.way] += len(groups[g])
		hours[g.way] += sum
		table = append(table, []string{g.dataset, g.way, strconv.Itoa(len(groups[g])), strings.Join(backbones, ", "), brief(sum), brief(number(groups[g][0]["GB of images"])), brief(weights)})
	}
	answer := fmt.Sprintf("Of the %d rows %d can be downloaded as predictions of networks, %d come from public weights (%s GPU hours), and %d need training (%s GPU hours).",
		len(rows), total["download"], total["checkpoint"], brief(hours["checkpoint"]), total["training"], brief(hours["training"]))
	return answer + "\n\n" + markdown(table), nil
}

func number(text string) float64 {
	x, _ := strconv.ParseFloat(text, 64)
	return x
}

// brief prints two digits, without an exponent.
func brief(x float64) string {
	text, _ := strconv.ParseFloat(strconv.FormatFloat(x, 'g', 2, 64), 64)
	return strconv.FormatFloat(text, 'f', -1, 64)
}

// ordinal prints 1st, 2nd, 3rd.
func ordinal(n int) string {
	suffix := "th"
	if n%100 < 11 || n%100 > 13 {
		suffix = map[int]string{1: "st", 2: "nd", 3: "rd"}[n%10]
		if suffix == "" {
			suffix = "th"
		}
	}
	return strconv.Itoa(n) + suffix
}

// thousands prints a number with commas.
func thousands(n int) string {
	text := strconv.Itoa(n)
	for i := len(text) - 3; i > 0; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}
