package public

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/qats-bench/qats/data"
	"github.com/qats-bench/qats/data/internal/pickle"
	"github.com/qats-bench/qats/internal/inputfile"
)

// Options say what Import reads and where it writes.
type Options struct {
	Dir string // folder of arrays to write to; it is made if it is absent

	// Dataset and Backbone name the network in place of the names of its files.
	// Only one network can be imported then.
	Dataset, Backbone string

	// Select keeps the networks whose DATASET/MODEL, as the source has it, matches
	// one of the patterns (path.Match); none keeps all.
	Select []string

	// Run and Pixels say which training of medmnist is imported under the name of its
	// backbone; 0 means run 1 at 28 pixels. The other trainings get names such as
	// resnet18-224-run2.
	Run, Pixels int

	Columns Columns // of format csv

	Licence string // in place of that of the format
	From    string // in place of that of the format; see data.Provenance
	URL     string // where the files come from; empty if that is unknown
}

// keeps reports whether the source's dataset and model are selected.
func (o *Options) keeps(dataset, model string) bool {
	if len(o.Select) == 0 {
		return true
	}
	return slices.ContainsFunc(o.Select, func(pattern string) bool {
		ok, _ := path.Match(pattern, dataset+"/"+model)
		return ok
	})
}

// Format is a kind of published files.
type Format struct {
	Name    string
	Title   string // the source, in a few words
	Files   string // which files to give
	Licence string // of the predictions; empty if it is not known

	read func(ctx context.Context, in *input) error
}

// Formats returns the formats, in the order in which help lists them.
func Formats() []Format {
	return []Format{nncal, medmnist, calarena, groupcal, csvFormat}
}

// Lookup returns the format of a name.
func Lookup(name string) (Format, error) {
	var names []string
	for _, f := range Formats() {
		if f.Name == name {
			return f, nil
		}
		names = append(names, f.Name)
	}
	return Format{}, fmt.Errorf("unknown format %q; want one of %s", name, strings.Join(names, ", "))
}

// input is one import: what is read, and what has been found so far.
type input struct {
	Options
	files    []string
	networks []*network
	skipped  []string // what was left out, and why
}

// Summary is the result of an import.
type Summary struct {
	Networks []Imported
	Skipped  []string // what was left out, one line each
}

// Imported is one network that was written.
type Imported struct {
	Name              string // dataset/backbone
	Cal, Test         int    // rows
	Classes           int
	Clipped           int // probabilities below data.LeastProb, which are clipped
	StandIn, Licence  string
	LogProbs, Feature bool // what was written beside logits
}

// Import reads files of a format and writes their networks below o.Dir. Files are
// checked as a whole before anything is written. A network that o.Dir already has
// from other files is an error.
func Import(ctx context.Context, format string, files []string, o Options) (*Summary, error) {
	f, err := Lookup(format)
	if err != nil {
		return nil, err
	}
	switch {
	case len(files) == 0:
		return nil, fmt.Errorf("no files; %s needs %s", f.Name, f.Files)
	case (o.Dataset == "") != (o.Backbone == ""):
		return nil, errors.New("give both a dataset and a backbone, or neither")
	}
	o.Licence = cmp.Or(o.Licence, f.Licence)
	in := &input{Options: o, files: files}
	if err := f.read(ctx, in); err != nil {
		return nil, err
	}
	if len(in.networks) == 0 {
		why := "no network was found"
		if len(in.skipped) > 0 {
			why = in.skipped[0]
		}
		return nil, fmt.Errorf("%s: nothing to import: %s", files[0], why)
	}
	return in.write(ctx)
}

// add checks a network and adds it to those that will be written.
func (in *input) add(n *network) error {
	if in.Dataset != "" {
		if len(in.networks) > 0 {
			return fmt.Errorf("%s: the files have several networks; a dataset and a backbone name only one", n.sources[0])
		}
		n.dataset, n.backbone = in.Dataset, in.Backbone
	}
	n.from = cmp.Or(in.From, n.from)
	if slices.Contains(paperDatasets, n.dataset) && slices.Contains(paperBackbones, n.backbone) {
		n.standIn = n.training
	}
	if err := n.check(); err != nil {
		return err
	}
	if slices.ContainsFunc(in.networks, func(m *network) bool { return m.name() == n.name() }) {
		return fmt.Errorf("%s: a second network named %s; import it to another folder, or give it another name", n.sources[0], n.name())
	}
	in.networks = append(in.networks, n)
	return nil
}

// check rejects a network whose parts do not fit each other, and turns
// probabilities into log-probabilities.
func (n *network) check() error {
	for _, name := range []string{n.dataset, n.backbone} {
		if name == "" || name == "." || name == ".." || strings.ContainsAny(name, "/\\#{}*?[]\x00\n") {
			return fmt.Errorf("%s: %q cannot name a dataset or backbone; give --dataset and --backbone", n.sources[0], name)
		}
	}
	for _, s := range []struct {
		name string
		*split
	}{{"calibration set", &n.cal}, {"test set", &n.test}} {
		err := s.check(n.kind, n.test.scores.k)
		if err == nil && n.kind == data.KindProbs {
			var clipped int
			s.scores, clipped, err = s.scores.logProbs()
			n.clipped += clipped
		}
		if err != nil {
			return fmt.Errorf("%s: %s of %s: %w", n.sources[0], s.name, n.name(), err)
		}
	}
	if n.kind == data.KindProbs {
		n.kind = data.KindLogProbs
	}
	for _, t := range []*table{&n.cal.scores, &n.cal.features, &n.test.scores, &n.test.features} {
		t.compact()
	}
	return nil
}

// maxFile is the size from which a file is not read into memory.
const maxFile = 4 << 30

// readFile reads a whole file, unless ctx is done.
func readFile(ctx context.Context, name string) ([]byte, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	info, err := os.Stat(name)
	if err == nil && info.Size() >= maxFile {
		err = errors.New("not a file of less than 4 GiB")
	}
	if err != nil {
		return nil, clean(name, err)
	}
	b, err := inputfile.Read(name)
	if err != nil {
		return nil, clean(name, err)
	}
	return b, nil
}

// readPickle reads the object of a pickle.
func readPickle(ctx context.Context, name string) (any, error) {
	b, err := readFile(ctx, name)
	if err != nil {
		return nil, err
	}
	v, err := pickle.Read(b)
	if err != nil {
		return nil, clean(name, err)
	}
	return v, nil
}

// clean puts name in front of an error of the operating system, once.
func clean(name string, err error) error { return fmt.Errorf("%s: %w", name, inputfile.Cause(err)) }

// base returns the last element of the name of a file.
func base(name string) string { return path.Base(filepath.ToSlash(name)) }
