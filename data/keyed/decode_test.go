package keyed

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"gopkg.in/yaml.v3"
)

// shelf has a key of each sort that only manifests have.
type shelf struct {
	Kind  string            `key:"kind" as:"choice" of:"book box"`
	Note  string            `key:"note" as:"part"`
	Sum   string            `key:"sum" as:"sha256"`
	Old   *bool             `key:"old"`
	Bytes int64             `key:"bytes"`
	Pairs pair              `key:"pairs"`
	Names map[string]string `key:"names" as:"phrase" one:"name of" nonempty:""`
	Boxes map[string]shelf  `key:"boxes"`
}

func (shelf) About() (name, text string) { return "shelf", "" }

// pair reads itself: two texts in a list.
type pair [2]string

func (p *pair) ReadNode(n *yaml.Node) (wrong *yaml.Node, err error) {
	if len(n.Content) != 2 {
		return n, fmt.Errorf("want a pair")
	}
	p[0], p[1] = n.Content[0].Value, n.Content[1].Value
	return nil, nil
}

func read(text string) (shelf, *Reader) {
	var s shelf
	r := New("f")
	r.Nulls = true
	if root := r.Root([]byte(text), "a shelf", "no shelf"); root != nil {
		r.Decode(root, reflect.ValueOf(&s), "", Key{})
	}
	return s, r
}

// TestDecodeFillsEachSortOfKey, and leaves what the file does not state.
func TestDecodeFillsEachSortOfKey(t *testing.T) {
	got, r := read("{kind: box, note: ~, old: true, bytes: 3000000000, pairs: [a, b], names: {x: The x, y: 7}, boxes: {in: {kind: book}}}")
	yes := true
	want := shelf{Kind: "box", Old: &yes, Bytes: 3e9, Pairs: pair{"a", "b"}, Names: map[string]string{"x": "The x", "y": "7"}, Boxes: map[string]shelf{"in": {Kind: "book"}}}
	if err := r.Err(); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, %v; want %+v", got, err, want)
	}
}

// TestMistakesHaveTheirPlace in the order of the file, the first of them alone by First.
func TestMistakesHaveTheirPlace(t *testing.T) {
	_, r := read("kind: shoe\nnote: a;b\nsum: ab\nold: 1\nbytes: -1\npairs: [a]\nnames: {x: \"\"}\nboxes: {in: {kin: box}, on: 7}\nkind: box\n")
	want := []string{
		`f:1:7: kind "shoe"; want one of book, box`,
		`f:2:7: note must not contain a semicolon`,
		`f:3:6: sum must be 64 hexadecimal digits in lower case`,
		`f:4:6: old must be true or false`,
		`f:5:8: bytes "-1": must be a whole number of at least 0`,
		`f:6:8: want a pair`,
		`f:7:12: name of x: want a text`,
		`f:8:14: unknown key "kin" in a shelf (did you mean kind?)`,
		`f:8:29: a shelf must be a mapping (key: value)`,
		`f:9:1: key "kind" is given twice (first at line 1)`,
	}
	if got := fmt.Sprint(r.Err()); got != strings.Join(want, "\n") {
		t.Errorf("%s\nwant %s", got, strings.Join(want, "\n"))
	}
	if got := fmt.Sprint(r.First()); got != want[0] {
		t.Errorf("first %s", got)
	}
}

// TestMergeTakesWhatIsStated: a later value wins, a value of none changes nothing, and maps are joined without a change of
// their sources.
func TestMergeTakesWhatIsStated(t *testing.T) {
	no := false
	first := shelf{Kind: "box", Note: "first", Names: map[string]string{"a": "A", "b": "B"}}
	var all shelf
	Merge(&all, first)
	Merge(&all, shelf{Note: "second", Old: &no, Names: map[string]string{"b": "C"}})
	want := shelf{Kind: "box", Note: "second", Old: &no, Names: map[string]string{"a": "A", "b": "C"}}
	if !reflect.DeepEqual(all, want) {
		t.Errorf("%+v, want %+v", all, want)
	}
	if first.Names["b"] != "B" {
		t.Error("the first entry has changed")
	}
}
