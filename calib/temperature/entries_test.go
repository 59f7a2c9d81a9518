package temperature

import "github.com/qats-bench/qats/calib"

// lookup returns the entry of a method of this package.
func lookup(name string) calib.Entry {
	for _, e := range []calib.Entry{BTSEntry, CBTEntry, CTSEntry, ECEntry, ETSEntry, HTSEntry, TConfEntry, TEntropyEntry, TGapEntry, TSECEGridEntry, TSGuo50Entry, TTATSEntry} {
		if e.Name == name {
			return e
		}
	}
	panic("no method " + name)
}
