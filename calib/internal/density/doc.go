// Package density estimates densities in the plane by Gaussian kernels, for procal.
package density
