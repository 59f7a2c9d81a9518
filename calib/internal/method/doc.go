// Package method has what the families of methods share: contracts, the checks of features,
// the rows of top-label methods, and the report of a map whose fit computes no NLL.
package method
