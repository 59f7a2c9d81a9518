package pickle

import (
	"encoding/binary"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/qats-bench/qats/data"
)

// A call whose arguments are of another number or type is an error, one argument at a
// time.
func TestArgumentsOfAnotherTypeAreErrors(t *testing.T) {
	i4, bytes8 := &dtype{DType: data.Int32}, make([]byte, 8)
	store := &storage{data.Float32, 6, make([]byte, 24)}
	two := Tuple{int64(2)}
	good := map[string]struct {
		call func(Tuple) (any, error)
		args Tuple
		any  int // arguments from this one on may be anything
	}{
		"reconstruct":  {reconstruct, Tuple{ndarrayClass, Tuple{int64(0)}, []byte("b")}, 1},
		"fromBuffer":   {fromBuffer, Tuple{bytes8, i4, two, "C"}, 4},
		"scalar":       {scalar, Tuple{i4, bytes8[:4]}, 2},
		"dtype":        {newDtype, Tuple{"f4", false, true}, 1},
		"encode":       {encode, Tuple{"ab", "latin1"}, 2},
		"tensor":       {rebuildTensor, Tuple{store, int64(0), two, Tuple{int64(1)}, false, &Dict{}}, 4},
		"bytes":        {noBytes, Tuple{}, 0},
		"ordered dict": {orderedDict, Tuple{}, 0},
	}
	for name, c := range good {
		if _, err := c.call(c.args); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		for i := range c.args[:c.any] {
			for _, other := range []any{nil, 1.5, Tuple{1.5}, &Dict{}} {
				args := append(Tuple{}, c.args...)
				args[i] = other
				if v, err := c.call(args); err == nil {
					t.Errorf("%s, argument %d as %s: %v", name, i, Describe(other), v)
				}
			}
		}
		if name != "dtype" && name != "tensor" { // of which the last arguments are left out by some programs, or added
			if v, err := c.call(append(c.args[:len(c.args):len(c.args)], nil)); err == nil {
				t.Errorf("%s with one argument more: %v", name, v)
			}
		}
		if len(c.args) > 0 && name != "dtype" {
			if v, err := c.call(c.args[:len(c.args)-1]); err == nil {
				t.Errorf("%s with one argument fewer: %v", name, v)
			}
		}
	}
	for name, args := range map[string]Tuple{
		"codec":           {"ab", "utf8"},
		"large character": {"\u0100", "latin1"},
	} {
		if v, err := encode(args); err == nil {
			t.Errorf("%s: %v", name, v)
		}
	}
	for _, name := range []string{"f", "f3", "O8", "f4x", ""} {
		if v, err := newDtype(Tuple{name}); err == nil {
			t.Errorf("dtype %q: %v", name, v)
		}
	}
}

// A scalar is an array without axes, of one number.
func TestScalars(t *testing.T) {
	for _, c := range []struct {
		d    dtype
		b    []byte
		want float64
		ok   bool
	}{
		{dtype{DType: data.Int16}, []byte{0xfe, 0xff}, -2, true},
		{dtype{DType: data.Uint8}, []byte{200}, 200, true},
		{dtype{DType: data.Float32, bigEndian: true}, []byte{0x3f, 0xc0, 0, 0}, 1.5, true},
		{dtype{DType: data.Int32}, []byte{1, 2}, 0, false},
	} {
		v, err := scalar(Tuple{&c.d, c.b})
		if (err == nil) != c.ok {
			t.Errorf("%+v of %x: %v", c.d, c.b, err)
		}
		if err != nil {
			continue
		}
		a, _ := Array(v)
		got := make([]float64, 1)
		if err := a.ReadFloat64(got, 0, 1); err != nil || got[0] != c.want || len(a.Shape()) != 0 {
			t.Errorf("%+v of %x: %v of shape %v, %v", c.d, c.b, got, a.Shape(), err)
		}
	}
}

