package engine

import "fmt"

// Guard calls f and turns a panic, which is a mistake of this program, into an
// error: one method fails and the others go on.
func Guard(f func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("internal error: %v", p)
		}
	}()
	return f()
}
