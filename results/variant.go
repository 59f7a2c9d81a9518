package results

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/qats-bench/qats/results/internal/csvfile"
)

// Variant says how the sets of a setting differ from the arrays that they are made of. The
// zero Variant is of sets as they are. At most one field is set, as a spec has one of the
// keys rescale, splits and test_shares.
type Variant struct {
	Rescale    float64 // factor on the test logits, above 0; 0 for none
	Split      int     // number, from 1, of the draw of both sets from their union; 0 for none
	TestShares bool    // test rows are thinned out to the class shares of the calibration set
}

const (
	rescaleText    = "rescale="
	splitText      = "split="
	testSharesText = "test_shares=calibration"
)

// String returns the variant as the column of the files has it: "rescale=2", "split=7",
// "test_shares=calibration", or nothing for sets as they are.
func (v Variant) String() string {
	switch {
	case v.Rescale != 0:
		return rescaleText + strconv.FormatFloat(v.Rescale, 'g', -1, 64)
	case v.Split != 0:
		return splitText + strconv.Itoa(v.Split)
	case v.TestShares:
		return testSharesText
	}
	return ""
}

// ParseVariant returns the variant of a text that String returns. Another text, such as
// "rescale=2.0", is an error.
func ParseVariant(text string) (Variant, error) {
	var v Variant
	if factor, ok := strings.CutPrefix(text, rescaleText); ok {
		v.Rescale, _ = strconv.ParseFloat(factor, 64)
	} else if draw, ok := strings.CutPrefix(text, splitText); ok {
		v.Split, _ = strconv.Atoi(draw)
	} else {
		v.TestShares = text == testSharesText
	}
	if v.String() != text || v.check() != nil {
		return Variant{}, fmt.Errorf("%q is none of %sFACTOR, %sDRAW, %s", text, rescaleText, splitText, testSharesText)
	}
	return v, nil
}

// MarshalText returns String.
func (v Variant) MarshalText() ([]byte, error) { return []byte(v.String()), nil }

// UnmarshalText is ParseVariant.
func (v *Variant) UnmarshalText(text []byte) (err error) {
	*v, err = ParseVariant(string(text))
	return err
}

// check returns an error for a factor or a draw that no setting has, and for two changes.
func (v Variant) check() error {
	set := 0
	for _, given := range []bool{v.Rescale != 0, v.Split != 0, v.TestShares} {
		if given {
			set++
		}
	}
	switch {
	case set > 1:
		return csvfile.Fault("variant", "more than one of rescale, split and test_shares")
	case v.Rescale != 0:
		return csvfile.CheckRange("variant", v.Rescale, 1e-300, 1e300)
	case v.Split < 0:
		return csvfile.Fault("variant", "draw %d is negative", v.Split)
	}
	return nil
}
