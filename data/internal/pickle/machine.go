package pickle

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// maxSteps is the number of instructions of the longest pickle that is read. An
// array takes about 20, a list of numbers one or two for each.
const maxSteps = 1 << 22

// machine is the state of a pickle that is read.
type machine struct {
	b      []byte
	at     int
	stack  []any
	memo   map[uint64]any
	lookup persistent
}

// persistent returns the object of a persistent id; nil if the pickle has none.
type persistent func(id any) (any, error)

// mark is the value that the MARK instruction puts on the stack.
type mark struct{}

func isMark(v any) bool {
	_, ok := v.(mark)
	return ok
}

// bigInt is an integer beyond int64, as its bytes in the file.
type bigInt string

// global is a name that a pickle imports.
type global struct{ module, name string }

func (g global) String() string { return g.module + "." + g.name }

var (
	errCut   = errors.New("the pickle ends here, but is not complete")
	errStack = errors.New("the pickle takes more from its stack than it put there")
)

// load reads one pickle from the start of b and returns the bytes after it.
func load(b []byte, lookup persistent) (v any, rest []byte, err error) {
	m := &machine{b: b, memo: map[uint64]any{}, lookup: lookup}
	for step := 0; ; step++ {
		start := m.at
		if step == maxSteps {
			return nil, nil, fmt.Errorf("byte %d: more than %d instructions; save arrays, not lists of numbers", start, maxSteps)
		}
		done, err := m.step()
		if err != nil {
			return nil, nil, fmt.Errorf("byte %d: %w", start, err)
		}
		if done {
			break
		}
	}
	last, err := m.pop(1)
	if err != nil {
		return nil, nil, fmt.Errorf("byte %d: %w", m.at, err)
	}
	return last[0], m.b[m.at:], nil
}

// form is the form of the argument that follows an instruction: so many bytes, or one
// of the constants.
type form int

const (
	counted form = 16 // counted+n: a length of n bytes, and that many bytes
	line    form = 32 // text up to a line feed
	lines   form = 33 // two such texts
)

// arguments are the forms of the instructions with an argument.
var arguments = map[byte]form{
	'K': 1, 'q': 1, 'h': 1, 0x80: 1, 'M': 2, 'J': 4, 'r': 4, 'j': 4, 'G': 8, 0x95: 8,
	'U': counted + 1, 'C': counted + 1, 0x8a: counted + 1, 0x8c: counted + 1,
	'T': counted + 4, 'B': counted + 4, 'X': counted + 4, 0x8b: counted + 4,
	0x8d: counted + 8, 0x8e: counted + 8, 0x96: counted + 8,
	'I': line, 'L': line, 'F': line, 'S': line, 'V': line, 'p': line, 'g': line, 'P': line, 'c': lines,
}

// argument reads the argument of an instruction.
func (m *machine) argument(op byte) ([]byte, error) {
	switch form := arguments[op]; {
	case form == line:
		return m.line()
	case form == lines:
		start := m.at
		if _, err := m.line(); err != nil {
			return nil, err
		}
		_, err := m.line()
		return m.b[start:max(start, m.at-1)], err
	case form > counted:
		length, err := m.take(uint64(form - counted))
		if err != nil {
			return nil, err
		}
		return m.take(number(length))
	default:
		return m.take(uint64(form))
	}
}

// step runs one instruction. It reports whether it was the last.
func (m *machine) step() (done bool, err error) {
	first, err := m.take(1)
	if err != nil {
		return false, err
	}
	op := first[0]
	arg, err := m.argument(op)
	if err != nil {
		return false, err
	}
	var v any
	switch op {
	case '.':
		return true, nil
	case 0x80: // PROTO
		if arg[0] > 5 {
			return false, fmt.Errorf("protocol %d of pickle; want 0 to 5", arg[0])
		}
		return false, nil
	case 0x95: // FRAME: a hint for readers of streams
		return false, nil
	case '0':
		_, err = m.pop(1)
		return false, err
	case '1':
		_, err = m.popMark()
		return false, err
	case 'p', 'q', 'r', 0x94:
		return false, m.store(op, arg)
	case 'a', 'e', 's', 'u', 'b':
		return false, m.change(op)
	case '(':
		v = mark{}
	case '2':
		v, err = m.top()
	case 'g', 'h', 'j':
		v, err = m.stored(op, arg)
	case 'c', 0x93, 'R', 'Q', 'P':
		v, err = m.object(op, arg)
	case ']', ')', '}', 't', 'l', 'd', 0x85, 0x86, 0x87:
		v, err = m.container(op)
	default:
		v, err = literal(op, arg)
	}
	m.push(v)
	return false, err
}

// container runs the instructions that make tuples, lists and dicts.
func (m *machine) container(op byte) (any, error) {
	var items []any
	var err error
	switch op {
	case 't', 'l', 'd':
		items, err = m.popMark()
	case 0x85, 0x86, 0x87: // TUPLE1 to TUPLE3
		items, err = m.pop(int(op) - 0x84)
	}
	if err != nil {
		return nil, err
	}
	items = append([]any{}, items...)
	switch op {
	case 'l', ']':
		return &List{items}, nil
	case 'd', '}':
		d := &Dict{}
		return d, d.add(items)
	}
	return Tuple(items), nil
}

// forbidden are the instructions of pickle that are rejected.
var forbidden = map[byte]string{
	'i': "INST", 'o': "OBJ", 0x81: "NEWOBJ", 0x92: "NEWOBJ_EX",
	0x82: "EXT1", 0x83: "EXT2", 0x84: "EXT4", 0x8f: "EMPTY_SET", 0x90: "ADDITEMS", 0x91: "FROZENSET",
	0x97: "NEXT_BUFFER", 0x98: "READONLY_BUFFER",
}

