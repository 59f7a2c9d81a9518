package calib

import (
	"fmt"
	"reflect"
)

// decodeInts stands for the YAML decoder of a spec: it sets the fields of an
// options struct by their yaml tags.
func decodeInts(options map[string]int) func(any) error {
	return func(v any) error {
		s := reflect.ValueOf(v).Elem()
		for name, value := range options {
			found := false
			for i := range s.NumField() {
				if s.Type().Field(i).Tag.Get("yaml") == name {
					field := s.Field(i)
					if field.Kind() == reflect.Pointer {
						field.Set(reflect.New(field.Type().Elem()))
						field = field.Elem()
					}
					field.SetInt(int64(value))
					found = true
				}
			}
			if !found {
				return fmt.Errorf("unknown option %q", name)
			}
		}
		return nil
	}
}

// DecodeInts is decodeInts for tests outside the package.
var DecodeInts = decodeInts
