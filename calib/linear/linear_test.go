package linear

import (
	"testing"
)

func TestMatricesHaveALimitOfClasses(t *testing.T) {
	for k, good := range map[int]bool{2: true, mostMatrixClasses: true, mostMatrixClasses + 1: false} {
		if err := checkMatrixClasses("m", k); (err == nil) != good {
			t.Errorf("%d classes: %v", k, err)
		}
	}
}
