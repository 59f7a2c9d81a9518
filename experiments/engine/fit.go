package engine

import (
	"context"
	"time"

	"github.com/qats-bench/qats/calib"
	"github.com/qats-bench/qats/data"
	"github.com/qats-bench/qats/internal/cputime"
	"github.com/qats-bench/qats/internal/kernel/cpu"
	"github.com/qats-bench/qats/results"
)

// Input returns what a method of a contract is fitted on: the arrays that it names of the
// calibration set and of the deployment domain, and no others. A set that the contract does
// not name may be nil.
func Input(c calib.Contract, cal, target *data.Set) (in calib.Input) {
	if c.Cal != 0 && cal != nil {
		in.Cal = cal.View(c.Cal)
	}
	if c.Target != 0 {
		in.Target = target.View(c.Target)
	}
	return in
}

// Stream returns the calibration set of a reader as a stream, which takes it over, if the method
// takes one and the set alone needs more bytes than the limit, else nil. The fit has the same bits
// either way.
func Stream(r data.Reader, c calib.Contract, limit int64) *data.Stream {
	if !c.Streams || r.Bytes() <= limit {
		return nil
	}
	return data.NewStream(r)
}

// Fit fits a method, and returns the processor time beside the fit.
func Fit(ctx context.Context, m calib.Method, in calib.Input) (*calib.Fitted, results.Time, error) {
	var fitted *calib.Fitted
	took, known, err := cputime.Measure(ctx, func(ctx context.Context) (err error) {
		fitted, err = calib.FitInput(ctx, m, in)
		return err
	})
	spent := TimeOf(took, known, in)
	spent.Instructions = cpu.Best().String()
	return fitted, spent, err
}

// TimeOf returns the time of a fit as times.csv has it. No other number depends on it.
func TimeOf(spent time.Duration, known bool, in calib.Input) results.Time {
	t := results.Time{Seconds: spent.Seconds(), Known: known, Processor: cpu.Model()}
	switch {
	case in.Stream != nil:
		t.Rows, t.Classes = in.Stream.Rows(), in.Stream.Classes()
	case in.Cal != nil:
		t.Rows, t.Classes = in.Cal.Len(), in.Cal.K()
	}
	return t
}
