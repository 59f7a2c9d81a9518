package table

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"io"

	"github.com/qats-bench/qats/results/internal/csvfile"
)

// CSV writes the keys of the columns and a line for each row. Numbers have nine
// significant digits; a cell without a value is empty. A text that a spreadsheet would take
// for a formula begins with an apostrophe.
func (t *Table) CSV(w io.Writer) error {
	out := csv.NewWriter(w)
	line := []string{}
	for _, j := range t.keyed() {
		line = append(line, t.Columns[j].Key)
	}
	out.Write(line)
	for _, r := range t.Rows {
		if r.Total || r.Wide {
			continue
		}
		line = line[:0]
		for _, j := range t.keyed() {
			text := ""
			switch v := r.Cells[j].Value.(type) {
			case nil:
			case float64:
				if digits, ok := significant(v); ok {
					text = digits
				}
			case string:
				text = csvfile.PlainText(v)
			default:
				text = fmt.Sprint(v)
			}
			line = append(line, text)
		}
		out.Write(line)
	}
	out.Flush()
	return out.Error()
}

// JSON writes an object on a line of its own for each row, with the keys of the columns
// in their order. Numbers have nine significant digits; a cell without a value, NaN and
// infinities are null.
func (t *Table) JSON(w io.Writer) error {
	for _, r := range t.Rows {
		if r.Total || r.Wide {
			continue
		}
		line := []byte{'{'}
		for i, j := range t.keyed() {
			if i > 0 {
				line = append(line, ',')
			}
			value, err := jsonOf(r.Cells[j].Value)
			if err != nil {
				return err
			}
			line = fmt.Appendf(line, "%q:%s", t.Columns[j].Key, value)
		}
		if _, err := w.Write(append(line, "}\n"...)); err != nil {
			return err
		}
	}
	return nil
}

func jsonOf(v any) ([]byte, error) {
	if x, ok := v.(float64); ok {
		text, ok := significant(x)
		if !ok {
			text = "null"
		}
		return []byte(text), nil
	}
	var b bytes.Buffer
	err := WriteJSON(&b, []any{v})
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), err
}
