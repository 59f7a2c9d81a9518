package submission

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/qats-bench/qats/internal/lists"
	"github.com/qats-bench/qats/results"
	"github.com/qats-bench/qats/results/leaderboard"
)

// LookedFile has the entries that a person has looked at, beside the numbers of the registry.
const LookedFile = "looked.yaml"

// Looked says that a person has looked at an entry, and found that its numbers are honest.
type Looked struct {
	Entry string `yaml:"entry"`
	Card  string `yaml:"card"` // digest of card.yaml; another card is looked at again
	By    string `yaml:"by"`
	Found string `yaml:"found"` // why the numbers are honest
}

// ReadLooked reads the entries that persons have looked at. There is none without the file.
func ReadLooked(folder leaderboard.Folder) ([]Looked, error) {
	file := filepath.Join(string(folder), LookedFile)
	text, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var list []Looked
	if err := decode(file, text, &list); err != nil {
		return nil, err
	}
	for _, l := range list {
		if !digestForm.MatchString(l.Card) || strings.TrimSpace(l.By) == "" || strings.TrimSpace(l.Found) == "" {
			return nil, fmt.Errorf("%s: %.80s: want card, the SHA-256 of %s, by and found", file, l.Entry, CardFile)
		}
	}
	return list, nil
}

// shownReasons is the number of reasons that a table has for one entry.
const shownReasons = 2

// CardDigest returns the digest of the card, which has those of all other files.
func (e *Entry) CardDigest() (string, error) { return fileDigest(filepath.Join(e.Dir, CardFile)) }

// checks is what entries are compared with before they are ranked.
type checks struct {
	registry []results.Record // of all methods of the registry
	looked   []Looked
	rounds   map[int][]leaderboard.Fresh
}

// checksOf returns the checks of a version; nil for version 1, which has none.
func checksOf(tier *Tier, folder leaderboard.Folder, registry []leaderboard.Member) (*checks, error) {
	if tier.Version == V1 {
		return nil, nil
	}
	c := &checks{rounds: map[int][]leaderboard.Fresh{}}
	for _, m := range registry {
		c.registry = append(c.registry, m.Records...)
	}
	for _, n := range folder.Rounds() {
		methods, err := folder.ReadRound(n)
		if err != nil {
			return nil, err
		}
		c.rounds[n] = methods
	}
	var err error
	c.looked, err = ReadLooked(folder)
	return c, err
}

// numbers returns those of the rounds, the first one first.
func (c *checks) numbers() []int {
	if c == nil {
		return nil
	}
	return slices.Sorted(maps.Keys(c.rounds))
}

// look says why a person must look at an entry before it is ranked; "" for no reason, or after the look.
func (c *checks) look(e *Entry, m *leaderboard.Member) (string, error) {
	card, err := e.CardDigest()
	if err != nil {
		return "", err
	}
	if slices.ContainsFunc(c.looked, func(l Looked) bool { return l.Entry == e.Card.Name && l.Card == card }) {
		return "", nil
	}
	var why []string
	if n := e.Code.Literals(); n > MostLiterals {
		why = append(why, fmt.Sprintf("its code has %d bytes of texts and numbers, more than %d", n, MostLiterals))
	}
	for _, a := range leaderboard.Alarms(m.Records, c.registry) {
		why = append(why, a.String())
	}
	others := lists.Where(m.Drawn, func(r results.Record) bool { return r.Method != m.Method })
	for _, a := range leaderboard.Alarms(ofMethod(m.Method, m.Drawn), slices.Concat(c.registry, others)) {
		why = append(why, a.String()+" (drawn splits)")
	}
	for _, n := range c.numbers() {
		for _, f := range c.rounds[n] {
			if f.Method == m.Method && f.Card == card && f.ToBeLookedAt() {
				why = append(why, fmt.Sprintf("its gain on public labels is larger than on labels drawn anew in round %d (%s on %s, p = %.2g)", n, f.Score, f.At, f.Holm))
			}
		}
	}
	if more := len(why) - shownReasons; more > 0 {
		why = append(why[:shownReasons], fmt.Sprintf("and %d more", more))
	}
	return strings.Join(why, "; "), nil
}
