package spec

import (
	"gopkg.in/yaml.v3"

	"github.com/qats-bench/qats/data/keyed"
)

// A reader reads one file of the spec language.
type reader struct {
	*keyed.Reader
	known Registry
}

func newReader(file string) *reader { return &reader{Reader: keyed.New(file)} }

// root parses src, which must be one document.
func (r *reader) root(src []byte) *yaml.Node {
	return r.Root(src, "a spec", "the file is empty; a spec needs at least name, methods and settings")
}
