package data

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/qats-bench/qats/data/npy"
	"github.com/qats-bench/qats/data/problem"
)

// Split names the role of a set.
type Split string

// Cal is the labelled set that a method is fitted on, Test the set that it is
// evaluated on.
const (
	Cal  Split = "cal"
	Test Split = "test"
)

// Ref names one set of one network. Loss is the training loss; empty means "ce".
// Corruption is empty and Severity 0 for clean images.
type Ref struct {
	Dataset, Backbone, Loss string
	Corruption              string
	Severity                int
	Split                   Split
}

// In returns the ref of another split of the same network.
func (r Ref) In(split Split) Ref {
	r.Split = split
	return r
}

// Origin distinguishes outputs of a network from those of a simulation. It
// accompanies every number to every table, figure and page.
type Origin string

// The two origins of numbers.
const (
	Measured  Origin = "measured"
	Simulated Origin = "simulated"
)

// Provenance describes a set without its arrays being read.
type Provenance struct {
	Origin Origin
	Kind   Kind   // of the logits, if it is known
	From   string // the networks, in a few words for captions of measured numbers; may be empty
	Note   string // where the arrays come from, in one line; may be empty

	// DatasetLabel and BackboneLabel are the names in print of the data set and of the
	// network; empty for their ids.
	DatasetLabel, BackboneLabel string

	// Domain is what the inputs are, in a word or two: images, text, language models, tables and
	// signals. Comparisons can be of one domain. May be empty.
	Domain string

	// Samples is the id of the data set that the test samples come from, if that is another
	// one and the name does not say so, such as cifar10 for photos-by-class. Comparisons
	// count sets with common samples once. May be empty; without ";".
	Samples string

	// RowIDs is a digest of the ids of the test samples: sets with equal digests have the
	// same test samples. See the package comment. May be empty.
	RowIDs string

	// Paper: the arrays are those of the paper's own networks. Only such rows enter
	// verdicts on the paper.
	Paper bool
	// StandIn says how the network differs from the paper's network of the same
	// dataset and backbone, such as "another training, 28 pixels, run 1", where the
	// arrays stand in for it. Its numbers are shown with a mark. Without ";".
	StandIn string
}

// Source serves sets. Implementations are safe for concurrent use.
type Source interface {
	// Has returns the parts that exist at ref. It reads no array.
	Has(ref Ref) Parts

	// Describe returns what is known about the set at ref.
	Describe(ref Ref) Provenance

	// Digest returns a readable text, one line for each array
	// ("logits sha256:..."), that changes if and only if the content of the
	// parts changes.
	Digest(ctx context.Context, ref Ref, parts Parts) (string, error)

	// Open prepares the parts of ref for reading. It checks shapes against each
	// other; values are checked when they are read.
	Open(ctx context.Context, ref Ref, parts Parts) (Reader, error)

	// Shape returns the rows and classes of the logits at ref. It reads no numbers if it
	// can: headers, and the labels where they may leave out rows.
	Shape(ctx context.Context, ref Ref) (rows, classes int, err error)

	// Inputs returns the sets of other sources that the parts of ref are computed from;
	// none if they are the source's own. See Beneath.
	Inputs(ref Ref, parts Parts) []Input
}

// Reader reads rows of a set. Unless it says otherwise, a method is called by one
// goroutine at a time.
type Reader interface {
	Rows() int
	Classes() int // 0 if the parts have neither logits nor head
	// Bytes is the memory of the complete set after reading.
	Bytes() int64
	// Form returns how the logits are read. It may read arrays for that; errors
	// are those of Read.
	Form() (Form, error)
	// ReadInto returns rows lo..hi-1, in the memory of b or in memory that the reader
	// keeps: the set is valid until b is used again, and is not written to. Several
	// goroutines may call it at once, each with its own block. Every value is finite and
	// every label one of the classes; otherwise the error names file, row and class. It
	// panics unless 0 <= lo <= hi <= Rows.
	ReadInto(ctx context.Context, b *Block, lo, hi int) (*Set, error)
	// Unchanged returns an error if a file has been written to since it was opened: then
	// the values that were read may be a mixture of two versions. It is called at the end
	// of a pass.
	Unchanged() error
	// Kept returns which rows of the files are rows of the set; nil for all, and where
	// there are no files.
	Kept() *npy.Kept
	Close() error
}

// Read returns rows lo..hi-1 of r in new memory, which stays valid after Close.
func Read(ctx context.Context, r Reader, lo, hi int) (*Set, error) {
	s, err := r.ReadInto(ctx, new(Block), lo, hi)
	if err != nil {
		return nil, err
	}
	return s, r.Unchanged()
}

// Load reads all rows of the parts of ref.
func Load(ctx context.Context, src Source, ref Ref, parts Parts) (*Set, error) {
	r, err := src.Open(ctx, ref, parts)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	return Read(ctx, r, 0, r.Rows())
}

// FileRows returns the number of rows of the files that r reads, with those that are left out.
// Where none is, it is Rows.
func FileRows(r Reader) int { return r.Kept().FileRows(r.Rows()) }

// Follow makes a, which has one row for each row of the files that r reads, leave out the
// rows that r leaves out: labels that are ignored. It is an error if a has another number of
// rows, also where r reads no files.
func Follow(a *npy.Array, r Reader) error {
	if n, rows := a.FileRows(), FileRows(r); n != rows {
		return &problem.Problem{Place: a.Name(), Cause: fmt.Sprintf("%d rows; the set has %d", n, rows)}
	}
	a.Keep(r.Kept())
	return nil
}

// String returns the name of the set in the default layout: cifar10/resnet50/test,
// cifar10-c/resnet50/fog/3.
func (r Ref) String() string { return strings.Join(r.Segments(), "/") }

// Segments returns dataset, backbone, loss unless "ce", and then corruption and
// severity, or the split of clean images.
func (r Ref) Segments() []string {
	s := []string{r.Dataset, r.Backbone}
	if r.Loss != "" && r.Loss != "ce" {
		s = append(s, r.Loss)
	}
	if r.Corruption != "" {
		return append(s, r.Corruption, strconv.Itoa(r.Severity))
	}
	if r.Split != "" {
		s = append(s, string(r.Split))
	}
	return s
}

// CalNames returns the names that a calibration set may have in place of {split}, in the
// order in which a Folder looks for them. Many people calibrate on the validation
// set, under that name.
func CalNames() []Split { return []Split{Cal, "calibration", "val", "valid", "validation"} }

// IsSplit reports whether a folder is named for a split.
func IsSplit(name string) bool { return SplitOf(name) != "" }

// SplitOf returns the split that a name stands for, or none.
func SplitOf(name string) Split {
	switch {
	case slices.Contains(CalNames(), Split(name)):
		return Cal
	case name == string(Test):
		return Test
	}
	return ""
}

// ManifestName is the name of the manifest, at the root of a folder of arrays.
// Without one, all sets are measured logits.
const ManifestName = "manifest.yaml"
