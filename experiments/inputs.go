package experiments

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"slices"

	"github.com/qats-bench/qats/calib/report"
	"github.com/qats-bench/qats/data"
	"github.com/qats-bench/qats/experiments/engine"
	"github.com/qats-bench/qats/results"
)

// inputs are notes on the arrays of a setting. They are kept in the store, so that a run
// with all its cells in the store does not read the arrays.
type inputs struct {
	Rows    int `json:"rows"` // of the test set
	Classes int `json:"classes"`

	Notes      results.Notes `json:"notes,omitempty"`
	OffsetLost bool          `json:"offset_lost,omitempty"` // see data.Form
	Masked     int           `json:"masked,omitempty"`      // logits of masked classes

	Few report.Warning `json:"few,omitzero"` // classes of few calibration rows, for fits.csv
}

// inputsOf returns the notes on the arrays of a unit, from the store or by
// reading the arrays. Arrays that cannot be read have no notes: the cells that
// read them hold the error.
func (p *Plan) inputsOf(ctx context.Context, u *Unit) (inputs, error) {
	var in inputs
	if u.inputs == "" {
		return in, nil
	}
	store := p.options.Store
	switch body, err := store.Get(results.Inputs, results.Key(u.inputs)); {
	case err == nil && !p.options.Fresh:
		return in, json.Unmarshal(body, &in)
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return in, err
	}
	err := engine.Guard(func() (err error) {
		if in, err = u.examine(ctx); err == nil {
			err = u.unchangedArrays(scored&u.source.Has(u.Setting.Cal()), scored)
		}
		return err
	})
	if isFatal(err) {
		return inputs{}, err
	}
	if err != nil {
		return inputs{}, ctx.Err()
	}
	body, err := json.Marshal(in)
	if err != nil {
		return in, err
	}
	return in, store.Put(results.Inputs, u.inputs, body)
}

// examine reads the calibration set and the test set of a unit and notes unusual
// properties.
func (u *Unit) examine(ctx context.Context) (inputs, error) {
	var in inputs
	test, err := u.source.Open(ctx, u.Setting.Test(), scored)
	if err != nil {
		return in, err
	}
	defer test.Close()
	in.Rows, in.Classes = test.Rows(), test.Classes()
	if err := in.add(ctx, "test set", test); err != nil {
		return in, err
	}
	if u.source.Has(u.Setting.Cal())&scored != scored {
		return in, nil
	}
	cal, err := u.source.Open(ctx, u.Setting.Cal(), scored)
	if err != nil {
		return in, err
	}
	defer cal.Close()
	if err := in.add(ctx, "calibration set", cal); err != nil {
		return in, err
	}
	labels, err := data.Load(ctx, u.source, u.Setting.Cal(), data.Labels)
	if err != nil {
		return in, err
	}
	if form, err := cal.Form(); err != nil {
		return in, err
	} else if !form.Confidence { // labels are classes
		counts := make([]int, cal.Classes())
		for _, y := range labels.Labels {
			counts[y]++
		}
		in.Few, _ = report.FewOfClass(counts)
		if cal.Rows() < cal.Classes() {
			in.Notes = append(in.Notes, results.Warn(FewRows(cal.Rows(), cal.Classes())))
		}
	}
	if u.Setting.Variant.Split > 0 { // disjoint parts of one union
		return in, nil
	}
	same, err := u.testIsCalibration(ctx, cal, test)
	if same {
		in.Notes = append(in.Notes, results.Warn(report.Warning{Text: SameRows}))
	}
	return in, err
}

// add adds the notes on the form of the logits of r, and counts masked classes. A warning that holds for both
// sets is noted once.
func (in *inputs) add(ctx context.Context, set string, r data.Reader) error {
	form, err := r.Form()
	if err != nil {
		return err
	}
	masked := 0
	err = data.Blocks(ctx, r, engine.BlockBytes, func(_ int, block *data.Set) error {
		masked += block.Masked()
		return nil
	})
	if err != nil {
		return err
	}
	if masked > 0 {
		in.Masked += masked
		form.Notes = append(form.Notes, data.MaskedNote(masked, r.Rows()*r.Classes()))
	}
	in.OffsetLost = in.OffsetLost || form.OffsetLost
	for _, note := range form.Notes {
		f := results.Note{Kind: results.Arrays, Text: set + ": " + note.String()}
		if note.Warning {
			f = results.Warn(report.Warning{Text: note.Text, Value: note.Value, Count: note.Count, Of: note.Of})
		}
		if !slices.Contains(in.Notes, f) {
			in.Notes = append(in.Notes, f)
		}
	}
	return nil
}

// testIsCalibration reports whether the two sets have the same rows of logits, in any
// order. It hashes rows only if the sizes and the counts of labels agree.
func (u *Unit) testIsCalibration(ctx context.Context, cal, test data.Reader) (bool, error) {
	if cal.Rows() != test.Rows() || cal.Classes() != test.Classes() {
		return false, nil
	}
	counts := make([]int, max(2, cal.Classes())) // of a confidence alone the right and the wrong ones
	for i, ref := range []data.Ref{u.Setting.Cal(), u.Setting.Test()} {
		labels, err := data.Load(ctx, u.source, ref, data.Labels)
		if err != nil {
			return false, err
		}
		for _, y := range labels.Labels {
			if int(y) < len(counts) {
				counts[y] += 1 - 2*i // the rows of the test set are taken away
			}
		}
	}
	if slices.ContainsFunc(counts, func(n int) bool { return n != 0 }) {
		return false, nil
	}
	shared, err := data.SharedRows(ctx, cal, test)
	return shared.All(), err
}

// SameRows says that the test rows are the calibration rows.
const SameRows = "the test rows are the calibration rows: no number here is of unseen rows"

// FewRows warns of a calibration set with fewer rows than classes.
func FewRows(rows, classes int) report.Warning {
	return report.Warning{Text: "{count} calibration rows for {of} classes", Count: rows, Of: classes}
}
