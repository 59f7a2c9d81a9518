package experiments

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/qats-bench/qats/calib"
	"github.com/qats-bench/qats/calib/external"
	"github.com/qats-bench/qats/data"
	"github.com/qats-bench/qats/data/folder"
	"github.com/qats-bench/qats/experiments/spec"
	"github.com/qats-bench/qats/results"
)

// precomputed is a method whose probabilities are in files, one for each
// setting. They are scored; nothing is fitted.
type precomputed struct {
	text string // of probs.npy: {dataset} {backbone} {loss} {corruption} {severity}
	path folder.FileTemplate
}

func precomputedEntry() calib.Entry {
	return calib.NewEntry[precomputed, noMap](calib.Entry{
		Name: "precomputed", Label: "precomputed", Version: 1,
		Summary: "probabilities made elsewhere, one file for each setting",
	})
}

// Options returns the option path.
func (p *precomputed) Options() []calib.Option {
	return []calib.Option{calib.TextOption("path", &p.text, "", "the file of a setting, with {dataset} {backbone} {loss} {corruption} {severity}")}
}

// Prepare parses the path.
func (p precomputed) Prepare() (calib.Method, error) {
	if p.text == "" {
		return nil, errors.New(`needs the option path, as in {path: "mine/{dataset}/{backbone}/{loss}/{corruption}/{severity}/probs.npy"}`)
	}
	var err error
	p.path, err = folder.ParseFileTemplate(p.text)
	return p, err
}

// Contract asks for the test logits, whose shape the file must have.
func (precomputed) Contract() calib.Contract { return calib.Contract{Test: data.Logits} }

// Fit is an error: the file has the result of the fit.
func (precomputed) Fit(context.Context, calib.Input) (*calib.Fitted, error) {
	return nil, spec.ErrExternal
}

func (precomputed) runs() bool { return false }

func (precomputed) fits() bool { return false }

// find returns the file of a setting. It looks below the folders of arrays that
// the user put in front, then below the root of the project. The name, for
// errors, is the path below that folder.
func (p precomputed) find(at location) (path, name string, err error) {
	ref := at.setting.Test()
	ref.Split = ""
	if v := at.setting.Variant; v != (results.Variant{}) && v.Training == 0 { // such a set has no corruption
		ref.Corruption = v.String()
	}
	name, err = p.path.Path(ref)
	if err != nil {
		return "", "", err
	}
	for _, root := range append(slices.Clone(at.folders), at.root) {
		path = filepath.Join(root, filepath.FromSlash(name))
		if _, err = os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
			return path, name, nil
		}
	}
	return "", name, fs.ErrNotExist
}

func (p precomputed) lacks(at location) string {
	if at.setting.Variant.Split > 0 {
		return "its probabilities are of the test rows as they are, not of redrawn ones"
	}
	switch _, name, err := p.find(at); {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Sprintf("there is no %s, neither below a --data folder nor in the project", name)
	case err != nil:
		return err.Error()
	}
	return ""
}

func (p precomputed) digests(at location, digest fileSum) (string, error) {
	path, name, err := p.find(at)
	if err != nil {
		return "", err
	}
	sum, err := digest(path, name)
	return fmt.Sprintf("probs sha256:%s\n", sum), err
}

// fit returns the empty fit that the store keeps for a method without one.
func (precomputed) fit(context.Context, location, calib.Input) ([]byte, error) { return nil, nil }

func (p precomputed) open(ctx context.Context, at location, _ []byte, _ uint64) (*external.Table, error) {
	path, name, err := p.find(at)
	if err != nil {
		return nil, err
	}
	test, err := at.test.Open(ctx, at.setting.Test(), data.Logits)
	if err != nil {
		return nil, err
	}
	defer test.Close()
	return external.OpenTable(path, name, test, at.first)
}
