package table

import (
	"encoding/json"
	"io"
)

// WriteJSON writes each value of a list as JSON on a line of its own.
func WriteJSON[T any](w io.Writer, list []T) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	for _, v := range list {
		if err := e.Encode(v); err != nil {
			return err
		}
	}
	return nil
}
