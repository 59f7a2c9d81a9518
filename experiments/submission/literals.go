package submission

import (
	"go/scanner"
	"go/token"
	"path"
	"strings"
)

// MostLiterals is the most that the literals and the data of an entry have together, in bytes, before a person must look at them: a
// table of rows that are known to be predicted wrong is larger.
const MostLiterals = 32 << 10

// longestWord is the longest name in a program, in bytes; a longer one counts as data.
const longestWord = 40

// Literals returns the bytes of the code that may be data: texts and numbers of files of Go and Python, and names of more than 40
// characters. Files of other languages count whole, since their texts are not told from their words here.
func (s Source) Literals() int {
	n := 0
	for _, file := range s.files() {
		switch text := s[file]; path.Ext(file) {
		case ".go":
			n += goLiterals(text)
		case ".py":
			n += pythonLiterals(string(text))
		default:
			n += len(text)
		}
	}
	return n
}

// goLiterals returns the bytes of the literals of a file of Go.
func goLiterals(text []byte) (n int) {
	var s scanner.Scanner
	s.Init(token.NewFileSet().AddFile("", -1, len(text)), text, func(token.Position, string) {}, 0)
	for {
		_, kind, literal := s.Scan()
		switch {
		case kind == token.EOF:
			return n
		case kind == token.IDENT && len(literal) <= longestWord:
		case kind.IsLiteral(): // names too
			n += len(literal)
		}
	}
}

// pythonLiterals returns the bytes of the texts and the numbers of a file of Python. Comments are left out.
func pythonLiterals(text string) (n int) {
	for text != "" {
		switch c := text[0]; {
		case c == '#':
			_, text, _ = strings.Cut(text, "\n")
		case c == '"' || c == '\'':
			size := quoted(text)
			n, text = n+size, text[size:]
		case isWord(c):
			size := 1
			for size < len(text) && (isWord(text[size]) || text[size] == '.') {
				size++
			}
			if c >= '0' && c <= '9' || size > longestWord {
				n += size
			}
			text = text[size:]
		default:
			text = text[1:]
		}
	}
	return n
}

func isWord(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= 0x80
}

// quoted returns the bytes of the text in quotes at the beginning of a program: up to its end, or to the end of the line or program
// where it has none.
func quoted(text string) int {
	mark := text[:1]
	if strings.HasPrefix(text, strings.Repeat(mark, 3)) {
		mark = text[:3]
	}
	for i := len(mark); i < len(text); i++ {
		switch {
		case text[i] == '\\':
			i++
		case strings.HasPrefix(text[i:], mark):
			return i + len(mark)
		case text[i] == '\n' && len(mark) == 1:
			return i
		}
	}
	return len(text)
}
