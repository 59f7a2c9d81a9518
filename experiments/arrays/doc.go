// Package arrays applies methods to files of arrays and scores them, without a spec or a
// store. Files are read in blocks, so that the memory does not grow with the classes.
package arrays
