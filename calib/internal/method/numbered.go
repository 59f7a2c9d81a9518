package method

import (
	"fmt"

	"github.com/qats-bench/qats/calib"
)

// Numbered returns parameters of one meaning that are named by their place, from 1 on.
func Numbered(name, meaning string, values []float64) []calib.Parameter {
	list := make([]calib.Parameter, len(values))
	for i, v := range values {
		list[i] = calib.Parameter{Name: fmt.Sprintf(name, i+1), Value: v, Meaning: meaning}
	}
	return list
}
