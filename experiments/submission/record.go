package submission

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"gopkg.in/yaml.v3"

	"github.com/qats-bench/qats/internal/atomicfile"
)

// Record is verified.yaml: what a maintainer found.
type Record struct {
	Card     string  `yaml:"card"` // digest of card.yaml, which has those of all other files; another card is not verified
	Verdict  Verdict `yaml:"verdict"`
	Numbers  Counts  `yaml:"numbers"`
	Isolated bool    `yaml:"isolated"` // the code ran by Isolation
	Platform string  `yaml:"platform"`
	Draws    *Drawn  `yaml:"draws,omitempty"`
}

// Drawn are the splits that a maintainer drew.
type Drawn struct {
	Commit string `yaml:"commit"`
	N      int    `yaml:"splits"`
	SHA256 string `yaml:"sha256"` // of drawn.csv
}

// DrawnFile has the means over the drawn splits: of the entry, and of the tier's own methods.
const DrawnFile = "drawn.csv"

// readRecord reads verified.yaml. It is nil without one, and if it is about another card.
func readRecord(dir string) (*Record, error) {
	path := filepath.Join(dir, VerifiedFile)
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var r Record
	d := yaml.NewDecoder(bytes.NewReader(text))
	d.KnownFields(true)
	if err := d.Decode(&r); err != nil {
		return nil, fault(path, err)
	}
	switch r.Verdict {
	case Equal, Agrees, Differs, NotRun:
	default:
		return nil, fmt.Errorf("%s: verdict: %.80q is none of %s, %s, %s, %s", path, r.Verdict, Equal, Agrees, Differs, NotRun)
	}
	card, err := fileDigest(filepath.Join(dir, CardFile))
	if err != nil || r.Card != card {
		return nil, err
	}
	if r.Draws != nil {
		switch digest, err := fileDigest(filepath.Join(dir, DrawnFile)); {
		case err != nil:
			return nil, err
		case digest != r.Draws.SHA256:
			return nil, fmt.Errorf("%s: draws: %s is not the file of this verification", path, DrawnFile)
		}
	}
	return &r, nil
}

// Write writes verified.yaml into the folder of an entry, for its card as it is.
func (r Record) Write(dir string) error {
	var err error
	if r.Card, err = fileDigest(filepath.Join(dir, CardFile)); err != nil {
		return err
	}
	if r.Draws != nil {
		if r.Draws.SHA256, err = fileDigest(filepath.Join(dir, DrawnFile)); err != nil {
			return err
		}
	}
	text, err := yaml.Marshal(r)
	if err != nil {
		return err
	}
	return atomicfile.WriteBytes(filepath.Join(dir, VerifiedFile), text)
}
