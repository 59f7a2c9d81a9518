package calib

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
)

// Parameter is a number of a fitted map with a name, such as T of ts.
type Parameter struct {
	Name  string
	Value float64
}

// The most numbers of one list, and of one map, that Parameters names. Longer
// lists are curves and weights, which no reader looks at number by number.
const (
	mostListed = 16
	mostNamed  = 40
)

// symbols are the names of lists in formulas and in bounds, where they are not
// the keys of model.json.
var symbols = map[string]string{"knots": "t"}

// sizes are keys of numbers that describe the arrays or the form of a map, and are
// not fitted.
var sizes = []string{"features", "classes", "hidden", "inputs", "sides"}

// Parameters returns the numbers under "params" in the text of a model.json, in
// the order of the file. A number in a list is named by its place, from 1: t_1.
// A number in an object has the names of both: correct.mean. Lists of more than
// 16 numbers, lists of lists and text, such as an ecdf, are left out, and so are
// sizes. A map of more than 40 numbers has none.
func Parameters(model []byte) ([]Parameter, error) {
	var saved struct {
		Params json.RawMessage `json:"params"`
	}
	if err := json.Unmarshal(model, &saved); err != nil {
		return nil, fmt.Errorf("not a model: %w", err)
	}
	list, err := numbersUnder("", saved.Params)
	if err != nil {
		return nil, fmt.Errorf("params: %w", err)
	}
	if len(list) > mostNamed {
		return nil, nil
	}
	return list, nil
}

// numbersUnder returns the numbers of an object.
func numbersUnder(prefix string, object json.RawMessage) ([]Parameter, error) {
	if len(object) == 0 || object[0] != '{' {
		return nil, nil
	}
	d := json.NewDecoder(bytes.NewReader(object))
	if _, err := d.Token(); err != nil { // the brace
		return nil, err
	}
	var list []Parameter
	for d.More() {
		key, err := d.Token()
		if err != nil {
			return nil, err
		}
		var value json.RawMessage
		if err := d.Decode(&value); err != nil {
			return nil, err
		}
		name := fmt.Sprint(key)
		if slices.Contains(sizes, name) {
			continue
		}
		if s, ok := symbols[name]; ok {
			name = s
		}
		name = prefix + name
		var number float64
		var numbers []float64
		switch {
		case value[0] == '{':
			inner, err := numbersUnder(name+".", value)
			if err != nil {
				return nil, err
			}
			list = append(list, inner...)
		case value[0] == '[' && json.Unmarshal(value, &numbers) == nil && len(numbers) <= mostListed:
			for i, x := range numbers {
				list = append(list, Parameter{name + "_" + strconv.Itoa(i+1), x})
			}
		case string(value) != "null" && json.Unmarshal(value, &number) == nil:
			list = append(list, Parameter{name, number})
		}
	}
	return list, nil
}