// key returns the number under which an instruction stores a value or gets it back.
func (m *machine) key(op byte, arg []byte) (uint64, error) {
	switch op {
	case 0x94: // MEMOIZE
		return uint64(len(m.memo)), nil
	case 'p', 'g':
		key, err := strconv.ParseUint(string(arg), 10, 32)
		if err != nil {
			return 0, fmt.Errorf("%q is not the number of a stored value", arg)
		}
		return key, nil
	}
	return number(arg), nil
}

// store runs the instructions that store the value on top of the stack.
func (m *machine) store(op byte, arg []byte) error {
	key, err := m.key(op, arg)
	if err != nil {
		return err
	}
	m.memo[key], err = m.top()
	return err
}

// stored runs the instructions that bring a value back.
func (m *machine) stored(op byte, arg []byte) (any, error) {
	key, err := m.key(op, arg)
	if err != nil {
		return nil, err
	}
	v, ok := m.memo[key]
	if !ok {
		return nil, fmt.Errorf("no value is stored under %d", key)
	}
	return v, nil
}

// change runs the instructions that change the object on top of the stack.
func (m *machine) change(op byte) error {
	var items []any
	var err error
	switch op {
	case 'a', 'b':
		items, err = m.pop(1)
	case 's':
		items, err = m.pop(2)
	default:
		items, err = m.popMark()
	}
	if err != nil {
		return err
	}
	target, err := m.top()
	if err != nil {
		return err
	}
	switch t := target.(type) {
	case *List:
		if op == 'a' || op == 'e' {
			t.Items = append(t.Items, items...)
			return nil
		}
	case *Dict:
		if op == 's' || op == 'u' {
			return t.add(items)
		}
	case *dtype:
		if op == 'b' {
			return t.build(items[0])
		}
	case *array:
		if op == 'b' {
			return t.build(items[0])
		}
	}
	return fmt.Errorf("the instruction %q does not fit %s", op, Describe(target))
}

func (d *Dict) add(items []any) error {
	if len(items)%2 != 0 {
		return errors.New("a dict with a key that has no value")
	}
	for i := 0; i < len(items); i += 2 {
		d.Keys, d.Values = append(d.Keys, items[i]), append(d.Values, items[i+1])
	}
	return nil
}

// object runs the instructions that import names, call them, and look up
// persistent ids.
func (m *machine) object(op byte, arg []byte) (any, error) {
	switch op {
	case 'c':
		module, name, _ := strings.Cut(string(arg), "\n")
		return known(global{module, name})
	case 0x93: // STACK_GLOBAL
		names, err := m.pop(2)
		if err != nil {
			return nil, err
		}
		module, ok1 := names[0].(string)
		name, ok2 := names[1].(string)
		if !ok1 || !ok2 {
			return nil, errors.New("an imported name that is no text")
		}
		return known(global{module, name})
	case 'R':
		both, err := m.pop(2)
		if err != nil {
			return nil, err
		}
		g, ok1 := both[0].(global)
		args, ok2 := both[1].(Tuple)
		if !ok1 || !ok2 {
			return nil, fmt.Errorf("a call of %s with %s", Describe(both[0]), Describe(both[1]))
		}
		return call(g, args)
	}
	id := []any{string(arg)}
	if op == 'Q' {
		var err error
		if id, err = m.pop(1); err != nil {
			return nil, err
		}
	}
	if m.lookup == nil {
		return nil, errors.New("a persistent id, which refers to another file")
	}
	return m.lookup(id[0])
}

func (m *machine) push(v any) { m.stack = append(m.stack, v) }

// top returns the last value of the stack, and leaves it there.
func (m *machine) top() (any, error) {
	if len(m.stack) == 0 || isMark(m.stack[len(m.stack)-1]) {
		return nil, errStack
	}
	return m.stack[len(m.stack)-1], nil
}

// pop takes the last n values from the stack. The slice is valid until the next push.
func (m *machine) pop(n int) ([]any, error) {
	rest := len(m.stack) - n
	if rest < 0 || slices.ContainsFunc(m.stack[rest:], isMark) {
		return nil, errStack
	}
	items := m.stack[rest:]
	m.stack = m.stack[:rest]
	return items, nil
}

// popMark takes the values above the last mark, and the mark, from the stack. The
// slice is valid until the next push.
func (m *machine) popMark() ([]any, error) {
	for i := len(m.stack) - 1; i >= 0; i-- {
		if isMark(m.stack[i]) {
			items := m.stack[i+1:]
			m.stack = m.stack[:i]
			return items, nil
		}
	}
	return nil, errStack
}

// take returns the next n bytes, in the memory of the pickle.
func (m *machine) take(n uint64) ([]byte, error) {
	if n > uint64(len(m.b)-m.at) {
		return nil, errCut
	}
	b := m.b[m.at : m.at+int(n) : m.at+int(n)]
	m.at += int(n)
	return b, nil
}

// line returns the bytes up to the next line feed, which it drops.
func (m *machine) line() ([]byte, error) {
	i := bytes.IndexByte(m.b[m.at:], '\n')
	if i < 0 {
		return nil, errCut
	}
	b, err := m.take(uint64(i) + 1)
	return b[:i], err
}

// number returns the little-endian number of up to 8 bytes.
func number(b []byte) (n uint64) {
	for i, x := range b {
		n |= uint64(x) << (8 * i)
	}
	return n
}
