package claims

import (
	"bytes"
	_ "embed"
	"fmt"
	"slices"

	"gopkg.in/yaml.v3"

	"github.com/qats-bench/qats/internal/lists"
	"github.com/qats-bench/qats/results/paper"
)

//go:embed claims.yaml
var list []byte

// claim is a sentence of the paper's text as claims.yaml has it. The quote is short; the reading
// states what the tests ask. Test is for both the printed and the measured numbers.
type claim struct {
	Quote     string `yaml:"quote"`
	Where     string `yaml:"where"`
	Reading   string `yaml:"reading"`
	Test      []test `yaml:"test"`
	Published []test `yaml:"published"`
	Measured  []test `yaml:"measured"`
}

// test is one predicate: exactly one field is set.
type test struct {
	Rows       *rowsTest   `yaml:"rows"`
	Margin     *marginTest `yaml:"margin"`
	Rising     *risingTest `yaml:"rising"`
	Quantiles  *quantiles  `yaml:"quantiles"`
	Settings   *settings   `yaml:"settings"`
	NotPrinted *unprinted  `yaml:"not_printed"`
	Go         *function   `yaml:"go"`
}

// predicate judges a claim on a book.
type predicate interface {
	judge(*book) Judgement
	check() error // a mistake in claims.yaml
}

// claims returns the claims in the order of the text.
func claims() []claim {
	all, err := parseClaims(list)
	if err != nil {
		panic(err) // a file of the program, which a test reads
	}
	return all
}

// parseClaims reads claims. It rejects unknown keys, and tests without a predicate or with two.
func parseClaims(text []byte) ([]claim, error) {
	dec := yaml.NewDecoder(bytes.NewReader(text))
	dec.KnownFields(true)
	var all []claim
	if err := dec.Decode(&all); err != nil {
		return nil, fmt.Errorf("claims.yaml: %w", err)
	}
	for _, c := range all {
		if both := len(c.Published) > 0 && len(c.Measured) > 0; c.Quote == "" || both == (len(c.Test) > 0) {
			return nil, fmt.Errorf("claims.yaml: %q needs test, or published and measured", c.Quote)
		}
		for _, t := range slices.Concat(c.Test, c.Published, c.Measured) {
			set := t.predicates()
			if len(set) != 1 {
				return nil, fmt.Errorf("claims.yaml: %q has a test with %d predicates", c.Quote, len(set))
			}
			if err := set[0].check(); err != nil {
				return nil, fmt.Errorf("claims.yaml: %q: %w", c.Quote, err)
			}
		}
	}
	return all, nil
}

// predicates returns those that are set.
func (t test) predicates() (set []predicate) {
	add := func(is bool, p predicate) {
		if is {
			set = append(set, p)
		}
	}
	add(t.Rows != nil, t.Rows)
	add(t.Margin != nil, t.Margin)
	add(t.Rising != nil, t.Rising)
	add(t.Quantiles != nil, t.Quantiles)
	add(t.Settings != nil, t.Settings)
	add(t.NotPrinted != nil, t.NotPrinted)
	add(t.Go != nil, t.Go)
	return set
}

// judgedBy returns the judgement of tests that all have to hold, with the figures of all.
func judgedBy(tests []test, b *book) Judgement {
	return both(lists.Values(tests, func(t test) Judgement { return t.predicates()[0].judge(b) })...)
}

// judgeAll judges every claim on the printed numbers and on those of a book.
func judgeAll(publication *paper.Publication, measured *book) []Judged {
	printed := printedBook(publication)
	return lists.Values(claims(), func(c claim) Judged {
		return Judged{
			Quote: c.Quote, Where: c.Where, Reading: c.Reading,
			Published: judgedBy(slices.Concat(c.Test, c.Published), printed), Measured: judgedBy(slices.Concat(c.Test, c.Measured), measured),
		}
	})
}
