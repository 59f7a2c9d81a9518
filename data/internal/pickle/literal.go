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

// literal returns the number or the text that an instruction puts on the stack.
func literal(op byte, arg []byte) (any, error) {
	switch op {
	case 'N':
		return nil, nil
	case 0x88:
		return true, nil
	case 0x89:
		return false, nil
	case 'J':
		return int64(int32(number(arg))), nil
	case 'K', 'M':
		return int64(number(arg)), nil
	case 0x8a, 0x8b: // LONG1, LONG4
		return long(arg), nil
	case 'I', 'L':
		return decimal(string(arg))
	case 'F':
		return parseFloat(string(arg))
	case 'G':
		return math.Float64frombits(binary.BigEndian.Uint64(arg)), nil
	case 'S':
		return quoted(string(arg))
	case 'V':
		return rawUnicode(string(arg))
	case 'U', 'T', 'C', 'B', 0x8e, 0x96: // str of Python 2, bytes, bytearray
		return arg, nil
	case 'X', 0x8c, 0x8d:
		if !utf8.Valid(arg) {
			return nil, errors.New("a text that is not UTF-8")
		}
		return string(arg), nil
	}
	if name, ok := forbidden[op]; ok {
		return nil, fmt.Errorf("the instruction %s makes objects of arbitrary classes; only arrays, lists, tuples, dicts and numbers are read", name)
	}
	return nil, fmt.Errorf("%#x is no instruction of a pickle", op)
}

// decimal reads an integer, or a bool of protocol 0 (00, 01).
func decimal(line string) (any, error) {
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
	shift := 64 - 8*len(b)
	return int64(number(b)<<shift) >> shift
}

// quoted reads the repr of a str of Python 2.
func quoted(line string) (any, error) {
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
