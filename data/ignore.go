package data

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/qats-bench/qats/data/npy"
	"github.com/qats-bench/qats/data/problem"
	"gopkg.in/yaml.v3"
)

// Ignore lists labels of rows that have no class, such as the void pixels of a segmentation.
// Such rows are left out of a set: neither a fit nor a score sees them. Empty means that
// nothing is stated; then Void is such a label where no class has that number.
type Ignore []int32

// Void is the label that stands for no class by custom. It is left out without being stated
// where the number of classes is at most 255.
const Void = 255

// ParseIgnore reads labels from a text such as "255" or "11,255".
func ParseIgnore(text string) (Ignore, error) {
	var list Ignore
	for word := range strings.SplitSeq(text, ",") {
		v, err := strconv.ParseInt(strings.TrimSpace(word), 10, 32)
		if err != nil {
			return nil, fmt.Errorf("ignore %q: want a label, such as 255, or several, such as 11,255", text)
		}
		if slices.Contains(list, int32(v)) {
			return nil, fmt.Errorf("ignore %q: %d stands twice", text, v)
		}
		list = append(list, int32(v))
	}
	return list, nil
}

// String returns the labels as ParseIgnore reads them; "" for none.
func (g Ignore) String() string {
	words := make([]string, len(g))
	for i, v := range g {
		words[i] = strconv.Itoa(int(v))
	}
	return strings.Join(words, ",")
}

// words names the labels in a sentence on rows that have them.
func (g Ignore) words() string {
	if len(g) == 1 {
		return "the label " + g.String()
	}
	return "one of the labels " + strings.ReplaceAll(g.String(), ",", ", ")
}

// MarshalYAML writes one label as a number.
func (g Ignore) MarshalYAML() (any, error) {
	if len(g) == 1 {
		return g[0], nil
	}
	return []int32(g), nil
}

// ReadNode reads a number or a list of numbers, and returns the node that is wrong.
func (g *Ignore) ReadNode(n *yaml.Node) (wrong *yaml.Node, err error) {
	items := []*yaml.Node{n}
	if n.Kind == yaml.SequenceNode {
		if items = n.Content; len(items) == 0 {
			return n, errors.New("ignore is an empty list; name a label, such as ignore: 255")
		}
	}
	for _, item := range items {
		one, err := ParseIgnore(item.Value)
		switch {
		case item.Kind != yaml.ScalarNode || err != nil || len(one) != 1:
			return item, fmt.Errorf("ignore %q; want a label, such as 255, or a list of labels", item.Value)
		case slices.Contains(*g, one[0]):
			return item, fmt.Errorf("ignore: %d stands twice", one[0])
		}
		*g = append(*g, one[0])
	}
	return nil, nil
}

// Labels returns the labels to leave out of a set of k classes, or an empty list; k is 0 if it
// is not known.
func (g Ignore) Labels(k int) Ignore {
	if len(g) == 0 && 0 < k && k <= Void {
		return Ignore{Void}
	}
	return g
}

// note says how many rows are left out. What nobody has stated is a warning.
func (g Ignore) note(rows *npy.Kept) Note {
	stated, list := len(g) > 0, g.Labels(1)
	files := rows.FileRows(0)
	r := Note{Count: files - rows.Rows(), Of: files, Text: "{count} of {of} rows have " + list.words() + " and are left out"}
	if !stated {
		r.Warning, r.Remedy = true, stateIgnore(Ignore{Void})
		r.Fix = "if they have no class, " + r.Remedy.Words
	}
	return r
}

// keptOf returns the rows of n labels that are kept; nil if that is all of them. classes
// returns the number of classes, 0 if it is not known. See need for labels that cannot be read.
func (g Ignore) keptOf(labels *npy.Array, n int, classes func() (int, error)) (*npy.Kept, error) {
	list := g.Labels(1)
	if !list.canBe(labels.DType()) {
		return nil, nil
	}
	rows := npy.NewKept(n)
	err := eachLabel(labels, n, func(i int, v int64, label bool) {
		if !label || v < math.MinInt32 || v > math.MaxInt32 || !slices.Contains(list, int32(v)) {
			rows.Add(i)
		}
	})
	if len(g) == 0 && err == nil && rows.Rows() < n {
		var k int
		if k, err = classes(); err == nil && len(g.Labels(k)) == 0 {
			return nil, nil
		}
	}
	switch {
	case err != nil:
		return nil, g.need(err)
	case rows.Rows() == n:
		return nil, nil
	case rows.Rows() == 0:
		return nil, &problem.Problem{Place: labels.Name(), Cause: fmt.Sprintf("all %d rows have %s, which is ignored: no row is left", n, list.words()),
			Fix: "correct ignore, or the labels"}
	}
	return rows, nil
}

// need returns the error of labels that cannot be read, if labels to ignore are stated.
// Otherwise whatever reads the labels gives the error, and other arrays do not need them.
func (g Ignore) need(err error) error {
	if len(g) == 0 {
		return nil
	}
	return err
}

// eachLabel calls do with each of n labels; one that is no whole number is not a label.
func eachLabel(labels *npy.Array, n int, do func(i int, v int64, label bool)) error {
	const step = 1 << 16
	if !labels.DType().Integer() {
		return labels.Each(func(i int, row []float64) bool {
			do(i, int64(row[0]), row[0] == math.Trunc(row[0]))
			return true
		})
	}
	block := make([]int32, min(n, step))
	for lo := 0; lo < n; lo += step {
		part := block[:min(step, n-lo)]
		if err := labels.ReadInt32(part, lo, lo+len(part)); err != nil {
			return err
		}
		for i, v := range part {
			do(lo+i, int64(v), true)
		}
	}
	return nil
}

// canBe reports whether an array of type t can have one of the labels.
func (g Ignore) canBe(t npy.DType) bool {
	least, most := int64(math.MinInt32), int64(math.MaxInt32)
	switch t {
	case npy.Bool:
		least, most = 0, 1
	case npy.Int8:
		least, most = math.MinInt8, math.MaxInt8
	case npy.Uint8:
		least, most = 0, math.MaxUint8
	}
	return slices.ContainsFunc(g, func(v int32) bool { return least <= int64(v) && int64(v) <= most })
}

// stateIgnore is the remedy of labels of rows that have no class.
func stateIgnore(list Ignore) problem.Remedy {
	key := list.String()
	if len(list) > 1 {
		key = "[" + strings.ReplaceAll(key, ",", ", ") + "]"
	}
	return problem.Remedy{Argument: "ignore", Value: list.String(), Words: fmt.Sprintf("state ignore: %s in %s or the spec, or --ignore %s", key, ManifestName, list)}
}
