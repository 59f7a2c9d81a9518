// Package all is the list of the calibrators of this project. Programs import it; package
// calib and the families of methods below it do not.
package all

import (
	"slices"

	"github.com/qats-bench/qats/calib"
	"github.com/qats-bench/qats/calib/binning"
	"github.com/qats-bench/qats/calib/features"
	"github.com/qats-bench/qats/calib/isotonic"
	"github.com/qats-bench/qats/calib/linear"
	"github.com/qats-bench/qats/calib/neighbours"
	"github.com/qats-bench/qats/calib/network"
	"github.com/qats-bench/qats/calib/quantile"
	"github.com/qats-bench/qats/calib/splines"
	"github.com/qats-bench/qats/calib/temperature"
)

// Registry returns every method, in the order of table columns. Adding a
// method is one file in the package of its family and one line here. The facts of an entry are
// those of the doc comment of its type. The entries and their aliases are the caller's own; a
// number that an option of Method points to is shared: read it only.
func Registry() []calib.Entry {
	list := []calib.Entry{
		calib.UncalEntry,
		calib.TSEntry,
		temperature.TSGuo50Entry,
		temperature.TSECEGridEntry,
		temperature.ECEntry,
		temperature.CTSEntry,
		temperature.ETSEntry,
		isotonic.IREntry,
		isotonic.IRTopEntry,
		isotonic.IROVAEntry,
		isotonic.CIREntry,
		isotonic.IVAPEntry,
		isotonic.CVAPEntry,
		binning.HBEntry,
		binning.HBMassEntry,
		binning.HBTopEntry,
		binning.BBQEntry,
		binning.ScalingBinningEntry,
		binning.ScalingBinningTopEntry,
		binning.BaseRateEntry,
		binning.BaseRateTopEntry,
		splines.SplineEntry,
		linear.PlattTopEntry,
		linear.BetaTopEntry,
		temperature.TSTopEntry,
		quantile.QaTSTopEntry,
		splines.SmoothingSplineEntry,
		neighbours.KernelEntry,
		linear.PlattEntry,
		linear.PlattLogitsEntry,
		linear.QuadraticEntry,
		linear.QuadraticRidgeEntry,
		linear.BetaEntry,
		linear.VSEntry,
		linear.SVSEntry,
		linear.SMSEntry,
		linear.DirichletEntry,
		linear.MSODIREntry,
		temperature.TTATSEntry,
		network.AdaTSEntry,
		temperature.HTSEntry,
		temperature.HTSBoundedEntry,
		temperature.BTSEntry,
		temperature.CBTEntry,
		network.PTSEntry,
		network.SMARTEntry,
		network.HCalEntry,
		features.GCEntry,
		features.GCSplitEntry,
		features.FeatClipEntry,
		neighbours.DACEntry,
		neighbours.ProCalEntry,
		neighbours.ProCalBinsEntry,
		features.HFEEntry,
		features.HFENoOODEntry,
		features.HFETargetEntry,
		linear.LabelShiftEntry,
		calib.QaTSEntry,
		quantile.QaTSPWEntry,
		quantile.QaTSFreeEntry,
		quantile.QaTSPWFreeEntry,
		quantile.QaTSTransductiveEntry,
		quantile.QaTSReadingEntry,
		temperature.TConfEntry,
		temperature.TEntropyEntry,
		temperature.TGapEntry,
	}
	for i := range list {
		list[i].Aliases = slices.Clone(list[i].Aliases)
		list[i].Sheet = factsOf[list[i].Name]
	}
	return list
}

// Lookup returns the method of the given name, and whether there is one.
func Lookup(name string) (calib.Entry, bool) {
	for _, e := range Registry() {
		if e.Name == name {
			return e, true
		}
	}
	return calib.Entry{}, false
}
