package calib

import "fmt"

// setInts returns a function that sets whole-number options by name, as a spec does.
func setInts(values map[string]int) func([]Option) error {
	return func(all []Option) error {
		set := 0
		for _, o := range all {
			if v, ok := values[o.Name]; ok {
				set++
				if err := o.Set(v); err != nil {
					return fmt.Errorf("%s: %w", o.Name, err)
				}
			}
		}
		if set < len(values) {
			return fmt.Errorf("unknown options among %v", values)
		}
		return nil
	}
}

// SetInts is setInts for tests outside the package.
var SetInts = setInts
