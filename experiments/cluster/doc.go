// Package cluster is what a run knows of the machines that it is spread over: the processors
// of its own one, and how far the others are.
package cluster
