package calib

import "slices"

// Registry returns every method, in the order of table columns. Adding a
// method is one file and one line here. The entries and their aliases are the
// caller's own; a number that an option of Method points to is shared: read it only.
func Registry() []Entry {
	list := []Entry{
		uncalEntry,
		tsEntry,
		tsGuo50Entry,
		tsECEGridEntry,
		ecEntry,
		ctsEntry,
		etsEntry,
		irEntry,
		irTopEntry,
		irOVAEntry,
		cirEntry,
		ivapEntry,
		cvapEntry,
		hbEntry,
		hbMassEntry,
		hbTopEntry,
		bbqEntry,
		scalingBinningEntry,
		scalingBinningTopEntry,
		splineEntry,
		smoothingSplineEntry,
		kernelEntry,
		plattEntry,
		plattLogitsEntry,
		quadraticEntry,
		betaEntry,
		vsEntry,
		svsEntry,
		smsEntry,
		dirichletEntry,
		msODIREntry,
		ttaTSEntry,
		adatsEntry,
		htsEntry,
		btsEntry,
		cbtEntry,
		ptsEntry,
		smartEntry,
		hCalEntry,
		gcEntry,
		gcSplitEntry,
		featClipEntry,
		dacEntry,
		proCalEntry,
		proCalBinsEntry,
		hfeEntry,
		hfeNoOODEntry,
		hfeTargetEntry,
		labelShiftEntry,
		qatsEntry,
		qatsPWEntry,
		qatsFreeEntry,
		qatsPWFreeEntry,
		qatsTransductiveEntry,
		qatsReadingEntry,
		tConfEntry,
		tEntropyEntry,
		tGapEntry,
	}
	for i := range list {
		list[i].Aliases = slices.Clone(list[i].Aliases)
	}
	return list
}

// Lookup returns the method of the given name, and whether there is one.
func Lookup(name string) (Entry, bool) {
	for _, e := range Registry() {
		if e.Name == name {
			return e, true
		}
	}
	return Entry{}, false
}
