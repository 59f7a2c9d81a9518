// Package mixture learns the groups of group calibration (Yang, Zhan and Gan 2023): a
// soft partition of the rows by their features, with a temperature for each group.
package mixture
