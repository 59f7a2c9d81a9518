package results

import (
	"io"
	"strconv"
)

var binsFormat = format[Bin]{
	columns: append(append([]string{}, cellColumns...), "method", "binning", "bin", "lo", "hi", "n", "conf", "acc", "source"),
	fields: func(b Bin) []string {
		return append(b.Cell.fields(), b.Method, b.Binning, strconv.Itoa(b.Bin), formatNumber(b.Lo), formatNumber(b.Hi),
			strconv.Itoa(b.N), formatNumber(b.Conf), formatNumber(b.Acc), b.Source)
	},
	parse: func(row *row) Bin {
		return Bin{
			Cell: row.cell(), Method: row.text(), Binning: row.text(), Bin: row.count(),
			Lo: row.number(), Hi: row.number(), N: row.count(),
			Conf: row.number(), Acc: row.number(), Source: row.text(),
		}
	},
	check: checkBin,
	identity: func(b Bin) []string {
		return append(b.Cell.fields(), b.Method, b.Binning, strconv.Itoa(b.Bin))
	},
}

// WriteBins replaces the file at path by the bins, in their order. Empty bins
// have rows too: n, conf and acc are 0.
func WriteBins(path string, bins []Bin) error { return binsFormat.writeFile(path, bins) }

// ReadBins reads what WriteBins wrote. An error names file, line and column.
func ReadBins(path string) ([]Bin, error) { return binsFormat.readFile(path) }

// EncodeBins is WriteBins to a stream.
func EncodeBins(w io.Writer, bins []Bin) error { return binsFormat.write(w, bins) }

// DecodeBins is ReadBins from a stream that errors are to call name.
func DecodeBins(r io.Reader, name string) ([]Bin, error) { return binsFormat.read(r, name) }

func checkBin(b Bin) error {
	if err := b.Cell.check(); err != nil {
		return err
	}
	if err := checkID("method", b.Method); err != nil {
		return err
	}
	if err := checkID("binning", b.Binning); err != nil {
		return err
	}
	if b.Bin < 0 {
		return faultf("bin", "%d is negative", b.Bin)
	}
	if b.N < 0 {
		return faultf("n", "%d is negative", b.N)
	}
	for _, c := range []struct {
		column string
		x      float64
	}{{"lo", b.Lo}, {"hi", b.Hi}, {"conf", b.Conf}, {"acc", b.Acc}} {
		if err := checkRange(c.column, c.x, 0, 1); err != nil {
			return err
		}
	}
	if round(b.Hi) < round(b.Lo) {
		return faultf("hi", "%s is below lo, %s", formatNumber(b.Hi), formatNumber(b.Lo))
	}
	if b.N == 0 && (b.Conf != 0 || b.Acc != 0) {
		return faultf("n", "no rows, but conf or acc is not 0")
	}
	return checkSource(b.Source)
}
