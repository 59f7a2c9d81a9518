package method

import (
	"github.com/qats-bench/qats/calib"
	"github.com/qats-bench/qats/calib/internal/fit"
)

// maxBins is far above any use.
const maxBins = 1000

// BinsOption is the option of methods that put confidences into bins.
func BinsOption(bins *int) []calib.Option {
	return []calib.Option{calib.IntOption("bins", bins, 15, 1, maxBins, "number of bins of confidence")}
}

// Ready returns m with its defaults, after a check of the labelled calibration set.
func Ready[M any](m M, in calib.Input) (M, error) {
	m, err := calib.WithDefaults(m)
	if err == nil {
		err = fit.CheckLabelled(in.Cal)
	}
	return m, err
}
