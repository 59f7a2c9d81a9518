package table

import (
	"strconv"
	"strings"
)

// Signed is Fixed with a plus sign before a number that prints above zero.
func Signed(v float64, digits int) string { return Plus(Fixed(v, digits)) }

// Plus sets a plus sign before a printed number above zero.
func Plus(text string) string {
	if Parse(text) > 0 {
		return "+" + text
	}
	return text
}

// Fixed prints v with the given number of decimals, and never as a negative zero.
func Fixed(v float64, digits int) string {
	text := strconv.FormatFloat(v, 'f', digits, 64)
	if strings.Trim(text, "-0.") == "" {
		text = strings.TrimPrefix(text, "-")
	}
	return text
}

// Parse reads a number that Fixed has printed.
func Parse(text string) float64 {
	v, _ := strconv.ParseFloat(text, 64)
	return v
}
