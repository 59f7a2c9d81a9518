package pickle

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"strconv"
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

// persistent returns the object of a persistent id; nil where there are none.
type persistent func(id any) (any, error)

// mark is the value that the MARK instruction puts on the stack.
type mark struct{}

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
	if v, err = m.pop(); err != nil {
		return nil, nil, fmt.Errorf("byte %d: %w", m.at, err)
	}
	return v, m.b[m.at:], nil
}

// step runs one instruction. It reports whether it was the last.
func (m *machine) step() (done bool, err error) {
	op, err := m.byte()
	if err != nil {
		return false, err
	}
	switch op {
	case '.':
		return true, nil
	case 0x80: // PROTO
		v, err := m.byte()
		if err == nil && v > 5 {
			err = fmt.Errorf("protocol %d of pickle; want 0 to 5", v)
		}
		return false, err
	case 0x95: // FRAME: a hint for readers of streams
		_, err := m.take(8)
		return false, err
	case '(':
		m.push(mark{})
		return false, nil
	case '0':
		_, err := m.pop()
		return false, err
	case '1':
		_, err := m.popMark()
		return false, err
	case '2':
		v, err := m.top()
		m.push(v)
		return false, err
	case 'p', 'q', 'r', 0x94, 'g', 'h', 'j':
		return false, m.memory(op)
	case 'a', 'e', 's', 'u', 'b':
		return false, m.change(op)
	case 'c', 0x93, 'R', 'Q', 'P':
		v, err := m.object(op)
		m.push(v)
		return false, err
	}
	v, err := m.container(op)
	if errors.Is(err, errOther) {
		v, err = m.literal(op)
	}
	m.push(v)
	return false, err
}

// errOther says that an instruction is of another group.
var errOther = errors.New("another instruction")

// container runs the instructions that make tuples, lists and dicts.
func (m *machine) container(op byte) (any, error) {
	switch op {
	case ']':
		return &List{}, nil
	case ')':
		return Tuple{}, nil
	case '}':
		return &Dict{}, nil
	case 0x85, 0x86, 0x87: // TUPLE1 to TUPLE3
		n := int(op) - 0x84
		if len(m.stack) < n {
			return nil, errStack
		}
		items := append(Tuple{}, m.stack[len(m.stack)-n:]...)
		m.stack = m.stack[:len(m.stack)-n]
		for _, v := range items {
			if _, ok := v.(mark); ok {
				return nil, errStack
			}
		}
		return items, nil
	case 't', 'l', 'd':
		items, err := m.popMark()
		if err != nil {
			return nil, err
		}
		items = append([]any{}, items...)
		switch op {
		case 't':
			return Tuple(items), nil
		case 'l':
			return &List{items}, nil
		}
		d := &Dict{}
		return d, d.add(items)
	}
	return nil, errOther
}

// forbidden are the instructions of pickle that are rejected.
var forbidden = map[byte]string{
	'i': "INST", 'o': "OBJ", 0x81: "NEWOBJ", 0x92: "NEWOBJ_EX",
	0x82: "EXT1", 0x83: "EXT2", 0x84: "EXT4", 0x8f: "EMPTY_SET", 0x90: "ADDITEMS", 0x91: "FROZENSET",
	0x97: "NEXT_BUFFER", 0x98: "READONLY_BUFFER",
}

// memory runs the instructions that store a value and bring it back.
func (m *machine) memory(op byte) error {
	var key uint64
	var err error
	switch op {
	case 0x94: // MEMOIZE
		key = uint64(len(m.memo))
	case 'p', 'g':
		var line string
		if line, err = m.line(); err == nil {
			if key, err = strconv.ParseUint(line, 10, 32); err != nil {
				err = fmt.Errorf("%q is not the number of a stored value", line)
			}
		}
	case 'q', 'h':
		key, err = m.uint(1)
	default:
		key, err = m.uint(4)
	}
	if err != nil {
		return err
	}
	if op == 'g' || op == 'h' || op == 'j' {
		v, ok := m.memo[key]
		if !ok {
			return fmt.Errorf("no value is stored under %d", key)
		}
		m.push(v)
		return nil
	}
	v, err := m.top()
	m.memo[key] = v
	return err
}

