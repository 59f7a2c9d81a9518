// Package smoothing fits smoothing splines to binary outcomes (Lucena 2018): logistic
// regression on a natural cubic spline of the log odds, with a ridge penalty whose
// weight is chosen on a part of the rows.
//
// The spline with knots t_0 < ... < t_{K-1} is a sum of K functions of x (Hastie,
// Tibshirani and Friedman, The Elements of Statistical Learning, section 5.2.1):
//
//	1, x, d_i(x) - d_{K-2}(x) for i = 0..K-3,
//	d_i(x) = ((x - t_i)+^3 - (x - t_{K-1})+^3) / (t_{K-1} - t_i).
//
// It is linear below t_0 and above t_{K-1}. The penalty is on its K coefficients, so
// the basis matters and cannot be replaced by a better conditioned one. But between two
// knots every function is a cubic of the distance to the left one (basis). So a row
// adds seven moments to the sums of its interval, not K^2 products to the Hessian.
package smoothing
