// Package data reads and writes the arrays that everything else is made of.
package data
