package neighbours

import (
	"context"
	"fmt"

	"github.com/qats-bench/qats/calib"
	"github.com/qats-bench/qats/calib/internal/fit"
	"github.com/qats-bench/qats/calib/internal/method"
	"github.com/qats-bench/qats/data"
)

// KernelRegression is the kernel calibrator of CalArena and probmetrics: the estimate
// of the class probabilities given the vector of softmax probabilities that
// Popordanoska, Sayer and Blaschko (2022) use to measure calibration errors. For two
// classes it is the beta kernel. The bandwidth follows Scott's rule: .033 for 5,000
// rows of two classes, .27 for ten, .85 for a hundred. On five networks of data/bundle
// with 2 to 20 classes its confidence is too high, by .05 to .17. Probabilities are
// limited to [1e-10, 1 - 1e-10]. A class without calibration rows would have probability 0, and then the classes share a
// mass (calib.Mass) of 1/(n + 2), n the rows that the map keeps. The prediction may change.
//
// Each row costs a product with all calibration rows, n k multiplications. The fit
// reports its NLL on the calibration rows, which takes n such products. If there are
// more than Rows rows, Rows of them are drawn with Input.Seed, as in probmetrics. The map keeps
// their logits, at most 10 million. Fit and Apply also take 256 bytes for each kept row
// on each processor.
//
//   - Formula: q_j = sum over calibration rows of class j of K_i(p) / sum over all
//     rows, K_i the Dirichlet density with parameters p_i/b + 1, b = n^(-2/(d+4)), d =
//     max(1, k-1)
//   - Reference: Popordanoska, Sayer and Blaschko 2022; probmetrics (Berta,
//     Holzmueller, Jordan and Bach 2025)
//   - Compared with: probmetrics 1.3.0, KernelCalibrator, which CalArena runs
//   - Agreement: probabilities to 2e-14 on drawn rows, without the mass
//   - Departures: probmetrics has no mass. It draws rows with torch's
//     generator. The paper chooses b by the leave-one-out likelihood, which both leave
//     out. The paper leaves out the row itself, since it measures on the same rows.
type KernelRegression struct {
	Bandwidth float64 // b, 1e-4 to 100; 0 means n^(-2/(d+4))
	Rows      int     // most calibration rows that are kept, 1 to 1,000,000; 0 means 10,000
}

// KernelEntry is the entry of KernelRegression.
var KernelEntry = calib.NewEntry[KernelRegression, kernelMap](calib.Entry{
	Name:    "kernel",
	Label:   "Kernel",
	Version: 3,
	Since:   2,
	Summary: "class shares among calibration rows with similar probabilities, weighted by Dirichlet kernels",
	Cost:    1000,
	Cost100: 700,
})

// String returns the name of the method.
func (KernelRegression) String() string { return KernelEntry.Name }

// Options returns the options bandwidth and rows.
func (m *KernelRegression) Options() []calib.Option {
	return []calib.Option{
		calib.FloatOption("bandwidth", &m.Bandwidth, 0, leastBandwidth, mostBandwidth, "bandwidth b; 0: n^(-2/(d+4)), d = k-1, at least 1"),
		calib.IntOption("rows", &m.Rows, 10_000, 1, 1_000_000, "most calibration rows that are kept"),
	}
}

// Contract needs logits and labels. The prediction may change.
func (KernelRegression) Contract() calib.Contract {
	return method.OfValues(method.Sized(method.VectorContract()))
}

// Fit returns the bank of calibration rows.
func (m KernelRegression) Fit(ctx context.Context, in calib.Input) (*calib.Fitted, error) {
	m, err := method.Ready(m, in)
	if err != nil {
		return nil, err
	}
	set := in.Cal
	n, k := set.Logits.Rows, set.Logits.Cols
	size := min(n, m.Rows)
	if err := checkBankSize(size, k); err != nil {
		return nil, err
	}
	rank := fit.Folds(set, n, in.Seed) // in a random order
	bank := kernelBank{Classes: k, Bandwidth: scott(size, k)}
	if m.Bandwidth > 0 {
		bank.Bandwidth = m.Bandwidth
	}
	for i, r := range rank {
		if r < size {
			bank.Labels = append(bank.Labels, set.Labels[i])
			bank.Logits = append(bank.Logits, set.Logits.Row(i)...)
		}
	}
	kernels := kernelMap(bank.Prepared())
	return method.Reported(ctx, calib.MassOf(kernels, size).Map(kernels), set, calib.Report{})
}

// checkBankSize rejects banks of too many rows of k classes.
func checkBankSize(rows, k int) error {
	if most := mostBankNumbers / k; rows > most {
		return fmt.Errorf("the map would keep %d x %d logits: at most %d; set the option rows to %d or less", rows, k, mostBankNumbers, most)
	}
	return nil
}

// kernelMap is the bank of calibration rows.
type kernelMap kernelBank

// NumClasses returns k.
func (m kernelMap) NumClasses() int { return m.Classes }

func (m kernelMap) Check() error { return (*kernelBank)(&m).Check() }

// Certain reports whether a class has no row in the bank; see calib.Certain. A class with rows has the probability 0 only
// where their kernels underflow.
func (m kernelMap) Certain() bool {
	seen, classes := make([]bool, m.Classes), 0
	for _, y := range m.Labels {
		if !seen[y] {
			seen[y] = true
			classes++
		}
	}
	return classes < m.Classes
}

// Prepared returns m with its kernels.
func (m kernelMap) Prepared() calib.Map { return kernelMap(kernelBank(m).Prepared()) }

// Parameters returns b.
func (m kernelMap) Parameters() []calib.Parameter {
	return []calib.Parameter{{Name: "bandwidth", Value: m.Bandwidth, Meaning: "width b of the kernel"}}
}

// Apply writes the n x k probabilities.
func (m kernelMap) Apply(dst data.Probs, set *data.Set) {
	(*kernelBank)(&m).Estimate(dst, set.Logits)
}
