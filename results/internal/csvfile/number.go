package csvfile

import (
	"math"
	"strconv"
)

// digits is the number of significant digits: enough to tell any two float32 apart,
// and few enough to hide the differences between processors.
const digits = 9

// FormatNumber returns a finite x with at most nine significant digits, without
// trailing zeros: in plain decimals if its magnitude is in [1e-9, 1e15), and with
// an exponent otherwise. Two numbers that are equal to nine digits have the same
// text.
func FormatNumber(x float64) string {
	if a := math.Abs(x); a >= 1e-4 && a < 1e8 {
		return strconv.FormatFloat(x, 'g', digits, 64) // the same text, found faster
	}
	return formatRounded(Round(x))
}

func formatRounded(x float64) string {
	form := byte('f')
	if a := math.Abs(x); a != 0 && (a < 1e-9 || a >= 1e15) {
		form = 'e'
	}
	return strconv.FormatFloat(x, form, -1, 64)
}

// FormatCount returns the decimal digits of n, and nothing for 0.
func FormatCount(n int) string {
	if n == 0 {
		return ""
	}
	return strconv.Itoa(n)
}

// Round returns the float64 nearest to x rounded to nine significant digits,
// with +0 for either zero. NaN and infinities stay.
func Round(x float64) float64 {
	y, err := strconv.ParseFloat(strconv.FormatFloat(x, 'e', digits-1, 64), 64)
	if err != nil { // at the end of the range of float64, rounding up overflows
		return x
	}
	if y == 0 {
		return 0
	}
	return y
}
