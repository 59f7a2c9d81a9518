package results

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/qats-bench/qats/results/internal/csvfile"
)

// Variant says how the sets of a setting differ from the arrays that they are made of. The
// zero Variant is of sets as they are. At most one field is set, as a spec has one of the
// keys rescale, splits, test_shares and seeds.
type Variant struct {
	Rescale    float64 // factor on the test logits, above 0; 0 for none
	Split      int     // number, from 1, of the draw of both sets from their union; 0 for none
	TestShares bool    // test rows are thinned out to the class shares of the calibration set
	Training   int     // 1 + the seed of the network's training, where there are several; 0 for none
}

const (
	rescaleText    = "rescale="
	splitText      = "split="
	testSharesText = "test_shares=calibration"
	seedText       = "seed="
)

// String returns the variant as the column of the files has it: "rescale=2", "split=7",
// "test_shares=calibration", "seed=0", or nothing for sets as they are.
func (v Variant) String() string {
	switch {
	case v.Rescale != 0:
		return rescaleText + strconv.FormatFloat(v.Rescale, 'g', -1, 64)
	case v.Split != 0:
		return splitText + strconv.Itoa(v.Split)
	case v.TestShares:
		return testSharesText
	case v.Training != 0:
		return seedText + strconv.Itoa(v.Training-1)
	}
	return ""
}

// Seed returns the variant of a training with a seed, from 0.
func Seed(seed int) Variant { return Variant{Training: seed + 1} }

// ParseVariant returns the variant of a text that String returns. Another text, such as
// "rescale=2.0", is an error.
func ParseVariant(text string) (Variant, error) {
	var v Variant
	if factor, ok := strings.CutPrefix(text, rescaleText); ok {
		v.Rescale, _ = strconv.ParseFloat(factor, 64)
	} else if draw, ok := strings.CutPrefix(text, splitText); ok {
		v.Split, _ = strconv.Atoi(draw)
	} else if seed, ok := strings.CutPrefix(text, seedText); ok {
		n, err := strconv.Atoi(seed)
		if v.Training = n + 1; err != nil || n < 0 {
			v.Training = 0 // which no text names
		}
	} else {
		v.TestShares = text == testSharesText
	}
	if v.String() != text || v.check() != nil {
		return Variant{}, fmt.Errorf("%q is none of %sFACTOR, %sDRAW, %s, %sSEED", text, rescaleText, splitText, testSharesText, seedText)
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
	for _, given := range []bool{v.Rescale != 0, v.Split != 0, v.TestShares, v.Training != 0} {
		if given {
			set++
		}
	}
	switch {
	case set > 1:
		return csvfile.Fault("variant", "more than one of rescale, split, test_shares and seed")
	case v.Rescale != 0:
		return csvfile.CheckRange("variant", v.Rescale, 1e-300, 1e300)
	case v.Split < 0:
		return csvfile.Fault("variant", "draw %d is negative", v.Split)
	case v.Training < 0:
		return csvfile.Fault("variant", "seed %d is negative", v.Training-1)
	}
	return nil
}
