package temperature

import (
	"context"

	"github.com/qats-bench/qats/calib"
	"github.com/qats-bench/qats/data"
	"github.com/qats-bench/qats/internal/kernel/softmax"
)

// AugmentedTemperatureScaling is temperature scaling with test-time augmentation, which
// the QaTS paper cites as AdaTS. The logits of the image and of its v augmented views
// are averaged in float64, as (l + l^1 + ... + l^v) / (v+1). T is fitted on the logits
// of the calibration images without views, as in the paper's algorithm. The mean of
// several rows has a smaller gap to the top than one row, so this T does not fit it. A
// fit on averaged calibration rows would be another method. The prediction may change.
//
// The views are chosen by whoever makes the arrays. Four are typical: flip, small
// rotation and zoom, brightness, warp.
//
//   - Formula: p = softmax(mean of l and its v augmented views / T), T of ts
//   - Reference: Hekler, Brinker and Buettner 2023; AdaTS in the QaTS paper
//   - Compared with: none: the authors published none
//   - Agreement: not compared with code; T equals the T of ts, and a test has the mean by its
//     definition
//   - Departures: None known. The paper's text was not available, only its abstract and
//     a script by others.
type AugmentedTemperatureScaling struct{}

// TTATSEntry is the entry of AugmentedTemperatureScaling.
var TTATSEntry = calib.NewEntry[AugmentedTemperatureScaling, augmentedMap](calib.Entry{
	Name:    "tta-ts",
	Label:   "TTA-TS",
	Version: 4,
	Summary: "temperature of ts for the mean of the logits of augmented test views",
	Aliases: []string{"test-time-augmentation"},
})

// String returns the name of the method.
func (AugmentedTemperatureScaling) String() string { return TTATSEntry.Name }

// Contract needs logits and labels, then logits and augmented views.
func (AugmentedTemperatureScaling) Contract() calib.Contract {
	return calib.Contract{Cal: data.Logits | data.Labels, Test: data.Logits | data.Augmented, Streams: true, Masked: true}
}

// Fit returns the temperature of ts and its report. Its NLL stays the NLL of ts, because
// the calibration set has no views.
func (AugmentedTemperatureScaling) Fit(ctx context.Context, in calib.Input) (*calib.Fitted, error) {
	f, err := calib.TemperatureScaling{}.Fit(ctx, in)
	if err != nil {
		return nil, err
	}
	return &calib.Fitted{Map: augmentedMap(f.Map.(calib.Temperature)), Report: f.Report}, nil
}

// augmentedMap is a temperature for mean logits.
type augmentedMap struct {
	T float64 // > 0
}

func (m augmentedMap) Check() error { return calib.Temperature(m).Check() }

// Apply writes softmax(mean/T).
func (m augmentedMap) Apply(dst data.Probs, set *data.Set) {
	scale := 1 / m.T
	rows := make([][]float32, 1+len(set.Augmented))
	for i := range set.Logits.Rows {
		rows[0] = set.Logits.Row(i)
		for v, view := range set.Augmented {
			rows[1+v] = view.Row(i)
		}
		softmax.MeanProbs(dst.Row(i), rows, scale)
	}
}
