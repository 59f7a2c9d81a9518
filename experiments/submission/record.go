package submission

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/qats-bench/qats/internal/atomicfile"
)

// Record is what a maintainer found.
type Record struct {
	Card     string  `yaml:"card"` // digest of card.yaml, which has those of the protocol, the code, the arrays and the numbers
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
	SHA256 string `yaml:"sha256"` // of the file of the means
}

// Records are the records of entries. They lie outside the folders of the entries, which strangers hand in:
//
//	DIR/NAME.yaml      the Record of the entry NAME
//	DIR/NAME.yaml.sig  the signature of NAME.yaml, by ssh-keygen -Y sign
//	DIR/NAME.csv       with drawn splits: the means over them, of the entry and of the tier's own methods
//
// A record counts only if its signature is that of a signer, it is of the card as it is, and its counts and digests are those of
// the files. So a record that is written by hand, moved from another entry, or older than the entry counts for nothing.
type Records struct {
	Dir     string
	Signers string // file of allowed signers, in the form of ssh-keygen; SignersFile in Dir if empty
}

// SignersFile has a line for each maintainer who may sign: an address, and a public key.
const SignersFile = "allowed_signers"

// recordNamespace is that of the signatures, so that a signature of something else by the same key is none of a record.
const recordNamespace = "record@qats-bench"

func (r Records) record(entry string) string { return filepath.Join(r.Dir, entry+".yaml") }

// Means returns the file of the means over drawn splits.
func (r Records) Means(entry string) string { return filepath.Join(r.Dir, entry+".csv") }

func (r Records) signers() string {
	if r.Signers != "" {
		return r.Signers
	}
	return filepath.Join(r.Dir, SignersFile)
}

// Read returns the record of an entry. It is nil without one, and if it is about another card.
func (r Records) Read(ctx context.Context, e *Entry) (*Record, error) {
	path := r.record(e.Card.Name)
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if err := r.signed(ctx, path, text); err != nil {
		return nil, err
	}
	var found Record
	if err := decode(path, text, &found); err != nil {
		return nil, err
	}
	switch found.Verdict {
	case Equal, Agrees, Differs, NotRun:
	default:
		return nil, fmt.Errorf("%s: verdict: %.80q is none of %s, %s, %s, %s", path, found.Verdict, Equal, Agrees, Differs, NotRun)
	}
	card, err := e.CardDigest()
	if err != nil || found.Card != card {
		return nil, err
	}
	if all := found.Numbers.all(); all != len(e.Records) {
		return nil, fmt.Errorf("%s: numbers: of %d numbers, and the entry has %d", path, all, len(e.Records))
	}
	if found.Verdict != Differs && found.Verdict != found.Numbers.Verdict(e.Card.Language) {
		return nil, fmt.Errorf("%s: verdict: %s, and the numbers are: %s", path, found.Verdict, found.Numbers.Verdict(e.Card.Language))
	}
	if found.Draws != nil {
		switch digest, err := fileDigest(r.Means(e.Card.Name)); {
		case err != nil:
			return nil, err
		case digest != found.Draws.SHA256:
			return nil, fmt.Errorf("%s: draws: %s is not the file of this verification", path, r.Means(e.Card.Name))
		}
	}
	return &found, nil
}

// signed returns an error unless a signer has signed a file with this text.
func (r Records) signed(ctx context.Context, path string, text []byte) error {
	signature := path + ".sig"
	if _, err := os.Stat(signature); err != nil {
		return fmt.Errorf("%s: not signed: there is no %s", path, filepath.Base(signature))
	}
	if _, err := exec.LookPath("ssh-keygen"); err != nil {
		return fmt.Errorf("%s: its signature cannot be checked without ssh-keygen: install OpenSSH, 8.2 or newer", path)
	}
	if _, err := os.Stat(r.signers()); err != nil {
		return fmt.Errorf("%s: no one may sign: %w", path, err)
	}
	found, err := exec.CommandContext(ctx, "ssh-keygen", "-Y", "find-principals", "-s", signature, "-f", r.signers()).Output()
	signer, _, _ := strings.Cut(strings.TrimSpace(string(found)), "\n")
	if err != nil || signer == "" {
		return fmt.Errorf("%s: signed by none of %s", path, r.signers())
	}
	verify := exec.CommandContext(ctx, "ssh-keygen", "-Y", "verify", "-f", r.signers(), "-I", signer, "-n", recordNamespace, "-s", signature)
	verify.Stdin = bytes.NewReader(text)
	if err := verify.Run(); err != nil {
		return fmt.Errorf("%s: the signature of %s is not of this text", path, signer)
	}
	return nil
}

// Write writes the record of an entry, for its card and the means as they are, and signs it with a key: the file of a private
// key, or of a public one whose private key is in an agent.
func (r Records) Write(ctx context.Context, e *Entry, record Record, key string) error {
	var err error
	if record.Card, err = e.CardDigest(); err != nil {
		return err
	}
	if record.Draws != nil {
		if record.Draws.SHA256, err = fileDigest(r.Means(e.Card.Name)); err != nil {
			return err
		}
	}
	text, err := yaml.Marshal(record)
	if err != nil {
		return err
	}
	path := r.record(e.Card.Name)
	if err := os.MkdirAll(r.Dir, 0o777); err != nil {
		return err
	}
	if err := os.Remove(path + ".sig"); err != nil && !errors.Is(err, fs.ErrNotExist) { // ssh-keygen would ask
		return err
	}
	if err := atomicfile.WriteBytes(path, text); err != nil {
		return err
	}
	sign := exec.CommandContext(ctx, "ssh-keygen", "-Y", "sign", "-f", key, "-n", recordNamespace, path)
	if said, err := sign.CombinedOutput(); err != nil {
		return fmt.Errorf("%s is not signed: ssh-keygen: %w%s", path, err, lastWords(string(said)))
	}
	return nil
}
