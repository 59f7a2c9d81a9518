package fit

import "github.com/qats-bench/qats/calib/report"

// AddRow adds the derivatives in the parameters of the loss of one row to sum, whose
// first element is for the value. first and second are its derivatives in the temperature
// of the row; for the others see RowTemperature.
func AddRow(sum, slope []float64, first, second, rate, bend float64) {
	p := len(slope)
	inX := float64(first * rate)
	inXX := float64(second*rate*rate) + float64(inX*bend)
	for r, s := range slope {
		sum[1+r] += float64(inX * s)
		for c, v := range slope {
			sum[1+p+r*p+c] += float64(float64(inXX*s) * v)
		}
	}
}

// MeanOf returns the mean loss of n rows near p parameters, given the sums of AddRow.
func MeanOf(sum []float64, n, p int) report.Local {
	for i := range sum {
		sum[i] /= float64(n)
	}
	return report.Local{Value: sum[0], Gradient: sum[1 : 1+p], Hessian: sum[1+p:]}
}
