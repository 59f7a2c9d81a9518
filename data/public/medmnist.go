package public

import (
	"archive/zip"
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/qats-bench/qats/data"
	"github.com/qats-bench/qats/internal/inputfile"
)

// medmnist reads the predictions that come with MedMNIST v2. A file has no header;
// column 0 is the index of the row in its set, the others are probabilities. Its
// name says data set, split, network, pixels and run:
//
//	dermamnist_test_[AUC]0.900_[ACC]0.700@resnet18_28_1.csv
//
// The labels are in <data set>.npz, members val_labels and test_labels. The validation set
// calibrates; if its file is missing, the rows of even index of the test set calibrate, and
// those of odd index test.
var medmnist = Format{
	Name: "medmnist", Title: "MedMNIST v2 (Yang et al., 2023): ResNet-18 and ResNet-50",
	Files:   "its prediction files (*.csv, or the .zip that has them) and the <data set>.npz files with the labels",
	Licence: "CC BY 4.0 (DermaMNIST: CC BY-NC 4.0)", read: readMedMNIST,
}

var medmnistName = regexp.MustCompile(`^([a-z0-9]+mnist(?:3d)?)(?:_\d+)?_(train|val|test)(?:_.*)?@(.+)_(\d+)_(\d+)\.csv$`)

// training names one training of MedMNIST.
type training struct {
	flag, backbone string
	pixels, run    int
}

// medmnistReader collects the splits of trainings.
type medmnistReader struct {
	*input
	labels map[string]string // .npz by data set
	found  map[training]map[string]*medmnistSet
	left   map[string]int // files that were left out, by reason
}

// medmnistSet is a split of a training.
type medmnistSet struct {
	split
	source string // the file given: the CSV, or the .zip
	name   string // of the CSV
}

func readMedMNIST(ctx context.Context, in *input) error {
	r := &medmnistReader{input: in, labels: map[string]string{}, found: map[training]map[string]*medmnistSet{}, left: map[string]int{}}
	for _, file := range in.files {
		if strings.HasSuffix(file, ".npz") {
			flag, _, _ := strings.Cut(strings.TrimSuffix(base(file), ".npz"), "_")
			r.labels[flag] = file
		}
	}
	for _, file := range in.files {
		var err error
		switch path.Ext(base(file)) {
		case ".npz":
		case ".zip":
			err = r.zip(ctx, file)
		default:
			var b []byte
			if b, err = readFile(ctx, file); err == nil {
				err = r.add(file, file, func() ([]byte, error) { return b, nil }, true)
			}
		}
		if err != nil {
			return err
		}
	}
	for _, reason := range slices.Sorted(maps.Keys(r.left)) {
		in.skipped = append(in.skipped, fmt.Sprintf("%s (files of predictions: %d)", reason, r.left[reason]))
	}
	return r.assemble()
}

// maxMember is the size of the largest member of a .zip that is read.
const maxMember = 1 << 30

func (r *medmnistReader) zip(ctx context.Context, file string) error {
	f, info, err := inputfile.Open(file)
	if err != nil {
		return clean(file, err)
	}
	defer f.Close()
	z, err := zip.NewReader(f, info.Size())
	if err != nil {
		return clean(file, err)
	}
	for _, m := range z.File {
		if err := ctx.Err(); err != nil {
			return err
		}
		if path.Ext(m.Name) != ".csv" || strings.HasPrefix(path.Base(m.Name), "._") { // ._ files are of macOS
			continue
		}
		read := func() ([]byte, error) {
			f, err := m.Open()
			if err != nil {
				return nil, err
			}
			defer f.Close()
			return readAtMost(f, maxMember)
		}
		if err := r.add(file, file+"#"+m.Name, read, false); err != nil {
			return err
		}
	}
	return nil
}

// readAtMost reads all of r, and rejects more bytes than most.
func readAtMost(r io.Reader, most int64) ([]byte, error) {
	b, err := io.ReadAll(io.LimitReader(r, most+1))
	if err != nil {
		return nil, err
	}
	if int64(len(b)) > most {
		return nil, fmt.Errorf("more than %d bytes", most)
	}
	return b, nil
}

// add reads one file of predictions. A file that cannot be used is an error if the user
// named it, and is counted if it is in an archive.
func (r *medmnistReader) add(source, name string, read func() ([]byte, error), named bool) error {
	leave := func(reason string) error {
		if named {
			return fmt.Errorf("%s: %s", name, reason)
		}
		r.left[reason]++
		return nil
	}
	m := medmnistName.FindStringSubmatch(path.Base(base(name)))
	if m == nil {
		return leave("not named <data set>_<split>_...@<network>_<pixels>_<run>.csv")
	}
	t := training{flag: m[1], backbone: backboneName(m[3])}
	var err1, err2 error
	t.pixels, err1 = strconv.Atoi(m[4])
	t.run, err2 = strconv.Atoi(m[5])
	switch {
	case err1 != nil || err2 != nil:
		return leave("its resolution or run is no number")
	case m[2] == "train":
		return leave("predictions for training images, which the network has seen")
	case t.backbone != "resnet18" && t.backbone != "resnet50":
		return leave("not of resnet18 or resnet50")
	case r.labels[t.flag] == "":
		return leave(fmt.Sprintf("the labels are missing: give %s.npz", t.flag))
	case !r.keeps(t.flag, fmt.Sprintf("%s_%s_%s", m[3], m[4], m[5])):
		return leave("not selected")
	}
	s, err := r.predictions(source, name, t.flag, m[2], read)
	if err != nil && named {
		return err
	}
	if err != nil { // one bad file of an archive is no reason to leave out the others
		r.skipped = append(r.skipped, err.Error())
		return nil
	}
	if r.found[t] == nil {
		r.found[t] = map[string]*medmnistSet{}
	}
	if other, ok := r.found[t][m[2]]; ok {
		return fmt.Errorf("%s: %s is the same set of the same training", name, other.name)
	}
	r.found[t][m[2]] = s
	return nil
}