// States of arrays and dtypes have their parts.
func TestStatesHaveTheirParts(t *testing.T) {
	d := &dtype{DType: data.Uint8}
	state := Tuple{int64(1), Tuple{int64(3)}, d, false, []byte("abc")}
	if err := new(array).build(state); err != nil {
		t.Fatal(err)
	}
	for i := 1; i < len(state); i++ {
		for _, other := range []any{nil, 1.5} {
			s := append(Tuple{}, state...)
			s[i] = other
			if err := new(array).build(s); err == nil {
				t.Errorf("part %d of an array as %s is accepted", i, Describe(other))
			}
		}
	}
	for name, s := range map[string]any{"a list": &List{state}, "four": state[:4], "six": append(state[:5:5], nil)} {
		if err := new(array).build(s); err == nil || !strings.HasPrefix(err.Error(), "an array with the state ") {
			t.Errorf("an array with the state of %s: %v", name, err)
		}
	}
	for text, c := range map[string]struct {
		state any
		big   bool
	}{
		"<": {Tuple{int64(3), "<", nil, nil, nil, int64(-1)}, false}, ">": {Tuple{int64(3), ">", nil, nil, nil}, true},
		"|": {Tuple{int64(3), "|", nil, nil, nil}, false},
	} {
		d := &dtype{}
		if err := d.build(c.state); err != nil || d.bigEndian != c.big {
			t.Errorf("order %s: %+v, %v", text, d, err)
		}
	}
	for name, s := range map[string]any{
		"four parts": Tuple{int64(3), "<", nil, nil}, "no tuple": &List{}, "fields": Tuple{int64(3), "<", nil, Tuple{}, nil}, "a base": Tuple{int64(3), "<", "x", nil, nil},
		"a size": Tuple{int64(3), "<", nil, nil, int64(4)}, "an order": Tuple{int64(3), "!", nil, nil, nil},
	} {
		if err := new(dtype).build(s); err == nil {
			t.Errorf("a dtype with %s is accepted", name)
		}
	}
}

