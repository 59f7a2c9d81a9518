package calib

import (
	"context"

	"github.com/qats-bench/qats/data"
	"github.com/qats-bench/qats/internal/kernel/softmax"
)

// AugmentedTemperatureScaling is temperature scaling over test-time augmentation (Hekler,
// Brinker and Buettner 2023), which the QaTS paper cites as AdaTS:
//
//	p = softmax(mean/T),  mean = (l + l^1 + ... + l^v) / (v+1),
//
// the logits of the image and of its v augmented views with equal weights, in
// float64. T is that of ts: it is fitted on the logits of the plain
// calibration images, as in the paper's algorithm. The mean of several rows is
// less peaked than one row, so such a T does not suit it; a fit on averaged
// calibration rows would be another method. The mean may also have another
// predicted class than the image.
//
// Which views there are is decided where the arrays are made; customary are
// four: flip, small rotation and zoom, brightness, warp.
type AugmentedTemperatureScaling struct{}

func ttaTSEntry() Entry {
	return NewEntry[AugmentedTemperatureScaling, augmentedMap](Entry{
		Name:      "tta-ts",
		Label:     "TTA-TS",
		Version:   2,
		Summary:   "temperature of ts on the mean of the logits of augmented test views",
		Reference: "Hekler, Brinker and Buettner 2023; AdaTS in the QaTS paper",
	})
}

func (AugmentedTemperatureScaling) Contract() Contract {
	return Contract{Cal: data.Logits | data.Labels, Test: data.Logits | data.Augmented, Streams: true}
}

// Fit reports the NLL of ts: the calibration set has no views.
func (AugmentedTemperatureScaling) Fit(ctx context.Context, in Input) (*Fitted, error) {
	f, err := TemperatureScaling{}.Fit(ctx, in)
	if err != nil {
		return nil, err
	}
	return &Fitted{Map: augmentedMap(f.Map.(temperatureMap)), Report: f.Report}, nil
}

// augmentedMap is a temperature for mean logits.
type augmentedMap struct {
	T float64 // > 0
}

func (m augmentedMap) Check() error { return temperatureMap(m).Check() }

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
