package pool

import (
	"context"
	"errors"
	"testing"
)

// Of several errors the one of the lowest task is returned, in any order of time.
func TestReturnsTheErrorOfTheLowestTask(t *testing.T) {
	first, second := errors.New("first"), errors.New("second")
	met := make(chan bool)
	err := Each(context.Background(), 100, 2, func(_, task int) error {
		switch task {
		case 0:
			<-met
			return first
		case 1:
			defer close(met)
			return second
		}
		return nil
	})
	if err != first {
		t.Errorf("got %v", err)
	}
}
