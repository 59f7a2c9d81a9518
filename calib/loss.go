package calib

import (
	"context"
	"fmt"
	"sync"

	"github.com/qats-bench/qats/calib/internal/fit"
)

// RowTemperature is a family of temperatures with p parameters theta. The temperature of row i is
//
//	T_i = g(x_i),  rate = g'(x_i),  bend = g''(x_i)/g'(x_i),
//
// where x_i depends on theta. It returns T_i, in [1e-50, 1e50], with rate and bend, and
// writes the p derivatives of x_i in theta to slope. If x_i is the temperature itself,
// rate is 1 and bend 0. Where T_i is at a limit, both are 0. Several goroutines call
// it at a time, more than once for a row.
type RowTemperature func(i int, theta, slope []float64) (t, rate, bend float64)

// TemperatureLoss is the mean NLL of a calibration set, in nats, as a function of
// the temperature of every row,
//
//	1/n sum_i -log softmax(l_i/T_i)_{y_i}.
//
// HTS, DAC and methods of your own whose temperature depends on the row minimise it. It
// keeps nothing of a row, and belongs to one fit.
//
// Other methods with temperatures do not use it. qats and its variants, t-conf, t-entropy
// and t-gap have the solver of MinimiseInBox too, but fit.Curve sums the derivatives of
// their lines: it is faster, and the last pass of ts is its first. hfe and
// qats-reading by the Brier score do not minimise the NLL, so they call MinimiseInBox. The bins of
// bts and cbt are fits of one temperature each, and so is the first stage of ets: a search
// in a bracket is exact there and takes fewer passes. The networks of adats, pts and smart
// and the groups of gc have too many parameters for Newton's method.
type TemperatureLoss struct {
	rows *fit.Objective
}

// NewTemperatureLoss returns the loss of in.Cal, or of in.Stream. It returns an
// error if the set is empty or a row has no label.
func NewTemperatureLoss(in Input) (*TemperatureLoss, error) {
	o, err := in.objective()
	if err != nil {
		return nil, err
	}
	return &TemperatureLoss{o}, nil
}

// Temperature returns the one temperature with the least loss, within the bounds of
// TemperatureScaling, from which many methods start.
func (l *TemperatureLoss) Temperature(ctx context.Context) (float64, error) {
	t, _, err := fit.Temperature(ctx, l.rows)
	return t, err
}

// Passes returns how many times the calibration set was read; see Report.Passes.
func (l *TemperatureLoss) Passes() float64 { return l.rows.Passes }

// Minimise returns the parameters of the family of with the least loss; see
// MinimiseInBox.
func (l *TemperatureLoss) Minimise(ctx context.Context, of RowTemperature, starts [][]float64, box []Range, unit float64) (Minimum, error) {
	return MinimiseInBox(func(theta []float64) (Local, error) { return l.At(ctx, of, theta) }, starts, box, unit)
}

// At returns the loss near the parameters theta of the family of: one pass. The gradient
// is exact. The Hessian leaves out the second derivatives of x_i, so it is exact if x_i is
// linear in the parameters; MinimiseInBox needs more steps otherwise.
//
// The bits do not depend on the number of processors.
func (l *TemperatureLoss) At(ctx context.Context, of RowTemperature, theta []float64) (Local, error) {
	n, p := l.rows.Rows(), len(theta)
	wrong := wrongTemperature{row: n}
	scale := func(dst []float64, lo int) []float64 {
		slope := make([]float64, p)
		for i := range dst {
			t, _, _ := of(lo+i, theta, slope)
			if !fit.Usable(t) {
				wrong.add(lo+i, t)
				t = 1
			}
			dst[i] = 1 / t
		}
		return dst
	}
	total, err := l.rows.Sums(ctx, scale, 1+p+p*p, func(b *fit.RowBlock, sum []float64) {
		block, slope := make([]float64, len(sum)), make([]float64, p)
		for i := range b.Moments {
			_, rate, bend := of(b.First+i, theta, slope)
			first, second := b.InTemperature(i)
			fit.AddRow(block, slope, first, second, rate, bend)
		}
		block[0] = b.NLL()
		fit.AddTo(sum, 1, block)
	})
	if err == nil {
		err = wrong.err(n)
	}
	if err != nil {
		return Local{}, err
	}
	return fit.MeanOf(total, n, p), nil
}

// wrongTemperature is the first row whose temperature cannot be used.
type wrongTemperature struct {
	sync.Mutex
	row int
	t   float64
}

func (w *wrongTemperature) add(row int, t float64) {
	w.Lock()
	defer w.Unlock()
	if row < w.row {
		w.row, w.t = row, t
	}
}

func (w *wrongTemperature) err(n int) error {
	if w.row == n {
		return nil
	}
	return fmt.Errorf("row %d: temperature %v: want one in [1e-50, 1e50]", w.row, w.t)
}
