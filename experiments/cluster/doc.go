// Package cluster is what a task knows of the cluster that it runs on: its processors, and what
// the other tasks of its run took.
package cluster
