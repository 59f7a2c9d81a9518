package results

import "io"

var pairsFormat = format[Pair]{
	columns: append(append([]string{}, cellColumns...), "method", "against", "metric", "difference", "lo", "hi", "n", "source"),
	fields: func(p Pair) []string {
		return append(p.Cell.fields(), p.Method, p.Against, p.Metric, formatNumber(p.Difference),
			formatNumber(p.Lo), formatNumber(p.Hi), formatCount(p.N), p.Source)
	},
	parse: func(row *row) Pair {
		return Pair{
			Cell: row.cell(), Method: row.text(), Against: row.text(), Metric: row.text(),
			Difference: row.number(), Lo: row.number(), Hi: row.number(), N: row.count(), Source: row.text(),
		}
	},
	check:    checkPair,
	identity: func(p Pair) []string { return append(p.Cell.fields(), p.Method, p.Against, p.Metric) },
}

// WritePairs replaces the file at path by the pairs, in their order.
func WritePairs(path string, pairs []Pair) error { return pairsFormat.writeFile(path, pairs) }

// ReadPairs reads what WritePairs wrote. An error names file, line and column.
func ReadPairs(path string) ([]Pair, error) { return pairsFormat.readFile(path) }

// DecodePairs is ReadPairs from a stream that errors are to call name.
func DecodePairs(r io.Reader, name string) ([]Pair, error) { return pairsFormat.read(r, name) }

func checkPair(p Pair) error {
	if err := p.Cell.check(); err != nil {
		return err
	}
	if err := checkID("method", p.Method); err != nil {
		return err
	}
	if err := checkID("against", p.Against); err != nil {
		return err
	}
	if p.Against == p.Method {
		return faultf("against", "%s is compared with itself", p.Method)
	}
	if err := checkID("metric", p.Metric); err != nil {
		return err
	}
	lo, hi := limits(p.Metric)
	width := hi - lo // of a difference of two values; infinite where there is no limit
	for _, c := range []struct {
		column string
		x      float64
	}{{"difference", p.Difference}, {"lo", p.Lo}, {"hi", p.Hi}} {
		if err := checkRange(c.column, c.x, -width, width); err != nil {
			return err
		}
	}
	// The difference itself may lie outside a bias-corrected interval.
	if round(p.Hi) < round(p.Lo) {
		return faultf("hi", "%s is below lo, %s", formatNumber(p.Hi), formatNumber(p.Lo))
	}
	if p.N < 1 {
		return faultf("n", "a difference over %d rows", p.N)
	}
	return checkSource(p.Source)
}
