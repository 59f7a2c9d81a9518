package submission

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"github.com/qats-bench/qats/results/leaderboard"
)

// RoundsFile has the rounds of labels drawn anew, beside the numbers of the registry.
const RoundsFile = "rounds.yaml"

// Rehearsal is the round whose seed everybody knows: it tries the check, and no entry has its try in it.
const Rehearsal = 0

// Round is a round of labels drawn anew. Number, closing time and drand round are committed before the drand round exists; its
// signature and the last commit that the round admits are added later.
//
// drand is the public beacon of the League of Entropy, of which this is the chain quicknet: every 3 s a signature that nobody knows before.
// The seed of the round is the SHA-256 of the signature of its drand round, in hexadecimal digits, which drand calls the randomness. That the
// signature is drand's is checked by whoever reads the file, at https://api.drand.sh/CHAIN/public/ROUND.
type Round struct {
	Number    int       `yaml:"round"`
	Closes    time.Time `yaml:"closes"`              // the last time of a commit that the round admits
	Drand     int64     `yaml:"drand"`               // number of the drand round, which comes after Closes
	Signature string    `yaml:"signature,omitempty"` // of the drand round, 96 hexadecimal digits
	Commit    string    `yaml:"commit,omitempty"`    // the last one that the round admits
}

// The chain quicknet of drand: the time of its first round, and the seconds from one to the next.
const (
	drandGenesis = 1692803367
	drandPeriod  = 3
)

// ErrNoSeed is the error of a round that has no seed yet.
var ErrNoSeed = errors.New("has no seed yet")

// drandTime returns the time of the drand round.
func (r Round) drandTime() time.Time {
	return time.Unix(drandGenesis+(r.Drand-1)*drandPeriod, 0).UTC()
}

// ReadRound reads a round of the file of rounds. An error that wraps ErrNoSeed says when the seed comes.
func ReadRound(folder leaderboard.Folder, number int) (Round, error) {
	if number == Rehearsal {
		return Round{}, nil
	}
	file := filepath.Join(string(folder), RoundsFile)
	text, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return Round{}, fmt.Errorf("%s: round %d %w: there is no such file; it has the rounds", file, number, ErrNoSeed)
	}
	if err != nil {
		return Round{}, err
	}
	var rounds []Round
	if err := decode(file, text, &rounds); err != nil {
		return Round{}, err
	}
	i := slices.IndexFunc(rounds, func(r Round) bool { return r.Number == number })
	if i < 0 {
		return Round{}, fmt.Errorf("%s: round %d %w: the file does not have it", file, number, ErrNoSeed)
	}
	r := rounds[i]
	if r.Closes.IsZero() || !r.drandTime().After(r.Closes) {
		return r, fmt.Errorf("%s: round %d: drand round %d comes at %s: want one after the round closes", file, number, r.Drand, r.drandTime().Format(time.RFC3339))
	}
	if r.Signature == "" || r.Commit == "" {
		return r, fmt.Errorf("%s: round %d %w: drand round %d comes at %s; add its signature, and the last commit that the round admits",
			file, number, ErrNoSeed, r.Drand, r.drandTime().Format(time.RFC3339))
	}
	if raw, err := hex.DecodeString(r.Signature); err != nil || len(raw) != 48 {
		return r, fmt.Errorf("%s: round %d: signature: want 96 hexadecimal digits, as drand has them", file, number)
	}
	return r, nil
}

// Seed returns the text that the labels of the round are drawn by.
func (r Round) Seed() string {
	if r.Number == Rehearsal {
		return "rehearsal"
	}
	raw, _ := hex.DecodeString(r.Signature) // ReadRound has checked it
	sum := sha256.Sum256(raw)
	return hex.EncodeToString(sum[:])
}

// Admits returns an error unless the entry in dir stands as it is in the last commit of the round, which was made before the round
// closed. So its author could not know the labels.
func (r Round) Admits(ctx context.Context, dir string) error {
	if r.Number == Rehearsal {
		return nil
	}
	git := gitIn(ctx, dir)
	made, err := git("log", "-1", "--format=%ct", "--end-of-options", r.Commit)
	if err != nil {
		return fmt.Errorf("commit %.80q of round %d is none of the repository of %s", r.Commit, r.Number, dir)
	}
	if at, err := strconv.ParseInt(made, 10, 64); err != nil || time.Unix(at, 0).After(r.Closes) {
		return fmt.Errorf("commit %.12s of round %d was made after the round closed, at %s", r.Commit, r.Number, r.Closes.Format(time.RFC3339))
	}
	if _, err := git("cat-file", "-e", r.Commit+":./"+CardFile); err != nil {
		return fmt.Errorf("%s is not in commit %.12s, the last one of round %d: it waits for the next round", dir, r.Commit, r.Number)
	}
	if _, err := git("diff", "--quiet", r.Commit, "--", "."); err != nil {
		return fmt.Errorf("%s is not what it was in commit %.12s, the last one of round %d", dir, r.Commit, r.Number)
	}
	return nil
}