// predictions reads one file of predictions and its labels.
func (r *medmnistReader) predictions(source, name, flag, set string, read func() ([]byte, error)) (*medmnistSet, error) {
	b, err := read()
	if err != nil {
		return nil, clean(name, err)
	}
	s := &medmnistSet{source: source, name: name}
	if s.scores, err = indexedRows(b); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	s.scores = s.scores.twoClasses()
	labels := r.labels[flag] + "#" + set + "_labels"
	if s.labels, err = memberLabels(labels); err != nil {
		return nil, err
	}
	if len(s.labels) != s.scores.n {
		return nil, fmt.Errorf("%s: %d rows; %s has %d labels", name, s.scores.n, base(labels), len(s.labels))
	}
	return s, nil
}

// assemble makes networks of the splits.
func (r *medmnistReader) assemble() error {
	trainings := slices.SortedFunc(maps.Keys(r.found), func(a, b training) int {
		return cmp.Or(cmp.Compare(a.flag, b.flag), cmp.Compare(a.backbone, b.backbone), cmp.Compare(a.pixels, b.pixels), cmp.Compare(a.run, b.run))
	})
	for _, t := range trainings {
		sets := r.found[t]
		test := sets["test"]
		what := fmt.Sprintf("%s, %s at %d pixels, run %d", t.flag, t.backbone, t.pixels, t.run)
		if test == nil {
			r.skipped = append(r.skipped, what+": no predictions for the test set")
			continue
		}
		n := &network{dataset: t.flag, backbone: t.backbone, kind: data.KindProbs, test: test.split,
			from: fmt.Sprintf("networks of MedMNIST v2 (%d pixels, run %d)", t.pixels, t.run), sources: []string{test.source, r.labels[t.flag]}}
		if t.pixels != cmp.Or(r.Pixels, 28) || t.run != cmp.Or(r.Run, 1) {
			n.backbone = fmt.Sprintf("%s-%d-run%d", t.backbone, t.pixels, t.run)
		}
		n.training = fmt.Sprintf("MedMNIST's own training, %d pixels, run %d", t.pixels, t.run)
		if val := sets["val"]; val != nil {
			n.cal = val.split
			n.sources = append(n.sources, val.source)
			n.note = "the validation set calibrates"
		} else {
			n.cal, n.test = test.alternate()
			n.note = "no predictions for the validation set: rows of even index of the test set calibrate and rows of odd index test"
		}
		if err := r.input.add(n); err != nil {
			return err
		}
	}
	return nil
}

// memberLabels reads labels, n x 1, from a member of an .npz file.
func memberLabels(name string) ([]int32, error) {
	a, err := data.OpenArrayFile(name)
	if err != nil {
		return nil, err
	}
	defer a.Close()
	if a.Cols() != 1 {
		return nil, fmt.Errorf("%s: %d labels for each row; want data sets with one", name, a.Cols())
	}
	return labelsOf(a)
}

// indexedRows reads lines "index,number,number,...", without quotes or blank lines.
// The indices must be 0 to n-1, each once, in any order; rows are returned by index.
func indexedRows(b []byte) (table, error) {
	b = bytes.TrimSuffix(b, []byte("\n"))
	if len(b) == 0 {
		return table{}, errors.New("empty")
	}
	n := bytes.Count(b, []byte("\n")) + 1
	first, _, _ := bytes.Cut(b, []byte("\n"))
	k := bytes.Count(first, []byte(","))
	if k == 0 {
		return table{}, errors.New("line 1: want an index and numbers, separated by commas")
	}
	t := table{n: n, k: k, data: make([]float64, 0, min(n*k, len(b)))}
	order := make([]int, n) // line of each index
	for line := range n {
		var text []byte
		text, b, _ = bytes.Cut(b, []byte("\n"))
		fields := strings.Split(strings.TrimSuffix(string(text), "\r"), ",")
		if len(fields) != k+1 {
			return table{}, fmt.Errorf("line %d: %d fields; line 1 has %d", line+1, len(fields), k+1)
		}
		i, err := strconv.Atoi(fields[0])
		if err != nil || i < 0 || i >= n {
			return table{}, fmt.Errorf("line %d: the index %.20q is not one of 0 to %d", line+1, fields[0], n-1)
		}
		if order[i] != 0 {
			return table{}, fmt.Errorf("line %d: the index %d is that of line %d too", line+1, i, order[i])
		}
		order[i] = line + 1
		for j, f := range fields[1:] {
			v, err := number(f)
			if err != nil {
				return table{}, fmt.Errorf("line %d, column %d: %w", line+1, j+1, err)
			}
			t.data = append(t.data, v)
		}
	}
	sorted := table{n: n, k: k, data: make([]float64, 0, n*k)}
	for _, line := range order {
		sorted.data = append(sorted.data, t.row(line-1)...)
	}
	return sorted, nil
}

// number reads a finite number in decimal notation.
func number(s string) (float64, error) {
	v, err := strconv.ParseFloat(s, 64)
	if err != nil || math.IsNaN(v) || math.IsInf(v, 0) || strings.ContainsAny(s, "xX_") {
		return 0, fmt.Errorf("%.40q is not a finite number", s)
	}
	return v, nil
}