// change runs the instructions that change the object on top of the stack.
func (m *machine) change(op byte) error {
	var items []any
	var err error
	switch op {
	case 'a', 'b':
		items = make([]any, 1)
		items[0], err = m.pop()
	case 's':
		items = make([]any, 2)
		if items[1], err = m.pop(); err == nil {
			items[0], err = m.pop()
		}
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
	return fmt.Errorf("the instruction %q does not fit %s", op, describe(target))
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
func (m *machine) object(op byte) (any, error) {
	switch op {
	case 'c':
		module, err := m.line()
		if err != nil {
			return nil, err
		}
		name, err := m.line()
		if err != nil {
			return nil, err
		}
		return known(global{module, name})
	case 0x93: // STACK_GLOBAL
		name, err := m.pop()
		if err != nil {
			return nil, err
		}
		module, err := m.pop()
		if err != nil {
			return nil, err
		}
		a, ok1 := module.(string)
		b, ok2 := name.(string)
		if !ok1 || !ok2 {
			return nil, errors.New("an imported name that is no text")
		}
		return known(global{a, b})
	case 'R':
		args, err := m.pop()
		if err != nil {
			return nil, err
		}
		f, err := m.pop()
		if err != nil {
			return nil, err
		}
		g, ok1 := f.(global)
		list, ok2 := args.(Tuple)
		if !ok1 || !ok2 {
			return nil, fmt.Errorf("a call of %s with %s", describe(f), describe(args))
		}
		return call(g, list)
	}
	var id any
	var err error
	if op == 'P' {
		id, err = m.line()
	} else {
		id, err = m.pop()
	}
	if err != nil {
		return nil, err
	}
	if m.lookup == nil {
		return nil, errors.New("a persistent id, which refers to another file")
	}
	return m.lookup(id)
}

func (m *machine) push(v any) { m.stack = append(m.stack, v) }

func (m *machine) top() (any, error) {
	if len(m.stack) == 0 {
		return nil, errStack
	}
	v := m.stack[len(m.stack)-1]
	if _, ok := v.(mark); ok {
		return nil, errStack
	}
	return v, nil
}

func (m *machine) pop() (any, error) {
	v, err := m.top()
	if err == nil {
		m.stack = m.stack[:len(m.stack)-1]
	}
	return v, err
}

// popMark takes the values above the last mark, and the mark, from the stack. The
// slice is valid until the next push.
func (m *machine) popMark() ([]any, error) {
	for i := len(m.stack) - 1; i >= 0; i-- {
		if _, ok := m.stack[i].(mark); ok {
			items := m.stack[i+1:]
			m.stack = m.stack[:i]
			return items, nil
		}
	}
	return nil, errStack
}

func (m *machine) byte() (byte, error) {
	b, err := m.take(1)
	if err != nil {
		return 0, err
	}
	return b[0], nil
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

// uint reads a little-endian number of so many bytes.
func (m *machine) uint(size int) (uint64, error) {
	b, err := m.take(uint64(size))
	var full [8]byte
	copy(full[:], b)
	return binary.LittleEndian.Uint64(full[:]), err
}

// counted reads a length of so many bytes and then that many bytes.
func (m *machine) counted(size int) ([]byte, error) {
	n, err := m.uint(size)
	if err != nil {
		return nil, err
	}
	return m.take(n)
}

// line reads up to the next line feed, which it drops.
func (m *machine) line() (string, error) {
	i := bytes.IndexByte(m.b[m.at:], '\n')
	if i < 0 {
		return "", errCut
	}
	s := string(m.b[m.at : m.at+i])
	m.at += i + 1
	return s, nil
}
