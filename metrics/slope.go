package metrics

var slopeEntry = Entry{
	Name:      "slope",
	Group:     Unbinned,
	Outputs:   []Output{{"slope", "Calibration slope", below, unbounded}},
	Better:    Target,
	Target:    1,
	OnRequest: true,
	Vector:    true,
	Positive:  true,
	Version:   1,
	Summary:   "slope of the logistic regression of the label on the log odds of the positive class, of two classes: below 1 where they are too extreme",
	Aliases:   []string{"calibration-slope", "cox-slope"},

	Compute: valueOrError(Slope),
	Influence: func(s *Samples, _ uint64) ([][]float64, error) {
		r, err := recalibrate(s)
		if err != nil {
			return nil, err
		}
		return [][]float64{r.influence()}, nil
	},
}

// Slope returns the calibration slope: b of the logistic regression P(y = 1) = 1/(1 + exp(-a - b z))
// by maximum likelihood, with z the log odds of the positive class and y = 1 for a row with this
// label. It is 1 for a calibrated model, below 1 where the probabilities are too extreme, above 1
// where they are not extreme enough, and below 0 where they rank the rows wrongly. A temperature
// of 1/b mends it.
//
// It is an error if there are not two classes, if some probability is 0 or 1, if all rows have one
// label or one probability, or if a threshold separates the labels: then there is no maximum.
//
//   - Metric: slope
//   - Formula: b of max over a, b of sum of ln P(y), P(y = 1) = 1/(1 + e^(-a - b z)), z = ln(p/(1-p))
//   - Reference: Cox 1958
//   - Compared with: statsmodels (GLM, binomial)
//   - Agreement: 60 rows: value to 1e-9
//   - Departures: The interval is of the slope in the population (White 1982), which holds also
//     where no logistic curve fits the rows; that of a GLM supposes that one does.
func Slope(s *Samples) (float64, error) {
	r, err := recalibrate(s)
	if err != nil {
		return 0, err
	}
	return r.slope, nil
}
