package spec

import (
	"reflect"
	"slices"
	"testing"

	"github.com/qats-bench/qats/data/keyed"
	"github.com/qats-bench/qats/results"
	"github.com/qats-bench/qats/results/paper"
)

// TestTagsAgreeWithTheProgram: tags are constants, and some of them repeat a number or a
// list of another package.
func TestTagsAgreeWithTheProgram(t *testing.T) {
	for _, c := range []struct {
		keyed.Object
		key  string
		most int
	}{{grid{}, "splits", MaxSplits}, {tableItem{}, "paper", len(paper.Tables())}} {
		keys := keyed.KeysOf(reflect.TypeOf(c.Object), nil)
		k := keys[slices.IndexFunc(keys, func(k keyed.Key) bool { return k.Name == c.key })]
		if _, most, ok := keyed.Bounds(k.Range); !ok || int(most) != c.most {
			t.Errorf("%s: range %q, want at most %d", c.key, k.Range, c.most)
		}
	}
	var columns []string
	for _, k := range keyed.KeysOf(reflect.TypeFor[filter](), nil) {
		columns = append(columns, k.Name)
	}
	if want := results.SettingColumns(); !slices.Equal(columns, want) {
		t.Errorf("a filter has the keys %v, want the columns %v", columns, want)
	}
}
