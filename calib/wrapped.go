package calib

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// wrapping is a map that applies another map and changes what that map reads or returns: by a divisor, by ends or by a
// mass. In JSON it is the inner map with one key more.
type wrapping interface{ wrapped() Map }

// inner returns the map that a method fitted, out of all that wraps it.
func inner(m Map) Map {
	for {
		w, ok := m.(wrapping)
		if !ok {
			return m
		}
		m = w.wrapped()
	}
}

// withKey returns a map in JSON with one more key, which is the first.
func withKey(key string, value any, m Map) ([]byte, error) {
	text, err := json.Marshal(value)
	if err != nil {
		return nil, err
	}
	inner, err := json.Marshal(m)
	if err != nil {
		return nil, err
	}
	comma := ","
	if string(inner) == "{}" {
		comma = ""
	}
	return fmt.Appendf(nil, `{%q:%s%s%s`, key, text, comma, bytes.TrimPrefix(inner, []byte("{"))), nil
}

// withoutKey returns saved parameters without a key, and its value. value is nil if the key is absent. It is
// also nil if params are no object; the decoder of the map says so later.
func withoutKey(key string, params []byte) (bare []byte, value json.RawMessage, err error) {
	if !bytes.Contains(params, []byte(`"`+key+`"`)) {
		return params, nil, nil
	}
	keys := map[string]json.RawMessage{}
	if json.Unmarshal(params, &keys) != nil || keys[key] == nil {
		return params, nil, nil
	}
	value = keys[key]
	delete(keys, key)
	bare, err = json.Marshal(keys)
	return bare, value, err
}
