package table

import "strings"

// escapes are the characters that LaTeX does not print as they are, and some that
// are not ASCII.
var escapes = map[rune]string{
	'\\': "\\textbackslash{}", '{': "\\{", '}': "\\}", '#': "\\#", '$': "\\$", '%': "\\%", '&': "\\&",
	'_': "\\_", '~': "\\textasciitilde{}", '^': "\\textasciicircum{}", '<': "\\textless{}", '>': "\\textgreater{}",
	'|': "\\textbar{}", '"': "''", '`': "{}`",
	'\u2013': "--", '\u2014': "---", '\u2018': "`", '\u2019': "'", '\u201c': "``", '\u201d': "''", '\u2026': "\\dots{}",
	'\u00d7': "$\\times$", '\u00b1': "$\\pm$", '\u2264': "$\\le$", '\u2265': "$\\ge$", '\u2192': "$\\to$",
	'\u2021': "$^\\ddagger$", '\u22c6': "$^\\star$",
	'\u00e4': "\\\"a", '\u00f6': "\\\"o", '\u00fc': "\\\"u", '\u00df': "\\ss{}", '\u00e9': "\\'e", '\u00e8': "\\`e",
}

// Escape returns plain text as LaTeX in ASCII. Control characters become spaces.
// Two hyphens stay two hyphens.
func Escape(s string) string {
	var b strings.Builder
	var before rune
	for _, r := range s {
		switch e, ok := escapes[r]; {
		case ok:
			b.WriteString(e)
		case r == '-' && before == '-':
			b.WriteString("{}-")
		case r < ' ' || r == 0x7f:
			b.WriteByte(' ')
		case r > 0x7f:
			b.WriteByte('?')
		default:
			b.WriteRune(r)
		}
		before = r
	}
	return b.String()
}

// labelRune replaces the characters that not every package accepts in the key of a \label.
func labelRune(r rune) rune {
	if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '-' {
		return r
	}
	return '-'
}
