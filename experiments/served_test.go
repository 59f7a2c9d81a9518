package experiments

import (
	"bufio"
	"fmt"
	"io"
	"testing"

	"github.com/qats-bench/qats/calib/external"
	"github.com/qats-bench/qats/data"
	"github.com/qats-bench/qats/experiments/spec"
)

// What a process says of its methods is checked before the run.
func TestMistakesInServedMethods(t *testing.T) {
	for about, want := range map[string]string{
		`{"name": "a/b", "version": "1"}`:                                             `served method "a/b": a name begins with a letter or digit and has only letters, digits and . _ + -`,
		`{"name": "mine"}`:                                                            `served method "mine": it has neither the digest of its source nor a version: a stored fit of other code would be taken for its own; give a version`,
		`{"name": "mine", "version": "1", "limit": "5"}`:                              `served method "mine": limit "5": want a time above 0 with its unit, as 90s, 10m or 2h`,
		`{"name": "mine", "version": "1", "disk_mib": -1}`:                            `served method "mine": disk_mib -1: want 1 or more`,
		`{"name": "mine", "version": "1", "needs": ["fea"]}`:                          `served method "mine": needs "fea" (known: augmented, features, head, ood); an array may have cal/ or test/ before it`,
		`{"name": "ts", "version": "1"}`:                                              `served method "ts": s has a method of this name: give it another one`,
		`{"name": "mine", "source": "x", "limit": "2h", "needs": ["test/augmented"]}`: "<nil>",
	} {
		from, theirs := io.Pipe()
		ours, to := io.Pipe()
		go fmt.Fprintf(theirs, `{"methods": [%s]}`+"\n", about)
		go bufio.NewReader(ours).ReadString('\n')
		parent, err := external.NewParent(t.Context(), from, to)
		if err != nil {
			t.Fatal(err)
		}
		s := &spec.Spec{Name: "s", Methods: []spec.Method{{Name: "ts"}}}
		if err := AddServed([]*spec.Spec{s}, parent); fmt.Sprint(err) != want {
			t.Errorf("%s: %v, want %s", about, err, want)
		} else if err == nil {
			if c := s.Methods[1].Contract(); s.Methods[1].Label != "mine" || c.Cal != data.Logits|data.Labels || c.Test != data.Logits|data.Augmented {
				t.Errorf("%+v", s.Methods[1])
			}
		}
	}
}
