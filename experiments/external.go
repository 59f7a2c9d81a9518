package experiments

import (
	"context"

	"github.com/qats-bench/qats/calib"
	"github.com/qats-bench/qats/calib/external"
	"github.com/qats-bench/qats/data"
	"github.com/qats-bench/qats/experiments/spec"
)

// externalMethod is a method whose probabilities are made elsewhere: by a
// program that the harness calls, or beforehand. Such methods are not in the
// registry of package calib, because they start processes or read files, and
// because their numbers have to be checked where they enter.
type externalMethod interface {
	calib.Method

	// digests returns the part of the key besides options and arrays: for a program it
	// belongs to the fit, for files to the rows. It calls sum for the digest of each file
	// that it reads.
	digests(at location, sum fileSum) (string, error)

	// lacks returns the reason why the method cannot serve a setting, or "" if it
	// can.
	lacks(at location) string

	// runs reports whether fit and open start a program, which needs a permission.
	runs() bool

	// fits reports whether digests is the part of the key of a fit; else it is that of rows.
	fits() bool

	// fit returns the bytes of a fit, for the store.
	fit(ctx context.Context, at location, in calib.Input) ([]byte, error)

	// open returns the probabilities of the test set of a setting.
	open(ctx context.Context, at location, fit []byte, seed uint64) (*external.Table, error)
}

// fileSum returns the digest of the file at path, which errors call name.
type fileSum func(path, name string) (string, error)

// location tells an external method the folders of a setting.
type location struct {
	root    string   // of the project, for files
	folders []string // of arrays, put in front by the user
	test    data.Source
	setting *spec.Setting
	first   bool     // only the first rows of each set are used
	env     []string // names of variables that programs get
	start   Programs // with Dir

	programs *external.Programs // of the run; nil in a plan
}

// notAllowed says why a program is not run.
const notAllowed = "runs a program; allow it with --allow-exec, if you trust the spec and what it names"

// noMap is the map type of external methods, whose maps the harness does not know.
type noMap struct{}

func (noMap) Check() error { return spec.ErrExternal }
