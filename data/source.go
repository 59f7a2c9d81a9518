package data

import "context"

// Split names the role of a set.
type Split string

// Cal is the labelled set a method is fitted on, Test the set it is judged on.
const (
	Cal  Split = "cal"
	Test Split = "test"
)

// Ref names one set of one network. Loss is the training loss, "ce" unless
// said; Corruption is empty and Severity 0 for clean images.
type Ref struct {
	Dataset, Backbone, Loss string
	Corruption              string
	Severity                int
	Split                   Split
}

// Origin tells real outputs of a network from those of a simulation. It
// travels with every number to every table, figure and page.
type Origin string

// The two origins a number can have.
const (
	Measured  Origin = "measured"
	Simulated Origin = "simulated"
)

// Provenance is what a source knows of a set without reading its arrays.
type Provenance struct {
	Origin Origin
	Kind   Kind   // of the logits, as far as it is known
	From   string // what measured numbers are of, in a few words for captions; may be empty
	Note   string // where the arrays came from, one line, may be empty
}

// Source serves sets. Implementations are safe for concurrent use.
type Source interface {
	// Has returns the parts that exist at ref. It parses no array.
	Has(ref Ref) Parts

	// Describe returns what is known of the set at ref.
	Describe(ref Ref) Provenance

	// Digest returns a readable text, one line a part ("logits sha256:..."),
	// that changes when and only when the content of the parts does.
	Digest(ctx context.Context, ref Ref, parts Parts) (string, error)

	// Open prepares the parts of ref for reading. Shapes have been checked
	// against each other; values are checked as they are read.
	Open(ctx context.Context, ref Ref, parts Parts) (Reader, error)
}

// Reader reads a set by rows. It is used by one goroutine; Scan and Blocks
// read it in blocks of rows, Scan on several.
type Reader interface {
	Rows() int
	Classes() int // 0 where the parts have neither logits nor head
	// Bytes is the memory that the whole set takes once read.
	Bytes() int64
	// Form is how the logits are read. It may have to read the arrays; errors
	// are those of Read.
	Form() (Form, error)
	// Read returns rows lo..hi-1, to be kept as long as one likes, beyond Close
	// too: in memory of their own or as views of mapped files, which the set's
	// Close gives back. Every value is finite and every label within the
	// classes, or the error names the file, row and class. Values are looked
	// at once: whoever writes into a mapped file afterwards changes the set
	// (Writer does not; it replaces files).
	Read(ctx context.Context, lo, hi int) (*Set, error)
	Close() error
}

// Load reads all of the parts of ref; close the set when it has served.
func Load(ctx context.Context, src Source, ref Ref, parts Parts) (*Set, error) {
	r, err := src.Open(ctx, ref, parts)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	return r.Read(ctx, 0, r.Rows())
}
