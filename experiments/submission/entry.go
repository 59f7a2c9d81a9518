package submission

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/qats-bench/qats/results"
)

// Entry is a folder that a stranger hands in, after all checks that need no run.
type Entry struct {
	Dir     string
	Card    *Card
	Code    Source
	Records []results.Record   // of results.csv: claimed
	Fits    []results.EntryFit // of fits.csv
}

// Read reads the folder of an entry. Nothing in it runs. An error names the file and the line, and says what an entry
// has there.
func Read(dir string) (*Entry, error) {
	card, err := ReadCard(filepath.Join(dir, CardFile))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s: no %s: this is no entry", dir, CardFile)
	}
	if err != nil {
		return nil, err
	}
	abs, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	at := filepath.Join(dir, CardFile)
	if filepath.Base(abs) != card.Name {
		return nil, fmt.Errorf("%s: name: %s, but the folder is %s: the folder of an entry has its name", at, card.Name, filepath.Base(abs))
	}
	if err := checkFolder(dir, card); err != nil {
		return nil, err
	}
	e := &Entry{Dir: dir, Card: card}
	if e.Code, err = readSource(filepath.Join(dir, CodeFolder), card.Code); err != nil {
		return nil, err
	}
	protocol, err := Digest(card.Protocol)
	if err != nil {
		return nil, err
	}
	if card.Digests.Protocol != protocol {
		return nil, fmt.Errorf("%s: digests: protocol: the entry ran on another protocol than %s of this program: run it again", at, card.Protocol)
	}
	if card.Digests.Code != e.Code.Digest() {
		return nil, fmt.Errorf("%s: digests: code: the code is not that which the entry ran", at)
	}
	for _, f := range []struct{ key, file, digest string }{{"results", ResultsFile, card.Digests.Results}, {"fits", FitsFile, card.Digests.Fits}} {
		switch digest, err := fileDigest(filepath.Join(dir, f.file)); {
		case err != nil:
			return nil, err
		case digest != f.digest:
			return nil, fmt.Errorf("%s: digests: %s: %s is not the file of the entry as it was submitted", at, f.key, f.file)
		}
	}
	if err := e.readResults(); err != nil {
		return nil, err
	}
	return e, nil
}

// readResults reads results.csv and fits.csv, which have rows of the tier and of the entry's method alone.
func (e *Entry) readResults() error {
	tier, err := ReadTier(e.Card.Protocol, e.Card.Tier)
	if err != nil {
		return err
	}
	path := filepath.Join(e.Dir, ResultsFile)
	if e.Records, err = results.ReadEntry(path, tier.Metrics()); err != nil {
		return err
	}
	has := tier.has()
	for i, r := range e.Records {
		line := 2 + i/len(tier.Metrics())
		switch {
		case r.Method != e.Card.Name:
			return fmt.Errorf("%s:%d: column method: %.80q, but the entry is %s", path, line, r.Method, e.Card.Name)
		case !has[r.Setting]:
			return fmt.Errorf("%s:%d: %.200q is no setting of tier %s", path, line, r.Setting.Name(), e.Card.Tier)
		}
	}
	path = filepath.Join(e.Dir, FitsFile)
	if e.Fits, err = results.ReadEntryFits(path); err != nil {
		return err
	}
	for i, f := range e.Fits {
		if !has[f.Setting] {
			return fmt.Errorf("%s:%d: %.200q is no setting of tier %s", path, i+2, f.Setting.Name(), e.Card.Tier)
		}
	}
	return nil
}

// Write writes an entry, whose card gets its digests. Code of an earlier entry of this name is removed.
func Write(dir string, c *Card, code Source, tier *Tier, settings []results.SettingInfo, records []results.Record, fits []results.EntryFit) error {
	if err := os.RemoveAll(filepath.Join(dir, CodeFolder)); err != nil {
		return err
	}
	if err := code.write(filepath.Join(dir, CodeFolder)); err != nil {
		return err
	}
	err := errors.Join(results.WriteEntry(filepath.Join(dir, ResultsFile), tier.Metrics(), ofMethod(c.Name, records)), results.WriteEntryFits(filepath.Join(dir, FitsFile), fits))
	if err != nil {
		return err
	}
	protocol, err1 := Digest(c.Protocol)
	result, err2 := fileDigest(filepath.Join(dir, ResultsFile))
	fitted, err3 := fileDigest(filepath.Join(dir, FitsFile))
	if err := errors.Join(err1, err2, err3); err != nil {
		return err
	}
	c.Digests = Digests{Protocol: protocol, Inputs: InputsDigest(settings), Code: code.Digest(), Results: result, Fits: fitted}
	if err := c.Check(); err != nil {
		return err
	}
	return c.Write(dir)
}

// Lack is a setting on which an entry has no number of a metric that the first of the tier's own methods has.
type Lack struct {
	Setting results.Setting
	Metric  string // the first
	Why     string
}

// Lacks returns what a method lacks: one for each setting, in the order of the records.
func Lacks(tier *Tier, method string, records []results.Record) (list []Lack) {
	others, seen := byPlace(tier.Spec.Methods[0].Name, records), map[results.Setting]bool{}
	for _, r := range ofMethod(method, records) {
		if r.Status != results.OK && others[placeOf(r)].Status == results.OK && !seen[r.Setting] {
			seen[r.Setting] = true
			list = append(list, Lack{r.Setting, r.Metric, r.Note.String()})
		}
	}
	return list
}