// Shapes have at most eight axes, as tuples or lists of whole numbers.
func TestShapesOfPickles(t *testing.T) {
	list := func(n int) (v Tuple) {
		for range n {
			v = append(v, int64(1))
		}
		return v
	}
	for name, c := range map[string]struct {
		v  any
		ok bool
	}{
		"none": {Tuple{}, true}, "a list": {&List{list(2)}, true}, "eight": {list(8), true}, "nine": {list(9), false},
		"negative": {Tuple{int64(-1)}, false}, "floats": {Tuple{1.}, false}, "a number": {int64(3), false},
	} {
		if _, ok := ints(c.v); ok != c.ok {
			t.Errorf("%s: %v", name, ok)
		}
	}
	if _, ok := Array(new(array)); ok {
		t.Error("an array without a state counts as one")
	}
	full, err := newArray(data.Float32, false, false, []int{2, 3}, make([]byte, 24))
	if err != nil {
		t.Fatal(err)
	}
	for v, want := range map[any]string{new(array): "an array without a state", full: "an array of shape [2 3]"} {
		if got := Describe(v); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// Numbers and texts of protocols 0 and 1, whole and damaged. An error says where.
func TestLiteralsOfOldProtocols(t *testing.T) {
	for text, want := range map[string]any{
		"\x8a\x08\xff\xff\xff\xff\xff\xff\xff\x7f.": int64(math.MaxInt64),
		"\x8a\x08\x00\x00\x00\x00\x00\x00\x00\x80.": int64(math.MinInt64),
		"\x8a\x01\xff.":       int64(-1),
		"\x8a\x00.":           int64(0),
		"S'ab'\n.":            []byte("ab"),
		"S\"a'b\"\n.":         []byte("a'b"),
		"S''\n.":              []byte{},
		"S'\\377'\n.":         []byte{0xff},
		"S'a\\'\\\\\\x41'\n.": []byte(`a'\A`),
		"Va\\u00e4\xe4\n.":    "aää",
		"V\\U0001f600\n.":     "\U0001f600",
		"V\\U0010ffff\n.":     "\U0010ffff",
		"V\n.":                "",
		"Va\\\n.":             `a\`,
		"V\\x\n.":             `\x`,
		"N\x85.":              Tuple{nil},
		"NN\x86.":             Tuple{nil, nil},
		"NNN\x87.":            Tuple{nil, nil, nil},
	} {
		if got, err := Read([]byte(text)); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%q: %#v, %v; want %#v", text, got, err, want)
		}
	}
	for text, want := range map[string]string{
		"\x8a\x09\xff\xff\xff\xff\xff\xff\xff\xff\x7f.": "holds an int, not data",
		"S'\n.":                     "a text without quotes",
		"S\n.":                      "a text without quotes",
		"Sxax\n.":                   "a text without quotes",
		"S'a\"\n.":                  "a text without quotes",
		"Sa'\n.":                    "a text without quotes",
		"S'a\\q'\n.":                "a text with an unknown escape",
		"S'\\u0041'\n.":             "a text with an unknown escape",
		"S'\\400'\n.":               "a text with an unknown escape",
		"V\\u00e\n.":                "a text with an unknown escape",
		"V\\u00xx\n.":               "a text with an unknown escape",
		"V\\U00110000\n.":           "a text with an unknown escape",
		"NN\x87.":                   "stack",
		"\x85.":                     "stack",
		"S'ab'":                     "not complete",
		"N.abc":                     "byte 2: 3 bytes after the end of the pickle",
		"K\x01\x8c\x01x\x93.":       "an imported name that is no text",
		"\x8c\x01xK\x01\x93.":       "an imported name that is no text",
		"N)R.":                      "a call of None with a tuple of 0",
		"cbuiltins\nbytearray\nNR.": "",
		"cnumpy\ndtype\n]R.":        "a call of the name numpy.dtype with a list of 0",
	} {
		v, err := Read([]byte(text))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, %v; want %q", text, v, err, want)
		}
	}
}

// short is a text in a pickle.
func short(s string) string { return "\x8c" + string(rune(len(s))) + s }

// A file of torch.save holds one storage with its length and its numbers.
func TestStoragesOfTorchHaveTheirLength(t *testing.T) {
	id := func(count, last string) string {
		return "(" + short("storage") + "ctorch\nFloatStorage\n" + short("0") + short("cpu") + count + last + "tQ."
	}
	build := func(id, keys string, length uint64, numbers int) []byte {
		b := []byte("\x80\x02\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19.\x80\x02M\xe9\x03.\x80\x02}" + short("little_endian") + "\x88s." + "\x80\x02" + id + "\x80\x02" + keys)
		return append(binary.LittleEndian.AppendUint64(b, length), make([]byte, numbers)...)
	}
	one := "]" + short("0") + "a."
	for name, c := range map[string]struct {
		file []byte
		ok   bool
	}{
		"two":             {build(id("K\x02", ""), one, 2, 8), true},
		"a view":          {build(id("K\x02", "N"), one, 2, 8), true},
		"a real view":     {build(id("K\x02", "K\x01"), one, 2, 8), false},
		"none":            {build(id("K\x00", ""), one, 0, 0), true},
		"negative":        {build(id("J\xff\xff\xff\xff", ""), one, math.MaxUint64, 0), false},
		"another length":  {build(id("K\x02", ""), one, 1, 8), false},
		"too few":         {build(id("K\x02", ""), one, 2, 7), false},
		"too many":        {build(id("K\x02", ""), one, 2, 9), false},
		"one more":        {build(id("K\x02", ""), one, 2, 12), false},
		"no keys":         {build(id("K\x02", ""), "].", 2, 8), false},
		"two keys":        {build(id("K\x02", ""), "]("+short("0")+short("1")+"e.", 2, 8), false},
		"keys of a dict":  {build(id("K\x02", ""), "}.", 2, 8), false},
		"cut":             {build(id("K\x02", ""), one, 2, 0)[:len(build(id("K\x02", ""), one, 2, 0))-4], false},
		"no class":        {build("("+short("storage")+short("x")+short("0")+short("cpu")+"K\x02tQ.", one, 2, 8), false},
		"an unknown one":  {build("("+short("storage")+"cnumpy\nndarray\n"+short("0")+short("cpu")+"K\x02tQ.", one, 2, 8), false},
		"no count":        {build(id("N", ""), one, 0, 0), false},
		"no storage":      {build("("+short("module")+"ctorch\nFloatStorage\n"+short("0")+short("cpu")+"K\x02tQ.", one, 2, 8), false},
		"four parts":      {build("("+short("storage")+"ctorch\nFloatStorage\n"+short("0")+"K\x02tQ.", one, 2, 8), false},
		"an id of a list": {build("]("+short("storage")+"ctorch\nFloatStorage\n"+short("0")+short("cpu")+"K\x02eQ.", one, 2, 8), false},
		"no id":           {build("K\x02.", one, 2, 8), false},
	} {
		file := append([]byte(nil), c.file...)
		v, err := storageFromBytes(Tuple{file})
		if (err == nil) != c.ok {
			t.Errorf("%s: %v, %v", name, v, err)
		}
	}
}

// A stride may lead to the last element of a storage, and not behind it.
func TestStridesReachTheLastElement(t *testing.T) {
	store := &storage{data.Uint8, 7, []byte("abcdefg")}
	for _, c := range []struct {
		offset        int64
		shape, stride []int64
		want          string
	}{
		{0, []int64{3}, []int64{3}, "adg"}, {1, []int64{3}, []int64{3}, ""}, {0, []int64{2, 2}, []int64{0, 6}, "agag"}, {6, []int64{1, 1}, []int64{100, 100}, "g"},
		{3, []int64{2, 2}, []int64{2, 2}, ""}, {0, []int64{2, 2}, []int64{4, 3}, ""}, {0, []int64{2, 2}, []int64{3, 3}, "addg"},
	} {
		var shape, stride Tuple
		for i := range c.shape {
			shape, stride = append(shape, c.shape[i]), append(stride, c.stride[i])
		}
		v, err := rebuildTensor(Tuple{store, c.offset, shape, stride, false, &Dict{}})
		got := ""
		if a, ok := Array(v); err == nil && ok {
			numbers := make([]int32, a.Rows()*a.Cols())
			if err := a.ReadInt32(numbers, 0, a.Rows()); err != nil {
				t.Fatal(err)
			}
			for _, x := range numbers {
				got += string(rune(x))
			}
		}
		if got != c.want || (err == nil) != (c.want != "") {
			t.Errorf("offset %d, shape %v, stride %v: %q, %v", c.offset, c.shape, c.stride, got, err)
		}
	}
}

// The order of the elements is a boolean, or an integer in pickles of Python 2.
func TestOrderOfTheElementsMayBeAnInteger(t *testing.T) {
	i1, err := newDtype(Tuple{"i1", false, true})
	if err != nil {
		t.Fatal(err)
	}
	for _, order := range []any{false, true, int64(0), int64(1)} {
		var a array
		if err := a.build(Tuple{int64(1), Tuple{int64(2), int64(2)}, i1, order, []byte{1, 2, 3, 4}}); err != nil {
			t.Fatal(err)
		}
		row := make([]int32, 2)
		if err := a.ReadInt32(row, 0, 1); err != nil {
			t.Fatal(err)
		}
		want := []int32{1, 2}
		if order == true || order == int64(1) {
			want = []int32{1, 3}
		}
		if !slices.Equal(row, want) {
			t.Errorf("order %v: the first row is %v, want %v", order, row, want)
		}
	}
}
