package metrics

// Registry returns the metrics in the order of table columns. A metric is one
// file and one line here.
func Registry() []Entry {
	return []Entry{
		accuracyEntry,
		eceEntry,
		eceNullEntry,
		aeceEntry,
		aeceNullEntry,
		nllEntry,
		brierEntry,
		brierTopEntry,
		gapEntry,
		argmaxChangeEntry,
		aurocEntry,
		aurcEntry,
		mceEntry,
		mce30Entry,
		ksEntry,
		eceDebiasedEntry,
		eceSweepEntry,
		smECEEntry,
		eceTMEntry,
		eceClasswiseEntry,
		miouEntry,
	}
}

// Lookup returns the entry with the given name.
func Lookup(name string) (Entry, bool) {
	for _, e := range Registry() {
		if e.Name == name {
			return e, true
		}
	}
	return Entry{}, false
}
