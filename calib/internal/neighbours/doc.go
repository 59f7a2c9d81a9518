// Package neighbours searches the nearest neighbours of rows of features, by all
// squared distances, for dac, procal and procal-bins.
package neighbours
