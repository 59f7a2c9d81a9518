package pickle

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"
)

// literal runs the instructions that put a number or a text on the stack.
func (m *machine) literal(op byte) (any, error) {
	switch op {
	case 'N':
		return nil, nil
	case 0x88:
		return true, nil
	case 0x89:
		return false, nil
	case 'J':
		u, err := m.uint(4)
		return int64(int32(u)), err
	case 'K':
		u, err := m.uint(1)
		return int64(u), err
	case 'M':
		u, err := m.uint(2)
		return int64(u), err
	case 0x8a, 0x8b: // LONG1, LONG4
		b, err := m.counted(map[byte]int{0x8a: 1, 0x8b: 4}[op])
		return long(b), err
	case 'I', 'L':
		return m.decimal()
	case 'F':
		line, err := m.line()
		if err != nil {
			return nil, err
		}
		return parseFloat(line)
	case 'G':
		b, err := m.take(8)
		if err != nil {
			return nil, err
		}
		return math.Float64frombits(binary.BigEndian.Uint64(b)), nil
	case 'S':
		return m.quoted()
	case 'V':
		line, err := m.line()
		if err != nil {
			return nil, err
		}
		return rawUnicode(line)
	case 'U', 'T', 'C', 'B', 0x8e, 0x96: // str of Python 2, bytes, bytearray
		return m.counted(map[byte]int{'U': 1, 'T': 4, 'C': 1, 'B': 4, 0x8e: 8, 0x96: 8}[op])
	case 'X', 0x8c, 0x8d:
		b, err := m.counted(map[byte]int{'X': 4, 0x8c: 1, 0x8d: 8}[op])
		if err == nil && !utf8.Valid(b) {
			err = errors.New("a text that is not UTF-8")
		}
		return string(b), err
	}
	if name, ok := forbidden[op]; ok {
		return nil, fmt.Errorf("the instruction %s makes objects of arbitrary classes; only arrays, lists, tuples, dicts and numbers are read", name)
	}
	return nil, fmt.Errorf("%#x is no instruction of a pickle", op)
}

// decimal reads an integer, or a bool of protocol 0 (00, 01).
func (m *machine) decimal() (any, error) {
	line, err := m.line()
	if err != nil {
		return nil, err
	}
	switch line {
	case "00":
		return false, nil
	case "01":
		return true, nil
	}
	n, err := strconv.ParseInt(strings.TrimSuffix(line, "L"), 10, 64)
	if err != nil {
		return nil, fmt.Errorf("%.40q is not an integer of 64 bits", line)
	}
	return n, nil
}

// parseFloat reads a float as repr prints it.
func parseFloat(s string) (any, error) {
	f, err := strconv.ParseFloat(s, 64)
	if err != nil && !errors.Is(err, strconv.ErrRange) {
		return nil, fmt.Errorf("%.40q is not a number", s)
	}
	return f, nil
}

// long decodes a little-endian two's complement integer.
func long(b []byte) any {
	if len(b) > 8 {
		return bigInt(b)
	}
	if len(b) == 0 {
		return int64(0)
	}
	var full [8]byte
	copy(full[:], b)
	shift := 64 - 8*len(b)
	return int64(binary.LittleEndian.Uint64(full[:])<<shift) >> shift
}

// quoted reads the repr of a str of Python 2.
func (m *machine) quoted() (any, error) {
	line, err := m.line()
	if err != nil {
		return nil, err
	}
	if len(line) < 2 || line[0] != line[len(line)-1] || line[0] != '\'' && line[0] != '"' {
		return nil, fmt.Errorf("a text without quotes")
	}
	quote, s := line[0], line[1:len(line)-1]
	out := make([]byte, 0, len(s))
	for s != "" {
		if s[0] == quote {
			return nil, errors.New("a quote within a text")
		}
		if s[0] != '\\' {
			out, s = append(out, s[0]), s[1:]
			continue
		}
		r, multibyte, tail, err := strconv.UnquoteChar(s, quote)
		if err != nil || multibyte || r > 255 {
			return nil, errors.New("a text with an unknown escape")
		}
		out, s = append(out, byte(r)), tail
	}
	return out, nil
}

// rawUnicode decodes a text of protocol 0: latin-1 with \uXXXX and \UXXXXXXXX.
func rawUnicode(line string) (string, error) {
	var out strings.Builder
	for i := 0; i < len(line); i++ {
		n := 0
		if line[i] == '\\' && i+1 < len(line) {
			n = map[byte]int{'u': 4, 'U': 8}[line[i+1]]
		}
		if n == 0 {
			out.WriteRune(rune(line[i]))
			continue
		}
		if i+2+n > len(line) {
			return "", errors.New("a text with an unknown escape")
		}
		r, err := strconv.ParseUint(line[i+2:i+2+n], 16, 32)
		if err != nil || r > utf8.MaxRune {
			return "", errors.New("a text with an unknown escape")
		}
		out.WriteRune(rune(r))
		i += 1 + n
	}
	return out.String(), nil
}
